//! Who has control, and how an execution ends.

use engine::event::Thread;
use engine::execution::Ending;

use crate::process::fiber::{self, Switch};
use crate::state::failure::Failure;

/// How the running thread comes to its next operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// From its last one.
    Plain,
    /// It was chosen to perform it while it stood in a wait loop.
    Granted,
    /// From its start: this thread, which created it, waits for it to arrive.
    FromStart(Thread),
    /// It has begun an atomic block, and comes to its first operation there.
    Opening,
    /// It is in an atomic block: nobody else may come before its next operation.
    Within,
    /// It is run alone, for execution graphs.
    Alone,
}

/// How an execution ended.
#[derive(Debug)]
pub(crate) enum End {
    /// Nobody could go on.
    Nobody(Ending),
    /// It failed.
    Failed(Failure),
    /// An assumption did not hold.
    Assumed,
    /// A thread used up its stack, but for what a hook needs.
    StackOverflow,
    /// It reached the limit of events.
    MaxEvents,
    /// It reached the limit of rounds that left everything as it was.
    IdleRounds,
    /// It did something that cannot be run under control.
    Unsupported { what: String, place: protocol::Place },
}

/// Who has control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// The thread that asked.
    Ours,
    /// Somebody else.
    Other(Switch),
    /// The thread that asked, which is run alone, for execution graphs.
    Alone,
}

impl Turn {
    /// Gives up control unless it is ours.
    #[inline(always)]
    pub(crate) fn obey(self) {
        if let Self::Other(switch) = self {
            fiber::suspend(switch);
        }
    }
}
