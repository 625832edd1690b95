//! What a debugger sees of an execution that is run again: where the threads stand, and how far the execution has come.
//!
//! The debugger finds it by names, and reads memory alone, so that the runtime needs no debug information. Its side is
//! `cli/src/debugger/fencehound.py`.

use std::arch::naked_asm;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::event::Thread;

use crate::process::{fiber, layout};

/// The words that a debugger reads, and the last of which it writes.
#[repr(C)]
struct Debugger {
    /// The stack pointers of the threads that do not run, each of which points to the registers that a switch has left.
    contexts: ReadOnly,
    /// The address of the first thread's stack. The others follow.
    stacks: usize,
    /// The bytes of a stack.
    stack: usize,
    /// The number of threads for which there is room.
    threads: usize,
    /// The thread with which the execution has begun: in an execution graph, the one that is run alone.
    first: AtomicU64,
    /// The number of events performed.
    performed: AtomicU64,
    /// 1 once the execution is over and its threads still stand where it has left them, else 0.
    ended: AtomicU64,
    /// The number of events after which [`fencehound_event`] is called, if it is not 0.
    wanted: AtomicU64,
}

/// The address of something that is read by the debugger alone.
#[repr(transparent)]
struct ReadOnly(*const c_void);

// SAFETY: nobody reads through the pointer in this process.
unsafe impl Sync for ReadOnly {}

#[unsafe(export_name = "fencehound_debugger")]
static DEBUGGER: Debugger = Debugger {
    contexts: ReadOnly(fiber::contexts()),
    stacks: layout::BASE,
    stack: layout::STACK,
    threads: Thread::LIMIT,
    first: AtomicU64::new(0),
    performed: AtomicU64::new(0),
    ended: AtomicU64::new(0),
    wanted: AtomicU64::new(0),
};

/// Whether what runs is the execution that is shown.
static FOLLOWED: AtomicBool = AtomicBool::new(false);

/// The place of the debugger's breakpoint, where it looks at [`Debugger`].
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn fencehound_event() {
    naked_asm!("ret")
}

/// Shows a debugger what runs from now on.
pub(crate) fn follow() {
    FOLLOWED.store(true, Ordering::Relaxed);
}

/// Notes that an execution begins, or, in an execution graph, the run of a thread.
pub(crate) fn begin(first: Thread) {
    if FOLLOWED.load(Ordering::Relaxed) {
        fiber::forget();
        DEBUGGER.first.store(first.0.into(), Ordering::Relaxed);
        DEBUGGER.performed.store(0, Ordering::Relaxed);
        fencehound_event();
    }
}

/// Notes that so many events have been performed since the beginning.
pub(crate) fn performed(count: usize) {
    let count = count as u64;
    if FOLLOWED.load(Ordering::Relaxed) {
        DEBUGGER.performed.store(count, Ordering::Relaxed);
        if DEBUGGER.wanted.load(Ordering::Relaxed) == count {
            fencehound_event();
        }
    }
}

/// Notes that the execution is over.
pub(crate) fn end() {
    if FOLLOWED.load(Ordering::Relaxed) {
        DEBUGGER.ended.store(1, Ordering::Relaxed);
        fencehound_event();
    }
}
