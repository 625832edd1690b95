//! The bytes that were stored to synchronisation objects, and the threads that initialised them.

use std::hash::BuildHasher;

use engine::event::Thread;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::state::objects::{Class, MutexKind};

/// The stores to a byte, over all runs of threads.
#[derive(Clone, Copy)]
pub(crate) struct Stored {
    /// The value that was stored first.
    pub(crate) value: u8,
    /// Whether one thread alone stored it, and always the same value.
    pub(crate) is_one: bool,
    /// The thread that stored it first.
    pub(crate) thread: Thread,
    /// The number of threads that that thread had created when it first stored the byte.
    pub(crate) created: u32,
    /// The number of the last run that stored it.
    run: u64,
    /// Whether some run has stored it more than once.
    pub(crate) again: bool,
}

/// The initialisation of the object in eight aligned bytes by its `init` function.
#[derive(Clone, Copy)]
struct Made {
    thread: Thread,
    run: u64,
    /// Whether the bytes were stored to afterwards.
    stored: bool,
}

/// The stores to and initialisations of objects, over all runs of threads.
#[derive(Default)]
pub(crate) struct Initialisers {
    /// The stored bytes, by the address of eight aligned ones.
    stored: FxHashMap<usize, [Option<Stored>; 8]>,
    /// The objects that `init` functions have made, by the address of eight aligned bytes.
    made: FxHashMap<usize, Made>,
    /// The types of the mutexes that `pthread_mutex_init` made, by address.
    pub(crate) mutexes: FxHashMap<usize, MutexKind>,
    /// The bytes that operations have found in objects that no `init` function made; `None` where nobody had stored
    /// any.
    pub(crate) found: FxHashMap<usize, Option<Vec<u8>>>,
    /// The number of runs so far.
    runs: u64,
}

/// Returns the addresses of the eight aligned bytes that these bytes lie in.
pub(crate) fn granules(address: usize, size: usize) -> impl Iterator<Item = usize> {
    (address & !7..address + size).step_by(8)
}

impl Initialisers {
    /// Begins another run of a thread.
    pub(crate) const fn begin_run(&mut self) {
        self.runs += 1;
    }

    /// Notes that a thread, which has created `created` others, stores a value to bytes that lie in eight aligned ones.
    pub(crate) fn store(&mut self, (thread, created): (Thread, u32), address: usize, width: usize, value: u64) {
        let run = self.runs;
        let granule = self.stored.entry(address & !7).or_default();
        for (stored, value) in granule[address & 7..].iter_mut().zip(value.to_le_bytes()).take(width) {
            *stored = Some(match *stored {
                None => Stored { value, is_one: true, thread, created, run, again: false },
                Some(stored) => Stored {
                    is_one: stored.is_one && (stored.thread, stored.value) == (thread, value),
                    again: stored.again || stored.run == run,
                    run,
                    ..stored
                },
            });
        }
        if let Some(made) = self.made.get_mut(&(address & !7)) {
            made.stored |= made.thread != thread || made.run == run;
        }
    }

    /// Returns what is known of each object, in any order: its address, a kind of fact, or of a byte of it, and a number that stands
    /// for what is known.
    pub(crate) fn facts(&self) -> impl Iterator<Item = (usize, usize, u64)> {
        let found = self.found.iter().flat_map(|(&address, bytes)| {
            let size = bytes.as_ref().map_or(0, Vec::len);
            let of_bytes = (address..address + size).filter_map(|at| self.fact_of_byte(at));
            of_bytes.chain([(address, 0, FxBuildHasher.hash_one(bytes))])
        });
        let kind = |kind: &MutexKind| FxBuildHasher.hash_one(format!("{kind:?}"));
        let mutexes = self.mutexes.iter().map(move |(&address, mutex)| (address, 1, kind(mutex)));
        let made = self.made.iter().flat_map(|(&address, made)| {
            let of_bytes = (address..address + 8).filter_map(|at| self.fact_of_byte(at));
            of_bytes.chain([(address, 2, FxBuildHasher.hash_one((made.thread, made.stored)))])
        });
        found.chain(mutexes).chain(made)
    }

    /// Returns what is known of the stores to a byte, if there are any.
    fn fact_of_byte(&self, at: usize) -> Option<(usize, usize, u64)> {
        let &Stored { value, is_one, thread, created, again, .. } = self.stored(at)?;
        Some((at, 3, FxBuildHasher.hash_one((value, is_one, thread, created, again))))
    }

    /// Returns what has been stored to a byte.
    pub(crate) fn stored(&self, address: usize) -> Option<&Stored> {
        self.stored.get(&(address & !7))?[address & 7].as_ref()
    }

    /// Notes that a thread initialises an object by its `init` function.
    pub(crate) fn make(&mut self, thread: Thread, address: usize, class: Class) {
        let made = Made { thread, run: self.runs, stored: false };
        self.made.extend(granules(address, class.size()).map(|granule| (granule, made)));
    }

    /// Whether the object at this address has been used without an `init` function, or made by one in this run.
    pub(crate) fn is_known(&self, address: usize) -> bool {
        let is_made = self.made.get(&(address & !7)).is_some_and(|made| made.run == self.runs);
        is_made || self.found.contains_key(&address)
    }

    /// Whether something may have been stored over a whole object since an `init` function made it.
    pub(crate) fn is_overwritten(&self, address: usize, class: Class) -> bool {
        granules(address, class.size()).all(|granule| self.made.get(&granule).is_some_and(|made| made.stored))
    }
}
