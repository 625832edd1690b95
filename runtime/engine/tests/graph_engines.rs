//! The search for execution graphs against the schedule explorer `dpor` and its monitors, on small programs: see
//! `oracle/graphs.rs`. `cargo run -p fencehound-engine --release --example engines` checks all of them.

mod oracle;

use oracle::graphs::check_each;

#[test]
fn two_threads_of_up_to_three_operations() {
    let tally = check_each(2, 3, 7);
    assert!(tally.iter().all(|&programs| programs > 100), "too one-sided: {tally:?}");
}

#[test]
fn three_threads_of_up_to_two_operations() {
    let tally = check_each(3, 2, 7);
    assert!(tally.iter().all(|&programs| programs > 10), "too one-sided: {tally:?}");
}
