//! `pthread_cond_t`. A wait is two events: the thread releases the mutex and falls asleep; it wakes up and acquires the
//! mutex. Where the wait runs out, or ends for no reason, there is one between: the thread leaves the sleepers, and a
//! signal that comes before it has the mutex again wakes another one.

use std::ffi::c_int;

use engine::event::{Kind, Object, Thread};
use engine::execution::{Pending, Sleepless};
use engine::mapping::calls::{self, Path};
use engine::sync::machine::{Machine, Until, Wish};
use engine::sync::mutex::Refusal;
use engine::sync::sleepers::Sleepers;
use engine::thread_set::ThreadSet;
use protocol::{Operation, Wakeups};

use crate::graph;
use crate::graph::objects::{Patience, Waited};
use crate::run::{Runtime, with};
use crate::schedule::mutexes::{self, Mutex, acquired};
use crate::schedule::objects::{Call, Class, Done, Initial};
use crate::schedule::waits::{Looks, Mark};
use crate::schedule::{cancellation, timed};

pub(crate) type Condition = *mut libc::pthread_cond_t;

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_init(condition: Condition, _attributes: *const libc::pthread_condattr_t) -> c_int {
    initialise(Call::on("pthread_cond_init", condition))
}

pub(crate) fn initialise(call: Call) -> c_int {
    call.initialise(Class::Condition, Initial::Machine(Machine::Sleepers(Sleepers::default())));
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_destroy(condition: Condition) -> c_int {
    Call::on("pthread_cond_destroy", condition).destroy(Class::Condition);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_wait(condition: Condition, mutex: Mutex) -> c_int {
    let call = Call::on("pthread_cond_wait", condition);
    wait(call, Call::on("pthread_cond_wait", mutex), None)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_timedwait(condition: Condition, mutex: Mutex, time: *const libc::timespec) -> c_int {
    let call = Call::on("pthread_cond_timedwait", condition);
    wait(call, Call::on("pthread_cond_timedwait", mutex), Some(time))
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
    if timed::is_clock(clock) { wait(call, on_mutex, Some(time)) } else { libc::EINVAL }
}

/// The two objects of a wait.
#[derive(Clone, Copy)]
struct Pair {
    condition: Object,
    mutex: Object,
}

/// `pthread_cond_wait` and its sisters, with the time that limits it, if one does.
pub(crate) fn wait(call: Call, on_mutex: Call, time: Option<*const libc::timespec>) -> c_int {
    if graph::is_on() {
        return wait_in_graph(call, on_mutex, time);
    }
    let (Some(condition), Some(mutex)) = (call.object(Class::Condition), on_mutex.object(Class::Mutex)) else {
        return 0;
    };
    if time.is_some_and(|time| !timed::is_time(time)) {
        return libc::EINVAL;
    }
    cancellation::point(call);
    let pair = Pair { condition, mutex };
    let before = with(Runtime::before_a_call);
    if let Err(error) = fall_asleep(call, pair) {
        return error;
    }
    let until = match time {
        Some(_) => Until::TimeOut,
        None => until_woken(),
    };
    let wish = Wish::Wake { sleepers: condition, mutex: Some(mutex) };
    let woken = call.event(Pending::Wait(wish, until), |runtime| runtime.wake_up(wish, pair, until));
    match woken {
        None => 0,
        Some(Some(result)) => result,
        Some(None) => leave(call, on_mutex, mutex, before, time),
    }
}

fn wait_in_graph(call: Call, on_mutex: Call, time: Option<*const libc::timespec>) -> c_int {
    let patience = match time {
        Some(time) if !timed::is_time(time) => return libc::EINVAL,
        Some(_) => Patience::limited(),
        None => Patience::Endless(None),
    };
    let before = with(Runtime::before_a_call);
    match (graph::objects::wait(call, on_mutex, patience), time) {
        (Err(error), _) => error,
        (Ok(Waited::RanOut), Some(time)) => timed::ran_out(before, time),
        (Ok(_), _) => 0,
    }
}

/// The limit of a wait that the program does not limit.
pub(crate) fn until_woken() -> Until {
    match with(|runtime| runtime.wakeups) {
        Some(Wakeups::Spurious) => Until::Spurious,
        _ => Until::Granted,
    }
}

fn fall_asleep(call: Call, pair: Pair) -> Result<(), c_int> {
    let Pair { condition, mutex } = pair;
    let kind = Kind::Wait { condition, mutex };
    let asleep = call.event(Pending::Access, |runtime| {
        let last = (runtime.last_use(condition), runtime.last_use(mutex));
        let asleep = runtime.on_mutex(mutex, Looks::Alike, |execution| execution.sleep(condition, mutex));
        let path = if asleep.is_ok() { calls::SLEEP } else { calls::SLEEP_REFUSED };
        (Done::by(path, kind, Operation::Wait), asleep.map_err(|why| (why, last)))
    });
    match asleep {
        None | Some(Ok(())) => Ok(()),
        Some(Err((Sleepless::Mutex(Refusal::Undefined), (_, of_mutex)))) => {
            call.misuse("with a mutex that this thread does not hold", of_mutex)
        }
        Some(Err((Sleepless::Mutex(refusal), _))) => Err(mutexes::error(refusal)),
        Some(Err((Sleepless::OtherMutex, (of_condition, _)))) => {
            call.misuse("with another mutex than that of the threads that wait already", of_condition)
        }
    }
}

/// The sleep has ended by itself. The thread acquires the mutex and goes on, or ends if it is cancelled.
fn leave(
    call: Call,
    on_mutex: Call,
    mutex: Object,
    before: Option<Mark>,
    time: Option<*const libc::timespec>,
) -> c_int {
    let cancelled = cancellation::is_due();
    let result = mutexes::acquire(on_mutex, mutex);
    if cancelled {
        cancellation::act(call);
    }
    if result != 0 {
        return result;
    }
    if let Some(time) = time {
        return timed::ran_out(before, time);
    }
    with(|runtime| runtime.has_waited_in_vain(before));
    0
}

impl Runtime {
    /// The running thread goes on from its sleep: with the mutex if it was woken, else without.
    fn wake_up(&mut self, wish: Wish, pair: Pair, until: Until) -> (Done, Option<c_int>) {
        let Pair { condition, mutex } = pair;
        let woken = self.execution.state.is_granted(wish);
        self.execution.operate(condition, |machine, thread| {
            if let Some(sleepers) = machine.sleepers() {
                sleepers.leave(thread);
            }
        });
        if woken {
            let result = acquired(self.lock(mutex));
            return (Done::by(calls::WAKE, Kind::Wait { condition, mutex }, Operation::WakeUp), Some(result));
        }
        let operation = if until == Until::Spurious { Operation::SpuriousWakeUp } else { Operation::TimeOut };
        (Done::by(calls::WAKE, Kind::Lock(condition), operation), None)
    }

    /// Who sleeps on the object.
    pub(crate) fn asleep(&self, object: Object) -> ThreadSet {
        match self.execution.state.objects.get(object) {
            Some(Machine::Sleepers(sleepers)) => *sleepers.asleep(),
            _ => ThreadSet::EMPTY,
        }
    }

    /// Wakes a thread that sleeps on the object.
    pub(crate) fn wake(&mut self, object: Object, sleeper: Thread) {
        self.execution.operate(object, |machine, _| {
            if let Some(sleepers) = machine.sleepers() {
                sleepers.wake(sleeper);
            }
        });
    }

    /// The same by a choice that belongs to the last event.
    fn wake_chosen(&mut self, object: Object, sleeper: Thread) {
        self.wake(object, sleeper);
        self.execution.becomes(object);
    }
}

/// Wakes so many of these threads, which sleep on the object: every choice of them is tried, once.
pub(crate) fn wake_some_of(object: Object, asleep: &ThreadSet, wanted: u32) {
    let mut left = *asleep;
    for wanted in (1..=wanted).rev() {
        let choices = left.len() + 1 - wanted;
        let chosen = with(|runtime| match runtime.execution.choose_value(choices.into()) {
            Ok(nth) => Ok((0..=nth).map_while(|_| left.take_first()).last()),
            Err(_) => Err(runtime.diverges()),
        });
        match chosen {
            Some(Ok(Some(sleeper))) => drop(with(|runtime| runtime.wake_chosen(object, sleeper))),
            Some(Err(turn)) => turn.obey(),
            Some(Ok(None)) | None => return,
        }
    }
}

/// The path of a signal to those who sleep.
const fn path_of_a_signal(asleep: &ThreadSet) -> Path {
    if asleep.is_empty() { calls::SIGNAL_NOBODY } else { calls::SIGNAL }
}

/// `pthread_cond_signal`.
pub(crate) fn signal(call: Call) -> c_int {
    if graph::is_on() {
        graph::objects::signal(call);
        return 0;
    }
    let Some(object) = call.object(Class::Condition) else { return 0 };
    let asleep = call.event(Pending::Access, |runtime| {
        let asleep = runtime.asleep(object);
        (Done::by(path_of_a_signal(&asleep), Kind::Lock(object), Operation::Signal), asleep)
    });
    if let Some(asleep) = asleep.filter(|asleep| !asleep.is_empty()) {
        wake_some_of(object, &asleep, 1);
    }
    0
}

/// `pthread_cond_broadcast`.
pub(crate) fn broadcast(call: Call) -> c_int {
    if graph::is_on() {
        graph::objects::broadcast(call);
        return 0;
    }
    let Some(object) = call.object(Class::Condition) else { return 0 };
    call.event(Pending::Access, |runtime| {
        let mut asleep = runtime.asleep(object);
        let path = path_of_a_signal(&asleep);
        while let Some(sleeper) = asleep.take_first() {
            runtime.wake(object, sleeper);
        }
        (Done::by(path, Kind::Lock(object), Operation::Broadcast), ())
    });
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_signal(condition: Condition) -> c_int {
    signal(Call::on("pthread_cond_signal", condition))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cond_broadcast(condition: Condition) -> c_int {
    broadcast(Call::on("pthread_cond_broadcast", condition))
}
