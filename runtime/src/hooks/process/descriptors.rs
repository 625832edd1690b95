//! `close` and its sisters, which must not close the socket to the tool.

use std::ffi::{c_int, c_uint};
use std::sync::atomic::Ordering;

use crate::process::channel::SOCKET;
use crate::process::fiber;
use crate::run::{Runtime, with};

#[unsafe(no_mangle)]
extern "C" fn __fh_close(descriptor: c_int) -> c_int {
    with(Runtime::has_effect);
    if descriptor == SOCKET.load(Ordering::Relaxed) {
        return fiber::refuse_call(libc::EBADF);
    }
    // SAFETY: this is the program's own call, of a descriptor that is not the runtime's.
    unsafe { libc::close(descriptor) }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_closefrom(lowest: c_int) {
    __fh_close_range(lowest.max(0).cast_unsigned(), c_uint::MAX, 0);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    with(Runtime::has_effect);
    let ours = SOCKET.load(Ordering::Relaxed);
    match c_uint::try_from(ours) {
        Ok(ours) if (first..=last).contains(&ours) => {
            let below = if first < ours { close_range(first, ours - 1, flags) } else { 0 };
            let above = if ours < last { close_range(ours + 1, last, flags) } else { 0 };
            below.min(above)
        }
        _ => close_range(first, last, flags),
    }
}

/// Closes a range of descriptors that does not hold the socket to the tool.
fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    // SAFETY: this is the program's own call, of descriptors that are not the runtime's.
    let status = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if status == 0 { 0 } else { -1 }
}
