//! The kinds of violations.

use serde::{Deserialize, Serialize};

/// The kind of a violation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// A relaxed execution close to this one is not sequentially consistent.
    ScViolation,
    /// Two accesses to the same memory are not ordered, one writes, and one is not atomic.
    Race,
    /// Transactions give a result that they cannot give if each runs alone.
    Atomicity,
    /// An `assert`, `fh_assert` or `reach_error` failed.
    Assertion,
    /// The program ends with an exit status other than 0.
    ExitStatus,
    /// A fault, a call of `abort`, a stack overflow, or the memory limit ended the program.
    Crash,
    /// Threads wait for each other.
    Deadlock,
    /// Threads sleep on a condition variable, a semaphore or a futex, and nobody is left to wake them.
    LostWakeup,
    /// A loop never ends, whatever other threads do.
    Livelock,
    /// A block is freed twice.
    DoubleFree,
    /// Something that is not a block is freed.
    InvalidFree,
    /// A freed block, or a local variable of a function that has returned, is used.
    UseAfterFree,
    /// An access goes beyond a block or a variable.
    OutOfBounds,
    /// A block was never freed and nothing points to it any more.
    Leak,
    /// A library function is called in a way that its contract forbids.
    Misuse,
    /// A value that was never written is used.
    Uninitialised,
    /// The same schedule led to different events.
    Nondeterministic,
    /// An execution of a litmus test satisfies its `exists` condition, which is no violation.
    Witness,
}

impl FailureKind {
    /// Returns the name in JSON and in the names of findings, such as `use-after-free`.
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
