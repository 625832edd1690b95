//! The functions of C11's `threads.h`, which are those of `pthread.h` by other names and with other results.

use std::ffi::{c_int, c_uint, c_void};

use crate::hooks::library::clock;
use crate::hooks::library::cursor::Passed;
use crate::hooks::pthread::conditions::{self, Condition};
use crate::hooks::pthread::mutexes::{self, Mutex};
use crate::hooks::pthread::{keys, threads};
use crate::state::objects::{Call, Class};
use crate::state::threads::{Claim, Start};
use crate::world;
use crate::world::objects::{self, Function};

/// The value of `thrd_success`.
const SUCCESS: c_int = 0;
/// The value of `thrd_busy`.
const BUSY: c_int = 1;
/// The value of `thrd_error`.
const ERROR: c_int = 2;
/// The value of `thrd_timedout`.
const TIMED_OUT: c_int = 4;
/// The flag `mtx_recursive`; `mtx_timed` is 2 and makes no difference.
const RECURSIVE: c_int = 1;

/// Returns the result of `threads.h` for an error number.
const fn result(error: c_int) -> c_int {
    match error {
        0 => SUCCESS,
        libc::EBUSY => BUSY,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

/// A function that `thrd_create` runs.
type Body = unsafe extern "C" fn(*mut c_void) -> c_int;

#[unsafe(no_mangle)]
extern "C" fn __fh_thrd_create(into: *mut usize, function: Body, argument: *mut c_void) -> c_int {
    result(threads::create(into, Start::C11(function, argument as usize), Claim::Nobody))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_thrd_join(handle: usize, into: *mut c_int) -> c_int {
    let call = Call::on("thrd_join", std::ptr::null::<u8>());
    match world::threads::join(call, handle) {
        Err(error) => result(error),
        Ok(value) => {
            if !into.is_null() {
                // The result is the low half, as [`Start::run`] has it.
                crate::hooks::library::results::store(into, value as u32, call.site);
            }
            SUCCESS
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_thrd_detach(handle: usize) -> c_int {
    result(world::threads::detach(Call::on("thrd_detach", std::ptr::null::<u8>()), handle))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_thrd_current() -> usize {
    threads::current()
}

#[unsafe(no_mangle)]
const extern "C" fn __fh_thrd_equal(one: usize, other: usize) -> c_int {
    (one == other) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn __fh_thrd_exit(value: c_int) -> ! {
    world::threads::end(Call::on("thrd_exit", std::ptr::null::<u8>()), value.cast_unsigned() as usize)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_mtx_init(mutex: Mutex, kind: c_int) -> c_int {
    let number = if kind & RECURSIVE == 0 { libc::PTHREAD_MUTEX_NORMAL } else { libc::PTHREAD_MUTEX_RECURSIVE };
    result(mutexes::initialise(Call::on("mtx_init", mutex), mutex, number))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_mtx_destroy(mutex: Mutex) {
    objects::destroy(Call::on("mtx_destroy", mutex), Class::Mutex);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_mtx_lock(mutex: Mutex) -> c_int {
    result(objects::lock(Call::on("mtx_lock", mutex), Class::Mutex))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_mtx_trylock(mutex: Mutex) -> c_int {
    result(objects::try_lock(Call::on("mtx_trylock", mutex), Class::Mutex))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_mtx_timedlock(mutex: Mutex, time: *const libc::timespec) -> c_int {
    result(objects::timed_lock(Call::on("mtx_timedlock", mutex), Passed::room().at(time)))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_mtx_unlock(mutex: Mutex) -> c_int {
    result(objects::unlock(Call::on("mtx_unlock", mutex), Class::Mutex))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_cnd_init(condition: Condition) -> c_int {
    result(conditions::initialise(Call::on("cnd_init", condition)))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_cnd_destroy(condition: Condition) {
    objects::destroy(Call::on("cnd_destroy", condition), Class::Condition);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_cnd_signal(condition: Condition) -> c_int {
    objects::signal(Call::on("cnd_signal", condition));
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn __fh_cnd_broadcast(condition: Condition) -> c_int {
    objects::broadcast(Call::on("cnd_broadcast", condition));
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn __fh_cnd_wait(condition: Condition, mutex: Mutex) -> c_int {
    result(objects::wait(Call::on("cnd_wait", condition), Call::on("cnd_wait", mutex), None))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_cnd_timedwait(condition: Condition, mutex: Mutex, time: *const libc::timespec) -> c_int {
    let call = Call::on("cnd_timedwait", condition);
    result(objects::wait(call, Call::on("cnd_timedwait", mutex), Some(Passed::room().at(time))))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_call_once(once: *mut libc::pthread_once_t, function: Function) {
    objects::run_once(Call::on("call_once", once), function);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_tss_create(into: *mut c_uint, destructor: Option<unsafe extern "C" fn(*mut c_void)>) -> c_int {
    result(keys::create(into, destructor))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_tss_delete(key: c_uint) {
    keys::delete(key);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_tss_get(key: c_uint) -> *mut c_void {
    keys::get(key)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_tss_set(key: c_uint, value: *mut c_void) -> c_int {
    result(keys::set(key, value))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_thrd_yield() {
    crate::hooks::pthread::sleeping::yields();
}

#[unsafe(no_mangle)]
extern "C" fn __fh_thrd_sleep(duration: *const libc::timespec, _remaining: *mut libc::timespec) -> c_int {
    clock::pass(clock::nanoseconds(duration));
    crate::hooks::pthread::sleeping::sleeps("thrd_sleep");
    0
}
