//! `sem_t`, unnamed. Named ones are refused: other processes could change them.

use std::ffi::{c_int, c_uint};

use engine::event::{Kind, Object};
use engine::execution::Pending;
use engine::mapping::calls;
use engine::sync::machine::{Machine, Until, Wish};
use engine::sync::semaphore::{Refusal, Semaphore};
use protocol::Operation;

use crate::graph;
use crate::graph::objects::{Patience, Waited};
use crate::hooks::library::results;
use crate::process::fiber;
use crate::run::{Runtime, with};
use crate::schedule::objects::{Call, Class, Done, Initial};
use crate::schedule::{cancellation, timed};

type Sem = *mut libc::sem_t;

/// How these functions fail.
fn fail(error: c_int) -> c_int {
    fiber::set_errno(error);
    -1
}

fn result(result: Result<(), Refusal>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(Refusal::Empty) => fail(libc::EAGAIN),
        Err(Refusal::Full) => fail(libc::EOVERFLOW),
    }
}

impl Runtime {
    fn semaphore<R>(&mut self, object: Object, work: impl FnOnce(&mut Semaphore) -> R) -> R {
        self.execution.operate(object, |machine, _| work(machine.semaphore().expect("objects are numbered by class")))
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_init(semaphore: Sem, _shared: c_int, value: c_uint) -> c_int {
    let Some(state) = Semaphore::new(value) else { return fail(libc::EINVAL) };
    Call::on("sem_init", semaphore).initialise(Class::Semaphore, Initial::Machine(Machine::Semaphore(state)));
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_destroy(semaphore: Sem) -> c_int {
    Call::on("sem_destroy", semaphore).destroy(Class::Semaphore);
    0
}

fn wait(call: Call, time: Option<*const libc::timespec>) -> c_int {
    if graph::is_on() {
        let before = with(Runtime::before_a_call);
        let patience = if time.is_some() { Patience::limited() } else { Patience::Endless(None) };
        return match (graph::objects::take(call, patience), time) {
            (Waited::RanOut, Some(time)) => fail(timed::ran_out(before, time)),
            _ => 0,
        };
    }
    let Some(object) = call.object(Class::Semaphore) else { return 0 };
    cancellation::point(call);
    let wish = Wish::Take(object);
    let until = if time.is_some() { Until::TimeOut } else { Until::Granted };
    let before = with(Runtime::before_a_call);
    let taken = call.event(Pending::Wait(wish, until), |runtime| {
        let taken = runtime.semaphore(object, Semaphore::take).is_ok();
        let (path, operation) = if taken {
            (calls::SEMAPHORE_WAIT, Operation::SemaphoreWait)
        } else {
            (calls::SEMAPHORE_TIME_OUT, Operation::TimeOut)
        };
        (Done::by(path, Kind::Lock(object), operation), taken)
    });
    match (taken, time) {
        (None | Some(true), _) => 0,
        (Some(false), _) if cancellation::is_due() => cancellation::act(call),
        (Some(false), Some(time)) => fail(timed::ran_out(before, time)),
        (Some(false), None) => unreachable!("a wait without a limit ends when it is granted"),
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_wait(semaphore: Sem) -> c_int {
    wait(Call::on("sem_wait", semaphore), None)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_timedwait(semaphore: Sem, time: *const libc::timespec) -> c_int {
    wait(Call::on("sem_timedwait", semaphore), Some(time))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_clockwait(semaphore: Sem, clock: libc::clockid_t, time: *const libc::timespec) -> c_int {
    let call = Call::on("sem_clockwait", semaphore);
    if timed::is_clock(clock) { wait(call, Some(time)) } else { fail(libc::EINVAL) }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_trywait(semaphore: Sem) -> c_int {
    let call = Call::on("sem_trywait", semaphore);
    if graph::is_on() {
        return result(graph::objects::try_take(call));
    }
    let Some(object) = call.object(Class::Semaphore) else { return 0 };
    let taken = call.event(Pending::Access, |runtime| {
        let taken = runtime.semaphore(object, Semaphore::take);
        let (path, operation) = if taken.is_ok() {
            (calls::SEMAPHORE_WAIT, Operation::SemaphoreTryWait)
        } else {
            (calls::SEMAPHORE_EMPTY, Operation::SemaphoreTryWaitFailed)
        };
        (Done::by(path, Kind::Lock(object), operation), taken)
    });
    taken.map_or(0, result)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_post(semaphore: Sem) -> c_int {
    let call = Call::on("sem_post", semaphore);
    if graph::is_on() {
        return result(graph::objects::post(call));
    }
    let Some(object) = call.object(Class::Semaphore) else { return 0 };
    let posted = call.event(Pending::Access, |runtime| {
        let posted = runtime.semaphore(object, Semaphore::post);
        let path = if posted.is_ok() { calls::SEMAPHORE_POST } else { calls::SEMAPHORE_FULL };
        (Done::by(path, Kind::Lock(object), Operation::Post), posted)
    });
    posted.map_or(0, result)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sem_getvalue(semaphore: Sem, into: *mut c_int) -> c_int {
    let call = Call::on("sem_getvalue", semaphore);
    if graph::is_on() {
        results::store(into, graph::objects::value_of(call), call.site);
        return 0;
    }
    let Some(object) = call.object(Class::Semaphore) else { return 0 };
    let value = call.event(Pending::Access, |runtime| {
        let done = Done::by(calls::SEMAPHORE_VALUE, Kind::Lock(object), Operation::GetValue);
        (done, runtime.semaphore(object, |semaphore| semaphore.value()))
    });
    results::store(into, value.unwrap_or(0), call.site);
    0
}
