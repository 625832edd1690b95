//! The end of a thread from within, under the scheduler.

use std::ffi::c_void;

use engine::event::{Kind, Object};
use engine::execution::Pending;
use engine::mapping::calls;
use engine::sync::machine::Machine;
use engine::sync::once::Once;
use protocol::Operation;

use crate::process::sections;
use crate::process::sites::calls_from;
use crate::run::{Runtime, with};
use crate::schedule::objects::{self, Done};
use crate::schedule::waits::Looks;
use crate::schedule::{frames, mutexes, once, turns};
use crate::state::ends::Handler;
use crate::state::graph::labels;
use crate::state::objects::Call;

/// Adds what is to be done if the running thread ends.
pub(crate) fn push(handler: Handler) {
    with(|runtime| {
        runtime.has_effect();
        let thread = runtime.running;
        runtime.threads.at(thread).ends.handlers.push(handler);
    });
}

/// Takes the handler that was pushed last.
pub(crate) fn pop() -> Option<Handler> {
    with(|runtime| {
        runtime.has_effect();
        let thread = runtime.running;
        runtime.threads.at(thread).ends.handlers.pop()
    })
    .flatten()
}

/// Performs a handler of a thread that ends; `abandon` leaves a function that runs once.
pub(crate) fn run(handler: Handler, abandon: impl FnOnce(Call, Object)) {
    match handler {
        // SAFETY: the program pushed the routine with its argument.
        Handler::Routine(routine, argument) => unsafe { routine(argument as *mut c_void) },
        Handler::AbandonOnce(call, object) => abandon(call, object),
    }
}

/// Ends the running thread in the midst of its function.
pub(crate) fn end_thread(call: Call, result: usize) -> ! {
    turns::ignore_cancellation();
    while let Some(handler) = pop() {
        run(handler, |call, object| once::leave(call, object, Once::abandon));
    }
    end_function(call);
    with(|runtime| {
        let thread = runtime.running;
        runtime.threads.at(thread).result = result;
    });
    frames::leave(0);
    turns::leave_thread()
}

/// Ends the function of the running thread: runs destructors, and gives up robust mutexes.
pub(crate) fn end_function(call: Call) {
    turns::ignore_cancellation();
    destroy_values();
    while let Some(Some(object)) = with(|runtime| runtime.execution.state.objects.left_behind_by(runtime.running)) {
        objects::event(call, Pending::Access, |runtime| {
            // Only this thread could have released it meanwhile, and it does nothing else.
            let orphan = |state: &mut Machine, _| mutexes::mutex(state).orphan();
            mutexes::on_mutex(runtime, object, Looks::Alike, |execution| execution.operate(object, orphan));
            (Done::by(calls::OWNER_DIES, Kind::Lock(object), Operation::OwnerDies), ())
        });
    }
}

/// Whether something is to be done when the function of the running thread is over ([`end_function`]).
pub(crate) fn leaves_something(runtime: &mut Runtime) -> bool {
    sections::calls_cancel()
        || !runtime.process.keys.is_empty()
        || runtime.execution.state.objects.left_behind_by(runtime.running).is_some()
}

/// The most rounds in which destructors are run, `PTHREAD_DESTRUCTOR_ITERATIONS` of glibc.
const ROUNDS: usize = 4;

/// Runs the destructors of the running thread's values, again if they leave values, up to [`ROUNDS`] times.
pub(crate) fn destroy_values() {
    for _ in 0..ROUNDS {
        let mut from = 0;
        let mut any = false;
        while let Some(Some(next)) = with(|runtime| {
            let thread = runtime.running;
            runtime.process.keys.next_destructor(thread, from)
        }) {
            // A destructor of the C library acts for the thread's call that made the key.
            calls_from(next.site);
            labels::passes(next.value.label);
            // SAFETY: the program passed the destructor with the key, and the value.
            unsafe { (next.destructor)(next.value.value as *mut c_void) };
            (from, any) = (next.key + 1, true);
        }
        if !any {
            return;
        }
    }
}
