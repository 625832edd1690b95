//! Rounds of loops that left everything as it was: how many there were, and earlier visits with which later ones are compared.

use engine::event::Thread;

use crate::state::waits::Mark;

/// The rounds of an execution that left everything as it was.
#[derive(Debug, Default)]
pub(crate) struct IdleRounds {
    pub(crate) count: u32,
    pub(crate) limit: Option<u32>,
    /// By thread, of each loop that it is in, by its number: an earlier visit, if there was one.
    earlier: Vec<Vec<Option<Earlier>>>,
}

/// A visit of a loop's header with which later ones are compared.
#[derive(Clone, Debug)]
pub(crate) struct Earlier {
    pub(crate) words: Vec<u64>,
    pub(crate) mark: Mark,
    /// Of the other threads.
    pub(crate) effects: u64,
    /// So many visits have been compared with it, and so many may be before a later one takes its place.
    pub(crate) visits: u32,
    pub(crate) patience: u32,
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
    pub(crate) fn of(&mut self, thread: Thread, number: usize) -> &mut Option<Earlier> {
        if self.earlier.len() <= thread.index() {
            self.earlier.resize_with(thread.index() + 1, Vec::new);
        }
        let loops = &mut self.earlier[thread.index()];
        loops.resize(number + 1, None);
        &mut loops[number]
    }
}
