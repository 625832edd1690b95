//! A search as far as it has come, which is what a checkpoint holds.

use protocol::{
    BoundCount, BusyLoop, Explore, FirstReport, Harvest, Manner, MonitorName, Place, Prefixes, Silence, SliceEnd,
    StoppedBy, Summary, Unit, Violation,
};
use serde::{Deserialize, Serialize};

use super::executor::Lore;
use super::queue::Queue;
use super::shared::Shared;
use super::totals::{Totals, agree};

/// The way in which a search came to its end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    Complete,
    Found,
    Limit { by: StoppedBy, busiest: Option<BusyLoop> },
    Silent(Silence),
    Unsupported { what: String, place: Place },
}

/// The results of the searches within fewer preemptions.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Bounds {
    /// The last of these searches, which is complete, if there is one.
    pub(crate) last: Option<Box<Complete>>,
    /// The number of executions by bound, each execution counted at the lowest bound that allows it.
    pub(crate) rows: Vec<BoundCount>,
    /// The first report of each monitor.
    pub(crate) first: Vec<(MonitorName, FirstReport)>,
    /// Whether the explorer is not the one that the search began with, since that one does not fit.
    pub(crate) by_bounded: bool,
}

/// A search that has come to its end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Complete {
    pub(crate) summary: Summary,
    pub(crate) violations: Vec<Violation>,
}

/// A search, as far as it has come: all that a checkpoint holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Progress {
    pub(super) totals: Totals,
    pub(super) queue: Queue,
    pub(super) end: Option<End>,
    /// What the search had found when it had to begin anew, if it had to.
    #[serde(default)]
    pub(super) earlier: Totals,
    /// What the units share, in a search for execution graphs.
    #[serde(default)]
    pub(super) shared: Shared,
    /// The number of seconds that the search took so far.
    pub(super) seconds: f64,
    /// The results of the bounds before this one, where preemptions are bounded by more and more.
    #[serde(default)]
    pub(crate) before: Bounds,
    /// The log of the executions that were joined since the log was last taken.
    #[serde(skip)]
    pub(super) recorded: String,
}

impl Progress {
    /// Makes a search of which nothing has been run.
    pub(super) fn whole() -> Progress {
        let whole = Unit { weight: 1.0, prefixes: Prefixes::Whole };
        Progress {
            totals: Totals::default(),
            queue: Queue::new(whole),
            end: None,
            earlier: Totals::default(),
            shared: Shared::default(),
            seconds: 0.0,
            before: Bounds::default(),
            recorded: String::new(),
        }
    }

    /// Joins the results of what has been run, from the front on, and returns the budget that is used up, if one is.
    pub(super) fn join(&mut self, limit: Option<u64>) -> Option<StoppedBy> {
        while self.end.is_none() {
            if limit.is_some_and(|limit| self.totals.tally.executions >= limit) {
                return if self.queue.is_empty() { self.complete() } else { Some(StoppedBy::Executions) };
            }
            let Some(done) = self.queue.first() else { break };
            let left = limit.map(|limit| limit - self.totals.tally.executions);
            let too_far = left.is_some_and(|left| done.harvest.tally.executions >= left) && done.budget != left;
            if too_far || !agree(&self.totals.threads, &done.harvest.threads) {
                self.queue.take_back();
                break;
            }
            let Some(done) = self.queue.join() else { break };
            self.totals.add(&done.harvest, done.started);
            self.recorded.push_str(&done.harvest.recorded);
            self.end = match done.harvest.end {
                SliceEnd::Open if self.queue.is_empty() => Some(End::Complete),
                SliceEnd::Open => None,
                SliceEnd::Divided | SliceEnd::Ordered => {
                    unreachable!("the search begins anew as soon as that is heard")
                }
                SliceEnd::Found => Some(End::Found),
                SliceEnd::Limit { by, busiest } => Some(End::Limit { by, busiest }),
                SliceEnd::Silent(silence) => Some(End::Silent(silence)),
                SliceEnd::Unsupported { what, place } => Some(End::Unsupported { what, place }),
            };
        }
        None
    }

    /// Begins the search anew, remembering what has been found and where memory is divided.
    pub(super) fn begin_anew(&mut self, harvest: &Harvest, started: f64) {
        let mut earlier = self.all();
        earlier.add(harvest, started);
        earlier.recall(&self.earlier);
        let totals = earlier.divided();
        let before = std::mem::take(&mut self.before);
        *self = Progress { totals, earlier, seconds: self.seconds, before, ..Progress::whole() };
    }

    /// Begins the search anew, in sequence, remembering what has been found for the case that it does not come as far.
    pub(super) fn begin_in_sequence(&mut self) {
        let shared = Shared::new(Manner::InSequence);
        *self = Progress { earlier: self.all(), shared, seconds: self.seconds, ..Progress::whole() };
    }

    /// Whether a search for execution graphs is run in order.
    pub(super) fn is_in_sequence(&self) -> bool {
        self.shared.manner == Manner::InSequence
    }

    fn complete(&mut self) -> Option<StoppedBy> {
        self.end = Some(End::Complete);
        None
    }

    /// Returns what whoever runs a slice of this job has to know.
    pub(super) fn lore(&self, job: &Explore) -> Lore<'_> {
        // Of execution graphs the least stands for all that show a violation, and each process knows its own.
        let found = if job.graphs.is_some() { Vec::new() } else { self.totals.identities().collect() };
        let (threads, divisions) = (self.totals.threads.as_slice(), self.totals.divisions());
        Lore { found, threads, divisions, facts: &self.shared.facts }
    }

    /// Returns the results so far, including those of what has been run out of order.
    pub(super) fn all(&self) -> Totals {
        let mut totals = self.totals.clone();
        for done in self.queue.waiting().filter(|done| agree(&self.totals.threads, &done.harvest.threads)) {
            totals.add(&done.harvest, done.started);
        }
        totals
    }

    /// Returns how many executions have been run, joined or not.
    pub(super) fn executions(&self) -> u64 {
        self.totals.tally.executions + self.queue.waiting().map(|done| done.harvest.tally.executions).sum::<u64>()
    }
}
