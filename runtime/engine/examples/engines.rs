//! Checks the search for execution graphs against the schedule explorer `dpor` and its monitors, on all programs of two
//! threads of up to three operations and of three of up to two, on two addresses:
//! `cargo run -p fencehound-engine --release --example engines`. Stops at the first difference.

use std::time::Instant;

#[path = "../tests/oracle/mod.rs"]
mod oracle;

use oracle::graphs::check_each;

fn main() {
    for (threads, longest) in [(2, 3), (3, 2)] {
        let started = Instant::now();
        let [robust, under_pso, under_both] = check_each(threads, longest, 1);
        println!(
            "{threads} threads of up to {longest} operations: {} programs, of which {under_pso} break under PSO alone and \
             {under_both} under both, {:.0} s: no difference",
            robust + under_pso + under_both,
            started.elapsed().as_secs_f64()
        );
    }
}
