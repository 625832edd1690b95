//! What may be typed: the commands and options as clap reads them, and the help texts.
//!
//! Values are read by [`crate::values`]; [`crate::plan`] says what they mean together.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;

use crate::plan::explorer::Explorer;
use crate::screen::Color;
use crate::search::shares::Shard;
use crate::values::{
    self, Delays, ExitStatuses, Format, Models, Monitors, Outcomes, Preemptions, Sequences, Switch, Time, Until, Words,
};

const HELP: &str = "\
Finds the missing fences of C/pthreads programs: explores thread schedules and
watches for executions that TSO or PSO hardware could turn into something that
no interleaving explains.

Usage: fencehound COMMAND

  check TARGET...   explore the schedules of a program and say what is wrong
  fences TARGET...  find the cheapest fences that make a program right
  relax TARGET...   find the weakest memory orders that keep a program right
  join SHARE...     join the shares of a search (check --shard)
  replay FINDING    run one recorded schedule again and show it
  monitor LOG...    run the monitors on recorded event logs
  cc ARGS...        a drop-in C compiler, so that CC=\"fencehound cc\" make works
  doctor            say what is missing on this machine

`fencehound COMMAND --help` lists the options of a command; more of them come
from fencehound.toml beside the target, and from FENCEHOUND_OPTIONS.
";

const CHECK_HELP: &str = "\
Explores the thread schedules of a C program and watches each execution.
Usage: fencehound check TARGET... [OPTIONS] [-- PROGRAM ARGUMENTS]
TARGET: .c files (one program), a `fencehound cc` executable, .litmus files.

Exploring:
  --model LIST   sc (default), tso, pso, power, armv8, riscv, c11, all (but pso)
  --monitor LIST   tso, pso (default), race, sc-atomicity, tso-atomicity, none
  --explorer NAME   auto (the default), bounded, dpor, random, pct, urw, rsmc
  --preemptions K|none, --unroll N, --seed S  auto, bounded, dpor; rsmc; random
  --delays N|none; --lse on|off, --rcpc on|off   of store buffers; of armv8
  --stop-at-first, --keep-going, --leaks, --uninitialised, --exit-status ignore
  --strict, --no-judge, --judge-time 60s, --outcome memory|observed|exit
  --advice-time 10s, --no-advice; --release-sequences c11|c++20   of c11
  --heap-reuse, --sv-comp-transactions, --spurious-wakeups, --weak-cas-fails N
Budgets:
  --executions N, --time 30s|2m [auto: 60s]; --checkpoint FILE  go on from it
  --max-events N, --local-timeout 10s, --max-memory MIB   of a run, thread, all
  -j N; --cluster ADDRESS, --executor \"COMMAND\", --shard I/N  docs/cluster.md
Compiling (-O1), as clang: -D -I -L -l -O -U -W -f -std=; or --cflags \"...\"
  --asm-templates FILE    meanings of inline assembly (docs/inline-assembly.md)
Results:
  --json, --sarif, --junit, --html FILE|-  to such a file; --record FILE  a log
  --baseline FILE, --write-baseline  known findings; --out DIR [fencehound-out/]
  --format text|gcc, -q, -v, --color auto|always|never   NO_COLOR is obeyed
";

const FENCES_HELP: &str = "\
Finds the cheapest fences, or stronger orders of atomic accesses, with which a
program is right under relaxed models, proved by a search; and those not needed.

Usage: fencehound fences TARGET... [OPTIONS] [-- PROGRAM ARGUMENTS]
TARGET: .c files (one program), or a `fencehound cc` executable.

  --model LIST            tso (the default), pso, power, armv8, riscv, c11, all
  --until harmless|sc     until it fails and ends as under SC [the default], or
                          until each execution is like an interleaving
  --cost FILE             lines such as `mfence 33`; the other names are xchg,
                          membar, stbar, sync, lwsync, isync, dmb, dmb-ld,
                          ldar-stlr, fence and fence.tso
  --apply                 put them into the source, and check that; the patch
                          is shown in any case, where text can be edited safely
  --json FILE|-           the result, to a file or the standard output
  --time 5m               for all searches together [default: 300s]
  --outcome memory|observed|exit, --exit-status ignore
  --max-events N, --local-timeout 10s
  -D, -I, -L, -l, -O, -U, -W, -f, -std=, --cflags, --asm-templates  as `check`
  --color auto|always|never   NO_COLOR is obeyed

Exit status: 0 right as it is, 1 fences are missing, or not needed, 3 it is not
known, else as `check`.
";

const RELAX_HELP: &str = "\
Finds the weakest memory orders of atomic accesses and fences with which a
program stays right, each step proved by a search of all executions.

Usage: fencehound relax TARGET... [OPTIONS] [-- PROGRAM ARGUMENTS]
TARGET: .c files (one program), or a `fencehound cc` executable.

  --model LIST            the machines beside C11, which is always meant
                          [default: c11,tso,armv8,riscv,power]
  --time 5m               for all searches together [default: 300s]
  --outcome memory|observed|exit, --exit-status ignore
  --max-events N, --local-timeout 10s
  -D, -I, -L, -l, -O, -U, -W, -f, -std=, --cflags, --asm-templates  as `check`
  --color auto|always|never   NO_COLOR is obeyed

Exit status: 0 no order can be weaker, 1 some can, or it is not right as it is,
3 it is not known, else as `check`.
";

const REPLAY_HELP: &str = "\
Run one recorded schedule again, byte for byte the same, and show it.

Usage: fencehound replay FINDING [--step | --gdb] [OPTIONS]
FINDING is a folder that `fencehound check` made, or its finding.json.

Options:
  --step                  one event at a time: Enter the next, b back, q the end
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

All arguments but two are clang's (`clang-19 --help`). The result is an ordinary
executable. `fencehound c++` is clang++ in the same way; fencehound-cc and
fencehound-c++ are links to the tool, for those who want the path of a compiler.

  --asm-templates FILE   meanings of inline assembly (docs/inline-assembly.md)
  --power                keep the dependencies that `check --model power`,
                         armv8 and riscv need; slower under the others

Exit status: that of clang.
";

const DOCTOR_HELP: &str = "\
Say which parts are there, which are missing, and the line that installs them.

Usage: fencehound doctor [--color auto|always|never]

Exit status: 0 if everything needed is there, else 4.
";

const JOIN_HELP: &str = "\
Join the shares of a search, and show what they are together, as the search in
one piece would have been shown.

Usage: fencehound join SHARE... [OPTIONS]
SHARE is a file that `fencehound check --shard I/N` has written; all N are
named, in the folder in which the program is, as it was.

  --json FILE|-           the result, to a file or the standard output
  --out DIR               where findings go [default: fencehound-out/]

Exit status: as `check`; 2 if the shares are not all those of one search.
";

const WORKER_HELP: &str = "\
Run slices of a search, as an executor of `fencehound check --executor` wants
it: lines of JSON on the standard input and output (docs/cluster.md).

Usage: fencehound worker [--executable FILE]

  --executable FILE      the program under test, if it is not where the tool
                         that searches has it
";

const COMPLETIONS_HELP: &str = "\
Print what a shell needs to complete commands and options.

Usage: fencehound completions SHELL

SHELL and the file that it looks for:

  bash   ~/.local/share/bash-completion/completions/fencehound
  zsh    _fencehound in a folder of fpath
  fish   ~/.config/fish/completions/fencehound.fish
";

const MAN_HELP: &str = "\
Write the manual pages, one for each command, into a folder.

Usage: fencehound man DIR

    fencehound man ~/.local/share/man/man1 && man fencehound-check
";

/// The command line.
#[derive(Debug, Parser)]
#[command(
    name = "fencehound",
    about = "find the missing memory fences of C programs",
    version,
    override_help = HELP,
    disable_help_subcommand = false
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// A command, with its options.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(
        about = "explore the schedules of a program and say what is wrong",
        override_help = CHECK_HELP,
        mut_args(|option| under_heading(option))
    )]
    Check(Box<CheckArgs>),
    #[command(
        about = "find the cheapest fences that make a program right",
        override_help = FENCES_HELP,
        mut_arg("model", |model| model.default_value("tso")),
        mut_args(|option| hidden_unless_named(option, FENCES_HELP))
    )]
    Fences(Box<FencesArgs>),
    #[command(
        about = "find the weakest memory orders that keep a program right",
        override_help = RELAX_HELP,
        mut_arg("model", |model| model.default_value("c11,tso,armv8,riscv,power")),
        mut_args(|option| hidden_unless_named(option, RELAX_HELP))
    )]
    Relax(Box<RelaxArgs>),
    #[command(about = "run one recorded schedule again and show it", override_help = REPLAY_HELP)]
    Replay(ReplayArgs),
    #[command(about = "run the monitors on recorded event logs", override_help = MONITOR_HELP)]
    Monitor(MonitorArgs),
    #[command(about = "a drop-in C compiler", override_help = CC_HELP)]
    Cc {
        /// Arguments of clang, and the two of `fencehound cc`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_hint = ValueHint::AnyPath)]
        arguments: Vec<OsString>,
    },
    #[command(name = "c++", about = "a drop-in C++ compiler", override_help = CC_HELP, hide = true)]
    CPlusPlus {
        /// Arguments of clang++, and the two of `fencehound cc`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_hint = ValueHint::AnyPath)]
        arguments: Vec<OsString>,
    },
    #[command(about = "say what is missing on this machine", override_help = DOCTOR_HELP)]
    Doctor {
        /// Whether text is coloured; `NO_COLOR` is obeyed.
        #[arg(long, value_name = "WHEN", default_value = "auto")]
        color: Color,
    },
    #[command(about = "join the shares of a search", override_help = JOIN_HELP)]
    Join {
        /// The files that `fencehound check --shard` has written.
        #[arg(required = true, value_name = "SHARE", value_hint = ValueHint::FilePath)]
        shares: Vec<PathBuf>,
        /// Write the result as JSON to a file or, with `-`, to the standard output.
        #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
        json: Option<PathBuf>,
        /// The folder in which each finding gets a folder of its own.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    #[command(about = "run slices of a search for an executor", override_help = WORKER_HELP, hide = true)]
    Worker {
        /// The program under test, if it is not where the tool that searches has it.
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        executable: Option<PathBuf>,
    },
    #[command(about = "print completions for a shell", override_help = COMPLETIONS_HELP, hide = true)]
    Completions {
        /// The shell.
        shell: Shell,
    },
    #[command(about = "write the manual pages", override_help = MAN_HELP, hide = true)]
    Man {
        /// The folder in which the pages go.
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
}

/// The options of `check`, as typed: each flag is one of its own.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "that is how clap reads flags")]
pub(crate) struct CheckArgs {
    /// The `.c` files of one program, an executable made by `fencehound cc`, or `.litmus` files, each a target of its own.
    #[arg(required = true, value_name = "TARGET")]
    pub(crate) targets: Vec<PathBuf>,
    /// The memory models whose executions are explored; a result for each.
    #[arg(long, value_name = "LIST", default_value = "sc", value_parser = values::models_named())]
    pub(crate) model: Models,
    /// What is watched in the executions.
    #[arg(long, value_name = "LIST", value_parser = values::monitors_named())]
    pub(crate) monitor: Option<Monitors>,
    /// How executions are enumerated.
    #[arg(long, value_name = "NAME", value_parser = values::explorer_named())]
    pub(crate) explorer: Option<Explorer>,
    /// The most switches away from a thread that could go on; `none` is all executions.
    #[arg(long, value_name = "K|none", value_parser = values::preemptions)]
    pub(crate) preemptions: Option<Preemptions>,
    /// The most stores that wait at a time, on machines with store buffers.
    #[arg(long, value_name = "N|none", value_parser = values::delays)]
    pub(crate) delays: Option<Delays>,
    /// Whether ARMv8 has the atomic instructions of LSE.
    #[arg(long, value_name = "WHETHER")]
    pub(crate) lse: Option<Switch>,
    /// Whether ARMv8 has the acquire loads of `RCpc`.
    #[arg(long, value_name = "WHETHER")]
    pub(crate) rcpc: Option<Switch>,
    /// The rule for release sequences of C11.
    #[arg(long, value_name = "RULE")]
    pub(crate) release_sequences: Option<Sequences>,
    /// The seed of the random explorers; the same seed gives the same executions.
    #[arg(long, value_name = "S", value_parser = values::seed)]
    pub(crate) seed: Option<u64>,
    /// End the search after this many executions.
    #[arg(long, value_name = "N", value_parser = |text: &str| values::count("--executions", text))]
    pub(crate) executions: Option<u64>,
    /// End the search after this time, such as 30s or 2m.
    #[arg(long, value_name = "TIME", value_parser = |text: &str| values::time("--time", text))]
    pub(crate) time: Option<Time>,
    /// The number of processes; one for each core if it is not given.
    #[arg(short = 'j', value_name = "N", allow_hyphen_values = true, value_parser = values::workers)]
    pub(crate) jobs: Option<usize>,
    /// The command of an executor, by which slices go to other machines (docs/cluster.md).
    #[arg(long, value_name = "COMMAND", value_parser = values::command)]
    pub(crate) executor: Option<Words>,
    /// The address of the scheduler of a dask.distributed cluster, to which slices go (docs/cluster.md).
    #[arg(long, value_name = "ADDRESS", value_parser = values::cluster, value_hint = ValueHint::Url)]
    pub(crate) cluster: Option<Words>,
    /// Run a share of the search, and write its results into a file, to be joined by `fencehound join`.
    #[arg(long, value_name = "I/N", value_parser = values::shard)]
    pub(crate) shard: Option<Shard>,
    /// Keep the search in this file; the same command goes on from it.
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// For tests: cuts short searches, too, into slices, starts all processes at once, and saves after each slice.
    #[arg(long, value_name = "N", hide = true, value_parser = |text: &str| values::count("--slice-executions", text))]
    pub(crate) slice_executions: Option<u64>,
    /// The most rounds of a loop in execution graphs.
    #[arg(long, value_name = "N", value_parser = |text: &str| values::count("--unroll", text))]
    pub(crate) unroll: Option<u64>,
    /// The most events of an execution.
    #[arg(long, value_name = "N", default_value = "100000", value_parser = |text: &str| values::count("--max-events", text))]
    pub(crate) max_events: u64,
    /// The most memory for what is still to be explored, in MiB.
    #[arg(long, value_name = "MIB", default_value = "1024", value_parser = |text: &str| values::count("--max-memory", text))]
    pub(crate) max_memory: u64,
    /// The longest that a thread may compute by itself.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = |text: &str| values::time("--local-timeout", text))]
    pub(crate) local_timeout: Time,
    /// Let threads wake up from condition variables without a signal.
    #[arg(long)]
    pub(crate) spurious_wakeups: bool,
    /// Collect all distinct violations, the default.
    #[arg(long, overrides_with = "stop_at_first")]
    pub(crate) keep_going: bool,
    /// Stop at the first violation.
    #[arg(long, overrides_with = "keep_going")]
    pub(crate) stop_at_first: bool,
    /// Take `__VERIFIER_atomic_begin` and `_end` for the ends of transactions, not of atomic blocks.
    #[arg(long)]
    pub(crate) sv_comp_transactions: bool,
    /// Let `malloc` give a thread the block again that it has freed.
    #[arg(long)]
    pub(crate) heap_reuse: bool,
    /// Report blocks of the heap that nothing points to at the end.
    #[arg(long)]
    pub(crate) leaks: bool,
    /// Report uses of values that were never written.
    #[arg(long)]
    pub(crate) uninitialised: bool,
    /// What an exit status other than 0 is: a violation, or an end as any other.
    #[arg(long, value_name = "WHAT", default_value = "report")]
    pub(crate) exit_status: ExitStatuses,
    /// Count each SC violation, and run what differs in rounds of wait loops alone.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Do not search for what SC violations are worth; each counts.
    #[arg(long, overrides_with = "judge_time")]
    pub(crate) no_judge: bool,
    /// The time for these searches, all together.
    #[arg(long, value_name = "TIME", overrides_with = "no_judge", value_parser = |text: &str| values::time("--judge-time", text))]
    pub(crate) judge_time: Option<Time>,
    /// Do not search for what forbids the findings.
    #[arg(long, overrides_with = "advice_time")]
    pub(crate) no_advice: bool,
    /// The time for that search.
    #[arg(long, value_name = "TIME", overrides_with = "no_advice", value_parser = |text: &str| values::time("--advice-time", text))]
    pub(crate) advice_time: Option<Time>,
    /// What of the end of an execution is compared with other executions.
    #[arg(long, value_name = "WHAT", default_value = "memory")]
    pub(crate) outcome: Outcomes,
    /// The number of weak compare-and-exchanges that may fail in an execution.
    #[arg(long, value_name = "N", default_value = "0", value_parser = values::weak_failures)]
    pub(crate) weak_cas_fails: u32,
    /// The meanings of inline assembly (docs/inline-assembly.md).
    #[arg(long, value_name = "FILE")]
    pub(crate) asm_templates: Option<String>,
    /// The level of optimisation, as to clang.
    #[arg(short = 'O', value_name = "LEVEL", default_value = "1", overrides_with = "optimise", value_parser = values::optimisation)]
    pub(crate) optimise: String,
    /// Define a macro, as to clang.
    #[arg(short = 'D', value_name = "MACRO")]
    pub(crate) define: Vec<String>,
    /// Undefine a macro, as to clang.
    #[arg(short = 'U', value_name = "MACRO")]
    pub(crate) undefine: Vec<String>,
    /// Look for headers in this folder, too.
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<String>,
    /// Look for libraries in this folder, too.
    #[arg(short = 'L', value_name = "DIR")]
    pub(crate) library_folder: Vec<String>,
    /// Link with this library.
    #[arg(short = 'l', value_name = "LIBRARY")]
    pub(crate) library: Vec<String>,
    /// The standard of C, as clang's `-std=`, which may be typed as well.
    #[arg(long, value_name = "STANDARD", overrides_with = "std")]
    pub(crate) std: Option<String>,
    /// Other options for clang, quoted as in a shell.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, value_parser = values::words)]
    pub(crate) cflags: Vec<Words>,
    /// Write the result as JSON to a file or, with `-`, to the standard output.
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub(crate) json: Option<PathBuf>,
    /// Write the result as SARIF 2.1.0, for code scanning and editors.
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub(crate) sarif: Option<PathBuf>,
    /// Write the result as `JUnit`'s XML, for CI servers.
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub(crate) junit: Option<PathBuf>,
    /// Write the result as a page for browsers, in which executions are stepped through.
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub(crate) html: Option<PathBuf>,
    /// How findings are shown.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// Show the last line alone.
    #[arg(short = 'q', overrides_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show each finding with its whole execution, harmless ones too.
    #[arg(short = 'v', overrides_with = "quiet")]
    pub(crate) verbose: bool,
    /// Write the executions to this event log.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Accept the findings that this file lists.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the file of `--baseline` anew, with what is found.
    #[arg(long)]
    pub(crate) write_baseline: bool,
    /// The folder in which each finding gets a folder of its own.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Whether text is coloured; `NO_COLOR` is obeyed.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// The arguments of the program.
    #[arg(last = true, value_name = "PROGRAM ARGUMENTS")]
    pub(crate) arguments: Vec<String>,
}

/// Leaves an option of `check` that is none of a command with this help out of what is completed and counted: it is refused
/// later.
fn hidden_unless_named(option: Arg, help: &str) -> Arg {
    let is_named = typed_name(&option).is_none_or(|name| words(help).any(|word| word == name));
    if is_named { option } else { option.hide(true) }
}

/// Puts an option of `check` under the heading that names it in the help.
fn under_heading(option: Arg) -> Arg {
    let headings = ["Exploring", "Budgets", "Compiling", "Results"];
    let mut heading = None;
    let name = typed_name(&option);
    for line in CHECK_HELP.lines() {
        heading = headings.into_iter().find(|heading| line.starts_with(heading)).or(heading);
        if words(line).any(|word| Some(word) == name.as_deref()) {
            return option.help_heading(heading);
        }
    }
    option
}

/// Returns the name of an option as it is typed.
pub(crate) fn typed_name(option: &Arg) -> Option<String> {
    let long = option.get_long().map(|name| if name == "std" { "-std=".to_string() } else { format!("--{name}") });
    long.or_else(|| option.get_short().map(|name| format!("-{name}")))
}

/// The words of a help text, options among them.
fn words(help: &str) -> impl Iterator<Item = &str> {
    help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '=')
}

/// The options of `fences`, as typed.
#[derive(Debug, Args)]
pub(crate) struct FencesArgs {
    #[command(flatten)]
    pub(crate) check: CheckArgs,
    /// When a program is right: when it fails and ends as under SC, or when each execution is like an interleaving.
    #[arg(long, value_name = "WHEN", default_value = "harmless")]
    pub(crate) until: Until,
    /// A file of costs of fences, a line each, such as `mfence 33`.
    #[arg(long, value_name = "FILE")]
    pub(crate) cost: Option<PathBuf>,
    /// Put the fences into the source, and check it again.
    #[arg(long)]
    pub(crate) apply: bool,
}

/// The options of `relax`, as typed.
#[derive(Debug, Args)]
pub(crate) struct RelaxArgs {
    #[command(flatten)]
    pub(crate) check: CheckArgs,
}

/// The options of `replay`, as typed.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The folder of a finding, or its `finding.json`.
    #[arg(value_name = "FINDING")]
    pub(crate) finding: PathBuf,
    /// Show one event at a time: Enter for the next, b for the one before, q for the end.
    #[arg(long)]
    pub(crate) step: bool,
    /// Open gdb on the program, with this schedule.
    #[arg(long, conflicts_with = "step")]
    pub(crate) gdb: bool,
    /// Use files below this folder, too, at the word of what is read.
    #[arg(long, value_name = "DIR")]
    pub(crate) source: Vec<PathBuf>,
    /// Options for clang that the finding has, and that you trust.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, value_parser = values::words)]
    pub(crate) cflags: Vec<Words>,
    /// Whether text is coloured; `NO_COLOR` is obeyed.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

/// The options of `monitor`, as typed.
#[derive(Debug, Args)]
pub(crate) struct MonitorArgs {
    /// The event logs, each an execution (docs/event-log.md).
    #[arg(required = true, value_name = "LOG")]
    pub(crate) logs: Vec<String>,
    /// What is watched in the executions.
    #[arg(long, value_name = "LIST", default_value = "tso,pso", value_parser = values::monitors_named())]
    pub(crate) monitor: Monitors,
    /// The most steps of the search of `tso-atomicity`, for a log.
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = |text: &str| values::count("--search-steps", text))]
    pub(crate) search_steps: u64,
    /// Use files below this folder, too, at the word of what is read.
    #[arg(long, value_name = "DIR")]
    pub(crate) source: Vec<PathBuf>,
    /// Write the result as JSON to a file or, with `-`, to the standard output.
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub(crate) json: Option<PathBuf>,
    /// Whether text is coloured; `NO_COLOR` is obeyed.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}
