//! What may be typed: the commands and options as clap reads them, the help texts, and usage errors.
//!
//! Values stay text here; [`crate::plan`] gives them their meaning.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand};

use crate::exit::{Failure, Status};
use crate::plan::{CheckPlan, MonitorPlan, ReplayPlan};
use crate::screen::{self, Channel, Color, Screen, complain};
use crate::{cc, check, doctor, monitor, replay};

const HELP: &str = "\
Finds the missing fences of C/pthreads programs: explores thread schedules and
watches for executions that TSO or PSO hardware could turn into something that
no interleaving explains.

Usage: fencehound COMMAND

  check TARGET...   explore the schedules of a program and say what is wrong
  replay FINDING    run one recorded schedule again and show it
  monitor LOG...    run the monitors on recorded event logs
  cc ARGS...        a drop-in C compiler, so that CC=\"fencehound cc\" make works
  doctor            say what is missing on this machine

`fencehound COMMAND --help` lists the options of a command.
";

const CHECK_HELP: &str = "\
Explores the thread schedules of a C program and watches each execution.
Usage: fencehound check TARGET... [OPTIONS] [-- PROGRAM ARGUMENTS]
TARGET: .c files (one program), a `fencehound cc` executable, .litmus files.

Exploring:
  --model LIST            memory models: sc (the default), tso, pso, power
  --monitor LIST          tso, pso (the default), race, sc-atomicity,
                          tso-atomicity, none, and others (README.md)
  --explorer NAME         bounded (the default), dpor, random, pct, urw, rsmc
  --preemptions K|none, --unroll N, --seed S   bounded [2], dpor; rsmc; others
  --stop-at-first         end at the first violation (else --keep-going)
  --leaks, --uninitialised, --exit-status report|ignore   also looked for
  --heap-reuse, --sv-comp-transactions   what calls mean
  --spurious-wakeups, --weak-cas-fails N   what may fail for no reason
Budgets:
  --executions N, --time 30s|2m          of the whole search [default: none]
  --max-events N, --local-timeout 10s, --max-memory MIB   of a run, thread, all
  -j N, --checkpoint FILE   processes [default: cores]; go on from it if killed
Compiling .c files, as clang:
  -O, -D, -U, -I, -L, -l, -std=   [default: -O1];  any other: --cflags \"...\"
  --asm-templates FILE    meanings of inline assembly (docs/inline-assembly.md)
Results:
  --json FILE|-, --record FILE   the result; all executions as an event log
  --out DIR, --color auto|always|never   findings [fencehound-out/]; NO_COLOR
";

const REPLAY_HELP: &str = "\
Run one recorded schedule again, byte for byte the same, and show it.

Usage: fencehound replay FINDING [--step | --gdb] [OPTIONS]
FINDING is a folder that `fencehound check` made, or its finding.json.

Options:
  --step                  one event at a time: Enter shows the next
  --gdb                   open gdb on the program, with this schedule
  --source DIR            use files below DIR, too [default: this folder]
  --cflags \"...\"          trust these options of the compiler
  --color auto|always|never   NO_COLOR is obeyed

Exit status: 1 reproduced, 0 not reproduced, 2 the file is corrupt or foreign,
or the program has changed since.
";

const MONITOR_HELP: &str = "\
Run the monitors on recorded executions, without a program.

Usage: fencehound monitor LOG... [OPTIONS]
LOG is an event log (docs/event-log.md); `fencehound check --record FILE` makes
one.

Options:
  --monitor LIST          of tso, pso (the default), sc-atomicity,
                          tso-atomicity, sober, exact_tso, prefix_tso,
                          prefix_pso, burnim_tso, burnim_pso; none; of logs
                          with commits: tso-atomicity, sc-equivalence
  --search-steps N        of tso-atomicity, a log [default: 1000000]
  --source DIR            quote sources below DIR, too [default: this folder]
  --json FILE|-           machine-readable, to a file or the standard output
  --color auto|always|never   NO_COLOR is obeyed

Exit status: 0 clean, 1 violations, 2 a log is malformed (line by number),
3 undecided: the search took too many steps.
";

const CC_HELP: &str = "\
A drop-in C compiler: clang, with what `fencehound check` needs built in.

Usage: fencehound cc CLANG ARGUMENTS...

    CC=\"fencehound cc\" make
    fencehound cc -O2 -o queue queue.c && fencehound check queue

All arguments but two are clang's (`clang-19 --help`), as is the exit status.
The result is an ordinary executable.

  --asm-templates FILE   meanings of inline assembly (docs/inline-assembly.md)
  --power                keep the dependencies that `check --model power` needs;
                         slower under the other models
";

const DOCTOR_HELP: &str = "\
Say which parts are there, which are missing, and the line that installs them.

Usage: fencehound doctor [--color auto|always|never]

Exit status: 0 if everything needed is there, else 4.
";

#[derive(Debug, Parser)]
#[command(name = "fencehound", version, override_help = HELP, disable_help_subcommand = false)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(override_help = CHECK_HELP)]
    Check(Box<CheckArgs>),
    #[command(override_help = REPLAY_HELP)]
    Replay(ReplayArgs),
    #[command(override_help = MONITOR_HELP)]
    Monitor(MonitorArgs),
    #[command(override_help = CC_HELP)]
    Cc {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    #[command(override_help = DOCTOR_HELP)]
    Doctor {
        #[arg(long, value_name = "WHEN", default_value = "auto")]
        color: Color,
    },
}

/// What is done about exit statuses other than 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum ExitStatusArg {
    /// They are violations.
    Report,
    /// They are ends as any other.
    Ignore,
}

/// The options of `check`, as typed: each flag is one of its own.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "that is how clap reads flags")]
pub(crate) struct CheckArgs {
    #[arg(required = true, value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    #[arg(long, value_name = "LIST", default_value = "sc")]
    pub(crate) model: String,
    #[arg(long, value_name = "LIST")]
    pub(crate) monitor: Option<String>,
    #[arg(long, value_name = "NAME")]
    pub(crate) explorer: Option<String>,
    #[arg(long, value_name = "K|none")]
    pub(crate) preemptions: Option<String>,
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<String>,
    #[arg(long, value_name = "N")]
    pub(crate) executions: Option<String>,
    #[arg(long, value_name = "TIME")]
    pub(crate) time: Option<String>,
    #[arg(short = 'j', value_name = "N", allow_hyphen_values = true)]
    pub(crate) jobs: Option<String>,
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// For tests: cuts short searches, too, into slices, starts all processes at once, and saves after each slice.
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) slice_executions: Option<String>,
    #[arg(long, value_name = "N")]
    pub(crate) unroll: Option<String>,
    #[arg(long, value_name = "N", default_value = "100000")]
    pub(crate) max_events: String,
    #[arg(long, value_name = "MIB", default_value = "1024")]
    pub(crate) max_memory: String,
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub(crate) local_timeout: String,
    #[arg(long)]
    pub(crate) spurious_wakeups: bool,
    #[arg(long, overrides_with = "stop_at_first")]
    pub(crate) keep_going: bool,
    #[arg(long, overrides_with = "keep_going")]
    pub(crate) stop_at_first: bool,
    #[arg(long)]
    pub(crate) sv_comp_transactions: bool,
    #[arg(long)]
    pub(crate) heap_reuse: bool,
    #[arg(long)]
    pub(crate) leaks: bool,
    #[arg(long)]
    pub(crate) uninitialised: bool,
    #[arg(long, value_name = "WHAT", default_value = "report")]
    pub(crate) exit_status: ExitStatusArg,
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) weak_cas_fails: String,
    #[arg(long, value_name = "FILE")]
    pub(crate) asm_templates: Option<String>,
    // As to clang, the last of several is meant.
    #[arg(short = 'O', value_name = "LEVEL", default_value = "1", overrides_with = "optimise")]
    pub(crate) optimise: String,
    #[arg(short = 'D', value_name = "MACRO")]
    pub(crate) define: Vec<String>,
    #[arg(short = 'U', value_name = "MACRO")]
    pub(crate) undefine: Vec<String>,
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<String>,
    #[arg(short = 'L', value_name = "DIR")]
    pub(crate) library_folder: Vec<String>,
    #[arg(short = 'l', value_name = "LIBRARY")]
    pub(crate) library: Vec<String>,
    #[arg(long, value_name = "STANDARD", overrides_with = "std")]
    pub(crate) std: Option<String>,
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub(crate) cflags: Vec<String>,
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub(crate) json: Option<PathBuf>,
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    #[arg(last = true, value_name = "PROGRAM ARGUMENTS")]
    pub(crate) arguments: Vec<String>,
}

/// The options of `replay`, as typed.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    #[arg(value_name = "FINDING")]
    pub(crate) finding: PathBuf,
    #[arg(long)]
    pub(crate) step: bool,
    #[arg(long, conflicts_with = "step")]
    pub(crate) gdb: bool,
    #[arg(long, value_name = "DIR")]
    pub(crate) source: Vec<PathBuf>,
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub(crate) cflags: Vec<String>,
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

/// The options of `monitor`, as typed.
#[derive(Debug, Args)]
pub(crate) struct MonitorArgs {
    #[arg(required = true, value_name = "LOG")]
    pub(crate) logs: Vec<String>,
    #[arg(long, value_name = "LIST")]
    pub(crate) monitor: Option<String>,
    #[arg(long, value_name = "N", default_value = "1000000")]
    pub(crate) search_steps: String,
    #[arg(long, value_name = "DIR")]
    pub(crate) source: Vec<PathBuf>,
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub(crate) json: Option<PathBuf>,
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

/// Reads the command line and runs the command.
pub(crate) fn dispatch(arguments: Vec<OsString>) -> Status {
    if arguments.get(1).is_some_and(|command| command == "cc") && !asks_for_help(&arguments[2..]) {
        // clang's arguments are not for clap to judge.
        return fail(&cc::run(&arguments[2..]));
    }
    let command = arguments.get(1).and_then(|command| command.to_str()).unwrap_or_default().to_string();
    let status = match Cli::try_parse_from(clang_spelling(arguments)) {
        Ok(cli) => run(cli.command),
        Err(error) if !error.use_stderr() => {
            Screen::new(Channel::Output, Color::Auto).print(&error.render().ansi().to_string());
            Status::Clean
        }
        Err(error) => fail(&usage_error(&error, &command)),
    };
    screen::lost().map_or(status, |lost| status.and(fail(&lost)))
}

fn run(command: Command) -> Status {
    match command {
        Command::Check(typed) => match CheckPlan::new(&typed) {
            Ok(plan) => check::run(&plan),
            Err(failure) => fail(&failure),
        },
        Command::Replay(typed) => {
            ReplayPlan::new(&typed).and_then(|plan| replay::run(&plan)).unwrap_or_else(|failure| fail(&failure))
        }
        Command::Monitor(typed) => match MonitorPlan::new(&typed) {
            Ok(plan) => monitor::run(&plan),
            Err(failure) => fail(&failure),
        },
        Command::Cc { arguments } => fail(&cc::run(&arguments)),
        Command::Doctor { color } => doctor::run(color),
    }
}

fn fail(failure: &Failure) -> Status {
    complain(failure);
    failure.status
}

fn asks_for_help(arguments: &[OsString]) -> bool {
    matches!(arguments, [only] if only == "--help" || only == "-h")
}

/// `-std=c11` and `-pthread` are how everyone types them; clap wants two dashes for a long name.
fn clang_spelling(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut program_arguments = false;
    let respell = |argument: OsString| {
        program_arguments |= argument == "--";
        let text = argument.to_str().unwrap_or_default();
        match text {
            _ if program_arguments => argument,
            "-pthread" => "--cflags=-pthread".into(),
            _ if text.starts_with("-std=") => format!("-{text}").into(),
            _ => argument,
        }
    };
    arguments.into_iter().map(respell).collect()
}

/// Says what clap found wrong in the tool's own form: lower-case, then a line of help for the command typed.
fn usage_error(error: &clap::Error, command: &str) -> Failure {
    let argument = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    if let Some(failure) = later(error.kind(), argument(ContextKind::InvalidArg)) {
        return failure;
    }
    let text = error.render().to_string();
    let message = text.split("\n\n").next().unwrap_or_default();
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message).to_string();
    // clap's other tips, such as to quote an option, are beside the point.
    let tip = text.lines().find_map(|line| line.trim_start().strip_prefix("tip: ")).map(str::to_string);
    let tip = tip.filter(|tip| tip.contains("similar"));
    let command = ["check", "replay", "monitor", "doctor"].into_iter().find(|name| *name == command);
    let general = || match command {
        Some(command) => format!("`fencehound {command} --help` lists what may be typed"),
        None => "`fencehound --help` lists the commands".to_string(),
    };
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Failure::usage("no command given", general());
    }
    Failure::usage(message, tip.unwrap_or_else(general))
}

/// What the contract names and this version does not have yet.
fn later(kind: ErrorKind, argument: Option<&str>) -> Option<Failure> {
    const OPTIONS: [&str; 2] = ["--sarif", "--junit"];
    if kind != ErrorKind::UnknownArgument {
        return None;
    }
    let option = OPTIONS.into_iter().find(|name| argument.is_some_and(|text| text.starts_with(name)))?;
    Some(Failure::usage(
        format!("the option {option} is not available in this version"),
        "`fencehound check --help` lists the options that are; --json gives machine-readable results",
    ))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::{CommandFactory, Parser};

    use super::{Cli, clang_spelling, usage_error};

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
                let long = argument.get_long().map(|name| format!("--{name}"));
                let long = long.map(|name| if name == "--std" { "-std=".to_string() } else { name });
                let name = long.or_else(|| argument.get_short().map(|name| format!("-{name}")));
                assert!(name.iter().all(|name| help.contains(name)), "{name:?} is not in\n{help}");
            }
        }
    }

    #[test]
    fn usage_errors_are_lower_case_and_help() {
        assert_eq!(
            error("fencehound check a.c --frobnicate"),
            "error: unexpected argument '--frobnicate' found\nhelp: `fencehound check --help` lists what may be typed"
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
        assert!(error("fencehound check a.c --sarif x").contains("--sarif is not available in this version"));
    }
}
