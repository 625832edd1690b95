//! The explorer `dpor` on programs whose operations touch several locations in one step: its classes are those of all
//! interleavings, each run once.

mod between;
mod oracle;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use between::{Behind, Between};
use engine::event::{Kind, Location, Thread};
use engine::execution::Execution;
use engine::explore::trust::Trust;
use engine::explore::{Notice, Observer, Performed, Strategy, Values};
use oracle::classes;
use oracle::definition::{self, Class};
use oracle::machine::{self, Machine, Step};
use oracle::program::{Access, Action, Addresses, Op, Program};
use oracle::random::{self, Ingredients, Random, Widths};

/// The classes of all interleavings.
fn classes_of_all(program: &Program) -> BTreeSet<Class> {
    let mut classes = BTreeSet::new();
    Machine::new(program, machine::Model::Sc).interleavings(&mut |run, _| {
        classes.insert(definition::class(run));
    });
    classes
}

/// Checks one program; the number of its classes.
fn check(program: &Program) -> usize {
    let mut seen = BTreeSet::new();
    classes::runs(program, &mut |run| {
        assert!(seen.insert(definition::class(run)), "a class twice: {program}");
    });
    let all = classes_of_all(program);
    assert!(seen.is_superset(&all), "{} of {} classes: {program}", seen.len(), all.len());
    assert_eq!(seen, all, "{program}");
    seen.len()
}

/// Checks all programs on all processors; how many there are, and their classes.
fn check_all(programs: usize, program: impl Fn(usize) -> Program + Sync) -> (usize, usize) {
    let next = AtomicUsize::new(0);
    let checker = || {
        let (mut checked, mut classes) = (0, 0);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= programs {
                return (checked, classes);
            }
            classes += check(&program(number));
            checked += 1;
        }
    };
    std::thread::scope(|scope| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let checkers: Vec<_> = (0..processors).map(|_| scope.spawn(checker)).collect();
        let sum = |a: (usize, usize), b: (usize, usize)| (a.0 + b.0, a.1 + b.1);
        checkers.into_iter().map(|checker| checker.join().expect("no check failed")).fold((0, 0), sum)
    })
}

/// Two addresses, and both in one step × {load, store, compare-and-swap}.
fn actions() -> Vec<Action> {
    let accesses = [Access::Load, Access::Store(1), Access::CompareAndSwap { expected: 0, new: 2 }];
    let plain = |address: u8| accesses.map(|access| Action::plain(access, Addresses(address)));
    (1..=3).flat_map(plain).collect()
}

/// All threads of 1 to `longest` of these actions.
fn threads(longest: u32) -> Vec<Vec<Op>> {
    let actions = actions();
    let op = |number: usize| Op { guard: None, action: actions[number] };
    let of_length = |length: u32| {
        let code = move |number: usize| (0..length).map(|place| op(number / 9_usize.pow(place) % 9)).collect();
        (0..9_usize.pow(length)).map(code).collect::<Vec<Vec<Op>>>()
    };
    (1..=longest).flat_map(of_length).collect()
}

#[test]
fn three_threads_of_up_to_two_operations() {
    let threads = threads(2);
    let mut all = Vec::new();
    for first in 0..threads.len() {
        for second in first..threads.len() {
            all.extend((second..threads.len()).map(|third| [first, second, third]));
        }
    }
    // Three of 90 threads, repetition allowed.
    assert_eq!(all.len(), 90 * 91 * 92 / 6);
    let program = |number: usize| Program { threads: all[number].map(|thread| threads[thread].clone()).to_vec() };
    assert_eq!(check_all(all.len(), program).0, 125_580);
}

#[test]
fn two_threads_of_up_to_three_operations() {
    let threads = threads(3);
    let mut all = Vec::new();
    for first in 0..threads.len() {
        all.extend((first..threads.len()).map(|second| [first, second]));
    }
    // Two of 9 + 9² + 9³ = 819 threads, repetition allowed.
    assert_eq!(all.len(), 819 * 820 / 2);
    let program = |number: usize| Program { threads: all[number].map(|thread| threads[thread].clone()).to_vec() };
    assert_eq!(check_all(all.len(), program).0, 335_790);
}

const WIDE: Ingredients = Ingredients { widths: Widths::MixedSwaps, ops: 7, ordered: true, ..Ingredients::PLAIN };

#[test]
fn random_programs() {
    for with in [
        WIDE,
        Ingredients { addresses: 3, guards: true, ..WIDE },
        Ingredients { addresses: 3, threads: 4, ..WIDE },
        Ingredients { guards: true, mutexes: 1, spawns: true, ..WIDE },
    ] {
        check_all(5000, |seed| random::program(&mut Random::new(seed as u64), with));
    }
}

/// The same, with accesses to any of three addresses.
fn scattered(seed: usize) -> Program {
    let mut random = Random::new(seed as u64);
    let mut program =
        random::program(&mut random, Ingredients { addresses: 3, guards: seed.is_multiple_of(2), ..WIDE });
    for op in program.threads.iter_mut().flatten() {
        if let Action::Access { addresses, .. } = &mut op.action {
            *addresses = Addresses(1 + random.below(7) as u8);
        }
    }
    program
}

#[test]
fn random_programs_with_scattered_accesses() {
    assert_eq!(check_all(8000, scattered).0, 8000);
}

/// The same program with its threads in another order has the same classes, but for the names of the threads.
#[test]
fn the_order_of_the_threads_makes_no_difference() {
    for seed in 0..1000 {
        let program = random::program(&mut Random::new(seed), Ingredients { addresses: 3, guards: true, ..WIDE });
        let turned = Program { threads: program.threads.iter().rev().cloned().collect() };
        assert_eq!(check(&program), check(&turned), "{program}");
    }
}

/// The classes that have an interleaving of few enough preemptions count under a bound, each once.
#[test]
fn preemptions_are_bounded() {
    for seed in 0..600 {
        let program = scattered(seed);
        for bound in 0..3 {
            let mut within = BTreeSet::new();
            Machine::new(&program, machine::Model::Sc).interleavings(&mut |run, preemptions| {
                if preemptions <= bound as usize {
                    within.insert(definition::class(run));
                }
            });
            let mut counted = BTreeSet::new();
            let mut execution = Execution::new(Box::new(Trust::within(Some(bound))));
            classes::run_some(&program, &mut execution, usize::MAX, &mut |run| {
                assert!(counted.insert(definition::class(run)), "a class twice: {program}");
            });
            assert_eq!(counted, within, "{bound}: {program}");
        }
    }
}

/// What a process knows that may know of more memory than others that some steps touch: as where a thread leaves a
/// local variable that it has accessed only in executions that this process has run.
struct Knowing {
    knows: Knows,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Knows {
    Nothing,
    /// A location of the thread's own, below or above all others.
    Lower,
    Higher,
}

impl Knowing {
    fn own(&self, thread: Thread) -> Option<(Location, u64)> {
        let number = 100 + u32::from(thread.0);
        match self.knows {
            Knows::Nothing => None,
            Knows::Lower => Some((Location(number), u64::from(number))),
            Knows::Higher => Some((Location(number), u64::from(2000 + number))),
        }
    }
}

impl Between for Knowing {
    fn performed(&mut self, explorer: &mut Trust, event: &Performed<'_>) {
        let mut locations = event.locations.to_vec();
        let leaves = event.thread.0 % 2 == 1 && matches!(event.kind, Kind::Store | Kind::Fence);
        for location in locations.iter().filter(|_| leaves || locations.len() > 1) {
            explorer.notice(Notice::Lies { location: *location, address: u64::from(1000 + location.0) });
        }
        if !leaves || !event.objects.is_empty() {
            return explorer.performed(event);
        }
        if let Some((own, address)) = self.own(event.thread) {
            explorer.notice(Notice::Lies { location: own, address });
            locations.insert(if self.knows == Knows::Lower { 0 } else { locations.len() }, own);
        }
        explorer.performed(&Performed { kind: Kind::Fence, locations: &locations, values: Values::Unknown, ..*event });
    }
}

/// The explorer in such a process.
fn knowing(explorer: Trust, knows: Knows) -> Box<dyn Strategy> {
    Box::new(Behind { between: Knowing { knows }, explorer })
}

/// All classes, searched in slices that are cut anywhere and run from the front: as many slices as there were, too. Each
/// is run by a process that knows one of these.
fn in_slices(program: &Program, paths: &[Vec<u32>], known: &[Knows], random: &mut Random) -> (Vec<Vec<Step>>, usize) {
    let mut units = vec![Trust::whole()];
    let (mut runs, mut slices) = (Vec::new(), 0);
    while !units.is_empty() {
        let rest = units.split_off(1 + random.below(units.len()));
        let explorer = Trust::slice(None, &units).expect("units that were handed out");
        let knows = known[random.below(known.len())];
        let mut execution = Execution::new(knowing(explorer, knows));
        execution.state.threads.number(paths).expect("a numbering");
        classes::run_some(program, &mut execution, 1 + random.below(4), &mut |run| runs.push(run.to_vec()));
        assert_eq!(execution.strategy().omits().lacks, None, "{program}");
        units = execution.leave().expect("it can be cut").now;
        units.extend(rest);
        slices += 1;
    }
    (runs, slices)
}

#[test]
fn any_slicing_gives_the_same_executions_in_the_same_order() {
    let mut random = Random::new(5);
    let (mut executions, mut slices) = (0, 0);
    for seed in 0..1500 {
        let program = scattered(seed);
        let mut whole = Execution::new(knowing(Trust::new(), Knows::Nothing));
        let mut runs = Vec::new();
        classes::run_some(&program, &mut whole, usize::MAX, &mut |run| runs.push(run.to_vec()));
        let paths: Vec<_> = whole.state.threads.paths().map(<[u32]>::to_vec).collect();
        let (cut, count) = in_slices(&program, &paths, &[Knows::Nothing], &mut random);
        assert_eq!(cut, runs, "{program}");
        executions += runs.len();
        slices += count;
    }
    assert!(executions > 15_000 && slices > 10_000, "too easy: {executions} executions, {slices} slices");
}

#[test]
fn what_a_process_knows_of_memory_makes_no_difference() {
    let mut random = Random::new(6);
    let (mut classes, mut slices) = (0, 0);
    for seed in 0..1500 {
        let program = scattered(seed);
        let mut whole = Execution::new(Box::new(Trust::new()));
        classes::run_some(&program, &mut whole, usize::MAX, &mut |_| {});
        let paths: Vec<_> = whole.state.threads.paths().map(<[u32]>::to_vec).collect();
        let known = [Knows::Nothing, Knows::Lower, Knows::Higher];
        let some = &known[..2 + random.below(2)];
        let (runs, count) = in_slices(&program, &paths, some, &mut random);
        let mut seen = BTreeSet::new();
        for run in &runs {
            assert!(seen.insert(definition::class(run)), "a class twice: {program}");
        }
        assert_eq!(seen, classes_of_all(&program), "{program}");
        classes += seen.len();
        slices += count;
    }
    assert!(classes > 15_000 && slices > 10_000, "too easy: {classes} classes, {slices} slices");
}
