//! Commits as steps of their own, for explorers of classes: who makes them, and what they come after.
//!
//! To such an explorer a store to a buffer touches nothing that others see; its commit does, which is an event of a
//! *committer* ([`crate::execution::commits`]). It comes after its store, and after the commits that the machine puts before it.
//! What waits for commits, as a fence does, comes after these. All that is said of the execution alone, so executions that differ
//! only in the order of events without conflict remain one class.
//!
//! Under TSO a thread has one committer. Under PSO it has one for each place that it stores to between two barriers: what one
//! committer does is in the order of the stores.

use std::ops::Range;

use super::waiting::{StoreBuffers, StoreEntry, Which};
use crate::event::{Location, Thread};
use crate::per_thread::PerThread;
use crate::thread_set::ThreadSet;

/// A thread has stored to more places between two barriers than it can have committers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyPlaces;

/// What a thread has stored, and since when.
#[derive(Clone, Default, Debug)]
struct Line {
    /// Its stores since all before them had to commit.
    stored: Vec<Stored>,
    /// What it has stored to since the last barrier, under PSO: a committer each.
    places: Vec<Range<usize>>,
    epoch: u32,
    /// Its committers that can go on.
    offered: ThreadSet,
    /// What its next event waits for: the indices of the events of stores.
    awaits: Vec<u32>,
}

/// A store.
#[derive(Clone, Debug)]
struct Stored {
    entry: StoreEntry,
    committer: Thread,
    /// What its commit touches.
    locations: Vec<Location>,
    /// The index of its commit's event, if it has committed.
    committed: Option<u32>,
}

/// The commits of all threads.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    threads: PerThread<Line>,
    used: usize,
}

impl Steps {
    /// Forgets everything: an execution begins.
    pub fn begin(&mut self) {
        self.threads.first(self.used).fill(Line::default());
        self.used = 0;
    }

    /// The thread has just put an entry into its buffer, whose bytes are these locations.
    ///
    /// # Errors
    /// [`TooManyPlaces`].
    ///
    /// # Panics
    /// If its buffer is empty.
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

    /// The committers of the thread that can go on now, and those that could before.
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

    /// What this committer commits next, if something may.
    #[must_use]
    pub fn next(&self, buffers: &StoreBuffers, committer: Thread) -> Option<Which> {
        let is_its = |&(which, entry): &(Which, &StoreEntry)| {
            self.find(which.thread, entry.event).is_some_and(|stored| stored.committer == committer)
        };
        let (which, _) = buffers.all().find(is_its)?;
        buffers.may_commit(which).then_some(which)
    }

    /// The entry commits, by the event with this index: the events that this one comes after.
    pub fn commit(&mut self, buffers: &StoreBuffers, which: Which, event: u32) -> Vec<u32> {
        let store = buffers.entry(which).event;
        let stored = &mut self.threads[which.thread].stored;
        let Some(index) = stored.iter().position(|stored| stored.entry.event == store) else { return vec![store] };
        let (before, rest) = stored.split_at_mut(index);
        let committed = &mut rest[0];
        committed.committed = Some(event);
        // Else its committer has committed them.
        let kept = |older: &&Stored| buffers.reorders_stores() && buffers.keeps(&older.entry, &committed.entry);
        [Some(store)].into_iter().chain(before.iter().filter(kept).map(|older| older.committed)).flatten().collect()
    }

    /// What the commit of an entry touches.
    #[must_use]
    pub fn locations(&self, which: Which, entry: &StoreEntry) -> Vec<Location> {
        self.find(which.thread, entry.event).map_or(Vec::new(), |stored| stored.locations.clone())
    }

    /// The thread performs its next event behind the commits of all that it has stored.
    pub fn await_all(&mut self, thread: Thread) {
        self.used = self.used.max(thread.index() + 1);
        let line = &mut self.threads[thread];
        line.awaits = line.stored.iter().map(|stored| stored.entry.event).collect();
    }

    /// The thread performs its next event behind the commits of what would have to commit before a store to these bytes.
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

    /// The commits that the thread, which is not held, has waited for: its next event comes after these.
    pub fn awaited(&mut self, buffers: &StoreBuffers, thread: Thread) -> Vec<u32> {
        let awaits = std::mem::take(&mut self.threads[thread].awaits);
        let line = &mut self.threads[thread];
        let is_awaited = |stored: &Stored| awaits.contains(&stored.entry.event);
        let commits = last_of_each(buffers, line.stored.iter().filter(|stored| is_awaited(stored)));
        if line.stored.iter().all(is_awaited) {
            (line.stored, line.places) = (Vec::new(), Vec::new());
        }
        commits
    }

    /// The commits of the thread, of which no store waits, that are not known to have been waited for.
    #[must_use]
    pub fn commits_of(&self, buffers: &StoreBuffers, thread: Thread) -> Vec<u32> {
        last_of_each(buffers, self.threads[thread].stored.iter())
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

/// The commits of these stores, as far as others do not come after them in any case.
fn last_of_each<'a>(buffers: &StoreBuffers, stored: impl Iterator<Item = &'a Stored>) -> Vec<u32> {
    let commits: Vec<u32> = stored.filter_map(|stored| stored.committed).collect();
    if buffers.reorders_stores() { commits } else { commits.last().copied().into_iter().collect() }
}

/// The number of a thread's committer: the same in each execution, and in each process.
fn committer(thread: Thread, place: usize) -> Option<Thread> {
    let diagonal = thread.index() + place;
    let number = Thread::FIRST_COMMITTER.index() + diagonal * (diagonal + 1) / 2 + thread.index();
    (thread < Thread::FIRST_COMMITTER && number < Thread::LIMIT).then(|| Thread::from_index(number))
}

/// The thread whose stores this committer commits.
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
