//! Clocks that travel along happens-before, as those of [`super::happens_before`] do, but count nothing by themselves:
//! what an event adds to the clock of its thread, all events after it have as well.

use super::happens_before::Accesses;
use crate::clock::{Block, Clock, Clocks, join};
use crate::event::{Event, Kind, Location, Thread};

/// The clocks of one execution after the other.
#[derive(Debug, Default)]
pub(super) struct Travelling {
    threads: Clocks<1>,
    /// With the writes of a location, then with all accesses to it.
    locations: Clocks<2>,
    /// With the operations on an object that are ordered with all others, then with all.
    objects: Clocks<2>,
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

    /// What the thread has; nothing is all zero.
    pub(super) fn with(&self, thread: Thread) -> Option<&Clock> {
        self.threads.touched(thread.index())
    }

    /// What these accesses to a location have; nothing is all zero.
    pub(super) fn with_accesses(&self, location: Location, accesses: Accesses) -> Option<&Clock> {
        let (writes, all) = self.locations.touched(location.index())?.split_at(self.threads.width());
        Some(match accesses {
            Accesses::Writes => writes,
            Accesses::All => all,
        })
    }

    /// Joins what comes before the event into the clock of its thread, which is returned.
    pub(super) fn receive(&mut self, event: &Event, locations: &[Location]) -> &mut [Block] {
        let row = event.thread.index();
        if let Kind::Join(ended) = event.kind {
            self.threads.join_rows::<0>(row, ended.index());
        }
        let clock = self.threads.row(row);
        let width = clock.len();
        for location in locations {
            let (writes, all) = self.locations.row(location.index()).split_at(width);
            join(clock, if event.kind.writes() { all } else { writes });
        }
        match event.kind {
            Kind::Lock(object) => join(clock, &self.objects.row(object.index())[width..]),
            Kind::Share(object) => join(clock, &self.objects.row(object.index())[..width]),
            Kind::Wait { condition, mutex } => {
                for object in [condition, mutex] {
                    join(clock, &self.objects.row(object.index())[width..]);
                }
            }
            _ => {}
        }
        clock
    }

    /// Gives what the thread has to what comes after the event.
    pub(super) fn send(&mut self, event: &Event, locations: &[Location]) {
        let row = event.thread.index();
        let clock = self.threads.row(row);
        let width = clock.len();
        let give = |row: &mut [Block], to_all: bool| {
            let (ordered, all) = row.split_at_mut(width);
            if to_all {
                ordered.copy_from_slice(clock);
                all.copy_from_slice(clock);
            } else {
                join(all, clock);
            }
        };
        for location in locations {
            give(self.locations.row(location.index()), event.kind.writes());
        }
        match event.kind {
            Kind::Lock(object) => give(self.objects.row(object.index()), true),
            Kind::Share(object) => give(self.objects.row(object.index()), false),
            Kind::Wait { condition, mutex } => {
                for object in [condition, mutex] {
                    give(self.objects.row(object.index()), true);
                }
            }
            Kind::Create(child) => self.threads.join_rows::<0>(child.index(), row),
            _ => {}
        }
    }
}
