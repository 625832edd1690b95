//! Checks the engine against a folder of litmus tests and what herd7 says of them:
//! `cargo run -p fencehound-engine --release --example litmus -- FOLDER [schedules]`.
//! Exits with 1 on a mismatch.
//!
//! The folder has the tests, `NAME.litmus`, and a table `expected.tsv` with a row for each test and model; its columns
//! `name`, `model`, `n_allowed_executions`, `observation` and `states` are looked at.
//!
//! `schedules`: all interleavings give the states and the observation of the row `SC`, and the monitors for TSO and
//! PSO report on some of them if and only if that model allows more executions than SC does.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use engine::execution::{Ending, Execution};
use engine::explore::Finish;
use engine::explore::bounded::Bounded;
use engine::litmus::Test;
use engine::litmus::condition::Outcomes;
use engine::litmus::parse::parse;
use engine::litmus::schedules::Schedules;
use engine::monitor::burnim::Burnim;
use engine::monitor::{Model, Monitor};

/// A row of the table.
struct Expected {
    executions: u64,
    observation: String,
    states: String,
}

/// The rows by test and model.
type Table = BTreeMap<String, BTreeMap<String, Expected>>;

fn table(text: &str) -> Table {
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().expect("a head");
    let column = |name: &str| head.iter().position(|column| *column == name).expect("a column");
    let [name, model, executions, observation, states] =
        ["name", "model", "n_allowed_executions", "observation", "states"].map(column);
    let mut table = Table::new();
    for line in lines {
        let expected = Expected {
            executions: line[executions].parse().expect("a number"),
            observation: line[observation].to_owned(),
            states: line[states].to_owned(),
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

fn schedules(test: &Test, expected: &BTreeMap<String, Expected>, tally: &mut Tally) {
    const MONITORED: [(Model, &str); 2] = [(Model::Tso, "TSO"), (Model::Pso, "PSO")];
    let mut execution = Execution::new(Box::new(Bounded::new(None)));
    let mut monitor = Burnim::new(&MONITORED.map(|(model, _)| model));
    let mut schedules = Schedules::new(test, 1000);
    let mut outcomes = Outcomes::default();
    let mut reporting = [false; 2];
    let mut reports = Vec::new();
    while execution.begin() {
        monitor.begin();
        reports.clear();
        let ending = schedules.run(&mut execution, &mut |event, locations| {
            monitor.event(event, locations, &mut reports);
        });
        assert_eq!(ending, Ok(Ending::Complete), "{}", test.name);
        execution.finish(Finish::Done);
        outcomes.count(test, &schedules.state());
        for ((model, _), reporting) in MONITORED.iter().zip(&mut reporting) {
            *reporting |= reports.iter().any(|report| report.monitor == *model);
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

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((folder, modes)) = arguments.split_first() else {
        eprintln!("usage: litmus FOLDER [schedules]");
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
                (Ok(_), other) => {
                    eprintln!("{other}: no mode");
                    return ExitCode::from(2);
                }
            }
        }
        let Tally { tests, executions, mismatches } = tally;
        let seconds = started.elapsed().as_secs_f64();
        println!("{mode}: {tests} tests, {executions} executions in {seconds:.1} s, {mismatches} mismatches");
        // A folder without tests has checked nothing.
        failed |= mismatches > 0 || tests == 0;
    }
    ExitCode::from(u8::from(failed || modes.is_empty()))
}
