//! Fibers: each thread of the program runs on a stack of its own, all of them on one OS thread.
//!
//! A fiber gives up control by saying what runs next, and switches there itself ([`suspend`]). [`run`] enters the first
//! one and is switched to at the end of the execution. Between executions no fiber exists: those that were cut short
//! are forgotten, as their frames hold nothing of the runtime's.
//!
//! The switch is written here. Coroutines, as crates offer them, return to whoever resumed them, so that each change of
//! thread is two switches; and they are resumed and left through different instructions, after which the processor
//! predicts every return wrongly until the frames of the other stack are used up. All fibers are left and entered
//! through [`suspend`], and returns are predicted.

use std::arch::naked_asm;
use std::cell::Cell;
use std::ffi::{c_int, c_void};

use engine::event::Thread;

use crate::process::{channel, layout, sections};

/// The code that runs next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Switch {
    /// This thread, which goes on.
    To(Thread),
    /// This thread, which starts.
    Start(Thread),
    /// The caller of [`run`]: the execution is over.
    End,
}

/// The stack pointer of code that is not running, which points to a [`SwitchFrame`].
type Context = *mut SwitchFrame;

/// The frame that a switch leaves on the stack of the code that it leaves.
#[repr(C)]
struct SwitchFrame {
    /// The registers that calls preserve: r15 to r12, rbx and rbp, in this order.
    registers: [usize; 6],
    /// The address at which the code goes on.
    instruction: usize,
    /// The return address of code that has not run yet: 0, as it returns nowhere.
    end: usize,
}

/// The code of a thread, which returns what runs after its end.
type Body = fn(Thread) -> Switch;

/// The fibers of the process.
struct Fibers {
    /// The context of each thread that does not run.
    contexts: [Cell<Context>; Thread::LIMIT],
    /// The context of [`run`], while a fiber runs.
    outside: Cell<Context>,
    /// The thread whose fiber runs, if one does.
    running: Cell<Option<Thread>>,
    /// The code of every fiber: the thread's code, up to its end.
    body: Cell<Body>,
    /// The address of `errno` of this OS thread.
    errno: Cell<*mut c_int>,
    /// The value of `errno` of each thread that does not run.
    errors: [Cell<c_int>; Thread::LIMIT],
    /// Whether each thread's stack has its guard: it has from the thread's first start on.
    guarded: [Cell<bool>; Thread::LIMIT],
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
    guarded: [const { Cell::new(false) }; Thread::LIMIT],
};

/// Returns the address of the contexts of all threads, for a debugger.
pub(crate) const fn contexts() -> *const c_void {
    (&raw const FIBERS.contexts).cast()
}

/// Forgets the contexts that threads of other executions have left.
pub(crate) fn forget() {
    FIBERS.contexts.iter().for_each(|context| context.set(std::ptr::null_mut()));
}

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

/// Goes on with the code whose context the stack pointer is: the second half of [`switch`].
///
/// # Safety
/// It is jumped to, and never called, with such a stack pointer.
#[unsafe(naked)]
unsafe extern "C" fn enter() {
    naked_asm!("pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp", "ret")
}

/// Runs the threads of one execution, `first` before the others, until one returns [`Switch::End`]. `body` is the code
/// of each of them.
pub(crate) fn run(first: Thread, body: Body) {
    FIBERS.body.set(body);
    // SAFETY: the call takes nothing, and returns the address of a variable of this OS thread.
    FIBERS.errno.set(unsafe { libc::__errno_location() });
    run_on(Switch::Start(first));
}

/// Goes on with the threads of the execution after one of them has left its fiber for good.
pub(crate) fn run_on(next: Switch) {
    let context = entered(next);
    // SAFETY: `entered` returns the context of a thread that was suspended, or one that it has just made.
    unsafe { switch(FIBERS.outside.as_ptr(), context) };
    FIBERS.running.set(None);
}

/// Makes `next` what runs from now on, and returns its context. libc has one `errno` for all fibers: each keeps its own
/// across switches.
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

/// Returns the address from which the thread's stack grows downwards: below its thread-local variables.
fn base(thread: Thread) -> usize {
    (layout::stack(thread) + layout::STACK - sections::tls_length()) & !15
}

/// Makes the context of a thread before its start.
fn start(thread: Thread) -> Context {
    if !FIBERS.guarded[thread.index()].replace(true)
        && let Err(error) = layout::guard(thread)
    {
        channel::internal_error(&format!("a stack cannot be guarded: {error}"));
    }
    let context = (base(thread) - size_of::<SwitchFrame>()) as Context;
    let first = body as extern "C" fn() -> !;
    // SAFETY: this is mapped memory at the top of the thread's own stack, of which nothing is in use.
    unsafe { context.write(SwitchFrame { registers: [0; 6], instruction: first as usize, end: 0 }) };
    context
}

/// Runs the code of the thread, the first function on each fiber's stack.
extern "C" fn body() -> ! {
    abandon(FIBERS.body.get()(FIBERS.running.get().expect("a fiber runs")))
}

/// Gives up control; returns when the thread is switched to again. It is not inlined: a switch clobbers all registers,
/// which hooks that go on would have to save, and returns are predicted since all switches are made here. Nothing is
/// left to do after the switch, which keeps the registers.
#[inline(never)]
pub(crate) fn suspend(next: Switch) {
    let running = FIBERS.running.get().expect("a fiber runs").index();
    FIBERS.errors[running].set(errno());
    let next = entered(next);
    // SAFETY: a thread that is switched to has been started and does not run; `run` is outside while a fiber runs.
    unsafe { switch(FIBERS.contexts[running].as_ptr(), next) };
}

/// Returns `errno` of the thread whose code runs.
fn errno() -> c_int {
    // SAFETY: the variable lives as long as the OS thread.
    unsafe { *FIBERS.errno.get() }
}

/// Sets `errno` of the thread whose code runs.
pub(crate) fn set_errno(value: c_int) {
    // SAFETY: as in `errno`.
    unsafe { *FIBERS.errno.get() = value };
}

/// Makes a call of the C library fail with this error number: sets `errno`, and returns -1.
pub(crate) fn refuse_call(number: c_int) -> c_int {
    // SAFETY: the call takes nothing, and returns the address of a variable of this OS thread.
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

/// The registers that a signal handler sets to leave a fiber for [`run`].
pub(crate) struct WayOut {
    pub(crate) instruction_pointer: usize,
    pub(crate) stack_pointer: usize,
}

/// Returns the way out of the running fiber; `None` if no fiber runs, or this is no stack pointer of its stack.
pub(crate) fn way_out(stack_pointer: usize) -> Option<WayOut> {
    let running = FIBERS.running.get()?;
    let stack = layout::stack(running)..=base(running);
    let enter = enter as unsafe extern "C" fn();
    stack
        .contains(&stack_pointer)
        .then(|| WayOut { instruction_pointer: enter as usize, stack_pointer: FIBERS.outside.get() as usize })
}
