//! Checks the search for execution graphs against brute force over rf and co on random programs, under all models:
//! `cargo run -p fencehound-engine --release --example axioms -- COUNT`. Stops at the first difference.

use std::process::ExitCode;
use std::time::Instant;

#[path = "../tests/axioms/mod.rs"]
mod axioms;

use axioms::engine::{Random, compare, random};

fn main() -> ExitCode {
    let Some(Ok(count)) = std::env::args().nth(1).map(|count| count.parse::<u32>()) else {
        eprintln!("usage: axioms COUNT");
        return ExitCode::from(2);
    };
    let started = Instant::now();
    let mut numbers = Random(3);
    let mut executions = 0;
    for number in 0..count {
        // Every other program has read-modify-writes.
        executions += compare(&random(&mut numbers, if number % 2 == 0 { 0 } else { 4 }));
    }
    println!(
        "{count} programs, {executions} executions under POWER, {:.0} s: no difference",
        started.elapsed().as_secs_f64()
    );
    ExitCode::SUCCESS
}
