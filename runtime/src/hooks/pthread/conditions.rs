//! Condition variables: the functions of `pthread_cond_t`.

use std::ffi::c_int;

use engine::sync::machine::Machine;
use engine::sync::sleepers::Sleepers;

use crate::hooks::library::cursor::Passed;
use crate::hooks::pthread::mutexes::Mutex;
use crate::schedule::timed;
use crate::state::objects::{Call, Class, Initial};
use crate::world::objects;

/// A condition variable of the program.
pub(crate) type Condition = *mut libc::pthread_cond_t;

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_init(condition: Condition, _attributes: *const libc::pthread_condattr_t) -> c_int {
    initialise(Call::on("pthread_cond_init", condition))
}

/// Initialises a condition variable.
pub(crate) fn initialise(call: Call) -> c_int {
    objects::initialise(call, Class::Condition, Initial::Machine(Machine::Sleepers(Sleepers::default())));
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_destroy(condition: Condition) -> c_int {
    objects::destroy(Call::on("pthread_cond_destroy", condition), Class::Condition);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_wait(condition: Condition, mutex: Mutex) -> c_int {
    let call = Call::on("pthread_cond_wait", condition);
    objects::wait(call, Call::on("pthread_cond_wait", mutex), None)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_timedwait(condition: Condition, mutex: Mutex, time: *const libc::timespec) -> c_int {
    let call = Call::on("pthread_cond_timedwait", condition);
    objects::wait(call, Call::on("pthread_cond_timedwait", mutex), Some(Passed::room().at(time)))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_clockwait(
    condition: Condition,
    mutex: Mutex,
    clock: libc::clockid_t,
    time: *const libc::timespec,
) -> c_int {
    let call = Call::on("pthread_cond_clockwait", condition);
    let on_mutex = Call::on("pthread_cond_clockwait", mutex);
    if !timed::is_clock(clock) {
        return libc::EINVAL;
    }
    objects::wait(call, on_mutex, Some(Passed::room().at(time)))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_signal(condition: Condition) -> c_int {
    objects::signal(Call::on("pthread_cond_signal", condition));
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_broadcast(condition: Condition) -> c_int {
    objects::broadcast(Call::on("pthread_cond_broadcast", condition));
    0
}
