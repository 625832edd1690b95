//! What is to be done about signals, and which ones threads block.

use std::collections::BTreeMap;
use std::ffi::c_int;

use crate::state::unwritten;

/// What is to be done about each signal: the default, where nothing else is said. One for all threads.
pub(crate) type Actions = BTreeMap<c_int, libc::sigaction>;

/// The signals that a thread blocks: signal n is bit n - 1.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Blocked(pub(crate) u64);

impl Blocked {
    pub(crate) const fn holds(self, signal: c_int) -> bool {
        self.0 >> (signal - 1) & 1 == 1
    }

    pub(crate) fn read(place: *const libc::sigset_t) -> Self {
        // SAFETY: the program passes a set of signals, whose first eight bytes are those of all signals that there are.
        Self(unsafe { place.cast::<u64>().read_unaligned() })
    }

    pub(crate) fn write(self, place: *mut libc::sigset_t) {
        // SAFETY: as in `read`.
        unsafe { place.cast::<u64>().write_unaligned(self.0) };
        unwritten::written(place as usize, size_of::<libc::sigset_t>());
    }
}
