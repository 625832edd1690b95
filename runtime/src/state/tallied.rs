//! The counts of a slice.

use std::time::Instant;

use engine::execution::Execution;
use engine::explore::Counts;
use engine::graph::causality::Causality;
use protocol::{Compared, Finals, FirstReport, MonitorTally, Named, Outcomes, Tally};
use rustc_hash::FxHashSet;

use crate::state::findings::Reporter;

/// The part of a monitor's counts that is looked up at each report.
#[derive(Default)]
struct Reported {
    /// The distinct triples of places of its reports: e′, prev, e; for a race, the earlier access, twice, and the
    /// later.
    triples: FxHashSet<(u32, u32, u32)>,
    /// The run in which the monitor last reported.
    last: u64,
}

/// Whether something on a cycle of transactions may be left out of execution graphs.
#[derive(Default)]
pub(crate) struct LeftOut {
    /// Whether the program has marked a transaction.
    pub(crate) has_marks: bool,
    /// Whether a round of a wait loop was left out.
    pub(crate) has_rounds: bool,
}

/// The counts of a slice's executions.
pub(crate) struct Tallied {
    /// The counts that the tool is told, without what [`Tallied::tally`] adds.
    pub(crate) counts: Tally,
    reported: Vec<Reported>,
    pub(crate) left_out: LeftOut,
    started: Instant,
    /// Whether the program has observed something, in whatever execution.
    pub(crate) observes: bool,
    /// The part of executions' ends that is compared, if any is.
    pub(crate) compared: Option<Compared>,
    /// The log of executions that the tool has not been told yet.
    pub(crate) recorded: String,
    /// What slices of a search for execution graphs have told the tool of outcomes, or will at their ends.
    told: Told,
}

/// The outcomes of execution graphs that a process has told the tool, or will when its slice ends.
#[derive(Default)]
struct Told {
    outcomes: Outcomes,
    finals: Finals,
}

impl Tallied {
    /// Makes the counts of a slice that starts now.
    pub(crate) fn new(monitors: usize) -> Self {
        let counts = Tally { monitors: vec![MonitorTally::default(); monitors], ..Tally::default() };
        Self {
            counts,
            reported: std::iter::repeat_with(Reported::default).take(monitors).collect(),
            left_out: LeftOut::default(),
            started: Instant::now(),
            observes: false,
            compared: None,
            recorded: String::new(),
            told: Told::default(),
        }
    }

    /// Forgets what was counted: another slice starts now.
    pub(crate) fn restart(&mut self) {
        let (observes, compared, told) = (self.observes, self.compared, std::mem::take(&mut self.told));
        *self = Self { observes, compared, told, ..Self::new(self.reported.len()) };
    }

    /// Forgets what was counted in a slice of which the tool is not told.
    pub(crate) fn discard(&mut self) {
        self.told = Told::default();
        self.restart();
    }

    /// Adds the end of an execution graph, with its values in the end and at the beginning.
    pub(crate) fn take_final(&mut self, digest: &str, causality: Causality, (last, first): (Named, Named)) {
        if self.told.finals.is_new(digest, causality, &last) {
            self.told.finals.insert(digest.to_owned(), causality, (last.clone(), first.clone()));
            self.counts.finals.insert(digest.to_owned(), causality, (last, first));
        }
    }

    /// Adds the outcome of an execution graph, which is empty if nothing was observed.
    pub(crate) fn take_outcome_of_graph(&mut self, outcome: String) {
        if outcome.is_empty() {
            self.counts.outcomes.insert_silent();
        } else if !self.told.outcomes.contains(&outcome) {
            self.told.outcomes.insert(outcome.clone());
            self.counts.outcomes.insert(outcome);
        }
    }

    /// Takes an execution that was drawn and says this of the number of classes, as a logarithm, if it counts: so many executions
    /// were counted before it.
    pub(crate) fn take_drawn(&mut self, classes: f64, before: u64) {
        let counts = self.counts.executions > before;
        self.counts.drawn.add(if counts { classes } else { f64::NEG_INFINITY });
    }

    /// Returns what was counted.
    pub(crate) fn tally(&self) -> Tally {
        let mut tally =
            Tally { seconds: self.seconds(), leaves_out_rounds: self.left_out.has_rounds, ..self.counts.clone() };
        for (monitor, reported) in tally.monitors.iter_mut().zip(&self.reported) {
            monitor.triples = reported.triples.iter().copied().collect();
        }
        tally
    }

    /// Returns the seconds since the slice began.
    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Counts the exit status of an execution, which has been counted itself.
    #[cold]
    pub(crate) fn count_status(&mut self, status: i32, execution: &Execution) {
        if execution.history.counts() == Counts::Once {
            *self.counts.exit_statuses.entry(status).or_default() += 1;
        }
    }

    /// Notes that the running execution observes something.
    pub(crate) const fn observe(&mut self) {
        self.observes = true;
    }

    /// Whether some execution has observed something.
    pub(crate) const fn observes(&self) -> bool {
        self.observes
    }

    /// Adds the outcome of a complete execution within the bound, which did not fail; it is empty if nothing was
    /// observed.
    pub(crate) fn take_outcome(&mut self, outcome: String) {
        if outcome.is_empty() {
            self.counts.outcomes.insert_silent();
        } else {
            self.counts.outcomes.insert(outcome);
        }
    }

    /// Counts an execution graph of this number of events.
    pub(crate) fn count_graph(&mut self, events: u64) {
        self.counts.runs += 1;
        self.counts.executions += 1;
        self.counts.events += events;
    }

    /// Notes that a round of a wait loop is left out of an execution graph, as are all others that do nothing.
    pub(crate) const fn leaves_out_a_round(&mut self) {
        self.left_out.has_rounds = true;
    }

    /// Counts a report of a monitor on the present execution, which has this number of preemptions; the triple of
    /// places is `None` for transactions.
    pub(crate) fn reporting(
        &mut self,
        monitor: Reporter,
        triple: Option<(u32, u32, u32)>,
        preemptions: Option<u32>,
        counts: bool,
    ) {
        let reported = &mut self.reported[monitor.index];
        reported.triples.extend(triple);
        let count = &mut self.counts.monitors[monitor.index];
        if counts && reported.last != self.counts.runs {
            reported.last = self.counts.runs;
            count.reporting += 1;
            if let Some(bound) = preemptions.and_then(|preemptions| self.counts.by_bound.get_mut(&preemptions)) {
                *bound.reporting.entry(monitor.name).or_default() += 1;
            }
        }
        if count.first.is_none() {
            let seconds = self.started.elapsed().as_secs_f64();
            count.first = Some(FirstReport { executions: self.counts.executions, seconds });
            count.first_preemptions = preemptions;
        }
    }
}
