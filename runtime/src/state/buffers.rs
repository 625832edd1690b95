//! The store buffers of the machine, over the program's real memory.
//!
//! Real memory is what the running thread sees: the stores that wait in its own buffer are in place, and each of their
//! entries keeps the bytes that it covers. When another thread goes on, the entries of the one are taken off memory,
//! and those of the other are put on. So whatever reads memory reads through the buffer of its thread, hooks and native
//! code alike. A commit writes below all of that.

use std::ops::Range;

use engine::buffers::{Batch, Demand, Steps, StoreBuffers, StoreEntry, Which};
use engine::event::{Object, Thread};
use engine::per_thread::PerThread;

/// The commit that must come before a thread may go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owed {
    /// A commit of something that the thread has read, from this one of its reads on.
    Reads(usize),
    /// The commit of the release of this spin lock.
    Lock(Object),
}

/// The expectation of an operation that may have to wait for the commits of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Expected {
    /// Nothing is expected, or that the operation waits for none.
    #[default]
    Nothing,
    /// The operation has waited for them, as it is known that it has to.
    Drained,
    /// The operation has waited for them, as was chosen for it.
    ChosenDrained,
    /// The operation has not waited for them, as was chosen for it.
    ChosenUndrained,
}

/// The store buffers, with real memory as one of their threads sees it.
pub(crate) struct BufferedMemory {
    /// The stores that wait.
    waiting: StoreBuffers,
    /// The thread whose view of memory is in place.
    shown: Thread,
    /// The most stores that may be delayed at a time; `None` if there is no limit.
    pub(crate) delays: Option<u32>,
    /// For each thread, the index of its last event, if that was a store which still waits.
    fresh: PerThread<Option<u32>>,
    /// The threads that may go on only after a commit.
    owed: PerThread<Option<Owed>>,
    /// The steps, if commits are steps to the explorer.
    pub(crate) steps: Option<Steps>,
    /// The expectation of the next operation of each thread, if commits are steps.
    pub(crate) expected: PerThread<Expected>,
    /// The number of first threads that have used these tables.
    used: usize,
}

impl BufferedMemory {
    /// Makes buffers in which nothing waits.
    pub(crate) fn new(waiting: StoreBuffers, delays: Option<u32>) -> Self {
        let (fresh, owed) = (PerThread::default(), PerThread::default());
        let (shown, expected) = (Thread::MAIN, PerThread::default());
        Self { waiting, shown, delays, fresh, owed, steps: None, expected, used: 0 }
    }

    /// Empties the buffers for a new execution; whoever calls this restores memory itself.
    pub(crate) fn begin(&mut self) {
        self.waiting.begin();
        self.shown = Thread::MAIN;
        self.fresh.first(self.used).fill(None);
        self.owed.first(self.used).fill(None);
        self.expected.first(self.used).fill(Expected::Nothing);
        self.used = 0;
        if let Some(steps) = &mut self.steps {
            steps.begin();
        }
    }

    /// Returns the stores that wait.
    pub(crate) const fn waiting(&self) -> &StoreBuffers {
        &self.waiting
    }

    /// Returns the steps, where commits are some, with the stores that wait.
    pub(crate) fn steps_and_waiting(&mut self) -> Option<(&mut Steps, &StoreBuffers)> {
        Some((self.steps.as_mut()?, &self.waiting))
    }

    /// Marks stores that wait as having to commit, by what `oblige` does.
    pub(crate) fn oblige(&mut self, oblige: impl FnOnce(&mut StoreBuffers)) {
        oblige(&mut self.waiting);
    }

    /// Makes memory what this thread sees.
    pub(crate) fn show(&mut self, thread: Thread) {
        if self.shown != thread {
            self.take_off();
            self.shown = thread;
            self.put_on();
        }
    }

    /// Takes the entries of the thread that is shown off memory, the newest first.
    fn take_off(&mut self) {
        self.waiting.entries_mut(self.shown).iter_mut().rev().for_each(swap);
    }

    /// Puts the entries of the thread that is shown on memory, the oldest first.
    fn put_on(&mut self) {
        self.waiting.entries_mut(self.shown).iter_mut().for_each(swap);
    }

    /// Buffers a store that the thread which is shown has just made to memory, or its release of a spin lock. The entry
    /// holds what memory held before the store.
    pub(crate) fn store(&mut self, entry: StoreEntry) {
        let thread = self.shown;
        self.used = self.used.max(thread.index() + 1);
        self.fresh[thread] = Some(entry.event);
        self.waiting.store(thread, entry);
    }

    /// Notes that the thread performs an event, so that no store is its last event any more.
    pub(crate) fn performs(&mut self, thread: Thread) {
        self.fresh[thread] = None;
    }

    /// Prepares for native code to write to these bytes: they get an entry of their own if it would write over others.
    pub(crate) fn written_over(&mut self, event: u32, bytes: Range<usize>) {
        let own = self.waiting.entries(self.shown);
        if own.iter().any(|entry| engine::buffers::overlap(&entry.range(), &bytes)) {
            let held = read(&bytes);
            self.waiting.store(self.shown, StoreEntry::new(event, bytes.start, held));
        }
    }

    /// Commits an entry; returns the spin lock that it releases, if it is no store to memory.
    pub(crate) fn commit(&mut self, batch: &mut Batch, which: Which) -> Option<Object> {
        self.take_off();
        let entry = batch.commit(&mut self.waiting, which);
        if entry.releases.is_none() {
            write(entry.address, &entry.bytes);
        }
        self.put_on();
        entry.releases
    }

    /// Commits an entry, as a step; returns the entry, with the bytes that it has written, and the bytes that memory
    /// held before.
    pub(crate) fn commit_alone(&mut self, which: Which) -> (StoreEntry, Vec<u8>) {
        self.take_off();
        let entry = self.waiting.commit(which);
        let held = if entry.releases.is_none() { read(&entry.range()) } else { Vec::new() };
        if entry.releases.is_none() && !entry.ended {
            write(entry.address, &entry.bytes);
        }
        self.put_on();
        (entry, held)
    }

    /// Sets the expectation of the thread's next operation.
    pub(crate) fn expect(&mut self, thread: Thread, expected: Expected) {
        self.used = self.used.max(thread.index() + 1);
        self.expected[thread] = expected;
    }

    /// Discards the entries of the thread that is shown within these bytes, whose life has ended: they will never
    /// commit.
    pub(crate) fn discard(&mut self, bytes: &Range<usize>) {
        match self.steps {
            None => self.waiting.discard(self.shown, bytes),
            Some(_) => self.waiting.end(self.shown, bytes),
        }
    }

    /// Returns the first entry, of another thread than the one that is shown, for some of these bytes.
    pub(crate) fn of_others(&self, bytes: &Range<usize>) -> Option<(Which, &StoreEntry)> {
        let mut all = self.waiting.all();
        all.find(|(which, entry)| which.thread != self.shown && engine::buffers::overlap(&entry.range(), bytes))
    }

    /// Whether more stores are delayed than may be.
    pub(crate) fn delays_too_many(&self) -> bool {
        let Some(most) = self.delays else { return false };
        let delayed = self.waiting.all().filter(|(which, entry)| self.fresh[which.thread] != Some(entry.event));
        delayed.count() > most as usize
    }

    /// Lets the thread go on only after such a commit; `None` lets it go on at once.
    pub(crate) fn owes(&mut self, thread: Thread, owed: Option<Owed>) {
        self.used = self.used.max(thread.index() + 1);
        self.owed[thread] = owed;
    }

    /// Returns the commit that must come before the thread goes on, and demands it no longer.
    pub(crate) fn take_owed(&mut self, thread: Thread) -> Option<Owed> {
        self.owed[thread].take()
    }

    /// Returns the indices of the events of all stores that wait, thread by thread.
    pub(crate) fn events(&self) -> Vec<u64> {
        self.waiting.all().map(|(_, entry)| entry.event.into()).collect()
    }
}

/// Returns the demand for the commits that must come before the thread does something that depends on these bytes.
pub(crate) const fn before(thread: Thread, bytes: Vec<Range<usize>>) -> Demand {
    Demand { thread: Some(thread), bytes, awaits: false }
}

/// Exchanges the bytes of an entry with those in memory.
fn swap(entry: &mut StoreEntry) {
    if entry.releases.is_some() || entry.ended {
        return;
    }
    let held = read(&entry.range());
    write(entry.address, &entry.bytes);
    entry.bytes = held;
}

/// Reads bytes of the program's.
fn read(bytes: &Range<usize>) -> Vec<u8> {
    let mut held = vec![0; bytes.len()];
    // SAFETY: the program stored these bytes through a hook, which has not faulted, and what has ended since has no entries.
    unsafe { std::ptr::copy_nonoverlapping(bytes.start as *const u8, held.as_mut_ptr(), held.len()) };
    held
}

/// Writes bytes of the program's.
fn write(address: usize, bytes: &[u8]) {
    // SAFETY: as for `read`.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
}
