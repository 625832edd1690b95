//! Commits as steps of their own, for explorers of classes: who makes them, and what they come after.
//!
//! To such an explorer a store to a buffer touches nothing that others see. Its commit does, which is an event of a *committer*
//! ([`crate::execution::commits`]); it comes after its store, and after the commits that the machine puts before it. What waits
//! for commits, as a fence does, comes after these. All of this depends on the execution alone, so executions that differ only in
//! the order of events without conflict remain one class.
//!
//! Under TSO a thread has one committer. Under PSO it has one for each place that it stores to between two barriers: a
//! committer's commits come in the order of the stores.

use std::ops::Range;

use super::waiting::{StoreBuffers, StoreEntry, Which};
use crate::event::{Location, Thread};
use crate::per_thread::PerThread;
use crate::thread_set::ThreadSet;

/// The error that a thread has stored to more places between two barriers than it can have committers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyPlaces;

/// The stores of a thread and their committers.
#[derive(Clone, Default, Debug)]
struct Line {
    /// The stores since the last event before which all earlier ones had to commit.
    stored: Vec<Stored>,
    /// The places that the thread has stored to since the last barrier, each with a committer; only under PSO.
    places: Vec<Range<usize>>,
    epoch: u32,
    /// The thread's committers that can go on.
    offered: ThreadSet,
    /// The stores whose commits the thread's next event waits for, by the indices of their events.
    awaits: Vec<u32>,
    /// The commits that the thread waited for last. No event of its own may follow them.
    waited_for: Vec<u32>,
}

/// A store of a thread, and its commit.
#[derive(Clone, Debug)]
struct Stored {
    entry: StoreEntry,
    committer: Thread,
    /// The locations that the commit touches.
    locations: Vec<Location>,
    /// The index of the commit's event, if the store has committed.
    committed: Option<u32>,
}

/// The commits of all threads.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    threads: PerThread<Line>,
    used: usize,
}

impl Steps {
    /// Forgets everything, for a new execution.
    pub fn begin(&mut self) {
        self.threads.first(self.used).fill(Line::default());
        self.used = 0;
    }

    /// Notes that the thread has just put an entry into its buffer, whose bytes are these locations.
    ///
    /// # Errors
    /// [`TooManyPlaces`], if the thread has no committer left.
    ///
    /// # Panics
    /// If the thread's buffer is empty.
    pub fn stored(
        &mut self,
        buffers: &StoreBuffers,
        thread: Thread,
        locations: Vec<Location>,
    ) -> Result<(), TooManyPlaces> {
        self.used = self.used.max(thread.index() + 1);
        let entry = buffers.entries(thread).last().expect("it has just stored");
        let line = &mut self.threads[thread];
        let committer = if buffers.reorders_stores() {
            if line.epoch != entry.epoch {
                (line.epoch, line.places) = (entry.epoch, Vec::new());
            }
            let range = entry.range();
            let known = line.places.iter().position(|place| *place == range);
            let place = known.unwrap_or(line.places.len());
            if known.is_none() {
                line.places.push(range);
            }
            committer(thread, place).ok_or(TooManyPlaces)?
        } else {
            committer(thread, 0).ok_or(TooManyPlaces)?
        };
        let entry = StoreEntry { bytes: vec![0; entry.bytes.len()], ..entry.clone() };
        line.stored.push(Stored { entry, committer, locations, committed: None });
        Ok(())
    }

    /// Returns the committers of the thread that can go on now, and those that could before.
    pub fn offers(&mut self, buffers: &StoreBuffers, thread: Thread) -> (ThreadSet, ThreadSet) {
        let mut offered = ThreadSet::EMPTY;
        for (index, entry) in buffers.entries(thread).iter().enumerate() {
            if buffers.may_commit(Which { thread, index })
                && let Some(stored) = self.find(thread, entry.event)
            {
                offered.insert(stored.committer);
            }
        }
        let before = std::mem::replace(&mut self.threads[thread].offered, offered);
        (offered, before)
    }

    /// Returns the entry that this committer commits next, if one may commit.
    #[must_use]
    pub fn next(&self, buffers: &StoreBuffers, committer: Thread) -> Option<Which> {
        let is_its = |&(which, entry): &(Which, &StoreEntry)| {
            self.find(which.thread, entry.event).is_some_and(|stored| stored.committer == committer)
        };
        let (which, _) = buffers.all().find(is_its)?;
        buffers.may_commit(which).then_some(which)
    }

    /// Notes that the entry commits by the event with this index, and returns the events that this one comes after.
    pub fn commit(&mut self, buffers: &StoreBuffers, which: Which, event: u32) -> Vec<u32> {
        let store = buffers.entry(which).event;
        let stored = &mut self.threads[which.thread].stored;
        let Some(index) = stored.iter().position(|stored| stored.entry.event == store) else { return vec![store] };
        let (before, rest) = stored.split_at_mut(index);
        let committed = &mut rest[0];
        committed.committed = Some(event);
        // Under TSO the same committer has committed the older stores before.
        let kept = |older: &&Stored| buffers.reorders_stores() && buffers.keeps(&older.entry, &committed.entry);
        [Some(store)].into_iter().chain(before.iter().filter(kept).map(|older| older.committed)).flatten().collect()
    }

    /// Returns the locations that the commit of an entry touches.
    #[must_use]
    pub fn locations(&self, which: Which, entry: &StoreEntry) -> Vec<Location> {
        self.find(which.thread, entry.event).map_or(Vec::new(), |stored| stored.locations.clone())
    }

    /// Makes the thread's next event wait for the commits of all that it has stored.
    pub fn await_all(&mut self, thread: Thread) {
        self.used = self.used.max(thread.index() + 1);
        let line = &mut self.threads[thread];
        line.awaits = line.stored.iter().map(|stored| stored.entry.event).collect();
    }

    /// Makes the thread's next event wait for the commits of all stores that would have to commit before a store to these bytes.
    pub fn await_for(&mut self, buffers: &StoreBuffers, thread: Thread, bytes: &Range<usize>) {
        self.used = self.used.max(thread.index() + 1);
        let line = &mut self.threads[thread];
        let due = buffers.precede(thread, line.stored.iter().map(|stored| &stored.entry), bytes);
        line.awaits = due.into_iter().map(|index| line.stored[index].entry.event).collect();
    }

    /// Whether the thread waits for a commit that has not come.
    #[must_use]
    pub fn is_held(&self, thread: Thread) -> bool {
        let committed = |&event: &u32| self.find(thread, event).is_some_and(|stored| stored.committed.is_some());
        !self.threads[thread].awaits.iter().all(committed)
    }

    /// Returns the commits that the thread, which is not held, has waited for: its next event comes after these.
    pub fn awaited(&mut self, buffers: &StoreBuffers, thread: Thread) -> Vec<u32> {
        let awaits = std::mem::take(&mut self.threads[thread].awaits);
        let line = &mut self.threads[thread];
        let is_awaited = |stored: &Stored| awaits.contains(&stored.entry.event);
        let commits = last_of_each(buffers, line.stored.iter().filter(|stored| is_awaited(stored)));
        if line.stored.iter().all(is_awaited) {
            line.waited_for = last_of_each(buffers, line.stored.iter());
            (line.stored, line.places) = (Vec::new(), Vec::new());
        }
        commits
    }

    /// Returns the commits of the thread, which has no store waiting, that may have come after its last event.
    #[must_use]
    pub fn commits_of(&self, buffers: &StoreBuffers, thread: Thread) -> Vec<u32> {
        let line = &self.threads[thread];
        let mut commits = line.waited_for.clone();
        commits.extend(last_of_each(buffers, line.stored.iter()));
        commits
    }

    /// Whether the thread has stored something that it has not waited for.
    #[must_use]
    pub fn has_stored(&self, thread: Thread) -> bool {
        !self.threads[thread].stored.is_empty()
    }

    fn find(&self, thread: Thread, event: u32) -> Option<&Stored> {
        self.threads[thread].stored.iter().find(|stored| stored.entry.event == event)
    }
}

/// Returns the commits of these stores, without those that another one of them comes after in any case.
fn last_of_each<'a>(buffers: &StoreBuffers, stored: impl Iterator<Item = &'a Stored>) -> Vec<u32> {
    let commits: Vec<u32> = stored.filter_map(|stored| stored.committed).collect();
    if buffers.reorders_stores() { commits } else { commits.last().copied().into_iter().collect() }
}

/// Returns the number of a thread's committer, which is the same in each execution and in each process; none if there are no
/// numbers left.
fn committer(thread: Thread, place: usize) -> Option<Thread> {
    let diagonal = thread.index() + place;
    let number = Thread::FIRST_COMMITTER.index() + diagonal * (diagonal + 1) / 2 + thread.index();
    (thread < Thread::FIRST_COMMITTER && number < Thread::LIMIT).then(|| Thread::from_index(number))
}

/// Returns the thread whose stores this committer commits.
#[must_use]
pub fn owner_of(committer: Thread) -> Thread {
    let number = committer.index() - Thread::FIRST_COMMITTER.index();
    let diagonal = (0..).take_while(|diagonal| diagonal * (diagonal + 1) / 2 <= number).last().unwrap_or(0);
    Thread::from_index(number - diagonal * (diagonal + 1) / 2)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn committers_are_distinct_and_no_threads_of_the_program() {
        let all = (0..32).flat_map(|thread| (0..32).filter_map(move |place| committer(Thread(thread), place)));
        let numbers: Vec<Thread> = all.collect();
        let distinct: BTreeSet<Thread> = numbers.iter().copied().collect();
        assert_eq!(distinct.len(), numbers.len());
        assert!(numbers.iter().all(|&number| number >= Thread::FIRST_COMMITTER));
        assert!((0..10).all(|place| committer(Thread(8), place).is_some()));
        for (thread, place) in [(0, 0), (0, 5), (3, 0), (8, 9), (5, 2)] {
            assert_eq!(committer(Thread(thread), place).map(owner_of), Some(Thread(thread)));
        }
    }
}
