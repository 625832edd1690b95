//! What was counted of a search, as results show it.

use std::collections::BTreeMap;

use engine::monitor::MonitorName;
use serde::{Deserialize, Serialize};

use crate::failure::FailureKind;
use crate::finals::Finals;
use crate::outcomes::Outcomes;
use crate::place::Place;
use crate::repair::Obstacle;

/// The end of an exploration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Whether everything within the bound was explored.
    pub complete: bool,
    /// Why not, if a budget ended it.
    pub stopped_by: Option<StoppedBy>,
    /// Executions explored.
    pub executions: u64,
    /// Executions given up because an assumption failed.
    pub blocked: u64,
    /// How often the program ran to an end: the counted executions, and those runs that only repeat one of them but for
    /// iterations of a wait loop without effect.
    pub runs: u64,
    /// Events of all counted executions together.
    pub events: u64,
    /// Seconds that the exploration took.
    pub seconds: f64,
    /// By preemptions, ascending; empty where there is no bound.
    pub by_bound: Vec<BoundCount>,
    /// By monitor, in the order asked for.
    pub monitors: Vec<MonitorCount>,
    /// How many executions showed each violation, in the order of discovery.
    pub violation_executions: Vec<u64>,
    /// External functions that were called and are neither modelled nor known to be harmless, sorted.
    pub uninstrumented: Vec<String>,
    /// Where [`StoppedBy::Events`], [`StoppedBy::Rounds`] or [`StoppedBy::Memory`] ended the search: the loop that went
    /// round most often in its last execution, if one did.
    #[serde(default)]
    pub busiest: Option<BusyLoop>,
    /// Where [`StoppedBy::LocalTimeout`] ended the search: the thread that computed for so long.
    #[serde(default)]
    pub silence: Option<Silence>,
    /// Executions that leave serializability under TSO open: TSO has other executions than SC.
    #[serde(default)]
    pub undecided: u64,
    /// What the result takes for granted, a sentence each, sorted.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// How many counted executions ended with each exit status but 0.
    #[serde(default)]
    pub exit_statuses: BTreeMap<i32, u64>,
    /// What the counted executions observed that are complete and did not fail.
    #[serde(default)]
    pub outcomes: Outcomes,
    /// What the counted executions end with that are complete and did not fail; empty unless that was asked for
    /// ([`crate::Explore::compared`]).
    #[serde(default)]
    pub finals: Finals,
    /// Which execution graphs have cycles of happens-before, by the two places; empty unless that was asked for
    /// ([`crate::Cycles`]).
    #[serde(default)]
    pub containments: Vec<Containment>,
    /// The first wrong execution, if such are looked for ([`crate::Repair`]) and there is one.
    #[serde(default)]
    pub obstacle: Option<Obstacle>,
    /// Whether rounds of wait loops were left out of execution graphs.
    #[serde(default)]
    pub leaves_out_rounds: bool,
    /// Whether the explorer `dpor` came to classes that are beyond the bound on preemptions.
    #[serde(default)]
    pub leaves_out_classes: bool,
    /// Threads that still waited when the process ended, by thread and place.
    #[serde(default)]
    pub left_waiting: Vec<LeftWaiting>,
}

impl Summary {
    /// The counts of a search that was interrupted before it could count anything.
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
            leaves_out_rounds: false,
            leaves_out_classes: false,
            left_waiting: Vec::new(),
        }
    }
}

/// Why a search ended before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    /// The time budget.
    Time,
    /// The budget of executions.
    Executions,
    /// An execution reached the limit of events.
    Events,
    /// An execution had more than [`crate::IDLE_ROUNDS`] rounds of loops that left everything as it was.
    Rounds,
    /// The limit of memory for what is still to be run.
    Memory,
    /// A thread performed no visible operation for as long as it may.
    LocalTimeout,
    /// Ctrl-C.
    Interrupt,
}

impl StoppedBy {
    /// The name in JSON.
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

/// The counts of one preemption bound.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BoundCount {
    /// Exactly so many preemptions.
    pub preemptions: u32,
    /// Executions with exactly so many.
    pub executions: u64,
    /// How many of these executions have at least one report, by monitor.
    pub reporting: BTreeMap<MonitorName, u64>,
}

/// When a monitor first reported.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FirstReport {
    /// The number of the execution, from 1.
    pub executions: u64,
    /// Seconds since the start of the exploration.
    pub seconds: f64,
}

/// What a monitor counted.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MonitorCount {
    /// The monitor.
    pub monitor: MonitorName,
    /// Executions with at least one report.
    pub reporting: u64,
    /// Distinct pairs (e′, e) of source places; of races, pairs in any order.
    pub distinct: u64,
    /// Distinct triples (e′, prev, e) of source places; of races, pairs in order.
    pub distinct_triples: u64,
    /// Its first report, if any.
    pub first: Option<FirstReport>,
}

/// A thread that waits for ever in executions in which the process ends by `main`'s return or an exit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct LeftWaiting {
    /// The thread.
    pub thread: u32,
    /// Where it waits.
    pub place: Place,
    /// A sentence that says who waits where for what.
    pub message: String,
}

impl LeftWaiting {
    /// Keeps one for each thread and place: that whose message is least.
    #[must_use]
    pub fn distinct(all: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut all: Vec<Self> = all.into_iter().collect();
        all.sort_unstable();
        all.dedup_by(|later, earlier| (later.thread, &later.place) == (earlier.thread, &earlier.place));
        all
    }
}

/// Which executions of a memory model have a cycle of happens-before through a store at one place and an access at
/// another one that overtakes it, and what goes wrong in them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Containment {
    /// Where the store is, e′.
    pub delayed: Place,
    /// Where the access is that overtakes it, e.
    pub overtaking: Place,
    /// How many executions have such a cycle: at least one.
    pub executions: u64,
    /// In how many of them something fails.
    pub failing: u64,
    /// What fails in the first one of these.
    pub failure: Option<Failed>,
}

/// A failure of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failed {
    /// The kind of the failure.
    pub kind: FailureKind,
    /// What happened, in one sentence.
    pub message: String,
    /// As [`crate::Violation::subject`].
    #[serde(default)]
    pub subject: String,
    /// Where it happened.
    pub place: Place,
}

/// A loop that used up the events of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BusyLoop {
    /// The thread's number.
    pub thread: u32,
    /// Where the loop begins.
    pub place: Place,
    /// The function in whose source it stands; empty if unknown.
    pub function: String,
    /// How often it went round since it was entered, at least once.
    pub rounds: u64,
}

/// A thread that performed no visible operation for as long as it may: it computes, or waits for the system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Silence {
    /// The thread's number.
    pub thread: u32,
    /// Where it performed its last visible operation.
    pub place: Place,
    /// The function in whose source that stands; empty if unknown.
    pub function: String,
    /// Where in the program's code it was interrupted.
    pub program_counter: u64,
}
