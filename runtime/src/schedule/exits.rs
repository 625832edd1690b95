//! The end of the process: which thread exits first, and with which status.
//!
//! A thread that exits stops, and nobody returns from a join of it. The others go on: what they do could still have
//! come before a real exit. If the program calls `exit` or one of its sisters anywhere, each end of the process is an
//! event, so that executions differ in which of several comes first; the first one's status is the program's. Otherwise
//! only `main` ends the process.
//!
//! In execution graphs ends are no events: each thread that exits may be the first one, since nothing comes after an
//! end.

use engine::execution::Pending;
use protocol::{ExitStatus, FailureKind, Operation, Role};

use crate::process::fiber::Switch;
use crate::process::sections;
use crate::process::sites::RecordPointer;
use crate::run::{Runtime, with};
use crate::schedule::events;
use crate::schedule::turns::{self, turn};
use crate::state::exited::{Exit, Exited, seen};
use crate::state::failure::{Extent, Failure, site_use};
use crate::state::objects::Class;
use crate::state::operation::Note;
use crate::state::turn::{End, Turn};

/// Returns the failure that an exit of the running thread is, if it is one.
pub(crate) fn failing_exit(runtime: &Runtime, exit: Exit) -> Option<Failure> {
    let status = seen(exit.status);
    if status == 0 || runtime.settings.exit_status == ExitStatus::Ignored {
        return None;
    }
    let sites = vec![site_use(Role::At, runtime.running, exit.site, exit.operation)];
    let message = format!("the program ends with exit status {status}");
    Some(Failure::new(FailureKind::ExitStatus, message, sites))
}

/// Reports, as an event, that the running thread is about to end the process.
pub(crate) fn exit_event(runtime: &mut Runtime, site: RecordPointer) -> Turn {
    let object = runtime.objects.number(Class::Exits, 0);
    events::steps_on(runtime, object, Note { site, operation: Operation::Exit }, 0)
}

/// Ends the process by the running thread, without an event; returns who runs next.
pub(crate) fn exits(runtime: &mut Runtime, exit: Exit) -> Switch {
    if let Some(failure) = turns::block_left_open(runtime).or_else(|| turns::unfinished(runtime, runtime.running)) {
        runtime.conclusion.end = Some(End::Failed(failure));
        return Switch::End;
    }
    runtime.execution.state.threads.exit();
    let is_called = runtime.conclusion.exited.is_called || exit.operation != Operation::Return;
    if runtime.conclusion.exited.status.is_none() {
        let failure = failing_exit(runtime, exit);
        if failure.is_some()
            && runtime.settings.planned.is_some_and(|planned| runtime.execution.history.length() >= planned)
        {
            runtime.conclusion.end = failure.map(End::Failed);
            return Switch::End;
        }
        let extent = Extent::of(&runtime.execution);
        let failure = failure.map(|failure| (failure, extent));
        runtime.conclusion.exited = Exited { status: Some(seen(exit.status)), failure, ..Exited::default() };
    }
    runtime.conclusion.exited.is_called = is_called;
    match turns::give_up(runtime) {
        Turn::Other(switch) => switch,
        Turn::Ours | Turn::Alone => unreachable!("a thread that has exited is not chosen"),
    }
}

/// Ends the process by the running thread; returns who runs next.
pub(crate) fn end_process(exit: Exit) -> Switch {
    if sections::calls_exit() {
        turn(Pending::Access, exit.site);
        if let Some(turn) = with(|runtime| exit_event(runtime, exit.site)) {
            turn.obey();
        }
    }
    with(|runtime| exits(runtime, exit)).expect("threads run under control")
}
