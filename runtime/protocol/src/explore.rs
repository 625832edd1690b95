//! What is asked of a search: which executions, watched by what, and how far each may go.

use engine::model::MemoryModel;
use engine::monitor::MonitorName;
use serde::{Deserialize, Serialize};

use crate::finals::Compared;
use crate::repair::Repair;

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
    /// The machine with store buffers on which the interleavings are run; none: memory is sequentially consistent.
    #[serde(default)]
    pub machine: Option<Machine>,
    /// What of the ends of executions is compared, if that is wanted ([`crate::Finals`]).
    #[serde(default)]
    pub compared: Option<Compared>,
    /// What the program has more than its source says, and what is looked for then; none: the program is run as it is.
    #[serde(default)]
    pub repair: Option<Repair>,
    /// What is recorded.
    pub record: Recorded,
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

/// A machine with store buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// Its memory model: TSO or PSO.
    pub model: MemoryModel,
    /// How many stores may be delayed at a time, each until behind the next event of its thread; none: all.
    #[serde(default)]
    pub delays: Option<u32>,
}

/// The search for the execution graphs of a program. It is one slice.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Graphs {
    /// The memory model.
    pub model: MemoryModel,
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

impl Limits {
    /// Where no other limit of memory is asked for: 1 GiB.
    #[must_use]
    pub const fn default_memory() -> u64 {
        1 << 30
    }
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

/// How many rounds of loops of one execution may leave everything as it was, where preemptions are not bounded: there is
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

/// How the heap of the program behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Heap {
    /// What happens to freed blocks.
    pub reuse: Reuse,
    /// What happens to lost ones.
    pub leaks: Leaks,
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
