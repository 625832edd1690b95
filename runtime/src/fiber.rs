//! Fibers: each thread of the program runs on a stack of its own, all of them on one OS thread.
//!
//! A fiber gives up control by saying what runs next ([`suspend`]); the loop in [`run`] obeys. Between executions no
//! fiber exists; one that was cut short is dropped without unwinding, as its frames hold nothing of ours.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_int;
use std::num::NonZeroUsize;

use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use engine::event::Thread;

use crate::{globals, layout, threads};

/// What runs next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Switch {
    /// This thread goes on.
    To(Thread),
    /// This thread starts.
    Start(Thread),
    /// The execution is over.
    End,
}

/// A thread's stack in the region, below its thread-local variables.
struct RegionStack {
    limit: usize,
    base: usize,
}

impl RegionStack {
    fn of(thread: Thread) -> Self {
        let limit = layout::stack(thread);
        Self { limit, base: limit + layout::STACK - globals::tls_length() }
    }
}

// SAFETY: `layout::map` makes the low end of each stack a guard; the sizes are multiples of 16.
unsafe impl corosensei::stack::Stack for RegionStack {
    fn base(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.base).expect("the region is not at address 0")
    }

    fn limit(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.limit).expect("the region is not at address 0")
    }
}

type Fiber = Coroutine<(), Switch, Switch, RegionStack>;
type Handle = Yielder<(), Switch>;

/// The fibers, by thread. They stay where they are, since a fiber runs while others are added.
struct Fibers {
    fibers: [UnsafeCell<Option<Fiber>>; Thread::LIMIT],
    handles: [Cell<*const Handle>; Thread::LIMIT],
    /// One more than the highest thread that has run.
    used: Cell<usize>,
    running: Cell<Option<Thread>>,
}

// SAFETY: the program runs on one OS thread, and so does all of this.
unsafe impl Sync for Fibers {}

static FIBERS: Fibers = Fibers {
    fibers: [const { UnsafeCell::new(None) }; Thread::LIMIT],
    handles: [const { Cell::new(std::ptr::null()) }; Thread::LIMIT],
    used: Cell::new(0),
    running: Cell::new(None),
};

/// Runs the threads of one execution, main first, until one says [`Switch::End`].
pub(crate) fn run() {
    let mut next = Switch::Start(Thread::MAIN);
    loop {
        let thread = match next {
            Switch::To(thread) => thread,
            Switch::Start(thread) => {
                start(thread);
                thread
            }
            Switch::End => break,
        };
        FIBERS.running.set(Some(thread));
        // SAFETY: only this loop touches the fiber, and it is one: threads run after they have been started.
        let fiber = unsafe { &mut *FIBERS.fibers[thread.index()].get() };
        next = match fiber.as_mut().expect("a thread that runs was started").resume(()) {
            CoroutineResult::Yield(switch) | CoroutineResult::Return(switch) => switch,
        };
        FIBERS.running.set(None);
    }
    for slot in &FIBERS.fibers[..FIBERS.used.get()] {
        // SAFETY: no fiber runs.
        let slot = unsafe { &mut *slot.get() };
        if let Some(fiber) = slot {
            // SAFETY: frames of C code, and hooks that hold nothing across a switch.
            unsafe { fiber.force_reset() };
        }
        *slot = None;
    }
}

fn start(thread: Thread) {
    globals::start_thread(thread);
    let fiber = Coroutine::with_stack(RegionStack::of(thread), move |handle: &Handle, ()| {
        FIBERS.handles[thread.index()].set(handle);
        set_errno(0);
        threads::body(thread)
    });
    // SAFETY: this thread has no fiber that runs.
    unsafe { *FIBERS.fibers[thread.index()].get() = Some(fiber) };
    FIBERS.used.set(FIBERS.used.get().max(thread.index() + 1));
}

/// Gives up control; returns when the thread is switched to again. Not inline: a switch clobbers all registers, which
/// hooks that go on would have to save.
#[inline(never)]
pub(crate) fn suspend(switch: Switch) {
    let running = FIBERS.running.get().expect("a fiber runs");
    // SAFETY: set when the fiber started, on whose stack this runs.
    let handle = unsafe { &*FIBERS.handles[running.index()].get() };
    let errno = errno();
    handle.suspend(switch);
    set_errno(errno);
}

/// `errno`, of which libc has one for all fibers: each keeps its own across switches.
fn errno() -> c_int {
    // SAFETY: takes nothing, and gives the address of a variable of this OS thread.
    let at = unsafe { libc::__errno_location() };
    // SAFETY: that variable lives as long as the OS thread.
    unsafe { *at }
}

/// Sets the running thread's `errno`.
pub(crate) fn set_errno(value: c_int) {
    // SAFETY: as in `errno`.
    let at = unsafe { libc::__errno_location() };
    // SAFETY: as in `errno`.
    unsafe { *at = value };
}

/// Gives up control for good.
pub(crate) fn abandon(switch: Switch) -> ! {
    suspend(switch);
    unreachable!("an abandoned fiber is not resumed")
}

/// The means to leave the fiber that runs, out of a signal handler; none if no fiber runs.
pub(crate) fn trap() -> Option<CoroutineTrapHandler<Switch>> {
    let running = FIBERS.running.get()?;
    // SAFETY: read while its fiber is interrupted; the slot itself does not change meanwhile.
    let fiber = unsafe { &*FIBERS.fibers[running.index()].get() };
    fiber.as_ref().map(Coroutine::trap_handler)
}
