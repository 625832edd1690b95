//! The end of the process: who exits first, and with which status.
//!
//! A thread that exits stops, and nobody returns from a join of it. The others go on: what they do could still have come
//! before a real exit. Where the program calls `exit` or one of its sisters anywhere, each end of the process is an event,
//! so that executions differ in which of several comes first; that one's status is the program's. Elsewhere only `main`
//! ends the process.
//!
//! In execution graphs ends are no events: each thread that exits may be the first one, since nothing comes after an end.

use std::ffi::c_int;

use engine::execution::Pending;
use engine::graph::Reached;
use protocol::{ExitStatus, FailureKind, Operation, Role};

use crate::graph;
use crate::hooks::checker::transactions;
use crate::process::fiber::Switch;
use crate::process::sites::RecordPointer;
use crate::run::{End, Runtime, Turn, end_execution, turn, with};
use crate::schedule::objects::Class;
use crate::state::globals;
use crate::state::recorder::{Extent, Failure, Note, site_use};

/// How a thread ends the process.
#[derive(Clone, Copy)]
pub(crate) struct Exit {
    pub(crate) status: c_int,
    /// `exit`, `return`, …
    pub(crate) operation: Operation,
    pub(crate) site: RecordPointer,
}

/// The first end of the process.
#[derive(Default)]
pub(crate) struct Exited {
    /// What a parent process would see of its status.
    status: Option<u8>,
    /// What is wrong with it, and how far the execution had come; none also once that was counted.
    failure: Option<(Failure, Extent)>,
}

impl Exited {
    /// The exit status, if a thread has exited.
    pub(crate) const fn status(&self) -> Option<u8> {
        self.status
    }

    /// What is wrong with it, once.
    pub(crate) const fn take_failure(&mut self) -> Option<(Failure, Extent)> {
        self.failure.take()
    }
}

/// The running thread ends the process: who runs next.
pub(crate) fn end_process(exit: Exit) -> Switch {
    if graph::is_on() {
        end_in_graph(exit);
    }
    if globals::calls_exit() {
        turn(Pending::Access, exit.site);
        if let Some(turn) = with(|runtime| runtime.exit_event(exit.site)) {
            turn.obey();
        }
    }
    with(|runtime| runtime.exits(exit)).expect("threads run under control")
}

fn end_in_graph(exit: Exit) -> ! {
    transactions::require_finished();
    if let Some(Some(failure)) = with(|runtime| runtime.failing_exit(exit)) {
        end_execution(End::Failed(failure));
    }
    graph::park(graph::Stop::Reached(Reached::Exits))
}

/// What a parent process sees of a status.
const fn seen(status: c_int) -> u8 {
    status.to_le_bytes()[0]
}

impl Runtime {
    /// What is wrong with an exit of the running thread.
    fn failing_exit(&self, exit: Exit) -> Option<Failure> {
        let status = seen(exit.status);
        if status == 0 || self.exit_status == ExitStatus::Ignored {
            return None;
        }
        let sites = vec![site_use(Role::At, self.running, exit.site, exit.operation)];
        let message = format!("the program ends with exit status {status}");
        Some(Failure { kind: FailureKind::ExitStatus, message, sites, program_counter: None })
    }

    /// The running thread is about to end the process.
    fn exit_event(&mut self, site: RecordPointer) -> Turn {
        let object = self.objects.number(Class::Exits, 0);
        self.steps_on(object, Note { site, operation: Operation::Exit }, 0)
    }

    /// The running thread ends the process.
    fn exits(&mut self, exit: Exit) -> Switch {
        if let Some(failure) = self.block_left_open().or_else(|| self.unfinished(self.running)) {
            self.end = Some(End::Failed(failure));
            return Switch::End;
        }
        self.execution.state.threads.exit();
        if self.exited.status.is_none() {
            let failure = self.failing_exit(exit);
            if failure.is_some() && self.planned.is_some_and(|planned| self.execution.history.length() >= planned) {
                self.end = failure.map(End::Failed);
                return Switch::End;
            }
            let extent = Extent::of(&self.execution);
            self.exited = Exited { status: Some(seen(exit.status)), failure: failure.map(|failure| (failure, extent)) };
        }
        match self.give_up() {
            Turn::Other(switch) => switch,
            Turn::Ours | Turn::Alone => unreachable!("a thread that has exited is not chosen"),
        }
    }

    /// Takes a failing exit of the execution that has been counted into the counts.
    pub(crate) fn count_exit(&mut self) {
        if let Some((failure, extent)) = self.exited.take_failure() {
            self.recorder.fail_at(failure, &self.execution, extent);
        }
        if let Some(status) = self.exited.status().filter(|&status| status != 0) {
            self.recorder.count_status(status.into(), &self.execution);
        }
    }
}
