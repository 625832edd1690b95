//! The library that is linked into a program under test: runs its threads one at a time, as the engine decides, and
//! tells the tool what happened.
//!
//! How to read: instrumented code calls the hooks (`include/fencehound_hooks.h`). Those of memory are in [`access`], of
//! threads in [`threads`], of synchronisation objects in one file a kind of object ([`mutexes`], [`conditions`], …; all
//! of them by [`objects`]), of the heap in [`allocation`], of the process in [`process`] and [`exits`]; the other files
//! named after parts of the C library model these by [`cursor`]. Each
//! decodes its arguments, asks for its turn ([`runtime::turn`]), does the operation on real memory, and reports the
//! event ([`runtime::Runtime`]). [`fiber`] switches threads, [`search`] runs execution after execution, [`faults`]
//! turns signals into findings, [`foreign`] refuses threads of libraries.
//!
//! Unsafe code: one operation a block. The SAFETY comments name who upholds it: *the program* (C code that passes a
//! valid pointer, or else faults, which [`faults`] catches), *the pass* (the hook ABI), or this crate.

mod access;
mod allocation;
mod alone;
mod atomic_blocks;
mod barriers;
mod c11;
mod cancellation;
mod choices;
mod clock;
mod common;
mod conditions;
mod control;
mod cursor;
mod ends;
mod exit_status;
mod exits;
mod externals;
mod faults;
mod fiber;
mod files;
mod foreign;
mod formats;
mod futexes;
mod globals;
mod graph;
mod heap;
mod idle_rounds;
mod jumps;
mod keys;
mod layout;
mod leaks;
mod locals;
mod mappings;
mod memory;
mod mutexes;
mod names;
mod naming;
mod numbers;
mod objects;
mod observations;
mod once;
mod printing;
mod process;
mod random;
mod read_write_locks;
mod recorder;
mod recording;
mod results;
mod runtime;
mod scanning;
mod scratch;
mod search;
mod semaphores;
mod shadow;
mod signals;
mod sites;
mod sleeping;
mod sorting;
mod strings;
mod stuck;
mod threads;
mod timed;
mod transactions;
mod undefined;
mod unwritten;
mod waits;
mod wide;
