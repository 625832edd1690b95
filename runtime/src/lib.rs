//! The library that is linked into a program under test: runs its threads one at a time, as the engine decides, and
//! tells the tool what happened.
//!
//! How to read: instrumented code calls the hooks (`include/fencehound_hooks.h`). Those of memory are in [`access`], of
//! threads in [`threads`], of mutexes in [`mutexes`], of the heap in [`heap`], of the process in [`process`]. Each
//! decodes its arguments, asks for its turn ([`runtime::turn`]), does the operation on real memory, and reports the
//! event ([`runtime::Runtime`]). [`fiber`] switches threads, [`search`] runs execution after execution, [`faults`]
//! turns signals into findings.
//!
//! Unsafe code: one operation a block. The SAFETY comments name who upholds it: *the program* (C code that passes a
//! valid pointer, or else faults, which [`faults`] catches), *the pass* (the hook ABI), or this crate.

mod access;
mod choices;
mod control;
mod externals;
mod faults;
mod fiber;
mod globals;
mod heap;
mod layout;
mod mutexes;
mod process;
mod recorder;
mod runtime;
mod search;
mod shadow;
mod sites;
mod threads;
mod waits;
mod wide;
