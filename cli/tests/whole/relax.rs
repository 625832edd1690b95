//! `fencehound relax`: algorithms written with `seq_cst` throughout come out with the orders that their authors publish, or
//! weaker ones. The programs (`c-tests/relax/`) name these orders beside each access: `O(release)`.

use crate::bench::Bench;

const QUEUE: &str = include_str!("../../../c-tests/relax/michael-scott-queue.c");
const RING: &str = include_str!("../../../c-tests/relax/ring.c");
const SEQUENCE_LOCK: &str = include_str!("../../../c-tests/relax/sequence-lock.c");
const STACK: &str = include_str!("../../../c-tests/relax/treiber-stack.c");
const MCS_LOCK: &str = include_str!("../../../c-tests/relax/mcs-lock.c");

/// The orders that the text names, each with the line where its access or fence begins.
fn named(program: &str) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    let mut begins = 0;
    for (line, text) in (1..).zip(program.lines()).filter(|(_, text)| !text.starts_with("#define")) {
        if text.contains("atomic_") {
            begins = line;
        }
        let orders = text.split("O(").skip(1).filter_map(|rest| rest.split_once(')')).map(|(order, _)| order);
        for order in orders {
            let is_fence = text.contains("atomic_thread_fence");
            let order = if is_fence && order == "relaxed" { "none" } else { order };
            match all.last_mut() {
                Some((last, orders)) if *last == begins => *orders = format!("{orders}, {order} on failure"),
                _ => all.push((begins, order.to_string())),
            }
        }
    }
    all
}

/// The orders that the tool finds, each with its line.
fn found(output: &str) -> Vec<(usize, String)> {
    let told = output.lines().filter_map(|line| line.strip_prefix("  a.c:"));
    let told = told.filter_map(|line| {
        let (place, rest) = line.split_once(" (")?;
        let (_, orders) = rest.split_once("): ")?;
        let (needs, _) = orders.split_once(" for ")?;
        Some((place.parse().ok()?, needs.to_string()))
    });
    told.collect()
}

#[test]
fn known_algorithms_come_out_with_their_published_orders() {
    for program in [QUEUE, RING, SEQUENCE_LOCK, STACK, MCS_LOCK] {
        let bench = Bench::new(&[("a.c", program)]);
        let ran = bench.run("relax a.c");
        assert_eq!(ran.status, 1, "{ran:?}");
        assert_eq!(found(&ran.output), named(program), "{}", ran.output);
        let last = ran.output.lines().last().unwrap();
        let under = "can have weaker orders under C11, x86 (TSO), ARMv8, RISC-V and POWER: all executions (";
        assert!(last.starts_with("weaker: ") && last.contains(under) && last.contains(") end as under SC; "), "{last}");
        // With these orders there is nothing left to weaken.
        let ran = bench.run("relax a.c -DWEAKEST");
        assert_eq!(ran.status, 0, "{ran:?}");
        assert!(ran.output.lines().last().unwrap().starts_with("clean: no order can be weaker under C11, "), "{ran:?}");
    }
}

const BUFFERING: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
    static atomic_int x, y;\nstatic int r1, r2;\n\
    static void *left(void *unused) { x = 1; r1 = y; return unused; }\n\
    static void *right(void *unused) { y = 1; r2 = x; return unused; }\n\
    int main(void) {\n    pthread_t a, b;\n    pthread_create(&a, NULL, left, NULL);\n\
    pthread_create(&b, NULL, right, NULL);\n    pthread_join(a, NULL);\n    pthread_join(b, NULL);\n    return 0;\n}\n";

#[test]
fn what_is_needed_stays_and_is_told_with_what_comes_of_less() {
    let bench = Bench::new(&[("a.c", BUFFERING)]);
    let ran = bench.run("relax a.c --model armv8");
    assert_eq!(ran.status, 0, "{ran:?}");
    let stays =
        "  a.c:6 (store x): seq_cst stays\n      with release C11 shows r1 = 0 and r2 = 0, as no SC execution does\n";
    assert!(ran.output.contains(stays), "{ran:?}");
    let last = ran.output.lines().last().unwrap();
    assert!(
        last.starts_with("clean: no order can be weaker under C11 and ARMv8: all executions (3 C11, 3 ARMv8)"),
        "{last}"
    );
}

#[test]
fn the_order_of_failure_is_told_from_that_of_success() {
    let ran = Bench::new(&[("a.c", STACK)]).run("relax a.c --model c11");
    let reasons: Vec<&str> = ran.output.lines().filter(|line| line.starts_with("      with relaxed")).collect();
    let of_failure = reasons.iter().filter(|line| line.starts_with("      with relaxed on failure C11 breaks, crash"));
    assert_eq!((reasons.len(), of_failure.count()), (3, 1), "{ran:?}");
}

#[test]
fn a_program_that_is_not_right_is_not_relaxed() {
    let racy = BUFFERING.replace("static atomic_int x, y;", "static atomic_int y;\nstatic int x;");
    let bench = Bench::new(&[("a.c", &racy)]);
    let ran = bench.run("relax a.c");
    assert_eq!(ran.status, 1, "{ran:?}");
    let last = ran.output.lines().last().unwrap();
    assert!(last.starts_with("violations: not right as it is: C11 "), "{last}");
}

#[test]
fn who_is_stopped_is_told_which_option_gives_more_time() {
    let bench = Bench::new(&[("a.c", BUFFERING)]);
    let ran = bench.run("relax a.c --time 1ms");
    assert_eq!(ran.status, 3, "{ran:?}");
    let last = ran.output.lines().last().unwrap();
    assert!(last.contains("stopped by --time 1ms: give it more"), "{last}");
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let bench = Bench::new(&[("a.c", BUFFERING), ("a.litmus", "C a\n")]);
    for (arguments, words) in [
        ("relax a.c --model sc", "under model `sc` no order is needed"),
        ("relax a.c --monitor tso", "--monitor does not go with `relax`"),
        ("relax a.c --json -", "--json does not go with `relax`"),
        ("relax a.c --unroll 3", "--unroll does not go with `relax`"),
        ("relax a.c --baseline known", "--baseline does not go with `relax`"),
        ("relax a.litmus", "orders of litmus tests are not weakened"),
    ] {
        let ran = bench.run(arguments);
        assert!(ran.status == 2 && ran.errors.contains(words), "{arguments}: {ran:?}");
    }
}
