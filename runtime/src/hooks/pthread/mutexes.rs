//! Mutexes and spin locks: the functions of `pthread_mutex_t` and `pthread_spinlock_t`.

use std::ffi::c_int;

use crate::hooks::library::cursor::Passed;
use crate::run::with;
use crate::schedule::objects::object;
use crate::schedule::{mutexes, timed};
use crate::state::objects::{Call, Class, Initial, KIND_OFFSET, MutexKind, ROBUST, error};
use crate::world::objects::{self, lock, timed_lock, try_lock, unlock};

/// A mutex of the program.
pub(crate) type Mutex = *mut libc::pthread_mutex_t;
/// A spin lock of the program.
pub(crate) type SpinLock = *mut libc::pthread_spinlock_t;

/// Writes the type where [`static_type`] finds it.
fn set_static_type(mutex: Mutex, number: c_int) {
    let kind = mutex.wrapping_byte_add(KIND_OFFSET).cast::<c_int>();
    // SAFETY: the program passes memory for a mutex.
    unsafe { kind.write_unaligned(number) };
}

/// # Safety
/// As `pthread_mutex_init`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_pthread_mutex_init(mutex: Mutex, attributes: *const libc::pthread_mutexattr_t) -> c_int {
    let (mut kind, mut robust) = (0, 0);
    if !attributes.is_null() {
        let mut room = Passed::room();
        let attributes = room.at(attributes);
        // SAFETY: the program passes initialised attributes.
        unsafe { pthread_mutexattr_gettype(attributes, &raw mut kind) };
        // SAFETY: as above.
        unsafe { libc::pthread_mutexattr_getrobust(attributes, &raw mut robust) };
    }
    initialise(Call::on("pthread_mutex_init", mutex), mutex, kind | if robust == 0 { 0 } else { ROBUST })
}

/// Initialises a mutex with the type that has this number.
pub(crate) fn initialise(call: Call, mutex: Mutex, number: c_int) -> c_int {
    objects::initialise(call, Class::Mutex, Initial::Mutex(MutexKind::of(number)));
    set_static_type(mutex, number);
    0
}

unsafe extern "C" {
    fn pthread_mutexattr_gettype(attributes: *const libc::pthread_mutexattr_t, kind: *mut c_int) -> c_int;
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_destroy(mutex: Mutex) -> c_int {
    objects::destroy(Call::on("pthread_mutex_destroy", mutex), Class::Mutex);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_lock(mutex: Mutex) -> c_int {
    lock(Call::on("pthread_mutex_lock", mutex), Class::Mutex)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_trylock(mutex: Mutex) -> c_int {
    try_lock(Call::on("pthread_mutex_trylock", mutex), Class::Mutex)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_timedlock(mutex: Mutex, time: *const libc::timespec) -> c_int {
    timed_lock(Call::on("pthread_mutex_timedlock", mutex), Passed::room().at(time))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_clocklock(mutex: Mutex, clock: libc::clockid_t, time: *const libc::timespec) -> c_int {
    if !timed::is_clock(clock) {
        return libc::EINVAL;
    }
    timed_lock(Call::on("pthread_mutex_clocklock", mutex), Passed::room().at(time))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_unlock(mutex: Mutex) -> c_int {
    unlock(Call::on("pthread_mutex_unlock", mutex), Class::Mutex)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_consistent(mutex: Mutex) -> c_int {
    let Some(object) = object(Call::on("pthread_mutex_consistent", mutex), Class::Mutex) else { return 0 };
    let result = with(|runtime| {
        runtime.has_effect();
        runtime.execution.operate(object, |state, me| mutexes::mutex(state).make_consistent(me))
    });
    result.map_or(0, |result| result.map_or_else(error, |()| 0))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_spin_init(lock: SpinLock, _shared: c_int) -> c_int {
    objects::initialise(Call::on("pthread_spin_init", lock.cast_const()), Class::SpinLock, Initial::SpinLock);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_spin_destroy(lock: SpinLock) -> c_int {
    objects::destroy(Call::on("pthread_spin_destroy", lock.cast_const()), Class::SpinLock);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_spin_lock(lock: SpinLock) -> c_int {
    self::lock(Call::on("pthread_spin_lock", lock.cast_const()), Class::SpinLock)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_spin_trylock(lock: SpinLock) -> c_int {
    try_lock(Call::on("pthread_spin_trylock", lock.cast_const()), Class::SpinLock)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_spin_unlock(lock: SpinLock) -> c_int {
    unlock(Call::on("pthread_spin_unlock", lock.cast_const()), Class::SpinLock)
}
