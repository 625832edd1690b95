//! Usage errors, in the tool's own form: what and where, in lower case, then what to do.

use std::ffi::{OsStr, OsString};

use clap::error::ErrorKind;

use crate::exit::Failure;

/// Whether the arguments of a command ask for its help alone.
pub(crate) fn asks_for_help(arguments: &[OsString]) -> bool {
    matches!(arguments, [only] if only == "--help" || only == "-h")
}

/// The beginnings of other options that clang takes, and nobody else.
const CLANGS: [&str; 13] = [
    "-W",
    "-f",
    "-g",
    "-pedantic",
    "-ansi",
    "-isystem",
    "-iquote",
    "-include",
    "-march=",
    "-mcx16",
    "-mtune=",
    "-msse",
    "-mavx",
];

/// Returns the options spelled as clap wants them: `-std=c11`, `-pthread`, `-Wall` and `-include FILE` are how everyone types
/// them, and a long name has two dashes.
pub(crate) fn clang_spelling(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut arguments = arguments.into_iter();
    let mut respelled = Vec::with_capacity(arguments.len());
    while let Some(argument) = arguments.next() {
        let text = argument.to_str().unwrap_or_default();
        match text {
            "--" => {
                respelled.push(argument);
                respelled.extend(arguments.by_ref());
            }
            "--cflags" => respelled.extend([argument].into_iter().chain(arguments.next())),
            "-isystem" | "-iquote" | "-include" => {
                let of_clang = [Some(argument), arguments.next()];
                respelled.extend(of_clang.into_iter().flatten().map(|one| for_clang(&one)));
            }
            "-pthread" | "-w" => respelled.push(for_clang(&argument)),
            _ if CLANGS.iter().any(|option| text.starts_with(option)) => respelled.push(for_clang(&argument)),
            _ if text.starts_with("-std=") => respelled.push(format!("-{text}").into()),
            _ => respelled.push(argument),
        }
    }
    respelled
}

/// Returns an argument as an option that hands it to clang as it is.
fn for_clang(argument: &OsStr) -> OsString {
    let quoted = argument.to_str().and_then(|text| shlex::try_quote(text).ok());
    let mut option = OsString::from("--cflags=");
    option.push(quoted.as_deref().map_or(argument, OsStr::new));
    option
}

/// Returns what clap found wrong as a failure in the tool's own form: lower-case, then a line of help for the command typed.
pub(crate) fn usage_error(error: &clap::Error, command: &str) -> Failure {
    if let Some(refused) = std::error::Error::source(error).and_then(|source| source.downcast_ref::<Failure>()) {
        return refused.clone();
    }
    let text = error.render().to_string();
    let message = text.split("\n\n").next().unwrap_or_default();
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message).to_string();
    // clap's other tips, such as to quote an option, are beside the point.
    let tip = text.lines().find_map(|line| line.trim_start().strip_prefix("tip: ")).map(str::to_string);
    let tip = tip.filter(|tip| tip.contains("similar"));
    let command = ["check", "fences", "relax", "replay", "monitor", "doctor", "completions", "man"]
        .into_iter()
        .find(|name| *name == command);
    let general = || match command {
        Some(command) => format!("`fencehound {command} --help` lists what may be typed"),
        None => "`fencehound --help` lists the commands".to_string(),
    };
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Failure::usage("no command given", general());
    }
    Failure::usage(message, tip.unwrap_or_else(general))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::{CommandFactory, Parser};

    use super::{clang_spelling, usage_error};
    use crate::args::{Cli, typed_name};

    fn error(line: &str) -> String {
        let arguments = line.split_whitespace().map(OsString::from).collect();
        let command = line.split_whitespace().nth(1).unwrap_or_default();
        usage_error(&Cli::try_parse_from(clang_spelling(arguments)).unwrap_err(), command).to_string()
    }

    #[test]
    fn the_commands_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_names_every_option_and_fits_a_screen() {
        for command in Cli::command().get_subcommands() {
            let help = command.clone().render_help().to_string();
            assert!(help.lines().count() <= 24, "{} lines:\n{help}", help.lines().count());
            assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
            for argument in
                command.get_arguments().filter(|argument| argument.get_id() != "help" && !argument.is_hide_set())
            {
                let name = typed_name(argument);
                assert!(name.iter().all(|name| help.contains(name)), "{name:?} is not in\n{help}");
            }
        }
    }

    #[test]
    fn options_of_clang_may_be_typed_as_they_are() {
        let line = ["check", "-Wall", "-std=c11", "-include", "a b.h", "--cflags", "-w", "-g3", "--", "-fast"];
        let respelled = clang_spelling(line.iter().map(OsString::from).collect());
        let expected = [
            "check",
            "--cflags=-Wall",
            "--std=c11",
            "--cflags=-include",
            "--cflags='a b.h'",
            "--cflags",
            "-w",
            "--cflags=-g3",
            "--",
            "-fast",
        ];
        assert_eq!(respelled, expected.map(OsString::from));
    }

    #[test]
    fn usage_errors_are_lower_case_and_help() {
        assert_eq!(
            error("fencehound check a.c --zigzag"),
            "error: unexpected argument '--zigzag' found\nhelp: `fencehound check --help` lists what may be typed"
        );
        assert_eq!(
            error("fencehound check a.c --modle sc"),
            "error: unexpected argument '--modle' found\nhelp: a similar argument exists: '--model'"
        );
        for command in ["check a.c", "replay finding", "monitor a.log", "doctor"] {
            let name = command.split(' ').next().unwrap();
            assert_eq!(
                error(&format!("fencehound {command} --color maybe")).lines().last(),
                Some(format!("help: `fencehound {name} --help` lists what may be typed").as_str())
            );
        }
        assert_eq!(error("fencehound").lines().next(), Some("error: no command given"));
        assert_eq!(
            error("fencehound check").lines().next(),
            Some("error: the following required arguments were not provided: <TARGET>...")
        );
    }
}
