//! The findings of a slice: each violation once, with how many executions show it.

use std::collections::{BTreeMap, BTreeSet};

use engine::monitor::MonitorName;
use protocol::{Grounds, Identity, Packed, Schedule, Sighting, Violation};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::state::failure::Failure;

/// A violation that was found, kept once.
struct FoundOnce {
    sighting: Sighting,
    /// The run in which the violation was last seen.
    last: u64,
}

/// A monitor that reports: its number among those of the search, and its name.
#[derive(Clone, Copy)]
pub(crate) struct Reporter {
    pub(crate) index: usize,
    pub(crate) name: MonitorName,
}

/// The run of the program in which something is seen.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    /// The number of the run, from 1.
    pub(crate) run: u64,
    /// Whether the run is an execution that counts.
    pub(crate) counts: bool,
}

/// The violations that were found so far.
#[derive(Default)]
pub(crate) struct Findings {
    /// The index in `found` of each pair of places that a monitor reported, by the monitor's number.
    pairs: FxHashMap<(usize, u32, u32), usize>,
    /// The index in `found` of each cycle of transactions that a monitor reported, by the sites of its edges.
    cycles: BTreeMap<(usize, BTreeSet<[u32; 2]>), usize>,
    /// The index in `found` of each failure.
    failures: FxHashMap<Identity, usize>,
    /// The violations, in the order of their discovery.
    found: Vec<FoundOnce>,
    /// The violations that other slices have found: of these it is only told that they were seen.
    known: FxHashSet<Identity>,
    /// The ranks of the least execution graphs that fail in each way, in all slices of the process.
    least: FxHashMap<Identity, Packed>,
}

/// Makes the violation of a failure in an execution with this schedule.
fn violation(failure: Failure, schedule: Schedule) -> Violation {
    let Failure { kind, message, subject, sites, program_counter, late: _ } = failure;
    Violation { kind, monitor: None, message, subject, sites, events: None, program_counter, schedule }
}

impl Findings {
    /// Forgets the findings of the last slice, but for the violations that are known already, to which these are added.
    pub(crate) fn restart(&mut self, known: &[Identity]) {
        let before = std::mem::take(self);
        (self.known, self.least) = (before.known, before.least);
        self.known.extend(known.iter().cloned());
    }

    /// Forgets the findings of a slice of which the tool is not told.
    pub(crate) fn discard(&mut self) {
        self.least.clear();
        self.restart(&[]);
    }

    /// Adds a report of the monitor on this pair of places.
    pub(crate) fn pair(
        &mut self,
        monitor: Reporter,
        pair: (u32, u32),
        seen: Seen,
        describe: impl FnOnce() -> Violation,
    ) {
        let next = self.found.len();
        let index = *self.pairs.entry((monitor.index, pair.0, pair.1)).or_insert(next);
        if index == next {
            let identity = Identity::Reported(monitor.name, pair.0, pair.1);
            self.discover(identity, describe);
        }
        self.seen(index, seen);
    }

    /// Adds a report of the monitor on a cycle of transactions with edges between these places.
    pub(crate) fn cycle_at(
        &mut self,
        monitor: Reporter,
        edges: BTreeSet<[u32; 2]>,
        seen: Seen,
        describe: impl FnOnce() -> Violation,
    ) {
        let next = self.found.len();
        let index = *self.cycles.entry((monitor.index, edges.clone())).or_insert(next);
        if index == next {
            self.discover(Identity::Transactions(monitor.name, edges), describe);
        }
        self.seen(index, seen);
    }

    /// Adds a violation that has not been found so far, described unless it is known.
    fn discover(&mut self, identity: Identity, describe: impl FnOnce() -> Violation) {
        let violation = (!self.known.contains(&identity)).then(describe);
        self.add(identity, violation, Grounds::default());
    }

    /// Adds a violation that no execution shows yet.
    fn add(&mut self, identity: Identity, violation: Option<Violation>, grounds: Grounds) {
        let violation = violation.map(Box::new);
        let sighting = Sighting { identity, executions: 0, grounds, violation, rank: None };
        self.found.push(FoundOnce { sighting, last: 0 });
    }

    /// Counts the run for a violation, unless it has been counted.
    fn seen(&mut self, index: usize, seen: Seen) {
        let found = &mut self.found[index];
        if seen.counts && found.last != seen.run {
            found.last = seen.run;
            found.sighting.executions += 1;
        }
    }

    /// Whether an execution has failed in the same way before.
    pub(crate) fn is_known(&self, failure: &Failure) -> bool {
        self.failures.contains_key(&failure.identity())
    }

    /// Whether all executions so far that have failed in this way, if there were any, rest on the code of read-modify-writes.
    pub(crate) fn may_rest_on_code(&self, failure: &Failure) -> bool {
        let known = self.failures.get(&failure.identity()).map(|&index| &self.found[index].sighting.grounds);
        known.is_none_or(|known| !known.unused.is_empty() || !known.paired.is_empty())
    }

    /// Whether an execution graph of this rank stands for those that fail in this way: it is less than all that were seen.
    pub(crate) fn is_least(&self, failure: &Failure, rank: &Packed) -> bool {
        self.least.get(&failure.identity()).is_none_or(|least| rank < least)
    }

    /// Counts an execution graph of this rank that failed, with its schedule if it stands for those that fail in this way, and with
    /// what belongs to the grounds of its failures.
    pub(crate) fn fail_in_graph(
        &mut self,
        failure: Failure,
        (rank, schedule): (&Packed, Option<Schedule>),
        grounds: &Grounds,
        seen: Seen,
    ) {
        let (next, identity) = (self.found.len(), failure.identity());
        let index = *self.failures.entry(identity.clone()).or_insert(next);
        if index == next {
            self.add(identity.clone(), None, grounds.clone());
        }
        let sighting = &mut self.found[index].sighting;
        sighting.grounds.join(grounds);
        if let Some(schedule) = schedule {
            (sighting.violation, sighting.rank) = (Some(Box::new(violation(failure, schedule))), Some(rank.clone()));
            self.least.insert(identity, rank.clone());
        }
        self.seen(index, seen);
    }

    /// Counts an execution that failed, with its schedule, which is not looked at if the failure is known, and with what belongs to
    /// the grounds of its failures.
    pub(crate) fn fail_as(&mut self, failure: Failure, schedule: Schedule, grounds: &Grounds, seen: Seen) {
        let next = self.found.len();
        let identity = failure.identity();
        let index = *self.failures.entry(identity.clone()).or_insert(next);
        if index == next {
            let violation = (!self.known.contains(&identity)).then(|| violation(failure, schedule));
            self.add(identity, violation, grounds.clone());
        }
        self.found[index].sighting.grounds.join(grounds);
        self.seen(index, seen);
    }

    /// Whether the monitor has not yet reported a cycle, in an execution graph, through a store and an access that
    /// overtakes it at these places.
    pub(crate) fn is_new_pair(&self, monitor: usize, delayed: u32, overtaking: u32) -> bool {
        !self.pairs.contains_key(&(monitor, delayed, overtaking))
    }

    /// Whether the monitor has not yet reported a cycle of transactions, in an execution graph, with edges between
    /// these places.
    pub(crate) fn is_new_cycle(&self, monitor: usize, edges: &BTreeSet<[u32; 2]>) -> bool {
        !self.cycles.contains_key(&(monitor, edges.clone()))
    }

    /// Whether anything has been found.
    pub(crate) fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// Takes what was found, in the order of discovery.
    pub(crate) fn take_found(&mut self) -> Vec<Sighting> {
        self.found.drain(..).map(|found| found.sighting).collect()
    }

    /// Whether no monitor has reported any two places.
    pub(crate) fn has_no_pair(&self) -> bool {
        self.pairs.is_empty()
    }
}
