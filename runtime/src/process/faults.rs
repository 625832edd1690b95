//! Signals: faults of the program become findings, a timer ends what computes for too long, Ctrl-C ends the search.
//!
//! A handler runs on a stack of its own. If the program's code on some fiber is at fault, the handler makes that fiber
//! go back to where fibers are run from, and leaves word of what happened; if the runtime itself is at fault, the
//! process ends as an internal error.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use engine::event::Thread;

use crate::process::busy::is_busy;
use crate::process::{fiber, foreign, layout, ticks, undefined};

/// The processor's direction flag, which every call finds clear.
const DIRECTION_FLAG: i64 = 1 << 10;

/// The signals that the C library and the kernel send a program because of a call that it makes.
const IN_A_CALL: [c_int; 4] = [libc::SIGABRT, libc::SIGPIPE, libc::SIGSYS, libc::SIGXFSZ];

/// Whether the fault came from a call out of the program, rather than at an instruction of its own.
pub(crate) fn comes_in_a_call(fault: Fault) -> bool {
    matches!(fault, Fault::Signal(signal, _) if IN_A_CALL.contains(&signal))
}

/// The fault that ended a thread's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// A signal, with the address that it names.
    Signal(c_int, usize),
    /// The stack was used up.
    StackOverflow,
    /// No visible operation was performed for as long as is allowed.
    Silent,
}

/// The fault that a handler has left for [`take`], with the program counter at which it came.
struct Pending {
    fault: UnsafeCell<Option<(Fault, u64)>>,
}

// SAFETY: a handler writes it on the OS thread that reads it afterwards.
unsafe impl Sync for Pending {}

static PENDING: Pending = Pending { fault: UnsafeCell::new(None) };

/// Takes the fault that ended the last fiber, if one did, and the program counter at which it came.
pub(crate) fn take() -> Option<(Fault, u64)> {
    // SAFETY: no handler runs at the same time: the fiber that it interrupted has returned.
    unsafe { (*PENDING.fault.get()).take() }
}

/// Ends the process if Ctrl-C was pressed, by that very signal, as it would end a program that does not handle it: the
/// process has told what it had, and would run no slice to its end any more.
pub(crate) fn end_if_interrupted() {
    if ticks::interrupted() {
        // SAFETY: the call takes numbers; the signal has its default action again.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        // SAFETY: as above.
        unsafe { libc::raise(libc::SIGINT) };
    }
}

/// Makes the interrupted fiber return to [`fiber::run`] once the handler returns. Returns false if no fiber of the
/// program is at fault.
fn leave_fiber(context: *mut c_void, fault: Fault) -> bool {
    if is_busy() {
        return false;
    }
    // SAFETY: this is the third argument of an SA_SIGINFO handler, a valid context.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    let registers = &mut context.uc_mcontext.gregs;
    let Some(out) = fiber::way_out(registers[libc::REG_RSP as usize] as usize) else { return false };
    let program_counter = registers[libc::REG_RIP as usize].cast_unsigned();
    registers[libc::REG_RIP as usize] = out.instruction_pointer as i64;
    registers[libc::REG_RSP as usize] = out.stack_pointer as i64;
    registers[libc::REG_EFL as usize] &= !DIRECTION_FLAG;
    // SAFETY: as in `take`: nobody else holds the fault while a handler runs.
    unsafe { *PENDING.fault.get() = Some((fault, program_counter)) };
    true
}

/// Handles a fault: leaves the fiber at fault, or ends the process if the runtime itself is at fault.
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: this is the second argument of an SA_SIGINFO handler, valid information.
    let info = unsafe { &*info };
    // SAFETY: a fault's information has an address.
    let address = unsafe { info.si_addr() } as usize;
    let guarded = (0..Thread::LIMIT).any(|index| {
        let low = layout::stack(Thread::from_index(index));
        (low..low + layout::GUARD).contains(&address)
    });
    let fault = if signal == libc::SIGSEGV && guarded { Fault::StackOverflow } else { Fault::Signal(signal, address) };
    if foreign::is_this_thread() {
        foreign::refuse(std::ptr::null());
    }
    if !leave_fiber(context, fault) {
        crate::process::channel::internal_error(&format!("signal {signal} at {address:#x} in the runtime"));
    }
}

/// Handles a tick of the timer: leaves a fiber that has performed no visible operation for too long.
extern "C" fn on_tick(_signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    if ticks::tick() && leave_fiber(context, Fault::Silent) {
        ticks::forgive();
    }
}

/// Handles Ctrl-C.
extern "C" fn on_interrupt(_signal: c_int, _info: *mut libc::siginfo_t, _context: *mut c_void) {
    ticks::interrupt();
}

/// A handler of a signal.
type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Installs a handler of a signal, which runs on the handlers' own stack.
fn handle(signal: c_int, handler: Handler, flags: c_int) {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    let pointer = action.as_mut_ptr();
    // SAFETY: an all-zero sigaction is a valid one.
    let action = unsafe { &mut *pointer };
    action.sa_sigaction = handler as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | flags;
    // SAFETY: the handlers are signal safe: they touch atomics and the interrupted context.
    unsafe { libc::sigaction(signal, action, std::ptr::null_mut()) };
}

/// Installs the handlers and starts the timer.
///
/// # Errors
/// Returns the system's error.
pub(crate) fn install() -> std::io::Result<()> {
    let size = 256 << 10;
    let stack = libc::stack_t { ss_sp: layout::reserve(0, size)?.cast(), ss_flags: 0, ss_size: size };
    // SAFETY: the stack was just mapped for this and is used for nothing else.
    if unsafe { libc::sigaltstack(&raw const stack, std::ptr::null_mut()) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    let faults = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];
    for signal in faults.into_iter().chain(IN_A_CALL) {
        handle(signal, on_fault, libc::SA_NODEFER);
    }
    handle(libc::SIGALRM, on_tick, libc::SA_RESTART);
    handle(libc::SIGINT, on_interrupt, libc::SA_RESTART);
    let interval = libc::timeval { tv_sec: 0, tv_usec: ticks::TICK * 1000 };
    let timer = libc::itimerval { it_interval: interval, it_value: interval };
    // SAFETY: a plain system call; the handler of the timer's signal is in place.
    if unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut()) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    Ok(())
}

/// Returns a name for the kind of the fault, the same wherever it happens.
pub(crate) fn name(fault: Fault) -> String {
    match fault {
        Fault::StackOverflow => "stack overflow".to_owned(),
        Fault::Silent => "silence".to_owned(),
        Fault::Signal(libc::SIGSEGV | libc::SIGBUS, address) if address < NULL_PAGE => "null pointer".to_owned(),
        Fault::Signal(signal @ libc::SIGILL, address) => match undefined::check_at(address) {
            Some(check) => format!("check {check}"),
            None => format!("signal {signal}"),
        },
        Fault::Signal(signal, _) => format!("signal {signal}"),
    }
}

/// The first address that is not taken for a null pointer or what it points to.
const NULL_PAGE: usize = 4096;

/// Describes the fault in words.
pub(crate) fn describe(fault: Fault) -> String {
    match fault {
        Fault::StackOverflow => "stack overflow: recursion without end, or a very large frame".to_owned(),
        Fault::Silent => "no visible operation for as long as is allowed".to_owned(),
        Fault::Signal(libc::SIGSEGV | libc::SIGBUS, address) if address < NULL_PAGE => {
            "access through a null pointer".to_owned()
        }
        Fault::Signal(libc::SIGSEGV | libc::SIGBUS, _) => "access to memory that is not there".to_owned(),
        Fault::Signal(libc::SIGFPE, _) => "division by zero or overflow".to_owned(),
        Fault::Signal(libc::SIGILL, address) if undefined::found_at(address).is_some() => {
            format!("undefined behaviour: {}", undefined::found_at(address).unwrap_or_default())
        }
        Fault::Signal(libc::SIGILL | libc::SIGTRAP, _) => "trap: code that is not meant to be reached".to_owned(),
        Fault::Signal(libc::SIGABRT, _) => "abort was called in a library".to_owned(),
        Fault::Signal(libc::SIGPIPE, _) => "write to a pipe that nobody reads".to_owned(),
        Fault::Signal(signal, _) => format!("signal {signal}"),
    }
}
