//! `dpor` against `bounded` without a bound: the same verdict and the same findings, wherever both come to their end. The
//! first run of each program outside `bad-input/` that is one of interleavings is repeated under both.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::header::Run;
use crate::installation::{Check, Installation, Scratch};

/// So many executions may each of the two searches have.
const BUDGET: &str = "4000";

/// The programs that have more interleavings than that, or no end of them.
const TOO_LONG: [&str; 37] = [
    "classes/critical-sections.c",
    "classes/fibonacci.c",
    "classes/writers.c",
    "errors/circle-of-three.c",
    "library/sorting.c",
    "library/strings.c",
    "litmus/independent-reads.c",
    "memory/initialised.c",
    "memory/malloc-family.c",
    "mutual-exclusion/bakery.c",
    "mutual-exclusion/dekker.c",
    "mutual-exclusion/peterson.c",
    "papers/fib-bench.c",
    "papers/harris-list.c",
    "papers/lamport.c",
    "papers/last-zero.c",
    "papers/lazy-list.c",
    "papers/sigma.c",
    "papers/snark.c",
    "papers/szymanski.c",
    "papers/take-queue.c",
    "papers/two-lock-queue.c",
    "programs/bucket-table.c",
    "programs/epoch.c",
    "programs/hazard-stack.c",
    "programs/mpmc-ring.c",
    "programs/queue-locks.c",
    "programs/rcu-list.c",
    "programs/seqlock.c",
    "programs/spsc-ring.c",
    "programs/work-stealing-deque.c",
    "queues/michael-scott.c",
    "synchronisation/bounded-buffer.c",
    "synchronisation/futex.c",
    "threads/recursion.c",
    "waiting/polite.c",
    "waiting/seen-while-undone.c",
];

/// The programs of which the two say different things, and why.
const DIFFERENT: [(&str, &str); 2] = [
    ("atomics/blocks-that-wait.c", "dpor refuses an atomic block that has to wait"),
    ("synchronisation/cancellation.c", "dpor refuses waits of threads that are cancelled"),
];

/// The programs of which monitors report more where iterations of wait loops without effect are gone on behind, and why nothing
/// comes of that.
const FEWER: [(&str, &str); 1] = [(
    "waiting/failing-iterations-count.c",
    "the cycle needs the iteration that fails: without it the wait has the same end under PSO, and SC has that, too",
)];

/// Options that say how executions are found, each with a value.
const SEARCHES: [&str; 6] = ["--preemptions", "--explorer", "--executions", "--time", "--seed", "-j"];

/// Options with which `dpor` does not go, that ask for no interleavings, or that draw executions of what is too long.
const OTHERS: [&str; 6] = ["--model", "rsmc", "random", "--spurious-wakeups", "--weak-cas-fails", "--record"];

/// Whether the run is one that the two explorers are compared on.
pub(crate) fn concerns(name: &str, run: &Run) -> bool {
    // The monitors of TACAS 2011 are complete over all interleavings alone, and `dpor` refuses them.
    let is_other = |option: &String| OTHERS.contains(&option.as_str()) || option.contains("burnim_");
    !name.starts_with("bad-input/") && !run.is_judged && !run.options.iter().any(is_other)
}

/// Compares the two explorers.
///
/// # Errors
/// What differs, or is not as the lists here say.
pub(crate) fn compare(installation: &Installation, name: &str, run: &Run) -> Result<(), String> {
    let mut options: Vec<String> = Vec::new();
    let mut given = run.options.iter();
    while let Some(option) = given.next() {
        if SEARCHES.contains(&option.as_str()) {
            given.next();
        } else {
            options.push(option.clone());
        }
    }
    let check = |search: &[&str]| {
        let search = search.iter().map(|&option| option.to_string()).chain([
            "--no-judge".into(),
            "--executions".into(),
            BUDGET.into(),
        ]);
        installation.check(&Scratch::new(), name, &options.iter().cloned().chain(search).collect::<Vec<String>>())
    };
    let classes = check(&["--explorer", "dpor", "--strict"])?;
    let all = check(&["--explorer", "bounded", "--preemptions", "none"])?;
    let ends = [&classes, &all].iter().all(|check| check.json["stopped_by"].is_null());
    match (ends, TOO_LONG.contains(&name)) {
        (true, false) => {}
        (false, true) => return Ok(()),
        (true, true) => return Err(format!("{name} has at most {BUDGET} executions: strike it from TOO_LONG")),
        (false, false) => return Err(format!("{name} has more than {BUDGET} executions: add it to TOO_LONG")),
    }
    rounds(name, &check(&["--explorer", "dpor"])?, &classes)?;
    let why = DIFFERENT.iter().find(|&&(different, _)| different == name).map(|&(_, why)| why);
    match (result(&classes) == result(&all), why) {
        (true, None) | (false, Some(_)) => Ok(()),
        (true, Some(why)) => Err(format!("no difference any more: {why}")),
        (false, None) => Err(format!("dpor:\n{}\nbounded:\n{}", classes.text, all.text)),
    }
}

/// Compares `dpor` as it is with the one that goes on behind iterations of wait loops without effect: the same executions count,
/// in no more runs, and the same fails. Monitors report the same, but for the programs that the list here names.
fn rounds(name: &str, less: &Check, all: &Check) -> Result<(), String> {
    let [(_, less_found), (_, all_found)] = [result(less), result(all)];
    let of_monitors = |finding: &&String| finding.starts_with("\"sc-violation\"");
    let failures = |found: &BTreeSet<String>| -> BTreeSet<String> {
        found.iter().filter(|finding| !of_monitors(finding)).cloned().collect()
    };
    let runs = |check: &Check| check.json["runs"].as_u64();
    let same = less.json["executions"] == all.json["executions"]
        && runs(less) <= runs(all)
        && failures(&less_found) == failures(&all_found)
        && less_found.is_subset(&all_found);
    let why = FEWER.iter().find(|&&(fewer, _)| fewer == name).map(|&(_, why)| why);
    match (same, less_found == all_found, why) {
        (true, true, None) | (true, false, Some(_)) => Ok(()),
        (true, true, Some(why)) => Err(format!("no difference by --strict any more: {why}")),
        _ => Err(format!("dpor:\n{}\ndpor --strict:\n{}", less.text, all.text)),
    }
}

/// The verdict, and of each finding its kind, its model and the lines that take part, but for the access before the one
/// that overtakes, which may be another one in each execution.
fn result(check: &Check) -> (Value, BTreeSet<String>) {
    let finding = |violation: &Value| {
        let sites = violation["sites"].as_array().into_iter().flatten();
        let parts =
            sites.filter(|site| site["role"] != "previous").map(|site| format!("{}{}", site["role"], site["line"]));
        format!("{} {} {:?}", violation["kind"], violation["model"], parts.collect::<BTreeSet<String>>())
    };
    let findings = check.json["violations"].as_array().into_iter().flatten();
    (check.json["verdict"].clone(), findings.map(finding).collect())
}
