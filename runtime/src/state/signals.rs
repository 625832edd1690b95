//! The actions of signals, and the signals that threads block.

use std::collections::BTreeMap;
use std::ffi::c_int;

use crate::state::unwritten;

/// The actions of signals, for all threads; a signal that is not in the map has its default action.
pub(crate) type Actions = BTreeMap<c_int, libc::sigaction>;

/// The signals that a thread blocks: signal n is bit n - 1.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Blocked(pub(crate) u64);

impl Blocked {
    /// Whether the signal is blocked.
    pub(crate) const fn holds(self, signal: c_int) -> bool {
        self.0 >> (signal - 1) & 1 == 1
    }

    /// Reads a set of signals of the program's.
    pub(crate) fn read(place: *const libc::sigset_t) -> Self {
        // SAFETY: the program passes a set of signals, whose first eight bytes stand for all signals that there are.
        Self(unsafe { place.cast::<u64>().read_unaligned() })
    }

    /// Writes the set to the program's memory.
    pub(crate) fn write(self, place: *mut libc::sigset_t) {
        // SAFETY: as in `read`.
        unsafe { place.cast::<u64>().write_unaligned(self.0) };
        unwritten::written(place as usize, size_of::<libc::sigset_t>());
    }
}
