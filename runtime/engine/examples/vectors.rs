//! Checks all monitors, and the oracle of their tests, against a file of test vectors:
//! `cargo run -p fencehound-engine --release --example vectors -- monitors.jsonl`. Exits with 1 on a mismatch.
//!
//! Of each program: the first report on every sample run, the least number of preemptions with which each monitor
//! reports, the pairs that those report whose verdict is that of a class, the numbers of interleavings and of traces
//! under each model, and robustness; the classes that the explorer `dpor` runs, with what the monitors that do not
//! depend on the order of events without conflict report on them; and, where the threads are divided into transactions,
//! whether all executions under SC and TSO are serializable. Of each trace: whether all its executions are. Every cycle
//! that is reported is checked.

use std::collections::BTreeSet;
use std::process::ExitCode;

use engine::atomicity::{CheckBudget, Criterion, Fencing, Outcome, Serializability, TraceCheck};
use engine::monitor::{self, Monitor, MonitorName, Report};
use oracle::atomicity::{self, Conflicts, Execution};
use oracle::definition;
use oracle::machine::{self, Machine, Step};
use oracle::program::Program;
use oracle::replay;
use oracle::sober::Sober;
use oracle::watch;
use serde::Deserialize;
use serde_json::Value;

#[path = "../tests/oracle/mod.rs"]
mod oracle;

/// One line of the file, as far as it is looked at here.
#[derive(Deserialize)]
struct Vector {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    threads: Vec<Vec<String>>,
    /// The transaction of each operation.
    tx: Option<Vec<Vec<usize>>>,
    /// The threads of a trace, in the order of issues.
    tau: Option<String>,
    #[serde(default)]
    runs: Vec<Value>,
    #[serde(flatten)]
    facts: Value,
}

/// The monitors by their keys in the file; none is SOBER as printed.
const NAMES: [(Option<MonitorName>, &str); 7] = [
    (Some(MonitorName::BurnimTso), "burnim_tso"),
    (Some(MonitorName::BurnimPso), "burnim_pso"),
    (Some(MonitorName::PrefixTso), "prefix_tso"),
    (Some(MonitorName::PrefixPso), "prefix_pso"),
    (Some(MonitorName::ExactTso), "exact_tso"),
    (Some(MonitorName::Sober), "sober"),
    (None, "sober_printed"),
];

/// What was compared so far.
#[derive(Default)]
struct Tally {
    programs: usize,
    divided: usize,
    traces: usize,
    cycles: usize,
    runs: usize,
    interleavings: usize,
    classes: usize,
    verdicts: usize,
    mismatches: usize,
}

impl Tally {
    fn expect(&mut self, what: &str, expected: &Value, found: &Value) {
        self.verdicts += 1;
        if expected != found {
            self.mismatches += 1;
            println!("{what}: expected {expected}, found {found}");
        }
    }
}

/// The run of a program in which the threads take their steps in this order.
fn follow(machine: &Machine<'_>, schedule: &str) -> Vec<Step> {
    let mut state = machine.initial();
    schedule.bytes().map(|digit| machine.execute(&mut state, usize::from(digit - b'0'))).collect()
}

/// The monitors of the engine, and SOBER as printed.
struct Watchers {
    monitors: Vec<Box<dyn Monitor>>,
    reports: Vec<Report>,
}

impl Watchers {
    /// The reports of each of [`NAMES`] on a run, as e′, prev, e by their places; of SOBER as printed the first alone.
    fn watch(&mut self, run: &[Step], threads: usize) -> Vec<Vec<[usize; 3]>> {
        let mut all = Vec::new();
        for monitor in &mut self.monitors {
            replay::run(monitor.as_mut(), run, &mut self.reports);
            all.append(&mut self.reports);
        }
        let triple = |report: definition::Report| [report.delayed, report.previous, report.overtaking];
        let of = |(name, _)| match name {
            Some(name) => replay::of_monitor(&all, name).into_iter().map(triple).collect(),
            None => Sober::first_report(run, &definition::pasts(run), threads).into_iter().collect(),
        };
        NAMES.into_iter().map(of).collect()
    }
}

fn event(run: &[Step], place: usize) -> Value {
    Value::from(format!("{}.{}", run[place].thread, run[place].op))
}

fn check_runs(vector: &Vector, program: &Program, watchers: &mut Watchers, tally: &mut Tally) {
    for run in &vector.runs {
        let schedule = run["sched"].as_str().expect("a schedule");
        let steps = follow(&Machine::new(program, machine::Model::Sc), schedule);
        for (reports, (_, name)) in watchers.watch(&steps, program.threads.len()).iter().zip(NAMES) {
            let first = reports.first().map(|report| report.map(|place| event(&steps, place)).to_vec());
            let found = first.map_or(Value::Null, Value::from);
            tally.expect(&format!("{} {schedule} {name}", vector.id), &run[name], &found);
        }
        tally.runs += 1;
    }
}

fn check_interleavings(vector: &Vector, program: &Program, watchers: &mut Watchers, tally: &mut Tally) {
    let mut least = [None; NAMES.len()];
    let mut pairs = NAMES.map(|_| BTreeSet::new());
    let mut interleavings = 0;
    Machine::new(program, machine::Model::Sc).interleavings(&mut |run, preemptions| {
        interleavings += 1;
        let reports = watchers.watch(run, program.threads.len());
        for ((reports, least), pairs) in reports.iter().zip(&mut least).zip(&mut pairs) {
            if !reports.is_empty() {
                *least = Some(least.map_or(preemptions, |least: usize| least.min(preemptions)));
            }
            pairs.extend(reports.iter().map(|&[delayed, _, overtaking]| {
                [delayed, overtaking].map(|place| (run[place].thread, run[place].op))
            }));
        }
    });
    for (((_, name), least), pairs) in NAMES.into_iter().zip(least).zip(pairs) {
        let expected = &vector.facts["min_preempt"][name];
        tally.expect(&format!("{} least preemptions, {name}", vector.id), expected, &Value::from(least));
        // Those of the monitors that report the same on all runs of a class.
        let expected = &vector.facts["pairs"][name];
        if !expected.is_null() {
            let text = |(thread, op)| format!("{thread}.{op}");
            let found: Vec<Vec<String>> = pairs.into_iter().map(|pair| pair.map(text).to_vec()).collect();
            tally.expect(&format!("{} pairs, {name}", vector.id), expected, &Value::from(found));
        }
    }
    let expected = &vector.facts["n_interleavings"];
    tally.expect(&format!("{} interleavings", vector.id), expected, &Value::from(interleavings));
    tally.interleavings += interleavings;
}

/// One run of each class: how many there are, what the monitors say whose verdict is that of a class, and robustness.
fn check_classes(vector: &Vector, program: &Program, watchers: &mut Watchers, tally: &mut Tally) {
    let mut pairs = NAMES.map(|_| BTreeSet::new());
    let mut classes = 0;
    oracle::classes::runs(program, &mut |run| {
        classes += 1;
        for (reports, pairs) in watchers.watch(run, program.threads.len()).iter().zip(&mut pairs) {
            let name = |place: usize| format!("{}.{}", run[place].thread, run[place].op);
            pairs.extend(reports.iter().map(|&[delayed, _, overtaking]| [name(delayed), name(overtaking)]));
        }
    });
    tally.expect(&format!("{} classes, dpor", vector.id), &vector.facts["n_sc"], &Value::from(classes));
    tally.classes += classes;
    for ((monitor, name), pairs) in NAMES.into_iter().zip(pairs) {
        let robust = match monitor {
            Some(MonitorName::PrefixTso | MonitorName::ExactTso | MonitorName::Sober) => "robust_tso",
            Some(MonitorName::PrefixPso) => "robust_pso",
            _ => continue,
        };
        let expected = &vector.facts[robust];
        tally.expect(&format!("{} {robust}, {name}, dpor", vector.id), expected, &Value::from(pairs.is_empty()));
        let found: Vec<Vec<String>> = pairs.into_iter().map(Vec::from).collect();
        let expected = &vector.facts["pairs"][name];
        tally.expect(&format!("{} pairs, {name}, dpor", vector.id), expected, &Value::from(found));
    }
}

fn check_machines(vector: &Vector, program: &Program, tally: &mut Tally) {
    for (model, name) in [(machine::Model::Sc, "sc"), (machine::Model::Tso, "tso"), (machine::Model::Pso, "pso")] {
        let machine = Machine::new(program, model);
        let traces = machine.traces().len();
        tally.expect(
            &format!("{} traces, {name}", vector.id),
            &vector.facts[format!("n_{name}")],
            &Value::from(traces),
        );
        if model != machine::Model::Sc {
            let expected = &vector.facts[format!("robust_{name}")];
            tally.expect(&format!("{} robust, {name}", vector.id), expected, &Value::from(machine.is_robust()));
        }
    }
}

fn check_serializability(vector: &Vector, program: &Program, tally: &mut Tally) {
    let Some(numbers) = &vector.tx else { return };
    let mut violations = Vec::new();
    let mut is_serializable = [true; 2];
    let mut monitor = Serializability::new(Criterion::Sc);
    Machine::new(program, machine::Model::Sc).interleavings(&mut |run, _| {
        monitor.begin();
        violations.clear();
        let names = watch::give(&mut monitor, &watch::issues(run), numbers, &mut violations);
        for violation in &violations {
            watch::check(violation, &Execution::at_once(run), &names, Conflicts::Sc);
        }
        tally.cycles += violations.len();
        is_serializable[0] &= violations.is_empty();
    });
    let mut monitor = Serializability::new(Criterion::Tso);
    Machine::new(program, machine::Model::Tso).representatives(&mut |happenings| {
        monitor.begin();
        violations.clear();
        let names = watch::give(&mut monitor, happenings, numbers, &mut violations);
        for violation in &violations {
            watch::check(violation, &Execution::new(happenings), &names, Conflicts::Tso);
        }
        tally.cycles += violations.len();
        is_serializable[1] &= violations.is_empty();
    });
    for (is_serializable, name) in is_serializable.into_iter().zip(["sc_serializable", "tso_serializable"]) {
        tally.expect(&format!("{} {name}", vector.id), &vector.facts[name], &Value::from(is_serializable));
    }
    let by_traces = Value::from(atomicity::is_tso_serializable(program, numbers));
    tally.expect(&format!("{} oracle", vector.id), &vector.facts["tso_serializable"], &by_traces);
    tally.divided += 1;
}

fn check_trace(vector: &Vector, program: &Program, tally: &mut Tally) {
    let (Some(tau), Some(numbers)) = (&vector.tau, &vector.tx) else { panic!("a trace and its transactions") };
    let run = follow(&Machine::new(program, machine::Model::Sc), tau);
    let mut check = TraceCheck::new(CheckBudget::default());
    let mut violations = Vec::new();
    let names = watch::give(&mut check, &watch::issues(&run), numbers, &mut violations);
    for violation in &violations {
        watch::check(violation, &watch::delayed(&run, &violation.delays), &names, Conflicts::Tso);
    }
    let outcome = check.outcome();
    assert_eq!(outcome == Outcome::Violated, !violations.is_empty(), "each violation has a cycle");
    let found = if outcome == Outcome::Undecided { Value::Null } else { Value::from(violations.is_empty()) };
    tally.expect(&vector.id, &vector.facts["tso_serializable"], &found);
    tally.cycles += violations.len();
    tally.traces += 1;
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: vectors FILE");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let mut tally = Tally::default();
    let names: Vec<MonitorName> = NAMES.into_iter().filter_map(|(name, _)| name).collect();
    let mut watchers =
        Watchers { monitors: monitor::by_name::monitors(&names, Fencing::Unproved), reports: Vec::new() };
    for line in text.lines() {
        let vector: Vector = serde_json::from_str(line).expect("one vector a line");
        let threads: Vec<String> = vector.threads.iter().map(|ops| ops.join(";")).collect();
        let program = Program::parse(&threads);
        if vector.kind == "tau" {
            check_trace(&vector, &program, &mut tally);
            continue;
        }
        check_serializability(&vector, &program, &mut tally);
        check_runs(&vector, &program, &mut watchers, &mut tally);
        check_interleavings(&vector, &program, &mut watchers, &mut tally);
        check_classes(&vector, &program, &mut watchers, &mut tally);
        check_machines(&vector, &program, &mut tally);
        tally.programs += 1;
    }
    let Tally { programs, divided, traces, cycles, runs, interleavings, classes, verdicts, mismatches } = tally;
    println!(
        "{programs} programs, {runs} sample runs, {interleavings} interleavings, {classes} classes, {divided} programs \
         with transactions, {traces} traces, {cycles} cycles: {verdicts} verdicts, {mismatches} mismatches"
    );
    // A file without vectors has checked nothing.
    ExitCode::from(u8::from(mismatches > 0 || programs + traces == 0))
}
