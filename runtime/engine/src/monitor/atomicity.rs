//! The monitors of atomicity ([`crate::atomicity`]) on SC executions. They make a report for each cycle of transactions, which
//! [`Monitor::violation`] returns in full.

use super::prefix::Prefix;
use super::{Monitor, MonitorName, Report};
use crate::atomicity::{Criterion, Fencing, Mark, Serializability, Violation};
use crate::event::{Event, EventIndex, Location, Thread};
use crate::model::name::MemoryModel;
use history::History;

mod history;

/// A monitor of serializability under SC, under TSO, or under both.
#[derive(Debug)]
pub struct Atomicity {
    watching: Vec<(MonitorName, Serializability)>,
    robustness: Option<Robustness>,
    /// The cycles found in this execution.
    violations: Vec<Violation>,
}

/// A monitor of whether TSO has other executions than SC, which is a part of serializability under TSO
/// ([`crate::atomicity::Decision`]).
#[derive(Debug)]
struct Robustness {
    monitor: Prefix,
    reports: Vec<Report>,
    /// Whether this execution has been reported.
    has_reported: bool,
    /// The execution so far; kept where a report is a violation.
    history: Option<History>,
}

impl Robustness {
    fn new(fencing: Fencing) -> Self {
        let history = (fencing == Fencing::Proved).then(History::default);
        Self { monitor: Prefix::new(&[MemoryModel::Tso]), reports: Vec::new(), has_reported: false, history }
    }

    fn begin(&mut self) {
        self.monitor.begin();
        self.reports.clear();
        self.has_reported = false;
        if let Some(history) = &mut self.history {
            history.begin();
        }
    }

    /// Takes the next event, and returns the execution's first report if it is made here: as a cycle of transactions if it is
    /// known to be one.
    fn event(&mut self, event: &Event, locations: &[Location]) -> Option<Option<Violation>> {
        if self.has_reported {
            return None;
        }
        self.monitor.event(event, locations, &mut self.reports);
        if let Some(history) = &mut self.history {
            history.event(event, locations);
        }
        let Some(&Report::Cycle(cycle)) = self.reports.first() else { return None };
        self.has_reported = true;
        Some(self.history.as_ref().map(|history| history.cycle(cycle.delayed, cycle.overtaking)))
    }
}

impl Atomicity {
    /// Makes the monitors of atomicity among these names, for programs whose transactions are fenced as `fencing` says.
    #[must_use]
    pub fn new(names: &[MonitorName], fencing: Fencing) -> Self {
        let criterion = |name: MonitorName| match name {
            MonitorName::ScAtomicity => Some(Criterion::Sc),
            MonitorName::TsoAtomicity => Some(fencing.criterion()),
            _ => None,
        };
        let watch = |&name: &MonitorName| Some((name, Serializability::new(criterion(name)?)));
        Self {
            watching: names.iter().filter_map(watch).collect(),
            robustness: names.contains(&MonitorName::TsoAtomicity).then(|| Robustness::new(fencing)),
            violations: Vec::new(),
        }
    }

    /// Whether there is nothing to watch.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        self.watching.is_empty()
    }

    fn report(monitor: MonitorName, index: usize) -> Report {
        Report::Transactions { monitor, violation: u32::try_from(index).unwrap_or(u32::MAX) }
    }
}

impl Monitor for Atomicity {
    fn begin(&mut self) {
        self.violations.clear();
        self.watching.iter_mut().for_each(|(_, monitor)| monitor.begin());
        self.robustness.iter_mut().for_each(Robustness::begin);
    }

    fn event(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        for (name, monitor) in &mut self.watching {
            let before = self.violations.len();
            monitor.event(event, locations, &mut self.violations);
            reports.extend((before..self.violations.len()).map(|index| Self::report(*name, index)));
        }
        match self.robustness.as_mut().and_then(|robustness| robustness.event(event, locations)) {
            None => {}
            Some(None) => reports.push(Report::Open(MonitorName::TsoAtomicity)),
            Some(Some(violation)) => {
                reports.push(Self::report(MonitorName::TsoAtomicity, self.violations.len()));
                self.violations.push(violation);
            }
        }
    }

    fn mark(&mut self, thread: Thread, mark: Mark) {
        for (_, monitor) in &mut self.watching {
            // Marks that do not balance are reported by whoever runs the program.
            let _ = monitor.mark(thread, mark);
        }
        if let Some(history) = self.robustness.as_mut().and_then(|robustness| robustness.history.as_mut()) {
            history.mark(thread, mark);
        }
    }

    fn pending(&mut self, _monitor: MonitorName, _at_most: usize) -> Vec<EventIndex> {
        Vec::new()
    }

    fn violation(&self, index: u32) -> Option<&Violation> {
        self.violations.get(index as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::Atomicity;
    use crate::atomicity::{Delay, Edge, Fencing, Mark};
    use crate::event::{Barrier, Event, Kind, Location, Site, Thread};
    use crate::monitor::{Monitor, MonitorName, Report};

    fn event(thread: u8, kind: Kind) -> Event {
        let before = if kind == Kind::Fence { Barrier::Full } else { Barrier::None };
        Event { thread: Thread(thread), site: Site(0), kind, before, after: Barrier::None, order: None }
    }

    #[test]
    fn a_store_between_the_two_accesses_of_a_transaction_is_reported() {
        let mut monitor = Atomicity::new(&[MonitorName::Race, MonitorName::ScAtomicity], Fencing::Unproved);
        for marked in [true, false, true] {
            let mut reports = Vec::new();
            monitor.begin();
            if marked {
                monitor.mark(Thread(0), Mark::Begin);
            }
            monitor.event(&event(0, Kind::Load), &[Location(0)], &mut reports);
            monitor.event(&event(1, Kind::Store), &[Location(0)], &mut reports);
            monitor.event(&event(0, Kind::Store), &[Location(0)], &mut reports);
            let expected = Report::Transactions { monitor: MonitorName::ScAtomicity, violation: 0 };
            assert_eq!(reports, if marked { vec![expected] } else { Vec::new() });
            assert_eq!(monitor.violation(0).map(|violation| violation.edges.len()), marked.then_some(2));
        }
    }

    /// Store buffering in two transactions, each with its fence at the end.
    fn store_buffering(monitor: &mut Atomicity) -> Vec<Report> {
        let mut reports = Vec::new();
        monitor.begin();
        for (thread, stored) in [(0, 0), (1, 1)] {
            monitor.mark(Thread(thread), Mark::Begin);
            monitor.event(&event(thread, Kind::Store), &[Location(stored)], &mut reports);
            monitor.event(&event(thread, Kind::Load), &[Location(1 - stored)], &mut reports);
            monitor.event(&event(thread, Kind::Fence), &[], &mut reports);
            monitor.mark(Thread(thread), Mark::End);
        }
        reports
    }

    #[test]
    fn where_transactions_are_known_to_be_fenced_a_program_that_is_not_robust_is_not_serializable() {
        let mut monitor = Atomicity::new(&[MonitorName::TsoAtomicity], Fencing::Proved);
        let violation = Report::Transactions { monitor: MonitorName::TsoAtomicity, violation: 0 };
        for _ in 0..2 {
            assert_eq!(store_buffering(&mut monitor), [violation]);
            // x = 1; r = y; fence ‖ y = 1; r = x; fence: the last load comes before the first store.
            let cycle = monitor.violation(0).unwrap();
            assert_eq!(cycle.edges, [Edge { from: 1, to: 3 }, Edge { from: 4, to: 0 }]);
            let threads: Vec<u8> = cycle.transactions.iter().map(|transaction| transaction.thread.0).collect();
            assert_eq!(threads, [0, 1]);
            assert_eq!(cycle.delays, [Delay { store: 0, after: 4 }]);
        }
    }

    #[test]
    fn where_they_are_not_it_is_open() {
        let mut monitor = Atomicity::new(&[MonitorName::TsoAtomicity], Fencing::Unproved);
        assert_eq!(store_buffering(&mut monitor), [Report::Open(MonitorName::TsoAtomicity)]);
    }
}
