//! The end of a thread from within: `pthread_exit` and cancellation run the cleanup handlers, then, as a return from
//! the thread's function does, the destructors of thread-specific data.
//!
//! The handlers run on top of the stack of the call that ends the thread, whose frames are all still there. The macros
//! `pthread_cleanup_push` and `pop` are those of `include/pthread.h`: glibc's, which jump back into the frames, would
//! need `setjmp`.

use std::ffi::{c_int, c_void};

use crate::process::uncontrolled::{self, is_alone};
use crate::schedule::ends::{pop, push};
use crate::state::ends::{Handler, Routine};
use crate::world::threads::run_handler;

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
        run_handler(handler);
    }
}
