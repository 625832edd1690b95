//! Idle rounds: rounds of loops that left everything as it was, although other threads saw what they changed in
//! passing. The thread stands where it stood, and nobody has changed memory or an object for good.
//!
//! Two polite threads, each of which raises its flag, sees the other's and lowers its own again, have such rounds
//! without end. So there are longer and longer executions, each of them finite, and a search that does not bound
//! preemptions reaches the limit of events only after a time, and with memory, quadratic in it. It ends at a limit of
//! these rounds instead. Nothing is claimed of the program: a thread may be in the way of another one by bad luck
//! alone.

use crate::run::Runtime;
use crate::schedule::waits;
use crate::state::idle_rounds::Earlier;
use crate::state::waits::{Change, MOST_CHANGES, Mark, Round};

/// Visits the header of the loop with this number, in this state and in this frame; returns whether the running thread
/// has come there once more than allowed with everything as it was.
pub(crate) fn was_one_idle_round_too_many(
    runtime: &mut Runtime,
    number: usize,
    words: &[u64],
    mark: Mark,
    frame: usize,
) -> bool {
    let Some(limit) = runtime.idle_rounds.limit else { return false };
    let effects = waits::others(runtime).map(|other| other.effects).sum();
    let earlier = runtime.idle_rounds.of(runtime.running, number).take();
    let is_idle = earlier.as_ref().is_some_and(|earlier| {
        let same = earlier.words == words && earlier.effects == effects;
        same && mark.has_effected_as_much_as(&earlier.mark)
            && left_all_as_it_was(runtime, &Round { begin: earlier.mark, frame })
    });
    // A state that comes back after several visits is met once as many are compared.
    let next = match earlier {
        Some(earlier) if !is_idle && earlier.visits < earlier.patience => {
            Earlier { visits: earlier.visits + 1, ..earlier }
        }
        earlier => {
            let patience = earlier.map_or(1, |earlier| earlier.patience.saturating_mul(if is_idle { 1 } else { 2 }));
            Earlier { words: words.to_vec(), mark, effects, visits: 1, patience }
        }
    };
    *runtime.idle_rounds.of(runtime.running, number) = Some(next);
    runtime.idle_rounds.count += u32::from(is_idle);
    runtime.idle_rounds.count > limit
}

/// Whether memory and objects are as they were when the round began, whoever changed them since.
fn left_all_as_it_was(runtime: &Runtime, round: &Round) -> bool {
    let own = runtime.threads.of(runtime.running).changes.iter().skip(round.begin.changes);
    let since = |change: &&Change| change.event >= round.begin.moment;
    let theirs = waits::others(runtime).flat_map(|other| other.changes.iter().rev().take_while(since));
    let mut changes: Vec<&Change> = own
        .chain(theirs)
        .filter(|change| !waits::is_gone(runtime, change.thing, round))
        .take(MOST_CHANGES + 1)
        .collect();
    changes.sort_by_key(|change| change.event);
    changes.len() <= MOST_CHANGES && waits::are_restored(&changes)
}
