//! Checks the engine against a folder of litmus tests and what herd7 says of them:
//! `cargo run -p fencehound-litmus --release --example compare -- FOLDER MODE…`.
//! Exits with 1 on a mismatch.
//!
//! The folder has the tests, `NAME.litmus`, and a table `expected.tsv` with a row for each test and model; its columns
//! `name`, `model`, `n_allowed_executions`, `observation`, `states` and `undef` are looked at.
//!
//! `schedules`: all interleavings give the states and the observation of the row `SC`, and the monitors for TSO and
//! PSO report on some of them if and only if that model allows more executions than SC does. A test of which there are
//! more than a million is left out.
//!
//! `sc`, `tso`, `pso`, `power`, `armv8`, `riscv`, `c11`: the search for execution graphs gives the number of executions, the states and the
//! observation of the row of that model, and no execution twice. `time-sc` and so on: the same, but for the last.

use std::collections::{BTreeMap, HashSet};
use std::process::ExitCode;
use std::time::Instant;

use engine::execution::{Ending, Execution};
use engine::explore::Finish;
use engine::explore::bounded::Bounded;
use engine::explore::rsmc::{self, Continue};
use engine::graph::trace::Relations;
use engine::monitor::Monitor;
use engine::monitor::burnim::Burnim;
use litmus::graphs::{MemoryModel, Outcome, Threads, explore};
use litmus::outcomes::Outcomes;
use litmus::parse::parse;
use litmus::schedules::Schedules;
use litmus::{Operation, Test};

/// A row of the table.
struct Expected {
    executions: u64,
    observation: String,
    states: String,
    /// Whether some execution has a data race: yes or no.
    undefined: String,
}

/// The rows by test and model.
type Table = BTreeMap<String, BTreeMap<String, Expected>>;

fn table(text: &str) -> Table {
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().expect("a head");
    let column = |name: &str| head.iter().position(|column| *column == name).expect("a column");
    let [name, model, executions, observation, states, undefined] =
        ["name", "model", "n_allowed_executions", "observation", "states", "undef"].map(column);
    let mut table = Table::new();
    for line in lines {
        let expected = Expected {
            executions: line[executions].parse().expect("a number"),
            observation: line[observation].to_owned(),
            states: line[states].to_owned(),
            undefined: line[undefined].to_owned(),
        };
        table.entry(line[name].to_owned()).or_default().insert(line[model].to_owned(), expected);
    }
    table
}

/// What was compared so far.
#[derive(Default)]
struct Tally {
    tests: u64,
    executions: u64,
    left_out: u64,
    blocked: u64,
    /// The highest share of blocked explorations in a test, in percent.
    worst: u64,
    mismatches: u64,
}

impl Tally {
    fn expect<T: PartialEq + std::fmt::Display>(&mut self, what: &str, expected: &T, found: &T) {
        if expected != found {
            self.mismatches += 1;
            println!("{what}: expected {expected}, found {found}");
        }
    }

    fn outcomes(&mut self, what: &str, test: &Test, expected: &Expected, outcomes: &Outcomes) {
        let states: Vec<String> = outcomes.show(test).into_iter().map(|(state, _)| state).collect();
        self.expect(&format!("{what} states"), &expected.states, &states.join(" | "));
        let observation = outcomes.observation().name().to_owned();
        self.expect(&format!("{what} observation"), &expected.observation, &observation);
    }
}

/// How many interleavings a test without loops has at most.
fn interleavings(test: &Test) -> f64 {
    let events = |code: &litmus::Code| {
        code.instructions
            .iter()
            .filter(|one| !matches!(one.operation, Operation::Assign { .. } | Operation::Branch { .. }))
            .count()
    };
    let (mut total, mut count) = (0.0, 1.0);
    for code in &test.threads {
        for event in 1..=u32::try_from(events(code)).expect("few events") {
            total += 1.0;
            count *= total / f64::from(event);
        }
    }
    count
}

fn schedules(test: &Test, expected: &BTreeMap<String, Expected>, tally: &mut Tally) {
    const MONITORED: [(MemoryModel, &str); 2] = [(MemoryModel::Tso, "TSO"), (MemoryModel::Pso, "PSO")];
    if interleavings(test) > 1e6 {
        tally.left_out += 1;
        return;
    }
    let mut execution = Execution::new(Box::new(Bounded::new(None)));
    let mut monitor = Burnim::new(&MONITORED.map(|(model, _)| model));
    let mut schedules = Schedules::new(test, 1000);
    let mut outcomes = Outcomes::default();
    let mut reporting = [false; 2];
    let mut reports = Vec::new();
    while execution.begin() {
        monitor.begin();
        reports.clear();
        let ending = schedules.run(&mut execution, &mut |happened| {
            monitor.event(&happened.event, happened.location.as_slice(), &mut reports);
        });
        assert_eq!(ending, Ok(Ending::Complete), "{}", test.name);
        execution.finish(Finish::Done);
        outcomes.count(test, &schedules.state());
        for ((model, _), reporting) in MONITORED.iter().zip(&mut reporting) {
            *reporting |= reports.iter().any(|report| report.monitor().model() == Some(*model));
        }
        tally.executions += 1;
    }
    tally.outcomes(&test.name, test, &expected["SC"], &outcomes);
    for ((_, model), reporting) in MONITORED.into_iter().zip(reporting) {
        if let Some(row) = expected.get(model) {
            let breaks = row.executions > expected["SC"].executions;
            tally.expect(&format!("{} breaks under {model}", test.name), &breaks, &reporting);
        }
    }
}

fn graphs(test: &Test, model: MemoryModel, expected: &Expected, tally: &mut Tally) {
    let mut outcomes = Outcomes::default();
    let mut undefined = "no";
    let (counts, result) = explore(test, model, 1000, &mut |finished| {
        if finished.race.is_some() {
            undefined = "yes";
        }
        let Outcome::Final(state) = finished.outcome else { panic!("a loop without an access") };
        outcomes.count(test, &state);
        Continue::Yes
    });
    assert_eq!(result, Ok(()), "{}", test.name);
    tally.executions += counts.executions;
    tally.blocked += counts.blocked;
    tally.worst = tally.worst.max(100 * counts.blocked / (counts.executions + counts.blocked));
    tally.expect(&format!("{} executions", test.name), &expected.executions, &counts.executions);
    tally.expect(&format!("{} data race", test.name), &expected.undefined, &undefined.to_owned());
    tally.outcomes(&test.name, test, expected, &outcomes);
}

/// Whether each execution comes once.
fn duplicates(test: &Test, model: MemoryModel, tally: &mut Tally) {
    let mut seen: HashSet<Relations> = HashSet::new();
    let threads = Threads { test, model, accesses: 64 };
    let mut visit = |execution: &rsmc::CompleteTrace<'_, 1>| {
        if !seen.insert(execution.trace.relations()) {
            tally.mismatches += 1;
            println!("{}: an execution twice", test.name);
        }
        Continue::Yes
    };
    let (_, result) = match model {
        MemoryModel::Sc => rsmc::explore::<1, engine::model::sc::Sc<1>, _>(&threads, &mut visit),
        MemoryModel::Tso => rsmc::explore::<1, engine::model::tso::Tso<1>, _>(&threads, &mut visit),
        MemoryModel::Pso => rsmc::explore::<1, engine::model::pso::Pso<1>, _>(&threads, &mut visit),
        MemoryModel::Power => rsmc::explore::<1, engine::model::power::Power<1>, _>(&threads, &mut visit),
        MemoryModel::Armv8 => rsmc::explore::<1, engine::model::armv8::Armv8<1>, _>(&threads, &mut visit),
        MemoryModel::Riscv => rsmc::explore::<1, engine::model::riscv::Riscv<1>, _>(&threads, &mut visit),
        MemoryModel::C11 => rsmc::explore::<1, engine::model::c11::C11<1>, _>(&threads, &mut visit),
    };
    assert_eq!(result, Ok(()), "{}", test.name);
}

fn model_named(name: &str) -> Option<(MemoryModel, &'static str)> {
    Some(match name {
        "sc" => (MemoryModel::Sc, "SC"),
        "tso" => (MemoryModel::Tso, "TSO"),
        "pso" => (MemoryModel::Pso, "PSO"),
        "power" => (MemoryModel::Power, "POWER"),
        "armv8" => (MemoryModel::Armv8, "ARMV8"),
        "riscv" => (MemoryModel::Riscv, "RVWMO"),
        "c11" => (MemoryModel::C11, "RC11"),
        _ => return None,
    })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((folder, modes)) = arguments.split_first() else {
        eprintln!("usage: litmus FOLDER MODE...");
        return ExitCode::from(2);
    };
    let expected = table(&std::fs::read_to_string(format!("{folder}/expected.tsv")).expect("the table"));
    let mut failed = false;
    for mode in modes {
        let started = Instant::now();
        let mut tally = Tally::default();
        for (name, rows) in &expected {
            let path = format!("{folder}/{name}.litmus");
            let text = std::fs::read_to_string(&path).expect("a test");
            tally.tests += 1;
            match (parse(&text), mode.as_str()) {
                (Err(error), _) => {
                    tally.mismatches += 1;
                    println!("{path}:{error}");
                }
                (Ok(test), "schedules") => schedules(&test, rows, &mut tally),
                (Ok(test), mode) => {
                    let Some((model, row)) = model_named(mode.trim_start_matches("time-")) else {
                        eprintln!("{mode}: no mode");
                        return ExitCode::from(2);
                    };
                    graphs(&test, model, &rows[row], &mut tally);
                    if !mode.starts_with("time-") {
                        duplicates(&test, model, &mut tally);
                    }
                }
            }
        }
        let Tally { tests, executions, left_out, blocked, worst, mismatches } = tally;
        let seconds = started.elapsed().as_secs_f64();
        println!(
            "{mode}: {tests} tests, {left_out} left out, {executions} executions, {blocked} blocked (at most {worst} % of a \
             test), {seconds:.1} s, {mismatches} mismatches"
        );
        // A folder without tests has checked nothing.
        failed |= mismatches > 0 || tests == 0;
    }
    ExitCode::from(u8::from(failed || modes.is_empty()))
}
