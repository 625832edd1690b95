//! Numbers of what an execution graph consists of.

use std::iter;
use std::num::NonZeroU32;

use crate::event::{Location, Object};

/// An event, by its place in the order in which events were added (the paper's order <). As a bound, it stands for all
/// events with lower ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Stamp(NonZeroU32);

/// An access, by its place in the table of all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AccessNumber(NonZeroU32);

/// The number of what has so many before it: none is 0, so that an option takes no more memory.
#[inline]
fn after(index: usize) -> NonZeroU32 {
    let next = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
    next.expect("an execution has fewer than 2^32 of them")
}

impl AccessNumber {
    /// The one with so many before it.
    #[inline]
    pub(super) fn new(index: usize) -> Self {
        Self(after(index))
    }

    /// How many come before it.
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A block, by its place among those of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BlockNumber(NonZeroU32);

impl BlockNumber {
    /// The one with so many before it.
    #[inline]
    pub(super) fn new(index: usize) -> Self {
        Self(after(index))
    }
}

impl Stamp {
    /// That of the first event; as a bound, it stands for none.
    pub(super) const FIRST: Self = Self(NonZeroU32::MIN);

    /// The one with so many before it.
    #[inline]
    pub(super) fn new(index: usize) -> Self {
        Self(after(index))
    }

    /// How many come before it.
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// The one after it.
    #[inline]
    pub(super) const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// [`Stamp::index`], for a file or for another process.
    #[inline]
    pub(super) const fn number(self) -> u32 {
        self.0.get() - 1
    }

    /// The one before it, if it is not the first one.
    #[inline]
    pub(super) fn previous(self) -> Option<Self> {
        NonZeroU32::new(self.number()).map(Self)
    }

    /// Those from this one on, below the other one.
    #[inline]
    pub(super) fn up_to(self, end: Self) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (self.index()..end.index()).map(Self::new)
    }
}

/// The accesses of an event, which lie one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    first: u32,
    length: u32,
}

impl Span {
    /// So many from this index on.
    #[inline]
    pub(super) fn new(first: usize, length: usize) -> Self {
        let narrow = |number: usize| u32::try_from(number).expect("an execution has fewer than 2^32 accesses");
        Self { first: narrow(first), length: narrow(length) }
    }

    /// How many they are.
    #[inline]
    pub(super) const fn length(self) -> usize {
        self.length as usize
    }

    /// Their indices.
    #[inline]
    pub(super) const fn range(self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + self.length as usize
    }

    /// Their numbers.
    #[inline]
    pub(super) fn numbers(self) -> impl DoubleEndedIterator<Item = AccessNumber> {
        self.range().map(AccessNumber::new)
    }

    /// The first so many of them.
    #[inline]
    pub(super) fn first(self, length: usize) -> Self {
        Self::new(self.first as usize, length)
    }
}

/// What an event accesses: a location or an object. Dense and small: an index into tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Place(u32);

impl Place {
    #[inline]
    pub(super) const fn of_location(location: Location) -> Self {
        Self(location.0 << 1)
    }

    #[inline]
    pub(super) const fn of_object(object: Object) -> Self {
        Self(object.0 << 1 | 1)
    }

    /// The place as an index.
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether it is an object.
    #[inline]
    pub(super) const fn is_object(self) -> bool {
        self.0 & 1 == 1
    }

    /// The location, if it is one.
    #[inline]
    pub(super) const fn location(self) -> Option<Location> {
        if self.is_object() { None } else { Some(Location(self.0 >> 1)) }
    }

    /// It as one of 64 bits: places without a common bit are different ones.
    #[inline]
    pub(super) const fn bit(self) -> u64 {
        1 << (self.0 & 63)
    }
}

/// The entry of a place in a table, which is made large enough.
#[inline]
pub(super) fn entry<T: Clone>(table: &mut Vec<T>, place: Place, absent: T) -> &mut T {
    if table.len() <= place.index() {
        table.extend(iter::repeat_n(absent, place.index() + 1 - table.len()));
    }
    &mut table[place.index()]
}
