//! The store buffers of all threads: the entries that wait in them, and which of them may commit.

use std::ops::Range;

use crate::event::{Object, Thread};
use crate::model::MemoryModel;
use crate::per_thread::PerThread;

/// A store that has not committed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreEntry {
    /// The index of the store's event.
    pub event: u32,
    /// The address of the store's first byte.
    pub address: usize,
    /// The bytes stored, or what memory holds below them: the owner of memory swaps the two.
    pub bytes: Vec<u8>,
    /// The spin lock that the commit releases, if the entry is no store to memory; its bytes are then those of the lock's word.
    pub releases: Option<Object>,
    /// Whether the bytes no longer exist, so that the commit changes nothing.
    pub ended: bool,
    /// Whether the entry commits before anything else happens.
    pub(super) due: Due,
    /// The number of store–store barriers that its thread had passed.
    pub(super) epoch: u32,
}

/// Whether an entry has to commit before the operation at hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Due {
    Now,
    SomeTime,
}

/// The position of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Which {
    /// The thread whose buffer the entry is in.
    pub thread: Thread,
    /// The entry's place in the buffer, the oldest entry being at 0.
    pub index: usize,
}

/// The buffer of one thread.
#[derive(Clone, Default, Debug)]
struct Buffer {
    /// The entries, from the oldest on.
    entries: Vec<StoreEntry>,
    epoch: u32,
}

/// The order in which the stores of a thread commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CommitOrder {
    /// Stores commit in the order in which they were made.
    Total,
    /// Stores commit in the order in which they were made where they overlap, or where a store–store barrier stands between them.
    Partial,
}

/// The store buffers of all threads.
#[derive(Clone, Debug)]
pub struct StoreBuffers {
    order: CommitOrder,
    threads: PerThread<Buffer>,
    /// One more than the highest number of a thread that has stored something.
    used: usize,
    waiting: usize,
}

/// Whether two stretches of memory share a byte.
#[must_use]
pub const fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

impl StoreEntry {
    /// Makes the entry of a store of these bytes by the event with this index.
    #[must_use]
    pub const fn new(event: u32, address: usize, bytes: Vec<u8>) -> Self {
        Self { event, address, bytes, releases: None, ended: false, due: Due::SomeTime, epoch: 0 }
    }

    /// Makes the entry of the release of a spin lock, whose word is this byte.
    #[must_use]
    pub fn release(event: u32, word: usize, lock: Object) -> Self {
        Self { releases: Some(lock), ..Self::new(event, word, vec![0]) }
    }

    /// Returns the addresses of the entry's bytes.
    #[must_use]
    pub const fn range(&self) -> Range<usize> {
        self.address..self.address + self.bytes.len()
    }
}

impl StoreBuffers {
    /// Makes the empty buffers of a machine; none if the model has no store buffers.
    #[must_use]
    pub fn of(model: MemoryModel) -> Option<Self> {
        let order = match model {
            MemoryModel::Tso => CommitOrder::Total,
            MemoryModel::Pso => CommitOrder::Partial,
            _ => return None,
        };
        Some(Self { order, threads: PerThread::default(), used: 0, waiting: 0 })
    }

    /// Whether a store may commit before an older one of its thread (PSO).
    #[must_use]
    pub fn reorders_stores(&self) -> bool {
        self.order == CommitOrder::Partial
    }

    /// Forgets everything, for a new execution.
    pub fn begin(&mut self) {
        self.threads.first(self.used).fill(Buffer::default());
        (self.used, self.waiting) = (0, 0);
    }

    /// Whether no store waits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Returns the stores of the thread that wait, from the oldest on.
    #[must_use]
    pub fn entries(&self, thread: Thread) -> &[StoreEntry] {
        &self.threads[thread].entries
    }

    /// Returns the stores of the thread that wait, from the oldest on, for swapping their bytes.
    pub fn entries_mut(&mut self, thread: Thread) -> &mut [StoreEntry] {
        &mut self.threads[thread].entries
    }

    /// Returns all stores that wait, thread by thread, from the oldest of each on.
    pub fn all(&self) -> impl Iterator<Item = (Which, &StoreEntry)> {
        (0..self.used).map(Thread::from_index).flat_map(|thread| {
            let entries = self.threads[thread].entries.iter().enumerate();
            entries.map(move |(index, entry)| (Which { thread, index }, entry))
        })
    }

    /// Returns the entry at a position.
    ///
    /// # Panics
    /// If there is none there.
    #[must_use]
    pub fn entry(&self, which: Which) -> &StoreEntry {
        &self.threads[which.thread].entries[which.index]
    }

    /// Adds a store of the thread to its buffer.
    pub fn store(&mut self, thread: Thread, entry: StoreEntry) {
        let buffer = &mut self.threads[thread];
        let epoch = buffer.epoch;
        buffer.entries.push(StoreEntry { epoch, ..entry });
        self.used = self.used.max(thread.index() + 1);
        self.waiting += 1;
    }

    /// Returns the thread in whose buffer a release of the lock waits, and the lock's word; none if no release waits.
    #[must_use]
    pub fn released(&self, lock: Object) -> Option<(Thread, Range<usize>)> {
        let (which, entry) = self.all().find(|(_, entry)| entry.releases == Some(lock))?;
        Some((which.thread, entry.range()))
    }

    /// Notes that the thread passes a store–store barrier.
    pub fn separate(&mut self, thread: Thread) {
        self.threads[thread].epoch += 1;
        self.used = self.used.max(thread.index() + 1);
    }

    /// Takes the entry out of its buffer, to commit, and returns it.
    ///
    /// # Panics
    /// If there is none at this position.
    pub fn commit(&mut self, which: Which) -> StoreEntry {
        self.waiting -= 1;
        self.threads[which.thread].entries.remove(which.index)
    }

    /// Drops the thread's entries that lie within these bytes.
    pub fn discard(&mut self, thread: Thread, bytes: &Range<usize>) {
        let entries = &mut self.threads[thread].entries;
        let before = entries.len();
        entries.retain(|entry| !(bytes.start <= entry.address && entry.range().end <= bytes.end));
        self.waiting -= before - entries.len();
    }

    /// Makes the thread's entries that lie within these bytes commit without effect.
    pub fn end(&mut self, thread: Thread, bytes: &Range<usize>) {
        let entries = self.threads[thread].entries.iter_mut();
        let within = |entry: &&mut StoreEntry| bytes.start <= entry.address && entry.range().end <= bytes.end;
        entries.filter(within).for_each(|entry| entry.ended = true);
    }

    /// Makes all stores of the thread ones that have to commit before the operation at hand.
    pub fn drain(&mut self, thread: Thread) {
        self.threads[thread].entries.iter_mut().for_each(|entry| entry.due = Due::Now);
    }

    /// Makes all stores of the thread that would have to commit before one to these bytes ones that have to commit before the
    /// operation at hand.
    pub fn drain_for(&mut self, thread: Thread, bytes: &Range<usize>) {
        let due = self.precede(thread, self.entries(thread).iter(), bytes);
        let entries = &mut self.threads[thread].entries;
        due.into_iter().for_each(|index| entries[index].due = Due::Now);
    }

    /// Returns the places of those of these stores of the thread, given from the oldest on, that have to commit before a store to
    /// these bytes that the thread makes now.
    pub(super) fn precede<'a>(
        &self,
        thread: Thread,
        stores: impl Iterator<Item = &'a StoreEntry>,
        bytes: &Range<usize>,
    ) -> Vec<usize> {
        let epoch = self.threads[thread].epoch;
        let stores: Vec<&StoreEntry> = stores.collect();
        let mut due: Vec<usize> = Vec::new();
        for (index, entry) in stores.iter().enumerate().rev() {
            let later = due.iter().any(|&later| self.order.keeps(entry, stores[later]));
            if later || self.order == CommitOrder::Total || entry.epoch < epoch || overlap(&entry.range(), bytes) {
                due.push(index);
            }
        }
        due
    }

    /// Whether some entry has to commit before the operation at hand.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.waiting > 0 && self.all().any(|(_, entry)| entry.due == Due::Now)
    }

    /// Returns the positions of the entries that may commit.
    #[must_use]
    pub fn open(&self) -> Vec<Which> {
        self.all().map(|(which, _)| which).filter(|&which| self.may_commit(which)).collect()
    }

    /// Whether a store that waits in another thread's buffer is to some of these bytes.
    #[must_use]
    pub fn others_write(&self, thread: Thread, bytes: &Range<usize>) -> bool {
        self.waiting > self.threads[thread].entries.len()
            && self.all().any(|(which, entry)| which.thread != thread && overlap(&entry.range(), bytes))
    }

    /// Whether the older of two entries of a thread commits before the younger one.
    pub(super) fn keeps(&self, older: &StoreEntry, younger: &StoreEntry) -> bool {
        self.order.keeps(older, younger)
    }

    /// Whether nothing of its thread has to commit before the entry.
    pub(super) fn may_commit(&self, which: Which) -> bool {
        let entries = &self.threads[which.thread].entries;
        entries[..which.index].iter().all(|older| !self.keeps(older, &entries[which.index]))
    }
}

impl CommitOrder {
    fn keeps(self, older: &StoreEntry, younger: &StoreEntry) -> bool {
        match self {
            Self::Total => true,
            Self::Partial => older.epoch < younger.epoch || overlap(&older.range(), &younger.range()),
        }
    }
}
