//! Condition variables under the scheduler. A wait is two events: the thread unlocks the mutex and falls asleep; it
//! wakes up and locks the mutex. If the wait runs out, or ends for no reason, there is one in between: the thread
//! leaves the sleepers, and a signal that comes before it has locked the mutex again wakes another one.

use std::ffi::c_int;

use engine::event::{Kind, Object, Thread};
use engine::execution::{Pending, Sleepless};
use engine::mapping::calls::{self, Path};
use engine::sync::machine::{Machine, Until, Wish};
use engine::sync::mutex::Refusal;
use engine::thread_set::ThreadSet;
use protocol::{Operation, Wakeups};

use crate::run::{self, Runtime, with};
use crate::schedule::mutexes::{self, acquired};
use crate::schedule::objects::{self, Done};
use crate::schedule::waits::Looks;
use crate::schedule::{cancellation, diverging, timed};
use crate::state::objects::{Call, Class, error};
use crate::state::waits::Mark;

/// The two objects of a wait.
#[derive(Clone, Copy)]
struct Pair {
    condition: Object,
    mutex: Object,
}

/// Performs `pthread_cond_wait` and its sisters, with a limit of time if one is given; returns the error number, or 0.
pub(crate) fn wait(call: Call, on_mutex: Call, time: Option<*const libc::timespec>) -> c_int {
    let (Some(condition), Some(mutex)) =
        (objects::object(call, Class::Condition), objects::object(on_mutex, Class::Mutex))
    else {
        return 0;
    };
    if time.is_some_and(|time| !timed::is_time(time)) {
        return libc::EINVAL;
    }
    cancellation::point(call);
    let pair = Pair { condition, mutex };
    let before = with(timed::before_a_call);
    if let Err(error) = fall_asleep(call, pair) {
        return error;
    }
    let until = match time {
        Some(_) => Until::TimeOut,
        None => until_woken(),
    };
    let wish = Wish::Wake { sleepers: condition, mutex: Some(mutex) };
    let woken = objects::event(call, Pending::Wait(wish, until), |runtime| wake_up(runtime, wish, pair, until));
    match woken {
        None => 0,
        Some(Some(result)) => result,
        Some(None) => leave(call, on_mutex, mutex, before, time),
    }
}

/// Returns the limit of a wait that the program does not limit.
pub(crate) fn until_woken() -> Until {
    match with(|runtime| runtime.settings.wakeups) {
        Some(Wakeups::Spurious) => Until::Spurious,
        _ => Until::Granted,
    }
}

/// Unlocks the mutex and falls asleep, in one event.
fn fall_asleep(call: Call, pair: Pair) -> Result<(), c_int> {
    let Pair { condition, mutex } = pair;
    let kind = Kind::Wait { condition, mutex };
    let asleep = objects::event(call, Pending::Access, |runtime| {
        let last = (objects::last_use(runtime, condition), objects::last_use(runtime, mutex));
        let asleep = mutexes::on_mutex(runtime, mutex, Looks::Alike, |execution| execution.sleep(condition, mutex));
        let path = if asleep.is_ok() { calls::SLEEP } else { calls::SLEEP_REFUSED };
        (Done::by(path, kind, Operation::Wait), asleep.map_err(|why| (why, last)))
    });
    match asleep {
        None | Some(Ok(())) => Ok(()),
        Some(Err((Sleepless::Mutex(Refusal::Undefined), (_, of_mutex)))) => {
            run::misuse(call, "with a mutex that this thread does not hold", of_mutex)
        }
        Some(Err((Sleepless::Mutex(refusal), _))) => Err(error(refusal)),
        Some(Err((Sleepless::OtherMutex, (of_condition, _)))) => {
            run::misuse(call, "with another mutex than that of the threads that wait already", of_condition)
        }
    }
}

/// Ends a sleep that has ended by itself: the thread locks the mutex and goes on, or ends if it is cancelled.
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
    with(|runtime| timed::has_waited_in_vain(runtime, before));
    0
}

/// Wakes `wanted` of these threads, which sleep on the object: every choice of them is tried, once.
pub(crate) fn wake_some_of(object: Object, asleep: &ThreadSet, wanted: u32) {
    let mut left = *asleep;
    for wanted in (1..=wanted).rev() {
        let choices = left.len() + 1 - wanted;
        let chosen = with(|runtime| match runtime.execution.choose_value(choices.into()) {
            Ok(nth) => Ok((0..=nth).map_while(|_| left.take_first()).last()),
            Err(_) => Err(diverging::diverges(runtime)),
        });
        match chosen {
            Some(Ok(Some(sleeper))) => drop(with(|runtime| wake_chosen(runtime, object, sleeper))),
            Some(Err(turn)) => turn.obey(),
            Some(Ok(None)) | None => return,
        }
    }
}

/// Returns the path of a signal to these sleeping threads.
const fn path_of_a_signal(asleep: &ThreadSet) -> Path {
    if asleep.is_empty() { calls::SIGNAL_NOBODY } else { calls::SIGNAL }
}

/// Performs `pthread_cond_signal`.
pub(crate) fn signal(call: Call) {
    let Some(object) = objects::object(call, Class::Condition) else { return };
    let asleep = objects::event(call, Pending::Access, |runtime| {
        let asleep = asleep(runtime, object);
        (Done::by(path_of_a_signal(&asleep), Kind::Lock(object), Operation::Signal), asleep)
    });
    if let Some(asleep) = asleep.filter(|asleep| !asleep.is_empty()) {
        wake_some_of(object, &asleep, 1);
    }
}

/// Performs `pthread_cond_broadcast`.
pub(crate) fn broadcast(call: Call) {
    let Some(object) = objects::object(call, Class::Condition) else { return };
    objects::event(call, Pending::Access, |runtime| {
        let mut asleep = asleep(runtime, object);
        let path = path_of_a_signal(&asleep);
        while let Some(sleeper) = asleep.take_first() {
            wake(runtime, object, sleeper);
        }
        (Done::by(path, Kind::Lock(object), Operation::Broadcast), ())
    });
}

/// Ends the running thread's sleep: with the mutex locked if it was woken, else without.
fn wake_up(runtime: &mut Runtime, wish: Wish, pair: Pair, until: Until) -> (Done, Option<c_int>) {
    let Pair { condition, mutex } = pair;
    let woken = runtime.execution.state.is_granted(wish);
    runtime.execution.operate(condition, |machine, thread| {
        if let Some(sleepers) = machine.sleepers() {
            sleepers.leave(thread);
        }
    });
    if woken {
        let result = acquired(mutexes::locks(runtime, mutex));
        return (Done::by(calls::WAKE, Kind::Wait { condition, mutex }, Operation::WakeUp), Some(result));
    }
    let operation = if until == Until::Spurious { Operation::SpuriousWakeUp } else { Operation::TimeOut };
    (Done::by(calls::WAKE, Kind::Lock(condition), operation), None)
}

/// Returns the threads that sleep on the object.
pub(crate) fn asleep(runtime: &Runtime, object: Object) -> ThreadSet {
    match runtime.execution.state.objects.get(object) {
        Some(Machine::Sleepers(sleepers)) => *sleepers.asleep(),
        _ => ThreadSet::EMPTY,
    }
}

/// Wakes a thread that sleeps on the object.
pub(crate) fn wake(runtime: &mut Runtime, object: Object, sleeper: Thread) {
    runtime.execution.operate(object, |machine, _| {
        if let Some(sleepers) = machine.sleepers() {
            sleepers.wake(sleeper);
        }
    });
}

/// Wakes a thread that sleeps on the object, by a choice that belongs to the last event.
fn wake_chosen(runtime: &mut Runtime, object: Object, sleeper: Thread) {
    wake(runtime, object, sleeper);
    runtime.execution.becomes(object);
}
