//! The keys of thread-specific data, and each thread's values.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;

use engine::event::Thread;
use engine::per_thread::PerThread;

use crate::process::sites::RecordPointer;
use crate::state::graph::labels::Label;

/// The most keys of a process, glibc's `PTHREAD_KEYS_MAX`.
pub(crate) const LIMIT: u32 = 1024;

/// A destructor of thread-specific data.
pub(crate) type Destructor = unsafe extern "C" fn(*mut c_void);

/// A key of thread-specific data.
#[derive(Clone, Copy)]
pub(crate) enum Key {
    /// A key that has been deleted.
    Deleted,
    /// A key that has not been deleted: its destructor, and the place where it was created.
    Live(Option<Destructor>, RecordPointer),
}

/// A thread's value of a key.
#[derive(Clone, Copy, Default)]
pub(crate) struct Value {
    pub(crate) value: usize,
    /// The label of the loads that the value depends on, where the thread runs alone.
    pub(crate) label: Label,
}

/// A destructor that is to be called.
#[derive(Clone, Copy)]
pub(crate) struct Destruction {
    pub(crate) key: u32,
    pub(crate) destructor: Destructor,
    /// The place where the key was created.
    pub(crate) site: RecordPointer,
    /// The argument.
    pub(crate) value: Value,
}

/// The keys, and each thread's values, by the numbers of keys.
#[derive(Default)]
pub(crate) struct Keys {
    /// The keys by number.
    pub(crate) keys: BTreeMap<u32, Key>,
    /// The values of each thread, by the number of the key.
    values: PerThread<BTreeMap<u32, Value>>,
    /// The keys that threads which run alone have deleted themselves.
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

    /// Forgets a thread's values, since it is run from its beginning.
    pub(crate) fn restart(&mut self, thread: Thread) {
        self.values[thread].clear();
        self.deleted[thread].clear();
    }

    /// Whether no key has been made in this execution.
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Makes a new key, whose value is null in all threads; `None` if there are too many.
    pub(crate) fn create(&mut self, destructor: Option<Destructor>, site: RecordPointer) -> Option<u32> {
        let key = u32::try_from(self.keys.len()).ok().filter(|&key| key < LIMIT)?;
        self.keys.insert(key, Key::Live(destructor, site));
        Some(key)
    }

    /// Whether the key has been made, and not been deleted as far as the thread knows.
    pub(crate) fn is_live(&self, thread: Thread, key: u32) -> bool {
        matches!(self.keys.get(&key), Some(Key::Live(..))) && !self.deleted[thread].contains(&key)
    }

    /// Deletes a key on behalf of a thread that runs alone, so that no other thread could use it.
    pub(crate) fn delete_alone(&mut self, thread: Thread, key: u32) {
        self.deleted[thread].insert(key);
        self.used = self.used.max(thread.index() + 1);
    }

    /// Returns the thread's value of a key; 0 if the key does not live or has no value.
    pub(crate) fn value(&self, thread: Thread, key: u32) -> Value {
        if !self.is_live(thread, key) {
            return Value::default();
        }
        self.values[thread].get(&key).copied().unwrap_or_default()
    }

    /// Sets the thread's value of a key.
    pub(crate) fn set(&mut self, thread: Thread, key: u32, value: Value) {
        self.values[thread].insert(key, value);
        self.used = self.used.max(thread.index() + 1);
    }

    /// Returns the next destructor to be called, among the keys from `from` on, and forgets its argument.
    pub(crate) fn next_destructor(&mut self, thread: Thread, from: u32) -> Option<Destruction> {
        for (&key, held) in self.values[thread].range_mut(from..) {
            let is_deleted = self.deleted[thread].contains(&key);
            if let (Some(&Key::Live(Some(destructor), site)), 1.., false) =
                (self.keys.get(&key), held.value, is_deleted)
            {
                return Some(Destruction { key, destructor, site, value: std::mem::take(held) });
            }
        }
        None
    }
}
