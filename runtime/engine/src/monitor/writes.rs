//! The writes of an execution by location, in the order in which they happened, and for each thread the newest one that
//! it knows.
//!
//! The writes to a location are totally ordered by happens-before, so those that a thread knows are the first ones, and
//! ever more: [`Writes::known`] goes on from where it stopped, O(1) amortised for each write and thread.

use std::ops::Range;

use super::happens_before::Past;
use crate::clock::{Clock, Clocks, LANES, Tick};
use crate::event::{EventIndex, Kind, Location, Thread};

/// A write, but for its locations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    pub(super) thread: Thread,
    /// Its tick in its thread.
    pub(super) tick: Tick,
    pub(super) event: EventIndex,
    /// The tick after which its epoch of stores began.
    pub(super) epoch: Tick,
    pub(super) kind: WriteKind,
    /// Its number on the store side of its thread, where a [`super::relaxed_order`] is kept; else 0.
    pub(super) stores: Tick,
}

/// How a write reaches memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WriteKind {
    /// Through the store buffer.
    Plain,
    /// At once, as a read-modify-write does.
    Atomic,
}

impl WriteKind {
    /// How the write of an event of this kind does.
    #[inline]
    pub(super) const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Store | Kind::Await(_) => Self::Plain,
            _ => Self::Atomic,
        }
    }
}

/// One write at one of its locations.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocationWrite {
    pub(super) write: Write,
    location: Location,
    /// The cell of the write after it to this location, or [`NONE`].
    pub(super) next: u32,
    /// The cell of the write before it to this location, or [`NONE`].
    pub(super) before: u32,
    /// The cells of the same write: the place of the first one, and how many there are.
    pub(super) first: u32,
    count: u32,
}

impl LocationWrite {
    /// The places of the cells of the same write.
    pub(super) const fn places(&self) -> Range<u32> {
        self.first..self.first + self.count
    }
}

/// A place where no cell is.
pub(super) const NONE: u32 = u32::MAX;

/// The writes of the execution so far.
#[derive(Debug, Default)]
pub(super) struct Writes {
    pub(super) cells: Vec<LocationWrite>,
    /// The places of the first and the newest cell of each location. Left as they are from one execution to the next:
    /// they count only if the cells there are of this location.
    ends: Vec<[u32; 2]>,
    /// For each location, by thread, the place of the newest cell that it knows, plus 1; 0 for none.
    known: Clocks<1>,
}

impl Writes {
    /// Forgets the last execution.
    pub(super) fn begin(&mut self) {
        self.cells.clear();
        self.known.begin();
    }

    /// As the clocks that a [`Past`] comes from.
    pub(super) fn widen(&mut self, width: usize) {
        self.known.widen(width);
    }

    fn end(&self, location: Location, which: usize) -> Option<u32> {
        let place = self.ends.get(location.index())?[which];
        let cell = self.cells.get(place as usize)?;
        (cell.location == location).then_some(place)
    }

    /// The newest write to the location.
    #[inline]
    pub(super) fn newest(&self, location: Location) -> Option<u32> {
        self.end(location, 1)
    }

    /// The cell at a place.
    #[inline]
    pub(super) fn at(&self, place: u32) -> Option<&LocationWrite> {
        self.cells.get(place as usize)
    }

    /// The newest write to the location among those before prev. `WIDTH` is as in [`Clocks::row_of_width`].
    #[inline(always)]
    pub(super) fn known<const WIDTH: usize>(&mut self, location: Location, past: &Past<'_>) -> Option<u32> {
        let &[first, newest] = self.ends.get(location.index())?;
        if self.cells.get(newest as usize)?.location != location {
            return None;
        }
        let (block, lane) = (past.thread().index() / LANES, past.thread().index() % LANES);
        let known = &mut self.known.row_of_width::<WIDTH>(location.index())[block][lane];
        let mut place = known.checked_sub(1);
        while place != Some(newest) {
            let next = place.map_or(first, |place| self.cells[place as usize].next);
            let write = &self.cells[next as usize].write;
            if !past.contains(write.thread, write.tick) {
                break;
            }
            place = Some(next);
        }
        *known = place.map_or(0, |place| place + 1);
        place
    }

    /// Up to where [`Writes::known`] has come for a thread.
    #[inline]
    pub(super) fn progress<const WIDTH: usize>(&mut self, location: Location, thread: Thread) -> &mut u32 {
        &mut self.known.row_of_width::<WIDTH>(location.index())[thread.index() / LANES][thread.index() % LANES]
    }

    /// Removes the newest cells but so many.
    pub(super) fn truncate(&mut self, cells: usize) {
        while self.cells.len() > cells {
            let removed = self.cells.pop().expect("there are more");
            if let Some(before) = self.cells.get_mut(removed.before as usize) {
                before.next = NONE;
                self.ends[removed.location.index()][1] = removed.before;
            }
        }
    }

    /// The newest write to the location that a clock knows, which knows all that come before this place.
    pub(super) fn known_to(&self, location: Location, clock: &Clock, mut place: Option<u32>) -> Option<u32> {
        loop {
            let next = place.map_or_else(|| self.end(location, 0), |place| Some(self.cells[place as usize].next))?;
            match self.cells.get(next as usize) {
                Some(cell) if crate::clock::count(clock, cell.write.thread) >= cell.write.tick => place = Some(next),
                _ => return place,
            }
        }
    }

    /// Adds the newest write.
    pub(super) fn add(&mut self, write: Write, locations: &[Location]) {
        let first = self.cells.len() as u32;
        for (place, &location) in (first..).zip(locations) {
            let before = self.end(location, 1).unwrap_or(NONE);
            self.cells.push(LocationWrite {
                write,
                location,
                next: NONE,
                before,
                first,
                count: locations.len() as u32,
            });
            if location.index() >= self.ends.len() {
                self.ends.resize(location.index() + 1, [NONE; 2]);
            }
            let ends = &mut self.ends[location.index()];
            match self.cells.get_mut(before as usize) {
                Some(cell) => cell.next = place,
                None => ends[0] = place,
            }
            ends[1] = place;
        }
    }
}
