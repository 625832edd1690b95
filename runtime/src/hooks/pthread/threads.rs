//! Threads: `pthread_create`, `pthread_join`, `pthread_self`, `pthread_equal`, `pthread_exit`, `pthread_detach`.

use std::ffi::{c_int, c_void};

use engine::event::Thread;
use engine::execution::Pending;
use engine::mapping::Barriers;
use engine::sync::machine::{Until, Wish};
use protocol::Operation;

use crate::graph::dependencies;
use crate::hooks::checker::atomic_blocks;
use crate::hooks::library::cursor::{self, Passed};
use crate::hooks::memory::access::store;
use crate::hooks::process::program;
use crate::process::fiber::Switch;
use crate::process::sections;
use crate::process::sites::call_site;
use crate::process::uncontrolled::is_alone;
use crate::run::{Runtime, with};
use crate::schedule::threads::{asks_for_end, call, claim, joined, still_runs, unclaim};
use crate::schedule::{cancellation, objects, timed};
use crate::state::objects::Call;
use crate::state::threads::{Body, Claim, Start, handle};
use crate::state::unmodelled::Unmodelled;
use crate::state::unwritten;
use crate::world::{self, World};

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: *const libc::pthread_attr_t, state: *mut c_int) -> c_int;
}

/// # Safety
/// As `pthread_create`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_pthread_create(
    into: *mut usize,
    attributes: *const libc::pthread_attr_t,
    function: Body,
    argument: *mut c_void,
) -> c_int {
    let mut detached = 0;
    if !attributes.is_null() {
        let mut room = Passed::room();
        let attributes = room.at(attributes);
        // SAFETY: the program passes initialised attributes.
        unsafe { pthread_attr_getdetachstate(attributes, &raw mut detached) };
    }
    let claimed = if detached == libc::PTHREAD_CREATE_DETACHED { Claim::Detached } else { Claim::Nobody };
    create(into, Start::Posix(function, argument as usize), claimed)
}

/// # Safety
/// As `pthread_join`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_pthread_join(handle: usize, into: *mut usize) -> c_int {
    match world::threads::join(call("pthread_join"), handle) {
        Err(error) => error,
        Ok(result) => {
            give(result, into);
            0
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_tryjoin_np(handle: usize, into: *mut usize) -> c_int {
    let call = call("pthread_tryjoin_np");
    world::refuse(Unmodelled::Call(call.name), call.site);
    let child = match claim(call, handle, Claim::Joined) {
        Ok(child) => child,
        Err(error) => return error,
    };
    objects::wait(call, Pending::Access);
    asks_for_end(child);
    if with(|runtime| runtime.execution.state.is_granted(Wish::Join(child))) == Some(true) {
        give(joined(call, child), into);
        return 0;
    }
    unclaim(child);
    still_runs(call, Operation::TryJoin(child));
    with(Runtime::has_effect);
    libc::EBUSY
}

/// Performs `pthread_timedjoin_np` and its sister.
fn timed_join(call: Call, handle: usize, into: *mut usize, time: *const libc::timespec) -> c_int {
    world::refuse(Unmodelled::Call(call.name), call.site);
    let before = with(timed::before_a_call);
    let child = match claim(call, handle, Claim::Joined) {
        Ok(child) => child,
        Err(error) => return error,
    };
    cancellation::point(call);
    objects::wait(call, Pending::Wait(Wish::Join(child), Until::TimeOut));
    asks_for_end(child);
    if with(|runtime| runtime.execution.state.is_granted(Wish::Join(child))) == Some(true) {
        give(joined(call, child), into);
        return 0;
    }
    unclaim(child);
    still_runs(call, Operation::TimeOut);
    if cancellation::is_due() {
        cancellation::act(call);
    }
    timed::ran_out(before, time)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_timedjoin_np(handle: usize, into: *mut usize, time: *const libc::timespec) -> c_int {
    timed_join(call("pthread_timedjoin_np"), handle, into, time)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_clockjoin_np(
    handle: usize,
    into: *mut usize,
    clock: libc::clockid_t,
    time: *const libc::timespec,
) -> c_int {
    let call = call("pthread_clockjoin_np");
    if timed::is_clock(clock) { timed_join(call, handle, into, time) } else { libc::EINVAL }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_detach(handle: usize) -> c_int {
    world::threads::detach(call("pthread_detach"), handle)
}

/// Returns the handle of the running thread.
pub(crate) fn current() -> usize {
    with(|runtime| handle(runtime.running)).unwrap_or(handle(Thread::MAIN))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_self() -> usize {
    current()
}

/// Returns a number of the running thread as the system could give it, the same in every execution.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __fh_gettid() -> libc::pid_t {
    const FIRST: libc::pid_t = 4096;
    FIRST + with(|runtime| runtime.running).map_or(0, |thread| thread.0.into())
}

/// Accepts any set of processors: where a thread runs is a hint to the system, and nothing that the program could see.
#[unsafe(no_mangle)]
const extern "C" fn __fh_pthread_setaffinity_np(_handle: usize, _size: usize, _set: *const c_void) -> c_int {
    0
}

#[unsafe(no_mangle)]
const extern "C" fn __fh_sched_setaffinity(_thread: libc::pid_t, _size: usize, _set: *const c_void) -> c_int {
    0
}

#[unsafe(no_mangle)]
const extern "C" fn __fh_sched_getcpu() -> c_int {
    0
}

#[unsafe(no_mangle)]
const extern "C" fn __fh_pthread_equal(one: usize, other: usize) -> c_int {
    (one == other) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_exit(result: *mut c_void) -> ! {
    world::threads::end(call("pthread_exit"), result as usize)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_tls(image: *mut c_void, own: *mut c_void) -> *mut c_void {
    if is_alone() {
        return own;
    }
    with(|runtime| runtime.running).map_or(image, |thread| sections::tls_address(thread, image as usize) as *mut c_void)
}

/// Runs a thread's function, from its start to its end, as the code of a fiber.
pub(crate) fn body(thread: Thread) -> Switch {
    match world::threads::begins(thread) {
        None => {
            let exit = program::run_main();
            dependencies::branch_on_result();
            world::threads::end_process(exit)
        }
        Some(start) => {
            let result = start.run();
            dependencies::branch_on_result();
            world::threads::returns(thread, result)
        }
    }
}

/// Creates a thread; returns the error number, or 0.
pub(crate) fn create(into: *mut usize, start: Start, claimed: Claim) -> c_int {
    let site = call_site();
    atomic_blocks::refuse("pthread_create", site);
    match world::threads::create(into, start, claimed, site) {
        Err(error) => return error,
        Ok(None) => {}
        Ok(Some(handle)) if cursor::is_watched(into as usize) => {
            store(into.cast::<u64>(), handle as u64, Barriers::NONE, site);
        }
        // SAFETY: the program passes a place for the new thread's handle.
        Ok(Some(handle)) => unsafe { into.write_unaligned(handle) },
    }
    0
}

/// Stores a thread's result where the program wants it.
fn give(result: usize, into: *mut usize) {
    if !into.is_null() {
        if World::now().has_accesses_alone() {
            return cursor::write(into as usize, &result.to_le_bytes(), call_site());
        }
        with(|runtime| runtime.memory.globals.writes(into as usize, 8, 0));
        // SAFETY: the program passes a place for the result.
        unsafe { into.write_unaligned(result) };
        unwritten::written(into as usize, size_of::<usize>());
    }
}

crate::abi::same_hooks!(__fh_tls);
