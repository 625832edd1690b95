//! Visits of the headers of loops under the scheduler: an iteration that changes nothing blocks its thread until something
//! that it read is different.

use engine::execution::Pending;
use engine::explore::Notice;

use crate::process::fiber::Switch;
use crate::run::Runtime;
use crate::schedule::waits::Leaves;
use crate::schedule::{idle_rounds, timed, turns, waits};
use crate::state::turn::{End, Turn};
use crate::state::waits::{Mark, Round};

/// The record of a loop in the frame of the program's function, `struct fh_loop` of the hook ABI.
#[repr(C)]
pub(crate) struct Loop {
    /// The number of the loop among those that the thread is in.
    pub(crate) number: u64,
    unused: [u64; 3],
}

/// Lets the running thread wait for nothing, since it goes round a loop without an exit, in which it does nothing that
/// anybody could see.
pub(crate) fn waits_for_nothing(runtime: &mut Runtime, mark: Mark) -> Turn {
    let thread = runtime.running;
    let state = runtime.threads.at(thread);
    state.patience = None;
    state.passing.clear();
    // There are no reads that it waits for.
    (state.waits, state.waits_for) = (true, mark.reads);
    turns::leave_open_block(runtime);
    runtime.execution.wait(thread, None, Pending::Access);
    turns::who_goes_on(runtime)
}

/// Visits the header of a loop in a state that can be compared; returns who goes on if the running thread has to wait.
pub(crate) fn visit(runtime: &mut Runtime, record: &mut Loop, words: &[u64], mark: Mark) -> Option<Turn> {
    let thread = runtime.running;
    let frame = std::ptr::from_mut(record).addr();
    if idle_rounds::was_one_idle_round_too_many(runtime, record.number as usize, words, mark, frame) {
        runtime.conclusion.end = Some(End::IdleRounds);
        return Some(Turn::Other(Switch::End));
    }
    let Some(round) = round_without_effect(runtime, words, frame) else {
        runtime.threads.at(thread).visits.keep(words, mark);
        return None;
    };
    let begin = round.begin;
    if mark.in_vain > begin.in_vain {
        // If one wait ran out, the thread waits in it: waiting here would be to hold on to whatever it holds. If
        // several did, each could go on by itself, and others may need memory that changed in passing: round again.
        let alone = mark.has_effected_as_much_as(&begin) && waits::has_only_passed_mutexes(runtime, &begin);
        if mark.in_vain == begin.in_vain + 1 && alone {
            waits::forget_changes(runtime, &round);
            timed::grows_patient(runtime, begin.reads, begin.events);
        }
        let mark = waits::mark(runtime);
        runtime.threads.at(thread).visits.restart(words, mark);
        return None;
    }
    waits::forget_changes(runtime, &round);
    let state = runtime.threads.at(thread);
    state.patience = None;
    state.waits = true;
    state.waits_for = begin.reads;
    let first = state.blocking.iter().rev().find(|&&(event, _)| event <= begin.events);
    let first = first.filter(|&&(event, _)| event == begin.events).map_or(Pending::Access, |&(_, pending)| pending);
    let iteration = waits::last_events(runtime, thread, mark.events - begin.events);
    runtime.execution.wait(thread, iteration, first);
    Some(turns::who_goes_on(runtime))
}

/// Returns the rounds since an earlier visit in this state, if they had no effect. If they had none but that somebody saw them, tells the
/// explorer who.
fn round_without_effect(runtime: &mut Runtime, words: &[u64], frame: usize) -> Option<Round> {
    let thread = runtime.running;
    let rounds = runtime.threads.of(thread).visits.same(words).map(|begin| Round { begin, frame });
    let mut left = rounds.map(|round| (round, waits::leaves(runtime, &round)));
    // Who sees the last rounds sees them among more: those have an effect, too, or are seen.
    let (round, leaves) = left.find(|(_, leaves)| *leaves != Leaves::Something)?;
    let Leaves::Seen(events) = leaves else { return Some(round) };
    for event in events {
        runtime.execution.notify(Notice::Seen { thread, event });
    }
    None
}

crate::abi::same_record!(fh_loop, Loop, number, unused);
