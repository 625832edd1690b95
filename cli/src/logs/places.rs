//! The bytes that each access of a log touches, as the locations that monitors know.
//!
//! The memory that a name stands for is its own, and begins at 0. An access whose width is not given is to all bytes that the log
//! accesses from the same address on; to one byte if no access there has a width. Which memory the log accesses in parts is only
//! known at its end, so a log in which such a part comes late is read twice ([`Places::is_stale`]).

use engine::event::Location;
use engine::location::{Granule, Partition, Touched};
use protocol::log::Address;
use rustc_hash::FxHashMap;

/// The most bytes that an access may have.
const WIDEST: u32 = 1 << 16;

/// The number of the memory that addresses are in; the memories of names are numbered from 1.
const MEMORY: u32 = 0;

/// The first byte of an access: the number of the memory, and the offset in it.
pub(super) type Start = (u32, u64);

/// The extent of what is accessed from some byte on.
#[derive(Clone, Copy, Default)]
struct Extent {
    /// The width of the widest access.
    widest: u32,
    /// Whether some access has no width.
    is_whole: bool,
}

/// The place in `Places::lists` of the locations of an access, and their number.
#[derive(Clone, Copy)]
pub(super) struct Located {
    first: u32,
    count: u32,
}

/// The memory of a log.
#[derive(Default)]
pub(super) struct Places {
    partition: Partition,
    granules: FxHashMap<(u32, u64), Granule>,
    names: FxHashMap<Box<str>, u32>,
    extents: FxHashMap<Start, Extent>,
    /// The accesses that have been located since the last cut.
    known: FxHashMap<(Start, u32), Located>,
    lists: Vec<Location>,
    is_stale: bool,
}

impl Places {
    /// Whether an earlier access would be located otherwise now.
    pub(super) const fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Notes that the log is read again from its beginning.
    pub(super) fn read_again(&mut self) {
        self.is_stale = false;
    }

    /// Returns the first byte of what an address names.
    pub(super) fn start(&mut self, address: &Address<'_>) -> Start {
        match address {
            Address::Number(number) => (MEMORY, *number),
            Address::Name(name) => {
                if let Some(&number) = self.names.get(&**name) {
                    return (number, 0);
                }
                let number = u32::try_from(self.names.len() + 1).expect("fewer names than lines");
                self.names.insert(name.as_ref().into(), number);
                (number, 0)
            }
        }
    }

    /// Locates an access that begins at `start`.
    ///
    /// # Errors
    /// If something is wrong with the access; the error says what, in words.
    pub(super) fn locate(&mut self, start: Start, width: Option<u32>) -> Result<Located, String> {
        let width = self.width(start, width)?;
        match self.known.get(&(start, width)) {
            Some(&known) => Ok(known),
            None => self.locate_anew(start, width),
        }
    }

    /// Returns the locations of an access that has been located, ascending.
    pub(super) fn locations(&self, located: Located) -> &[Location] {
        &self.lists[located.first as usize..][..located.count as usize]
    }

    fn width(&mut self, start: Start, said: Option<u32>) -> Result<u32, String> {
        let extent = self.extents.entry(start).or_default();
        match said {
            None => extent.is_whole = true,
            Some(width) if width > WIDEST => return Err(format!("an access of more than {WIDEST} bytes")),
            Some(width) => {
                self.is_stale |= extent.is_whole && width > extent.widest.max(1);
                extent.widest = extent.widest.max(width);
            }
        }
        Ok(said.unwrap_or(extent.widest.max(1)))
    }

    fn locate_anew(&mut self, start: Start, width: u32) -> Result<Located, String> {
        let (space, begin) = start;
        let last = begin.checked_add(u64::from(width) - 1).ok_or("an access beyond the end of memory")?;
        let mut locations = Vec::new();
        for number in begin / 8..=last / 8 {
            let granule = *self.granules.entry((space, number)).or_insert_with(|| self.partition.granule());
            let from = if number == begin / 8 { begin % 8 } else { 0 };
            let to = if number == last / 8 { last % 8 } else { 7 };
            let (offset, width) = (byte(from), byte(to - from + 1));
            match self.partition.locate(granule, offset, width) {
                Touched::One(location) => locations.push(location),
                Touched::Several { cut } => {
                    if cut {
                        self.known.clear();
                        self.lists.clear();
                        self.is_stale = true;
                    }
                    locations.extend(self.partition.each(granule, offset, width));
                }
            }
        }
        locations.sort_unstable();
        let list = |length: usize| u32::try_from(length).expect("fewer than 2^32 locations");
        let located = Located { first: list(self.lists.len()), count: list(locations.len()) };
        self.lists.append(&mut locations);
        self.known.insert((start, width), located);
        Ok(located)
    }
}

/// Returns a number below 9 as a byte.
fn byte(number: u64) -> u8 {
    u8::try_from(number).expect("granules have 8 bytes")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use protocol::log::Address;

    use super::Places;

    /// Returns the locations that each access has when all have been seen, and how often the log was read.
    fn located(accesses: &[(Address<'_>, Option<u32>)]) -> (Vec<BTreeSet<u32>>, u32) {
        let mut places = Places::default();
        for times in 1.. {
            places.read_again();
            let locate = |(address, width): &(Address<'_>, Option<u32>)| {
                let start = places.start(address);
                let located = places.locate(start, *width).unwrap();
                places.locations(located).iter().map(|location| location.0).collect()
            };
            let all = accesses.iter().map(locate).collect();
            if !places.is_stale() {
                return (all, times);
            }
        }
        unreachable!()
    }

    fn name(name: &'static str, width: Option<u32>) -> (Address<'static>, Option<u32>) {
        (Address::Name(name.into()), width)
    }

    fn number(number: u64, width: Option<u32>) -> (Address<'static>, Option<u32>) {
        (Address::Number(number), width)
    }

    #[test]
    fn accesses_have_the_bytes_in_common_that_they_have() {
        // All pairs of widths and distances over three granules, against bytes as the definition.
        for distance in 0..20 {
            for (first, second) in (1..18).flat_map(|first| (1..10).map(move |second| (first, second))) {
                let bytes = |begin: u64, width: u32| (begin..begin + u64::from(width)).collect::<BTreeSet<_>>();
                let (a, b) = ((100, first), (100 + distance, second));
                let (all, _) = located(&[number(a.0, Some(a.1)), number(b.0, Some(b.1))]);
                let common = bytes(a.0, a.1).intersection(&bytes(b.0, b.1)).count();
                assert_eq!(all[0].is_disjoint(&all[1]), common == 0, "{a:?} {b:?}");
                assert_eq!(all[0] == all[1], bytes(a.0, a.1) == bytes(b.0, b.1), "{a:?} {b:?}");
                assert_eq!(all[1].is_subset(&all[0]), common == b.1 as usize, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn names_and_addresses_are_different_memory() {
        let (all, times) = located(&[name("x", None), name("y", None), number(0, None), number(8, Some(8))]);
        assert_eq!(all.iter().flatten().collect::<BTreeSet<_>>().len(), 4);
        assert_eq!(times, 1);
    }

    #[test]
    fn an_access_without_width_is_to_the_whole_location() {
        for whole_first in [true, false] {
            let mut accesses = vec![name("x", None), name("x", Some(2)), name("x", Some(8))];
            if !whole_first {
                accesses.reverse();
            }
            let (all, times) = located(&accesses);
            let whole = if whole_first { 0 } else { 2 };
            assert_eq!(all[whole], all[2 - whole]);
            assert!(all[1].is_subset(&all[0]) && all[1].len() < all[0].len());
            assert_eq!(times, 2);
        }
        let (all, _) = located(&[number(16, None), number(16, Some(4)), number(18, Some(4))]);
        assert!(all[0] == all[1] && !all[0].is_disjoint(&all[2]) && all[0] != all[2]);
    }

    #[test]
    fn what_is_no_access_is_refused() {
        let mut places = Places::default();
        let mut refused = |number, width| places.locate((0, number), Some(width)).err();
        assert_eq!(refused(u64::MAX, 2).as_deref(), Some("an access beyond the end of memory"));
        assert_eq!(refused(0, 65_537).as_deref(), Some("an access of more than 65536 bytes"));
        assert!(Places::default().locate((0, u64::MAX), None).is_ok());
    }
}
