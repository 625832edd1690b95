//! All small programs: on every one of them, a monitor reports on some interleaving iff the operational machine of its
//! model has an execution that is not sequentially consistent. That is soundness and completeness in one.

mod oracle;

use std::sync::atomic::{AtomicUsize, Ordering};

use engine::model::MemoryModel;
use engine::monitor::burnim::Burnim;
use oracle::definition::{self, Relaxed};
use oracle::machine::{self, Machine};
use oracle::program::{Access, Action, Addresses, Barrier, Op, Program};
use oracle::replay;

/// The accesses to these sets of addresses; what a write writes does not matter without guards.
fn accesses<'a>(access: &'a [Access], addresses: &'a [u8]) -> impl Iterator<Item = Action> + 'a {
    addresses.iter().flat_map(move |&mask| access.iter().map(move |&access| Action::plain(access, Addresses(mask))))
}

const A: u8 = 0b001;
const B: u8 = 0b010;
const C: u8 = 0b100;

/// Two addresses × {load, store, exchange}, and the full fence.
fn single() -> Vec<Action> {
    let access = [Access::Load, Access::Store(1), Access::Exchange(1)];
    accesses(&access, &[A, B]).chain([Action::Fence(Barrier::Full)]).collect()
}

/// {load, store} × two addresses and both at once.
fn of_two_bytes() -> Vec<Action> {
    accesses(&[Access::Load, Access::Store(1)], &[A, B, A | B]).collect()
}

/// Those, and the exchange of both at once.
fn with_exchange() -> Vec<Action> {
    let exchange = Action::plain(Access::Exchange(1), Addresses(A | B));
    of_two_bytes().into_iter().chain([exchange]).collect()
}

/// {load, store, exchange} × three addresses and two neighbouring ones at once.
fn of_three_bytes() -> Vec<Action> {
    accesses(&[Access::Load, Access::Store(1), Access::Exchange(1)], &[A, B, C, A | B, B | C]).collect()
}

/// All threads of 1 to `longest` of these actions.
fn threads(actions: &[Action], longest: u32) -> Vec<Vec<Op>> {
    let op = |number: usize| Op { guard: None, action: actions[number] };
    let count = actions.len();
    let of_length = |length: u32| {
        (0..count.pow(length)).map(move |code| (0..length).map(|place| op(code / count.pow(place) % count)).collect())
    };
    (1..=longest).flat_map(of_length).collect()
}

/// All programs of `count` of these threads; those that differ in the order of their threads alone are one.
fn programs(threads: &[Vec<Op>], count: usize) -> Vec<Program> {
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..count {
        let extend = |program: &Vec<usize>| {
            let program = program.clone();
            let least = program.last().copied().unwrap_or(0);
            (least..threads.len()).map(move |thread| [program.as_slice(), &[thread]].concat())
        };
        chosen = chosen.iter().flat_map(extend).collect();
    }
    let program =
        |chosen: &Vec<usize>| Program { threads: chosen.iter().map(|&thread| threads[thread].clone()).collect() };
    chosen.iter().map(program).collect()
}

/// Checks one program; the number of its interleavings.
fn check(program: &Program, monitor: &mut Burnim) -> usize {
    let mut reported = [false; 2];
    let mut reports = Vec::new();
    let mut interleavings = 0;
    Machine::new(program, machine::Model::Sc).interleavings(&mut |run, _| {
        interleavings += 1;
        replay::run(monitor, run, &mut reports);
        for (model, reported) in [Relaxed::Tso, Relaxed::Pso].into_iter().zip(&mut reported) {
            let reports = replay::of_model(&reports, model);
            assert_eq!(reports, definition::Monitor::watch(model, run), "{model:?}, {program}");
            *reported |= !reports.is_empty();
        }
    });
    let robust = [machine::Model::Tso, machine::Model::Pso].map(|model| Machine::new(program, model).is_robust());
    assert_eq!(reported, robust.map(|robust| !robust), "[TSO, PSO], {program}");
    assert!(robust[0] || !robust[1], "what breaks under TSO breaks under PSO: {program}");
    interleavings
}

/// Checks all programs on all processors; the number of programs checked and that of their interleavings.
fn check_all(programs: &[Program]) -> (usize, usize) {
    let next = AtomicUsize::new(0);
    let checker = || {
        let mut monitor = Burnim::new(&[MemoryModel::Tso, MemoryModel::Pso]);
        let (mut checked, mut interleavings) = (0, 0);
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            interleavings += check(program, &mut monitor);
            checked += 1;
        }
        (checked, interleavings)
    };
    std::thread::scope(|scope| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let checkers: Vec<_> = (0..processors).map(|_| scope.spawn(checker)).collect();
        let sum = |a: (usize, usize), b: (usize, usize)| (a.0 + b.0, a.1 + b.1);
        checkers.into_iter().map(|checker| checker.join().expect("no check failed")).fold((0, 0), sum)
    })
}

/// The number of ways to choose k of n.
fn binomial(n: usize, k: usize) -> usize {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

/// The number of interleavings of all programs of two threads of 1 to 3 of so many actions.
///
/// Of threads with m and n operations there are C(m+n, m), and the pairs counted in both orders are twice the programs
/// but for those of two equal threads.
fn interleavings_of_two(actions: usize) -> usize {
    let of_lengths = |m: usize, n: usize| actions.pow((m + n) as u32) * binomial(m + n, m);
    let ordered: usize = (1..=3).flat_map(|m| (1..=3).map(move |n| of_lengths(m, n))).sum();
    let equal: usize = (1..=3).map(|m| actions.pow(m as u32) * binomial(2 * m, m)).sum();
    (ordered + equal) / 2
}

#[test]
fn two_threads_of_up_to_three_operations() {
    for (actions, of_one, of_two) in [(single(), 399, 79_800), (of_two_bytes(), 258, 33_411)] {
        let count = actions.len();
        let threads = threads(&actions, 3);
        assert_eq!(threads.len(), of_one);
        assert_eq!(of_one, count + count.pow(2) + count.pow(3));
        let programs = programs(&threads, 2);
        // Two of these threads, repetition allowed.
        assert_eq!(of_two, binomial(of_one + 1, 2));
        assert_eq!(check_all(&programs), (of_two, interleavings_of_two(count)));
    }
}

#[test]
fn three_threads_of_up_to_two_operations() {
    for actions in [single(), with_exchange()] {
        let threads = threads(&actions, 2);
        assert_eq!(threads.len(), 7 + 7 * 7);
        let programs = programs(&threads, 3);
        // Three of 56 threads, repetition allowed.
        assert_eq!(programs.len(), binomial(56 + 2, 3));
        let (checked, _) = check_all(&programs);
        assert_eq!(checked, 30_856);
    }
}

#[test]
fn two_threads_of_up_to_two_operations_on_overlapping_bytes() {
    let threads = threads(&of_three_bytes(), 2);
    assert_eq!(threads.len(), 15 + 15 * 15);
    let (checked, _) = check_all(&programs(&threads, 2));
    assert_eq!(checked, binomial(240 + 1, 2));
}
