//! Turns: which thread has control, and how an execution ends.

use engine::event::Thread;
use engine::execution::Ending;

use crate::process::fiber::{self, Switch};
use crate::state::failure::Failure;

/// The way in which the running thread comes to its next operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// The thread comes from its last operation.
    Plain,
    /// The thread was chosen to perform its operation while it stood in a wait loop.
    Granted,
    /// The thread comes from its start: this thread, which created it, waits for it to arrive.
    FromStart(Thread),
    /// The thread has begun an atomic block, and comes to its first operation there.
    Opening,
    /// The thread is in an atomic block: nobody else may come before its next operation.
    Within,
    /// The thread is run alone, for execution graphs.
    Alone,
}

/// The end of an execution.
#[derive(Debug)]
pub(crate) enum End {
    /// No thread could go on.
    Nobody(Ending),
    /// The execution failed.
    Failed(Failure),
    /// An assumption did not hold.
    Assumed,
    /// A thread used up its stack, but for what a hook needs.
    StackOverflow,
    /// The execution reached the limit of events.
    MaxEvents,
    /// The execution reached the limit of rounds that left everything as it was.
    IdleRounds,
    /// The program did something that cannot be run under control.
    Unsupported { what: String, place: protocol::Place },
}

/// The holder of control, as a thread that asks for it is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// The thread that asked has control.
    Ours,
    /// Another thread has control.
    Other(Switch),
    /// The thread that asked has control and is run alone, for execution graphs.
    Alone,
}

impl Turn {
    /// Gives up control unless the thread that asked has it.
    #[inline(always)]
    pub(crate) fn obey(self) {
        if let Self::Other(switch) = self {
            fiber::suspend(switch);
        }
    }
}
