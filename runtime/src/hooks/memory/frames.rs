//! The hooks of local variables that other threads may know of.

use std::ffi::c_void;

use crate::abi::number;
use crate::hooks::memory::access;
use crate::process::layout::PATTERN;
use crate::process::sites::{Record, RecordPointer};
use crate::process::uncontrolled::is_alone;
use crate::run::with;
use crate::state::locals::Local;
use crate::world::{World, memory};

/// The most bytes of a local variable that are filled: filling large buffers costs too much.
const AS_MUCH_AS_IS_FILLED: usize = number("FH_FRESH_BYTES") as usize;

#[unsafe(no_mangle)]
extern "C" fn __fh_frame() -> u64 {
    with(|runtime| runtime.memory.locals.depth(runtime.running) as u64).unwrap_or(0)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_local(address: *mut c_void, size: u64, site: RecordPointer) {
    if is_alone() {
        return;
    }
    // Bytes that are not initialised must not be those of an earlier function: wait loops compare them.
    // SAFETY: the pass passes the beginning of a local variable of this size, which the program has not used yet.
    unsafe { std::ptr::write_bytes(address.cast::<u8>(), PATTERN, (size as usize).min(AS_MUCH_AS_IS_FILLED)) };
    declare(address as usize, size, site);
}

/// Declares a local variable that begins to live.
pub(crate) fn declare(address: usize, size: u64, site: RecordPointer) {
    let bytes = address..address + size as usize;
    memory::begins(bytes.clone(), site);
    let local = Local { bytes, record: Record::behind(site) };
    with(|runtime| {
        let (thread, shadow) = (runtime.running, &mut runtime.memory.shadow);
        runtime.memory.locals.declare(thread, local, shadow);
    });
}

#[unsafe(no_mangle)]
extern "C" fn __fh_by_value(address: *mut c_void, size: u64, site: RecordPointer) {
    if is_alone() {
        return;
    }
    declare(address as usize, size, site);
    if World::now().has_accesses_alone() {
        // Nobody saw the caller's stores to it.
        access::store_anew(address as usize, size as usize, site);
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_leave(depth: u64) {
    if is_alone() {
        return;
    }
    memory::leave_frames(depth as usize);
}

crate::abi::same_hooks!(__fh_by_value, __fh_frame, __fh_leave, __fh_local);
