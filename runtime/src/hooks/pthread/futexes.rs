//! The system call `futex`, through `syscall`; nearly all other system calls are refused.
//!
//! Falling asleep is one event, which reads the word and enters the queue: the read of a compare-and-swap that fails,
//! with a full fence on both sides. The queue is a location of its own, at an address that no program has; it is
//! written by waking threads, and by leaving it.

use std::ffi::{c_int, c_long};

use engine::event::{Kind, Object, Thread};
use engine::execution::Pending;
use engine::sync::machine::{Until, Wish};
use engine::thread_set::ThreadSet;
use protocol::Operation;

use crate::process::fiber;
use crate::run::{self, Runtime, with};
use crate::schedule::events::{self, QUEUE};
use crate::schedule::{conditions, objects, timed, waits};
use crate::state::objects::{Call, Class};
use crate::state::operation::{Detail, Note};
use crate::world;

const WAIT: c_int = libc::FUTEX_WAIT;
const WAKE: c_int = libc::FUTEX_WAKE;
const WAIT_BITSET: c_int = libc::FUTEX_WAIT_BITSET;
const WAKE_BITSET: c_int = libc::FUTEX_WAKE_BITSET;
/// The bits of a futex call without any, `FUTEX_BITSET_MATCH_ANY`.
const ANY: u32 = u32::MAX;

/// Makes the call fail with this error number.
fn fail(error: c_int) -> c_long {
    fiber::set_errno(error);
    -1
}

/// Performs `syscall`, whose arguments are passed as those of a function with this many parameters.
#[unsafe(no_mangle)]
extern "C" fn __fh_syscall(
    number: c_long,
    word: *mut u32,
    operation: c_long,
    value: c_long,
    time: *const libc::timespec,
    _second: *mut u32,
    bits: c_long,
) -> c_long {
    let call = Call::on("futex", word);
    if number == libc::SYS_sched_yield {
        crate::hooks::pthread::sleeping::yields();
        return 0;
    }
    match number {
        libc::SYS_futex => {}
        libc::SYS_gettid => return crate::hooks::pthread::threads::__fh_gettid().into(),
        // The system may be one without `membarrier`: callers have another way.
        libc::SYS_membarrier => {
            with(|runtime| runtime.remarks.assumptions.insert("the system has no membarrier"));
            return fail(libc::ENOSYS);
        }
        _ => run::unsupported(&format!("syscall({number}, …)"), call.site),
    }
    let operation = operation as c_int;
    let command = operation & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
    let bits = bits as u32;
    match command {
        WAIT => wait(call, word, value as u32, time, ANY),
        WAKE => wake(call, word, value as c_int, ANY),
        WAIT_BITSET | WAKE_BITSET if bits == 0 => fail(libc::EINVAL),
        WAIT_BITSET => wait(call, word, value as u32, time, bits),
        WAKE_BITSET => wake(call, word, value as c_int, bits),
        _ => run::unsupported(&format!("futex operation {command}"), call.site),
    }
}

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
fn wait(call: Call, word: *mut u32, expected: u32, time: *const libc::timespec, bits: u32) -> c_long {
    let Some(object) = objects::object(call, Class::Futex) else { return 0 };
    if !time.is_null() && !timed::is_time(time) {
        return fail(libc::EINVAL);
    }
    let before = with(timed::before_a_call);
    objects::wait(call, Pending::Access);
    world::memory::settles(word as usize, 4);
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
        return fail(libc::EAGAIN);
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
        Operation::WakeUp => 0,
        Operation::TimeOut => fail(timed::ran_out(before, time)),
        _ => {
            with(|runtime| timed::has_waited_in_vain(runtime, before));
            0
        }
    }
}

/// Performs `FUTEX_WAKE`: wakes at most `most` threads.
fn wake(call: Call, word: *mut u32, most: c_int, bits: u32) -> c_long {
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
