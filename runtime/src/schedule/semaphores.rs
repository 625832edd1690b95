//! Unnamed semaphores under the scheduler. Named ones are refused: other processes could change them.

use std::ffi::c_int;

use engine::event::{Kind, Object};
use engine::execution::Pending;
use engine::mapping::calls;
use engine::sync::machine::{Until, Wish};
use engine::sync::semaphore::{Refusal, Semaphore};
use protocol::Operation;

use crate::run::{Runtime, with};
use crate::schedule::objects::{self, Done};
use crate::schedule::{cancellation, timed};
use crate::state::objects::{Call, Class};

/// Performs `sem_wait` and its sisters, with a limit of time if one is given.
pub(crate) fn wait(call: Call, time: Option<*const libc::timespec>) -> Result<(), c_int> {
    let Some(object) = objects::object(call, Class::Semaphore) else { return Ok(()) };
    cancellation::point(call);
    let wish = Wish::Take(object);
    let until = if time.is_some() { Until::TimeOut } else { Until::Granted };
    let before = with(timed::before_a_call);
    let taken = objects::event(call, Pending::Wait(wish, until), |runtime| {
        let taken = on_semaphore(runtime, object, Semaphore::take).is_ok();
        let (path, operation) = if taken {
            (calls::SEMAPHORE_WAIT, Operation::SemaphoreWait)
        } else {
            (calls::SEMAPHORE_TIME_OUT, Operation::TimeOut)
        };
        (Done::by(path, Kind::Lock(object), operation), taken)
    });
    match (taken, time) {
        (None | Some(true), _) => Ok(()),
        (Some(false), _) if cancellation::is_due() => cancellation::act(call),
        (Some(false), Some(time)) => Err(timed::ran_out(before, time)),
        (Some(false), None) => unreachable!("a wait without a limit ends when it is granted"),
    }
}

/// Performs `sem_trywait`.
pub(crate) fn try_wait(call: Call) -> Result<(), Refusal> {
    let Some(object) = objects::object(call, Class::Semaphore) else { return Ok(()) };
    let taken = objects::event(call, Pending::Access, |runtime| {
        let taken = on_semaphore(runtime, object, Semaphore::take);
        let (path, operation) = if taken.is_ok() {
            (calls::SEMAPHORE_WAIT, Operation::SemaphoreTryWait)
        } else {
            (calls::SEMAPHORE_EMPTY, Operation::SemaphoreTryWaitFailed)
        };
        (Done::by(path, Kind::Lock(object), operation), taken)
    });
    taken.unwrap_or(Ok(()))
}

/// Performs `sem_post`.
pub(crate) fn post(call: Call) -> Result<(), Refusal> {
    let Some(object) = objects::object(call, Class::Semaphore) else { return Ok(()) };
    let posted = objects::event(call, Pending::Access, |runtime| {
        let posted = on_semaphore(runtime, object, Semaphore::post);
        let path = if posted.is_ok() { calls::SEMAPHORE_POST } else { calls::SEMAPHORE_FULL };
        (Done::by(path, Kind::Lock(object), Operation::Post), posted)
    });
    posted.unwrap_or(Ok(()))
}

/// Performs `sem_getvalue`, and returns the value.
pub(crate) fn value(call: Call) -> u32 {
    let Some(object) = objects::object(call, Class::Semaphore) else { return 0 };
    let value = objects::event(call, Pending::Access, |runtime| {
        let done = Done::by(calls::SEMAPHORE_VALUE, Kind::Lock(object), Operation::GetValue);
        (done, on_semaphore(runtime, object, |semaphore| semaphore.value()))
    });
    value.unwrap_or(0)
}

/// Operates on a semaphore.
fn on_semaphore<R>(runtime: &mut Runtime, object: Object, work: impl FnOnce(&mut Semaphore) -> R) -> R {
    runtime.execution.operate(object, |machine, _| work(machine.semaphore().expect("objects are numbered by class")))
}
