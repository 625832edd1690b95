//! Searches by an executor process, whatever it does: the result is that of one process on this machine, or a clear refusal.
//!
//! The executor is `cli/tests/fake/executor.py`, which keeps workers on this machine and has the faults that it is told.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::bench::{Bench, tool};
use crate::search::{bench, everything, executions};

/// Puts a command into the folder that is the executor with these words; returns the option that names it.
fn executor(bench: &Bench, words: &str) -> String {
    let name = format!("executor-{}", words.replace(' ', "-"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake/executor.py");
    bench.write(&name, &format!("#!/bin/sh\nexec python3 {script} {} {words}\n", tool().display()));
    fs::set_permissions(bench.path(&name), fs::Permissions::from_mode(0o755)).unwrap();
    format!("--executor ./{name}")
}

/// The number of workers, a seed, and faults.
const EXECUTORS: [&str; 5] =
    ["1 1", "3 3 late twice stale", "2 5 killed late", "2 6 shrinks lost late twice stale", "2 4 elsewhere"];

fn compare(searches: &[&str], steps: &str) {
    let bench = bench();
    for search in searches {
        let search = format!("{search} --no-judge --no-advice");
        let expected = everything(&bench, &format!("{search} -j 1"));
        assert!(executions(&expected.0) > 0, "{search}");
        for words in EXECUTORS {
            let by = executor(&bench, words);
            assert_eq!(everything(&bench, &format!("{search} {steps} {by}")), expected, "{search} {words}");
        }
    }
}

#[test]
fn interleavings_are_the_same_by_any_executor() {
    // The default search is none of them: it chooses its bounds by the clock.
    let searches = [
        "mixed --explorer bounded",
        "mixed --explorer bounded --stop-at-first",
        "mixed --explorer dpor --preemptions 2",
        "numbered --explorer bounded",
        "mixed --explorer random --executions 150 --seed 3",
    ];
    compare(&searches, "--slice-executions 5");
}

#[test]
fn classes_are_the_same_by_any_executor() {
    compare(&["mixed --explorer dpor", "numbered --explorer dpor", "divided --explorer dpor"], "--slice-executions 3");
}

#[test]
fn execution_graphs_are_the_same_by_any_executor() {
    compare(&["mixed --model tso", "left --model tso", "numbered --model tso"], "--slice-executions 2");
}

/// The searches that judge findings go by the executor, too.
#[test]
fn what_is_judged_is_the_same_by_any_executor() {
    let bench = bench();
    // What the clock ends would depend on it.
    let search = "mixed --explorer dpor --judge-time 5m --advice-time 5m";
    let expected = everything(&bench, &format!("{search} -j 1"));
    for words in ["2 7 late lost", "2 8 killed twice"] {
        let by = executor(&bench, words);
        assert_eq!(everything(&bench, &format!("{search} --slice-executions 2 {by}")), expected, "{words}");
    }
}

#[test]
fn executors_that_fail_are_refused_by_what_they_did() {
    let bench = bench();
    let refused = |by: &str, words: &[&str]| {
        let ran = bench.run(&format!("check mixed --explorer bounded --slice-executions 5 {by}"));
        assert_eq!((ran.status, ran.output.as_str()), (2, ""), "{by}: {ran:?}");
        assert!(ran.errors.contains("\nhelp: ") || ran.errors.contains("no worker fits"), "{by}: {ran:?}");
        for word in words {
            assert!(ran.errors.contains(word), "{by}: {word}: {ran:?}");
        }
    };
    refused("--executor ./none", &["error: the executor `./none` cannot be run: no such file or directory"]);
    refused("--executor true", &["error: the executor `true` ended with status 0 before the search was over"]);
    refused(&executor(&bench, "1 1 version"), &["speaks version 7 of the protocol, the tool version 1"]);
    refused(&executor(&bench, "1 1 mute"), &["before the search was over"]);
    refused(&executor(&bench, "2 1 garbage"), &["wrote a line that is no message: \"what is this?\""]);
    refused(&executor(&bench, "2 1 quits"), &["ended with status 3 before the search was over"]);
    refused(&executor(&bench, "2 1 refuses"), &["no worker fits: ", "another executable than at the search"]);
    refused("--executor true -j 2", &["error: -j does not fit --executor"]);
    refused("--cluster tcp://127.0.0.1:1 -j 2", &["error: -j does not fit --cluster"]);
    refused("--cluster tcp://127.0.0.1:1 --executor true", &["error: --cluster does not fit --executor"]);
    refused("--cluster 127.0.0.1:8786", &["error: --cluster `127.0.0.1:8786` is no address"]);
    let ran = bench.run_all(&["check", "mixed", "--executor", "an \"open quote"]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.errors.contains("is no command"), "{ran:?}");
}

#[test]
fn a_search_whose_executor_has_ended_goes_on_with_another_one() {
    let bench = bench();
    let search = "long --explorer bounded --preemptions 2 --no-advice --no-judge";
    let expected = everything(&bench, &format!("{search} -j 1"));
    let quits = executor(&bench, "2 9 quits");
    let line = format!("check {search} --checkpoint state --slice-executions 200");
    let mut ends = 0;
    while ends < 5 && bench.run(&format!("{line} {quits}")).status == 2 {
        ends += 1;
    }
    assert!(ends > 0, "it was over before the executor ended");
    let by = executor(&bench, "2 10 late lost");
    assert_eq!(everything(&bench, &format!("{search} --checkpoint state --slice-executions 2000 {by}")), expected);
}
