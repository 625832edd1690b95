//! Checks the explorer `dpor` and the monitors on all programs of two threads of up to so many operations, 3 unless told
//! otherwise: `cargo run -p fencehound-engine --release --example classes -- 4` for the 3.9 million of up to four. Stops
//! with an error if one fails.

use std::process::ExitCode;
use std::time::Instant;

#[path = "../tests/oracle/mod.rs"]
mod oracle;

use oracle::small::{check_all, pairs, threads};

fn main() -> ExitCode {
    let Ok(longest) = std::env::args().nth(1).map_or(Ok(3), |text| text.parse()) else {
        eprintln!("usage: classes [OPERATIONS]");
        return ExitCode::from(2);
    };
    let started = Instant::now();
    let (programs, classes) = check_all(pairs(&threads(longest)));
    println!(
        "2 threads of up to {longest} operations: {programs} programs, {classes} classes, {:.0} s: no difference",
        started.elapsed().as_secs_f64()
    );
    ExitCode::SUCCESS
}
