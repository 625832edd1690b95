//! A table with an entry for every possible thread number, so that no index has to be checked and the table never grows.

use std::ops::{Index, IndexMut};

use crate::event::Thread;

/// The number of entries: one more than the highest number that a [`Thread`] can hold.
const NUMBERS: usize = 1 << u8::BITS;

/// A table with an entry for each thread number.
#[derive(Clone, Debug)]
pub struct PerThread<T> {
    entries: Box<[T; NUMBERS]>,
}

impl<T: Default> Default for PerThread<T> {
    fn default() -> Self {
        Self { entries: Box::new(std::array::from_fn(|_| T::default())) }
    }
}

impl<T> PerThread<T> {
    /// Returns the entries of the first `threads` threads.
    pub fn first(&mut self, threads: usize) -> &mut [T] {
        &mut self.entries[..threads]
    }
}

impl<T> Index<Thread> for PerThread<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, thread: Thread) -> &T {
        &self.entries[thread.index()]
    }
}

impl<T> IndexMut<Thread> for PerThread<T> {
    #[inline(always)]
    fn index_mut(&mut self, thread: Thread) -> &mut T {
        &mut self.entries[thread.index()]
    }
}
