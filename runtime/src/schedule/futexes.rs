//! The system call `futex`, under the scheduler.
//!
//! Falling asleep is one event, which reads the word and enters the queue: the read of a compare-and-swap that fails,
//! with a full fence on both sides. The queue is a location of its own, at an address that no program has; it is
//! written by waking threads, and by leaving it.

use std::ffi::{c_int, c_long};

use engine::event::{Barrier, Kind, Object, Thread};
use engine::execution::Pending;
use engine::sync::machine::{Until, Wish};
use engine::thread_set::ThreadSet;
use protocol::Operation;

use crate::run::{Runtime, with};
use crate::schedule::commits::{self, Approach};
use crate::schedule::events::{self, QUEUE};
use crate::schedule::{conditions, objects, timed, waits};
use crate::state::objects::{Call, Class};
use crate::state::operation::{Detail, Note};
use crate::state::turn::Turn;

/// Reports an event on the queue alone.
fn queue_event(call: Call, object: Object, word: *mut u32, operation: Operation) {
    let address = word as usize;
    let (note, detail) = (Note { site: call.site, operation }, Detail { address, ..Detail::default() });
    let turn = with(|runtime| {
        runtime.execution.at_hand.touches(object);
        events::queue_event(runtime, &[(address | QUEUE, 1)], Kind::Rmw, note, detail)
    });
    if let Some(turn) = turn {
        turn.obey();
    }
}

/// Performs `FUTEX_WAIT`, on a word that must hold `expected`.
///
/// # Errors
/// Returns the error number.
pub(crate) fn wait(
    call: Call,
    word: *mut u32,
    expected: u32,
    time: *const libc::timespec,
    bits: u32,
) -> Result<(), c_int> {
    let Some(object) = objects::object(call, Class::Futex) else { return Ok(()) };
    if !time.is_null() && !timed::is_time(time) {
        return Err(libc::EINVAL);
    }
    let before = with(timed::before_a_call);
    objects::wait(call, Pending::Access);
    let settles =
        |runtime: &mut Runtime| commits::approaches(runtime, Approach::Update(Barrier::Full), word as usize, 4);
    with(settles).unwrap_or(Turn::Ours).obey();
    // SAFETY: the program passes a word; a bad one faults here.
    let value = unsafe { word.read_unaligned() };
    let turn = with(|runtime| {
        if value == expected {
            sleeps_on_futex(runtime, object, bits);
        }
        // It touches the queue also if the thread does not sleep: what an event touches must not depend on what it
        // reads.
        runtime.execution.at_hand.touches(object);
        let address = word as usize;
        waits::reads(runtime, address, 4, value.into());
        let both = [(address, 4), (address | QUEUE, 1)];
        let detail = Detail { address, width: 4, before: value.into(), after: value.into(), ..Detail::default() };
        events::queue_event(
            runtime,
            &both,
            Kind::FailedRmw,
            Note { site: call.site, operation: Operation::Wait },
            detail,
        )
    });
    if let Some(turn) = turn {
        turn.obey();
    }
    if value != expected {
        with(|runtime| waits::has_done_nothing(runtime, before));
        return Err(libc::EAGAIN);
    }
    let wish = Wish::Wake { sleepers: object, mutex: None };
    let until = if time.is_null() { conditions::until_woken() } else { Until::TimeOut };
    objects::wait(call, Pending::Wait(wish, until));
    let woken = with(|runtime| {
        let woken = runtime.execution.state.is_granted(wish);
        leaves_futex(runtime, object);
        woken
    });
    let operation = match (woken, until) {
        (Some(false), Until::TimeOut) => Operation::TimeOut,
        (Some(false), _) => Operation::SpuriousWakeUp,
        _ => Operation::WakeUp,
    };
    queue_event(call, object, word, operation);
    match operation {
        Operation::WakeUp => Ok(()),
        Operation::TimeOut => Err(timed::ran_out(before, time)),
        _ => {
            with(|runtime| timed::has_waited_in_vain(runtime, before));
            Ok(())
        }
    }
}

/// Performs `FUTEX_WAKE`: wakes at most `most` threads.
pub(crate) fn wake(call: Call, word: *mut u32, most: c_int, bits: u32) -> c_long {
    let Some(object) = objects::object(call, Class::Futex) else { return 0 };
    objects::wait(call, Pending::Access);
    queue_event(call, object, word, Operation::FutexWake);
    let asleep = with(|runtime| asleep_with(runtime, object, bits)).unwrap_or(ThreadSet::EMPTY);
    let wanted = asleep.len().min(u32::try_from(most).unwrap_or(0));
    conditions::wake_some_of(object, &asleep, wanted);
    wanted.into()
}

/// Returns the threads asleep there that could be woken with these bits.
fn asleep_with(runtime: &mut Runtime, object: Object, bits: u32) -> ThreadSet {
    let mut asleep = conditions::asleep(runtime, object);
    let mut matching = ThreadSet::EMPTY;
    while let Some(thread) = asleep.take_first() {
        if runtime.threads.at(thread).futex_bits & bits != 0 {
            matching.insert(thread);
        }
    }
    matching
}

/// Puts the running thread to sleep on a futex, with these bits.
fn sleeps_on_futex(runtime: &mut Runtime, object: Object, bits: u32) {
    let thread = runtime.running;
    runtime.threads.at(thread).futex_bits = bits;
    runtime.execution.operate(object, |machine, thread| {
        if let Some(sleepers) = machine.sleepers() {
            sleepers.sleep(thread, None).expect("no mutex belongs to a futex");
        }
    });
}

/// Removes the running thread from those that sleep on a futex.
fn leaves_futex(runtime: &mut Runtime, object: Object) {
    runtime.execution.operate(object, |machine, thread: Thread| {
        if let Some(sleepers) = machine.sleepers() {
            sleepers.leave(thread);
        }
    });
}
