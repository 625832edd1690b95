//! Small sets of numbers, as bits.

/// A set of numbers below [`Set::CAPACITY`], in `W` words. `Set<0>` holds nothing, whatever is put into it: for those
/// who do not ask for what they are given.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Set<const W: usize>([u64; W]);

impl<const W: usize> Set<W> {
    /// The numbers that it can hold are below this.
    pub const CAPACITY: usize = 64 * W;
    /// No number.
    pub const EMPTY: Self = Self([0; W]);

    /// The set with this number alone.
    ///
    /// # Panics
    /// As [`Set::insert`].
    #[must_use]
    pub fn of(number: usize) -> Self {
        let mut set = Self::EMPTY;
        set.insert(number);
        set
    }

    /// Puts a number in.
    ///
    /// # Panics
    /// If the number is not below [`Set::CAPACITY`], but for `Set<0>`.
    #[inline]
    pub fn insert(&mut self, number: usize) {
        if W > 0 {
            self.0[number / 64] |= 1 << (number % 64);
        }
    }

    /// Takes a number out.
    #[inline]
    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.0.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Whether the number is in it.
    #[inline]
    #[must_use]
    pub fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Puts all numbers of the other one in.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    /// The numbers of either.
    #[inline]
    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        self.add(other);
        self
    }

    /// The numbers of both.
    #[inline]
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= other;
        }
        self
    }

    /// The numbers of this one that are not in the other one.
    #[inline]
    #[must_use]
    pub fn without(mut self, other: &Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= !other;
        }
        self
    }

    /// Whether there is a number in both.
    #[inline]
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(word, other)| word & other != 0)
    }

    /// Whether every number is in the other one.
    #[inline]
    #[must_use]
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(word, other)| word & !other == 0)
    }

    /// Whether there is no number in it.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The numbers, ascending.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<W> {
        let words = self.0;
        words.into_iter().enumerate().flat_map(|(index, word)| {
            std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|&rest| rest != 0)
                .map(move |rest| 64 * index + rest.trailing_zeros() as usize)
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
        assert!(set.contains(64) && !set.contains(65) && !set.contains(1000));
        set.remove(63);
        assert_eq!(set.and(&Set::of(64).or(&Set::of(63))), Set::of(64));
        assert!(Set::of(191).is_within(&set) && !set.is_within(&Set::of(191)));
        assert!(set.without(&set).is_empty());
    }

    #[test]
    fn the_set_of_no_words_is_empty() {
        assert!(Set::<0>::of(7).is_empty());
    }
}
