//! The keys of thread-specific data, and each thread's values.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;

use engine::event::Thread;
use engine::per_thread::PerThread;

use crate::process::sites::RecordPointer;

/// `PTHREAD_KEYS_MAX` of glibc.
pub(crate) const LIMIT: u32 = 1024;

pub(crate) type Destructor = unsafe extern "C" fn(*mut c_void);

#[derive(Clone, Copy)]
pub(crate) enum Key {
    Deleted,
    /// Its destructor, and where it was created.
    Live(Option<Destructor>, RecordPointer),
}

/// The keys, and each thread's values, by the numbers of keys.
#[derive(Default)]
pub(crate) struct Keys {
    pub(crate) keys: BTreeMap<u32, Key>,
    values: PerThread<BTreeMap<u32, usize>>,
    /// Those that threads which run alone have deleted themselves.
    deleted: PerThread<BTreeSet<u32>>,
    /// One more than the highest thread that has values, or has deleted a key.
    used: usize,
}

impl Keys {
    /// Forgets the last execution.
    pub(crate) fn reset(&mut self) {
        self.keys.clear();
        self.values.first(self.used).iter_mut().for_each(BTreeMap::clear);
        self.deleted.first(self.used).iter_mut().for_each(BTreeSet::clear);
    }

    /// A thread is run from its beginning.
    pub(crate) fn restart(&mut self, thread: Thread) {
        self.values[thread].clear();
        self.deleted[thread].clear();
    }

    /// Whether no key has been made in this execution.
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// A new key, with a value of null in all threads.
    pub(crate) fn create(&mut self, destructor: Option<Destructor>, site: RecordPointer) -> Option<u32> {
        let key = u32::try_from(self.keys.len()).ok().filter(|&key| key < LIMIT)?;
        self.keys.insert(key, Key::Live(destructor, site));
        Some(key)
    }

    /// Whether the key has been made, and not been deleted as far as the thread knows.
    pub(crate) fn is_live(&self, thread: Thread, key: u32) -> bool {
        matches!(self.keys.get(&key), Some(Key::Live(..))) && !self.deleted[thread].contains(&key)
    }

    /// The thread, which runs alone, deletes the key: there is no other one that could use it.
    pub(crate) fn delete_alone(&mut self, thread: Thread, key: u32) {
        self.deleted[thread].insert(key);
        self.used = self.used.max(thread.index() + 1);
    }

    pub(crate) fn value(&self, thread: Thread, key: u32) -> usize {
        if !self.is_live(thread, key) {
            return 0;
        }
        self.values[thread].get(&key).copied().unwrap_or(0)
    }

    pub(crate) fn set(&mut self, thread: Thread, key: u32, value: usize) {
        self.values[thread].insert(key, value);
        self.used = self.used.max(thread.index() + 1);
    }

    /// The destructor to be called next of those from this key on, which stands where the key was created; and its argument,
    /// which is forgotten.
    pub(crate) fn next_destructor(
        &mut self,
        thread: Thread,
        from: u32,
    ) -> Option<(u32, Destructor, RecordPointer, usize)> {
        for (key, value) in self.values[thread].range_mut(from..) {
            let is_deleted = self.deleted[thread].contains(key);
            if let (Some(Key::Live(Some(destructor), site)), 1.., false) = (self.keys.get(key), *value, is_deleted) {
                return Some((*key, *destructor, *site, std::mem::take(value)));
            }
        }
        None
    }
}
