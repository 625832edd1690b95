//! Checks the search for execution graphs against brute force over rf and co on random programs, under SC, TSO, PSO and
//! POWER, then under ARMv8, then under RISC-V, where in half of them stores are forwarded, then under C11:
//! `cargo run -p fencehound-engine --release --example axioms -- COUNT [SEED]`. Stops at the first difference.

use std::process::ExitCode;
use std::time::Instant;

#[path = "../tests/axioms/mod.rs"]
mod axioms;

#[path = "../tests/machines/mod.rs"]
mod machines;

use axioms::engine::{Random, compare, random};
use machines::c11;
use machines::random::{Mix, any, forwarding};
use machines::{Compared, Machine};

/// Compares so many programs; every other one has read-modify-writes.
fn compare_machine(machine: Machine, count: u32, seed: u64) -> Compared {
    let mut numbers = Random(11 + seed);
    let mut all = Compared::default();
    for number in 0..count {
        let mix =
            Mix { machine, updates: 4 * u64::from(number / 2 % 2), picks: machine == Machine::Arm && number % 8 < 4 };
        let program = if number % 2 == 0 { any(&mut numbers, mix) } else { forwarding(&mut numbers, mix) };
        let Compared { allowed, out_of_reach } = machines::compare(machine, &program);
        all.allowed += allowed;
        all.out_of_reach += out_of_reach;
    }
    all
}

fn main() -> ExitCode {
    let Some(Ok(count)) = std::env::args().nth(1).map(|count| count.parse::<u32>()) else {
        eprintln!("usage: axioms COUNT [SEED]");
        return ExitCode::from(2);
    };
    let seed = std::env::args().nth(2).and_then(|seed| seed.parse::<u64>().ok()).unwrap_or(0);
    let started = Instant::now();
    let mut numbers = Random(3 + seed);
    let mut executions = 0;
    for number in 0..count {
        // Every other program has read-modify-writes.
        executions += compare(&random(&mut numbers, if number % 2 == 0 { 0 } else { 4 }));
    }
    println!(
        "{count} programs, {executions} executions under POWER, {:.0} s: no difference",
        started.elapsed().as_secs_f64()
    );
    for machine in [Machine::Arm, Machine::Riscv] {
        let started = Instant::now();
        let Compared { allowed, out_of_reach } = compare_machine(machine, count, seed);
        println!(
            "{machine:?}: {count} programs, {allowed} executions, {out_of_reach} of which need the parts of a \
             read-modify-write apart, {:.0} s: no other difference",
            started.elapsed().as_secs_f64()
        );
    }
    let started = Instant::now();
    let mut numbers = Random(12 + seed);
    let executions: usize = (0..count).map(|number| c11::compare(&c11::any(&mut numbers, number))).sum();
    let seconds = started.elapsed().as_secs_f64();
    println!("C11: {count} programs, {executions} executions, {seconds:.0} s: no difference");
    ExitCode::SUCCESS
}
