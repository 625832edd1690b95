//! `pthread_rwlock_t`. What readers do to a lock is not ordered among themselves ([`Kind::Share`]).

use std::ffi::c_int;

use engine::event::{Kind, Object};
use engine::execution::Pending;
use engine::mapping::calls;
use engine::sync::machine::{Machine, Until, Wish};
use engine::sync::read_write_lock::{Held, ReadWriteLock, Refusal};
use protocol::Operation;

use crate::graph;
use crate::graph::objects::{Patience, Waited};
use crate::run::{Runtime, with};
use crate::schedule::objects::{Call, Class, Done, Initial};
use crate::schedule::timed;

type Lock = *mut libc::pthread_rwlock_t;

/// What a lock is acquired for.
#[derive(Clone, Copy)]
enum Side {
    Reading,
    Writing,
}

impl Side {
    const fn wish(self, object: Object) -> Wish {
        match self {
            Self::Reading => Wish::Read(object),
            Self::Writing => Wish::Write(object),
        }
    }

    const fn kind(self, object: Object) -> Kind {
        match self {
            Self::Reading => Kind::Share(object),
            Self::Writing => Kind::Lock(object),
        }
    }

    fn acquire(self, runtime: &mut Runtime, object: Object) -> Result<(), Refusal> {
        runtime.lock_of(object, |lock, thread| match self {
            Self::Reading => lock.read(thread),
            Self::Writing => lock.write(thread),
        })?;
        runtime.takes_hold(object);
        Ok(())
    }

    const fn operation(self) -> Operation {
        match self {
            Self::Reading => Operation::ReadLock,
            Self::Writing => Operation::WriteLock,
        }
    }

    fn hold_in_graph(self, call: Call, operation: Operation, patience: Patience) -> Result<Waited, Refusal> {
        graph::objects::hold(
            call,
            operation,
            patience,
            match self {
                Self::Reading => ReadWriteLock::read,
                Self::Writing => ReadWriteLock::write,
            },
        )
    }
}

impl Runtime {
    fn lock_of<R>(&mut self, object: Object, work: impl FnOnce(&mut ReadWriteLock, engine::event::Thread) -> R) -> R {
        self.execution.operate(object, |machine, thread| {
            work(machine.read_write_lock().expect("objects are numbered by class"), thread)
        })
    }
}

fn error(result: Result<(), Refusal>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(Refusal::Busy) => libc::EBUSY,
        Err(Refusal::WouldDeadlock) => libc::EDEADLK,
        Err(Refusal::Undefined) => libc::EPERM,
    }
}

fn lock(call: Call, side: Side) -> c_int {
    let operation = side.operation();
    if graph::is_on() {
        return side
            .hold_in_graph(call, side.operation(), Patience::Endless(None))
            .map_or_else(|refusal| error(Err(refusal)), |_| 0);
    }
    let Some(object) = call.object(Class::ReadWriteLock) else { return 0 };
    let pending = Pending::Wait(side.wish(object), Until::Granted);
    let work = |runtime: &mut Runtime| {
        let result = side.acquire(runtime, object);
        let path = if result.is_ok() { calls::RW_LOCK } else { calls::RW_REFUSED };
        (Done::by(path, side.kind(object), operation), result)
    };
    call.event(pending, work).map_or(0, error)
}

/// A thread that writes already gets `EBUSY`: it would have to wait.
fn try_lock(call: Call, side: Side) -> c_int {
    if graph::is_on() {
        let operation = match side {
            Side::Reading => Operation::TryReadLock,
            Side::Writing => Operation::TryWriteLock,
        };
        let held = side.hold_in_graph(call, operation, Patience::Limited);
        return if held == Ok(Waited::Granted) { 0 } else { libc::EBUSY };
    }
    let Some(object) = call.object(Class::ReadWriteLock) else { return 0 };
    let work = |runtime: &mut Runtime| {
        let result = side.acquire(runtime, object);
        let operation = match (side, result.is_ok()) {
            (Side::Reading, true) => Operation::TryReadLock,
            (Side::Reading, false) => Operation::TryReadLockFailed,
            (Side::Writing, true) => Operation::TryWriteLock,
            (Side::Writing, false) => Operation::TryWriteLockFailed,
        };
        let path = if result.is_ok() { calls::RW_LOCK } else { calls::RW_BUSY };
        (Done::by(path, side.kind(object), operation), result)
    };
    match call.event(Pending::Access, work) {
        Some(Err(_)) => libc::EBUSY,
        None | Some(Ok(())) => 0,
    }
}

fn timed_lock(call: Call, side: Side, time: *const libc::timespec) -> c_int {
    if graph::is_on() {
        return timed_lock_in_graph(call, side, time);
    }
    let Some(object) = call.object(Class::ReadWriteLock) else { return 0 };
    let wish = side.wish(object);
    let before = with(Runtime::before_a_call);
    let result = call.event(Pending::Wait(wish, Until::TimeOut), |runtime| {
        if runtime.execution.state.is_granted(wish) {
            let result = side.acquire(runtime, object);
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

fn timed_lock_in_graph(call: Call, side: Side, time: *const libc::timespec) -> c_int {
    let before = with(Runtime::before_a_call);
    let operation = side.operation();
    match side.hold_in_graph(call, operation, Patience::limited()) {
        Ok(Waited::Granted) => 0,
        Ok(Waited::RanOut) => timed::ran_out(before, time),
        Err(refusal) => error(Err(refusal)),
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_init(lock: Lock, _attributes: *const libc::pthread_rwlockattr_t) -> c_int {
    let state = Initial::Machine(Machine::ReadWriteLock(ReadWriteLock::default()));
    Call::on("pthread_rwlock_init", lock).initialise(Class::ReadWriteLock, state);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_destroy(lock: Lock) -> c_int {
    Call::on("pthread_rwlock_destroy", lock).destroy(Class::ReadWriteLock);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_rdlock(lock: Lock) -> c_int {
    self::lock(Call::on("pthread_rwlock_rdlock", lock), Side::Reading)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_wrlock(lock: Lock) -> c_int {
    self::lock(Call::on("pthread_rwlock_wrlock", lock), Side::Writing)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_tryrdlock(lock: Lock) -> c_int {
    try_lock(Call::on("pthread_rwlock_tryrdlock", lock), Side::Reading)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_trywrlock(lock: Lock) -> c_int {
    try_lock(Call::on("pthread_rwlock_trywrlock", lock), Side::Writing)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_timedrdlock(lock: Lock, time: *const libc::timespec) -> c_int {
    timed_lock(Call::on("pthread_rwlock_timedrdlock", lock), Side::Reading, time)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_timedwrlock(lock: Lock, time: *const libc::timespec) -> c_int {
    timed_lock(Call::on("pthread_rwlock_timedwrlock", lock), Side::Writing, time)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_clockrdlock(
    lock: Lock,
    clock: libc::clockid_t,
    time: *const libc::timespec,
) -> c_int {
    let call = Call::on("pthread_rwlock_clockrdlock", lock);
    if timed::is_clock(clock) { timed_lock(call, Side::Reading, time) } else { libc::EINVAL }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_clockwrlock(
    lock: Lock,
    clock: libc::clockid_t,
    time: *const libc::timespec,
) -> c_int {
    let call = Call::on("pthread_rwlock_clockwrlock", lock);
    if timed::is_clock(clock) { timed_lock(call, Side::Writing, time) } else { libc::EINVAL }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_unlock(lock: Lock) -> c_int {
    let call = Call::on("pthread_rwlock_unlock", lock);
    if graph::is_on() {
        graph::objects::release(call);
        return 0;
    }
    let Some(object) = call.object(Class::ReadWriteLock) else { return 0 };
    let released = call.event(Pending::Access, |runtime| {
        let last = runtime.last_use(object);
        let result = runtime.lock_of(object, ReadWriteLock::unlock);
        if result.is_ok() {
            runtime.lets_go(object);
        }
        let kind = match result {
            Ok(Held::ForReading) => Kind::Share(object),
            Ok(Held::ForWriting) | Err(_) => Kind::Lock(object),
        };
        (Done::by(calls::RW_UNLOCK, kind, Operation::Unlock), result.map_err(|_| last))
    });
    if let Some(Err(last)) = released {
        call.misuse("of a read-write lock that this thread does not hold", last);
    }
    0
}
