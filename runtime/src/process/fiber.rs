//! Fibers: each thread of the program runs on a stack of its own, all of them on one OS thread.
//!
//! A fiber gives up control by saying what runs next, and switches there itself ([`suspend`]). [`run`] enters the first
//! one and is switched to at the end of the execution. Between executions no fiber exists: those that were cut short
//! are forgotten, as their frames hold nothing of ours.
//!
//! The switch is our own. Coroutines, as crates offer them, return to whoever resumed them, so that each change of
//! thread is two switches; and they are resumed and left through different instructions, after which the processor
//! predicts every return wrongly until the frames of the other stack are used up. All fibers are left and entered
//! through [`suspend`] here, and returns are predicted.

use std::arch::naked_asm;
use std::cell::Cell;
use std::ffi::c_int;

use engine::event::Thread;

use crate::process::{layout, sections};

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

/// The stack pointer of code that is not running. What it points to is a [`SwitchFrame`].
type Context = *mut SwitchFrame;

/// What a switch leaves on the stack of the code that it leaves.
#[repr(C)]
struct SwitchFrame {
    /// rbp, rbx and r12 to r15, which calls preserve, from r15 on.
    registers: [usize; 6],
    /// Where the code goes on.
    instruction: usize,
    /// Of code that has not run yet: where it returns to, which is nowhere.
    end: usize,
}

/// The code of a thread: it says what runs after its end.
type Body = fn(Thread) -> Switch;

struct Fibers {
    /// By thread, of those that do not run.
    contexts: [Cell<Context>; Thread::LIMIT],
    /// Of [`run`].
    outside: Cell<Context>,
    running: Cell<Option<Thread>>,
    /// What a fiber runs: the thread's code, up to its end.
    body: Cell<Body>,
    /// `errno` of this OS thread.
    errno: Cell<*mut c_int>,
    /// What `errno` was, by thread, of those that do not run.
    errors: [Cell<c_int>; Thread::LIMIT],
}

// SAFETY: the program runs on one OS thread, and so does all of this.
unsafe impl Sync for Fibers {}

static FIBERS: Fibers = Fibers {
    contexts: [const { Cell::new(std::ptr::null_mut()) }; Thread::LIMIT],
    outside: Cell::new(std::ptr::null_mut()),
    running: Cell::new(None),
    body: Cell::new(|_| Switch::End),
    errno: Cell::new(std::ptr::null_mut()),
    errors: [const { Cell::new(0) }; Thread::LIMIT],
};

/// Leaves the code that runs, keeping its context in `left`, and goes on with other code.
///
/// # Safety
/// `entered` is the context that a switch has left, or that [`start`] has made, and no switch has entered since.
#[unsafe(naked)]
unsafe extern "C" fn switch(left: *mut Context, entered: Context) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// The second half of [`switch`]: goes on with the code whose context the stack pointer is.
///
/// # Safety
/// Jumped to, and never called, with such a stack pointer.
#[unsafe(naked)]
unsafe extern "C" fn enter() {
    naked_asm!("pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp", "ret")
}

/// Runs the threads of one execution, this one first, until one says [`Switch::End`]. `body` is what each of them runs.
pub(crate) fn run(first: Thread, body: Body) {
    FIBERS.body.set(body);
    // SAFETY: takes nothing, and gives the address of a variable of this OS thread.
    FIBERS.errno.set(unsafe { libc::__errno_location() });
    run_on(Switch::Start(first));
}

/// Goes on with the threads of the execution after one of them has left its fiber for good.
pub(crate) fn run_on(next: Switch) {
    let context = entered(next);
    // SAFETY: `entered` gives the context of a thread that was suspended, or has just made one.
    unsafe { switch(FIBERS.outside.as_ptr(), context) };
    FIBERS.running.set(None);
}

/// The context of what runs next, which from now on is what runs. libc has one `errno` for all fibers: each keeps its
/// own across switches.
#[inline(always)]
fn entered(next: Switch) -> Context {
    match next {
        Switch::To(thread) => {
            FIBERS.running.set(Some(thread));
            set_errno(FIBERS.errors[thread.index()].get());
            FIBERS.contexts[thread.index()].get()
        }
        Switch::Start(thread) => {
            FIBERS.running.set(Some(thread));
            set_errno(0);
            start(thread)
        }
        Switch::End => FIBERS.outside.get(),
    }
}

/// Where the thread's stack begins, from where it grows downwards: below its thread-local variables.
fn base(thread: Thread) -> usize {
    (layout::stack(thread) + layout::STACK - sections::tls_length()) & !15
}

/// The context of the thread before its start.
fn start(thread: Thread) -> Context {
    let context = (base(thread) - size_of::<SwitchFrame>()) as Context;
    let first = body as extern "C" fn() -> !;
    // SAFETY: mapped memory at the top of the thread's own stack, of which nothing is in use.
    unsafe { context.write(SwitchFrame { registers: [0; 6], instruction: first as usize, end: 0 }) };
    context
}

/// What a fiber runs.
extern "C" fn body() -> ! {
    abandon(FIBERS.body.get()(FIBERS.running.get().expect("a fiber runs")))
}

/// Gives up control; returns when the thread is switched to again. Not inline: a switch clobbers all registers, which
/// hooks that go on would have to save; and see above. Nothing is left to do after the switch, which keeps the registers.
#[inline(never)]
pub(crate) fn suspend(next: Switch) {
    let running = FIBERS.running.get().expect("a fiber runs").index();
    FIBERS.errors[running].set(errno());
    let next = entered(next);
    // SAFETY: a thread that is switched to has been started and does not run; `run` is outside while a fiber runs.
    unsafe { switch(FIBERS.contexts[running].as_ptr(), next) };
}

/// `errno` of the thread whose code runs.
fn errno() -> c_int {
    // SAFETY: the variable lives as long as the OS thread.
    unsafe { *FIBERS.errno.get() }
}

/// Sets `errno` of the thread whose code runs.
pub(crate) fn set_errno(value: c_int) {
    // SAFETY: as in `errno`.
    unsafe { *FIBERS.errno.get() = value };
}

/// A call of the C library that fails with this number.
pub(crate) fn refuse_call(number: c_int) -> c_int {
    // SAFETY: takes nothing, and gives the address of a variable of this OS thread.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as in `errno`.
    unsafe { *errno = number };
    -1
}

/// Gives up control for good.
pub(crate) fn abandon(next: Switch) -> ! {
    suspend(next);
    unreachable!("an abandoned fiber is not resumed")
}

/// What a signal handler sets to leave a fiber for [`run`].
pub(crate) struct WayOut {
    pub(crate) instruction_pointer: usize,
    pub(crate) stack_pointer: usize,
}

/// The way out of the fiber that runs; none if none does, or this is no stack pointer of its.
pub(crate) fn way_out(stack_pointer: usize) -> Option<WayOut> {
    let running = FIBERS.running.get()?;
    let stack = layout::stack(running)..=base(running);
    let enter = enter as unsafe extern "C" fn();
    stack
        .contains(&stack_pointer)
        .then(|| WayOut { instruction_pointer: enter as usize, stack_pointer: FIBERS.outside.get() as usize })
}
