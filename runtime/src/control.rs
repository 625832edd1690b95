//! The socket to the tool, and `main`.

use std::cell::RefCell;
use std::ffi::{c_char, c_int};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::FromRawFd;
use std::os::unix::net::UnixStream;

use protocol::{CONTROL, Job, Message};

use crate::{process, search};

thread_local! {
    static SOCKET: RefCell<Option<UnixStream>> = const { RefCell::new(None) };
}

/// Tells the tool something. A tool that is gone needs no answer: the process ends.
pub(crate) fn send(message: &Message) {
    let line = serde_json::to_string(message).expect("messages are plain data");
    let sent = SOCKET.with_borrow_mut(|socket| {
        socket.as_mut().map(|socket| socket.write_all(line.as_bytes()).and_then(|()| socket.write_all(b"\n")))
    });
    if let Some(Err(_)) = sent {
        std::process::exit(70);
    }
}

/// An error inside the runtime: tells the tool, or whoever reads stderr, and ends the process.
pub(crate) fn internal_error(what: &str) -> ! {
    if SOCKET.with_borrow(Option::is_some) {
        send(&Message::Internal(what.to_owned()));
    } else {
        eprintln!("fencehound: internal error: {what}");
    }
    // SAFETY: ends the process without running the program's exit handlers.
    unsafe { libc::_exit(70) }
}

/// The order of the tool that started this process; none if nobody did.
fn job() -> Option<Job> {
    let number: c_int = std::env::var(CONTROL).ok()?.parse().ok()?;
    // SAFETY: nothing else runs yet that could read the environment.
    unsafe { std::env::remove_var(CONTROL) };
    // SAFETY: the tool passes the number of a socket that it left open for us.
    let socket = unsafe { UnixStream::from_raw_fd(number) };
    // SAFETY: a plain system call on our own descriptor: the program's children shall not inherit it.
    unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
    let mut line = String::new();
    let read = BufReader::new(&socket).read_line(&mut line);
    SOCKET.set(Some(socket));
    match read
        .map_err(|error| error.to_string())
        .and_then(|_| serde_json::from_str(&line).map_err(|error| error.to_string()))
    {
        Ok(job) => Some(job),
        Err(error) => internal_error(&format!("the job cannot be read: {error}")),
    }
}

#[unsafe(no_mangle)]
extern "C" fn main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    std::panic::set_hook(Box::new(|info| internal_error(&info.to_string().replace('\n', " "))));
    let job = job();
    process::set_arguments(argc, argv, envp);
    match job {
        Some(Job::Explore(job)) => {
            search::explore(&job);
            0
        }
        Some(Job::Replay(job)) => {
            search::replay(&job);
            0
        }
        None => {
            eprintln!("fencehound: one ordinary run; to check the program: fencehound check PROGRAM");
            search::run_once()
        }
    }
}
