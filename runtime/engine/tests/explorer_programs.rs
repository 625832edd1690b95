//! The explorer `dpor` on all small programs, and on random ones: its classes are those of all interleavings, each run
//! once; and on these runs the monitors that do not depend on the order of events without conflict say whether the
//! operational machines of TSO and PSO have an execution that is not sequentially consistent.

mod oracle;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine::monitor::{self, Monitor, Name, Report};
use oracle::classes;
use oracle::definition::{self, Class};
use oracle::machine::{self, Machine, Step};
use oracle::program::{Access, Action, Addresses, Barrier, Op, Program};
use oracle::random::{self, Ingredients, Random};
use oracle::replay;

const NAMES: [Name; 4] = [Name::PrefixTso, Name::PrefixPso, Name::ExactTso, Name::Sober];

/// The monitors, and which of them have reported.
struct Watchers {
    monitors: Vec<Box<dyn Monitor>>,
    reports: Vec<Report>,
    reported: [bool; 4],
}

impl Watchers {
    fn new() -> Self {
        Self { monitors: monitor::monitors(&NAMES), reports: Vec::new(), reported: [false; 4] }
    }

    fn watch(&mut self, run: &[Step]) {
        for monitor in &mut self.monitors {
            replay::run(monitor.as_mut(), run, &mut self.reports);
            for (name, reported) in NAMES.into_iter().zip(&mut self.reported) {
                *reported |= !replay::of_monitor(&self.reports, name).is_empty();
            }
        }
    }
}

/// The classes of all interleavings.
fn classes_of_all(program: &Program) -> BTreeSet<Class> {
    let mut classes = BTreeSet::new();
    Machine::new(program, machine::Model::Sc).interleavings(&mut |run, _| {
        classes.insert(definition::class(run));
    });
    classes
}

/// Checks one program; the number of its classes.
fn check(program: &Program, watchers: &mut Watchers) -> usize {
    watchers.reported = [false; 4];
    let mut seen = BTreeSet::new();
    classes::runs(program, &mut |run| {
        watchers.watch(run);
        assert!(seen.insert(definition::class(run)), "a class twice: {program}");
    });
    assert_eq!(seen, classes_of_all(program), "{program}");
    let robust = |model| Machine::new(program, model).is_robust();
    let (tso, pso) = (!robust(machine::Model::Tso), !robust(machine::Model::Pso));
    for (index, broken) in [tso, pso, tso, tso].into_iter().enumerate() {
        assert_eq!(watchers.reported[index], broken, "{:?}, {program}", NAMES[index]);
    }
    seen.len()
}

/// Checks all programs on all processors; how many there are, and their classes.
fn check_all(programs: &[Program]) -> (usize, usize) {
    let next = AtomicUsize::new(0);
    let checker = || {
        let mut watchers = Watchers::new();
        let (mut checked, mut classes) = (0, 0);
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            classes += check(program, &mut watchers);
            checked += 1;
        }
        (checked, classes)
    };
    std::thread::scope(|scope| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let checkers: Vec<_> = (0..processors).map(|_| scope.spawn(checker)).collect();
        let sum = |a: (usize, usize), b: (usize, usize)| (a.0 + b.0, a.1 + b.1);
        checkers.into_iter().map(|checker| checker.join().expect("no check failed")).fold((0, 0), sum)
    })
}

/// Two addresses × {load, store, exchange}, and the full fence.
fn actions() -> Vec<Action> {
    let accesses = [Access::Load, Access::Store(1), Access::Exchange(1)];
    let plain = |address: u8| accesses.map(|access| Action::plain(access, Addresses(address)));
    plain(1).into_iter().chain(plain(2)).chain([Action::Fence(Barrier::Full)]).collect()
}

/// All threads of 1 to `longest` of these actions.
fn threads(longest: u32) -> Vec<Vec<Op>> {
    let actions = actions();
    let op = |number: usize| Op { guard: None, action: actions[number] };
    let of_length = |length: u32| {
        let code = move |number: usize| (0..length).map(|place| op(number / 7_usize.pow(place) % 7)).collect();
        (0..7_usize.pow(length)).map(code).collect::<Vec<Vec<Op>>>()
    };
    (1..=longest).flat_map(of_length).collect()
}

/// All programs of two of these threads; those that differ in the order of their threads alone are one.
fn pairs(threads: &[Vec<Op>]) -> impl Iterator<Item = Program> + '_ {
    let pair = |first: usize| (first..threads.len()).map(move |second| (first, second));
    let program =
        |(first, second): (usize, usize)| Program { threads: vec![threads[first].clone(), threads[second].clone()] };
    (0..threads.len()).flat_map(pair).map(program)
}

#[test]
fn two_threads_of_up_to_three_operations() {
    let programs: Vec<Program> = pairs(&threads(3)).collect();
    // Two of 7 + 7² + 7³ = 399 threads, repetition allowed.
    assert_eq!(programs.len(), 399 * 400 / 2);
    let (checked, classes) = check_all(&programs);
    assert_eq!(checked, 79_800);
    assert!(classes > checked);
}

#[test]
fn three_threads_of_up_to_two_operations() {
    let threads = threads(2);
    let three = |first: usize| {
        let threads = &threads;
        (first..threads.len()).flat_map(move |second| {
            (second..threads.len()).map(move |third| Program {
                threads: [first, second, third].map(|thread| threads[thread].clone()).to_vec(),
            })
        })
    };
    let programs: Vec<Program> = (0..threads.len()).flat_map(three).collect();
    // Three of 56 threads, repetition allowed.
    assert_eq!(programs.len(), 56 * 57 * 58 / 6);
    assert_eq!(check_all(&programs).0, 30_856);
}

/// Every 1,999th of the 3.9 million programs of two threads of up to four operations.
#[test]
fn a_sample_of_two_threads_of_up_to_four_operations() {
    let threads = threads(4);
    // Two of 399 + 7⁴ = 2,800 threads, repetition allowed: 3,921,400.
    assert_eq!(threads.len(), 2_800);
    let programs: Vec<Program> = pairs(&threads).step_by(1_999).collect();
    assert_eq!(check_all(&programs).0, 1_962);
}

fn check_random(count: u64, with: Ingredients) {
    let mut watchers = Watchers::new();
    for seed in 0..count {
        let program = random::program(&mut Random::new(seed), with);
        check(&program, &mut watchers);
    }
}

const PLAIN: Ingredients = Ingredients { ops: 7, ..Ingredients::PLAIN };

#[test]
fn random_programs_with_guards_locks_spawns_and_joins() {
    check_random(5000, Ingredients { ordered: true, guards: true, ..PLAIN });
    check_random(5000, Ingredients { mutexes: 2, ops: 8, ..PLAIN });
    check_random(5000, Ingredients { spawns: true, guards: true, ..PLAIN });
    check_random(5000, Ingredients { ordered: true, guards: true, mutexes: 1, spawns: true, ops: 8, ..PLAIN });
}

/// The same program with its threads in another order has the same classes, but for the names of the threads.
#[test]
fn the_order_of_the_threads_makes_no_difference() {
    for seed in 0..500 {
        let program =
            random::program(&mut Random::new(seed), Ingredients { ordered: true, mutexes: 1, ops: 8, ..PLAIN });
        let count = program.threads.len();
        let turned = Program { threads: program.threads.iter().rev().cloned().collect() };
        let classes = |program: &Program| {
            let mut classes = 0;
            classes::runs(program, &mut |_| classes += 1);
            classes
        };
        assert_eq!(classes(&program), classes(&turned), "{count} threads, {program}");
    }
}
