//! The numbers of the parts of an execution graph.

use std::iter;
use std::num::NonZeroU32;

use crate::event::{Location, Object};

/// The number of an event: its place in the order in which events were added (the paper's order <). As a bound, it stands for all
/// events with lower numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Stamp(NonZeroU32);

/// The number of an access: its place in the table of all accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AccessNumber(NonZeroU32);

/// Returns the number of the item at an index. No number is 0, so that an option of one takes no more memory.
#[inline]
fn after(index: usize) -> NonZeroU32 {
    let next = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
    next.expect("an execution has fewer than 2^32 of them")
}

impl AccessNumber {
    /// Returns the number of the access at this index.
    #[inline]
    pub(super) fn new(index: usize) -> Self {
        Self(after(index))
    }

    /// Returns the index of the access.
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// The number of a block: its place among those of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BlockNumber(NonZeroU32);

impl BlockNumber {
    /// Returns the number of the block at this index.
    #[inline]
    pub(super) fn new(index: usize) -> Self {
        Self(after(index))
    }
}

impl Default for Stamp {
    fn default() -> Self {
        Self::FIRST
    }
}

impl Stamp {
    /// The stamp of the first event; as a bound, it stands for no event.
    pub(super) const FIRST: Self = Self(NonZeroU32::MIN);

    /// Returns the stamp of the event at this index.
    #[inline]
    pub(super) fn new(index: usize) -> Self {
        Self(after(index))
    }

    /// Returns the index of the event.
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// Returns the stamp of the next event.
    #[inline]
    pub(super) const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// Returns [`Stamp::index`] as a number for a file or another process.
    #[inline]
    pub(super) const fn number(self) -> u32 {
        self.0.get() - 1
    }

    /// Returns the stamp of the event before, if this is not the first one.
    #[inline]
    pub(super) fn previous(self) -> Option<Self> {
        NonZeroU32::new(self.number()).map(Self)
    }

    /// Returns the stamps from this one on that are below the other one.
    #[inline]
    pub(super) fn up_to(self, end: Self) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (self.index()..end.index()).map(Self::new)
    }
}

/// The span of an event's accesses, which lie one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    first: u32,
    length: u32,
}

impl Span {
    /// Makes the span of `length` accesses from the index `first` on.
    #[inline]
    pub(super) fn new(first: usize, length: usize) -> Self {
        let narrow = |number: usize| u32::try_from(number).expect("an execution has fewer than 2^32 accesses");
        Self { first: narrow(first), length: narrow(length) }
    }

    /// Returns the number of accesses in the span.
    #[inline]
    pub(super) const fn length(self) -> usize {
        self.length as usize
    }

    /// Returns the indices of the accesses.
    #[inline]
    pub(super) const fn range(self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + self.length as usize
    }

    /// Returns the numbers of the accesses.
    #[inline]
    pub(super) fn numbers(self) -> impl DoubleEndedIterator<Item = AccessNumber> {
        self.range().map(AccessNumber::new)
    }

    /// Returns the span of the first `length` of these accesses.
    #[inline]
    pub(super) fn first(self, length: usize) -> Self {
        Self::new(self.first as usize, length)
    }
}

/// The place that an event accesses: a location or an object, as a small number that serves as an index into tables.
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

    /// Returns the place as an index.
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether the place is an object.
    #[inline]
    pub(super) const fn is_object(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns the location, if the place is one.
    #[inline]
    pub(super) const fn location(self) -> Option<Location> {
        if self.is_object() { None } else { Some(Location(self.0 >> 1)) }
    }

    /// Returns one of 64 bits that stands for the place: places without a common bit are different ones.
    #[inline]
    pub(super) const fn bit(self) -> u64 {
        1 << (self.0 & 63)
    }
}

/// Returns the entry of a place in a table, which is made large enough.
#[inline]
pub(super) fn entry<T: Clone>(table: &mut Vec<T>, place: Place, absent: T) -> &mut T {
    if table.len() <= place.index() {
        table.extend(iter::repeat_n(absent, place.index() + 1 - table.len()));
    }
    &mut table[place.index()]
}
