//! A set of threads, as bits.

use crate::event::Thread;

/// A set of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThreadSet {
    words: [u64; 4],
}

impl ThreadSet {
    /// The empty set.
    pub const EMPTY: Self = Self { words: [0; 4] };

    /// Adds a thread.
    #[inline]
    pub const fn insert(&mut self, thread: Thread) {
        self.words[thread.index() >> 6] |= 1 << (thread.index() & 63);
    }

    /// Removes a thread.
    #[inline]
    pub const fn remove(&mut self, thread: Thread) {
        self.words[thread.index() >> 6] &= !(1 << (thread.index() & 63));
    }

    /// Whether the thread is in the set.
    #[inline]
    #[must_use]
    pub const fn contains(&self, thread: Thread) -> bool {
        self.words[thread.index() >> 6] >> (thread.index() & 63) & 1 == 1
    }

    /// How many threads.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> u32 {
        let [a, b, c, d] = self.words;
        if b | c | d == 0 { a.count_ones() } else { a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones() }
    }

    /// Whether there is none.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        let [a, b, c, d] = self.words;
        a | b | c | d == 0
    }

    /// The thread with the lowest number.
    #[inline]
    #[must_use]
    pub const fn first(&self) -> Option<Thread> {
        let mut word = 0;
        while word < self.words.len() {
            if self.words[word] != 0 {
                return Some(Thread::from_index(word * 64 + self.words[word].trailing_zeros() as usize));
            }
            word += 1;
        }
        None
    }

    /// The threads in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Thread> + '_ {
        self.words.iter().enumerate().flat_map(|(word, &bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let bit = rest.checked_ilog2().map(|_| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(Thread::from_index(word * 64 + bit as usize))
            })
        })
    }

    /// The thread with `n` smaller ones in the set; none if there are not that many.
    #[inline]
    #[must_use]
    pub const fn nth(&self, mut n: u32) -> Option<Thread> {
        let mut word = 0;
        while word < self.words.len() {
            let mut bits = self.words[word];
            let here = bits.count_ones();
            if n < here {
                while n > 0 {
                    bits &= bits - 1;
                    n -= 1;
                }
                return Some(Thread::from_index(word * 64 + bits.trailing_zeros() as usize));
            }
            n -= here;
            word += 1;
        }
        None
    }

    /// The threads of the set with higher numbers.
    #[inline]
    #[must_use]
    pub const fn above(&self, thread: Thread) -> Self {
        let (own, bit) = (thread.index() >> 6, thread.index() & 63);
        let mut above = *self;
        let mut word = 0;
        while word < own {
            above.words[word] = 0;
            word += 1;
        }
        above.words[own] &= u64::MAX.unbounded_shl(1 + bit as u32);
        above
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
        assert_eq!(set.above(Thread(3)).iter().collect::<Vec<_>>(), [Thread(64), Thread(254)]);
        assert_eq!(set.above(Thread(63)).len(), 2);
        assert_eq!(set.above(Thread(64)).first(), Some(Thread(254)));
        set.remove(Thread(3));
        assert!(!set.contains(Thread(3)));
        assert!(!set.is_empty());
    }
}
