//! The division of memory into locations.
//!
//! Memory is cut into granules of eight aligned bytes, and a granule into locations: runs of bytes that every access
//! so far touched as a whole. Nearly always a variable is one location, and an access is one lookup. An access that
//! touches a part of a location cuts it ([`Partition::locate`] says so): the cut stands for all later executions, and
//! the execution in which it happened is run again, since its clocks and buffers were kept for the uncut location.
//! Cuts only ever get finer, at most seven a granule, so this ends; what remains is exact to the byte.

use std::ops::Range;

use crate::event::Location;

/// The number of a granule: eight aligned bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Granule(pub u32);

const BYTES: usize = 8;
const NONE: u32 = u32::MAX;

/// The bytes of a granule.
#[derive(Clone, Copy, Debug)]
struct Bytes {
    /// The width of the location that begins at each byte, where some access covered exactly that location; else 0.
    widths: [u8; BYTES],
    /// The location of each byte, or [`NONE`].
    of: [u32; BYTES],
    /// The bytes, as bits, before which every location ends whatever is accessed.
    bounds: u8,
}

/// What an access to a part of a granule touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touched {
    /// The access touches exactly one location.
    One(Location),
    /// The access touches several locations, or part of one that had to be cut; [`Partition::each`] returns them.
    Several {
        /// Whether a location that was in use had to be cut.
        cut: bool,
    },
}

/// The division of memory into locations, kept from one execution to the next.
#[derive(Default, Debug)]
pub struct Partition {
    granules: Vec<Bytes>,
    /// The granule and byte at which each location begins.
    begins: Vec<(Granule, u8)>,
}

impl Partition {
    /// Adds a granule without locations, and returns it.
    ///
    /// # Panics
    /// If there would be more than 2³² − 1 granules.
    pub fn granule(&mut self) -> Granule {
        let number = u32::try_from(self.granules.len()).expect("fewer than 2^32 granules");
        self.granules.push(Bytes { widths: [0; BYTES], of: [NONE; BYTES], bounds: 0 });
        Granule(number)
    }

    /// Returns how many locations there are.
    ///
    /// # Panics
    /// If there are more than 2³² − 1 locations.
    #[must_use]
    pub fn locations(&self) -> u32 {
        u32::try_from(self.begins.len()).expect("fewer than 2^32 locations")
    }

    /// Returns the granule and the byte in it where the location begins.
    ///
    /// # Panics
    /// If the location is none of this partition.
    #[must_use]
    pub fn begin(&self, location: Location) -> (Granule, u8) {
        self.begins[location.0 as usize]
    }

    /// Returns the location that the `width` bytes (at least 1) from `offset` (below 8) of the granule are, if they are exactly
    /// one location and an earlier access covered just that.
    #[inline]
    #[must_use]
    pub fn known(&self, granule: Granule, offset: u8, width: u8) -> Option<Location> {
        let bytes = self.granules.get(granule.0 as usize)?;
        let begin = usize::from(offset & 7);
        (bytes.widths[begin] == width).then(|| Location(bytes.of[begin]))
    }

    /// Locates an access to the `width` bytes (at least 1) from `offset` of the granule, and returns what it touches. `offset +
    /// width` is at most 8.
    ///
    /// # Panics
    /// If `granule` is none of this partition.
    pub fn locate(&mut self, granule: Granule, offset: u8, width: u8) -> Touched {
        self.known(granule, offset, width).map_or_else(|| self.locate_anew(granule, offset, width), Touched::One)
    }

    /// Forgets what is [`Partition::known`] of the granule outside the bytes from `begin` to `end` (exclusive, at most 8): an
    /// access to anything else must be located again. The locations stay what they are.
    pub fn keep_known(&mut self, granule: Granule, begin: u8, end: u8) {
        let widths = &mut self.granules[granule.0 as usize].widths;
        for (at, width) in (0..).zip(widths) {
            if at < begin || at + *width > end {
                *width = 0;
            }
        }
    }

    /// Returns the locations of these bytes in ascending order of address. The bytes must have been located before.
    pub fn each(&self, granule: Granule, offset: u8, width: u8) -> impl Iterator<Item = Location> + '_ {
        let of = &self.granules[granule.0 as usize].of;
        let (begin, end) = (usize::from(offset), usize::from(offset + width));
        (begin..end).filter(move |&byte| byte == begin || of[byte] != of[byte - 1]).map(|byte| Location(of[byte]))
    }

    /// Returns the bytes of each location of the granule, by their offsets.
    #[must_use]
    pub fn pieces(&self, granule: Granule) -> Vec<Range<usize>> {
        let mut begin = 0;
        let runs = self.granules[granule.0 as usize].of.chunk_by(|one, other| one == other).map(|run| {
            begin += run.len();
            (run[0], begin - run.len()..begin)
        });
        runs.filter(|&(location, _)| location != NONE).map(|(_, bytes)| bytes).collect()
    }

    /// Returns the locations of those of these bytes that have been located, in ascending order of address.
    pub fn located(&self, granule: Granule, offset: u8, width: u8) -> impl Iterator<Item = Location> + '_ {
        self.each(granule, offset, width).filter(|location| location.0 != NONE)
    }

    /// Returns the bytes, as bits, before which a location begins within an access that has been located.
    ///
    /// # Panics
    /// If `granule` is none of this partition.
    #[must_use]
    pub fn bounds_within(&self, granule: Granule, offset: u8, width: u8) -> u8 {
        let of = &self.granules[granule.0 as usize].of;
        let within = usize::from(offset) + 1..usize::from(offset + width);
        within.filter(|&byte| of[byte] != of[byte - 1]).fold(0, |bounds, byte| bounds | 1 << byte)
    }

    /// Keeps locations from reaching over these bounds from now on: `bounds` has a bit for the byte after each.
    ///
    /// # Panics
    /// If `granule` is none of this partition.
    pub fn divide(&mut self, granule: Granule, bounds: u8) {
        self.granules[granule.0 as usize].bounds |= bounds;
        for at in (1..BYTES).filter(|at| bounds >> at & 1 == 1) {
            self.cut(granule, at);
        }
    }

    fn locate_anew(&mut self, granule: Granule, offset: u8, width: u8) -> Touched {
        let (begin, end) = (usize::from(offset), usize::from(offset + width));
        assert!(begin < end && end <= BYTES, "an access to part of a granule");
        let cut_begin = self.cut(granule, begin);
        let cut_end = self.cut(granule, end);
        let mut byte = begin;
        while byte < end {
            let number = self.locations();
            let Bytes { of, bounds, .. } = &mut self.granules[granule.0 as usize];
            if of[byte] == NONE {
                let reaches = |next: &usize| of[*next] == NONE && (*next == byte || *bounds >> *next & 1 == 0);
                let gap = (byte..end).take_while(reaches).count();
                of[byte..byte + gap].fill(number);
                self.begins.push((granule, byte as u8));
                byte += gap;
            } else {
                byte += 1;
            }
        }
        let bytes = &mut self.granules[granule.0 as usize];
        let cut = cut_begin || cut_end;
        // If the access has one location, that has no part outside the access: the cuts above saw to that.
        if !cut && bytes.of[begin..end].iter().all(|&other| other == bytes.of[begin]) {
            bytes.widths[begin] = width;
            return Touched::One(Location(bytes.of[begin]));
        }
        Touched::Several { cut }
    }

    /// Makes a location end before byte `at`, and returns whether one had to be cut.
    fn cut(&mut self, granule: Granule, at: usize) -> bool {
        let number = self.locations();
        let bytes = &mut self.granules[granule.0 as usize];
        if at == 0 || at == BYTES || bytes.of[at] == NONE || bytes.of[at] != bytes.of[at - 1] {
            return false;
        }
        let old = bytes.of[at];
        let upper = bytes.of[at..].iter().take_while(|&&other| other == old).count();
        bytes.of[at..at + upper].fill(number);
        self.begins.push((granule, at as u8));
        bytes.widths = [0; BYTES];
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(partition: &Partition, granule: Granule, offset: u8, width: u8) -> Vec<u32> {
        partition.each(granule, offset, width).map(|location| location.0).collect()
    }

    #[test]
    fn equal_accesses_are_one_location() {
        let mut partition = Partition::default();
        let granule = partition.granule();
        let first = partition.locate(granule, 0, 4);
        assert_eq!(first, partition.locate(granule, 0, 4));
        assert_ne!(first, partition.locate(granule, 4, 4));
        assert_eq!(first, partition.locate(granule, 0, 4));
        assert_eq!(partition.locations(), 2);
    }

    #[test]
    fn a_wider_access_covers_both_halves_without_a_cut() {
        let mut partition = Partition::default();
        let granule = partition.granule();
        partition.locate(granule, 0, 4);
        partition.locate(granule, 4, 4);
        assert_eq!(partition.locate(granule, 0, 8), Touched::Several { cut: false });
        assert_eq!(each(&partition, granule, 0, 8), [0, 1]);
    }

    #[test]
    fn a_narrower_access_cuts_and_the_cut_stands() {
        let mut partition = Partition::default();
        let granule = partition.granule();
        partition.locate(granule, 0, 8);
        assert_eq!(partition.locate(granule, 2, 2), Touched::Several { cut: true });
        assert_eq!(each(&partition, granule, 0, 8).len(), 3);
        assert!(matches!(partition.locate(granule, 2, 2), Touched::One(_)));
        assert_eq!(partition.locate(granule, 0, 8), Touched::Several { cut: false });
    }

    #[test]
    fn what_is_divided_is_divided_as_if_it_had_been_cut() {
        // Bounds that are given before the accesses, or after the first so many of them, against cuts by accesses.
        let accesses = [(0, 8), (2, 4), (4, 2), (0, 4), (6, 2)];
        let mut cut = Partition::default();
        let whole = cut.granule();
        for (offset, width) in [(0, 4), (4, 4), (6, 2)].into_iter().chain(accesses) {
            cut.locate(whole, offset, width);
        }
        let bounds = cut.bounds_within(whole, 0, 8);
        assert_eq!(bounds, 0b0101_0100);
        for known in 0..=accesses.len() {
            let mut divided = Partition::default();
            let granule = divided.granule();
            for &(offset, width) in &accesses[..known] {
                divided.locate(granule, offset, width);
            }
            divided.divide(granule, bounds);
            for (offset, width) in accesses {
                assert_ne!(divided.locate(granule, offset, width), Touched::Several { cut: true });
                let expected = cut.each(whole, offset, width).count();
                assert_eq!(divided.each(granule, offset, width).count(), expected, "{offset}, {width} after {known}");
            }
            assert_eq!(divided.bounds_within(granule, 0, 8), bounds);
        }
    }

    #[test]
    fn overlapping_accesses_share_exactly_their_common_bytes() {
        let mut partition = Partition::default();
        let granule = partition.granule();
        partition.locate(granule, 0, 4);
        assert_eq!(partition.locate(granule, 2, 4), Touched::Several { cut: true });
        let low = each(&partition, granule, 0, 4);
        let high = each(&partition, granule, 2, 4);
        assert_eq!(low.iter().filter(|location| high.contains(location)).count(), 1);
        assert_eq!((low.len(), high.len()), (2, 2));
    }

    #[test]
    fn what_lies_outside_is_no_longer_known_and_is_the_same_location_again() {
        let mut partition = Partition::default();
        let granule = partition.granule();
        let low = partition.locate(granule, 0, 4);
        let high = partition.locate(granule, 4, 2);
        partition.keep_known(granule, 0, 5);
        assert_eq!(partition.known(granule, 0, 4).map(Touched::One), Some(low));
        assert_eq!(partition.known(granule, 4, 2), None);
        assert_eq!(partition.locate(granule, 4, 2), high);
        partition.keep_known(granule, 4, 8);
        assert_eq!(partition.known(granule, 0, 4), None);
        assert_eq!(partition.known(granule, 4, 2).map(Touched::One), Some(high));
        assert_eq!(partition.locations(), 2);
    }

    #[test]
    fn every_sequence_of_accesses_ends_with_locations_that_tile_each_access() {
        // All triples of shapes, against bytes as the definition.
        let shapes: Vec<(u8, u8)> = (0..8).flat_map(|o| (1..=8 - o).map(move |w| (o, w))).collect();
        for &a in &shapes {
            for &b in &shapes {
                for &c in &shapes {
                    let mut partition = Partition::default();
                    let granule = partition.granule();
                    for (offset, width) in [a, b, c] {
                        partition.locate(granule, offset, width);
                    }
                    for x in [a, b, c] {
                        for y in [a, b, c] {
                            let of_x = each(&partition, granule, x.0, x.1);
                            let of_y = each(&partition, granule, y.0, y.1);
                            let overlap = x.0 < y.0 + y.1 && y.0 < x.0 + x.1;
                            assert_eq!(overlap, of_x.iter().any(|l| of_y.contains(l)), "{a:?} {b:?} {c:?}");
                        }
                    }
                }
            }
        }
    }
}
