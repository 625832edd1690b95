//! Time: a clock that begins anew in every execution. It advances by a fixed step whenever it is read, and by what a
//! sleep asks for. So a program that waits for a moment reaches it, and the same schedule shows the same times.

use std::ffi::{c_int, c_long};

use crate::hooks::library::cursor::{self, Passed};
use crate::process::fiber::set_errno;
use crate::process::sites::call_site;
use crate::run::with;
use crate::world::library::advance_clock;

/// The nanoseconds by which the clock advances when it is read.
const STEP: u64 = 10_000_000;
/// The seconds that the clocks that count from 1970 show when an execution begins.
const BEGIN: u64 = 1_000_000_000;
/// The seconds that the other clocks show then: the machine has been up for a while.
const UP: u64 = 100_000;
/// The nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// Advances the clock, as the running thread sleeps.
pub(crate) fn pass(nanoseconds: u64) {
    advance_clock(|clock| clock.saturating_add(nanoseconds));
}

/// Advances the clock until this clock shows at least this time.
pub(crate) fn pass_until(clock: libc::clockid_t, nanoseconds: u64) {
    let begin = if clock == libc::CLOCK_REALTIME { BEGIN } else { UP };
    advance_clock(|clock| clock.max(nanoseconds.saturating_sub(begin * SECOND)));
}

/// Reads the clock: returns the nanoseconds since the execution began.
fn now() -> u64 {
    with(|runtime| {
        runtime.has_effect();
        runtime
            .remarks
            .assumptions
            .insert("time passes only in steps of 10 ms, one at each look at a clock, and by sleeping".into());
    });
    advance_clock(|clock| clock.saturating_add(STEP))
}

/// Writes a time to the program's memory: seconds, and parts of a second.
fn write(place: usize, seconds: u64, rest: u64) {
    let numbers = (u128::from(rest) << 64 | u128::from(seconds)).to_le_bytes();
    cursor::write(place, &numbers, call_site());
}

#[unsafe(no_mangle)]
extern "C" fn __fh_time(place: usize) -> libc::time_t {
    let seconds = BEGIN + now() / SECOND;
    if place != 0 {
        cursor::write(place, &seconds.to_le_bytes(), call_site());
    }
    seconds.cast_signed()
}

#[unsafe(no_mangle)]
extern "C" fn __fh_clock() -> libc::clock_t {
    (now() / 1000).cast_signed()
}

#[unsafe(no_mangle)]
extern "C" fn __fh_gettimeofday(place: usize, _zone: usize) -> c_int {
    let now = now();
    write(place, BEGIN + now / SECOND, now % SECOND / 1000);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_clock_gettime(clock: libc::clockid_t, place: usize) -> c_int {
    let begin = match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => BEGIN,
        libc::CLOCK_MONOTONIC | libc::CLOCK_MONOTONIC_RAW | libc::CLOCK_MONOTONIC_COARSE | libc::CLOCK_BOOTTIME => UP,
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID => 0,
        _ => {
            set_errno(libc::EINVAL);
            return -1;
        }
    };
    let now = now();
    write(place, begin + now / SECOND, now % SECOND);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_clock_getres(_clock: libc::clockid_t, place: usize) -> c_int {
    if place != 0 {
        write(place, 0, STEP);
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_timespec_get(place: usize, base: c_int) -> c_int {
    if base == 1 {
        __fh_clock_gettime(libc::CLOCK_REALTIME, place);
        return base;
    }
    0
}

/// Returns the nanoseconds of a `timespec`; 0 if the pointer is null.
pub(crate) fn nanoseconds(request: *const libc::timespec) -> u64 {
    let mut room = Passed::room();
    // SAFETY: the program passes a timespec or null.
    let Some(request) = (unsafe { room.at(request).as_ref() }) else { return 0 };
    let part = |value: c_long| u64::try_from(value).unwrap_or(0);
    part(request.tv_sec).saturating_mul(SECOND).saturating_add(part(request.tv_nsec))
}

/// Returns the nanoseconds of a `timeval`; 0 if the pointer is null.
pub(crate) fn of_timeval(request: *const libc::timeval) -> u64 {
    let mut room = Passed::room();
    // SAFETY: the program passes a timeval or null.
    let Some(request) = (unsafe { room.at(request).as_ref() }) else { return 0 };
    let part = |value: c_long| u64::try_from(value).unwrap_or(0);
    part(request.tv_sec).saturating_mul(SECOND).saturating_add(part(request.tv_usec).saturating_mul(1000))
}
