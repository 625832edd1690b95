//! The summary of a search, as results show it.

use std::collections::BTreeMap;

use engine::monitor::MonitorName;
use serde::{Deserialize, Serialize};

use crate::failure::FailureKind;
use crate::finals::Finals;
use crate::grounds::Grounds;
use crate::ordered::Atomic;
use crate::outcomes::Outcomes;
use crate::packed::Packed;
use crate::place::Place;
use crate::repair::Obstacle;

/// The summary of an exploration that has ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Whether everything within the bound was explored.
    pub complete: bool,
    /// The reason why not, if a budget ended the exploration.
    pub stopped_by: Option<StoppedBy>,
    /// Executions that were explored and count.
    pub executions: u64,
    /// Executions that were given up because an assumption failed.
    pub blocked: u64,
    /// Runs of the program to an end: the counted executions, and the runs that only repeat one of them but for
    /// iterations of a wait loop without effect.
    pub runs: u64,
    /// Events of all counted executions together.
    pub events: u64,
    /// Seconds that the exploration took.
    pub seconds: f64,
    /// The counts of each number of preemptions, ascending; empty where preemptions are not bounded.
    pub by_bound: Vec<BoundCount>,
    /// The counts of each monitor, in the order asked for.
    pub monitors: Vec<MonitorCount>,
    /// The number of executions that showed each violation, in the order of discovery.
    pub violation_executions: Vec<u64>,
    /// What all executions that show a violation have in common, in the order of discovery; nothing of those behind its end.
    #[serde(default)]
    pub grounds: Vec<Grounds>,
    /// External functions that were called and are neither modelled nor known to be harmless, sorted.
    pub uninstrumented: Vec<String>,
    /// The loop that went round most often in the last execution, if one did, where [`StoppedBy::Events`],
    /// [`StoppedBy::Rounds`] or [`StoppedBy::Memory`] ended the search.
    #[serde(default)]
    pub busiest: Option<BusyLoop>,
    /// The thread that computed for too long, where [`StoppedBy::LocalTimeout`] ended the search.
    #[serde(default)]
    pub silence: Option<Silence>,
    /// Executions for which serializability under TSO is not decided: TSO has executions that SC has not.
    #[serde(default)]
    pub undecided: u64,
    /// The assumptions that the result rests on, a sentence each, sorted.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// The number of counted executions that ended with each exit status but 0.
    #[serde(default)]
    pub exit_statuses: BTreeMap<i32, u64>,
    /// The observations of the counted executions that are complete and did not fail.
    #[serde(default)]
    pub outcomes: Outcomes,
    /// The ends of the counted executions that are complete and did not fail; empty unless they were asked for
    /// ([`crate::Explore::compared`]).
    #[serde(default)]
    pub finals: Finals,
    /// The execution graphs that have cycles of happens-before, by the two places of a cycle; empty unless they were
    /// asked for ([`crate::Cycles`]).
    #[serde(default)]
    pub containments: Vec<Containment>,
    /// The first wrong execution, if a repair is tried ([`crate::Repair`]) and leaves one.
    #[serde(default)]
    pub obstacle: Option<Obstacle>,
    /// The atomic accesses and fences that executions perform, if orders are given ([`crate::Explore::orders`]).
    #[serde(default)]
    pub atomics: Vec<Atomic>,
    /// Whether rounds of wait loops were left out of execution graphs.
    #[serde(default)]
    pub leaves_out_rounds: bool,
    /// Whether the explorer `dpor` came to classes that are beyond the preemption bound.
    #[serde(default)]
    pub leaves_out_classes: bool,
    /// Threads that still waited when the process ended, by thread and place.
    #[serde(default)]
    pub left_waiting: Vec<LeftWaiting>,
}

impl Summary {
    /// Makes the summary of a search that was interrupted before it could count anything.
    #[must_use]
    pub fn nothing() -> Self {
        Self {
            complete: false,
            stopped_by: Some(StoppedBy::Interrupt),
            executions: 0,
            blocked: 0,
            runs: 0,
            events: 0,
            seconds: 0.0,
            by_bound: Vec::new(),
            monitors: Vec::new(),
            violation_executions: Vec::new(),
            grounds: Vec::new(),
            uninstrumented: Vec::new(),
            busiest: None,
            silence: None,
            assumptions: Vec::new(),
            exit_statuses: BTreeMap::new(),
            outcomes: Outcomes::default(),
            finals: Finals::default(),
            undecided: 0,
            containments: Vec::new(),
            obstacle: None,
            atomics: Vec::new(),
            leaves_out_rounds: false,
            leaves_out_classes: false,
            left_waiting: Vec::new(),
        }
    }
}

/// The reason why a search ended before it was complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    /// The time budget was used up.
    Time,
    /// The budget of executions was used up.
    Executions,
    /// An execution reached the limit of events.
    Events,
    /// An execution had more than [`crate::IDLE_ROUNDS`] rounds of loops that left everything as it was.
    Rounds,
    /// The limit of memory for what is still to be run was reached.
    Memory,
    /// A thread performed no visible operation for as long as it may.
    LocalTimeout,
    /// The user interrupted the search with Ctrl-C.
    Interrupt,
}

impl StoppedBy {
    /// Whether a budget of the search was used up, so that one with more of it may come further.
    #[must_use]
    pub const fn is_budget(self) -> bool {
        matches!(self, Self::Time | Self::Executions | Self::Memory)
    }

    /// Returns the name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Executions => "executions",
            Self::Events => "events",
            Self::Rounds => "rounds",
            Self::Memory => "memory",
            Self::LocalTimeout => "local-timeout",
            Self::Interrupt => "interrupt",
        }
    }
}

/// The counts of one number of preemptions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BoundCount {
    /// The number of preemptions.
    pub preemptions: u32,
    /// Executions with exactly this number of preemptions.
    pub executions: u64,
    /// The number of these executions with at least one report, by monitor.
    pub reporting: BTreeMap<MonitorName, u64>,
}

/// The first report of a monitor.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FirstReport {
    /// The number of the execution, from 1.
    pub executions: u64,
    /// Seconds since the start of the exploration.
    pub seconds: f64,
}

/// The counts of a monitor.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MonitorCount {
    /// The monitor.
    pub monitor: MonitorName,
    /// Executions with at least one report.
    pub reporting: u64,
    /// Distinct pairs (e′, e) of source places; for races, unordered pairs.
    pub distinct: u64,
    /// Distinct triples (e′, prev, e) of source places; for races, ordered pairs.
    pub distinct_triples: u64,
    /// The first report of the monitor, if it made one.
    pub first: Option<FirstReport>,
}

/// A thread that waits for ever in executions in which the process ends by `main`'s return or an exit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct LeftWaiting {
    /// The number of the thread.
    pub thread: u32,
    /// The place where the thread waits.
    pub place: Place,
    /// A sentence that says which thread waits where for what.
    pub message: String,
}

impl LeftWaiting {
    /// Keeps one for each thread and place: the one with the least message.
    #[must_use]
    pub fn distinct(all: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut all: Vec<Self> = all.into_iter().collect();
        all.sort_unstable();
        all.dedup_by(|later, earlier| (later.thread, &later.place) == (earlier.thread, &earlier.place));
        all
    }
}

/// A pair of places with the number of executions of a memory model that have a cycle of happens-before through a store
/// at the one and an access at the other that overtakes it, and what goes wrong in these executions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Containment {
    /// The numbers that the program gives the two places.
    #[serde(default)]
    pub sites: [u32; 2],
    /// The place of the store, e′.
    pub delayed: Place,
    /// The place of the access that overtakes the store, e.
    pub overtaking: Place,
    /// Executions that have such a cycle, at least one.
    pub executions: u64,
    /// Executions that have such a cycle and fail.
    pub failing: u64,
    /// The failure of the least execution that has such a cycle and fails.
    pub failure: Option<Failed>,
    /// The rank of that execution, as [`crate::Sighting::rank`].
    #[serde(default)]
    pub rank: Option<Packed>,
}

impl Containment {
    /// Adds a failure of an execution of this rank, if it is less than that which is known.
    pub fn fail(&mut self, rank: &Packed, failure: impl FnOnce() -> Failed) {
        if self.rank.as_ref().is_none_or(|known| rank < known) {
            (self.failure, self.rank) = (Some(failure()), Some(rank.clone()));
        }
    }

    /// Adds the counts of other executions.
    fn join(&mut self, other: &Self) {
        self.executions += other.executions;
        self.failing += other.failing;
        if let (Some(rank), Some(failure)) = (&other.rank, &other.failure) {
            self.fail(rank, || failure.clone());
        }
    }

    /// Adds the counts of other executions, for each pair of places, in the order of their numbers.
    pub fn join_all(all: &mut Vec<Self>, others: &[Self]) {
        for other in others {
            match all.binary_search_by_key(&other.sites, |known| known.sites) {
                Ok(at) => all[at].join(other),
                Err(at) => all.insert(at, other.clone()),
            }
        }
    }
}

/// A failure of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failed {
    /// The kind of the failure.
    pub kind: FailureKind,
    /// The failure in one sentence.
    pub message: String,
    /// The subject of the failure, [`crate::Violation::subject`].
    #[serde(default)]
    pub subject: String,
    /// The place where the failure happened.
    pub place: Place,
}

/// A loop that used up the events of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BusyLoop {
    /// The thread's number.
    pub thread: u32,
    /// The place where the loop begins.
    pub place: Place,
    /// The function in whose source the loop stands; empty if it is unknown.
    pub function: String,
    /// The rounds that the loop has made since it was entered, at least 1.
    pub rounds: u64,
}

/// A thread that performed no visible operation for as long as it may: it computes, or waits for the system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Silence {
    /// The thread's number.
    pub thread: u32,
    /// The place of the thread's last visible operation.
    pub place: Place,
    /// The function in whose source that place stands; empty if it is unknown.
    pub function: String,
    /// The address in the program's code at which the thread was interrupted.
    pub program_counter: u64,
}
