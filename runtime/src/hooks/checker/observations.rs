//! `fh_observe`: what belongs to an execution's outcome.
//!
//! It is no event: what a thread observes says nothing of when. An outcome is what each thread observed, in that thread's
//! order, with the threads named by their paths of creation: `main: 1 2; main.0: 3`.

use std::ffi::c_long;

use crate::run::with;

#[unsafe(no_mangle)]
extern "C" fn __fh_fh_observe(value: c_long) {
    with(|runtime| {
        runtime.has_effect();
        runtime.recorder.tallied.observe();
        let thread = runtime.running;
        runtime.threads.at(thread).observed.add(value);
    });
}
