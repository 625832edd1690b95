//! Results that a call stores to the program's memory.

use std::ffi::c_int;

use engine::mapping::Barriers;

use crate::hooks::memory::access;
use crate::hooks::process::externals::is_shared;
use crate::process::sites::RecordPointer;
use crate::run::with;
use crate::state::unwritten;

/// Stores a result of four bytes where the program wants it: by an event if other threads could see it.
pub(crate) fn store(into: *mut c_int, value: u32, site: RecordPointer) {
    if with(|runtime| is_shared(into as usize, runtime.running)) == Some(true) {
        access::store(into.cast::<u32>(), value, Barriers::NONE, site);
    } else {
        // SAFETY: the program passes a place for the result.
        unsafe { into.cast::<u32>().write_unaligned(value) };
    }
    unwritten::written(into as usize, 4);
}
