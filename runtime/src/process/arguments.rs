//! The arguments of `main`, and the exit status.

use std::cell::Cell;
use std::ffi::{c_char, c_int};

/// The arguments of `main`, and the exit status.
pub(crate) struct Process {
    pub(crate) argc: Cell<c_int>,
    pub(crate) argv: Cell<*mut *mut c_char>,
    pub(crate) envp: Cell<*mut *mut c_char>,
    pub(crate) status: Cell<c_int>,
}

// SAFETY: the program runs on one OS thread.
unsafe impl Sync for Process {}

pub(crate) static PROCESS: Process = Process {
    argc: Cell::new(0),
    argv: Cell::new(std::ptr::null_mut()),
    envp: Cell::new(std::ptr::null_mut()),
    status: Cell::new(0),
};

/// Keeps what the system passed to the process for the program's `main`.
pub(crate) fn set_arguments(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) {
    PROCESS.argc.set(argc);
    PROCESS.argv.set(argv);
    PROCESS.envp.set(envp);
}

/// Returns the status that `main` returned or `exit` was passed last.
pub(crate) fn status() -> c_int {
    PROCESS.status.get()
}
