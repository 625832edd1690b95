//! Operations on synchronisation objects.

use std::ffi::c_int;

use engine::event::Object;
use engine::sync::barrier::Arrival;
use engine::sync::once::{Once, OnceEntry};
use engine::sync::read_write_lock::{ReadWriteLock, Refusal};
use engine::sync::semaphore;
use protocol::Operation;

use crate::graph;
use crate::graph::synchronising::{Patience, Waited};
use crate::run::with;
use crate::schedule::{self, barriers, conditions, ends, mutexes, once, read_write_locks, semaphores, timed};
use crate::state::ends::Handler;
use crate::state::objects::{Call, Class, Initial, Side};
use crate::world::World;

/// A function that `pthread_once` runs.
pub(crate) type Function = unsafe extern "C" fn();

/// Initialises an object by its `init` function.
pub(crate) fn initialise(call: Call, class: Class, initial: Initial) {
    match World::now() {
        World::Schedule => schedule::objects::initialise(call, class, initial),
        World::Alone => graph::objects::begin_life(call, class, initial),
    }
}

/// Destroys an object by its `destroy` function.
pub(crate) fn destroy(call: Call, class: Class) {
    match World::now() {
        World::Schedule => schedule::objects::destroy(call, class),
        World::Alone => graph::lifetimes::destroys(call, class),
    }
}

/// Locks a mutex or spin lock, however long it takes; returns the error number, or 0.
pub(crate) fn lock(call: Call, class: Class) -> c_int {
    match World::now() {
        World::Schedule => mutexes::lock(call, class),
        World::Alone => graph::mutexes::lock(call, class),
    }
}

/// Locks a mutex or spin lock if that takes no time; returns the error number, or 0.
pub(crate) fn try_lock(call: Call, class: Class) -> c_int {
    match World::now() {
        World::Schedule => mutexes::try_lock(call, class),
        World::Alone => graph::mutexes::try_lock(call, class),
    }
}

/// Locks a mutex, or gives up; returns the error number, or 0.
pub(crate) fn timed_lock(call: Call, time: *const libc::timespec) -> c_int {
    if World::now() == World::Schedule {
        return mutexes::timed_lock(call, time);
    }
    let before = with(timed::before_a_call);
    match graph::mutexes::timed_lock(call) {
        libc::ETIMEDOUT => timed::ran_out(before, time),
        result => result,
    }
}

/// Unlocks a mutex or spin lock; returns the error number, or 0.
pub(crate) fn unlock(call: Call, class: Class) -> c_int {
    match World::now() {
        World::Schedule => mutexes::unlock(call, class),
        World::Alone => graph::mutexes::unlock(call, class),
    }
}

/// Performs `pthread_cond_wait` and its sisters, with a limit of time if one is given; returns the error number, or 0.
pub(crate) fn wait(call: Call, on_mutex: Call, time: Option<*const libc::timespec>) -> c_int {
    if World::now() == World::Schedule {
        return conditions::wait(call, on_mutex, time);
    }
    if time.is_some_and(|time| !timed::is_time(time)) {
        return libc::EINVAL;
    }
    let patience = Patience::of(time.is_some());
    let before = with(timed::before_a_call);
    match (graph::objects::wait(call, on_mutex, patience), time) {
        (Err(error), _) => error,
        (Ok(Waited::RanOut), Some(time)) => timed::ran_out(before, time),
        (Ok(_), _) => 0,
    }
}

/// Performs `pthread_cond_signal`.
pub(crate) fn signal(call: Call) {
    match World::now() {
        World::Schedule => conditions::signal(call),
        World::Alone => graph::objects::signal(call),
    }
}

/// Performs `pthread_cond_broadcast`.
pub(crate) fn broadcast(call: Call) {
    match World::now() {
        World::Schedule => conditions::broadcast(call),
        World::Alone => graph::objects::broadcast(call),
    }
}

/// Performs `sem_wait` and its sisters, with a limit of time if one is given.
///
/// # Errors
/// Returns the error number.
pub(crate) fn take(call: Call, time: Option<*const libc::timespec>) -> Result<(), c_int> {
    if World::now() == World::Schedule {
        return semaphores::wait(call, time);
    }
    let before = with(timed::before_a_call);
    match (graph::objects::take(call, Patience::of(time.is_some())), time) {
        (Waited::RanOut, Some(time)) => Err(timed::ran_out(before, time)),
        _ => Ok(()),
    }
}

/// Performs `sem_trywait`.
pub(crate) fn try_take(call: Call) -> Result<(), semaphore::Refusal> {
    match World::now() {
        World::Schedule => semaphores::try_wait(call),
        World::Alone => graph::objects::try_take(call),
    }
}

/// Performs `sem_post`.
pub(crate) fn post(call: Call) -> Result<(), semaphore::Refusal> {
    match World::now() {
        World::Schedule => semaphores::post(call),
        World::Alone => graph::objects::post(call),
    }
}

/// Performs `sem_getvalue`, and returns the value.
pub(crate) fn value(call: Call) -> u32 {
    match World::now() {
        World::Schedule => semaphores::value(call),
        World::Alone => graph::objects::value_of(call),
    }
}

/// Locks a read-write lock in execution graphs.
fn hold_alone(side: Side, call: Call, operation: Operation, patience: Patience) -> Result<Waited, Refusal> {
    let acquire = match side {
        Side::Reading => ReadWriteLock::read,
        Side::Writing => ReadWriteLock::write,
    };
    graph::objects::hold(call, operation, patience, acquire)
}

/// Locks a read-write lock, however long it takes; returns the error number, or 0.
pub(crate) fn hold(call: Call, side: Side) -> c_int {
    match World::now() {
        World::Schedule => read_write_locks::lock(call, side),
        World::Alone => {
            let held = hold_alone(side, call, side.operation(), Patience::Endless(None));
            read_write_locks::error(held.map(|_| ()))
        }
    }
}

/// Locks a read-write lock if that takes no time; returns the error number, or 0.
pub(crate) fn try_hold(call: Call, side: Side) -> c_int {
    match World::now() {
        World::Schedule => read_write_locks::try_lock(call, side),
        World::Alone => {
            let operation = match side {
                Side::Reading => Operation::TryReadLock,
                Side::Writing => Operation::TryWriteLock,
            };
            let held = hold_alone(side, call, operation, Patience::Limited);
            if held == Ok(Waited::Granted) { 0 } else { libc::EBUSY }
        }
    }
}

/// Locks a read-write lock, or gives up; returns the error number, or 0.
pub(crate) fn timed_hold(call: Call, side: Side, time: *const libc::timespec) -> c_int {
    if World::now() == World::Schedule {
        return read_write_locks::timed_lock(call, side, time);
    }
    let before = with(timed::before_a_call);
    match hold_alone(side, call, side.operation(), Patience::limited()) {
        Ok(Waited::Granted) => 0,
        Ok(Waited::RanOut) => timed::ran_out(before, time),
        Err(refusal) => read_write_locks::error(Err(refusal)),
    }
}

/// Unlocks a read-write lock.
pub(crate) fn release(call: Call) {
    match World::now() {
        World::Schedule => read_write_locks::unlock(call),
        World::Alone => graph::objects::release(call),
    }
}

/// Performs `pthread_barrier_wait`.
pub(crate) fn cross(call: Call) -> Arrival {
    match World::now() {
        World::Schedule => barriers::wait(call),
        World::Alone => graph::objects::cross(call),
    }
}

/// Runs the function unless it has run, as `pthread_once` does.
pub(crate) fn run_once(call: Call, function: Function) {
    let entered = match World::now() {
        World::Schedule => once::enter(call),
        World::Alone => (graph::objects::enter_once(call) == OnceEntry::Runs).then_some(Object(0)),
    };
    let Some(object) = entered else { return };
    ends::push(Handler::AbandonOnce(call, object));
    // SAFETY: the program passes a function without parameters.
    unsafe { function() };
    ends::pop();
    leave_once(call, object, Once::complete);
}

/// Ends the function that runs once: it has returned, or its thread ends in it.
pub(crate) fn leave_once(call: Call, object: Object, end: fn(&mut Once)) {
    match World::now() {
        World::Schedule => once::leave(call, object, end),
        World::Alone => graph::objects::leave_once(call, end),
    }
}
