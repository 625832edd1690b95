//! Signals. While a program runs under control no signal comes from outside, which the result says of a program that
//! handles or blocks signals. A signal that a program sends to itself it gets at once, on the thread that sends it.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use protocol::{FailureKind, Operation};

use crate::hooks::library::results;
use crate::process::fiber;
use crate::process::sites::{call_site, text};
use crate::run::{fail, unsupported, with};
use crate::state::objects::Class;
use crate::state::signals::Blocked;
use crate::state::unmodelled::Unmodelled;
use crate::state::unwritten;
use crate::world::{self, uses};

/// The highest number of a signal; the lowest is 1.
const LAST: c_int = 64;

/// Returns the name of a signal.
fn name(signal: c_int) -> String {
    // SAFETY: the call takes a number, and returns a text that lives until the next call.
    text(unsafe { libc::strsignal(signal) })
}

/// Returns the action of a signal for which the program has set none.
const fn default_disposition() -> libc::sigaction {
    // SAFETY: all zero is the default action.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// Performs the default action of a signal.
fn default_action(signal: c_int, function: &'static str) -> c_int {
    match signal {
        libc::SIGCHLD | libc::SIGCONT | libc::SIGURG | libc::SIGWINCH => 0,
        libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU => {
            unsupported(&format!("{function} with a signal that stops the program"), call_site())
        }
        _ => {
            let message = format!("the program ended itself by signal {signal} ({})", name(signal));
            fail(FailureKind::Crash, message, call_site(), Operation::call(function))
        }
    }
}

/// Handles a signal that the running thread sends to itself or to its process, and so gets.
fn signal_oneself(signal: c_int, function: &'static str) -> c_int {
    if !(0..=LAST).contains(&signal) {
        return fiber::refuse_call(libc::EINVAL);
    }
    if signal == 0 {
        return 0;
    }
    uses(Class::Signals);
    let found = with(|runtime| {
        let blocked = runtime.threads.at(runtime.running).blocked;
        (blocked.holds(signal), runtime.process.signals.get(&signal).copied())
    });
    let Some((blocked, action)) = found else { return 0 };
    let handler = action.map_or(libc::SIG_DFL, |action| action.sa_sigaction);
    match (handler, action) {
        (libc::SIG_IGN, _) => 0,
        _ if blocked => unsupported(&format!("{function} with a signal that the program blocks"), call_site()),
        (libc::SIG_DFL, _) | (_, None) => default_action(signal, function),
        (_, Some(action)) => {
            handle(signal, &action);
            0
        }
    }
}

/// Calls the program's handler on the running thread, with the signals blocked that it wants blocked.
fn handle(signal: c_int, action: &libc::sigaction) {
    let before = with(|runtime| {
        if action.sa_flags & libc::SA_RESETHAND != 0 {
            runtime.process.signals.remove(&signal);
        }
        let own = if action.sa_flags & libc::SA_NODEFER == 0 { 1 << (signal - 1) } else { 0 };
        let blocked = &mut runtime.threads.at(runtime.running).blocked;
        let more = Blocked(blocked.0 | Blocked::read(&raw const action.sa_mask).0 | own);
        std::mem::replace(blocked, more)
    });
    if action.sa_flags & libc::SA_SIGINFO == 0 {
        // SAFETY: the program set this function as one to be called with the number of the signal.
        let function: extern "C" fn(c_int) = unsafe { std::mem::transmute(action.sa_sigaction) };
        function(signal);
    } else {
        let mut information = MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: all zero is valid information; the number stands in it where every signal has it.
        unsafe { (*information.as_mut_ptr()).si_signo = signal };
        // SAFETY: the program set this function as one to be called with what the system knows of the signal.
        let function: extern "C" fn(c_int, *mut libc::siginfo_t, *mut std::ffi::c_void) =
            unsafe { std::mem::transmute(action.sa_sigaction) };
        function(signal, information.as_mut_ptr(), std::ptr::null_mut());
    }
    with(|runtime| runtime.threads.at(runtime.running).blocked = before.unwrap_or_default());
}

/// Whether a handler of the program's own for this signal would go on after what is a fault of a thread.
const fn tells_of_faults(signal: c_int) -> bool {
    matches!(
        signal,
        libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE | libc::SIGILL | libc::SIGTRAP | libc::SIGABRT | libc::SIGSYS
    )
}

/// Sets the action of a signal, if there is a new one, and returns the old one, or the error number.
fn set_action(signal: c_int, new: Option<libc::sigaction>, function: &'static str) -> Result<libc::sigaction, c_int> {
    world::refuse(Unmodelled::Call(function), call_site());
    let fixed = matches!(signal, libc::SIGKILL | libc::SIGSTOP) && new.is_some();
    if !(1..=LAST).contains(&signal) || fixed {
        return Err(libc::EINVAL);
    }
    if tells_of_faults(signal) && new.is_some_and(|new| new.sa_sigaction != libc::SIG_DFL) {
        unsupported(&format!("{function} of signal {signal} ({})", name(signal)), call_site());
    }
    uses(Class::Signals);
    let old = with(|runtime| {
        runtime.has_effect();
        runtime.remarks.assumptions.insert("no signal comes from outside".into());
        match new {
            Some(new) => runtime.process.signals.insert(signal, new),
            None => runtime.process.signals.get(&signal).copied(),
        }
    });
    Ok(old.flatten().unwrap_or(const { default_disposition() }))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int {
    // SAFETY: the program passes an action or null.
    let new = (!new.is_null()).then(|| unsafe { new.read() });
    match set_action(signal, new, "sigaction") {
        Ok(_) if old.is_null() => 0,
        Ok(found) => {
            // SAFETY: the program passes a place for an action.
            unsafe { old.write(found) };
            unwritten::written(old as usize, size_of::<libc::sigaction>());
            0
        }
        Err(number) => fiber::refuse_call(number),
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_signal(signal: c_int, handler: libc::sighandler_t) -> libc::sighandler_t {
    let mut action = default_disposition();
    (action.sa_sigaction, action.sa_flags) = (handler, libc::SA_RESTART);
    match set_action(signal, Some(action), "signal") {
        Ok(old) => old.sa_sigaction,
        Err(number) => {
            fiber::refuse_call(number);
            libc::SIG_ERR
        }
    }
}

/// Changes which signals the running thread blocks; returns the error number if it cannot.
fn set_blocked(
    how: c_int,
    new: *const libc::sigset_t,
    old: *mut libc::sigset_t,
    function: &'static str,
) -> Result<(), c_int> {
    world::refuse(Unmodelled::Call(function), call_site());
    let changed = (!new.is_null()).then(|| Blocked::read(new).0);
    let before = with(|runtime| {
        runtime.remarks.assumptions.insert("no signal comes from outside".into());
        runtime.has_effect();
        let blocked = &mut runtime.threads.at(runtime.running).blocked;
        let before = *blocked;
        blocked.0 = match (how, changed) {
            (_, None) => before.0,
            (libc::SIG_BLOCK, Some(more)) => before.0 | more,
            (libc::SIG_UNBLOCK, Some(fewer)) => before.0 & !fewer,
            (libc::SIG_SETMASK, Some(these)) => these,
            _ => return Err(libc::EINVAL),
        };
        Ok(before)
    });
    let before = before.unwrap_or(Ok(Blocked::default()))?;
    if !old.is_null() {
        before.write(old);
    }
    Ok(())
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_sigmask(how: c_int, new: *const libc::sigset_t, old: *mut libc::sigset_t) -> c_int {
    set_blocked(how, new, old, "pthread_sigmask").err().unwrap_or(0)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sigprocmask(how: c_int, new: *const libc::sigset_t, old: *mut libc::sigset_t) -> c_int {
    set_blocked(how, new, old, "sigprocmask").map_or_else(fiber::refuse_call, |()| 0)
}

/// Reports that no signal is pending: one that is sent while it is blocked is refused.
#[unsafe(no_mangle)]
extern "C" fn __fh_sigpending(pending: *mut libc::sigset_t) -> c_int {
    results::write(pending as usize, &[0; size_of::<libc::sigset_t>()], call_site());
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_raise(signal: c_int) -> c_int {
    if with(|_| ()).is_none() {
        // SAFETY: this is before `main`: the program's own call.
        return unsafe { libc::raise(signal) };
    }
    signal_oneself(signal, "raise")
}

#[unsafe(no_mangle)]
extern "C" fn __fh_kill(process: libc::pid_t, signal: c_int) -> c_int {
    let own = std::process::id().cast_signed();
    // The tool puts the program into a process group of its own.
    let oneself = [own, 0, -own].contains(&process);
    if signal == 0 || with(|_| ()).is_none() {
        // SAFETY: the call asks whether a process is there, or is the program's own before `main`.
        return unsafe { libc::kill(process, signal) };
    }
    if !oneself {
        unsupported("kill of another process", call_site());
    }
    signal_oneself(signal, "kill")
}
