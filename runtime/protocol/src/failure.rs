//! What can be wrong with an execution.

use serde::{Deserialize, Serialize};

/// The kind of a violation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
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

impl FailureKind {
    /// The name in JSON and in the names of findings: `use-after-free`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ScViolation => "sc-violation",
            Self::Race => "race",
            Self::Atomicity => "atomicity",
            Self::Assertion => "assertion",
            Self::ExitStatus => "exit-status",
            Self::Crash => "crash",
            Self::Deadlock => "deadlock",
            Self::LostWakeup => "lost-wakeup",
            Self::Livelock => "livelock",
            Self::DoubleFree => "double-free",
            Self::InvalidFree => "invalid-free",
            Self::UseAfterFree => "use-after-free",
            Self::OutOfBounds => "out-of-bounds",
            Self::Leak => "leak",
            Self::Misuse => "misuse",
            Self::Uninitialised => "uninitialised",
            Self::Nondeterministic => "nondeterministic",
            Self::Witness => "witness",
        }
    }
}
