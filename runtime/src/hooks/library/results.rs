//! Results that a call stores to the program's memory.

use std::ffi::c_int;

use engine::mapping::Barriers;

use crate::hooks::library::cursor;
use crate::hooks::memory::access;
use crate::hooks::process::externals::is_shared;
use crate::process::sites::RecordPointer;
use crate::run::with;
use crate::state::unwritten;
use crate::world::World;

/// Stores a result of four bytes where the program wants it: by an event if other threads could see it.
pub(crate) fn store(into: *mut c_int, value: u32, site: RecordPointer) {
    if World::now().has_accesses_alone() {
        return cursor::write(into as usize, &value.to_le_bytes(), site);
    }
    if with(|runtime| is_shared(into as usize, runtime.running)) == Some(true) {
        access::store(into.cast::<u32>(), value, Barriers::NONE, site);
    } else {
        // SAFETY: the program passes a place for the result.
        unsafe { into.cast::<u32>().write_unaligned(value) };
    }
    unwritten::written(into as usize, 4);
}

/// Stores a result of any length where the program wants it: by events only where nothing else is seen.
pub(crate) fn write(into: usize, bytes: &[u8], site: RecordPointer) {
    if World::now().has_accesses_alone() {
        return cursor::write(into, bytes, site);
    }
    with(|runtime| runtime.memory.globals.written_unseen());
    // SAFETY: the program passes a place for the result.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), into as *mut u8, bytes.len()) };
    unwritten::written(into, bytes.len());
}
