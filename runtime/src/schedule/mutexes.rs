//! Mutexes and spin locks under the scheduler. Their state is the engine's ([`engine::sync::mutex`]); the program's
//! memory only holds the type of a mutex, where glibc's static initialisers put it.

use std::ffi::c_int;

use engine::event::{Kind, Object, Thread};
use engine::execution::{Execution, Pending};
use engine::mapping::calls;
use engine::sync::machine::{Machine, Until, Wish};
use engine::sync::mutex::{Acquired, Refusal};
use protocol::Operation;

use crate::run::{self, Runtime, with};
use crate::schedule::objects::{self, Done};
use crate::schedule::waits::{self, Looks};
use crate::schedule::{commits, timed};
use crate::state::objects::{Call, Class, error};
use crate::state::turn::Turn;

/// Returns the error number of an attempt to lock, or 0.
pub(crate) const fn acquired(result: Result<Acquired, Refusal>) -> c_int {
    match result {
        Ok(Acquired::Clean) => 0,
        Ok(Acquired::OwnerDied) => libc::EOWNERDEAD,
        Err(refusal) => error(refusal),
    }
}

/// Locks a mutex, however long it takes; returns the error number, or 0.
pub(crate) fn lock(call: Call, class: Class) -> c_int {
    let Some(object) = objects::object(call, class) else { return 0 };
    acquire(call, object)
}

/// Locks the mutex that this object is, however long it takes; returns the error number, or 0.
pub(crate) fn acquire(call: Call, object: Object) -> c_int {
    let work = |runtime: &mut Runtime| {
        let owner = owner(runtime, object);
        let result = locks(runtime, object);
        (locked(runtime, object, owner, result, Operation::Lock), result)
    };
    objects::event(call, Pending::Lock(object), work).map_or(0, acquired)
}

/// Locks a mutex if that takes no time; returns the error number, or 0.
pub(crate) fn try_lock(call: Call, class: Class) -> c_int {
    let Some(object) = objects::object(call, class) else { return 0 };
    let mut committed = Turn::Ours;
    let work = |runtime: &mut Runtime| {
        if class == Class::SpinLock {
            committed = commits::before_a_try(runtime, object);
        }
        let owner = owner(runtime, object);
        let result = tries_to_lock(runtime, object);
        let operation = if result.is_ok() { Operation::TryLock } else { Operation::TryLockFailed };
        (locked(runtime, object, owner, result, operation), result)
    };
    let result = objects::event(call, Pending::Access, work).map_or(0, acquired);
    committed.obey();
    result
}

/// Locks a mutex, or gives up; returns the error number, or 0.
pub(crate) fn timed_lock(call: Call, time: *const libc::timespec) -> c_int {
    let Some(object) = objects::object(call, Class::Mutex) else { return 0 };
    let wish = Wish::Lock(object);
    let before = with(timed::before_a_call);
    let result = objects::event(call, Pending::Wait(wish, Until::TimeOut), |runtime| {
        if runtime.execution.state.is_granted(wish) {
            let owner = owner(runtime, object);
            let result = locks(runtime, object);
            (locked(runtime, object, owner, result, Operation::Lock), Some(result))
        } else {
            (Done::by(calls::MUTEX_TIME_OUT, Kind::Lock(object), Operation::TimeOut), None)
        }
    });
    match result {
        None => 0,
        Some(Some(result)) => acquired(result),
        Some(None) => timed::ran_out(before, time),
    }
}

/// Unlocks a mutex; returns the error number, or 0.
pub(crate) fn unlock(call: Call, class: Class) -> c_int {
    let Some(object) = objects::object(call, class) else { return 0 };
    let work = |runtime: &mut Runtime| {
        let last = objects::last_use(runtime, object);
        let result = if class == Class::SpinLock && runtime.buffers.is_some() {
            may_release(runtime, object)
        } else {
            unlocks(runtime, object)
        };
        (unlocked(runtime, object, result), (result, last))
    };
    match objects::event(call, Pending::Access, work) {
        None | Some((Ok(()), _)) => 0,
        Some((Err(Refusal::Undefined), last)) => {
            run::misuse(call, &format!("of a {} that this thread does not hold", class.name()), last)
        }
        Some((Err(refusal), _)) => error(refusal),
    }
}

/// Locks the mutex, which can be locked.
pub(crate) fn locks(runtime: &mut Runtime, object: Object) -> Result<Acquired, Refusal> {
    on_mutex(runtime, object, Looks::Alike, |execution| execution.operate(object, |state, me| mutex(state).lock(me)))
}

/// Tries to lock the mutex.
fn tries_to_lock(runtime: &mut Runtime, object: Object) -> Result<Acquired, Refusal> {
    let seen = runtime.execution.state.objects.seen(object, runtime.running);
    on_mutex(runtime, object, Looks::Like(seen), |execution| {
        execution.operate(object, |state, me| mutex(state).try_lock(me))
    })
}

/// Unlocks the mutex.
fn unlocks(runtime: &mut Runtime, object: Object) -> Result<(), Refusal> {
    on_mutex(runtime, object, Looks::Alike, |execution| execution.operate(object, |state, me| mutex(state).unlock(me)))
}

/// Checks whether the running thread may release the spin lock, which is unlocked when the store that releases it
/// commits.
fn may_release(runtime: &Runtime, object: Object) -> Result<(), Refusal> {
    let holds = owner(runtime, object) == Some(runtime.running) && !commits::has_released(runtime, object);
    if holds { Ok(()) } else { Err(Refusal::Undefined) }
}

/// Returns the owner of the mutex.
fn owner(runtime: &Runtime, object: Object) -> Option<Thread> {
    runtime.execution.state.objects.mutex(object)?.owner()
}

/// Returns what an attempt of the running thread to lock the mutex did; `before` owned it before.
fn locked(
    runtime: &Runtime,
    object: Object,
    before: Option<Thread>,
    result: Result<Acquired, Refusal>,
    operation: Operation,
) -> Done {
    let is_spin_lock = runtime.objects.class(object) == Class::SpinLock;
    match result {
        Ok(_) if is_spin_lock && operation == Operation::Lock => {
            Done::at_word(calls::SPIN_LOCK, Kind::Await(object), object, operation)
        }
        Ok(_) if is_spin_lock => Done::at_word(calls::SPIN_LOCK, Kind::CompareAndSwap, object, operation),
        Err(_) if is_spin_lock => Done::at_word(calls::SPIN_BUSY, Kind::FailedRmw, object, operation),
        Ok(_) if before == Some(runtime.running) => Done::by(calls::MUTEX_AGAIN, Kind::Lock(object), operation),
        Ok(_) => Done::by(calls::MUTEX_LOCK, Kind::Lock(object), operation),
        // The thread has only read the mutex.
        Err(Refusal::Busy) => Done::by(calls::MUTEX_BUSY, Kind::Share(object), operation),
        Err(_) => Done::by(calls::MUTEX_REFUSED, Kind::Lock(object), operation),
    }
}

/// Returns what an attempt to unlock the mutex did.
fn unlocked(runtime: &Runtime, object: Object, result: Result<(), Refusal>) -> Done {
    let path = match result {
        Ok(()) if runtime.objects.class(object) == Class::SpinLock => {
            return Done::at_word(calls::SPIN_UNLOCK, Kind::Store, object, Operation::Unlock);
        }
        Ok(()) if owner(runtime, object) == Some(runtime.running) => calls::MUTEX_AGAIN,
        Ok(()) => calls::MUTEX_UNLOCK,
        Err(_) => calls::MUTEX_REFUSED,
    };
    Done::by(path, Kind::Lock(object), Operation::Unlock)
}

/// Operates on the mutex, and notes for wait loops what it looks like to the thread, and what changes.
pub(crate) fn on_mutex<R>(
    runtime: &mut Runtime,
    object: Object,
    looks: Looks,
    work: impl FnOnce(&mut Execution) -> R,
) -> R {
    let before = runtime.execution.state.objects.mutex_state(object);
    let result = work(&mut runtime.execution);
    waits::note_object(runtime, object, before, looks);
    result
}

/// Returns the state of a mutex or a spin lock.
pub(crate) const fn mutex(state: &mut Machine) -> &mut engine::sync::mutex::Mutex {
    state.mutex().expect("objects are numbered by class")
}
