//! How a thread ends from within: `pthread_exit` and cancellation run the cleanup handlers, then, as a return from the
//! thread's function does, the destructors of thread-specific data.
//!
//! The handlers run on top of the stack of the call that ends the thread, whose frames are all still there. The macros
//! `pthread_cleanup_push` and `pop` are those of `include/pthread.h`: glibc's, which jump back into the frames, would
//! need `setjmp`.

use std::ffi::{c_int, c_void};

use engine::event::{Kind, Object};
use engine::execution::Pending;
use engine::mapping::calls;
use engine::sync::machine::Machine;
use protocol::Operation;

use crate::hooks::pthread::{keys, threads};
use crate::process::uncontrolled::{self, is_alone};
use crate::run::{Runtime, with};
use crate::schedule::mutexes::mutex;
use crate::schedule::objects::{Call, Done};
use crate::schedule::once;
use crate::schedule::waits::Looks;
use crate::state::globals;

type Routine = unsafe extern "C" fn(*mut c_void);

/// What is to be done if the thread ends here.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// A cleanup handler of the program.
    Routine(Routine, usize),
    /// A function that runs once is left.
    AbandonOnce(Call, Object),
}

/// How a thread ends.
#[derive(Default)]
pub(crate) struct Ends {
    handlers: Vec<Handler>,
    pub(crate) cancellation: crate::schedule::cancellation::State,
}

impl Ends {
    /// Forgets the last execution.
    pub(crate) fn reset(&mut self) {
        self.handlers.clear();
        self.cancellation = crate::schedule::cancellation::State::default();
    }
}

/// From now on this is to be done if the running thread ends.
pub(crate) fn push(handler: Handler) {
    with(|runtime| {
        runtime.has_effect();
        let thread = runtime.running;
        runtime.threads.at(thread).ends.handlers.push(handler);
    });
}

/// Forgets what was pushed last.
pub(crate) fn pop() -> Option<Handler> {
    with(|runtime| {
        runtime.has_effect();
        let thread = runtime.running;
        runtime.threads.at(thread).ends.handlers.pop()
    })
    .flatten()
}

fn run(handler: Handler) {
    match handler {
        // SAFETY: the program pushed the routine with its argument.
        Handler::Routine(routine, argument) => unsafe { routine(argument as *mut c_void) },
        Handler::AbandonOnce(call, object) => once::abandon(call, object),
    }
}

/// The running thread ends in the midst of its function.
pub(crate) fn end_thread(call: Call, result: usize) -> ! {
    crate::schedule::cancellation::ignore();
    while let Some(handler) = pop() {
        run(handler);
    }
    end_function(call);
    with(|runtime| {
        let thread = runtime.running;
        runtime.threads.at(thread).result = result;
    });
    crate::state::locals::leave(0);
    threads::leave()
}

/// What a thread that ends from within still does in execution graphs.
pub(crate) fn run_in_graph() {
    while let Some(handler) = pop() {
        run(handler);
    }
    keys::destroy_values();
}

impl Runtime {
    /// Whether something is to be done when the function of the running thread is over ([`end_function`]).
    pub(crate) fn leaves_something(&mut self) -> bool {
        globals::calls_cancel()
            || !self.keys.is_empty()
            || self.execution.state.objects.left_behind_by(self.running).is_some()
    }
}

/// The function of the running thread is over.
pub(crate) fn end_function(call: Call) {
    crate::schedule::cancellation::ignore();
    keys::destroy_values();
    while let Some(Some(object)) = with(|runtime| runtime.execution.state.objects.left_behind_by(runtime.running)) {
        call.event(Pending::Access, |runtime| {
            // Only this thread can have released it meanwhile, and it does nothing else.
            let orphan = |state: &mut Machine, _| mutex(state).orphan();
            runtime.on_mutex(object, Looks::Alike, |execution| execution.operate(object, orphan));
            (Done::by(calls::OWNER_DIES, Kind::Lock(object), Operation::OwnerDies), ())
        });
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fh_cleanup_push(routine: Routine, argument: *mut c_void) {
    if is_alone() {
        return uncontrolled::push_cleanup(routine, argument);
    }
    push(Handler::Routine(routine, argument as usize));
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fh_cleanup_pop(execute: c_int) {
    if is_alone() {
        return uncontrolled::pop_cleanup(execute);
    }
    if let Some(handler) = pop()
        && execute != 0
    {
        run(handler);
    }
}
