//! What the program answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::job::{MonitorName, Schedule};
use crate::outcomes::Outcomes;
use crate::slice::Harvest;

/// One line from the program under test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// The end of a slice.
    Harvest(Box<Harvest>),
    /// The end of a replay.
    Replayed(Box<Trace>),
    /// The schedule of a replay does not fit the program: what differs, in words.
    Diverged(String),
    /// An error inside the runtime, in words. Nothing follows.
    Internal(String),
}

/// A place in the source. Places are equal if they were come to by equal calls of inlined functions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Place {
    /// The file, as the compiler was given it; empty if unknown.
    pub file: String,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
    /// The calls through inlined functions, innermost first; empty if there are none. File, line and column are those
    /// of the first frame that is in no wrapper.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Frame>,
}

/// A place in a function, which a [`Place`] was come to through.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Frame {
    /// The function, by its name in the source.
    pub function: String,
    /// As [`Place::file`].
    pub file: String,
    /// As [`Place::line`].
    pub line: u32,
    /// As [`Place::column`].
    pub column: u32,
}

impl Place {
    /// A place that is not in an inlined function.
    #[must_use]
    pub const fn new(file: String, line: u32, column: u32) -> Self {
        Self { file, line, column, stack: Vec::new() }
    }

    /// Where in its stack file, line and column are; the frames before are wrappers, those behind callers.
    #[must_use]
    pub fn lead(&self) -> Option<usize> {
        let is_lead = |frame: &Frame| (&frame.file, frame.line, frame.column) == (&self.file, self.line, self.column);
        self.stack.iter().position(is_lead)
    }

    /// The calls of wrappers that lead from the place to the access, the outermost first.
    pub fn wrappers(&self) -> impl Iterator<Item = &Frame> {
        self.stack[..self.lead().unwrap_or_default()].iter().rev()
    }

    /// The calls that lead to the place, the innermost first.
    pub fn callers(&self) -> impl Iterator<Item = &Frame> {
        self.stack.iter().skip(self.lead().map_or(0, |lead| lead + 1))
    }
}

/// What kind of violation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A relaxed execution close to this one is not sequentially consistent.
    ScViolation,
    /// Two accesses to the same memory are not ordered, one writes, and one is not atomic.
    Race,
    /// Transactions that are not as if each ran alone.
    Atomicity,
    /// An `assert`, `fh_assert` or `reach_error` failed.
    Assertion,
    /// The program ends with an exit status other than 0.
    ExitStatus,
    /// A fault, `abort`, stack overflow, or the memory limit.
    Crash,
    /// Threads wait for each other.
    Deadlock,
    /// Threads sleep on a condition variable, a semaphore or a futex, and nobody is left to wake them.
    LostWakeup,
    /// A loop that nobody can end.
    Livelock,
    /// A block freed twice.
    DoubleFree,
    /// A free of something that is no block.
    InvalidFree,
    /// A use of a freed block, or of a local variable of a function that has returned.
    UseAfterFree,
    /// An access beside a block or a variable.
    OutOfBounds,
    /// A block that nothing points to any more, never freed.
    Leak,
    /// A library call that its contract forbids.
    Misuse,
    /// A use of a value that was never written.
    Uninitialised,
    /// The same schedule gave different events.
    Nondeterministic,
    /// No violation: an execution of a litmus test that has what its `exists` asks for.
    Witness,
}

/// The part an operation plays in a violation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The store that waits in the buffer, e′.
    Delayed,
    /// The event before the overtaking one in its thread, prev.
    Previous,
    /// The access that comes before the delayed store takes effect, e.
    Overtaking,
    /// The access of a race that came first.
    First,
    /// The other one.
    Second,
    /// The event of a transaction on a cycle that takes effect first.
    From,
    /// The event of the next transaction on the cycle that conflicts with it.
    To,
    /// The same, if it was issued before the first one: a store buffer makes it possible.
    Overtaken,
    /// The last event issued before a delayed store takes effect.
    Until,
    /// Where the failure happened.
    At,
    /// Where a thread waits.
    Waits,
    /// Where a thread came to hold what another one waits for.
    Holds,
    /// The operation on the same object before the one that failed.
    Earlier,
    /// Where the block was freed.
    Freed,
    /// Where the block was allocated, or the variable came to be.
    Allocated,
}

/// An operation of the program in a report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SiteUse {
    /// Its part in the violation.
    pub role: Role,
    /// The thread's number.
    pub thread: u32,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// The function in whose source it stands; empty if unknown.
    pub function: String,
    /// `load`, `store`, `exchange`, `fetch-add`, `compare-exchange`, `fence`, `lock`, `unlock`, `wait`, `signal`, `create`,
    /// `join`, …
    pub operation: String,
    /// The variable, if known; else empty.
    pub expression: String,
}

/// A violation, with the schedule that shows it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// What kind.
    pub kind: Kind,
    /// The monitor that reported it, of a [`Kind::ScViolation`], a [`Kind::Race`] or a [`Kind::Atomicity`].
    pub monitor: Option<MonitorName>,
    /// What happened, in one sentence.
    pub message: String,
    /// The operations that take part.
    pub sites: Vec<SiteUse>,
    /// For an [`Kind::ScViolation`]: the indices of e′, prev and e among the execution's events, from 0.
    pub events: Option<[u64; 3]>,
    /// Where in the program's code, of a [`Kind::Crash`] that a signal ended: more exact than
    /// the place of the last operation, which is what `sites` can say.
    pub program_counter: Option<u64>,
    /// The execution, up to its end.
    pub schedule: Schedule,
}

/// What a cycle of transactions is, given the two ends of each of its edges, and what else there is to it.
#[must_use]
pub fn cycle_in_words(monitor: MonitorName, sites: &[SiteUse]) -> String {
    let sites: Vec<&SiteUse> =
        sites.iter().filter(|site| matches!(site.role, Role::From | Role::To | Role::Overtaken)).collect();
    let line = |site: &SiteUse| format!("{} at {}:{}", site.operation, site.place.file, site.place.line);
    let edges = sites.chunks_exact(2).map(|edge| format!("the {} before the {}", line(edge[0]), line(edge[1])));
    let edges: Vec<String> = edges.collect();
    let what = match monitor {
        MonitorName::ScEquivalence => "no sequentially consistent execution has",
        _ => "no order of the transactions, each of them alone, has",
    };
    format!("{what} all of this: {}", edges.join(", "))
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

/// The counts of one preemption bound.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BoundCount {
    /// Exactly so many preemptions.
    pub preemptions: u32,
    /// Executions with exactly so many.
    pub executions: u64,
    /// Of these, the ones with at least one report, by monitor.
    pub reporting: BTreeMap<MonitorName, u64>,
}

/// When a monitor first reported.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FirstReport {
    /// In the so-manieth execution, from 1.
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
    /// Of counted executions that are complete and did not fail.
    #[serde(default)]
    pub outcomes: Outcomes,
    /// Of execution graphs, if that was asked for ([`crate::Cycles`]), by the two places.
    #[serde(default)]
    pub containments: Vec<Containment>,
    /// Whether rounds of wait loops were left out of execution graphs.
    #[serde(default)]
    pub leaves_out_rounds: bool,
    /// Threads that still waited when the process ended, by thread and place.
    #[serde(default)]
    pub left_waiting: Vec<LeftWaiting>,
}

/// A thread that waits for ever in executions in which the process ends by `main`'s return or an exit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct LeftWaiting {
    /// The thread.
    pub thread: u32,
    /// Where it waits.
    pub place: Place,
    /// Who waits where for what, in words.
    pub message: String,
}

impl LeftWaiting {
    /// Of each thread and place, the one whose message is least.
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
    /// So many executions have such a cycle, at least one.
    pub executions: u64,
    /// In so many of them something fails.
    pub failing: u64,
    /// What fails in the first one of these.
    pub failure: Option<Failed>,
}

/// A failure of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failed {
    /// What kind.
    pub kind: Kind,
    /// As [`Violation::message`].
    pub message: String,
    /// Where.
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

/// One execution in full.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// The events in the order in which they happened.
    pub events: Vec<TraceEvent>,
    /// The violations of this execution, each at its first occurrence, with empty schedules.
    pub violations: Vec<Violation>,
}

/// One event of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceEvent {
    /// The thread's number.
    pub thread: u32,
    /// Where.
    pub place: Place,
    /// The function in whose source it stands.
    pub function: String,
    /// As in [`SiteUse::operation`].
    pub operation: String,
    /// The variable if known, else an address in hexadecimal, or the mutex or thread; empty for a fence.
    pub target: String,
    /// First byte of the access and its width in bytes; width 0 if it is no access.
    pub address: u64,
    /// See `address`.
    pub width: u32,
    /// The value read, if it reads: of an access of more than 8 bytes, its first 8.
    pub read: Option<u64>,
    /// The value written, if it writes; as `read`.
    pub written: Option<u64>,
    /// What an access of more than 8 bytes reads beside, eight by eight; empty for others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_above: Vec<u64>,
    /// As `read_above`, of what is written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written_above: Vec<u64>,
    /// For each monitor asked for, in their order: the indices of the stores that still wait in some store buffer of
    /// the simulated machine after this event; of many, the newest ones.
    pub pending: Vec<Vec<u64>>,
}
