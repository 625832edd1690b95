//! Rounds of loops that left everything as it was, although other threads saw what they changed in passing: the thread
//! stands where it stood, and nobody has changed memory or an object for good.
//!
//! Two polite threads, each of which raises its flag, sees the other's and lowers its own again, have such rounds without
//! end. So there are longer and longer executions, each of them finite, and a search that does not bound preemptions
//! comes to the limit of events only after a time and in memory quadratic in it. It ends at a limit of these rounds.
//! Nothing is claimed of the program: a thread may be in the way of another one by bad luck alone.

use engine::event::Thread;

use crate::run::Runtime;
use crate::schedule::waits::{Change, MOST_CHANGES, Mark, Round};

/// The rounds of an execution that left everything as it was.
#[derive(Debug, Default)]
pub(crate) struct IdleRounds {
    count: u32,
    limit: Option<u32>,
    /// By thread, of each loop that it is in, by its number: an earlier visit, if there was one.
    earlier: Vec<Vec<Option<Earlier>>>,
}

/// A visit of a loop's header with which later ones are compared.
#[derive(Clone, Debug)]
struct Earlier {
    words: Vec<u64>,
    mark: Mark,
    /// Of the other threads.
    effects: u64,
    /// So many visits have been compared with it, and so many may be before a later one takes its place.
    visits: u32,
    patience: u32,
}

impl IdleRounds {
    /// From now on, an execution has at most so many.
    pub(crate) const fn limit(&mut self, limit: u32) {
        self.limit = Some(limit);
    }

    /// An execution begins.
    pub(crate) fn begin(&mut self) {
        self.count = 0;
        self.earlier.clear();
    }

    /// The thread enters a loop with this number.
    pub(crate) fn enter(&mut self, thread: Thread, number: usize) {
        if let Some(loops) = self.earlier.get_mut(thread.index()) {
            loops.truncate(number);
        }
    }

    /// The earlier visit of the loop; those of loops inside are forgotten.
    fn of(&mut self, thread: Thread, number: usize) -> &mut Option<Earlier> {
        if self.earlier.len() <= thread.index() {
            self.earlier.resize_with(thread.index() + 1, Vec::new);
        }
        let loops = &mut self.earlier[thread.index()];
        loops.resize(number + 1, None);
        &mut loops[number]
    }
}

impl Runtime {
    /// The running thread is at the header of the loop with this number, in this state and in this frame; whether it has
    /// come there once more than allowed with everything as it was.
    pub(crate) fn was_one_idle_round_too_many(
        &mut self,
        number: usize,
        words: &[u64],
        mark: Mark,
        frame: usize,
    ) -> bool {
        let Some(limit) = self.idle_rounds.limit else { return false };
        let effects = self.others().map(|other| other.effects).sum();
        let earlier = self.idle_rounds.of(self.running, number).take();
        let is_idle = earlier.as_ref().is_some_and(|earlier| {
            let same = earlier.words == words && earlier.effects == effects;
            same && mark.has_effected_as_much_as(&earlier.mark)
                && self.left_all_as_it_was(&Round { begin: earlier.mark, frame })
        });
        // A state that comes back after several visits is met once they may be as many.
        let next = match earlier {
            Some(earlier) if !is_idle && earlier.visits < earlier.patience => {
                Earlier { visits: earlier.visits + 1, ..earlier }
            }
            earlier => {
                let patience =
                    earlier.map_or(1, |earlier| earlier.patience.saturating_mul(if is_idle { 1 } else { 2 }));
                Earlier { words: words.to_vec(), mark, effects, visits: 1, patience }
            }
        };
        *self.idle_rounds.of(self.running, number) = Some(next);
        self.idle_rounds.count += u32::from(is_idle);
        self.idle_rounds.count > limit
    }

    /// Whether memory and objects are as they were when the round began, whoever changed them since.
    fn left_all_as_it_was(&self, round: &Round) -> bool {
        let own = self.threads.of(self.running).changes.iter().skip(round.begin.changes);
        let since = |change: &&Change| change.event >= round.begin.moment;
        let theirs = self.others().flat_map(|other| other.changes.iter().rev().take_while(since));
        let mut changes: Vec<&Change> =
            own.chain(theirs).filter(|change| !self.is_gone(change.thing, round)).take(MOST_CHANGES + 1).collect();
        changes.sort_by_key(|change| change.event);
        changes.len() <= MOST_CHANGES && self.are_restored(&changes)
    }
}
