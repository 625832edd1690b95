//! Searches in several processes, that are killed, and that go on from a checkpoint: the result is always the same.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::bench::{Bench, tool};

/// Store buffering thrice, with an assertion that fails now and then, and a wait loop.
const MIXED: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int flag, x, y, z;
static void *left(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    int seen = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&z, seen, memory_order_relaxed);
    atomic_store(&flag, 1);
    return unused;
}
static void *right(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    int seen = atomic_load_explicit(&x, memory_order_relaxed);
    while (!atomic_load(&flag))
        ;
    assert(seen || atomic_load_explicit(&z, memory_order_relaxed) != 2);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    atomic_store_explicit(&z, 2, memory_order_relaxed);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

/// Which threads there are depends on the schedule; which number they get, on which is found first.
const NUMBERED: &str = "#include <pthread.h>
#include <stdatomic.h>
#include <fencehound.h>
atomic_int x, y;
static void *grandchild(void *mine) {
    atomic_store_explicit((atomic_int *)mine, 2, memory_order_relaxed);
    atomic_load_explicit(mine == &x ? &y : &x, memory_order_relaxed);
    return 0;
}
static void *child(void *mine) {
    pthread_t thread;
    if (atomic_exchange((atomic_int *)mine, 1) == 0 && atomic_load(mine == &x ? &y : &x) == 1) {
        pthread_create(&thread, 0, grandchild, mine);
        pthread_join(thread, 0);
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, child, &x);
    pthread_create(&b, 0, child, &y);
    int value = fh_choose(3);
    fh_assume(value != 1);
    atomic_store_explicit(&x, value, memory_order_relaxed);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

/// Some hundred thousand executions with at most three preemptions.
const LONG: &str = "#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
static void *body(void *unused) {
    for (int i = 0; i < 6; i++) {
        atomic_store_explicit(&x, i, memory_order_relaxed);
        atomic_load_explicit(&y, memory_order_relaxed);
    }
    return unused;
}
int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, body, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return 0;
}
";

/// Memory that only some executions access in pieces, the first of them not; with EARLY, all do.
const DIVIDED: &str = "#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static union { _Atomic uint64_t whole; _Atomic uint32_t half[2]; } u;
static void *left(void *unused) {
    atomic_store(&u.whole, 1);
    atomic_load(&u.whole);
    return unused;
}
static void *middle(void *unused) {
    if (atomic_load(&u.whole) == 3)
        atomic_store(&u.half[1], 2);
    atomic_load(&u.whole);
    return unused;
}
static void *right(void *unused) {
    atomic_store(&u.whole, 3);
    if (atomic_load(&u.half[0]) == 1)
        atomic_fetch_add(&u.half[1], 4);
    return unused;
}
int main(void) {
    pthread_t threads[3];
#ifdef EARLY
    atomic_load(&u.half[1]);
#endif
    pthread_create(&threads[0], 0, left, 0);
    pthread_create(&threads[1], 0, middle, 0);
    pthread_create(&threads[2], 0, right, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
";

/// Memory that no execution accesses in more than one way, but all together do.
const SPLIT: &str = "#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <fencehound.h>
static union { _Atomic uint64_t whole; _Atomic uint32_t half[2]; } u;
static atomic_int x;
static void *child(void *unused) {
    atomic_fetch_add(&x, 1);
    if (fh_choose(2))
        atomic_store(&x, 5);
    return unused;
}
static void *other(void *unused) {
    if (atomic_load(&x) < 5)
        atomic_store(&u.whole, 1);
    else
        atomic_store(&u.half[1], 2);
    return unused;
}
int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, child, 0);
    pthread_create(&threads[1], 0, child, 0);
    pthread_create(&threads[2], 0, other, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
";

/// Local variables and blocks that threads access, leave and free, some of them only in some executions; and a failure
/// after which the others go on.
const LEFT: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { atomic_int first, second; };
static _Atomic(struct node *) shared;
static atomic_int x;
static int take(atomic_int *own) {
    if (atomic_load(&x) == 1)
        atomic_store(own, 5);
    return atomic_exchange(&x, 2);
}
static void *left(void *unused) {
    atomic_int own = 0;
    if (take(&own))
        take(&own);
    struct node *node = atomic_exchange(&shared, 0);
    if (node)
        atomic_store(&node->first, 1);
    free(node);
    return unused;
}
static void *right(void *unused) {
    struct node *node = atomic_load(&shared);
    if (node)
        atomic_store(&node->second, 1);
    atomic_store(&x, 1);
    node = atomic_load(&shared);
    if (node)
        atomic_load(&node->second);
    return unused;
}
int main(void) {
    pthread_t a, b;
    atomic_store(&shared, calloc(1, sizeof(struct node)));
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    atomic_fetch_add(&x, 3);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(atomic_load(&x) != 5);
    return 0;
}
";

/// Two threads store to their own variables and load the other's, six times each.
const LOOPS: &str = concat!("#define ROUNDS 6\n", include_str!("../../../c-tests/classes/store-buffering-loop.c"));

/// The same with release stores and acquire loads, which may overtake them.
const BUFFERS: &str = concat!("#define ROUNDS 6\n", include_str!("../../../c-tests/models/store-buffering-loop.c"));

pub(crate) fn bench() -> Bench {
    let programs = [
        ("mixed", MIXED),
        ("numbered", NUMBERED),
        ("long", LONG),
        ("divided", DIVIDED),
        ("split", SPLIT),
        ("left", LEFT),
        ("loops", LOOPS),
        ("buffers", BUFFERS),
    ];
    let files = programs.map(|(name, text)| (format!("{name}.c"), text));
    let bench = Bench::new(&files.each_ref().map(|(name, text)| (name.as_str(), *text)));
    for (name, _) in programs {
        bench.quietly(&format!("cc -O1 -o {name} {name}.c"));
    }
    bench
}

/// A search for some hundred thousand execution graphs.
const GRAPHS: &str = "buffers --model tso --no-judge";

/// A result without its times.
pub(crate) fn timeless(mut result: Value) -> Value {
    result["seconds"] = Value::Null;
    for first in result["first"].as_object_mut().expect("an object").values_mut() {
        first["seconds"] = Value::Null;
    }
    result
}

/// The result of a check, and its findings.
pub(crate) fn everything(bench: &Bench, line: &str) -> (Value, Vec<(String, String)>) {
    drop(fs::remove_dir_all(bench.path("fencehound-out")));
    let result = timeless(bench.check(line));
    let mut findings: Vec<(String, String)> = fs::read_dir(bench.path("fencehound-out"))
        .map(|folders| {
            let read = |folder: fs::DirEntry| {
                let name = folder.file_name().to_string_lossy().into_owned();
                let text = bench.read(&format!("fencehound-out/{name}/finding.json"));
                (name, text + &bench.read(&format!("fencehound-out/{}/report.txt", folder.file_name().display())))
            };
            folders.map(|folder| read(folder.unwrap())).collect()
        })
        .unwrap_or_default();
    findings.sort();
    (result, findings)
}

#[test]
fn any_number_of_processes_and_any_cut_give_the_same_result_and_findings() {
    let bench = bench();
    let searches = [
        "mixed",
        "mixed --preemptions none",
        "mixed --stop-at-first --preemptions 1",
        "mixed --executions 33",
        "mixed --executions 33 --preemptions none",
        "mixed --monitor race,exact_tso,prefix_pso",
        "mixed --max-events 17",
        "numbered",
        "numbered --preemptions 3",
    ];
    for search in searches {
        let expected = everything(&bench, &format!("{search} -j 1"));
        assert!(expected.0["executions"].as_u64().unwrap() > 0, "{search}: {}", expected.0);
        for spread in [
            "-j 1 --slice-executions 1",
            "-j 1 --slice-executions 10",
            "-j 2 --slice-executions 3",
            "-j 5 --slice-executions 1",
        ] {
            assert_eq!(everything(&bench, &format!("{search} {spread}")), expected, "{search} {spread}");
        }
    }
}

/// The tool, about to be killed.
fn start(bench: &Bench, line: &str) -> Child {
    let mut command = Command::new(tool());
    command.arg("check").args(line.split_whitespace()).current_dir(bench.path("."));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until the checkpoint has become another one so many times, or the search is over. Whether it was not over yet.
fn await_saves(bench: &Bench, saves: u64, child: &mut Child) -> bool {
    let saved = || fs::read(bench.path("state")).ok();
    for _ in 0..saves {
        let before = saved();
        while saved() == before {
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    true
}

pub(crate) fn executions(result: &Value) -> u64 {
    result["executions"].as_u64().expect("a number")
}

const SEARCH: &str = "long --explorer bounded --preemptions 3";

/// Executions of a slice where a search is saved after each: it is killed at one of the next few saves, however long
/// these take.
const STEP: u32 = 2000;

/// Kills a search with a checkpoint again and again, each time at one of the next saves; how many different states were
/// seen.
fn kill(bench: &Bench, search: &str, times: usize) -> usize {
    let mut random: u64 = 7;
    let mut kept = BTreeSet::new();
    for _ in 0..times {
        let mut child = start(bench, &format!("{search} --checkpoint state -j 2 --slice-executions {STEP}"));
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        await_saves(bench, 1 + (random >> 33) % 4, &mut child);
        drop(child.kill());
        drop(child.wait());
        kept.extend(fs::read(bench.path("state")));
    }
    kept.len()
}

#[test]
fn a_search_that_is_killed_twenty_times_ends_as_if_it_had_not_been() {
    let bench = bench();
    let (expected, findings) = everything(&bench, SEARCH);
    assert!(executions(&expected) > 100_000, "{expected}");
    let kept = kill(&bench, SEARCH, 20);
    assert!(kept > 3, "little was kept: {kept}");
    let (result, found) = everything(&bench, &format!("{SEARCH} --checkpoint state"));
    assert_eq!((result, found), (expected.clone(), findings.clone()));
    let begun = Instant::now();
    let again = bench.check(&format!("{SEARCH} --checkpoint state"));
    let once_more = bench.check(&format!("{SEARCH} --checkpoint state"));
    assert_eq!(again, once_more, "a search that has ended is not run again, so its times are the same");
    assert_eq!(timeless(again), expected, "after {:?}", begun.elapsed());
}

#[test]
fn random_searches_that_are_killed_end_as_if_they_had_not_been() {
    let bench = bench();
    for explorer in ["random", "pct", "urw"] {
        let search = format!("long --explorer {explorer} --seed 5");
        let some = everything(&bench, &format!("{search} --executions 20000 -j 1"));
        let all = everything(&bench, &format!("{search} --executions 150000 -j 1"));
        assert_eq!((executions(&some.0), executions(&all.0)), (20_000, 150_000));
        let kept = kill(&bench, &format!("{search} --executions 150000"), 5);
        assert!(kept > 1, "little was kept: {kept}");
        assert_eq!(everything(&bench, &format!("{search} --executions 150000 --checkpoint state -j 2")), all);
        fs::remove_file(bench.path("state")).unwrap();
        // More executions of a seed go on from fewer.
        assert_eq!(everything(&bench, &format!("{search} --executions 20000 --checkpoint state -j 2")), some);
        assert_eq!(everything(&bench, &format!("{search} --executions 150000 --checkpoint state -j 2")), all);
        fs::remove_file(bench.path("state")).unwrap();
    }
}

#[test]
fn ctrl_c_and_budgets_keep_the_search() {
    let bench = bench();
    let (expected, _) = everything(&bench, SEARCH);
    let some = bench.check(&format!("{SEARCH} --checkpoint state --executions 1000"));
    assert_eq!((some["verdict"].as_str(), executions(&some)), (Some("incomplete"), 1000));
    assert_eq!(bench.check(&format!("{SEARCH} --checkpoint state --executions 1000"))["executions"], 1000);
    let more = bench.run(&format!("check {SEARCH} --checkpoint state --time 100ms"));
    assert_eq!(more.status, 3, "{more:?}");
    let mut command = bench
        .command(tool(), &["check", "long", "--explorer", "bounded", "--preemptions", "3", "--checkpoint", "state"]);
    command.args(["--slice-executions", "2000"]);
    let mut child = command.spawn().unwrap();
    assert!(await_saves(&bench, 1, &mut child), "the search was over too soon");
    let pressed = Command::new("pkill").args(["-INT", "-P", &child.id().to_string()]).status().unwrap();
    assert!(pressed.success());
    let ran = crate::bench::ran(&child.wait_with_output().unwrap());
    assert_eq!(ran.status, 3, "{ran:?}");
    let note = "note: the search is kept in state: the same command goes on from there\n";
    assert!(ran.errors.ends_with(note), "{}", ran.errors);
    assert_eq!(everything(&bench, &format!("{SEARCH} --checkpoint state")).0, expected);
}

/// The processes that this one has started.
fn children(of: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn a_process_that_is_killed_leaves_no_hole() {
    let bench = bench();
    for search in [SEARCH, GRAPHS] {
        let (expected, _) = everything(&bench, search);
        // SIGTERM and SIGINT end one process of the program, as any program; neither is meant for the search.
        for signal in ["-KILL", "-TERM", "-INT"] {
            assert_eq!(killed_by(&bench, search, signal), expected, "{search} {signal}");
        }
    }
}

/// The result of a search that loses a process to this signal a few times.
fn killed_by(bench: &Bench, search: &str, signal: &str) -> Value {
    drop(fs::remove_file(bench.path("state")));
    let line = format!("{search} -j 2 --json result --checkpoint state --slice-executions 2000");
    let mut child = start(bench, &line);
    let mut killed = 0;
    while killed < 3 && await_saves(bench, 3, &mut child) {
        for process in children(child.id()).into_iter().take(1) {
            let sent = Command::new("kill").args([signal, &process.to_string()]).status().unwrap();
            killed += i32::from(sent.success());
        }
    }
    let status = child.wait().unwrap();
    assert!(killed > 0, "the search was over too soon");
    assert_eq!(status.code(), Some(0), "{search} {signal}");
    timeless(serde_json::from_str(&bench.read("result")).unwrap())
}

#[test]
fn checkpoints_that_do_not_fit_are_refused() {
    let bench = bench();
    assert_eq!(bench.run("check mixed --no-judge --explorer bounded --checkpoint state").status, 1);
    let refused = |line: &str, words: &str| {
        let ran = bench.run(line);
        assert_eq!((ran.status, ran.output.as_str()), (2, ""), "{line}: {ran:?}");
        assert!(ran.errors.starts_with(&format!("error: {words}\nhelp: ")), "{line}: {}", ran.errors);
    };
    refused(
        "check long --explorer bounded --checkpoint state",
        "state: a checkpoint of another search: another target",
    );
    refused(
        "check mixed --preemptions 1 --explorer bounded --checkpoint state",
        "state: a checkpoint of another search: other options of `fencehound check`",
    );
    refused(
        "check mixed --explorer bounded --checkpoint state -- 1",
        "state: a checkpoint of another search: other program arguments",
    );
    refused("check mixed --checkpoint mixed.c", "mixed.c: not a checkpoint of fencehound");
    refused("check mixed --checkpoint none/state", "none/state: cannot be written: no such file or directory");
    refused("check mixed --checkpoint .", ".: not a file");
    refused(
        "check mixed --explorer dpor --checkpoint state",
        "state: a checkpoint of another search: other options of `fencehound check`",
    );
    refused("check mixed -j 0", "-j `0` is no number of processes");
    refused("check mixed -j many", "-j `many` is no number of processes");
    let mut bytes = fs::read(bench.path("state")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(bench.path("state"), &bytes).unwrap();
    refused("check mixed --explorer bounded --checkpoint state", "state: a corrupt checkpoint");
    fs::write(bench.path("state"), &bytes[..middle]).unwrap();
    refused("check mixed --explorer bounded --checkpoint state", "state: a corrupt checkpoint");
    assert_eq!(fs::read(bench.path("state")).unwrap(), &bytes[..middle], "a file that is refused is left alone");
    fs::copy(bench.path("numbered"), bench.path("other")).unwrap();
    assert_eq!(bench.run("check other --no-judge --checkpoint another").status, 1);
    fs::copy(bench.path("mixed"), bench.path("other")).unwrap();
    refused(
        "check other --checkpoint another",
        "another: a checkpoint of another search: another version of the program",
    );
}

#[test]
fn a_long_search_says_how_far_it_is() {
    let bench = bench();
    let ran = bench.run("check long --explorer bounded --preemptions 6 --time 21s");
    assert_eq!(ran.status, 3, "{ran:?}");
    let lines: Vec<&str> = ran.errors.lines().collect();
    // A line in ten seconds; a busy machine may have no estimate for the first one, and be there for another one.
    let is_whole = |line: &&str| {
        let parts = [" executions, ", "/s, ", " of at most 6 preemptions, "];
        parts.iter().all(|part| line.contains(part)) && line.ends_with(" MB")
    };
    assert!(lines.len() >= 2 && lines.iter().all(is_whole), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains(" % of about ")), "{lines:?}");
}

#[test]
fn other_explorers_give_the_same_result_in_slices() {
    let bench = bench();
    for program in ["mixed", "numbered"] {
        for explorer in ["random", "pct", "urw"] {
            let search = format!("{program} --explorer {explorer} --executions 400 --seed 3");
            let expected = everything(&bench, &format!("{search} -j 1"));
            assert_eq!(executions(&expected.0), 400);
            for spread in ["-j 1 --slice-executions 9", "-j 4 --slice-executions 7", "-j 2"] {
                assert_eq!(everything(&bench, &format!("{search} {spread}")), expected, "{search} {spread}");
            }
        }
    }
}

#[test]
fn classes_are_the_same_in_any_number_of_processes() {
    let bench = bench();
    bench.quietly("cc -O1 -DEARLY -o early divided.c");
    let early = bench.check("early --explorer dpor -j 1");
    let searches = ["mixed", "mixed --preemptions 1", "mixed --stop-at-first", "numbered", "divided", "left"];
    for search in searches {
        let search = format!("{search} --explorer dpor");
        let expected = everything(&bench, &format!("{search} -j 1"));
        if search.starts_with("divided") {
            assert_eq!(executions(&expected.0), executions(&early), "memory that is in pieces from the beginning");
        }
        for spread in ["-j 1 --slice-executions 1", "-j 2 --slice-executions 3", "-j 4 --slice-executions 7", "-j 2"] {
            assert_eq!(everything(&bench, &format!("{search} {spread}")), expected, "{search} {spread}");
        }
    }
}

#[test]
fn a_search_for_classes_that_is_killed_ends_as_if_it_had_not_been() {
    let bench = bench();
    let search = "loops --explorer dpor";
    let expected = everything(&bench, search);
    // As other tools for classes count them.
    assert_eq!(executions(&expected.0), 73_789);
    let kept = kill(&bench, search, 20);
    assert!(kept > 3, "little was kept: {kept}");
    assert_eq!(everything(&bench, &format!("{search} --checkpoint state")), expected);
}

/// Which threads `numbered` has depends on values, so it is searched in sequence; `divided`,
/// `split` and `left` are refused, or fail.
#[test]
fn execution_graphs_are_the_same_in_any_number_of_processes() {
    let bench = bench();
    let searches = [
        "mixed --model tso",
        "mixed --model pso --executions 5",
        "mixed --model sc --explorer rsmc",
        "mixed.c --model power",
        "mixed.c --model armv8",
        "mixed.c --model c11",
        "mixed --model tso --max-events 6",
        "numbered --model tso",
        "divided --model tso",
        "split --model tso",
        "left --model tso",
        "left --model pso --stop-at-first",
    ];
    for search in searches {
        // What is looked for in a limited time may be found in one run and not in the other.
        let search = format!("{search} --no-advice --no-judge");
        let expected = everything(&bench, &format!("{search} -j 1"));
        for spread in ["-j 1 --slice-executions 1", "-j 2 --slice-executions 3", "-j 4 --slice-executions 2", "-j 2"] {
            assert_eq!(everything(&bench, &format!("{search} {spread}")), expected, "{search} {spread}");
        }
    }
}

/// The pairs of ascending sequences that c-tests/models/store-buffering-loop.c describes are 4, 35, 364, 4,116, 49,104 and, for
/// six rounds, 608,751, by an enumeration that knows nothing of the tool.
#[test]
fn a_search_for_execution_graphs_that_is_killed_ends_as_if_it_had_not_been() {
    let bench = bench();
    let search = GRAPHS;
    let expected = everything(&bench, search);
    assert_eq!(executions(&expected.0), 608_751);
    let kept = kill(&bench, search, 20);
    assert!(kept > 3, "little was kept: {kept}");
    assert_eq!(everything(&bench, &format!("{search} --checkpoint state")), expected);
    let ran = bench.run(&format!("check {search} --time 500ms --checkpoint timed"));
    assert_eq!(ran.status, 3, "{ran:?}");
    assert_eq!(everything(&bench, &format!("{search} --checkpoint timed")), expected);
}

/// Each names sets that a test of its own knows (`known_fences`, c-tests/relax): here two processes come to the same text.
#[test]
fn fences_and_orders_are_the_same_in_any_number_of_processes() {
    let queue = include_str!("../../../c-tests/papers/take-queue.c");
    let lock = include_str!("../../../c-tests/relax/sequence-lock.c");
    let bench = Bench::new(&[("queue.c", queue), ("lock.c", lock)]);
    for search in
        ["fences queue.c --model pso", "fences lock.c --cflags -DWEAKEST --model power", "relax lock.c --model c11"]
    {
        let told = |spread: &str| {
            let ran = bench.run(&format!("{search} {spread}"));
            (ran.status, ran.output, ran.errors)
        };
        let expected = told("-j 1");
        assert!(expected.0 <= 1, "{search}: {expected:?}");
        for spread in ["-j 2 --slice-executions 1", "-j 3 --slice-executions 4", "-j 2"] {
            assert_eq!(told(spread), expected, "{search} {spread}");
        }
    }
}

#[test]
fn a_log_without_executions_is_called_one() {
    let bench =
        Bench::new(&[("none.c", "#include <fencehound.h>\nint main(void) {\n    fh_assume(0);\n    return 0;\n}\n")]);
    let ran = bench.run("check none.c --record none.log");
    assert_eq!((ran.status, bench.read("none.log").as_str()), (0, ""), "{ran:?}");
    assert_eq!(ran.errors, "note: no execution was recorded in none.log\n");
}

/// One thread sleeps on a condition variable that nobody signals; `-DWOKEN` joins it after a signal.
const ABANDONED: &str = "#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static int done;
static void *sleeper(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!done)
        pthread_cond_wait(&woken, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, sleeper, 0);
#ifdef WOKEN
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_signal(&woken);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
#endif
    return 0;
}
";

#[test]
fn a_thread_that_waits_when_main_has_returned_is_named_in_a_note() {
    let bench = Bench::new(&[("left.c", ABANDONED)]);
    for options in ["", "--preemptions none -j 2", "--explorer dpor"] {
        let ran = bench.run(&format!("check left.c {options}"));
        assert_eq!(ran.status, 0, "{options}: {ran:?}");
        let said = format!("{}{}", ran.output, ran.errors);
        let note = "note: a thread still waits for ever when the process has ended: T1 sleeps at left.c:8 on woken\n";
        assert_eq!(said.matches(note).count(), 1, "{options}: {ran:?}");
        let ran = bench.run(&format!("check left.c --json - {options}"));
        let result: Value = serde_json::from_str(&ran.output).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        let left = &result["left_waiting"];
        assert_eq!((&left[0]["thread"], &left[0]["line"]), (&1.into(), &8.into()), "{options}: {ran:?}");
        assert!(left[1].is_null(), "{options}: {ran:?}");
        let ran = bench.run(&format!("check left.c -DWOKEN --json - {options}"));
        assert!(ran.status == 0 && !ran.output.contains("left_waiting"), "{options}: {ran:?}");
        assert!(!ran.errors.contains("still waits"), "{options}: {ran:?}");
    }
}

#[test]
fn graphs_see_who_is_too_early_for_an_object() {
    let bench = Bench::new(&[(
        "init.c",
        "#include <pthread.h>\npthread_mutex_t m;\nstatic void *use(void *a) {\n    pthread_mutex_lock(&m);\n    \
         pthread_mutex_unlock(&m);\n    return a;\n}\nint main(void) {\n    pthread_t t;\n#ifdef FIRST\n    \
         pthread_mutex_init(&m, 0);\n#endif\n    pthread_create(&t, 0, use, 0);\n#ifndef FIRST\n    \
         pthread_mutex_init(&m, 0);\n#endif\n    pthread_join(t, 0);\n    return 0;\n}\n",
    )]);
    for options in ["--model tso", "--explorer bounded"] {
        let ran = bench.run(&format!("check init.c {options}"));
        assert!(ran.status == 1, "{options}: {ran:?}");
        assert!(ran.output.contains("pthread_mutex_init of a mutex that is initialised already"), "{options}: {ran:?}");
        let ran = bench.run(&format!("check init.c -DFIRST {options}"));
        assert!(ran.status == 0, "{options}: {ran:?}");
    }
}

#[test]
fn an_endless_loop_is_shown_without_waiting_for_it() {
    let bench = Bench::new(&[(
        "endless.c",
        "#include <stdatomic.h>\natomic_int x;\nvolatile int turns;\nint main(void) {\n    atomic_store(&x, 1);\n    \
         for (int own = 0;; own++)\n        __asm__ volatile(\"\" : \"+r\"(own));\n}\n",
    )]);
    bench.quietly("cc -O1 -o endless endless.c");
    // It would come to no end within the time.
    let ran = bench.run("check endless --local-timeout 10000s");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.output.contains("main goes round the loop at endless.c:7"), "{ran:?}");
}

/// A library that computes, or waits, for longer than a thread may.
#[test]
fn what_takes_too_long_is_no_livelock() {
    let bench = Bench::new(&[(
        "long.c",
        "#include <unistd.h>\nvolatile int x;\nstatic unsigned long compute(unsigned long rounds) {\n    \
         unsigned long hash = 1;\n    for (unsigned long i = 0; i < rounds; i++)\n        hash = hash * 31 + (i ^ hash);\n    \
         return hash;\n}\nint main(void) {\n    x = 1;\n    int ends[2];\n    char byte;\n#ifdef WAITS\n    \
         pipe(ends);\n    read(ends[0], &byte, 1);\n#else\n    x = compute(12000000000ul) + sizeof ends + sizeof byte;\n\
         #endif\n}\n",
    )]);
    for options in ["", "-DWAITS", "--explorer dpor", "--model tso", "--explorer random --executions 2"] {
        let ran = bench.run(&format!("check long.c --local-timeout 1s --json - {options}"));
        assert_eq!(ran.status, 3, "{options}: {ran:?}");
        assert!(ran.output.contains("\"stopped_by\": \"local-timeout\""), "{options}: {ran:?}");
        let thread = "\"silent_thread\": {\n    \"thread\": 0,\n    \"file\": \"long.c\",";
        assert!(ran.output.contains(thread), "{options}: {ran:?}");
        let said = format!("{}{}", ran.output, ran.errors);
        assert!(said.contains("raise --local-timeout"), "{options}: {ran:?}");
        assert!(said.contains("in which main did nothing that others could see in"), "{options}: {ran:?}");
        if options == "-DWAITS" {
            assert!(said.contains("long.c:15"), "the call of read: {ran:?}");
        }
    }
}

/// The folders that the tool compiles in.
fn workplaces(bench: &Bench) -> usize {
    fs::read_dir(bench.path("tmp")).unwrap().count()
}

#[test]
fn what_a_killed_tool_leaves_is_deleted_by_the_next_one() {
    let bench = Bench::new(&[("long.c", LONG), ("mixed.c", MIXED)]);
    fs::create_dir(bench.path("tmp")).unwrap();
    let start = |line: &str| {
        let mut command = Command::new(tool());
        command.args(line.split_whitespace()).current_dir(bench.path(".")).env("TMPDIR", bench.path("tmp"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut killed = start("check long.c --preemptions 6");
    let mut living = start("check long.c --preemptions 6 --out elsewhere");
    let searches = |tool: u32| {
        let is_program =
            |child: u32| fs::read_link(format!("/proc/{child}/exe")).is_ok_and(|exe| exe.ends_with("program"));
        children(tool).into_iter().any(is_program)
    };
    while !searches(killed.id()) || !searches(living.id()) {
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(killed.kill());
    drop(killed.wait());
    assert_eq!(workplaces(&bench), 2);
    assert_eq!(start("check mixed.c").wait().unwrap().code(), Some(1));
    assert_eq!(workplaces(&bench), 1, "that of the search that is under way is left");
    drop(living.kill());
    drop(living.wait());
    assert_eq!(start("check mixed.c").wait().unwrap().code(), Some(1));
    assert_eq!(workplaces(&bench), 0);
}

#[test]
fn monitors_say_of_a_recorded_search_what_they_say_of_the_search() {
    const MONITORS: &str = "--monitor burnim_tso,prefix_tso,prefix_pso,exact_tso,sober";
    let bench = bench();
    for search in ["mixed --preemptions none", "mixed --preemptions 2 -j 2 --slice-executions 3", "numbered -j 1"] {
        let searched = bench.check(&format!("{search} {MONITORS} --record search.log"));
        let ran = bench.run(&format!("monitor search.log {MONITORS} --json -"));
        let watched: Value = serde_json::from_str(&ran.output).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        let executions = bench.read("search.log").lines().filter(|line| line.contains("\"log\":1")).count();
        assert!(executions > 10 && searched["runs"] == executions, "{search}: {executions} {searched}");
        for key in ["executions", "runs", "reporting", "distinct", "distinct_triples"] {
            assert_eq!(watched[key], searched[key], "{search}: {key}");
        }
    }
}
