//! Clocks that travel along happens-before, as those of [`super::happens_before`] do, but count nothing by themselves: what an
//! event adds to the clocks of its thread, all events after it have as well. There are two of each, one for each model.

use super::happens_before::Accesses;
use super::journal::Rows;
use crate::clock::{Block, Clock, Clocks, join};
use crate::event::{Event, Kind, Location, Thread};

/// The travelling clocks of one execution after the other.
#[derive(Debug, Default)]
pub(super) struct Travelling {
    threads: Clocks<2>,
    /// The clocks of each location: what its writes have, then what all accesses to it have.
    locations: Clocks<4>,
    /// The clocks of each object: what the operations that are ordered with all others have, then what all have.
    objects: Clocks<4>,
}

impl Travelling {
    pub(super) fn begin(&mut self) {
        self.threads.begin();
        self.locations.begin();
        self.objects.begin();
    }

    pub(super) fn widen(&mut self, width: usize) {
        self.threads.widen(width);
        self.locations.widen(width);
        self.objects.widen(width);
    }

    /// Returns the thread's clock of a model; none stands for all zero.
    #[inline]
    pub(super) fn with(&self, thread: Thread, model: usize) -> Option<&Clock> {
        let width = self.threads.width();
        Some(&self.threads.touched(thread.index())?[model * width..][..width])
    }

    /// Returns the clock of a model that these accesses to a location have; none stands for all zero.
    pub(super) fn with_accesses(&self, location: Location, accesses: Accesses, model: usize) -> Option<&Clock> {
        let width = self.threads.width();
        let place = match accesses {
            Accesses::Writes => model,
            Accesses::All => 2 + model,
        };
        Some(&self.locations.touched(location.index())?[place * width..][..width])
    }

    /// Joins what comes before the event into the clocks of its thread, and returns these. `WIDTH` is as in
    /// [`Clocks::row_of_width`].
    #[inline(always)]
    pub(super) fn receive<const WIDTH: usize>(&mut self, event: &Event, locations: &[Location]) -> &mut [Block] {
        let row = event.thread.index();
        if let Kind::Join(ended) = event.kind {
            self.threads.join_rows::<WIDTH>(row, ended.index());
        }
        let clocks = self.threads.row_of_width::<WIDTH>(row);
        let length = clocks.len();
        for location in locations {
            let (writes, all) = self.locations.row_of_width::<WIDTH>(location.index()).split_at(length);
            join(clocks, if event.kind.writes() { all } else { writes });
        }
        match event.kind {
            Kind::Lock(object) => join(clocks, &self.objects.row(object.index())[length..]),
            Kind::Share(object) => join(clocks, &self.objects.row(object.index())[..length]),
            Kind::Wait { condition, mutex } => {
                for object in [condition, mutex] {
                    join(clocks, &self.objects.row(object.index())[length..]);
                }
            }
            _ => {}
        }
        clocks
    }

    /// Returns all clocks: those of threads, of locations and of objects.
    pub(super) const fn rows(&mut self) -> Rows<'_, 2, 4> {
        (&mut self.threads, &mut self.locations, &mut self.objects)
    }

    /// Passes the clocks of the event's thread on to what comes after the event, for which [`Travelling::receive`] has been
    /// called.
    #[inline(always)]
    pub(super) fn send<const WIDTH: usize>(&mut self, event: &Event, locations: &[Location]) {
        let row = event.thread.index();
        let clocks = self.threads.row_again::<WIDTH>(row);
        let length = clocks.len();
        for location in locations {
            let (writes, all) = self.locations.row_again::<WIDTH>(location.index()).split_at_mut(length);
            if event.kind.writes() {
                writes.copy_from_slice(clocks);
                all.copy_from_slice(clocks);
            } else {
                join(all, clocks);
            }
        }
        match event.kind {
            Kind::Lock(object) => give(clocks, self.objects.row(object.index())),
            Kind::Share(object) => join(&mut self.objects.row(object.index())[length..], clocks),
            Kind::Wait { condition, mutex } => {
                for object in [condition, mutex] {
                    give(clocks, self.objects.row(object.index()));
                }
            }
            Kind::Create(child) => self.threads.join_rows::<WIDTH>(child.index(), row),
            _ => {}
        }
    }
}

/// Passes clocks on to an operation that is ordered with all others.
fn give(clocks: &[Block], row: &mut [Block]) {
    let (ordered, all) = row.split_at_mut(clocks.len());
    ordered.copy_from_slice(clocks);
    all.copy_from_slice(clocks);
}
