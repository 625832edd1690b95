//! The counts of a search: of one slice, of all slices joined, and in a checkpoint.

use std::collections::{BTreeMap, BTreeSet};

use engine::explore::estimate::Drawn;
use engine::monitor::MonitorName;
use serde::{Deserialize, Serialize};

use crate::finals::Finals;
use crate::ordered::Atomic;
use crate::outcomes::Outcomes;
use crate::packed::Packed;
use crate::repair::Obstacle;
use crate::summary::{Containment, FirstReport, LeftWaiting};

/// The counts of one slice, or of several that are joined.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Executions that were explored and count, as [`crate::Summary::executions`].
    pub executions: u64,
    /// Executions that were given up, as [`crate::Summary::blocked`].
    pub blocked: u64,
    /// Runs of the program to an end, as [`crate::Summary::runs`].
    pub runs: u64,
    /// Events of all counted executions, as [`crate::Summary::events`].
    pub events: u64,
    /// Seconds that the slices took.
    pub seconds: f64,
    /// The counts of each number of preemptions; empty where they are not bounded.
    pub by_bound: BTreeMap<u32, BoundTally>,
    /// The counts of each monitor, in the order asked for.
    pub monitors: Vec<MonitorTally>,
    /// External functions that are not modelled, as [`crate::Summary::uninstrumented`].
    pub uninstrumented: BTreeSet<String>,
    /// The assumptions of the result, as [`crate::Summary::assumptions`].
    pub assumptions: BTreeSet<String>,
    /// The assumptions that name an example, by the part of the sentence before it.
    #[serde(default)]
    pub examples: BTreeMap<String, Example>,
    /// The exit statuses but 0, as [`crate::Summary::exit_statuses`].
    pub exit_statuses: BTreeMap<i32, u64>,
    /// The observations, as [`crate::Summary::outcomes`].
    #[serde(default)]
    pub outcomes: Outcomes,
    /// The ends of executions, as [`crate::Summary::finals`].
    #[serde(default)]
    pub finals: Finals,
    /// Executions that are not decided, as [`crate::Summary::undecided`].
    #[serde(default)]
    pub undecided: u64,
    /// Whether some execution, counted or not, is not decided.
    #[serde(default)]
    pub is_open: bool,
    /// Cycles of happens-before, as [`crate::Summary::containments`].
    #[serde(default)]
    pub containments: Vec<Containment>,
    /// The first wrong execution, as [`crate::Summary::obstacle`].
    #[serde(default)]
    pub obstacle: Option<Obstacle>,
    /// Atomic accesses and fences, as [`crate::Summary::atomics`].
    #[serde(default)]
    pub atomics: Vec<Atomic>,
    /// Whether rounds of wait loops were left out, as [`crate::Summary::leaves_out_rounds`].
    #[serde(default)]
    pub leaves_out_rounds: bool,
    /// Whether classes beyond the preemption bound were left out, as [`crate::Summary::leaves_out_classes`].
    #[serde(default)]
    pub leaves_out_classes: bool,
    /// What drawn executions say of the number of classes.
    #[serde(default)]
    pub drawn: Drawn,
    /// Threads that still waited at the end, as [`crate::Summary::left_waiting`].
    #[serde(default)]
    pub left_waiting: Vec<LeftWaiting>,
}

impl Tally {
    /// Adds the counts of the slice that comes next, which began `started` seconds after the search.
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
        Containment::join_all(&mut self.containments, &next.containments);
        // A search in several slices ends at the first obstacle.
        self.obstacle = self.obstacle.take().or_else(|| next.obstacle.clone());
        let atomics = std::mem::take(&mut self.atomics);
        self.atomics = Atomic::distinct(atomics.into_iter().chain(next.atomics.iter().cloned()));
        for (sentence, example) in &next.examples {
            Example::keep_the_least(&mut self.examples, sentence, example.clone());
        }
        self.leaves_out_rounds |= next.leaves_out_rounds;
        self.leaves_out_classes |= next.leaves_out_classes;
        self.drawn.join(&next.drawn);
        let before = std::mem::take(&mut self.left_waiting);
        self.left_waiting = LeftWaiting::distinct(before.into_iter().chain(next.left_waiting.iter().cloned()));
    }
}

/// An example, and the execution that it is of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Example {
    /// The rank of the execution, as [`crate::Sighting::rank`].
    pub rank: Packed,
    /// The example in words.
    pub words: String,
}

impl Example {
    /// Adds the example of a sentence, unless there is a lesser one.
    pub fn keep_the_least(all: &mut BTreeMap<String, Self>, sentence: &str, example: Self) {
        match all.get_mut(sentence) {
            Some(known) if *known <= example => {}
            Some(known) => *known = example,
            None => drop(all.insert(sentence.to_owned(), example)),
        }
    }
}

impl MonitorTally {
    /// Adds the counts of the slice that comes next: `executions` were counted before it, and it began `started`
    /// seconds after the search.
    fn join(&mut self, next: &Self, executions: u64, started: f64) {
        self.reporting += next.reporting;
        self.triples.extend(&next.triples);
        if let (None, Some(first)) = (&self.first, &next.first) {
            let executions = executions + first.executions;
            self.first = Some(FirstReport { executions, seconds: started + first.seconds });
            self.first_preemptions = next.first_preemptions;
        }
    }
}

/// The counts of one number of preemptions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BoundTally {
    /// Executions with exactly so many preemptions.
    pub executions: u64,
    /// The number of these executions with at least one report, by monitor.
    pub reporting: BTreeMap<MonitorName, u64>,
}

/// The counts of a monitor.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MonitorTally {
    /// Executions that count and have at least one report.
    pub reporting: u64,
    /// The distinct triples of places that were reported, as the numbers that the program gives places.
    pub triples: BTreeSet<(u32, u32, u32)>,
    /// The first report, if any, also in an execution that does not count; its execution is numbered among those
    /// counted here.
    pub first: Option<FirstReport>,
    /// The preemptions of the execution with the first report, where they are bounded.
    pub first_preemptions: Option<u32>,
}
