//! The job of a search: which executions are run, what watches them, and how far each may go.

use engine::explore::Rounds;
use engine::mapping::machines::Code;
use engine::model::MemoryModel;
use engine::monitor::MonitorName;
use serde::{Deserialize, Serialize};

use crate::finals::Compared;
use crate::ordered::Ordered;
use crate::repair::Repair;

/// The order to explore executions: all, or some, of those within a preemption bound.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Explore {
    /// The version of the protocol, [`crate::VERSION`].
    pub version: u32,
    /// The explorer that chooses the executions.
    #[serde(default)]
    pub explorer: Explorer,
    /// The seed from which the explorers that draw executions take their random numbers.
    #[serde(default)]
    pub seed: u64,
    /// The preemption bound; `None` if preemptions are not bounded.
    pub preemptions: Option<u32>,
    /// The iterations of wait loops without effect that an explorer of classes goes on behind.
    #[serde(default)]
    pub rounds: Rounds,
    /// The monitors that watch each execution.
    pub monitors: Vec<MonitorName>,
    /// The limits of one execution.
    pub limits: Limits,
    /// The behaviour of the heap.
    #[serde(default)]
    pub heap: Heap,
    /// Whether a slice ends at its first violation.
    pub stop_at_first: bool,
    /// The search for execution graphs; `None` to explore interleavings.
    #[serde(default)]
    pub graphs: Option<Graphs>,
    /// The machine with store buffers on which interleavings are run; `None` if memory is sequentially consistent.
    #[serde(default)]
    pub machine: Option<Machine>,
    /// The parts of an execution's end that make up its outcome ([`crate::Finals`]); `None` if outcomes are not
    /// compared.
    #[serde(default)]
    pub compared: Option<Compared>,
    /// The repair that is tried ([`crate::Repair`]); `None` to run the program as it is.
    #[serde(default)]
    pub repair: Option<Repair>,
    /// The orders that atomic accesses and fences of execution graphs have instead of those in the source; `None` if
    /// they have their own, and are not listed in the results.
    #[serde(default)]
    pub orders: Option<Vec<Ordered>>,
    /// Whether executions are recorded.
    pub record: Recorded,
    /// The folder from which source files are named; `None` if it is the one in which the program runs.
    #[serde(default)]
    pub directory: Option<String>,
}

/// The way in which executions are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Explorer {
    /// All interleavings, in the order of their preemptions.
    #[default]
    Bounded,
    /// One interleaving of each Mazurkiewicz class.
    Dpor,
    /// Random executions: each thread that can go on is equally likely.
    Random,
    /// Random executions, by the priorities of PCT (probabilistic concurrency testing).
    Pct,
    /// Random executions, weighted by the events that each thread has left.
    Urw,
    /// Random executions that say how many classes there are: an estimate, and no explorer of the command line.
    Census,
}

impl Explorer {
    /// Returns the name of the explorer on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bounded => "bounded",
            Self::Dpor => "dpor",
            Self::Random => "random",
            Self::Pct => "pct",
            Self::Urw => "urw",
            Self::Census => "census",
        }
    }

    /// Whether the explorer draws executions at random, without end.
    #[must_use]
    pub const fn draws(self) -> bool {
        matches!(self, Self::Random | Self::Pct | Self::Urw | Self::Census)
    }
}

/// A machine with store buffers, on which interleavings are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// The memory model of the machine: TSO or PSO.
    pub model: MemoryModel,
    /// The most stores that may be delayed at a time, each until behind the next event of its thread; `None` if there
    /// is no limit.
    #[serde(default)]
    pub delays: Option<u32>,
}

/// The search for the execution graphs of a program, which is always one slice.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Graphs {
    /// The memory model whose execution graphs are searched for.
    pub model: MemoryModel,
    /// The most rounds of a loop, each time it is entered, if it is not a wait loop: executions with more are left out.
    pub unroll: Option<u64>,
    /// The treatment of cycles of happens-before.
    #[serde(default)]
    pub cycles: Cycles,
    /// What is known of the code that a compiler makes, and of the language.
    #[serde(default)]
    pub code: Code,
}

/// The treatment of cycles of happens-before in execution graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cycles {
    /// Cycles are not looked for.
    #[default]
    Ignored,
    /// The executions with cycles are counted ([`crate::Containment`]).
    Counted,
}

/// The limits of one execution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// The most events of one execution, at least 1.
    pub max_events: u64,
    /// The most bytes that a process keeps of executions that are still to be run.
    #[serde(default = "Limits::default_memory")]
    pub memory: u64,
    /// The seconds that a thread may compute, or wait for the system, without a visible operation.
    pub local_seconds: u64,
    /// The most weak compare-and-exchanges of one execution that may fail although they could succeed.
    #[serde(default)]
    pub weak_failures: u32,
    /// The wakeups of threads that sleep on a condition variable or a futex.
    #[serde(default)]
    pub wakeups: Wakeups,
    /// The meaning of an exit status other than 0.
    #[serde(default)]
    pub exit_status: ExitStatus,
}

impl Limits {
    /// Returns the limit of memory in bytes where no other one is asked for: 1 GiB.
    #[must_use]
    pub const fn default_memory() -> u64 {
        1 << 30
    }
}

/// The meaning of an exit status other than 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitStatus {
    /// An exit status other than 0 is a violation.
    #[default]
    Reported,
    /// An exit status other than 0 is an end like any other.
    Ignored,
}

/// The most rounds of loops in one execution that may leave everything as it was, where preemptions are not bounded:
/// beyond it, there is most likely no end of executions with more and more such rounds.
pub const IDLE_ROUNDS: u32 = 200;

/// The wakeups of threads that sleep on a condition variable or a futex.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wakeups {
    /// A thread is let go only when another thread wakes it.
    #[default]
    Signalled,
    /// A thread may also be let go for no reason.
    Spurious,
}

/// The behaviour of the program's heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Heap {
    /// The treatment of freed blocks.
    pub reuse: Reuse,
    /// The treatment of blocks that nothing points to any more.
    pub leaks: Leaks,
}

/// Whether malloc gives out again what was freed in the same execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reuse {
    /// Never, so that every use of a freed block is noticed.
    #[default]
    Never,
    /// A thread gets back the block that it freed last, as from the per-thread caches of real allocators.
    ByThread,
}

/// Whether a block that nothing points to at the end of an execution is a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaks {
    /// Such blocks are not looked for.
    #[default]
    Ignored,
    /// Each such block is a violation.
    Reported,
}

/// Whether executions are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recorded {
    /// No execution is recorded.
    #[default]
    Nothing,
    /// Each execution is recorded in the event log of its slice's harvest ([`crate::slice::Harvest::recorded`]).
    Executions,
}
