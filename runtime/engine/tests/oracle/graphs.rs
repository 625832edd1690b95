//! Two engines that check each other: the search for execution graphs, and the schedule explorer `dpor` with the monitors
//! that are complete on one execution of each class. On every program:
//!
//! - there are as many graphs under SC as there are classes of interleavings;
//! - every graph under SC is one under TSO, and every one under TSO is one under PSO;
//! - TSO has a graph that SC has not iff `exact_tso` reports on some class, and iff `prefix_tso` does; PSO iff
//!   `prefix_pso` does;
//! - each pair e′, e that `prefix_tso` reports is on a cycle of some graph under TSO, and of `prefix_pso` under PSO.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::machine::Step;
use super::program::{Access, Action, Addresses, Barrier, Op, Program};
use super::{classes, replay};
use engine::atomicity::Fencing;
use engine::event::Location;
use engine::explore::rsmc::{self, CompleteTrace, Continue};
use engine::graph::overtaking::overtakings;
use engine::graph::set::Set;
use engine::graph::trace::Relations;
use engine::graph::{self, Annotations, EventId, Fences, Internal, Label, Labels, Link, Reached, Value, Written};
use engine::mapping::Order;
use engine::mapping::graphs::{self, Around, Form};
use engine::model::pso::Pso;
use engine::model::sc::Sc;
use engine::model::tso::Tso;
use engine::model::{MemoryModel, Model};
use engine::monitor::{self, MonitorName, Report};

/// A program without guards, threads and mutexes, whose accesses have one address each.
struct Straight<'p> {
    program: &'p Program,
    model: MemoryModel,
}

impl graph::Program<1> for Straight<'_> {
    type Fault = std::convert::Infallible;

    fn threads(&self) -> usize {
        self.program.threads.len()
    }

    fn locations(&self) -> usize {
        2
    }

    fn initial(&self, _location: Location) -> Value {
        0
    }

    fn fetch(
        &self,
        thread: usize,
        _origin: u32,
        _reads: &[Option<Value>],
    ) -> Result<(Labels<1>, Reached), Self::Fault> {
        let mut labels = Vec::new();
        let mut fences = Fences::default();
        for op in &self.program.threads[thread] {
            let (access, addresses) = match op.action {
                Action::Access { access, addresses, .. } => (access, addresses),
                Action::Fence(barrier) => {
                    fences += if barrier == Barrier::Full { graphs::FULL } else { graphs::STORES };
                    continue;
                }
                _ => unreachable!("only accesses and fences"),
            };
            let around = match access {
                Access::Exchange(_) => graphs::update(self.model, Order::Relaxed, Form::Single),
                _ => Around::default(),
            };
            fences += around.before;
            let (access, written) = match access {
                Access::Load => (graph::Access::Load, Written::Nothing),
                Access::Store(value) => (graph::Access::Store, Written::Value(value.into())),
                Access::Exchange(value) => (graph::Access::Update(Internal::None), Written::Value(value.into())),
                Access::CompareAndSwap { .. } => unreachable!("no compare-and-swap"),
            };
            labels.push(Label {
                access,
                location: Some(Location(u32::try_from(addresses.lowest()).expect("few"))),
                written,
                address_from: Set::EMPTY,
                value_from: Set::EMPTY,
                control_from: Set::EMPTY,
                synchronized_from: Set::EMPTY,
                addresses_before: Set::EMPTY,
                decided_by: Set::EMPTY,
                annotations: Annotations::NONE,
                fences,
                link: Link::None,
                is_kept: false,
                gone_past: 0,
            });
            fences += around.after;
        }
        Ok((labels.into(), Reached::End))
    }
}

/// e′ and e.
type Pairs = BTreeSet<(EventId, EventId)>;

/// The graphs, and the pairs on the cycles of their happens-before.
fn graphs_of<M: Model<1>>(program: &Program, model: MemoryModel) -> (BTreeSet<Relations>, Pairs) {
    let mut found = BTreeSet::new();
    let mut pairs = BTreeSet::new();
    let mut visit = |execution: &CompleteTrace<'_, 1>| {
        for one in overtakings(execution.trace) {
            pairs.extend(one.delayed.iter().map(|&delayed| (delayed, one.overtaking)));
        }
        assert!(found.insert(execution.trace.relations()), "a graph twice under {model:?}: {program}");
        Continue::Yes
    };
    let (_, result) = rsmc::explore::<1, M, _>(&Straight { program, model }, &mut visit);
    assert_eq!(result, Ok(()), "{program}");
    (found, pairs)
}

/// The access of a step, by its number among those of its thread.
fn access(program: &Program, step: &Step) -> EventId {
    let before = &program.threads[step.thread][..step.op];
    let index = before.iter().filter(|op| matches!(op.action, Action::Access { .. })).count();
    EventId::new(step.thread, index)
}

const MONITORS: [MonitorName; 3] = [MonitorName::ExactTso, MonitorName::PrefixTso, MonitorName::PrefixPso];

/// Checks a program; which of SC alone, TSO and PSO is the strongest model that has all of its graphs.
fn check(program: &Program) -> usize {
    let (sc, none) = graphs_of::<Sc<1>>(program, MemoryModel::Sc);
    let (tso, tso_pairs) = graphs_of::<Tso<1>>(program, MemoryModel::Tso);
    let (pso, pso_pairs) = graphs_of::<Pso<1>>(program, MemoryModel::Pso);
    assert!(none.is_empty(), "a cycle under SC: {program}");
    assert!(sc.is_subset(&tso) && tso.is_subset(&pso), "{program}");
    let mut monitors = monitor::by_name::monitors(&MONITORS, Fencing::Unproved);
    let (mut runs, mut reporting, mut reports) = (0, [false; 3], Vec::new());
    let mut reported: [Pairs; 2] = Default::default();
    classes::runs(program, &mut |run| {
        runs += 1;
        for monitor in &mut monitors {
            replay::run(monitor.as_mut(), run, &mut reports);
            for (name, reporting) in MONITORS.into_iter().zip(&mut reporting) {
                *reporting |= reports.iter().any(|report| report.monitor() == name);
            }
            for report in &reports {
                let Report::Cycle(cycle) = report else { continue };
                let pairs = match cycle.monitor {
                    MonitorName::PrefixTso => &mut reported[0],
                    MonitorName::PrefixPso => &mut reported[1],
                    _ => continue,
                };
                let [delayed, overtaking] =
                    [cycle.delayed, cycle.overtaking].map(|at| access(program, &run[at as usize]));
                pairs.insert((delayed, overtaking));
            }
        }
    });
    assert_eq!(sc.len(), runs, "graphs under SC, and classes: {program}");
    assert!(reported[0].is_subset(&tso_pairs), "{:?} not all of {tso_pairs:?}: {program}", reported[0]);
    assert!(reported[1].is_subset(&pso_pairs), "{:?} not all of {pso_pairs:?}: {program}", reported[1]);
    assert_eq!(
        (reported[0].is_empty(), reported[1].is_empty()),
        (tso_pairs.is_empty(), pso_pairs.is_empty()),
        "{program}"
    );
    let (more_tso, more_pso) = (tso.len() > sc.len(), pso.len() > sc.len());
    assert_eq!(reporting, [more_tso, more_tso, more_pso], "[exact_tso, prefix_tso, prefix_pso]: {program}");
    usize::from(more_tso) + usize::from(more_pso)
}

/// {load, store, exchange} × two addresses, and both fences.
fn actions() -> Vec<Action> {
    let accesses = [Access::Load, Access::Store(1), Access::Exchange(1)];
    let at = |address: u8| accesses.map(|access| Action::plain(access, Addresses(1 << address)));
    [at(0), at(1)]
        .concat()
        .into_iter()
        .chain([Action::Fence(Barrier::Full), Action::Fence(Barrier::StoreStore)])
        .collect()
}

/// All threads of 1 to `longest` actions.
fn threads(longest: u32) -> Vec<Vec<Op>> {
    let actions = actions();
    let count = actions.len();
    let thread = |length: u32, code: usize| {
        (0..length).map(|place| Op { guard: None, action: actions[code / count.pow(place) % count] }).collect()
    };
    (1..=longest)
        .flat_map(|length| (0..count.pow(length)).map(move |code| (length, code)))
        .map(|(length, code)| thread(length, code))
        .collect()
}

/// Checks every `step`th program of so many threads of up to `longest` actions, on all processors: how many are
/// robust, how many break under PSO alone, and how many under both.
pub(crate) fn check_each(count: usize, longest: u32, step: usize) -> [usize; 3] {
    let threads = threads(longest);
    let all = threads.len().pow(u32::try_from(count).expect("few"));
    let next = AtomicUsize::new(0);
    let checker = || {
        let mut tally = [0; 3];
        loop {
            let code = step * next.fetch_add(1, Ordering::Relaxed);
            if code >= all {
                return tally;
            }
            let numbers: Vec<usize> =
                (0..count).map(|place| code / threads.len().pow(place as u32) % threads.len()).collect();
            // Those that differ in the order of their threads alone are one.
            if numbers.is_sorted() {
                tally[check(&Program { threads: numbers.iter().map(|&number| threads[number].clone()).collect() })] +=
                    1;
            }
        }
    };
    std::thread::scope(|scope| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let checkers: Vec<_> = (0..processors).map(|_| scope.spawn(checker)).collect();
        let sum = |sum: [usize; 3], tally: [usize; 3]| [0, 1, 2].map(|index| sum[index] + tally[index]);
        checkers.into_iter().map(|checker| checker.join().expect("no check failed")).fold([0; 3], sum)
    })
}
