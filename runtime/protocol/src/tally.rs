//! What a search counts: of one slice, of all that are joined, and in a checkpoint.

use std::collections::{BTreeMap, BTreeSet};

use engine::monitor::MonitorName;
use serde::{Deserialize, Serialize};

use crate::finals::Finals;
use crate::outcomes::Outcomes;
use crate::repair::Obstacle;
use crate::summary::{Containment, FirstReport, LeftWaiting};

/// What was counted, of a slice or of all that are joined.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// As [`crate::Summary::executions`].
    pub executions: u64,
    /// As [`crate::Summary::blocked`].
    pub blocked: u64,
    /// As [`crate::Summary::runs`].
    pub runs: u64,
    /// As [`crate::Summary::events`].
    pub events: u64,
    /// Seconds that the slices took.
    pub seconds: f64,
    /// By preemptions, where they are bounded.
    pub by_bound: BTreeMap<u32, BoundTally>,
    /// By monitor, in the order asked for.
    pub monitors: Vec<MonitorTally>,
    /// As [`crate::Summary::uninstrumented`].
    pub uninstrumented: BTreeSet<String>,
    /// As [`crate::Summary::assumptions`].
    pub assumptions: BTreeSet<String>,
    /// As [`crate::Summary::exit_statuses`].
    pub exit_statuses: BTreeMap<i32, u64>,
    /// As [`crate::Summary::outcomes`].
    #[serde(default)]
    pub outcomes: Outcomes,
    /// As [`crate::Summary::finals`].
    #[serde(default)]
    pub finals: Finals,
    /// As [`crate::Summary::undecided`].
    #[serde(default)]
    pub undecided: u64,
    /// Whether some execution, counted or not, left something open.
    #[serde(default)]
    pub is_open: bool,
    /// As [`crate::Summary::containments`].
    #[serde(default)]
    pub containments: Vec<Containment>,
    /// As [`crate::Summary::obstacle`].
    #[serde(default)]
    pub obstacle: Option<Obstacle>,
    /// As [`crate::Summary::leaves_out_rounds`].
    #[serde(default)]
    pub leaves_out_rounds: bool,
    /// As [`crate::Summary::leaves_out_classes`].
    #[serde(default)]
    pub leaves_out_classes: bool,
    /// As [`crate::Summary::left_waiting`].
    #[serde(default)]
    pub left_waiting: Vec<LeftWaiting>,
}

impl Tally {
    /// Takes in what was counted next, in a slice that began so many seconds after the search.
    pub fn join(&mut self, next: &Self, started: f64) {
        self.monitors.resize_with(self.monitors.len().max(next.monitors.len()), MonitorTally::default);
        for (total, count) in self.monitors.iter_mut().zip(&next.monitors) {
            total.join(count, self.executions, started);
        }
        self.executions += next.executions;
        self.blocked += next.blocked;
        self.runs += next.runs;
        self.events += next.events;
        self.seconds += next.seconds;
        for (preemptions, count) in &next.by_bound {
            let total = self.by_bound.entry(*preemptions).or_default();
            total.executions += count.executions;
            for (monitor, reporting) in &count.reporting {
                *total.reporting.entry(*monitor).or_default() += reporting;
            }
        }
        self.uninstrumented.extend(next.uninstrumented.iter().cloned());
        self.assumptions.extend(next.assumptions.iter().cloned());
        for (status, executions) in &next.exit_statuses {
            *self.exit_statuses.entry(*status).or_default() += executions;
        }
        self.outcomes.join(&next.outcomes);
        self.finals.join(&next.finals);
        self.undecided += next.undecided;
        self.is_open |= next.is_open;
        // Execution graphs are searched in one slice.
        self.containments.extend(next.containments.iter().cloned());
        self.obstacle = self.obstacle.take().or_else(|| next.obstacle.clone());
        self.leaves_out_rounds |= next.leaves_out_rounds;
        self.leaves_out_classes |= next.leaves_out_classes;
        let before = std::mem::take(&mut self.left_waiting);
        self.left_waiting = LeftWaiting::distinct(before.into_iter().chain(next.left_waiting.iter().cloned()));
    }
}

impl MonitorTally {
    /// Takes in what was counted next, behind so many executions, in a slice that began so many seconds after the search.
    fn join(&mut self, next: &Self, executions: u64, started: f64) {
        self.reporting += next.reporting;
        self.triples.extend(&next.triples);
        if let (None, Some(first)) = (&self.first, &next.first) {
            let executions = (executions + first.executions).max(1);
            self.first = Some(FirstReport { executions, seconds: started + first.seconds });
            self.first_preemptions = next.first_preemptions;
        }
    }
}

/// The counts of one preemption bound.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BoundTally {
    /// Executions with exactly so many preemptions.
    pub executions: u64,
    /// Of these, the ones with at least one report, by monitor.
    pub reporting: BTreeMap<MonitorName, u64>,
}

/// What a monitor counted.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MonitorTally {
    /// Executions that count with at least one report.
    pub reporting: u64,
    /// Its distinct triples of places, as the numbers that the program gives them.
    pub triples: BTreeSet<(u32, u32, u32)>,
    /// Its first report, if any, also in an execution that does not count; in how manieth execution of what is counted.
    pub first: Option<FirstReport>,
    /// The preemptions of that execution, where they are bounded.
    pub first_preemptions: Option<u32>,
}
