//! The program as a process: its `main`, its ends, its failed assertions.

use std::ffi::{c_char, c_int, c_uint};

use protocol::{FailureKind, Operation, Place, Role};

use crate::hooks::process::exits;
use crate::process::arguments::PROCESS;
use crate::process::fiber;
use crate::process::sites::{RecordPointer, call_site, text};
use crate::process::uncontrolled::is_alone;
use crate::run::{end_execution, fail, stack_pointer, unsupported, with};
use crate::state::exited::Exit;
use crate::state::failure::{Failure, site_use};
use crate::state::turn::End;
use crate::world::threads;

unsafe extern "C" {
    /// The program's `main`, which the pass gives this name.
    #[link_name = "__fh_main"]
    pub(crate) fn main_of_the_program(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int;
}

/// Runs the program's `main`, and what comes before and after it; returns how it ends the process.
pub(crate) fn run_main() -> Exit {
    PROCESS.status.set(0);
    exits::construct();
    // SAFETY: these are the arguments that the system passed to the process; a `main` that takes fewer ignores the
    // rest.
    let status = unsafe { main_of_the_program(PROCESS.argc.get(), PROCESS.argv.get(), PROCESS.envp.get()) };
    PROCESS.status.set(status);
    let site = call_site();
    exits::before_exit();
    Exit { status, operation: Operation::Return, site }
}

/// Ends the process on behalf of the running thread. Other threads may still do all that they could have done before:
/// what they do is part of some execution of the program, whenever the exit really comes.
pub(crate) fn exit(status: c_int, function: &'static str, site: RecordPointer) -> ! {
    PROCESS.status.set(status);
    threads::exits_at(stack_pointer());
    if with(|_| ()).is_none() {
        // SAFETY: this is before `main`: the process ends as it would without the runtime.
        unsafe { libc::exit(status) };
    }
    fiber::abandon(threads::end_process(Exit { status, operation: Operation::call(function), site }))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_exit(status: c_int) -> ! {
    let site = call_site();
    PROCESS.status.set(status);
    exits::before_exit();
    exit(status, "exit", site)
}

#[unsafe(no_mangle)]
extern "C" fn __fh__exit(status: c_int) -> ! {
    exit(status, "_exit", call_site())
}

#[unsafe(no_mangle)]
extern "C" fn __fh__Exit(status: c_int) -> ! {
    exit(status, "_Exit", call_site())
}

#[unsafe(no_mangle)]
extern "C" fn __fh_quick_exit(status: c_int) -> ! {
    let site = call_site();
    PROCESS.status.set(status);
    exits::before_quick_exit();
    exit(status, "quick_exit", site)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_abort() -> ! {
    if with(|_| ()).is_none() {
        std::process::abort();
    }
    fail(FailureKind::Crash, "abort was called".to_owned(), call_site(), Operation::call("abort"))
}

#[unsafe(no_mangle)]
extern "C" fn __fh___assert_fail(
    expression: *const c_char,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
) -> ! {
    let asserted = text(expression);
    let message = format!("assertion `{asserted}` failed");
    let Some(thread) = with(|runtime| runtime.running) else { std::process::abort() };
    let mut at = site_use(Role::At, thread, call_site(), Operation::Assert);
    if at.place.line == 0 {
        at.place = Place::new(text(file), line, 0);
        at.function = text(function);
    }
    let failure = Failure::new(FailureKind::Assertion, message, vec![at]);
    end_execution(End::Failed(Failure { subject: asserted, ..failure }))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_unsupported(what: *const c_char, site: RecordPointer) {
    if is_alone() {
        return;
    }
    if with(|_| ()).is_none() {
        eprintln!("fencehound: {} runs before main", text(what));
        std::process::abort();
    }
    unsupported(&text(what), site)
}

crate::abi::same_hooks!(__fh_unsupported);
