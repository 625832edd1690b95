//! The happens-before clock that all monitors stand on (docs/monitors.md, section 2; the "well-known vector clock
//! algorithm" of 000-burnim-tacas11, section 5).
//!
//! hb = program order ∪ conflict order ∪ {creation → first event of the child, last event → join, the order of the
//! operations on an object}. Two accesses conflict if they share a location and one of them writes.
//!
//! Read [`HappensBefore::after`] for the algorithm and [`Past`] for what a monitor asks before it. C\[t\], W\[a\],
//! L\[m\] are the paper's usual names for the clocks of a thread, of the writes to a location, of an object.
//!
//! Deviations from the textbook:
//! 1. Instead of R\[a\], the clock of the reads of a, A\[a\] = R\[a\] ⊔ W\[a\], that of all accesses to a: a write
//!    joins one clock instead of two.
//! 2. An access to several locations joins the clocks of all of them before it counts itself, and then writes them
//!    all: the conflict order is the union over locations.
//! 3. prev\[t\] is the immediately preceding event of any kind, fences and lock operations included, and for the first
//!    event of a created thread it is the creation. Anything less loses completeness (docs/papers.md, errata B8, B9).
//! 4. L\[m\] is two clocks, as W and A are: operations that threads make side by side ([`Kind::Share`]) are not ordered
//!    among themselves. One order of all operations of readers on a lock would invent cycles (docs/monitors.md, section
//!    2).
//!
//! Invariants: C\[t\] before a step is the hb-past of prev\[t\], so that e′ →hb* prev\[t\] iff C\[t\]\[thread(e′)\] is
//! at least the tick of e′; W\[a\] ≤ A\[a\]; C\[t\]\[u\] ≤ C\[u\]\[u\].

use super::journal::Rows;
use crate::clock::{Clock, Clocks, LANES, Tick, blocks_for, count, join, tick};
use crate::event::{Event, EventIndex, Kind, Location, Thread};
use crate::per_thread::PerThread;

/// The happens-before clocks of one execution after the other.
#[derive(Debug, Default)]
pub struct HappensBefore {
    /// C: the clock of each thread.
    threads: Clocks<1>,
    /// W and then A of each location.
    locations: Clocks<2>,
    /// The two clocks L of each object: that of the operations that are ordered with all others, then that of all operations.
    objects: Clocks<2>,
    /// prev of each thread; valid only where C is not zero.
    previous: PerThread<EventIndex>,
    /// The number of events of this execution so far.
    events: EventIndex,
}

/// The accesses to a location whose clock is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Accesses {
    /// The accesses that wrote.
    Writes,
    /// All accesses.
    All,
}

impl Accesses {
    /// Returns the accesses that an access of this kind conflicts with whatever it reads: a compare-and-swap that reads something
    /// else may not write.
    pub(super) const fn in_conflict_with(kind: Kind) -> Self {
        match kind {
            Kind::Store | Kind::Rmw => Self::All,
            _ => Self::Writes,
        }
    }
}

/// The events known just before an event of some thread: the hb-past of the event before it in that thread.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    clock: &'a Clock,
    thread: Thread,
    previous: EventIndex,
    next: EventIndex,
}

impl HappensBefore {
    /// Forgets the last execution.
    pub fn begin(&mut self) {
        self.threads.begin();
        self.locations.begin();
        self.objects.begin();
        self.events = 0;
    }

    /// Returns the tick of the thread's last event; 0 before its first.
    #[must_use]
    pub fn last_tick(&self, thread: Thread) -> Tick {
        self.threads.touched(thread.index()).map_or(0, |clock| count(clock, thread))
    }

    /// Returns what is known just before `event`, which is the next event of the execution.
    pub fn before(&mut self, event: &Event) -> Past<'_> {
        self.make_room(event);
        self.before_at_width::<0>(event)
    }

    /// Takes the next event of the execution, for which [`HappensBefore::before`] has been called.
    pub fn after(&mut self, event: &Event, locations: &[Location]) {
        self.after_at_width::<0>(event, locations);
    }

    /// Makes room for the threads that the event names, and returns the width of the clocks, which nothing else changes.
    #[inline]
    pub(super) fn make_room(&mut self, event: &Event) -> usize {
        let thread = event.thread;
        let highest = match event.kind {
            Kind::Create(other) | Kind::Join(other) => thread.max(other),
            _ => thread,
        };
        if highest.index() >= self.threads.width() * LANES {
            self.widen(highest.index() + 1);
        }
        self.threads.width()
    }

    /// Returns what [`HappensBefore::before`] does, when there is room and the width of the clocks is known.
    #[inline(always)]
    pub(super) fn before_at_width<const WIDTH: usize>(&mut self, event: &Event) -> Past<'_> {
        let thread = event.thread;
        let previous = self.previous[thread];
        let clock = self.threads.row_of_width::<WIDTH>(thread.index());
        Past { clock, thread, previous, next: self.events }
    }

    /// Returns what [`HappensBefore::before`] does, for any event of a thread for which that has been called.
    #[inline]
    pub(super) fn past(&self, thread: Thread) -> Past<'_> {
        let clock = self.threads.touched(thread.index()).expect("asked for before");
        Past { clock, thread, previous: self.previous[thread], next: self.events }
    }

    /// Whether the event of this thread with this tick →hb* x for some x among these accesses to the location.
    #[inline]
    pub(super) fn is_before(&self, thread: Thread, tick: Tick, location: Location, accesses: Accesses) -> bool {
        self.past_of(location, accesses).is_some_and(|clock| count(clock, thread) >= tick)
    }

    /// Returns the clock of the events that happen before or at some of these accesses to the location; none if there are no
    /// accesses.
    #[inline]
    pub(super) fn past_of(&self, location: Location, accesses: Accesses) -> Option<&Clock> {
        let (writes, all) = self.locations.touched(location.index())?.split_at(self.threads.width());
        Some(match accesses {
            Accesses::Writes => writes,
            Accesses::All => all,
        })
    }

    /// Returns the tick that the next event of the thread will have, when there is room and the width of the clocks is known.
    #[inline(always)]
    pub(super) fn next_tick_at_width<const WIDTH: usize>(&mut self, thread: Thread) -> Tick {
        count(self.threads.row_of_width::<WIDTH>(thread.index()), thread) + 1
    }

    /// Returns the number of blocks of one clock.
    pub(super) const fn width(&self) -> usize {
        self.threads.width()
    }

    /// Returns the place of the next event in the execution.
    #[inline]
    pub(super) const fn next(&self) -> EventIndex {
        self.events
    }

    /// Takes the next event as [`HappensBefore::after`] does, when the width of the clocks is known.
    #[inline(always)]
    pub(super) fn after_at_width<const WIDTH: usize>(&mut self, event: &Event, locations: &[Location]) {
        let thread = event.thread;
        let clock = self.threads.row_again::<WIDTH>(thread.index());
        let width = clock.len();
        match event.kind {
            Kind::Load | Kind::FailedRmw => {
                for location in locations {
                    join(clock, &self.locations.row_of_width::<WIDTH>(location.index())[..width]);
                }
                tick(clock, thread);
                for location in locations {
                    join(&mut self.locations.row_again::<WIDTH>(location.index())[width..], clock);
                }
            }
            Kind::Store | Kind::Rmw | Kind::CompareAndSwap | Kind::Await(_) => {
                for location in locations {
                    join(clock, &self.locations.row_of_width::<WIDTH>(location.index())[width..]);
                }
                tick(clock, thread);
                for location in locations {
                    let (writes, accesses) = self.locations.row_again::<WIDTH>(location.index()).split_at_mut(width);
                    writes.copy_from_slice(clock);
                    accesses.copy_from_slice(clock);
                }
            }
            Kind::Fence => tick(clock, thread),
            Kind::Lock(object) => {
                let (ordered, all) = self.objects.row_of_width::<WIDTH>(object.index()).split_at_mut(width);
                join(clock, all);
                tick(clock, thread);
                ordered.copy_from_slice(clock);
                all.copy_from_slice(clock);
            }
            Kind::Share(object) => {
                let (ordered, all) = self.objects.row_of_width::<WIDTH>(object.index()).split_at_mut(width);
                join(clock, ordered);
                tick(clock, thread);
                join(all, clock);
            }
            Kind::Wait { condition, mutex } => {
                for object in [condition, mutex] {
                    join(clock, &self.objects.row_of_width::<WIDTH>(object.index())[width..]);
                }
                tick(clock, thread);
                for object in [condition, mutex] {
                    let (ordered, all) = self.objects.row_of_width::<WIDTH>(object.index()).split_at_mut(width);
                    ordered.copy_from_slice(clock);
                    all.copy_from_slice(clock);
                }
            }
            Kind::Create(child) => {
                tick(clock, thread);
                self.threads.join_rows::<WIDTH>(child.index(), thread.index());
                self.previous[child] = self.events;
            }
            Kind::Join(ended) => {
                self.threads.join_rows::<WIDTH>(thread.index(), ended.index());
                tick(self.threads.row_again::<WIDTH>(thread.index()), thread);
            }
        }
        self.previous[thread] = self.events;
        self.events += 1;
    }

    /// Returns all clocks: those of threads, of locations and of objects.
    pub(super) const fn rows(&mut self) -> Rows<'_, 1, 2> {
        (&mut self.threads, &mut self.locations, &mut self.objects)
    }

    /// Returns prev of the thread's next event; meaningless where the thread has none.
    #[inline]
    pub(super) fn previous_of(&self, thread: Thread) -> EventIndex {
        self.previous[thread]
    }

    /// Sets prev of the thread's next event back to what [`HappensBefore::previous_of`] returned.
    pub(super) fn restore_previous(&mut self, thread: Thread, previous: EventIndex) {
        self.previous[thread] = previous;
    }

    /// Takes the last event off the count of events.
    pub(super) const fn step_back(&mut self) {
        self.events -= 1;
    }

    #[cold]
    fn widen(&mut self, threads: usize) {
        let width = blocks_for(threads);
        self.threads.widen(width);
        self.locations.widen(width);
        self.objects.widen(width);
    }
}

impl Past<'_> {
    /// Whether the event of this thread with this tick →hb* prev.
    #[inline]
    #[must_use]
    pub fn contains(&self, thread: Thread, tick: Tick) -> bool {
        count(self.clock, thread) >= tick
    }

    /// Returns prev: the event before the next one in its thread, or the thread's creation.
    #[inline]
    #[must_use]
    pub fn previous(&self) -> Option<EventIndex> {
        let known = self.clock.as_flattened().iter().any(|&count| count > 0);
        known.then_some(self.previous)
    }

    /// Returns the place of the next event in the execution.
    #[inline]
    #[must_use]
    pub const fn next(&self) -> EventIndex {
        self.next
    }

    /// Returns the thread whose next event is meant.
    #[inline]
    pub(super) const fn thread(&self) -> Thread {
        self.thread
    }

    /// Returns the clock of the known events.
    #[inline]
    pub(super) const fn clock(&self) -> &Clock {
        self.clock
    }

    /// Returns the tick that the next event will have.
    #[inline]
    #[must_use]
    pub fn next_tick(&self) -> Tick {
        count(self.clock, self.thread) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::HappensBefore;
    use crate::event::{Barrier, Event, Kind, Location, Object, Site, Thread};

    fn event(thread: u8, kind: Kind) -> Event {
        Event { thread: Thread(thread), site: Site(0), kind, before: Barrier::None, after: Barrier::None, order: None }
    }

    fn step(clocks: &mut HappensBefore, event: &Event, locations: &[Location]) {
        clocks.before(event);
        clocks.after(event, locations);
    }

    /// Whether the event with this thread and tick is in the past of what `thread` does next.
    fn knows(clocks: &mut HappensBefore, thread: u8, other: u8, tick: u32) -> bool {
        clocks.before(&event(thread, Kind::Fence)).contains(Thread(other), tick)
    }

    #[test]
    fn reads_are_ordered_with_writes_and_not_with_reads() {
        let mut clocks = HappensBefore::default();
        step(&mut clocks, &event(0, Kind::Load), &[Location(0)]);
        step(&mut clocks, &event(1, Kind::FailedRmw), &[Location(0)]);
        assert!(!knows(&mut clocks, 1, 0, 1));
        step(&mut clocks, &event(1, Kind::Store), &[Location(0), Location(1)]);
        assert!(knows(&mut clocks, 1, 0, 1));
        step(&mut clocks, &event(2, Kind::Load), &[Location(1)]);
        assert!(knows(&mut clocks, 2, 1, 2) && knows(&mut clocks, 2, 0, 1) && !knows(&mut clocks, 2, 0, 2));
    }

    #[test]
    fn objects_creations_and_joins_order() {
        let mut clocks = HappensBefore::default();
        step(&mut clocks, &event(0, Kind::Lock(Object(2))), &[]);
        step(&mut clocks, &event(1, Kind::Lock(Object(2))), &[]);
        assert!(knows(&mut clocks, 1, 0, 1) && !knows(&mut clocks, 0, 1, 1));
        step(&mut clocks, &event(1, Kind::Create(Thread(6))), &[]);
        assert!(knows(&mut clocks, 6, 1, 2) && knows(&mut clocks, 6, 0, 1));
        assert_eq!(clocks.before(&event(6, Kind::Fence)).previous(), Some(2));
        step(&mut clocks, &event(6, Kind::Fence), &[]);
        step(&mut clocks, &event(0, Kind::Join(Thread(6))), &[]);
        assert!(knows(&mut clocks, 0, 6, 1) && knows(&mut clocks, 0, 1, 2));
    }

    #[test]
    fn operations_side_by_side_are_ordered_with_the_others_alone() {
        let (lock, share) = (Kind::Lock(Object(0)), Kind::Share(Object(0)));
        let mut clocks = HappensBefore::default();
        step(&mut clocks, &event(0, lock), &[]);
        step(&mut clocks, &event(1, share), &[]);
        step(&mut clocks, &event(2, share), &[]);
        assert!(knows(&mut clocks, 1, 0, 1) && knows(&mut clocks, 2, 0, 1) && !knows(&mut clocks, 2, 1, 2));
        step(&mut clocks, &event(0, lock), &[]);
        assert!(knows(&mut clocks, 0, 1, 1) && knows(&mut clocks, 0, 2, 1));
        step(&mut clocks, &event(3, share), &[]);
        assert!(knows(&mut clocks, 3, 2, 1));
    }

    #[test]
    fn a_wait_is_an_operation_on_both_of_its_objects() {
        let mut clocks = HappensBefore::default();
        step(&mut clocks, &event(0, Kind::Lock(Object(0))), &[]);
        step(&mut clocks, &event(1, Kind::Share(Object(1))), &[]);
        step(&mut clocks, &event(2, Kind::Wait { condition: Object(0), mutex: Object(1) }), &[]);
        assert!(knows(&mut clocks, 2, 0, 1) && knows(&mut clocks, 2, 1, 1));
        step(&mut clocks, &event(3, Kind::Share(Object(0))), &[]);
        step(&mut clocks, &event(4, Kind::Lock(Object(1))), &[]);
        assert!(knows(&mut clocks, 3, 2, 1) && knows(&mut clocks, 4, 2, 1) && !knows(&mut clocks, 4, 3, 1));
    }

    #[test]
    fn the_first_event_of_the_program_has_none_before_it_in_every_execution() {
        let mut clocks = HappensBefore::default();
        for _ in 0..2 {
            clocks.begin();
            let past = clocks.before(&event(0, Kind::Load));
            assert_eq!((past.previous(), past.next(), past.next_tick()), (None, 0, 1));
            step(&mut clocks, &event(0, Kind::Load), &[Location(3)]);
            let past = clocks.before(&event(0, Kind::Load));
            assert_eq!((past.previous(), past.next(), past.next_tick()), (Some(0), 1, 2));
        }
    }
}
