//! Options as they are typed, whoever has said them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, CommandFactory};

use crate::args::Cli;
use crate::exit::Failure;
use crate::usage::{clang_spelling, usage_error};

/// An option, as it is typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Given {
    /// The name by which clap knows the option.
    pub(super) id: String,
    /// The word for it.
    pub(super) word: OsString,
}

/// The command by this name.
pub(super) fn command(name: &str) -> Command {
    Cli::command().find_subcommand(name).cloned().unwrap_or_default()
}

/// Reads options as if they were typed with a command that has them all; a target is none of them.
pub(super) fn read(words: &[String]) -> Result<ArgMatches, Failure> {
    let line = ["fencehound", "fences", "target"].into_iter().map(OsString::from);
    let line: Vec<OsString> = line.chain(words.iter().map(OsString::from)).collect();
    let matches = Cli::command().try_get_matches_from(clang_spelling(line));
    let mut matches = matches.map_err(|error| usage_error(&error, "check"))?;
    Ok(matches.remove_subcommand().map(|(_, matches)| matches).unwrap_or_default())
}

/// Returns the word for an option with a value, or without one.
pub(super) fn word(option: &Arg, value: Option<&OsStr>) -> Option<OsString> {
    let name = match (option.get_long(), option.get_short()) {
        (Some(long), _) => format!("--{long}{}", if value.is_some() { "=" } else { "" }),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => return None,
    };
    let mut whole = OsString::from(name);
    whole.push(value.unwrap_or_default());
    Some(whole)
}

/// The options that any of the commands has, by the name that a file has for them: their long one, or else their letter.
pub(super) fn known() -> BTreeMap<String, Arg> {
    let command = command("fences");
    let options = command.get_arguments().filter(|option| option.get_id() != "help" && !option.is_positional());
    let named = options.map(|option| {
        let letter = option.get_short().map(|letter| letter.to_string());
        (option.get_long().map(str::to_string).or(letter).unwrap_or_default(), option.clone())
    });
    named.collect()
}

/// Returns the one path of a file that is there, links followed.
pub(super) fn whole(file: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(file).ok()
}
