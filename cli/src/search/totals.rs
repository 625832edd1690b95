//! The joined results of slices.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{
    BoundCount, Division, FirstReport, Harvest, Identity, MonitorCount, MonitorName, MonitorTally, Outcomes, Sighting,
    Summary, Tally, Violation,
};
use serde::{Deserialize, Serialize};

/// The results of all slices that are joined.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Totals {
    /// The counts.
    pub(crate) tally: Tally,
    found: Vec<Sighting>,
    /// The creation paths of the threads that have numbers.
    pub(crate) threads: Vec<Vec<u32>>,
    /// The addresses at which memory is divided within accesses.
    #[serde(default)]
    divisions: BTreeMap<u64, u8>,
}

/// Whether two processes that have given threads these numbers agree, as far as both know the threads.
pub(crate) fn agree(ours: &[Vec<u32>], theirs: &[Vec<u32>]) -> bool {
    ours.iter().zip(theirs).all(|(ours, theirs)| ours == theirs)
}

impl Totals {
    /// Adds the results of the next slice, which began `started` seconds after the search.
    pub(crate) fn add(&mut self, harvest: &Harvest, started: f64) {
        self.tally.join(&harvest.tally, started);
        for sighting in &harvest.found {
            match self.found.iter_mut().find(|found| found.identity == sighting.identity) {
                Some(found) => found.join(sighting),
                None => self.found.push(sighting.clone()),
            }
        }
        if self.threads.len() < harvest.threads.len() {
            self.threads.clone_from(&harvest.threads);
        }
        for division in &harvest.divisions {
            *self.divisions.entry(division.address).or_default() |= division.bounds;
        }
    }

    /// Adds the results of the next part of a search, which began `started` seconds after the search.
    pub(crate) fn append(&mut self, part: &Totals, started: f64) {
        self.tally.join(&part.tally, started);
        for sighting in &part.found {
            match self.found.iter_mut().find(|found| found.identity == sighting.identity) {
                Some(found) => found.join(sighting),
                None => self.found.push(sighting.clone()),
            }
        }
        if self.threads.len() < part.threads.len() {
            self.threads.clone_from(&part.threads);
        }
    }

    /// Returns the totals that a part of the search behind this begins with: all is known, and nothing counted.
    pub(crate) fn known(&self) -> Totals {
        let found = self.found.iter().map(|found| Sighting { executions: 0, ..found.clone() }).collect();
        let (threads, divisions) = (self.threads.clone(), self.divisions.clone());
        Totals { tally: Tally::default(), found, threads, divisions }
    }

    /// Adds what a search had found before it had to begin anew. It counts nothing, but is not lost if this search does not come
    /// as far.
    pub(crate) fn recall(&mut self, earlier: &Totals) {
        let (monitors, before) = (&mut self.tally.monitors, &earlier.tally.monitors);
        monitors.resize_with(monitors.len().max(before.len()), MonitorTally::default);
        for (total, before) in monitors.iter_mut().zip(before) {
            if let (None, Some(first)) = (&total.first, &before.first) {
                total.first = Some(first.clone());
                total.first_preemptions = before.first_preemptions;
                total.triples.clone_from(&before.triples);
            }
        }
        let new = |sighting: &&Sighting| self.found.iter().all(|found| found.identity != sighting.identity);
        let lacking = earlier.found.iter().filter(new).map(|sighting| Sighting { executions: 0, ..sighting.clone() });
        let lacking: Vec<Sighting> = lacking.collect();
        self.found.extend(lacking);
    }

    /// Returns the totals that a search begins anew with, which hold nothing but where memory is divided.
    pub(crate) fn divided(&self) -> Totals {
        Totals { divisions: self.divisions.clone(), ..Totals::default() }
    }

    /// Returns where memory is divided within accesses.
    pub(crate) fn divisions(&self) -> Vec<Division> {
        self.divisions.iter().map(|(&address, &bounds)| Division { address, bounds }).collect()
    }

    /// Returns the identities of what has been found, in the order of discovery.
    pub(crate) fn identities(&self) -> impl Iterator<Item = &Identity> {
        self.found.iter().map(|found| &found.identity)
    }

    /// Returns how many violations have been found.
    pub(crate) fn findings(&self) -> usize {
        self.found.len()
    }

    /// Returns the violations in the order of discovery, or in that of their ranks if they have some; none is missing.
    pub(crate) fn violations(&self) -> Vec<Violation> {
        self.in_order().into_iter().filter_map(|found| found.violation.as_deref().cloned()).collect()
    }

    /// Returns what has been found in order: that without ranks first, as it was found.
    fn in_order(&self) -> Vec<&Sighting> {
        let mut all: Vec<&Sighting> = self.found.iter().collect();
        all.sort_by_key(|found| (&found.rank, found.rank.is_some().then_some(&found.identity)));
        all
    }

    /// Returns the counts of a search with these monitors, except for those that depend on how it ended.
    ///
    /// A run that only repeats another one but for iterations without effect does not count; but what it shows belongs
    /// to some execution that counts.
    pub(crate) fn summary(&self, monitors: &[MonitorName]) -> Summary {
        let (tally, unknown) = (&self.tally, MonitorTally::default());
        let total = |index: usize| tally.monitors.get(index).unwrap_or(&unknown);
        let mut by_bound: Vec<BoundCount> = Vec::new();
        for (&preemptions, count) in &tally.by_bound {
            let reporting = monitors.iter().enumerate().map(|(index, monitor)| {
                let only = total(index).reporting == 0 && total(index).first_preemptions == Some(preemptions);
                (*monitor, count.reporting.get(monitor).copied().unwrap_or(0).max(u64::from(only)))
            });
            by_bound.push(BoundCount { preemptions, executions: count.executions, reporting: reporting.collect() });
        }
        let counts = monitors.iter().enumerate().map(|(index, &monitor)| {
            let total = total(index);
            let pairs: BTreeSet<&Identity> = self.reported_by(monitor).collect();
            MonitorCount {
                monitor,
                reporting: total.reporting.max(u64::from(total.first.is_some())),
                distinct: pairs.len() as u64,
                distinct_triples: if monitor.watches_transactions() { pairs.len() } else { total.triples.len() } as u64,
                // A report may be of a run before the first execution that counts.
                first: total.first.clone().map(|first| FirstReport { executions: first.executions.max(1), ..first }),
            }
        });
        Summary {
            complete: false,
            stopped_by: None,
            executions: tally.executions,
            blocked: tally.blocked,
            runs: tally.runs,
            events: tally.events,
            seconds: 0.0,
            by_bound,
            monitors: counts.collect(),
            violation_executions: self.in_order().into_iter().map(|found| found.executions.max(1)).collect(),
            grounds: self.in_order().into_iter().map(|found| found.grounds.clone()).collect(),
            uninstrumented: tally.uninstrumented.iter().cloned().collect(),
            busiest: None,
            silence: None,
            assumptions: self.assumptions().into_iter().collect(),
            exit_statuses: tally.exit_statuses.clone(),
            outcomes: tally.outcomes.clone(),
            finals: tally.finals.clone(),
            undecided: self.undecided(),
            containments: tally.containments.clone(),
            obstacle: tally.obstacle.clone(),
            atomics: tally.atomics.clone(),
            leaves_out_rounds: tally.leaves_out_rounds,
            leaves_out_classes: tally.leaves_out_classes,
            left_waiting: tally.left_waiting.clone(),
        }
    }

    /// Returns the assumptions of the result, a sentence each.
    fn assumptions(&self) -> BTreeSet<String> {
        let examples = self.tally.examples.iter().map(|(sentence, example)| format!("{sentence}{}", example.words));
        self.tally.assumptions.iter().cloned().chain(examples).chain(self.outcomes_left_out()).collect()
    }

    /// Returns the sentence that says that outcomes are left out, if some are.
    fn outcomes_left_out(&self) -> Option<String> {
        let sentence = || format!("of the outcomes observed, the first {} in sorted order are kept", Outcomes::MOST);
        self.tally.outcomes.leaves_out().then(sentence)
    }

    /// Returns how many executions leave open what a monitor looks for; 0 if it is known that serializability under TSO does not
    /// hold.
    fn undecided(&self) -> u64 {
        let is_known = self.reported_by(MonitorName::TsoAtomicity).next().is_some();
        if is_known { 0 } else { self.tally.undecided.max(u64::from(self.tally.is_open)) }
    }

    fn reported_by(&self, monitor: MonitorName) -> impl Iterator<Item = &Identity> {
        let identities = self.found.iter().map(|found| &found.identity);
        identities.filter(move |identity| match identity {
            Identity::Reported(by, ..) | Identity::Transactions(by, _) => *by == monitor,
            Identity::Failed { .. } => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use protocol::{
        BoundTally, Division, FirstReport, Grounds, Harvest, Identity, MonitorName, MonitorTally, Sighting, SliceEnd,
        Tally,
    };

    use super::{Totals, agree};
    use crate::report::samples;

    fn harvest(executions: u64, reporting: u64, pair: (u32, u32), preemptions: u32) -> Harvest {
        let first = FirstReport { executions, seconds: 0.5 };
        let monitor = MonitorTally {
            reporting,
            triples: [(pair.0, 7, pair.1)].into(),
            first: Some(first),
            first_preemptions: Some(preemptions),
        };
        let found = Sighting {
            identity: Identity::Reported(MonitorName::Tso, pair.0, pair.1),
            executions: reporting,
            grounds: Grounds::default(),
            violation: Some(Box::new(samples::store_buffering())),
            rank: None,
        };
        let bound = BoundTally { executions, reporting: [(MonitorName::Tso, reporting)].into() };
        Harvest {
            end: SliceEnd::Open,
            left: Vec::new(),
            next: Vec::new(),
            threads: vec![Vec::new()],
            tally: Tally {
                executions,
                runs: executions,
                by_bound: [(preemptions, bound)].into(),
                monitors: vec![monitor],
                ..Tally::default()
            },
            found: vec![found],
            recorded: String::new(),
            divisions: vec![Division { address: 8, bounds: 1 << pair.0 }],
            news: Vec::new(),
            located: Vec::new(),
            facts: Vec::new(),
        }
    }

    #[test]
    fn counts_add_and_the_first_stays_first() {
        let mut totals = Totals::default();
        totals.add(&harvest(3, 2, (1, 2), 0), 10.0);
        totals.add(&harvest(5, 4, (1, 2), 1), 20.0);
        totals.add(&harvest(5, 1, (2, 1), 1), 30.0);
        let summary = totals.summary(&[MonitorName::Tso]);
        assert_eq!((summary.executions, summary.violation_executions), (13, vec![6, 1]));
        let monitor = &summary.monitors[0];
        assert_eq!((monitor.reporting, monitor.distinct, monitor.distinct_triples), (7, 2, 2));
        assert_eq!(monitor.first, Some(FirstReport { executions: 3, seconds: 10.5 }));
        let bounds: Vec<(u32, u64)> =
            summary.by_bound.iter().map(|bound| (bound.preemptions, bound.executions)).collect();
        assert_eq!(bounds, [(0, 3), (1, 10)]);
        assert_eq!((totals.findings(), totals.identities().count(), totals.violations().len()), (2, 2, 2));
    }

    #[test]
    fn what_only_repeating_runs_show_counts_once() {
        let mut totals = Totals::default();
        totals.add(&harvest(0, 0, (1, 2), 1), 0.0);
        totals.add(&harvest(4, 0, (1, 2), 1), 1.0);
        let summary = totals.summary(&[MonitorName::Tso, MonitorName::Pso]);
        assert_eq!(summary.monitors[0].reporting, 1);
        assert_eq!(summary.monitors[0].first, Some(FirstReport { executions: 1, seconds: 0.5 }));
        assert_eq!(summary.violation_executions, [1]);
        assert_eq!(summary.by_bound[0].reporting, [(MonitorName::Tso, 1), (MonitorName::Pso, 0)].into());
        assert_eq!((summary.monitors[1].reporting, summary.monitors[1].first.is_none()), (0, true));
    }

    #[test]
    fn what_was_found_before_the_search_began_anew_is_not_lost_and_counts_nothing() {
        let mut earlier = Totals::default();
        earlier.add(&harvest(9, 8, (1, 2), 0), 1.0);
        earlier.add(&harvest(9, 8, (3, 4), 0), 2.0);
        assert_eq!(earlier.divisions(), [Division { address: 8, bounds: 0b1010 }]);
        assert_eq!((earlier.divided().divisions(), earlier.divided().findings()), (earlier.divisions(), 0));
        let mut totals = Totals::default();
        totals.add(&harvest(5, 4, (3, 4), 1), 10.0);
        totals.recall(&earlier);
        let summary = totals.summary(&[MonitorName::Tso]);
        assert_eq!((summary.executions, summary.violation_executions), (5, vec![4, 1]));
        assert_eq!((summary.monitors[0].reporting, summary.monitors[0].distinct), (4, 2));
        let (alone, mut nothing) = (earlier.clone(), Totals::default());
        nothing.recall(&alone);
        let summary = nothing.summary(&[MonitorName::Tso]);
        assert_eq!((summary.executions, summary.monitors[0].reporting, summary.monitors[0].distinct), (0, 1, 2));
        assert_eq!(summary.monitors[0].first, Some(FirstReport { executions: 9, seconds: 1.5 }));
    }

    #[test]
    fn numberings_agree_as_far_as_they_go() {
        let main = vec![Vec::new()];
        let (left, right) = (vec![Vec::new(), vec![0]], vec![Vec::new(), vec![1]]);
        assert!(agree(&main, &left) && agree(&left, &main) && agree(&left, &left));
        assert!(!agree(&left, &right));
    }
}
