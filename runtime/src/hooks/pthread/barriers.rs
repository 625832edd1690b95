//! Barriers: the functions of `pthread_barrier_t`.

use std::ffi::{c_int, c_uint};

use engine::sync::barrier::{Arrival, Barrier};
use engine::sync::machine::Machine;

use crate::state::objects::{Call, Class, Initial};
use crate::world::objects;

/// A barrier of the program.
pub(crate) type Pointer = *mut libc::pthread_barrier_t;

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_barrier_init(
    barrier: Pointer,
    _attributes: *const libc::pthread_barrierattr_t,
    count: c_uint,
) -> c_int {
    let Some(state) = Barrier::new(count) else { return libc::EINVAL };
    objects::initialise(
        Call::on("pthread_barrier_init", barrier),
        Class::Barrier,
        Initial::Machine(Machine::Barrier(state)),
    );
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_barrier_destroy(barrier: Pointer) -> c_int {
    objects::destroy(Call::on("pthread_barrier_destroy", barrier), Class::Barrier);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_barrier_wait(barrier: Pointer) -> c_int {
    match objects::cross(Call::on("pthread_barrier_wait", barrier)) {
        Arrival::Completes => libc::PTHREAD_BARRIER_SERIAL_THREAD,
        Arrival::Waits => 0,
    }
}
