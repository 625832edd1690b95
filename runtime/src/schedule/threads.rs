//! Threads under the scheduler: their creation, joins and detachment, and their ends.

use std::ffi::c_int;

use engine::event::{Kind, Thread};
use engine::execution::{Pending, Status, TooManyThreads};
use engine::mapping::calls;
use engine::sync::machine::Wish;
use protocol::Operation;

use crate::process::fiber::Switch;
use crate::process::sections;
use crate::process::sites::RecordPointer;
use crate::run::{self, Runtime, at_the_end, with};
use crate::schedule::turns::{self, ends_aside, turn};
use crate::schedule::{cancellation, commits, ends, events, objects, steps};
use crate::state::objects::{Call, Class};
use crate::state::operation::Note;
use crate::state::threads::{Claim, Start, handle};
use crate::state::turn::Turn;
use crate::state::unwritten;

/// Returns the thread of this execution with this handle.
pub(crate) fn thread_of(runtime: &Runtime, handle: usize) -> Option<Thread> {
    let index = handle.checked_sub(0x1000).filter(|&index| index < Thread::LIMIT)?;
    let thread = Thread::from_index(index);
    (runtime.execution.state.threads.status(thread) != Status::Absent).then_some(thread)
}

/// Claims the end of a thread that the running one is about to join or to detach; returns the error number if it
/// cannot.
pub(crate) fn claim(call: Call, handle: usize, claim: Claim) -> Result<Thread, c_int> {
    let claimed = with(|runtime| {
        let thread = thread_of(runtime, handle).ok_or("of something that is no thread")?;
        if thread == runtime.running && claim == Claim::Joined {
            return Ok(None);
        }
        runtime.has_effect();
        match std::mem::replace(&mut runtime.threads.at(thread).claimed, claim) {
            Claim::Nobody => Ok(Some(thread)),
            Claim::Joined => Err("of a thread that is joined already"),
            Claim::Detached => Err("of a detached thread"),
        }
    });
    match claimed {
        None | Some(Ok(None)) => Err(libc::EDEADLK),
        Some(Ok(Some(thread))) => Ok(thread),
        Some(Err(what)) => run::misuse(call, what, None),
    }
}

/// Takes back the claim on a thread's end, since the thread is not joined after all.
pub(crate) fn unclaim(child: Thread) {
    with(|runtime| runtime.threads.at(child).claimed = Claim::Nobody);
}

/// Reports the join of a thread that has ended, and returns its result.
pub(crate) fn joined(call: Call, child: Thread) -> usize {
    let joined = with(|runtime| {
        let before = calls::JOIN.effect.before();
        steps::comes_after_all_of(runtime, child);
        // What the thread has stored is in memory when it is known to have ended.
        let event = match commits::drain(runtime, child) {
            Turn::Ours => events::no_access(runtime, Kind::Join(child), before, Operation::Join(child), call.site, 0),
            turn => turn,
        };
        (event, runtime.threads.at(child).result)
    });
    let Some((event, result)) = joined else { return 0 };
    event.obey();
    result
}

/// Makes a call that is about no object in the program's memory.
pub(crate) fn call(name: &'static str) -> Call {
    Call::on(name, std::ptr::null::<u8>())
}

/// Reports that the running thread has found another one still running.
pub(crate) fn still_runs(call: Call, operation: Operation) {
    let before = calls::JOIN_FAILS.effect.before();
    if let Some(event) = with(|runtime| events::no_access(runtime, Kind::Fence, before, operation, call.site, 0)) {
        event.obey();
    }
}

/// Notes that the operation at hand asks whether the thread has ended.
pub(crate) fn asks_for_end(child: Thread) {
    with(|runtime| {
        let object = runtime.objects.number(Class::End, child.index());
        runtime.execution.at_hand.concerns(&[object]);
    });
}

/// Creates a thread, and puts its handle where the program wants it; returns the error number if it cannot.
pub(crate) fn create(into: *mut usize, start: Start, claimed: Claim, site: RecordPointer) -> Result<(), c_int> {
    with(steps::awaits_all);
    turn(Pending::Access, site);
    let created = with(|runtime| {
        let child = runtime.execution.state.create()?;
        runtime.threads.reserve(child);
        let blocked = runtime.threads.at(runtime.running).blocked;
        let state = runtime.threads.at(child);
        (state.body, state.claimed, state.blocked) = (Some(start), claimed, blocked);
        let turn = events::no_access(
            runtime,
            Kind::Create(child),
            calls::CREATE.effect.before(),
            Operation::Create(child),
            site,
            0,
        );
        runtime.memory.globals.writes(into as usize, 8, 0);
        Ok::<_, TooManyThreads>((child, turn))
    });
    let Some(Ok((child, event))) = created else {
        if created.is_none() {
            return Err(libc::EAGAIN);
        }
        run::unsupported("more than 255 threads", site);
    };
    if with(|runtime| steps::are_taken(runtime) && child >= Thread::FIRST_COMMITTER) == Some(true) {
        run::unsupported("more than 32 threads with store buffers, under --explorer dpor", site);
    }
    event.obey();
    // SAFETY: the program passes a place for the new thread's handle.
    unsafe { into.write_unaligned(handle(child)) };
    unwritten::written(into as usize, size_of::<usize>());
    if let Some(turn) = with(|runtime| turns::start(runtime, child)) {
        turn.obey();
    }
    Ok(())
}

/// Joins a thread, and returns its result, or the error number.
pub(crate) fn join(call: Call, handle: usize) -> Result<usize, c_int> {
    let child = claim(call, handle, Claim::Joined)?;
    cancellation::point(call);
    objects::wait(call, Pending::Join(child));
    if sections::calls_cancel() && with(|runtime| runtime.execution.state.is_granted(Wish::Join(child))) == Some(false)
    {
        unclaim(child);
        cancellation::act(call);
    }
    Ok(joined(call, child))
}

/// Detaches a thread; returns the error number, or 0.
pub(crate) fn detach(call: Call, handle: usize) -> c_int {
    turn(Pending::Access, call.site);
    let turn = with(|runtime| {
        let thread = thread_of(runtime, handle)?;
        let object = runtime.objects.number(Class::End, thread.index());
        Some(events::steps_on(runtime, object, Note { site: call.site, operation: Operation::Use }, 0))
    });
    if let Some(Some(turn)) = turn {
        turn.obey();
    }
    claim(call, handle, Claim::Detached).err().unwrap_or(0)
}

/// Ends a thread whose function has returned this result; returns who runs next.
pub(crate) fn returns(thread: Thread, result: usize) -> Switch {
    if with(ends::leaves_something) != Some(false) {
        ends::end_function(at_the_end());
    }
    ends_aside();
    with(|runtime| {
        runtime.threads.at(thread).result = result;
        turns::end_thread(runtime)
    })
    .expect("threads run under control")
}
