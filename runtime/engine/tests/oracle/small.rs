//! All small programs, and what must hold of the explorer `dpor` on each: its classes are those of all interleavings, each
//! run once; and on these runs the monitors that do not depend on the order of events without conflict say whether the
//! operational machines of TSO and PSO have an execution that is not sequentially consistent.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::definition::{self, Class};
use super::machine::{self, Machine, Step};
use super::program::{Access, Action, Addresses, Barrier, Op, Program};
use super::{classes, replay};
use engine::atomicity::Fencing;
use engine::monitor::{self, Monitor, MonitorName, Report};

const NAMES: [MonitorName; 4] =
    [MonitorName::PrefixTso, MonitorName::PrefixPso, MonitorName::ExactTso, MonitorName::Sober];

/// The monitors, and which of them have reported.
pub(crate) struct Watchers {
    monitors: Vec<Box<dyn Monitor>>,
    reports: Vec<Report>,
    reported: [bool; 4],
}

impl Watchers {
    pub(crate) fn new() -> Self {
        Self {
            monitors: monitor::by_name::monitors(&NAMES, Fencing::Unproved),
            reports: Vec::new(),
            reported: [false; 4],
        }
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
pub(crate) fn check(program: &Program, watchers: &mut Watchers) -> usize {
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
pub(crate) fn check_all(programs: impl Iterator<Item = Program> + Send) -> (usize, usize) {
    let programs = Mutex::new(programs);
    // A check that fails ends its thread alone: the others go on, and joining it fails.
    let next = || programs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let checker = || {
        let mut watchers = Watchers::new();
        let (mut checked, mut classes) = (0, 0);
        while let Some(program) = next() {
            classes += check(&program, &mut watchers);
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
pub(crate) fn threads(longest: u32) -> Vec<Vec<Op>> {
    let actions = actions();
    let op = |number: usize| Op { guard: None, action: actions[number] };
    let of_length = |length: u32| {
        let code = move |number: usize| (0..length).map(|place| op(number / 7_usize.pow(place) % 7)).collect();
        (0..7_usize.pow(length)).map(code).collect::<Vec<Vec<Op>>>()
    };
    (1..=longest).flat_map(of_length).collect()
}

/// All programs of two of these threads; those that differ in the order of their threads alone are one.
pub(crate) fn pairs(threads: &[Vec<Op>]) -> impl Iterator<Item = Program> + '_ {
    let pair = |first: usize| (first..threads.len()).map(move |second| (first, second));
    let program =
        |(first, second): (usize, usize)| Program { threads: vec![threads[first].clone(), threads[second].clone()] };
    (0..threads.len()).flat_map(pair).map(program)
}
