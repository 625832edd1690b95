//! The store buffers of the machine, over the program's real memory.
//!
//! Real memory is what the running thread sees: the stores that wait in its own buffer are in place, and each entry keeps the bytes
//! that it covers. When another thread goes on, the entries of the one are taken off, and those of the other put on. So
//! whatever reads memory reads through the buffer of its thread, hooks and native code alike. A commit writes below all of that.

use std::ops::Range;

use engine::buffers::{Batch, Demand, StoreBuffers, StoreEntry, Which};
use engine::event::{Object, Thread};
use engine::per_thread::PerThread;

/// What a thread may go on only behind a commit of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owed {
    /// Of something that it has read, from this one of its reads on.
    Reads(usize),
    /// Of the release of this spin lock.
    Lock(Object),
}

/// The store buffers, of whose threads one is shown.
pub(crate) struct BufferedMemory {
    waiting: StoreBuffers,
    shown: Thread,
    /// So many stores may be delayed at a time; none: all.
    pub(crate) delays: Option<u32>,
    /// Of each thread, the index of the event after which it has performed no other one, if that was a store which waits.
    fresh: PerThread<Option<u32>>,
    /// The threads that may go on only behind a commit.
    owed: PerThread<Option<Owed>>,
    /// So many of the first threads have had an entry in these tables.
    used: usize,
}

impl BufferedMemory {
    /// Nothing waits.
    pub(crate) fn new(waiting: StoreBuffers, delays: Option<u32>) -> Self {
        let (fresh, owed) = (PerThread::default(), PerThread::default());
        Self { waiting, shown: Thread::MAIN, delays, fresh, owed, used: 0 }
    }

    /// A new execution begins: what memory holds is somebody else's business.
    pub(crate) fn begin(&mut self) {
        self.waiting.begin();
        self.shown = Thread::MAIN;
        self.fresh.first(self.used).fill(None);
        self.owed.first(self.used).fill(None);
        self.used = 0;
    }

    /// What waits.
    pub(crate) const fn waiting(&self) -> &StoreBuffers {
        &self.waiting
    }

    /// Says of what waits that it has to commit.
    pub(crate) fn oblige(&mut self, oblige: impl FnOnce(&mut StoreBuffers)) {
        oblige(&mut self.waiting);
    }

    /// From now on memory is what this thread sees.
    pub(crate) fn show(&mut self, thread: Thread) {
        if self.shown != thread {
            self.take_off();
            self.shown = thread;
            self.put_on();
        }
    }

    fn take_off(&mut self) {
        self.waiting.entries_mut(self.shown).iter_mut().rev().for_each(swap);
    }

    fn put_on(&mut self) {
        self.waiting.entries_mut(self.shown).iter_mut().for_each(swap);
    }

    /// The thread that is shown has stored something: memory has it, and `entry` what memory held before. Or it has released a
    /// spin lock.
    pub(crate) fn store(&mut self, entry: StoreEntry) {
        let thread = self.shown;
        self.used = self.used.max(thread.index() + 1);
        self.fresh[thread] = Some(entry.event);
        self.waiting.store(thread, entry);
    }

    /// The thread performs an event: no store of it is its last event any more.
    pub(crate) fn performs(&mut self, thread: Thread) {
        self.fresh[thread] = None;
    }

    /// Native code is about to write to these bytes: as an entry of its own where it would write over others.
    pub(crate) fn written_over(&mut self, event: u32, bytes: Range<usize>) {
        let own = self.waiting.entries(self.shown);
        if own.iter().any(|entry| engine::buffers::overlap(&entry.range(), &bytes)) {
            let held = read(&bytes);
            self.waiting.store(self.shown, StoreEntry::new(event, bytes.start, held));
        }
    }

    /// The entry commits: the spin lock that it releases, if it is no store to memory.
    pub(crate) fn commit(&mut self, batch: &mut Batch, which: Which) -> Option<Object> {
        self.take_off();
        let entry = batch.commit(&mut self.waiting, which);
        if entry.releases.is_none() {
            write(entry.address, &entry.bytes);
        }
        self.put_on();
        entry.releases
    }

    /// The entries of the thread that is shown within these bytes, which are no more, will never commit.
    pub(crate) fn discard(&mut self, bytes: &Range<usize>) {
        self.waiting.discard(self.shown, bytes);
    }

    /// The first entry of another thread than the one that is shown to some of these bytes.
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

    /// The thread may go on only behind such a commit; none: at once.
    pub(crate) fn owes(&mut self, thread: Thread, owed: Option<Owed>) {
        self.used = self.used.max(thread.index() + 1);
        self.owed[thread] = owed;
    }

    /// What the thread may go on only behind a commit of, which it need not from now on.
    pub(crate) fn take_owed(&mut self, thread: Thread) -> Option<Owed> {
        self.owed[thread].take()
    }

    /// The indices of the events of all stores that wait, thread by thread.
    pub(crate) fn events(&self) -> Vec<u64> {
        self.waiting.all().map(|(_, entry)| entry.event.into()).collect()
    }
}

/// The commits before what the thread does, which depends on these bytes.
pub(crate) const fn before(thread: Thread, bytes: Vec<Range<usize>>) -> Demand {
    Demand { thread: Some(thread), bytes, awaits: false }
}

fn swap(entry: &mut StoreEntry) {
    if entry.releases.is_some() {
        return;
    }
    let held = read(&entry.range());
    write(entry.address, &entry.bytes);
    entry.bytes = held;
}

fn read(bytes: &Range<usize>) -> Vec<u8> {
    let mut held = vec![0; bytes.len()];
    // SAFETY: the program stored these bytes through a hook, which has not faulted, and what has ended since has no entries.
    unsafe { std::ptr::copy_nonoverlapping(bytes.start as *const u8, held.as_mut_ptr(), held.len()) };
    held
}

fn write(address: usize, bytes: &[u8]) {
    // SAFETY: as for `read`.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
}
