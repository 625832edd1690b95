//! Threads: their beginnings and ends, and the end of the process.

use std::ffi::c_int;

use engine::event::{Object, Thread};
use engine::graph::Reached;
use engine::sync::once::Once;

use crate::graph::{self, stops};
use crate::process::fiber::Switch;
use crate::process::sites::RecordPointer;
use crate::run::{end_execution, with};
use crate::schedule::{self, ends, exits, turns};
use crate::state::ends::Handler;
use crate::state::exited::Exit;
use crate::state::graph::Stop;
use crate::state::objects::Call;
use crate::state::threads::{Claim, Start};
use crate::state::turn::End;
use crate::world::World;
use crate::world::objects::leave_once;

/// Begins a thread, and returns what it runs; `None` for main.
pub(crate) fn begins(thread: Thread) -> Option<Start> {
    match World::now() {
        World::Schedule if thread == Thread::MAIN => None,
        World::Schedule => {
            let start = with(|runtime| runtime.threads.of(thread).body).flatten();
            Some(start.expect("a thread that starts was created with a function"))
        }
        World::Alone => graph::threads::begins(thread),
    }
}

/// Ends a thread whose function has returned this result; returns who runs next.
pub(crate) fn returns(thread: Thread, result: usize) -> Switch {
    match World::now() {
        World::Schedule => schedule::threads::returns(thread, result),
        World::Alone => {
            ends::destroy_values();
            end_alone(thread, result)
        }
    }
}

/// Ends the running thread in the midst of its function.
pub(crate) fn end(call: Call, result: usize) -> ! {
    if World::now() == World::Schedule {
        ends::end_thread(call, result);
    }
    while let Some(handler) = ends::pop() {
        run_handler(handler);
    }
    ends::destroy_values();
    let thread = with(|runtime| runtime.running).unwrap_or(Thread::MAIN);
    end_alone(thread, result)
}

/// Performs a handler as the running thread ends, or leaves the handler's block.
pub(crate) fn run_handler(handler: Handler) {
    ends::run(handler, |call: Call, object: Object| leave_once(call, object, Once::abandon));
}

/// Ends a thread that runs alone.
fn end_alone(thread: Thread, result: usize) -> ! {
    require_finished();
    graph::threads::end(thread, result)
}

/// Ends the execution as failed if a thread that runs alone ends in a transaction.
fn require_finished() {
    if let Some(Some(failure)) = with(|runtime| turns::unfinished(runtime, runtime.running)) {
        end_execution(End::Failed(failure));
    }
}

/// Creates a thread, and puts its handle where the program wants it; or returns the handle, which the caller has to put
/// there by an access.
///
/// # Errors
/// Returns the error number.
pub(crate) fn create(
    into: *mut usize,
    start: Start,
    claimed: Claim,
    site: RecordPointer,
) -> Result<Option<usize>, c_int> {
    match World::now() {
        World::Schedule => schedule::threads::create(into, start, claimed, site).map(|()| None),
        World::Alone => Ok(Some(graph::threads::create(start, site))),
    }
}

/// Joins a thread, and returns its result.
///
/// # Errors
/// Returns the error number.
pub(crate) fn join(call: Call, handle: usize) -> Result<usize, c_int> {
    match World::now() {
        World::Schedule => schedule::threads::join(call, handle),
        World::Alone => graph::threads::join(call, handle),
    }
}

/// Detaches a thread; returns the error number, or 0.
pub(crate) fn detach(call: Call, handle: usize) -> c_int {
    match World::now() {
        World::Schedule => schedule::threads::detach(call, handle),
        World::Alone => 0,
    }
}

/// Notes that the running thread, whose stack reaches to here, is about to end the process by `exit` or one of its
/// sisters.
pub(crate) fn exits_at(stack_pointer: usize) {
    match World::now() {
        World::Schedule => drop(with(|runtime| runtime.conclusion.exited_at.push((runtime.running, stack_pointer)))),
        World::Alone => {}
    }
}

/// Ends the process by the running thread; returns who runs next.
pub(crate) fn end_process(exit: Exit) -> Switch {
    if World::now() == World::Schedule {
        return exits::end_process(exit);
    }
    require_finished();
    if let Some(Some(failure)) = with(|runtime| exits::failing_exit(runtime, exit)) {
        end_execution(End::Failed(failure));
    }
    with(|runtime| runtime.graph_mut().run.ending.exit = Some(exit));
    stops::park(Stop::Reached(Reached::Exits))
}
