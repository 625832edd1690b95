//! Semaphores: the functions of `sem_t` for unnamed ones. Named ones are refused: other processes could change them.

use std::ffi::{c_int, c_uint};

use engine::sync::machine::Machine;
use engine::sync::semaphore::{Refusal, Semaphore};

use crate::hooks::library::cursor::Passed;
use crate::hooks::library::results;
use crate::process::fiber;
use crate::schedule::timed;
use crate::state::objects::{Call, Class, Initial};
use crate::world::objects;

/// A semaphore of the program.
pub(crate) type Sem = *mut libc::sem_t;

/// Makes one of these functions fail with this error number.
pub(crate) fn fail(error: c_int) -> c_int {
    fiber::set_errno(error);
    -1
}

/// Returns the result of one of these functions.
pub(crate) fn result(result: Result<(), Refusal>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(Refusal::Empty) => fail(libc::EAGAIN),
        Err(Refusal::Full) => fail(libc::EOVERFLOW),
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_init(semaphore: Sem, _shared: c_int, value: c_uint) -> c_int {
    let Some(state) = Semaphore::new(value) else { return fail(libc::EINVAL) };
    objects::initialise(Call::on("sem_init", semaphore), Class::Semaphore, Initial::Machine(Machine::Semaphore(state)));
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_destroy(semaphore: Sem) -> c_int {
    objects::destroy(Call::on("sem_destroy", semaphore), Class::Semaphore);
    0
}

/// Takes one unit from a semaphore, with a limit of time if one is given.
fn take(call: Call, time: Option<*const libc::timespec>) -> c_int {
    let mut room = Passed::room();
    objects::take(call, time.map(|time| room.at(time))).map_or_else(fail, |()| 0)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_wait(semaphore: Sem) -> c_int {
    take(Call::on("sem_wait", semaphore), None)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_timedwait(semaphore: Sem, time: *const libc::timespec) -> c_int {
    take(Call::on("sem_timedwait", semaphore), Some(time))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_clockwait(semaphore: Sem, clock: libc::clockid_t, time: *const libc::timespec) -> c_int {
    let call = Call::on("sem_clockwait", semaphore);
    if timed::is_clock(clock) { take(call, Some(time)) } else { fail(libc::EINVAL) }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_trywait(semaphore: Sem) -> c_int {
    result(objects::try_take(Call::on("sem_trywait", semaphore)))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_post(semaphore: Sem) -> c_int {
    result(objects::post(Call::on("sem_post", semaphore)))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_getvalue(semaphore: Sem, into: *mut c_int) -> c_int {
    let call = Call::on("sem_getvalue", semaphore);
    results::store(into, objects::value(call), call.site);
    0
}
