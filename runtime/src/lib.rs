//! The library that is linked into a program under test: it runs the program's threads one at a time, as the engine
//! decides, and tells the tool what happened.
//!
//! How to read it: instrumented code calls the [`hooks`] (`include/fencehound_hooks.h`), a file for each part of the C
//! library or of the hook ABI. Each hook decodes its arguments and calls the [`world`], the one door: what a hook asks
//! for is done under the scheduler ([`schedule`]), or by a thread that is run alone, for execution graphs ([`graph`]).
//! Both work on the one [`run::Runtime`], which is made of the state of an execution ([`state`]); the process has its
//! own in [`process`]. [`search`] runs execution after execution, as the tool tells [`session`].
//!
//! Unsafe code: one operation a block. The SAFETY comments name who upholds it: *the program* (C code that passes a
//! valid pointer, or else faults, which [`process::faults`] catches), *the pass* (the hook ABI), or this crate.

mod abi;
mod graph;
mod hooks;
mod process;
mod run;
mod schedule;
mod search;
mod session;
mod state;
mod world;
