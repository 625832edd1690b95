//! Checks the TACAS'11 monitors, and the oracle of their tests, against a file of test vectors:
//! `cargo run -p fencehound-engine --release --example vectors -- monitors.jsonl`. Exits with 1 on a mismatch.
//!
//! Of each program: the first report on every sample run, the least number of preemptions with which each monitor
//! reports, the numbers of interleavings and of traces under each model, and robustness.

use std::process::ExitCode;

use engine::monitor::Model;
use engine::monitor::burnim::Burnim;
use oracle::definition::Relaxed;
use oracle::machine::{self, Machine, Step};
use oracle::program::Program;
use oracle::replay;
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
    #[serde(default)]
    runs: Vec<Value>,
    #[serde(flatten)]
    facts: Value,
}

const MODELS: [(Relaxed, &str); 2] = [(Relaxed::Tso, "tso"), (Relaxed::Pso, "pso")];

/// What was compared so far.
#[derive(Default)]
struct Tally {
    programs: usize,
    runs: usize,
    interleavings: usize,
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

fn check_runs(vector: &Vector, program: &Program, monitor: &mut Burnim, tally: &mut Tally) {
    let mut reports = Vec::new();
    for run in &vector.runs {
        let schedule = run["sched"].as_str().expect("a schedule");
        let steps = follow(&Machine::new(program, machine::Model::Sc), schedule);
        replay::run(monitor, &steps, &mut reports);
        for (model, name) in MODELS {
            let event = |place: usize| format!("{}.{}", steps[place].thread, steps[place].op);
            let first = replay::of_model(&reports, model).first().map(|report| {
                [report.delayed, report.previous, report.overtaking].map(|place| Value::from(event(place)))
            });
            let found = first.map_or(Value::Null, |first| Value::from(first.to_vec()));
            tally.expect(&format!("{} {schedule} {name}", vector.id), &run[format!("burnim_{name}")], &found);
        }
        tally.runs += 1;
    }
}

fn check_interleavings(vector: &Vector, program: &Program, monitor: &mut Burnim, tally: &mut Tally) {
    let mut least = [None; 2];
    let mut interleavings = 0;
    let mut reports = Vec::new();
    Machine::new(program, machine::Model::Sc).interleavings(&mut |run, preemptions| {
        interleavings += 1;
        replay::run(monitor, run, &mut reports);
        for ((model, _), least) in MODELS.into_iter().zip(&mut least) {
            if reports.iter().any(|report| report.monitor == replay::burnim(model)) {
                *least = Some(least.map_or(preemptions, |least: usize| least.min(preemptions)));
            }
        }
    });
    for ((_, name), least) in MODELS.into_iter().zip(least) {
        let expected = &vector.facts["min_preempt"][format!("burnim_{name}")];
        tally.expect(&format!("{} least preemptions, {name}", vector.id), expected, &Value::from(least));
    }
    let expected = &vector.facts["n_interleavings"];
    tally.expect(&format!("{} interleavings", vector.id), expected, &Value::from(interleavings));
    tally.interleavings += interleavings;
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
    let mut monitor = Burnim::new(&[Model::Tso, Model::Pso]);
    for line in text.lines() {
        let vector: Vector = serde_json::from_str(line).expect("one vector a line");
        if vector.kind != "program" {
            continue;
        }
        let threads: Vec<String> = vector.threads.iter().map(|ops| ops.join(";")).collect();
        let program = Program::parse(&threads);
        check_runs(&vector, &program, &mut monitor, &mut tally);
        check_interleavings(&vector, &program, &mut monitor, &mut tally);
        check_machines(&vector, &program, &mut tally);
        tally.programs += 1;
    }
    let Tally { programs, runs, interleavings, verdicts, mismatches } = tally;
    println!(
        "{programs} programs, {runs} sample runs, {interleavings} interleavings: {verdicts} verdicts, {mismatches} mismatches"
    );
    // A file without programs has checked nothing.
    ExitCode::from(u8::from(mismatches > 0 || programs == 0))
}
