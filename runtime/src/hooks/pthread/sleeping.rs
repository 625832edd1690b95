//! Yielding and sleeping: the thread gives way to others, and time passes.

use std::ffi::{c_int, c_uint};

use crate::hooks::library::clock;
use crate::process::sites::call_site;
use crate::run::{self, with};
use crate::schedule::threads::call;
use crate::schedule::{cancellation, turns};

/// Lets the running thread give way to others.
pub(crate) fn yields() {
    with(turns::yields);
}

/// Lets the running thread sleep, by a call of this name: it gives way to others, and can be cancelled there, for which
/// it needs an event.
pub(crate) fn sleeps(name: &'static str) {
    cancellation::point(call(name));
    yields();
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sched_yield() -> c_int {
    yields();
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_yield() -> c_int {
    yields();
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sleep(seconds: c_uint) -> c_uint {
    clock::pass(u64::from(seconds) * 1_000_000_000);
    sleeps("sleep");
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_usleep(microseconds: c_uint) -> c_int {
    clock::pass(u64::from(microseconds) * 1000);
    sleeps("usleep");
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_nanosleep(request: *const libc::timespec, _remaining: *mut libc::timespec) -> c_int {
    clock::pass(clock::nanoseconds(request));
    sleeps("nanosleep");
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_clock_nanosleep(
    clock: libc::clockid_t,
    flags: c_int,
    request: *const libc::timespec,
    _remaining: *mut libc::timespec,
) -> c_int {
    if flags & libc::TIMER_ABSTIME == 0 {
        clock::pass(clock::nanoseconds(request));
    } else {
        clock::pass_until(clock, clock::nanoseconds(request));
    }
    sleeps("clock_nanosleep");
    0
}

/// Lets the running thread sleep in a call that watches `count` file descriptors; it is refused unless that is 0, and a
/// time is given. What happens at a descriptor is not the program's own doing, and no execution of it could be run
/// again.
fn sleeps_watching(name: &'static str, count: u64, nanoseconds: Option<u64>) -> c_int {
    if count != 0 {
        run::unsupported(&format!("{name} of file descriptors"), call_site());
    }
    let Some(nanoseconds) = nanoseconds else {
        run::unsupported(&format!("{name} of no file descriptor without a limit"), call_site());
    };
    clock::pass(nanoseconds);
    sleeps(name);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_poll(_descriptors: *mut libc::pollfd, count: libc::nfds_t, milliseconds: c_int) -> c_int {
    sleeps_watching("poll", count, u64::try_from(milliseconds).ok().map(|time| time * 1_000_000))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_ppoll(
    _descriptors: *mut libc::pollfd,
    count: libc::nfds_t,
    time: *const libc::timespec,
    _signals: *const libc::sigset_t,
) -> c_int {
    sleeps_watching("ppoll", count, (!time.is_null()).then(|| clock::nanoseconds(time)))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_select(
    count: c_int,
    _reading: *mut libc::fd_set,
    _writing: *mut libc::fd_set,
    _exceptions: *mut libc::fd_set,
    time: *mut libc::timeval,
) -> c_int {
    sleeps_watching("select", u64::from(count != 0), (!time.is_null()).then(|| clock::of_timeval(time)))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pselect(
    count: c_int,
    _reading: *mut libc::fd_set,
    _writing: *mut libc::fd_set,
    _exceptions: *mut libc::fd_set,
    time: *const libc::timespec,
    _signals: *const libc::sigset_t,
) -> c_int {
    sleeps_watching("pselect", u64::from(count != 0), (!time.is_null()).then(|| clock::nanoseconds(time)))
}
