//! Small sets of numbers, as bits.

/// A set of numbers below [`Set::CAPACITY`], in `W` words. `Set<0>` stays empty whatever is put into it, and serves where a set
/// is computed that is not wanted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Set<const W: usize>([u64; W]);

impl<const W: usize> Set<W> {
    /// The bound below which the numbers of a set must be.
    pub const CAPACITY: usize = 64 * W;
    /// The empty set.
    pub const EMPTY: Self = Self([0; W]);

    /// Returns the set that has this number alone.
    ///
    /// # Panics
    /// If the number is not below [`Set::CAPACITY`], except for `Set<0>`.
    #[must_use]
    pub fn of(number: usize) -> Self {
        let mut set = Self::EMPTY;
        set.insert(number);
        set
    }

    /// Adds a number.
    ///
    /// # Panics
    /// If the number is not below [`Set::CAPACITY`], except for `Set<0>`.
    #[inline]
    pub fn insert(&mut self, number: usize) {
        if W > 0 {
            self.0[number / 64] |= 1 << (number % 64);
        }
    }

    /// Removes a number.
    #[inline]
    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.0.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Whether the number is in the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Returns the set of all numbers below this one.
    ///
    /// # Panics
    /// If the number is above [`Set::CAPACITY`].
    #[must_use]
    pub fn below(number: usize) -> Self {
        let mut set = Self::EMPTY;
        set.0[..number / 64].fill(u64::MAX);
        if !number.is_multiple_of(64) {
            set.0[number / 64] = (1 << (number % 64)) - 1;
        }
        set
    }

    /// Adds all numbers of the other set.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        self.0 = std::array::from_fn(|at| self.0[at] | other.0[at]);
    }

    /// Returns the union of the two sets.
    #[inline]
    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        self.add(other);
        self
    }

    /// Returns the intersection of the two sets.
    #[inline]
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    /// Returns the numbers of this set that are not in the other one.
    #[inline]
    #[must_use]
    pub fn without(self, other: &Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    /// Whether some number is in both sets.
    #[inline]
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        (0..W).any(|at| self.0[at] & other.0[at] != 0)
    }

    /// Whether every number is in the other set.
    #[inline]
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        (0..W).all(|at| self.0[at] & !other.0[at] == 0)
    }

    /// Whether the set is empty.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; W]
    }

    /// Returns the numbers in ascending order.
    #[inline]
    #[must_use]
    pub const fn iter(&self) -> Numbers<W> {
        Numbers { words: self.0, at: 0 }
    }
}

/// The numbers of a set, ascending.
#[derive(Clone, Debug)]
pub struct Numbers<const W: usize> {
    words: [u64; W],
    at: usize,
}

impl<const W: usize> Iterator for Numbers<W> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        loop {
            let word = self.words.get_mut(self.at)?;
            if *word != 0 {
                let number = 64 * self.at + word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(number);
            }
            self.at += 1;
        }
    }
}

impl<const W: usize> Set<W> {
    /// Returns the numbers in descending order.
    #[inline]
    pub fn iter_back(&self) -> impl Iterator<Item = usize> + use<W> {
        let (mut words, mut above) = (self.0, W);
        std::iter::from_fn(move || {
            loop {
                let word = words.get_mut(above.checked_sub(1)?)?;
                if *word != 0 {
                    let bit = 63 - word.leading_zeros() as usize;
                    *word &= !(1 << bit);
                    return Some(64 * (above - 1) + bit);
                }
                above -= 1;
            }
        })
    }
}

impl<const W: usize> Default for Set<W> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const W: usize> FromIterator<usize> for Set<W> {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut set = Self::EMPTY;
        for number in numbers {
            set.insert(number);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::Set;

    #[test]
    fn numbers_beyond_the_first_word() {
        let mut set: Set<3> = [0, 63, 64, 191].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 191]);
        assert_eq!(set.iter_back().collect::<Vec<_>>(), [191, 64, 63, 0]);
        assert!(set.contains(64) && !set.contains(65) && !set.contains(1000));
        set.remove(63);
        assert_eq!(set.and(&Set::of(64).or(&Set::of(63))), Set::of(64));
        assert!(Set::of(191).is_within(&set) && !set.is_within(&Set::of(191)));
        assert!(set.without(&set).is_empty());
    }

    #[test]
    fn all_below_a_number() {
        for number in [0, 1, 63, 64, 65, 127, 128] {
            assert_eq!(Set::<2>::below(number), (0..number).collect(), "{number}");
        }
    }

    #[test]
    fn the_set_of_no_words_is_empty() {
        assert!(Set::<0>::of(7).is_empty());
    }
}
