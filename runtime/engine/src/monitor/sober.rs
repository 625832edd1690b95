//! SOBER, the monitor for TSO of Burckhardt and Musuvathi (003-burckhardt-cav08, figure 2), with the corrected relaxed
//! happens-before of [`super::relaxed_order`] (docs/monitors.md, section 5).
//!
//! A load e can overtake a store w in TSO iff that leaves rhb acyclic, and no own store is overtaken: the stores to its
//! location are looked at from the newest one, until one is the thread's own or comes before the last event on the load
//! side of the thread. If one of those before that happens before prev(e), then w →hb* prev(e) →po e →c w.
//!
//! Complete if one execution of each class is run; it watches loads alone, since the last event of a shortest execution
//! of TSO that is not consistent can always be a load.
//!
//! Deviations from the paper:
//! 1. Only the newest of the stores that happen before prev is looked at: those before it in the walk do not, and
//!    neither stop nor report; those behind it come before whatever it comes before.
//! 2. A load of several locations may also overtake w at one and come after a write x at another, where w →hb* x but
//!    not w →rhb* x.

use super::happens_before::{Accesses, HappensBefore, Past};
use super::relaxed_order::RelaxedOrder;
use super::writes::{Write, WriteKind, Writes};
use super::{Monitor, MonitorName, Report};
use crate::event::{Event, EventIndex, Kind, Location, Thread};

/// The monitor SOBER for TSO.
#[derive(Debug, Default)]
pub struct Sober {
    clocks: HappensBefore,
    writes: Writes,
    order: RelaxedOrder,
}

/// The state that loads are tested against.
pub(super) struct Loads<'a> {
    pub(super) clocks: &'a HappensBefore,
    pub(super) writes: &'a mut Writes,
    pub(super) order: &'a RelaxedOrder,
}

impl Loads<'_> {
    /// Tests a load, and calls `overtakes` with each write that it can overtake, perhaps twice with some.
    pub(super) fn test(&mut self, thread: Thread, locations: &[Location], mut overtakes: impl FnMut(Write, &Past<'_>)) {
        let past = self.clocks.past(thread);
        for &location in locations {
            let known = self.writes.known::<0>(location, &past);
            if let Some(write) = self.write(known)
                && self.can_overtake(thread, write)
            {
                overtakes(write, &past);
            }
            for &other in locations.iter().filter(|&&other| other != location) {
                let Some(clock) = self.clocks.past_of(other, Accesses::Writes) else { continue };
                if let Some(write) = self.write(self.writes.known_to(location, clock, None))
                    && self.can_overtake(thread, write)
                    && self.order.before_writes(other, write.thread) < write.stores
                {
                    overtakes(write, &past);
                }
            }
        }
    }

    fn write(&self, place: Option<u32>) -> Option<Write> {
        Some(self.writes.at(place?)?.write)
    }

    fn can_overtake(&self, thread: Thread, write: Write) -> bool {
        write.thread != thread && self.order.before_loads(thread, write.thread) < write.stores
    }
}

impl Monitor for Sober {
    fn begin(&mut self) {
        self.clocks.begin();
        self.writes.begin();
        self.order.begin();
    }

    fn event(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        let width = self.clocks.width();
        let tick = self.clocks.before(event).next_tick();
        if self.clocks.width() > width {
            self.writes.widen(self.clocks.width());
        }
        self.order.before(event);
        if event.kind == Kind::Load {
            let first_report = reports.len();
            let mut loads = Loads { clocks: &self.clocks, writes: &mut self.writes, order: &self.order };
            loads.test(event.thread, locations, |write, past| {
                super::add_report(MonitorName::Sober, write.event, past, first_report, reports);
            });
        }
        let stores = self.order.perform(event, locations, &self.writes);
        if event.kind.writes() {
            let kind = WriteKind::of(event.kind);
            let write = Write { thread: event.thread, tick, event: self.clocks.next(), epoch: 0, kind, stores };
            self.writes.add(write, locations);
        }
        self.clocks.after(event, locations);
    }

    fn pending(&mut self, _monitor: MonitorName, _at_most: usize) -> Vec<EventIndex> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    //! Theorem 5: the clocks are the transitive closure of the relation as it is defined.

    use super::*;
    use crate::event::Barrier;

    /// An event of a random run, and what each of its reads saw.
    struct Seen {
        event: Event,
        locations: Vec<Location>,
        /// Whether the last write to each of its locations is a plain store of its own thread.
        own: Vec<bool>,
    }

    /// Marsaglia's xorshift64.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 16) % bound
        }
    }

    const THREADS: u64 = 6;

    fn run(random: &mut Random) -> Vec<Seen> {
        let mut run: Vec<Seen> = Vec::new();
        for _ in 0..30 {
            let thread = Thread(random.below(THREADS) as u8);
            let kind = match random.below(12) {
                0..4 => Kind::Load,
                4..8 => Kind::Store,
                8 => Kind::Rmw,
                9 => Kind::FailedRmw,
                10 => Kind::Fence,
                _ => Kind::Lock(crate::event::Object(0)),
            };
            let lowest = random.below(3) as u32;
            let locations = match kind {
                Kind::Fence | Kind::Lock(_) => Vec::new(),
                _ => (lowest..=lowest + random.below(2) as u32).map(Location).collect(),
            };
            let own = |location: &Location| {
                let last = run.iter().rfind(|seen| seen.event.kind.writes() && seen.locations.contains(location));
                last.is_some_and(|last| last.event.thread == thread && last.event.kind == Kind::Store)
            };
            let own = locations.iter().map(own).collect();
            // Barriers inside an access would be events of their own in the relation.
            let before = if kind == Kind::Fence { Barrier::Full } else { Barrier::None };
            let event = Event { thread, site: crate::event::Site(0), kind, before, after: Barrier::None, order: None };
            run.push(Seen { event, locations, own });
        }
        run
    }

    /// rhb, by its definition.
    fn is_directly_before(x: &Seen, y: &Seen) -> bool {
        let (a, b) = (x.event.kind, y.event.kind);
        if x.event.thread == y.event.thread && !(a == Kind::Store && b == Kind::Load) {
            return true;
        }
        if let (Kind::Lock(one), Kind::Lock(other)) = (a, b) {
            return one == other;
        }
        y.locations.iter().zip(&y.own).any(|(location, &own)| {
            x.locations.contains(location) && (a.writes() || b.writes()) && !(b == Kind::Load && own)
        })
    }

    #[test]
    fn the_clocks_are_the_transitive_closure() {
        let random = &mut Random(1);
        let mut order = RelaxedOrder::default();
        let mut writes = Writes::default();
        writes.widen(2);
        for _ in 0..300 {
            order.begin();
            writes.begin();
            let run = run(random);
            let mut stamps: Vec<Vec<crate::clock::Block>> = Vec::new();
            let mut closure: Vec<u64> = Vec::new();
            for (index, seen) in run.iter().enumerate() {
                order.before(&seen.event);
                let fence = order.stamp().to_vec();
                order.perform(&seen.event, &seen.locations, &writes);
                stamps.push(if seen.event.kind == Kind::Fence { fence } else { order.stamp().to_vec() });
                if seen.event.kind.writes() {
                    let kind = if seen.event.kind == Kind::Store { WriteKind::Plain } else { WriteKind::Atomic };
                    let thread = seen.event.thread;
                    writes.add(Write { thread, tick: 0, event: 0, epoch: 0, kind, stores: 0 }, &seen.locations);
                }
                let before = (0..index).filter(|&x| is_directly_before(&run[x], seen));
                closure.push(before.fold(1 << index, |past, x| past | closure[x]));
                for x in 0..=index {
                    let counts = stamps[x].as_flattened().iter().chain(std::iter::repeat(&0));
                    let below = counts.zip(stamps[index].as_flattened()).all(|(one, other)| one <= other);
                    assert_eq!(below, closure[index] >> x & 1 == 1, "{x} {index}");
                }
            }
        }
    }
}
