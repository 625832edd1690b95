//! Cancellation: `pthread_cancel` and its sisters.

use std::ffi::c_int;

use engine::event::Kind;
use engine::execution::{Pending, Status};
use engine::mapping::calls;
use protocol::Operation;

use crate::process::sites::call_site;
use crate::run::{self, with};
use crate::schedule::cancellation::point;
use crate::schedule::objects::{self, Done, unnamed};
use crate::schedule::threads::thread_of;
use crate::schedule::turns::change_cancellation;
use crate::state::ends::Enabled;
use crate::state::objects::{Call, Class};
use crate::state::unmodelled::Unmodelled;
use crate::world;

/// The value of `PTHREAD_CANCEL_ENABLE`.
const ENABLE: c_int = 0;
/// The value of `PTHREAD_CANCEL_DISABLE`.
const DISABLE: c_int = 1;
/// The value of `PTHREAD_CANCEL_DEFERRED`.
const DEFERRED: c_int = 0;
/// The value of `PTHREAD_CANCEL_ASYNCHRONOUS`.
const ASYNCHRONOUS: c_int = 1;

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cancel(handle: usize) -> c_int {
    let call = Call::on("pthread_cancel", std::ptr::null::<u8>());
    world::refuse(Unmodelled::Call(call.name), call.site);
    let Some(Some(thread)) = with(|runtime| thread_of(runtime, handle)) else { return libc::ESRCH };
    let Some(object) = unnamed(Class::Cancellation, thread.index()) else { return 0 };
    let refused = objects::event(call, Pending::Access, |runtime| {
        let before = runtime.threads.of(thread).ends.cancellation.requested;
        let again = before || runtime.execution.state.threads.status(thread) == Status::Ended;
        let path = if again { calls::CANCEL_AGAIN } else { calls::CANCEL };
        change_cancellation(runtime, thread, |state| state.requested = true);
        let waits = runtime.threads.of(thread).ends.cancellation.waits;
        let done = Done::by(path, Kind::Lock(object), Operation::Cancel(thread));
        (done, waits && runtime.steps_aside())
    });
    if refused == Some(true) {
        run::unsupported(
            "pthread_cancel of a thread that waits at a cancellation point, under --explorer dpor",
            call.site,
        );
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_testcancel() {
    point(Call::on("pthread_testcancel", std::ptr::null::<u8>()));
}

/// Stores a state to the program's memory unless the pointer is null.
pub(crate) fn store(into: *mut c_int, value: c_int) {
    if !into.is_null() {
        crate::hooks::library::results::store(into, value.cast_unsigned(), call_site());
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int {
    let enabled = match state {
        ENABLE => Enabled::Yes,
        DISABLE => Enabled::No,
        _ => return libc::EINVAL,
    };
    let before = with(|runtime| {
        runtime.has_effect();
        let thread = runtime.running;
        let before = runtime.threads.at(thread).ends.cancellation.enabled;
        change_cancellation(runtime, thread, |state| state.enabled = enabled);
        before
    });
    store(old, if before == Some(Enabled::No) { DISABLE } else { ENABLE });
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_setcanceltype(kind: c_int, old: *mut c_int) -> c_int {
    match kind {
        DEFERRED => {}
        ASYNCHRONOUS => run::unsupported("pthread_setcanceltype (asynchronous cancellation)", call_site()),
        _ => return libc::EINVAL,
    }
    store(old, DEFERRED);
    0
}
