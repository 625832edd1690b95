//! Read-write locks under the scheduler. What readers do to a lock is not ordered among themselves ([`Kind::Share`]).

use std::ffi::c_int;

use engine::event::{Kind, Object};
use engine::execution::Pending;
use engine::mapping::calls;
use engine::sync::machine::Until;
use engine::sync::read_write_lock::{Held, ReadWriteLock, Refusal};
use protocol::Operation;

use crate::run::{self, Runtime, with};
use crate::schedule::objects::{self, Done};
use crate::schedule::{timed, waits};
use crate::state::objects::{Call, Class, Side};

/// Returns the error number of an operation, or 0.
pub(crate) fn error(result: Result<(), Refusal>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(Refusal::Busy) => libc::EBUSY,
        Err(Refusal::WouldDeadlock) => libc::EDEADLK,
        Err(Refusal::Undefined) => libc::EPERM,
    }
}

/// Locks a read-write lock, however long it takes; returns the error number, or 0.
pub(crate) fn lock(call: Call, side: Side) -> c_int {
    let operation = side.operation();
    let Some(object) = objects::object(call, Class::ReadWriteLock) else { return 0 };
    let pending = Pending::Wait(side.wish(object), Until::Granted);
    let work = |runtime: &mut Runtime| {
        let result = acquire(side, runtime, object);
        let path = if result.is_ok() { calls::RW_LOCK } else { calls::RW_REFUSED };
        (Done::by(path, side.kind(object), operation), result)
    };
    objects::event(call, pending, work).map_or(0, error)
}

/// Locks a read-write lock if that takes no time; returns `EBUSY` if it does, also to a thread that writes already, as
/// it would have to wait.
pub(crate) fn try_lock(call: Call, side: Side) -> c_int {
    let Some(object) = objects::object(call, Class::ReadWriteLock) else { return 0 };
    let work = |runtime: &mut Runtime| {
        let result = acquire(side, runtime, object);
        let operation = match (side, result.is_ok()) {
            (Side::Reading, true) => Operation::TryReadLock,
            (Side::Reading, false) => Operation::TryReadLockFailed,
            (Side::Writing, true) => Operation::TryWriteLock,
            (Side::Writing, false) => Operation::TryWriteLockFailed,
        };
        let path = if result.is_ok() { calls::RW_LOCK } else { calls::RW_BUSY };
        (Done::by(path, side.kind(object), operation), result)
    };
    match objects::event(call, Pending::Access, work) {
        Some(Err(_)) => libc::EBUSY,
        None | Some(Ok(())) => 0,
    }
}

/// Locks a read-write lock, or gives up; returns the error number, or 0.
pub(crate) fn timed_lock(call: Call, side: Side, time: *const libc::timespec) -> c_int {
    let Some(object) = objects::object(call, Class::ReadWriteLock) else { return 0 };
    let wish = side.wish(object);
    let before = with(timed::before_a_call);
    let result = objects::event(call, Pending::Wait(wish, Until::TimeOut), |runtime| {
        if runtime.execution.state.is_granted(wish) {
            let result = acquire(side, runtime, object);
            let path = if result.is_ok() { calls::RW_LOCK } else { calls::RW_REFUSED };
            (Done::by(path, side.kind(object), side.operation()), Some(result))
        } else {
            (Done::by(calls::RW_TIME_OUT, side.kind(object), Operation::TimeOut), None)
        }
    });
    match result {
        None => 0,
        Some(Some(result)) => error(result),
        Some(None) => timed::ran_out(before, time),
    }
}

/// Unlocks a read-write lock.
pub(crate) fn unlock(call: Call) {
    let Some(object) = objects::object(call, Class::ReadWriteLock) else { return };
    let released = objects::event(call, Pending::Access, |runtime| {
        let last = objects::last_use(runtime, object);
        let result = lock_of(runtime, object, ReadWriteLock::unlock);
        if result.is_ok() {
            waits::lets_go(runtime, object);
        }
        let kind = match result {
            Ok(Held::ForReading) => Kind::Share(object),
            Ok(Held::ForWriting) | Err(_) => Kind::Lock(object),
        };
        (Done::by(calls::RW_UNLOCK, kind, Operation::Unlock), result.map_err(|_| last))
    });
    if let Some(Err(last)) = released {
        run::misuse(call, "of a read-write lock that this thread does not hold", last);
    }
}

/// Operates on a read-write lock.
pub(crate) fn lock_of<R>(
    runtime: &mut Runtime,
    object: Object,
    work: impl FnOnce(&mut ReadWriteLock, engine::event::Thread) -> R,
) -> R {
    runtime.execution.operate(object, |machine, thread| {
        work(machine.read_write_lock().expect("objects are numbered by class"), thread)
    })
}

/// Locks the read-write lock, if that takes no time.
fn acquire(side: Side, runtime: &mut Runtime, object: Object) -> Result<(), Refusal> {
    lock_of(runtime, object, |lock, thread| match side {
        Side::Reading => lock.read(thread),
        Side::Writing => lock.write(thread),
    })?;
    waits::takes_hold(runtime, object);
    Ok(())
}
