//! Execution graphs of TSO and PSO against the machines with store buffers: the same kinds of failures and the same
//! outcomes, wherever both come to their end. The first run of each program outside `bad-input/` is repeated in both worlds,
//! if its options are for the compiler and the program alone.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::header::Run;
use crate::installation::{Check, Installation, Scratch};

/// So many executions may each search have.
const BUDGET: &str = "1000";

/// So many comparisons there are at least, if all programs are run.
const LEAST: usize = 360;

/// So many there were.
static COMPARED: AtomicUsize = AtomicUsize::new(0);

/// Whether enough programs came to their ends in both worlds.
pub(crate) fn are_enough() -> bool {
    COMPARED.load(Ordering::Relaxed) >= LEAST
}

/// The programs that have more executions than that in one of the worlds, or one of more events: they are not compared.
const TOO_LONG: [&str; 87] = [
    "atomicity/task-pool.c",
    "classes/critical-sections.c",
    "classes/fibonacci.c",
    "classes/writers.c",
    "correct/dekker.c",
    "correct/deque.c",
    "correct/hazard_pointer.c",
    "correct/list.c",
    "correct/peterson.c",
    "correct/peterson_exchange.c",
    "correct/queue.c",
    "correct/queue_lock.c",
    "correct/ring.c",
    "correct/sequence_lock.c",
    "correct/stack.c",
    "correct/work_queue.c",
    "errors/circle-of-three.c",
    "library/files.c",
    "library/printing.c",
    "library/sorting.c",
    "library/strings.c",
    "library/torn-string.c",
    "litmus/independent-reads.c",
    "machines/memcpy.c",
    "machines/spin-locks.c",
    "memory/heap-reuse.c",
    "memory/malloc-family.c",
    "models/barriers.c",
    "models/blocked-tail.c",
    "models/bounded-queue.c",
    "models/copies.c",
    "models/dekker.c",
    "models/done-once.c",
    "models/independent-reads.c",
    "models/lock-free.c",
    "models/locks.c",
    "models/once.c",
    "models/parker.c",
    "models/peterson.c",
    "models/read-write-locks.c",
    "models/results-of-rounds.c",
    "models/rounds.c",
    "models/sequence-lock.c",
    "models/store-buffering-loop.c",
    "models/thread-specific.c",
    "models/write-to-read.c",
    "mutual-exclusion/bakery.c",
    "mutual-exclusion/dekker.c",
    "mutual-exclusion/peterson.c",
    "papers/dcl-singleton.c",
    "papers/fib-bench.c",
    "papers/harris-list.c",
    "papers/indexer.c",
    "papers/lamport.c",
    "papers/last-zero.c",
    "papers/lazy-list.c",
    "papers/parker.c",
    "papers/pgsql.c",
    "papers/sigma.c",
    "papers/szymanski.c",
    "papers/take-queue.c",
    "papers/two-lock-queue.c",
    "papers/two-writers.c",
    "programs/bucket-table.c",
    "programs/byte-lock.c",
    "programs/epoch.c",
    "programs/hazard-stack.c",
    "programs/mpmc-ring.c",
    "programs/queue-locks.c",
    "programs/rcu-list.c",
    "programs/seqlock.c",
    "programs/work-stealing-deque.c",
    "queues/michael-scott.c",
    "synchronisation/bounded-buffer.c",
    "synchronisation/futex.c",
    "synchronisation/thread-limit.c",
    "synchronisation/who-drains.c",
    "threads/recursion.c",
    "waiting/drawn-ring.c",
    "waiting/polite.c",
    "waiting/polling-now-and-then.c",
    "waiting/polling.c",
    "waiting/released-in-passing.c",
    "waiting/seen-while-undone.c",
    "waiting/silent-store.c",
    "waiting/variables-of-callees.c",
    "wrappers/store-buffering.c",
];

/// The programs that execution graphs refuse.
const REFUSED: [&str; 28] = [
    "atomicity/sv-comp.c",
    "atomics/atomic-blocks.c",
    "atomics/blocks-that-stop.c",
    "atomics/blocks-that-wait.c",
    "atomics/double-compare-and-swap.c",
    "atomics/large-atomics.c",
    "atomics/sixteen-bytes.c",
    "classes/blocks.c",
    "library/exits.c",
    "library/signal-masks-of-jumps.c",
    "library/signals.c",
    "machines/sixteen-bytes.c",
    "machines/unaligned.c",
    "machines/widths.c",
    "memory/lawful-accesses.c",
    "memory/mapped.c",
    "memory/mixed-widths.c",
    "memory/published-copies.c",
    "memory/structs.c",
    "memory/torn-load.c",
    "models/other-threads.c",
    "models/refused.c",
    "papers/snark.c",
    "races/neighbours.c",
    "synchronisation/cancellation.c",
    "synchronisation/join-with-limit.c",
    "synchronisation/names-and-joins.c",
    "synchronisation/robust-mutex.c",
];

/// The programs of which the two say different things, and why.
const DIFFERENT: [(&str, &str); 4] = [
    ("errors/freed-while-waited-for.c", "in graphs a thread may wait for what is freed"),
    ("errors/invalid-free.c", "graphs do not look for frees of what is no block"),
    ("errors/out-of-bounds-heap.c", "graphs do not look for accesses beside blocks"),
    ("synchronisation/semaphore-ended.c", "in graphs a thread goes on behind a misuse of another one"),
];

/// Where the programs are that are compared under TSO, too.
const UNDER_TSO: [&str; 3] = ["machines/", "models/", "synchronisation/"];

/// Options that say how executions are found and what is said of them, each with a value.
const SEARCHES: [&str; 13] = [
    "--preemptions",
    "--explorer",
    "--executions",
    "--time",
    "--seed",
    "-j",
    "--model",
    "--monitor",
    "--outcome",
    "--judge-time",
    "--delays",
    "--unroll",
    "--max-memory",
];

/// The options of the run without those that say how executions are found; none if others are left that are for neither the
/// compiler nor the program.
fn options(run: &Run) -> Option<Vec<String>> {
    let mut options = Vec::new();
    let mut given = run.options.iter();
    while let Some(option) = given.next() {
        if SEARCHES.contains(&option.as_str()) {
            given.next();
        } else if option == "--" {
            options.push(option.clone());
            options.extend(given.by_ref().cloned());
        } else if option.starts_with("--") && option != "--strict" && option != "--no-judge" {
            return None;
        } else if !option.starts_with("--") {
            options.push(option.clone());
        }
    }
    Some(options)
}

/// Whether the two worlds are compared on the run.
pub(crate) fn concerns(name: &str, run: &Run) -> bool {
    !name.starts_with("bad-input/") && !TOO_LONG.contains(&name) && options(run).is_some()
}

/// Compares the two worlds under PSO, and under TSO where that is said.
///
/// # Errors
/// What differs, or is not as the lists here say.
pub(crate) fn compare(installation: &Installation, name: &str, run: &Run) -> Result<(), String> {
    let options = options(run).unwrap_or_default();
    let is_under_tso = UNDER_TSO.iter().any(|folder| name.starts_with(folder));
    let models = if is_under_tso { &["pso", "tso"][..] } else { &["pso"] };
    models.iter().try_for_each(|model| under(installation, (name, &options), model))
}

/// Compares them under one model.
fn under(installation: &Installation, (name, options): (&str, &[String]), model: &str) -> Result<(), String> {
    let check = |search: &[&str]| {
        let given = ["--no-judge", "-j", "1", "--executions", BUDGET, "--model", model];
        let search: Vec<String> = given.iter().chain(search).map(|&option| option.to_string()).collect();
        installation.check(&Scratch::new(), name, &[&search, options].concat())
    };
    let graphs = check(&[])?;
    if graphs.json["verdict"] == "unsupported" {
        return Ok(());
    }
    if REFUSED.contains(&name) {
        return Err(format!("graphs do not refuse it under {model}: strike it from REFUSED"));
    }
    let interleavings = check(&["--explorer", "bounded", "--preemptions", "none", "--delays", "none"])?;
    let classes = check(&["--explorer", "dpor"])?;
    let why = DIFFERENT.iter().find(|&&(different, _)| different == name).map(|&(_, why)| why);
    [interleavings, classes].iter().try_for_each(|machine| alike(model, &graphs, machine, why))
}

/// Whether graphs and the machine say the same, or for this reason do not.
fn alike(model: &str, graphs: &Check, machine: &Check, why: Option<&str>) -> Result<(), String> {
    let ends = [graphs, machine].iter().all(|check| check.json["stopped_by"].is_null());
    if !ends || machine.json["verdict"] == "unsupported" {
        return Ok(());
    }
    COMPARED.fetch_add(1, Ordering::Relaxed);
    match (result(graphs) == result(machine), why) {
        (true, None) | (false, Some(_)) => Ok(()),
        (true, Some(why)) => Err(format!("no difference any more: {why}")),
        (false, None) => Err(format!("{model}, graphs:\n{}\n{model}, the machine:\n{}", graphs.text, machine.text)),
    }
}

/// The kinds of failures, and the outcomes.
fn result(check: &Check) -> [BTreeSet<String>; 2] {
    let strings = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let all = |key: &str| check.json[key].as_array().cloned().unwrap_or_default();
    let failures = all("violations").iter().map(|violation| strings(&violation["kind"])).collect();
    [failures, all("outcomes").iter().map(strings).collect()]
}
