//! The system call `futex`.

use std::ffi::{c_int, c_long};

use crate::graph::synchronising::{Patience, Waited};
use crate::graph::{self, stops};
use crate::run::with;
use crate::schedule::{self, timed};
use crate::state::objects::Call;
use crate::state::unmodelled::Unmodelled;
use crate::world::World;

/// The bits of a call without any, `FUTEX_BITSET_MATCH_ANY`.
pub(crate) const ANY: u32 = u32::MAX;

/// Performs `FUTEX_WAIT`, on a word that must hold `expected`, with a limit of time unless it is null.
///
/// # Errors
/// Returns the error number.
pub(crate) fn wait(
    call: Call,
    word: *mut u32,
    expected: u32,
    time: *const libc::timespec,
    bits: u32,
) -> Result<(), c_int> {
    if World::now() == World::Schedule {
        return schedule::futexes::wait(call, word, expected, time, bits);
    }
    if !time.is_null() && !timed::is_time(time) {
        return Err(libc::EINVAL);
    }
    without_bits(call, bits);
    let before = with(timed::before_a_call);
    match graph::futexes::wait(call, expected, Patience::of(!time.is_null()))? {
        Waited::Granted => Ok(()),
        Waited::RanOut => Err(timed::ran_out(before, time)),
    }
}

/// Performs `FUTEX_WAKE`: wakes at most `most` threads, and returns how many.
pub(crate) fn wake(call: Call, word: *mut u32, most: c_int, bits: u32) -> c_long {
    match World::now() {
        World::Schedule => schedule::futexes::wake(call, word, most, bits),
        World::Alone => {
            without_bits(call, bits);
            graph::futexes::wake(call, usize::try_from(most).unwrap_or(0)) as c_long
        }
    }
}

/// Refuses a call that wakes by bits in execution graphs.
fn without_bits(call: Call, bits: u32) {
    if bits != ANY {
        stops::refuse(Unmodelled::Call("futex with a bit set"), call.site);
    }
}
