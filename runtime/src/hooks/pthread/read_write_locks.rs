//! Read-write locks: the functions of `pthread_rwlock_t`.

use std::ffi::c_int;

use engine::sync::machine::Machine;
use engine::sync::read_write_lock::ReadWriteLock;

use crate::hooks::library::cursor::Passed;
use crate::schedule::timed;
use crate::state::objects::{Call, Class, Initial, Side};
use crate::world::objects;

/// A read-write lock of the program.
pub(crate) type Lock = *mut libc::pthread_rwlock_t;

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_init(lock: Lock, _attributes: *const libc::pthread_rwlockattr_t) -> c_int {
    let state = Initial::Machine(Machine::ReadWriteLock(ReadWriteLock::default()));
    objects::initialise(Call::on("pthread_rwlock_init", lock), Class::ReadWriteLock, state);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_destroy(lock: Lock) -> c_int {
    objects::destroy(Call::on("pthread_rwlock_destroy", lock), Class::ReadWriteLock);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_rdlock(lock: Lock) -> c_int {
    objects::hold(Call::on("pthread_rwlock_rdlock", lock), Side::Reading)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_wrlock(lock: Lock) -> c_int {
    objects::hold(Call::on("pthread_rwlock_wrlock", lock), Side::Writing)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_tryrdlock(lock: Lock) -> c_int {
    objects::try_hold(Call::on("pthread_rwlock_tryrdlock", lock), Side::Reading)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_trywrlock(lock: Lock) -> c_int {
    objects::try_hold(Call::on("pthread_rwlock_trywrlock", lock), Side::Writing)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_timedrdlock(lock: Lock, time: *const libc::timespec) -> c_int {
    objects::timed_hold(Call::on("pthread_rwlock_timedrdlock", lock), Side::Reading, Passed::room().at(time))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_timedwrlock(lock: Lock, time: *const libc::timespec) -> c_int {
    objects::timed_hold(Call::on("pthread_rwlock_timedwrlock", lock), Side::Writing, Passed::room().at(time))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_clockrdlock(
    lock: Lock,
    clock: libc::clockid_t,
    time: *const libc::timespec,
) -> c_int {
    let call = Call::on("pthread_rwlock_clockrdlock", lock);
    if !timed::is_clock(clock) {
        return libc::EINVAL;
    }
    objects::timed_hold(call, Side::Reading, Passed::room().at(time))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_clockwrlock(
    lock: Lock,
    clock: libc::clockid_t,
    time: *const libc::timespec,
) -> c_int {
    let call = Call::on("pthread_rwlock_clockwrlock", lock);
    if !timed::is_clock(clock) {
        return libc::EINVAL;
    }
    objects::timed_hold(call, Side::Writing, Passed::room().at(time))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_rwlock_unlock(lock: Lock) -> c_int {
    objects::release(Call::on("pthread_rwlock_unlock", lock));
    0
}
