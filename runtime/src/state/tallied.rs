//! What is counted of a slice.

use std::collections::BTreeMap;
use std::time::Instant;

use engine::execution::Execution;
use engine::explore::Counts;
use engine::monitor::MonitorName;
use protocol::{BoundTally, Compared, Finals, FirstReport, Outcomes};
use rustc_hash::FxHashSet;

use crate::state::findings::Reporter;

#[derive(Default)]
pub(crate) struct Count {
    pub(crate) reporting: u64,
    /// e′, prev, e. Of a race: the earlier access, twice, and the later.
    pub(crate) triples: FxHashSet<(u32, u32, u32)>,
    pub(crate) first: Option<FirstReport>,
    /// The preemptions of the first execution that it reported in.
    pub(crate) first_preemptions: Option<u32>,
    /// The run in which it last reported.
    last: u64,
}

/// Whether something on a cycle of transactions may be left out of execution graphs.
#[derive(Default)]
pub(crate) struct LeftOut {
    /// The program has marked a transaction.
    pub(crate) has_marks: bool,
    /// A round of a wait loop was left out.
    pub(crate) has_rounds: bool,
}

/// What is counted of the executions of a slice.
pub(crate) struct Tallied {
    pub(crate) counts: Vec<Count>,
    /// An execution, counted or not, left something open; so many counted ones did.
    pub(crate) is_open: bool,
    pub(crate) undecided: u64,
    pub(crate) left_out: LeftOut,
    pub(crate) started: Instant,
    /// Every run of the program, counted executions or not.
    pub(crate) runs: u64,
    pub(crate) executions: u64,
    pub(crate) blocked: u64,
    /// How many counted executions ended with each exit status but 0.
    pub(crate) exit_statuses: BTreeMap<i32, u64>,
    /// The program has observed something, in whatever execution.
    pub(crate) observes: bool,
    pub(crate) outcomes: Outcomes,
    /// What the executions end with, if that is compared.
    pub(crate) finals: Option<(Compared, Finals)>,
    pub(crate) events: u64,
    pub(crate) by_bound: BTreeMap<u32, BoundTally>,
    /// Recorded, and not told to the tool yet.
    pub(crate) recorded: String,
}

impl Tallied {
    /// Nothing is counted yet; the slice starts now.
    pub(crate) fn new(monitors: &[(MonitorName, MonitorName)]) -> Self {
        Self {
            counts: monitors.iter().map(|_| Count::default()).collect(),
            is_open: false,
            undecided: 0,
            left_out: LeftOut::default(),
            started: Instant::now(),
            runs: 0,
            executions: 0,
            blocked: 0,
            exit_statuses: BTreeMap::new(),
            observes: false,
            outcomes: Outcomes::default(),
            finals: None,
            events: 0,
            by_bound: BTreeMap::new(),
            recorded: String::new(),
        }
    }

    /// Seconds since the slice began.
    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// The execution, which has been counted, ended with this exit status.
    #[cold]
    pub(crate) fn count_status(&mut self, status: i32, execution: &Execution) {
        if execution.history.counts() == Counts::Once {
            *self.exit_statuses.entry(status).or_default() += 1;
        }
    }

    /// The running execution observes something.
    pub(crate) const fn observe(&mut self) {
        self.observes = true;
    }

    /// Whether some execution has observed something.
    pub(crate) const fn observes(&self) -> bool {
        self.observes
    }

    /// Takes the outcome of a complete execution within the bound, which did not fail; it is empty if nothing was observed.
    pub(crate) fn take_outcome(&mut self, outcome: String) {
        if outcome.is_empty() {
            self.outcomes.insert_silent();
        } else {
            self.outcomes.insert(outcome);
        }
    }

    /// Takes an execution graph of so many events into the counts.
    pub(crate) fn count_graph(&mut self, events: u64) {
        self.runs += 1;
        self.executions += 1;
        self.events += events;
    }

    /// A round of a wait loop is left out of an execution graph, as all others that do nothing.
    pub(crate) const fn leaves_out_a_round(&mut self) {
        self.left_out.has_rounds = true;
    }

    /// A monitor has reported on the present execution, which has so many preemptions.
    pub(crate) fn reporting(&mut self, monitor: Reporter, preemptions: Option<u32>, counts: bool) {
        let count = &mut self.counts[monitor.index];
        if counts && count.last != self.runs {
            count.last = self.runs;
            count.reporting += 1;
            if let Some(bound) = preemptions.and_then(|preemptions| self.by_bound.get_mut(&preemptions)) {
                *bound.reporting.entry(monitor.name).or_default() += 1;
            }
        }
        if count.first.is_none() {
            let seconds = self.started.elapsed().as_secs_f64();
            count.first = Some(FirstReport { executions: self.executions, seconds });
            count.first_preemptions = preemptions;
        }
    }
}
