//! What may be typed: the commands and options as clap reads them, and the help texts.
//!
//! Values are read by [`crate::values`]; [`crate::plan`] says what they mean together.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Args, Parser, Subcommand};

use crate::plan::explorer::Explorer;
use crate::screen::Color;
use crate::values::{
    self, Delays, ExitStatuses, Format, Models, Monitors, Outcomes, Preemptions, Switch, Time, Until, Words,
};

const HELP: &str = "\
Finds the missing fences of C/pthreads programs: explores thread schedules and
watches for executions that TSO or PSO hardware could turn into something that
no interleaving explains.

Usage: fencehound COMMAND

  check TARGET...   explore the schedules of a program and say what is wrong
  fences TARGET...  find the cheapest fences that make a program right
  relax TARGET...   find the weakest memory orders that keep a program right
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
  --model LIST   sc (default), tso, pso, power, armv8, riscv, c11, all (but pso)
  --monitor LIST   tso, pso (default), race, sc-atomicity, tso-atomicity, none
  --explorer NAME   auto (the default), bounded, dpor, random, pct, urw, rsmc
  --preemptions K|none, --unroll N, --seed S  auto, bounded, dpor; rsmc; random
  --delays N|none; --lse on|off, --rcpc on|off   of store buffers; of armv8
  --stop-at-first, --keep-going, --leaks, --uninitialised, --exit-status ignore
  --strict, --no-judge, --judge-time 60s, --outcome memory|observed|exit
  --advice-time 10s, --no-advice   what forbids findings: tried for so long
  --heap-reuse, --sv-comp-transactions, --spurious-wakeups, --weak-cas-fails N
Budgets:
  --executions N, --time 30s|2m   of the whole search [none; auto: 60s]
  --max-events N, --local-timeout 10s, --max-memory MIB   of a run, thread, all
  -j N, --checkpoint FILE   processes [default: cores]; go on from it if killed
Compiling (-O1), as clang: -O, -D, -U, -I, -L, -l, -std=; others: --cflags \"...\"
  --asm-templates FILE    meanings of inline assembly (docs/inline-assembly.md)
Results:
  --json, --sarif, --junit FILE|-   machine-readable; --record FILE  event log
  --baseline FILE, --write-baseline  known findings; --out DIR [fencehound-out/]
  --format text|gcc, -q, -v, --color auto|always|never   NO_COLOR is obeyed
";

const FENCES_HELP: &str = "\
Finds the cheapest fences, or stronger orders of atomic accesses, with which a
program is right under relaxed models, proved by a search; and those not needed.

Usage: fencehound fences TARGET... [OPTIONS] [-- PROGRAM ARGUMENTS]
TARGET: .c files (one program), or a `fencehound cc` executable.

  --model LIST            tso (the default), pso, power, armv8, riscv: under all
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
  -O, -D, -U, -I, -L, -l, -std=, --cflags, --asm-templates   as `check`
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
  -O, -D, -U, -I, -L, -l, -std=, --cflags, --asm-templates   as `check`
  --color auto|always|never   NO_COLOR is obeyed

Exit status: 0 no order can be weaker, 1 some can, or it is not right as it is,
3 it is not known, else as `check`.
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
  --power                keep the dependencies that `check --model power`,
                         armv8 and riscv need; slower under the others
";

const DOCTOR_HELP: &str = "\
Say which parts are there, which are missing, and the line that installs them.

Usage: fencehound doctor [--color auto|always|never]

Exit status: 0 if everything needed is there, else 4.
";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "fencehound", version, override_help = HELP, disable_help_subcommand = false)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// A command, with its options.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(override_help = CHECK_HELP)]
    Check(Box<CheckArgs>),
    #[command(override_help = FENCES_HELP, mut_arg("model", |model| model.default_value("tso")), mut_args(|option| hidden_unless_named(option, FENCES_HELP)))]
    Fences(Box<FencesArgs>),
    #[command(override_help = RELAX_HELP, mut_arg("model", |model| model.default_value("c11,tso,armv8,riscv,power")), mut_args(|option| hidden_unless_named(option, RELAX_HELP)))]
    Relax(Box<RelaxArgs>),
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

/// The options of `check`, as typed: each flag is one of its own.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "that is how clap reads flags")]
pub(crate) struct CheckArgs {
    #[arg(required = true, value_name = "TARGET")]
    pub(crate) targets: Vec<PathBuf>,
    #[arg(long, value_name = "LIST", default_value = "sc", value_parser = values::models)]
    pub(crate) model: Models,
    #[arg(long, value_name = "LIST", value_parser = values::monitors)]
    pub(crate) monitor: Option<Monitors>,
    #[arg(long, value_name = "NAME", value_parser = values::explorer)]
    pub(crate) explorer: Option<Explorer>,
    #[arg(long, value_name = "K|none", value_parser = values::preemptions)]
    pub(crate) preemptions: Option<Preemptions>,
    #[arg(long, value_name = "N|none", value_parser = values::delays)]
    pub(crate) delays: Option<Delays>,
    #[arg(long, value_name = "WHETHER")]
    pub(crate) lse: Option<Switch>,
    #[arg(long, value_name = "WHETHER")]
    pub(crate) rcpc: Option<Switch>,
    #[arg(long, value_name = "S", value_parser = values::seed)]
    pub(crate) seed: Option<u64>,
    #[arg(long, value_name = "N", value_parser = |text: &str| values::count("--executions", text))]
    pub(crate) executions: Option<u64>,
    #[arg(long, value_name = "TIME", value_parser = |text: &str| values::time("--time", text))]
    pub(crate) time: Option<Time>,
    #[arg(short = 'j', value_name = "N", allow_hyphen_values = true, value_parser = values::workers)]
    pub(crate) jobs: Option<usize>,
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// For tests: cuts short searches, too, into slices, starts all processes at once, and saves after each slice.
    #[arg(long, value_name = "N", hide = true, value_parser = |text: &str| values::count("--slice-executions", text))]
    pub(crate) slice_executions: Option<u64>,
    #[arg(long, value_name = "N", value_parser = |text: &str| values::count("--unroll", text))]
    pub(crate) unroll: Option<u64>,
    #[arg(long, value_name = "N", default_value = "100000", value_parser = |text: &str| values::count("--max-events", text))]
    pub(crate) max_events: u64,
    #[arg(long, value_name = "MIB", default_value = "1024", value_parser = |text: &str| values::count("--max-memory", text))]
    pub(crate) max_memory: u64,
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = |text: &str| values::time("--local-timeout", text))]
    pub(crate) local_timeout: Time,
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
    pub(crate) exit_status: ExitStatuses,
    #[arg(long)]
    pub(crate) strict: bool,
    #[arg(long, overrides_with = "judge_time")]
    pub(crate) no_judge: bool,
    #[arg(long, value_name = "TIME", overrides_with = "no_judge", value_parser = |text: &str| values::time("--judge-time", text))]
    pub(crate) judge_time: Option<Time>,
    #[arg(long, overrides_with = "advice_time")]
    pub(crate) no_advice: bool,
    #[arg(long, value_name = "TIME", overrides_with = "no_advice", value_parser = |text: &str| values::time("--advice-time", text))]
    pub(crate) advice_time: Option<Time>,
    #[arg(long, value_name = "WHAT", default_value = "memory")]
    pub(crate) outcome: Outcomes,
    #[arg(long, value_name = "N", default_value = "0", value_parser = values::weak_failures)]
    pub(crate) weak_cas_fails: u32,
    #[arg(long, value_name = "FILE")]
    pub(crate) asm_templates: Option<String>,
    // As to clang, the last of several is meant.
    #[arg(short = 'O', value_name = "LEVEL", default_value = "1", overrides_with = "optimise", value_parser = values::optimisation)]
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
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, value_parser = values::words)]
    pub(crate) cflags: Vec<Words>,
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub(crate) json: Option<PathBuf>,
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub(crate) sarif: Option<PathBuf>,
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub(crate) junit: Option<PathBuf>,
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    #[arg(short = 'q', overrides_with = "verbose")]
    pub(crate) quiet: bool,
    #[arg(short = 'v', overrides_with = "quiet")]
    pub(crate) verbose: bool,
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    #[arg(long)]
    pub(crate) write_baseline: bool,
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    #[arg(last = true, value_name = "PROGRAM ARGUMENTS")]
    pub(crate) arguments: Vec<String>,
}

/// Leaves an option of `check` that is none of a command with this help out of what is completed and counted: it is refused
/// later.
fn hidden_unless_named(option: Arg, help: &str) -> Arg {
    let long = option.get_long().map(|name| if name == "std" { "-std=".to_string() } else { format!("--{name}") });
    let name = long.or_else(|| option.get_short().map(|name| format!("-{name}")));
    let is_named = name.is_none_or(|name| help.contains(&name));
    if is_named { option } else { option.hide(true) }
}

/// The options of `fences`, as typed.
#[derive(Debug, Args)]
pub(crate) struct FencesArgs {
    #[command(flatten)]
    pub(crate) check: CheckArgs,
    #[arg(long, value_name = "WHEN", default_value = "harmless")]
    pub(crate) until: Until,
    #[arg(long, value_name = "FILE")]
    pub(crate) cost: Option<PathBuf>,
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
    #[arg(value_name = "FINDING")]
    pub(crate) finding: PathBuf,
    #[arg(long)]
    pub(crate) step: bool,
    #[arg(long, conflicts_with = "step")]
    pub(crate) gdb: bool,
    #[arg(long, value_name = "DIR")]
    pub(crate) source: Vec<PathBuf>,
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, value_parser = values::words)]
    pub(crate) cflags: Vec<Words>,
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

/// The options of `monitor`, as typed.
#[derive(Debug, Args)]
pub(crate) struct MonitorArgs {
    #[arg(required = true, value_name = "LOG")]
    pub(crate) logs: Vec<String>,
    #[arg(long, value_name = "LIST", default_value = "tso,pso", value_parser = values::monitors)]
    pub(crate) monitor: Monitors,
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = |text: &str| values::count("--search-steps", text))]
    pub(crate) search_steps: u64,
    #[arg(long, value_name = "DIR")]
    pub(crate) source: Vec<PathBuf>,
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub(crate) json: Option<PathBuf>,
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}
