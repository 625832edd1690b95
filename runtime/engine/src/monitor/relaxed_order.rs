//! The relaxed happens-before of SOBER, rhb, in general vector clocks (003-burckhardt-cav08, section 3 and figure 3, as
//! corrected in docs/monitors.md, section 5): what TSO keeps of happens-before, a store not being ordered with later
//! loads of its thread.
//!
//! rhb = program order but for pairs (store, load) ∪ {creation, end and order of objects} ∪ conflict order, but for all
//! conflicts into a load whose source is a plain store of its own thread. A trace is one of TSO iff rhb is acyclic and
//! no event is conflict-ordered before one that precedes it in its thread. Each thread has two groups of events: its
//! *load side*, which loads, read-modify-writes and full fences are on, and its *store side*, which stores,
//! read-modify-writes and full fences are on; so a clock is twice as wide as an ordinary one.
//!
//! Deviations from the paper:
//! 1. The conflicts into a load that reads an own store, in the sense above. With those of the paper (a load after
//!    another thread's store that commits before the own one) the axioms are stronger than TSO and the monitor is not
//!    complete: erratum S2.
//! 2. mc1\[p\]\[a\] for all p but the writer: since a load of an own store merges nothing, one clock a location is
//!    enough, that of the last write. So an event costs O(P), not O(P²).
//! 3. Fences are events, not interlocked operations on private locations; creations, joins, and operations on objects
//!    are full fences, and ordered, but for those that only look at an object, which are loads. A compare-and-swap that
//!    fails is on both sides, and conflicts as a load does.
//! 4. An access of several locations conflicts at each of them, and a load has a source at each.

use super::general_clock::{ClockNumber, GeneralClocks, Group, count};
use super::writes::{WriteKind, Writes};
use crate::clock::{Clock, Tick};
use crate::event::{Barrier, Event, Kind, Location, Object, Thread};

/// The order rhb, of one execution after the other.
#[derive(Debug, Default)]
pub(super) struct RelaxedOrder {
    clocks: GeneralClocks,
}

/// The families of clocks, each numbered from 0; [`number`] gives each clock its own number.
#[derive(Clone, Copy)]
enum Family {
    /// lc: the clock of a thread's load side.
    LoadSide,
    /// sc: the clock of a thread's store side.
    StoreSide,
    /// mc1: the clock of the writes to a location.
    Writes,
    /// mc2: the clock of all accesses to a location.
    Accesses,
    /// The clock of the operations on an object that are ordered with all others.
    Ordered,
    /// The clock of all operations on an object.
    Operations,
}

const FAMILIES: usize = 6;

const fn number(family: Family, index: usize) -> ClockNumber {
    index * FAMILIES + family as usize
}

const fn load_side(thread: Thread) -> Group {
    2 * thread.index()
}

const fn store_side(thread: Thread) -> Group {
    2 * thread.index() + 1
}

const fn sides(thread: Thread) -> [ClockNumber; 2] {
    [number(Family::LoadSide, thread.index()), number(Family::StoreSide, thread.index())]
}

fn of_locations(family: Family, locations: &[Location]) -> impl Iterator<Item = ClockNumber> {
    locations.iter().map(move |location| number(family, location.index()))
}

impl RelaxedOrder {
    /// Forgets the last execution.
    pub(super) fn begin(&mut self) {
        self.clocks.begin();
    }

    /// Takes the full barrier that comes just before the event itself, if it has one.
    pub(super) fn before(&mut self, event: &Event) {
        let thread = match event.kind {
            Kind::Create(other) | Kind::Join(other) => event.thread.max(other),
            _ => event.thread,
        };
        self.clocks.reserve(2 * (thread.index() + 1));
        if event.before == Barrier::Full {
            self.fence(event.thread, [], []);
        }
    }

    /// Takes the event itself, and the full barrier after it if it has one, and returns the event's number on the store side of
    /// its thread if it writes, else 0. `writes` are the writes before it.
    pub(super) fn perform(&mut self, event: &Event, locations: &[Location], writes: &Writes) -> Tick {
        let thread = event.thread;
        match event.kind {
            Kind::Load => self.load(thread, locations, writes),
            Kind::Store | Kind::Rmw | Kind::CompareAndSwap | Kind::FailedRmw => self.store(event, locations),
            // The read may take effect early; the write waits.
            Kind::Await(_) => {
                self.load(thread, locations, writes);
                self.store(&Event { kind: Kind::Store, ..*event }, locations);
            }
            Kind::Fence => {}
            Kind::Lock(object) => self.operate(thread, &[object]),
            Kind::Wait { condition, mutex } => self.operate(thread, &[condition, mutex]),
            Kind::Share(Object(object)) if event.before != Barrier::Full => self.look(thread, object as usize),
            Kind::Share(Object(object)) => {
                let object = object as usize;
                self.fence(thread, [number(Family::Ordered, object)], [number(Family::Operations, object)]);
            }
            Kind::Create(child) => self.fence(thread, [], sides(child)),
            Kind::Join(ended) => self.fence(thread, sides(ended), []),
        }
        let stores = if event.kind.writes() { count(self.stamp(), store_side(thread)) } else { 0 };
        if event.after == Barrier::Full {
            self.fence(thread, [], []);
        }
        stores
    }

    fn load(&mut self, thread: Thread, locations: &[Location], writes: &Writes) {
        let is_own = |location: &&Location| {
            let newest = writes.newest(**location).and_then(|place| writes.at(place));
            newest.is_some_and(|cell| cell.write.thread == thread && cell.write.kind == WriteKind::Plain)
        };
        let from_others = locations.iter().filter(|location| !is_own(location));
        let sources = from_others.map(|location| number(Family::Writes, location.index()));
        let [loads, _] = sides(thread);
        self.clocks.merge(sources.chain([loads]));
        self.clocks.advance(load_side(thread));
        self.clocks.merge_into(of_locations(Family::Accesses, locations).chain([loads]));
    }

    /// Takes a store, or a read-modify-write, which is on both sides.
    fn store(&mut self, event: &Event, locations: &[Location]) {
        let thread = event.thread;
        let [loads, stores] = sides(thread);
        let conflicts = if event.kind.writes() { Family::Accesses } else { Family::Writes };
        self.clocks.merge(of_locations(conflicts, locations).chain([loads, stores]));
        self.clocks.advance(store_side(thread));
        if event.kind.reads() {
            self.clocks.advance(load_side(thread));
            self.clocks.merge_into([loads]);
        }
        self.clocks.merge_into([stores]);
        self.clocks.merge_into(of_locations(Family::Accesses, locations));
        if event.kind.writes() {
            self.clocks.merge_into(of_locations(Family::Writes, locations));
        }
    }

    /// Takes an operation that only looks at an object.
    fn look(&mut self, thread: Thread, object: usize) {
        let [loads, _] = sides(thread);
        self.clocks.merge([number(Family::Ordered, object), loads]);
        self.clocks.advance(load_side(thread));
        self.clocks.merge_into([number(Family::Operations, object), loads]);
    }

    fn operate(&mut self, thread: Thread, objects: &[Object]) {
        let of = |family| objects.iter().map(move |object| number(family, object.index()));
        self.fence(thread, of(Family::Operations), of(Family::Operations).chain(of(Family::Ordered)));
    }

    /// Takes an event on both sides of the thread that is ordered with others through the clocks `from` and `into` as well.
    fn fence(
        &mut self,
        thread: Thread,
        from: impl IntoIterator<Item = ClockNumber>,
        into: impl IntoIterator<Item = ClockNumber>,
    ) {
        self.clocks.merge(from.into_iter().chain(sides(thread)));
        self.clocks.advance(load_side(thread));
        self.clocks.advance(store_side(thread));
        self.clocks.merge_into(into.into_iter().chain(sides(thread)));
    }

    /// Returns how many events on the store side of `other` →rhb* the last event on the load side of `thread`.
    pub(super) fn before_loads(&self, thread: Thread, other: Thread) -> Tick {
        self.clocks.known(number(Family::LoadSide, thread.index()), store_side(other))
    }

    /// Returns how many events on the store side of `other` →rhb* the last event on the store side of `thread`.
    pub(super) fn before_stores(&self, thread: Thread, other: Thread) -> Tick {
        self.clocks.known(number(Family::StoreSide, thread.index()), store_side(other))
    }

    /// Returns how many events on the store side of `other` →rhb* the last write to the location.
    pub(super) fn before_writes(&self, location: Location, other: Thread) -> Tick {
        self.clocks.known(number(Family::Writes, location.index()), store_side(other))
    }

    /// Returns the timestamp of the last event.
    pub(super) fn stamp(&self) -> &Clock {
        self.clocks.stamp()
    }
}
