//! Shares of a search, and what they are together: the result of the search in one piece, or a refusal.

use std::fs;

use serde_json::Value;

use crate::bench::Bench;
use crate::search::{bench, executions, timeless};

/// Runs all shares of a search; their files, the last one first.
fn run(bench: &Bench, search: &str, of: usize) -> String {
    let share = |number: usize| {
        let ran = bench.run(&format!("check {search} --shard {number}/{of}"));
        assert_eq!(ran.status, 0, "{search} {number}/{of}: {ran:?}");
        let is_long = search.starts_with("loops");
        assert!(!is_long || !ran.output.contains(": 0 executions"), "nothing was left for the share: {ran:?}");
        format!("fencehound-shard-{number}-of-{of} ")
    };
    (1..=of).rev().map(share).collect()
}

fn joined(bench: &Bench, files: &str) -> Value {
    let ran = bench.run(&format!("join {files} --json -"));
    timeless(serde_json::from_str(&ran.output).unwrap_or_else(|error| panic!("{error}: {ran:?}")))
}

#[test]
fn shares_are_together_the_search_in_one_piece() {
    let bench = bench();
    let searches = [
        "mixed",
        "mixed --preemptions 1",
        "mixed --stop-at-first",
        "mixed --monitor race,exact_tso,prefix_pso",
        "mixed --max-events 17",
        "divided",
    ];
    for search in searches {
        let search = format!("{search} --explorer dpor --no-advice");
        let expected = timeless(bench.check(&format!("{search} -j 1")));
        assert!(executions(&expected) > 0, "{expected}");
        for of in [1, 2, 5] {
            for step in [1, 3] {
                let files = run(&bench, &format!("{search} --slice-executions {step}"), of);
                assert_eq!(joined(&bench, &files), expected, "{search} {of} {step}");
            }
        }
    }
}

/// As other tools for classes count them.
#[test]
fn shares_of_a_long_search_are_together_all_of_it() {
    let bench = bench();
    let expected = timeless(bench.check("loops --explorer dpor -j 1"));
    assert_eq!(executions(&expected), 73_789);
    let files = run(&bench, "loops --explorer dpor", 3);
    assert_eq!(joined(&bench, &files), expected);
}

#[test]
fn shares_that_are_not_all_of_one_search_are_refused() {
    let bench = bench();
    let search = "mixed --explorer dpor --slice-executions 1";
    run(&bench, search, 2);
    let [one, two] = ["fencehound-shard-1-of-2", "fencehound-shard-2-of-2"];
    let refused = |files: &str, words: &str| {
        let ran = bench.run(&format!("join {files}"));
        assert_eq!((ran.status, ran.output.as_str()), (2, ""), "{files}: {ran:?}");
        assert!(ran.errors.starts_with(&format!("error: {words}")), "{files}: {ran:?}");
    };
    refused(one, "share 2 of 2 is missing");
    refused(&format!("{one} {two} {one}"), &format!("{one}: share 1 of 2 for the second time"));
    refused("none", "none: no such file or directory");
    refused("mixed.c", "mixed.c: not a share of a search of fencehound");
    let whole = fs::read(bench.path(two)).unwrap();
    for (name, bytes) in [("cut", &whole[..whole.len() / 2]), ("head", &whole[..20])] {
        fs::write(bench.path(name), bytes).unwrap();
        let what = if name == "cut" { "a corrupt share" } else { "not a share of a search of fencehound" };
        refused(&format!("{one} {name}"), &format!("{name}: {what}"));
    }
    let mut changed = whole.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    fs::write(bench.path("changed"), changed).unwrap();
    refused(&format!("{one} changed"), "changed: a corrupt share");
    run(&bench, "mixed --explorer dpor --slice-executions 1 --preemptions 1", 1);
    let other = "other options of `fencehound check`";
    let file = "fencehound-shard-1-of-1";
    refused(&format!("{one} {file}"), &format!("{file}: a share of another search than {one}: {other}"));
    fs::copy(bench.path(two), bench.path("two")).unwrap();
    fs::copy(bench.path("numbered"), bench.path("mixed")).unwrap();
    refused(&format!("{one} {two}"), "the shares are of another search: another version of the program");
    for (option, words) in [
        ("--explorer bounded", "--shard does not fit the explorer bounded"),
        ("", "--shard does not fit the explorer auto"),
        ("--explorer random --executions 5", "--shard does not fit the explorer random"),
        ("--model tso", "--shard does not fit the explorer rsmc"),
        ("--explorer dpor --time 5s", "--time does not fit --shard"),
    ] {
        let ran = bench.run(&format!("check mixed --shard 1/2 {option}"));
        assert_eq!(ran.status, 2, "{option}: {ran:?}");
        assert!(ran.errors.starts_with(&format!("error: {words}")), "{option}: {ran:?}");
    }
    for share in ["0/2", "3/2", "1", "a/b", "1/0"] {
        let ran = bench.run(&format!("check mixed --explorer dpor --shard {share}"));
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.errors.starts_with(&format!("error: --shard `{share}` is no share")), "{ran:?}");
    }
}
