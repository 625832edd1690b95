//! The socket to the tool, and the ends of the process.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use protocol::Message;

/// The socket's descriptor, or -1. The program's limit of descriptors is below it (the tool sees to that), so that no
/// `open`, `dup2` or `write` of the program meets it; the calls that close descriptors, whatever their number, are
/// modelled (`runtime/src/hooks/process/descriptors.rs`).
pub(crate) static SOCKET: AtomicI32 = AtomicI32::new(-1);

/// Whether the result has been sent, so that only the end of the process is left.
pub(crate) static CONCLUDED: AtomicBool = AtomicBool::new(false);

/// Sends the tool a message. If the tool is gone, the process ends.
pub(crate) fn send(message: &Message) {
    let mut line = serde_json::to_vec(message).expect("messages are plain data");
    line.push(b'\n');
    let socket = SOCKET.load(Ordering::Relaxed);
    let mut left = line.as_slice();
    while socket >= 0 && !left.is_empty() {
        // SAFETY: the bytes are there; a tool that is gone is an error rather than a signal.
        let sent = unsafe { libc::send(socket, left.as_ptr().cast(), left.len(), libc::MSG_NOSIGNAL) };
        match usize::try_from(sent) {
            Ok(sent) => left = &left[sent..],
            Err(_) if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => end_process(70),
        }
    }
}

/// Whether a tool is connected.
pub(crate) fn is_connected() -> bool {
    SOCKET.load(Ordering::Relaxed) >= 0
}

/// Ends the process without the program's exit handlers.
pub(crate) fn end_process(status: c_int) -> ! {
    CONCLUDED.store(true, Ordering::Relaxed);
    // SAFETY: the call takes a number.
    unsafe { libc::_exit(status) }
}

/// Reports an error inside the runtime, to the tool or on stderr, and ends the process with status 70.
pub(crate) fn internal_error(what: &str) -> ! {
    if is_connected() {
        send(&Message::Internal(what.to_owned()));
    } else {
        eprintln!("fencehound: internal error: {what}");
    }
    end_process(70)
}
