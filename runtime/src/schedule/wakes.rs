//! The threads that wait in loops and go on, since what they wait for is different.

use engine::event::Thread;
use engine::execution::{Pending, Status, Wakes};
use engine::sync::machine::Wish;

use crate::run::Runtime;
use crate::schedule::{commits, timed};
use crate::state::waits::Thing;

/// Whether the thread waits for bytes that may not be accessed any more.
#[cold]
fn waits_for_lost(runtime: &mut Runtime, thread: Thread) -> bool {
    let (first, last) = (runtime.threads.of(thread).waits_for, runtime.threads.of(thread).reads.len());
    (first..last).any(|index| {
        let thing = runtime.threads.of(thread).reads[index].thing();
        thing.width > 0 && runtime.memory.shadow.is_hidden(thing.address) && runtime.memory.is_forbidden(&thing.bytes())
    })
}

/// Wakes those of the waiting threads that would read something else now.
#[cold]
pub(crate) fn wake_waiting(runtime: &mut Runtime) {
    commits::offer_locks(runtime);
    for index in 0..runtime.threads.len() {
        timed::check_patience(runtime, Thread::from_index(index));
    }
    for thread in waiting_threads(runtime) {
        let since = runtime.threads.of(thread).waits_for;
        let same = commits::reads_the_same(runtime, thread, since)
            && !commits::may_read_otherwise(runtime, thread, since)
            && !(runtime.memory.shadow.hides() && waits_for_lost(runtime, thread));
        runtime.execution.state.wake(thread, if same { Wakes::NotYet } else { Wakes::Yes });
    }
    if runtime.execution.state.is_stuck() {
        for thread in waiting_threads(runtime) {
            if is_watched_in_passing(runtime, thread) {
                runtime.execution.state.wake(thread, Wakes::Yes);
            }
        }
        for thread in (0..runtime.threads.len()).map(Thread::from_index) {
            if runtime.execution.state.is_patient(thread) {
                note_mutex_of_wait(runtime, thread);
                if is_watched_in_passing(runtime, thread) {
                    runtime.execution.state.lose_patience(thread);
                }
            }
        }
    }
}

/// Returns the threads that wait in loops.
fn waiting_threads(runtime: &Runtime) -> Vec<Thread> {
    let threads = (0..runtime.threads.len()).map(Thread::from_index);
    threads.filter(|&thread| matches!(runtime.execution.state.threads.status(thread), Status::Waiting(_))).collect()
}

/// Whether a wait loop lets go in passing of a mutex that another thread waits for. Then no thread is stuck: other
/// executions, in which that thread takes it then, stand for all that can follow.
pub(crate) fn lets_go_in_passing(runtime: &Runtime) -> bool {
    let waiting = waiting_threads(runtime);
    let passes = |object| waiting.iter().any(|&one| runtime.threads.of(one).passing.contains(&Thing::object(object)));
    (0..runtime.threads.len()).any(|index| match runtime.execution.state.threads.status(Thread::from_index(index)) {
        Status::Arrived(Pending::Lock(object) | Pending::Wait(Wish::Lock(object), _)) => passes(object),
        _ => false,
    })
}

/// Notes the mutex of a thread that waits on a condition variable in a loop: it holds the mutex before and after.
fn note_mutex_of_wait(runtime: &mut Runtime, thread: Thread) {
    let status = runtime.execution.state.threads.status(thread);
    if let Status::Arrived(Pending::Wait(Wish::Wake { mutex: Some(mutex), .. }, _)) = status {
        runtime.threads.at(thread).passing.push(Thing::object(mutex));
    }
}

/// Whether this thread, which waits, changes in passing something that another one waits for.
fn is_watched_in_passing(runtime: &Runtime, thread: Thread) -> bool {
    let passing = &runtime.threads.of(thread).passing;
    !passing.is_empty()
        && waiting_threads(runtime).iter().filter(|&&other| other != thread).any(|&other| {
            let state = runtime.threads.of(other);
            let mut reads = state.reads[state.waits_for..].iter();
            reads.any(|read| passing.iter().any(|thing| thing.overlaps(read.thing())))
        })
}

/// Returns the events at which the thread, which waits in a loop, read what it waits for.
pub(crate) fn waits_for(runtime: &Runtime, thread: Thread) -> impl Iterator<Item = u32> {
    let state = runtime.threads.of(thread);
    let first = timed::patient_since(runtime, thread).unwrap_or(state.waits_for);
    state.reads[first..].iter().map(|read| read.event)
}
