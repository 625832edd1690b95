//! The classic shapes under C11 itself, each with the count that follows by argument, data races, and what sets C11 apart
//! from the machines.

use engine::explore::rsmc::Continue;
use engine::graph::causality::Causality;
use litmus::condition::Observation;
use litmus::graphs::{MemoryModel, Outcome, explore};
use litmus::outcomes::Outcomes;
use litmus::parse::parse;

/// Executions, whether what the condition asks for is among them, and whether some have a data race.
type Found = (u64, Observation, bool);

/// A test in C with x and y, atomic, and z, which is not.
fn run(threads: &[&str], condition: &str) -> Found {
    let functions: Vec<String> = threads
        .iter()
        .enumerate()
        .map(|(number, body)| format!("P{number} (atomic_int *x, atomic_int* y, int* z) {{ {body} }}\n"))
        .collect();
    let text = format!("C shape\n{{ [x]=0; }}\n{}exists {condition}\n", functions.concat());
    let test = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut outcomes = Outcomes::default();
    let mut races = false;
    let (counts, result) = explore(&test, MemoryModel::C11, 1000, &mut |finished| {
        let Outcome::Final(state) = finished.outcome else { panic!("a loop without an access") };
        outcomes.count(&test, &state);
        races |= finished.race.is_some();
        Continue::Yes
    });
    assert_eq!(result, Ok(()));
    (counts.executions, outcomes.observation(), races)
}

/// Of the four ways to read from two stores, the one in question is the only one that is not sequentially consistent.
fn four(threads: &[&str; 2], condition: &str, weak: bool) {
    let observation = if weak { Observation::Sometimes } else { Observation::Never };
    assert_eq!(run(threads, condition), (3 + u64::from(weak), observation, false), "{threads:?}");
}

fn store(place: &str, value: u32, order: &str) -> String {
    format!("atomic_store_explicit({place}, {value}, memory_order_{order});")
}

fn load(register: &str, place: &str, order: &str) -> String {
    format!("int {register} = atomic_load_explicit({place}, memory_order_{order});")
}

fn fence(order: &str) -> String {
    format!("atomic_thread_fence(memory_order_{order});")
}

#[test]
fn store_buffering() {
    let shape = |first: &str, between: &str, second: &str, weak: bool| {
        let thread = |own, other| format!("{} {between} {}", store(own, 1, first), load("r", other, second));
        four(&[&thread("x", "y"), &thread("y", "x")], "(0:r=0 /\\ 1:r=0)", weak);
    };
    shape("relaxed", "", "relaxed", true);
    shape("release", "", "acquire", true);
    shape("seq_cst", "", "seq_cst", false);
    shape("seq_cst", "", "acquire", true);
    shape("relaxed", &fence("seq_cst"), "relaxed", false);
    shape("relaxed", &fence("acq_rel"), "relaxed", true);
}

#[test]
fn message_passing() {
    let shape = |writer: &str, reader: &str, weak: bool| {
        let first = format!("{} {writer}", store("x", 1, "relaxed"));
        let second = format!("{reader} {}", load("s", "x", "relaxed"));
        four(&[&first, &second], "(1:r=1 /\\ 1:s=0)", weak);
    };
    let release = store("y", 1, "release");
    let acquire = load("r", "y", "acquire");
    let relaxed = (store("y", 1, "relaxed"), load("r", "y", "relaxed"));
    shape(&relaxed.0, &relaxed.1, true);
    shape(&release, &relaxed.1, true);
    shape(&relaxed.0, &acquire, true);
    shape(&release, &acquire, false);
    shape(&format!("{} {}", fence("release"), relaxed.0), &acquire, false);
    shape(&release, &format!("{} {}", relaxed.1, fence("acquire")), false);
    shape(&format!("{} {}", fence("release"), relaxed.0), &format!("{} {}", relaxed.1, fence("acquire")), false);
    shape(&format!("{} {}", fence("acquire"), relaxed.0), &acquire, true);
}

/// C11 has no value out of thin air, at the price of load buffering, which ARM and POWER have.
#[test]
fn load_buffering_is_forbidden() {
    let thread = |own, other| format!("{} {}", load("r", own, "relaxed"), store(other, 1, "relaxed"));
    four(&[&thread("x", "y"), &thread("y", "x")], "(0:r=1 /\\ 1:r=1)", false);
}

/// Two stores each, by releases, may overtake each other, as on no machine; two readers may disagree on the order of two
/// independent releases; sequential consistency forbids both.
#[test]
fn releases_are_in_no_order_that_all_see() {
    let twice = |own, other, order| format!("{} {}", store(own, 2, order), store(other, 1, order));
    let both = |order| [twice("x", "y", order), twice("y", "x", order)];
    for (order, weak) in [("relaxed", true), ("release", true), ("seq_cst", false)] {
        let [one, other] = both(order);
        four(&[&one, &other], "(x=2 /\\ y=2)", weak);
    }
    let weak = "(2:r=1 /\\ 2:s=0 /\\ 3:r=1 /\\ 3:s=0)";
    for (stored, loaded, executions) in [("release", "acquire", 16), ("seq_cst", "seq_cst", 15)] {
        let reader = |one, other| format!("{} {}", load("r", one, loaded), load("s", other, loaded));
        let threads = [store("x", 1, stored), store("y", 1, stored), reader("x", "y"), reader("y", "x")];
        let threads: Vec<&str> = threads.iter().map(String::as_str).collect();
        assert_eq!(run(&threads, weak).0, executions);
    }
}

/// An acquire that reads what an update has made of a release synchronises with that; a relaxed store of another thread
/// ends the sequence.
#[test]
fn release_sequences() {
    let writer = format!("*z = 1; {}", store("x", 1, "release"));
    let add = "int a = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);";
    let reader = |value| format!("{} if (r == {value}) {{ int s = *z; }}", load("r", "x", "acquire"));
    // 1 or 2 is read from the sequence, so a reader that sees the sum sees z.
    assert!(!run(&[&writer, "int b = 0;", &reader(1)], "(2:r=1)").2);
    let guarded = format!("{add} if (a == 1) {{ int c = 0; }}");
    assert!(!run(&[&writer, &guarded, &reader(2)], "(2:r=2)").2);
    assert!(run(&[&writer, &store("x", 2, "relaxed"), &reader(2)], "(2:r=2)").2);
    // Its own later store is of the sequence before C++20.
    let again = format!("{writer} {}", store("x", 2, "relaxed"));
    assert!(!run(&[&again, "int b = 0;", &reader(2)], "(2:r=2)").2);
}

#[test]
fn data_races() {
    let flag = |order| format!("*z = 1; {}", store("x", 1, order));
    let wait = |order| format!("{} if (r == 1) {{ int s = *z; }}", load("r", "x", order));
    assert!(run(&[&flag("relaxed"), &wait("relaxed")], "(1:r=1)").2);
    assert!(run(&[&flag("release"), &wait("relaxed")], "(1:r=1)").2);
    assert!(!run(&[&flag("release"), &wait("acquire")], "(1:r=1)").2);
    assert!(run(&["*z = 1;", "int r = *z;"], "(z=1)").2);
    assert!(!run(&["int r = *z;", "int r = *z;"], "(z=0)").2);
    // Mixed: an atomic access races with one that is not.
    assert!(run(&["atomic_store_explicit(z, 1, memory_order_seq_cst);", "int r = *z;"], "(z=1)").2);
}

/// A compare-and-swap that fails orders by its second order alone, and orders nothing but itself by that.
#[test]
fn a_compare_and_swap_that_fails() {
    let reader = |failure: &str| {
        format!(
            "int e = 5; int s = atomic_compare_exchange_strong_explicit(x, &e, 7, memory_order_acquire, \
             memory_order_{failure}); if (e == 1) {{ int r = *z; }}"
        )
    };
    let writer = format!("*z = 1; {}", store("x", 1, "release"));
    assert!(run(&[&writer, &reader("relaxed")], "(1:e=1)").2);
    assert!(!run(&[&writer, &reader("acquire")], "(1:e=1)").2);
    // It is no fence, however strong: what comes after it may take effect before what comes before it.
    let failing = "int e = 9; int f = atomic_compare_exchange_strong_explicit(y, &e, 3, memory_order_relaxed, \
                   memory_order_seq_cst);";
    let thread = |own, other| format!("{} {failing} {}", store(own, 1, "relaxed"), load("r", other, "relaxed"));
    assert_eq!(run(&[&thread("x", "z"), &thread("z", "x")], "(0:r=0 /\\ 1:r=0)").1, Observation::Sometimes);
}

/// Executions of tests in C under a machine: all, and those with a cycle of program order and reads-from.
fn circles(threads: &[String], model: MemoryModel) -> [usize; 2] {
    let function = |(number, body): (usize, &String)| {
        format!("P{number} (atomic_int *x, atomic_int* y, atomic_int* z) {{ {body} }}\n")
    };
    let functions: String = threads.iter().enumerate().map(function).collect();
    let test = parse(&format!("C shape\n{{ [x]=0; }}\n{functions}exists (x=0)\n")).unwrap();
    let mut found = [0, 0];
    let (_, result) = explore(&test, model, 1000, &mut |finished| {
        found[0] += 1;
        found[1] += usize::from(finished.causality() == Causality::Circular);
        Continue::Yes
    });
    assert_eq!(result, Ok(()));
    found
}

/// Of the executions in which each of n threads reads what the next one writes, or not, one is a circle: that in which all do. C11
/// has all the others.
#[test]
fn machines_have_circles_that_c11_leaves_out() {
    let reads_then_writes = |from: &str, to: &str| load("r", from, "relaxed") + &store(to, 1, "relaxed");
    let two = ["x", "y"].map(|from| reads_then_writes(from, if from == "x" { "y" } else { "x" }));
    let three = [("x", "y"), ("y", "z"), ("z", "x")].map(|(from, to)| reads_then_writes(from, to));
    let published =
        [store("x", 1, "relaxed") + &store("y", 1, "relaxed"), load("r", "y", "relaxed") + &load("s", "x", "relaxed")];
    for model in [MemoryModel::Armv8, MemoryModel::Riscv, MemoryModel::Power] {
        assert_eq!(
            [circles(&two, model), circles(&three, model), circles(&published, model)],
            [[4, 1], [8, 1], [4, 0]]
        );
    }
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso, MemoryModel::C11] {
        assert_eq!([circles(&two, model), circles(&three, model)], [[3, 0], [7, 0]]);
    }
}
