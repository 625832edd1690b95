//! Options that are not typed with a command: those of `FENCEHOUND_OPTIONS`, and those of a `fencehound.toml` beside the target.
//!
//! What is typed comes before the environment, that before the file, and the file's words on the target before its words on all.
//! They are put before what is typed, since the last one is meant; so they are read, and refused, as if they had been typed.

mod file;
mod given;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory};

use crate::args::Cli;
use crate::exit::Failure;
use file::SettingsFile;
use given::{Given, command, read, word};

/// The variable that holds options.
const VARIABLE: &str = "FENCEHOUND_OPTIONS";

/// The commands that have options beside those typed.
const COMMANDS: [&str; 3] = ["check", "fences", "relax"];

/// A command line with what is added to it.
pub(crate) struct Settled {
    /// The whole command line.
    pub(crate) arguments: Vec<OsString>,
    /// Where options come from that were not typed, and which they are.
    added: Vec<(String, Vec<OsString>)>,
}

impl Settled {
    /// Returns a failure that also says which options were not typed, since they may be what is wrong.
    pub(crate) fn explain(&self, failure: Failure) -> Failure {
        let words = |words: &[OsString]| words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        let added: Vec<String> =
            self.added.iter().map(|(from, added)| format!("{from} adds {}", words(added))).collect();
        match failure.help {
            Some(help) if !added.is_empty() => {
                Failure { help: Some(format!("{help}; {}", added.join("; "))), ..failure }
            }
            help => Failure { help, ..failure },
        }
    }

    /// Whether options were added that the last of which is meant.
    pub(crate) fn is_changed(&self) -> bool {
        !self.added.is_empty()
    }
}

/// Returns a command line with the options that belong to it: of the variable's value, and of the file beside the target.
///
/// # Errors
/// If these options are wrong by themselves. What is wrong with those that were typed is found later.
pub(crate) fn settle(typed: Vec<OsString>) -> Result<Settled, Failure> {
    let name = typed.get(1).and_then(|name| name.to_str()).unwrap_or_default().to_string();
    let mut settled = Settled { arguments: typed, added: Vec::new() };
    let Some(command) = COMMANDS.iter().find_map(|known| (*known == name).then(|| command(known))) else {
        return Ok(settled);
    };
    let Ok(matches) = Cli::command().try_get_matches_from(&settled.arguments) else { return Ok(settled) };
    let Some((_, matches)) = matches.subcommand() else { return Ok(settled) };
    let target = matches.get_many::<PathBuf>("targets").into_iter().flatten().next().cloned().unwrap_or_default();
    let trusted = typed_cflags(matches);
    let mut sources = Vec::new();
    if let Some(file) = SettingsFile::beside(&target)? {
        let options = file.options(&target, &trusted)?;
        sources.push((file.name(), options));
    }
    if let Some(options) = env::var_os(VARIABLE) {
        sources.push((VARIABLE.to_string(), of_environment(&options)?));
    }
    let mut words = Vec::new();
    for (from, options) in sources {
        let taken: Vec<OsString> =
            options.into_iter().filter(|option| takes(&command, &option.id)).map(|option| option.word).collect();
        words.extend(taken.iter().cloned());
        if !taken.is_empty() {
            settled.added.push((from, taken));
        }
    }
    settled.arguments.splice(2..2, words);
    Ok(settled)
}

/// Whether a command takes an option; what is another command's alone is left to that one.
fn takes(command: &Command, id: &str) -> bool {
    command.get_arguments().any(|option| option.get_id() == id && !option.is_hide_set())
}

/// Returns what was typed after `--cflags`: what the user says is trusted, wherever else it stands.
fn typed_cflags(matches: &ArgMatches) -> Vec<String> {
    let raw = matches.get_raw("cflags").into_iter().flatten();
    raw.flat_map(|flags| shlex::split(&flags.to_string_lossy()).unwrap_or_default()).collect()
}

/// Reads the options of the variable.
fn of_environment(value: &std::ffi::OsStr) -> Result<Vec<Given>, Failure> {
    let wrong = |failure: Failure| Failure { message: format!("{VARIABLE}: {}", failure.message), ..failure };
    let words = value.to_str().and_then(shlex::split).ok_or_else(|| {
        Failure::usage(
            format!("{VARIABLE} cannot be read: it has an open quote, or is no UTF-8"),
            "quote as in a shell",
        )
    })?;
    let matches = read(&words).map_err(wrong)?;
    let names = |id: &str| matches.get_raw(id).map_or(0, Iterator::count);
    if names("targets") > 1 || names("arguments") > 0 {
        let message = format!("{VARIABLE} names a target or the program's arguments");
        return Err(Failure::usage(message, "it is for options alone, such as --time 30s"));
    }
    let check = command("fences");
    let given = check.get_arguments().filter(|option| option.get_id() != "targets");
    Ok(given.flat_map(|option| again(option, &matches)).collect())
}

/// Returns an option as it was given: as many words as there are values.
fn again(option: &Arg, matches: &ArgMatches) -> Vec<Given> {
    let id = option.get_id().to_string();
    if matches.value_source(&id) != Some(ValueSource::CommandLine) {
        return Vec::new();
    }
    if matches!(option.get_action(), ArgAction::SetTrue) {
        return word(option, None).into_iter().map(|word| Given { id: id.clone(), word }).collect();
    }
    let values = matches.get_raw(&id).into_iter().flatten();
    values.filter_map(|value| Some(Given { id: id.clone(), word: word(option, Some(value))? })).collect()
}
