//! The map from addresses to the locations of execution graphs. Each access must be to the same bytes as all others
//! that touch one of them. Only functions that copy and fill memory byte by byte make their accesses in pieces, which
//! may be cut: where such a piece turns out to be too wide, the cut is kept, and the search begins anew.

use std::collections::BTreeSet;

use engine::event::{Location, Thread};
use engine::graph::Value;
use protocol::{Division, Located};
use rustc_hash::FxHashMap;

use crate::state::library::Common;

/// The memory of a location; its width is 0 if it is not memory.
#[derive(Clone, Copy, Debug)]
struct Place {
    address: usize,
    width: usize,
    initial: Value,
    /// Whether all accesses so far were pieces of longer ones.
    piece: bool,
}

/// A location of memory: its address, its width in bytes, and the value that it holds at first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes {
    pub(crate) address: usize,
    pub(crate) width: usize,
    pub(crate) first: Value,
}

/// Something that is no memory but has a location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Thing {
    /// The fact that a thread has been created.
    Beginning(Thread),
    /// The fact that a thread has ended.
    End(Thread),
    /// The mutex at an address.
    Mutex(usize),
    /// Another object at an address, whose states have numbers.
    Object(usize),
    /// The fact that a round of a barrier is complete; the barrier is named by the access of the thread that
    /// initialised it.
    Round((Thread, u32), u32),
    /// The choices of a thread.
    Choices(Thread),
    /// Something that the C library keeps for all threads.
    Common(Common),
}

/// The reason why an access has no location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unlocated {
    /// The access shares bytes with another one, and is not to the same bytes.
    Mixed,
    /// The access shares bytes with pieces that may be cut: next time they will be.
    Cut,
    /// The access is across eight aligned bytes.
    Unaligned,
}

/// The locations of a search.
#[derive(Default)]
pub(crate) struct Places {
    /// The number of the location of each byte plus 1, or 0, by the address of eight aligned ones.
    granules: FxHashMap<usize, [u32; 8]>,
    /// The locations that are no memory.
    things: FxHashMap<Thing, Location>,
    /// The locations, by number.
    places: Vec<Place>,
    /// The addresses that pieces do not go across.
    cuts: BTreeSet<usize>,
    /// The number of locations of which the tool has been told, or will be when the slice ends.
    told: usize,
}

impl Places {
    /// Forgets the locations, but not where pieces are cut.
    pub(crate) fn reset(&mut self) {
        self.granules.clear();
        self.things.clear();
        self.places.clear();
        self.told = 0;
    }

    /// Returns the memory that has become locations since this was last asked.
    pub(crate) fn located(&mut self) -> Vec<Located> {
        let new = self.places[self.told..].iter().filter(|place| place.width > 0);
        let width = |place: &Place| u8::try_from(place.width).unwrap_or(u8::MAX);
        let located = |place: &Place| Located { address: place.address as u64, width: width(place) };
        let located = new.map(located).collect();
        self.told = self.places.len();
        located
    }

    /// Returns the number of locations.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the value that the location holds at first.
    pub(crate) fn initial(&self, location: Location) -> Value {
        self.places[location.index()].initial
    }

    /// Returns all locations that are memory.
    pub(crate) fn memory(&self) -> impl Iterator<Item = (Location, Bytes)> {
        let numbered = (0..).map(Location).zip(&self.places).filter(|(_, place)| place.width > 0);
        numbered.map(|(location, _)| (location, self.bytes(location)))
    }

    /// Returns all locations that are not memory, in an order that does not depend on which was found first.
    pub(crate) fn things(&self) -> impl Iterator<Item = (Thing, Location)> {
        let mut things: Vec<(Thing, Location)> =
            self.things.iter().map(|(&thing, &location)| (thing, location)).collect();
        things.sort_unstable_by_key(|&(thing, _)| thing);
        things.into_iter()
    }

    /// Returns the memory of a location.
    pub(crate) fn bytes(&self, location: Location) -> Bytes {
        let place = &self.places[location.index()];
        Bytes { address: place.address, width: place.width, first: place.initial }
    }

    /// Whether a location is memory.
    pub(crate) fn is_memory(&self, location: Location) -> bool {
        self.places[location.index()].width > 0
    }

    /// Adds a location.
    fn add(&mut self, place: Place) -> Location {
        let number = u32::try_from(self.places.len()).expect("fewer than 2^32 locations");
        self.places.push(place);
        Location(number)
    }

    /// Returns the location of the byte at an address that [`Self::locate`] has found before.
    pub(crate) fn at(&self, address: usize) -> Location {
        Location(self.granules[&(address & !7)][address & 7] - 1)
    }

    /// Returns the location of these bytes, at most eight, which hold `initial` at first.
    pub(crate) fn locate(
        &mut self,
        address: usize,
        width: usize,
        piece: bool,
        initial: u64,
    ) -> Result<Location, Unlocated> {
        let bytes = address & 7..(address & 7) + width;
        if bytes.end > 8 {
            return Err(Unlocated::Unaligned);
        }
        let entry = self.granules.entry(address & !7).or_default();
        let numbers = &mut entry[bytes];
        if numbers.iter().all(|&number| number == 0) {
            let number = u32::try_from(self.places.len() + 1).expect("fewer than 2^32 locations");
            numbers.fill(number);
            return Ok(self.add(Place { address, width, initial: initial.cast_signed(), piece }));
        }
        if let Some(number) = numbers[0].checked_sub(1)
            && let Some(place) = self.places.get_mut(number as usize)
            && (place.address, place.width) == (address, width)
        {
            place.piece &= piece;
            return Ok(Location(number));
        }
        let others = numbers.iter().filter_map(|&number| number.checked_sub(1));
        let others: Vec<Place> = others.map(|number| self.places[number as usize]).collect();
        if !piece && others.iter().any(|other| !other.piece) {
            return Err(Unlocated::Mixed);
        }
        let known = self.cuts.len();
        for other in others.iter().filter(|other| piece || !other.piece) {
            self.cuts.extend([other.address, other.address + other.width]);
        }
        if !piece || others.iter().all(|other| other.piece) {
            self.cuts.extend([address, address + width]);
        }
        // This is a piece of something that only others access as a whole: no cut helps.
        Err(if self.cuts.len() > known { Unlocated::Cut } else { Unlocated::Mixed })
    }

    /// Makes these bytes a location of their own, by cuts before and behind them.
    pub(crate) fn cut_around(&mut self, bytes: std::ops::Range<usize>) {
        self.cuts.extend([bytes.start, bytes.end]);
    }

    /// Cuts memory where another process has cut it.
    pub(crate) fn divide(&mut self, divisions: &[Division]) {
        for division in divisions {
            let first = usize::try_from(division.address).unwrap_or(usize::MAX);
            self.cuts.extend((0..8).filter(|byte| division.bounds >> byte & 1 == 1).map(|byte| first + byte));
        }
    }

    /// Returns where memory is cut.
    pub(crate) fn divisions(&self) -> Vec<Division> {
        let mut all: Vec<Division> = Vec::new();
        for cut in &self.cuts {
            let (address, bounds) = ((cut & !7) as u64, 1 << (cut & 7));
            match all.last_mut() {
                Some(last) if last.address == address => last.bounds |= bounds,
                _ => all.push(Division { address, bounds }),
            }
        }
        all
    }

    /// Returns the width of the widest piece at the address, of at most `width` bytes, that no cut goes through.
    pub(crate) fn piece(&self, address: usize, width: usize) -> usize {
        let mut width = width;
        while width > 1 && self.cuts.range(address + 1..address + width).next().is_some() {
            width /= 2;
        }
        width
    }

    /// Returns the location of something that is no memory.
    pub(crate) fn of(&mut self, thing: Thing) -> Location {
        if let Some(&location) = self.things.get(&thing) {
            return location;
        }
        let location = self.add(Place { address: 0, width: 0, initial: 0, piece: false });
        self.things.insert(thing, location);
        location
    }
}

#[cfg(test)]
mod tests {
    use engine::event::Location;

    use super::{Places, Unlocated};

    #[test]
    fn an_access_to_a_part_is_refused_and_pieces_are_cut() {
        let mut places = Places::default();
        assert_eq!(places.locate(0x1000, 4, false, 0), Ok(Location(0)));
        assert_eq!(places.locate(0x1004, 4, false, 7), Ok(Location(1)));
        assert_eq!(places.locate(0x1000, 4, false, 0), Ok(Location(0)));
        assert_eq!(places.initial(Location(1)), 7);
        assert_eq!(places.locate(0x1000, 8, false, 0), Err(Unlocated::Mixed));
        assert_eq!(places.locate(0x1002, 2, false, 0), Err(Unlocated::Mixed));
        assert_eq!(places.locate(0x1006, 4, false, 0), Err(Unlocated::Unaligned));
        assert_eq!(places.piece(0x1000, 8), 8);
        assert_eq!(places.locate(0x1000, 8, true, 0), Err(Unlocated::Cut));
        assert_eq!(places.piece(0x1000, 8), 4);
    }

    #[test]
    fn a_piece_of_what_is_accessed_as_a_whole_is_refused() {
        let mut places = Places::default();
        assert_eq!(places.locate(0x1000, 4, false, 0), Ok(Location(0)));
        assert_eq!(places.locate(0x1000, 2, true, 0), Err(Unlocated::Cut));
        places.reset();
        assert_eq!(places.locate(0x1000, 4, false, 0), Ok(Location(0)));
        assert_eq!(places.locate(0x1000, 2, true, 0), Err(Unlocated::Mixed));
    }

    #[test]
    fn a_piece_across_two_others_is_cut_between_them() {
        let mut places = Places::default();
        assert_eq!(places.locate(0x3004, 1, true, 0), Ok(Location(0)));
        assert_eq!(places.locate(0x3005, 1, true, 0), Ok(Location(1)));
        assert_eq!(places.locate(0x3004, 2, true, 0), Err(Unlocated::Cut));
        assert_eq!(places.piece(0x3004, 2), 1);
    }

    #[test]
    fn an_access_to_a_part_of_a_piece_cuts_it_next_time() {
        let mut places = Places::default();
        assert_eq!(places.locate(0x2000, 8, true, 0), Ok(Location(0)));
        assert_eq!(places.locate(0x2004, 2, false, 0), Err(Unlocated::Cut));
        places.reset();
        assert_eq!([places.piece(0x2000, 8), places.piece(0x2004, 4), places.piece(0x2006, 2)], [4, 2, 2]);
        assert_eq!(places.locate(0x2004, 2, false, 0), Ok(Location(0)));
    }
}
