//! Idle rounds: rounds of loops that left everything as it was. Counts them, and keeps the earlier visits of loops with
//! which later ones are compared.

use engine::event::Thread;

use crate::state::waits::Mark;

/// The idle rounds of an execution: those that left everything as it was.
#[derive(Debug, Default)]
pub(crate) struct IdleRounds {
    /// The number of idle rounds so far.
    pub(crate) count: u32,
    /// The most idle rounds of an execution; `None` if there is no limit.
    pub(crate) limit: Option<u32>,
    /// An earlier visit, if there was one, of each loop that a thread is in; by thread and the loop's number.
    earlier: Vec<Vec<Option<Earlier>>>,
}

/// A visit of a loop's header with which later ones are compared.
#[derive(Clone, Debug)]
pub(crate) struct Earlier {
    /// The private state of the loop at the visit.
    pub(crate) words: Vec<u64>,
    /// The mark of the visit: what the thread had done by then.
    pub(crate) mark: Mark,
    /// The effects of the other threads by that time.
    pub(crate) effects: u64,
    /// The number of visits that have been compared with it.
    pub(crate) visits: u32,
    /// The number of such visits after which a later one takes its place.
    pub(crate) patience: u32,
}

impl IdleRounds {
    /// Limits the idle rounds of each execution from now on.
    pub(crate) const fn limit(&mut self, limit: u32) {
        self.limit = Some(limit);
    }

    /// Forgets the last execution.
    pub(crate) fn begin(&mut self) {
        self.count = 0;
        self.earlier.clear();
    }

    /// Notes that the thread enters the loop with this number: earlier visits of it, and of loops inside, are
    /// forgotten.
    pub(crate) fn enter(&mut self, thread: Thread, number: usize) {
        if let Some(loops) = self.earlier.get_mut(thread.index()) {
            loops.truncate(number);
        }
    }

    /// Returns the earlier visit of the loop; those of loops inside are forgotten.
    pub(crate) fn of(&mut self, thread: Thread, number: usize) -> &mut Option<Earlier> {
        if self.earlier.len() <= thread.index() {
            self.earlier.resize_with(thread.index() + 1, Vec::new);
        }
        let loops = &mut self.earlier[thread.index()];
        loops.resize(number + 1, None);
        &mut loops[number]
    }
}
