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
    /// The tick of the write in its thread.
    pub(super) tick: Tick,
    pub(super) event: EventIndex,
    /// The tick after which the epoch of stores began that the write belongs to.
    pub(super) epoch: Tick,
    pub(super) kind: WriteKind,
    /// The number of the write on the store side of its thread, where a [`super::relaxed_order`] is kept; else 0.
    pub(super) stores: Tick,
}

/// The way in which a write reaches memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WriteKind {
    /// The write goes through the store buffer.
    Plain,
    /// The write takes effect at once, as that of a read-modify-write does.
    Atomic,
}

impl WriteKind {
    /// Returns how the write of an event of this kind reaches memory.
    #[inline]
    pub(super) const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Store | Kind::Await(_) => Self::Plain,
            _ => Self::Atomic,
        }
    }
}

/// A write at one of its locations: a cell of [`Writes`].
#[derive(Clone, Copy, Debug)]
pub(super) struct LocationWrite {
    pub(super) write: Write,
    location: Location,
    /// The cell of the next write to this location, or [`NONE`].
    pub(super) next: u32,
    /// The cell of the preceding write to this location, or [`NONE`].
    pub(super) before: u32,
    /// The place of the first of the cells of the same write, which are `count` and lie side by side.
    pub(super) first: u32,
    count: u32,
}

impl LocationWrite {
    /// Returns the places of the cells of the same write.
    pub(super) const fn places(&self) -> Range<u32> {
        self.first..self.first + self.count
    }
}

/// The place that stands for no cell.
pub(super) const NONE: u32 = u32::MAX;

/// The writes of the execution so far.
#[derive(Debug, Default)]
pub(super) struct Writes {
    pub(super) cells: Vec<LocationWrite>,
    /// The places of the first and the newest cell of each location. The table is left as it is from one execution to the next:
    /// an entry counts only if the cells there are of its location.
    ends: Vec<[u32; 2]>,
    /// The place, plus 1, of the newest cell of each location that each thread knows; 0 for none.
    known: Clocks<1>,
}

impl Writes {
    /// Forgets the last execution.
    pub(super) fn begin(&mut self) {
        self.cells.clear();
        self.known.begin();
    }

    /// Widens the table with the clocks that a [`Past`] comes from.
    pub(super) fn widen(&mut self, width: usize) {
        self.known.widen(width);
    }

    fn end(&self, location: Location, which: usize) -> Option<u32> {
        let place = self.ends.get(location.index())?[which];
        let cell = self.cells.get(place as usize)?;
        (cell.location == location).then_some(place)
    }

    /// Returns the place of the newest write to the location.
    #[inline]
    pub(super) fn newest(&self, location: Location) -> Option<u32> {
        self.end(location, 1)
    }

    /// Returns the cell at a place.
    #[inline]
    pub(super) fn at(&self, place: u32) -> Option<&LocationWrite> {
        self.cells.get(place as usize)
    }

    /// Returns the place of the newest write to the location among those before prev. `WIDTH` is as in [`Clocks::row_of_width`].
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

    /// Returns how far [`Writes::known`] has come for a thread, to be changed.
    #[inline]
    pub(super) fn progress<const WIDTH: usize>(&mut self, location: Location, thread: Thread) -> &mut u32 {
        &mut self.known.row_of_width::<WIDTH>(location.index())[thread.index() / LANES][thread.index() % LANES]
    }

    /// Removes the newest cells until `cells` are left.
    pub(super) fn truncate(&mut self, cells: usize) {
        while self.cells.len() > cells {
            let removed = self.cells.pop().expect("there are more");
            if let Some(before) = self.cells.get_mut(removed.before as usize) {
                before.next = NONE;
                self.ends[removed.location.index()][1] = removed.before;
            }
        }
    }

    /// Returns the place of the newest write to the location that a clock knows; `place` is one that it knows, with all before
    /// it.
    pub(super) fn known_to(&self, location: Location, clock: &Clock, mut place: Option<u32>) -> Option<u32> {
        loop {
            let next = place.map_or_else(|| self.end(location, 0), |place| Some(self.cells[place as usize].next))?;
            match self.cells.get(next as usize) {
                Some(cell) if crate::clock::count(clock, cell.write.thread) >= cell.write.tick => place = Some(next),
                _ => return place,
            }
        }
    }

    /// Adds a write, which is the newest one.
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
