//! `fh_observe` and `fh_ignore`: what belongs to an execution's outcome, and what does not.
//!
//! An observation is no event: what a thread observes says nothing of when. An outcome is what each thread observed, in
//! that thread's order, with the threads named by their creation paths: `main: 1 2; main.0: 3`.

use std::ffi::{c_long, c_ulong, c_void};

use crate::run::with;
use crate::world;

#[unsafe(no_mangle)]
extern "C" fn __fh_fh_observe(value: c_long) {
    with(|runtime| {
        runtime.has_effect();
        runtime.recorder.tallied.observe();
        let thread = runtime.running;
        runtime.threads.at(thread).observed.add(value);
    });
}

#[unsafe(no_mangle)]
extern "C" fn __fh_fh_ignore(from: *const c_void, length: c_ulong) {
    let from = from as usize;
    world::library::ignores(from..from.saturating_add(length as usize));
}
