//! What the tool asks of the program.

use serde::{Deserialize, Serialize};

use crate::message::{Kind, Place, Role, Violation};
use crate::slice::Slice;

/// One order to the program under test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Job {
    /// Get ready to explore executions.
    Explore(Explore),
    /// Explore some.
    Slice(Box<Slice>),
    /// Run one schedule again and describe every event.
    Replay(Replay),
}

/// A monitor, by its name on the command line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MonitorName {
    /// The best monitor for TSO under the explorer in use.
    Tso,
    /// The best monitor for PSO under the explorer in use.
    Pso,
    /// The monitor of the TACAS'11 paper for TSO.
    BurnimTso,
    /// The monitor of the TACAS'11 paper for PSO.
    BurnimPso,
    /// The monitor for TSO for which one execution of each class is enough.
    PrefixTso,
    /// The monitor for PSO for which one execution of each class is enough.
    PrefixPso,
    /// The most sensitive monitor for TSO.
    ExactTso,
    /// SOBER, for TSO, corrected.
    Sober,
    /// Data races of C11.
    Race,
    /// Conflict serializability of transactions under SC.
    ScAtomicity,
    /// Conflict serializability of transactions under TSO.
    TsoAtomicity,
    /// Whether an execution of TSO is equivalent to one of SC; of event logs with commits.
    ScEquivalence,
}

impl MonitorName {
    /// The relaxed model whose executions it watches for, in lower case, if it watches for any.
    #[must_use]
    pub const fn model(self) -> Option<&'static str> {
        match self {
            Self::Tso | Self::BurnimTso | Self::PrefixTso | Self::ExactTso | Self::Sober | Self::ScEquivalence => {
                Some("tso")
            }
            Self::Pso | Self::BurnimPso | Self::PrefixPso => Some("pso"),
            Self::Race | Self::ScAtomicity | Self::TsoAtomicity => None,
        }
    }

    /// Whether it watches transactions.
    #[must_use]
    pub const fn watches_transactions(self) -> bool {
        matches!(self, Self::ScAtomicity | Self::TsoAtomicity)
    }

    /// Whether it simulates store buffers, which a trace shows.
    #[must_use]
    pub const fn has_buffers(self) -> bool {
        matches!(self, Self::Tso | Self::Pso | Self::BurnimTso | Self::BurnimPso)
    }
}

/// The search for the execution graphs of a program. It is one slice.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Graphs {
    /// The memory model.
    pub model: GraphModel,
    /// Stop after so many seconds.
    pub seconds: Option<f64>,
    /// Leave executions out in which a loop that is no wait goes round more often, each time it is entered.
    pub unroll: Option<u64>,
    /// What is done about cycles of happens-before.
    #[serde(default)]
    pub cycles: Cycles,
}

/// What is done about cycles of happens-before in execution graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cycles {
    /// They are not looked for.
    #[default]
    Ignored,
    /// Which executions have them is counted ([`crate::Containment`]).
    Counted,
}

/// A memory model whose execution graphs are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphModel {
    /// Sequential consistency.
    Sc,
    /// Total store order.
    Tso,
    /// Partial store order.
    Pso,
    /// POWER.
    Power,
}

/// How the executions are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Explorer {
    /// All interleavings, by preemptions.
    #[default]
    Bounded,
    /// One interleaving of each Mazurkiewicz class.
    Dpor,
    /// At random: each thread is equally likely.
    Random,
    /// At random, by priorities.
    Pct,
    /// At random, by the events that are left.
    Urw,
}

impl Explorer {
    /// Its name on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bounded => "bounded",
            Self::Dpor => "dpor",
            Self::Random => "random",
            Self::Pct => "pct",
            Self::Urw => "urw",
        }
    }

    /// Whether it draws executions, without end.
    #[must_use]
    pub const fn draws(self) -> bool {
        matches!(self, Self::Random | Self::Pct | Self::Urw)
    }
}

/// How far one execution may go.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Events of one execution, at least 1.
    pub max_events: u64,
    /// Bytes that a process keeps of what is still to be run.
    #[serde(default = "Limits::default_memory")]
    pub memory: u64,
    /// Seconds that a thread may compute, or wait for the system, without a visible operation.
    pub local_seconds: u64,
    /// Weak compare-and-exchanges of one execution that may fail although they could succeed.
    #[serde(default)]
    pub weak_failures: u32,
    /// When a condition variable or a futex lets a thread go.
    #[serde(default)]
    pub wakeups: Wakeups,
    /// What an exit status other than 0 is.
    #[serde(default)]
    pub exit_status: ExitStatus,
}

/// What an exit status other than 0 is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitStatus {
    /// A violation.
    #[default]
    Reported,
    /// An end as any other.
    Ignored,
}

impl Limits {
    /// Where no other limit of memory is asked for: 1 GiB.
    #[must_use]
    pub const fn default_memory() -> u64 {
        1 << 30
    }
}

/// So many rounds of loops of one execution may leave everything as it was, where preemptions are not bounded: there is
/// most likely no end of executions with more and more of them.
pub const IDLE_ROUNDS: u32 = 200;

/// When a condition variable or a futex lets a thread go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wakeups {
    /// When another thread wakes it.
    #[default]
    Signalled,
    /// For no reason too.
    Spurious,
}

/// Whether malloc gives out again what was freed in the same execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reuse {
    /// Never: every use of a freed block is noticed.
    #[default]
    Never,
    /// A thread gets back what it freed last, as from the per-thread caches of real allocators.
    ByThread,
}

/// Whether blocks that nothing points to at the end of an execution are violations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaks {
    /// They are not looked for.
    #[default]
    Ignored,
    /// They are.
    Reported,
}

/// How the heap of the program behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Heap {
    /// What happens to freed blocks.
    pub reuse: Reuse,
    /// What happens to lost ones.
    pub leaks: Leaks,
}

/// Whether executions are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recorded {
    /// None is.
    #[default]
    Nothing,
    /// Each is told as a log ([`crate::Message::Recorded`]).
    Executions,
}

/// Explore the executions with at most so many preemptions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Explore {
    /// [`crate::VERSION`].
    pub version: u32,
    /// How the executions are chosen.
    #[serde(default)]
    pub explorer: Explorer,
    /// What random executions depend on.
    #[serde(default)]
    pub seed: u64,
    /// The preemption bound, or none.
    pub preemptions: Option<u32>,
    /// What watches each execution.
    pub monitors: Vec<MonitorName>,
    /// How far one execution may go.
    pub limits: Limits,
    /// How the heap behaves.
    #[serde(default)]
    pub heap: Heap,
    /// End a slice at its first violation.
    pub stop_at_first: bool,
    /// Explore execution graphs; none: interleavings.
    #[serde(default)]
    pub graphs: Option<Graphs>,
    /// What is recorded.
    pub record: Recorded,
}

/// Run one schedule again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Replay {
    /// [`crate::VERSION`].
    pub version: u32,
    /// The schedule.
    pub schedule: Schedule,
    /// How the execution was chosen.
    #[serde(default)]
    pub explorer: Explorer,
    /// What watches the execution.
    pub monitors: Vec<MonitorName>,
    /// How far the execution may go.
    pub limits: Limits,
    /// How the heap behaves.
    #[serde(default)]
    pub heap: Heap,
    /// What the schedule ends in.
    #[serde(default)]
    pub end: ScheduleEnd,
    /// Let the program's own output through.
    pub output: bool,
}

/// What a schedule ends in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScheduleEnd {
    /// An operation, or a fault.
    #[default]
    Operation,
    /// A failure of the thread with this number, in what it does next.
    Failure(u32),
}

impl ScheduleEnd {
    /// That of the schedule of a violation.
    #[must_use]
    pub fn of(violation: &Violation) -> Self {
        let at = violation.sites.iter().find(|site| site.role == Role::At);
        match (violation.kind, at) {
            (
                Kind::Assertion
                | Kind::Crash
                | Kind::DoubleFree
                | Kind::InvalidFree
                | Kind::UseAfterFree
                | Kind::OutOfBounds
                | Kind::Misuse
                | Kind::Uninitialised,
                Some(site),
            ) => Self::Failure(site.thread),
            _ => Self::Operation,
        }
    }
}

/// A schedule: who performs events, in order, each step tied to the source so that a changed program is noticed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Schedule {
    /// The creation path of each thread by its number: `[]` is main, `[0]` the first thread main created, `[0, 1]`
    /// the second that one created.
    pub threads: Vec<Vec<u32>>,
    /// Runs of consecutive events of one thread.
    pub segments: Vec<Segment>,
    /// The values that `fh_choose` and the like gave, in order.
    pub choices: Vec<u64>,
    /// In place of segments and choices: an execution graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<Graph>,
}

/// An execution under a memory model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Graph {
    /// The model.
    pub model: GraphModel,
    /// The accesses in an order in which each comes after what must be known before it: not one of time.
    pub events: Vec<GraphEvent>,
}

/// An access of an execution graph.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GraphEvent {
    /// The thread's number.
    pub thread: u32,
    /// How many accesses of the thread come before it in program order.
    pub index: u32,
    /// Where.
    pub place: Place,
    /// The function in whose source it stands.
    pub function: String,
    /// As in [`crate::SiteUse::operation`], or `begin` and `end` of a thread.
    pub operation: String,
    /// The variable if known, else an address in hexadecimal, or the mutex or thread.
    pub target: String,
    /// First byte of the access, or of the object; 0 if there is none.
    pub address: u64,
    /// Its width in bytes; 0 if it is no access to memory.
    pub width: u32,
    /// The value read, if it reads.
    pub read: Option<u64>,
    /// The value written, if it writes.
    pub written: Option<u64>,
    /// Accesses to the same location have the same number here, those of the first event 0.
    pub location: u32,
    /// The index among the events of the write that it reads from; none for the initial value.
    pub source: Option<u64>,
    /// The place of its write in the coherence order of its location, from 1; 0 if it does not write.
    pub rank: u32,
    /// The accesses before it in its thread, by their [`Self::index`], that it may overtake: the model does not keep
    /// the two in order for everybody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overtakes: Vec<u32>,
}

impl Graph {
    /// What each event was committed with, in their order: what it chose; of a write its place among the writes to its
    /// location that were committed before it; of a read the rank, at the time, of the write that it reads from.
    #[must_use]
    pub fn commits(&self) -> Vec<usize> {
        let commit = |(number, event): (usize, &GraphEvent)| {
            let below = |rank: u32| {
                let earlier = self.events[..number].iter().filter(|other| other.location == event.location);
                earlier.filter(|other| (1..rank).contains(&other.rank)).count()
            };
            let source = event.source.and_then(|source| self.events.get(usize::try_from(source).ok()?));
            match (event.read, source) {
                (Some(chosen), None) if event.operation == CHOOSE => usize::try_from(chosen).unwrap_or(usize::MAX),
                (None, _) => below(event.rank),
                (Some(_), None) => 0,
                (Some(_), Some(source)) => below(source.rank + 1),
            }
        };
        self.events.iter().enumerate().map(commit).collect()
    }
}

/// The [`GraphEvent::operation`] that is a choice.
pub const CHOOSE: &str = "choose";

/// Consecutive events of one thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Segment {
    /// The thread's number.
    pub thread: u32,
    /// How many events, at least 1.
    pub events: u64,
    /// Where the last of them is in the source.
    pub last: Place,
    /// How many times that thread has performed an event there, this one included.
    pub nth: u64,
}
