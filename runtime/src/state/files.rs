//! The state that a process keeps outside its memory and that executions must not pass on: open files, which are
//! closed, and the scanner of options, which begins anew. The contents of files are the program's business.

use std::ffi::c_int;

/// The functions that open files.
const OPENERS: [&str; 31] = [
    "open",
    "open64",
    "openat",
    "openat64",
    "creat",
    "fopen",
    "fopen64",
    "freopen",
    "fdopen",
    "tmpfile",
    "mkstemp",
    "mkostemp",
    "opendir",
    "fdopendir",
    "dup",
    "dup2",
    "dup3",
    "fcntl",
    "fcntl64",
    "pipe",
    "pipe2",
    "socket",
    "socketpair",
    "accept",
    "accept4",
    "eventfd",
    "epoll_create",
    "epoll_create1",
    "timerfd_create",
    "memfd_create",
    "inotify_init",
];

/// The files of the process.
pub(crate) struct Files {
    /// The descriptors that were open before the program ran.
    before: Vec<c_int>,
    /// Whether the program may have opened files in this execution.
    opened: bool,
}

impl Files {
    /// Takes down the files that are open now, before the program runs.
    pub(crate) fn new() -> Self {
        Self { before: open(), opened: false }
    }

    /// Notes that the program calls this native function.
    pub(crate) fn called(&mut self, function: &str) {
        self.opened |= OPENERS.contains(&function);
    }

    /// Closes the files that the program has opened, and resets the scanner of options.
    pub(crate) fn reset(&mut self) {
        if std::mem::take(&mut self.opened) {
            for file in open().into_iter().filter(|file| !self.before.contains(file)) {
                // SAFETY: the program opened the file, and no thread of it runs any more.
                unsafe { libc::close(file) };
            }
        }
        reset_options();
    }
}

/// Returns the descriptors that are open.
fn open() -> Vec<c_int> {
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let named: Vec<c_int> =
        entries.filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok())).collect();
    // The descriptor by which the folder was read is closed again, and is left out.
    // SAFETY: a system call that touches no memory.
    named.into_iter().filter(|&file| unsafe { libc::fcntl(file, libc::F_GETFD) } != -1).collect()
}

/// Lets `getopt` begin with the first argument again.
fn reset_options() {
    unsafe extern "C" {
        static mut optind: c_int;
        static mut opterr: c_int;
    }
    // SAFETY: libc's own variables, while no thread of the program runs.
    unsafe { optind = 1 };
    // SAFETY: libc's own variable, while no thread of the program runs.
    unsafe { opterr = 1 };
}
