//! A set of threads, as bits.

use crate::event::Thread;

/// A set of threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ThreadSet {
    words: [u64; 4],
    /// The number of bits set, kept since it is asked for at nearly every event and slow to count on a processor of the base
    /// level.
    length: u32,
}

impl ThreadSet {
    /// The empty set.
    pub const EMPTY: Self = Self { words: [0; 4], length: 0 };

    /// Adds a thread.
    #[inline]
    pub const fn insert(&mut self, thread: Thread) {
        self.length += !self.contains(thread) as u32;
        self.words[thread.index() >> 6] |= 1 << (thread.index() & 63);
    }

    /// Removes a thread.
    #[inline]
    pub const fn remove(&mut self, thread: Thread) {
        self.length -= self.contains(thread) as u32;
        self.words[thread.index() >> 6] &= !(1 << (thread.index() & 63));
    }

    /// Whether the thread is in the set.
    #[inline]
    #[must_use]
    pub const fn contains(&self, thread: Thread) -> bool {
        self.words[thread.index() >> 6] >> (thread.index() & 63) & 1 == 1
    }

    /// Returns the number of threads in the set.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.length
    }

    /// Whether the set is empty.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the thread with the lowest number.
    #[inline]
    #[must_use]
    pub const fn first(&self) -> Option<Thread> {
        self.lowest_from(0, u64::MAX)
    }

    /// Removes the thread with the lowest number, and returns it.
    pub const fn take_first(&mut self) -> Option<Thread> {
        let first = self.first();
        if let Some(thread) = first {
            self.remove(thread);
        }
        first
    }

    /// Returns the thread with the lowest number in the words from `word` on, of which the first is masked with `mask`.
    #[inline]
    const fn lowest_from(&self, mut word: usize, mut mask: u64) -> Option<Thread> {
        while word < self.words.len() {
            let bits = self.words[word] & mask;
            if bits != 0 {
                return Some(Thread::from_index(word * 64 + bits.trailing_zeros() as usize));
            }
            mask = u64::MAX;
            word += 1;
        }
        None
    }

    /// Returns the member that follows `thread`, which need not be a member itself, in ascending order; the first member follows
    /// the last.
    #[inline]
    #[must_use]
    pub const fn next_round(&self, thread: Thread) -> Option<Thread> {
        let above = u64::MAX.unbounded_shl(1 + (thread.0 & 63) as u32);
        match self.lowest_from(thread.index() >> 6, above) {
            Some(next) => Some(next),
            None => self.first(),
        }
    }

    /// Returns the threads in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Thread> + Clone + '_ {
        self.words.iter().enumerate().flat_map(|(word, &bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let bit = rest.checked_ilog2().map(|_| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(Thread::from_index(word * 64 + bit as usize))
            })
        })
    }

    /// Returns the member that has `n` smaller ones in the set; none if there are not that many.
    #[inline]
    #[must_use]
    pub const fn nth(&self, mut n: u32) -> Option<Thread> {
        let mut word = 0;
        while word < self.words.len() {
            let mut bits = self.words[word];
            while bits != 0 {
                if n == 0 {
                    return Some(Thread::from_index(word * 64 + bits.trailing_zeros() as usize));
                }
                bits &= bits - 1;
                n -= 1;
            }
            word += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_ascending_order_across_words() {
        let mut set = ThreadSet::EMPTY;
        for index in [254, 3, 64, 0] {
            set.insert(Thread::from_index(index));
        }
        let members: Vec<usize> = set.iter().map(Thread::index).collect();
        assert_eq!(members, [0, 3, 64, 254]);
        assert_eq!(set.len(), 4);
        assert_eq!(set.first(), Some(Thread(0)));
        assert_eq!(ThreadSet::EMPTY.first(), None);
        assert_eq!(set.nth(2), Some(Thread(64)));
        assert_eq!(set.nth(4), None);
        for (thread, next) in [(0, 3), (1, 3), (3, 64), (63, 64), (64, 254), (253, 254), (254, 0)] {
            assert_eq!(set.next_round(Thread(thread)), Some(Thread(next)));
        }
        assert_eq!(ThreadSet::EMPTY.next_round(Thread(3)), None);
        set.insert(Thread(64));
        assert_eq!(set.len(), 4);
        set.remove(Thread(3));
        set.remove(Thread(3));
        assert!(!set.contains(Thread(3)));
        assert_eq!(set.len(), 3);
        assert!(!set.is_empty());
    }
}
