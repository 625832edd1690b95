//! The end of an execution in which the program does not do what it did before.

use engine::execution::Ending;

use crate::process::fiber::Switch;
use crate::run::Runtime;
use crate::state::turn::{End, Turn};

/// Ends the execution, since the program does not do what it did before.
#[cold]
pub(crate) fn diverges(runtime: &mut Runtime) -> Turn {
    runtime.recorder.trail.keep(runtime.execution.history.length());
    runtime.conclusion.end = Some(End::Nobody(Ending::Diverged));
    Turn::Other(Switch::End)
}
