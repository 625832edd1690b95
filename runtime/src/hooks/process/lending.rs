//! Memory that is passed to functions which are neither modelled nor instrumented. Such a function is refused where
//! other threads could see what it reads and writes. Where others see accesses alone, the rest is lent to it: what
//! the thread reads there is put into real memory for the time of the call, and what the function has changed is
//! stored behind it.
//!
//! All of an object is lent from the pointer on, and what its pointers lead to unless it is known that the function
//! follows none. So this is refused where others access the object: which of its bytes the function does not touch is
//! not known.

use std::ffi::c_void;
use std::ops::Range;

use crate::hooks::library::cursor::{self, Limit, gather};
use crate::hooks::process::externals::{external, is_shared};
use crate::process::sites::RecordPointer;
use crate::run::{self, Runtime, with};
use crate::state::unmodelled::Unmodelled;
use crate::world::{self, World};

/// The functions that go on to use a pointer after they have returned.
const KEEPERS: [&str; 9] = [
    "aio_read",
    "aio_write",
    "fmemopen",
    "lio_listio",
    "open_memstream",
    "open_wmemstream",
    "setbuf",
    "setbuffer",
    "setvbuf",
];

/// Refuses the external function about to be called if this pointer, which it is passed, leads to memory that others
/// can see. What only this thread accesses is lent to the function.
#[unsafe(no_mangle)]
extern "C" fn __fh_external_pointer(pointer: *const c_void, site: RecordPointer) {
    with(|runtime| runtime.memory.globals.written_unseen());
    if World::now().has_accesses_alone() {
        return lend(pointer as usize, site);
    }
    let unseen =
        with(|runtime| runtime.execution.state.threads.alive() <= 1 || !is_shared(pointer as usize, runtime.running));
    if unseen == Some(false) {
        run::unsupported(&format!("{} on memory that other threads can see", external()), site);
    }
}

/// Takes back what was lent to the external function that has returned.
#[unsafe(no_mangle)]
extern "C" fn __fh_external_returns(site: RecordPointer) {
    if World::now().has_accesses_alone() {
        take_back(site);
    }
}

/// Lends what the pointer leads to to the function about to be called.
fn lend(pointer: usize, site: RecordPointer) {
    with(|runtime| runtime.graph_mut().run.lent.ask(pointer));
    while let Some(bytes) = with(next).flatten() {
        let name = external();
        if KEEPERS.contains(&&*name) {
            world::refuse(Unmodelled::Call(&name), site);
        }
        drop(name);
        if with(|runtime| is_seen(runtime, &bytes)) == Some(true) {
            world::refuse(Unmodelled::Passed, site);
        }
        let found = gather(bytes.start, Limit::Copied(bytes.len()), site);
        with(|runtime| runtime.graph_mut().run.lent.lend(bytes.start, found.bytes()));
        found.release();
    }
}

/// Returns the bytes that are to be lent next.
fn next(runtime: &mut Runtime) -> Option<Range<usize>> {
    let (thread, memory) = (runtime.running, &runtime.memory);
    let left = |address| memory.is_watched(thread, address).then(|| memory.left_of_object(address))?;
    runtime.graph.as_deref_mut()?.run.lent.next(left)
}

/// Whether threads that may run beside this one could see these bytes, or access them.
fn is_seen(runtime: &mut Runtime, bytes: &Range<usize>) -> bool {
    let thread = runtime.running;
    let graph = runtime.graph_mut();
    !graph.is_alone() && (is_shared(bytes.start, thread) || graph.strangers.lends(bytes))
}

/// Takes back what was lent to the function that has returned, and stores what it has changed.
fn take_back(site: RecordPointer) {
    if with(|runtime| runtime.graph_mut().take_back()) == Some(false) {
        run::unsupported(&format!("{}, which did something else when the thread was run again,", external()), site);
    }
    while let Some(change) = with(|runtime| runtime.graph_mut().run.lent.next_change()).flatten() {
        cursor::write(change.address, &change.value.to_le_bytes()[..change.width], site);
    }
}

crate::abi::same_hooks!(__fh_external_pointer, __fh_external_returns);
