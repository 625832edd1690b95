//! Data races of C11 (ISO/IEC 9899:2011, 5.1.2.4): two accesses to a common byte by different threads, of which one
//! writes and one is not atomic, and neither happens before the other.
//!
//! Happens-before here is C11's, not that of the machines: program order, and synchronizes-with
//! - from a release store or read-modify-write to each acquire load or read-modify-write that reads from its release
//!   sequence: the store, the stores that its thread makes after it, and all read-modify-writes, as long as nothing else
//!   is written in between (5.1.2.4, paragraph 10; C++20 has dropped the stores, C has not);
//! - from a release fence, through an atomic write after it, and to an acquire fence, through an atomic read before it
//!   (7.17.4);
//! - from a creation to the thread, from a thread to its join, and between operations on an object.
//!
//! Read `Race::event` from top to bottom. A thread's clock holds, for each thread, the last of its events that happens
//! before: a tick is the place of an event in the execution, plus 1. So an entry is at once an epoch
//! (flanagan-pldi09) and the name of an event. Of each location, the last access of each thread and kind is kept: if an access of a
//! thread is not ordered with e, then neither is its last one of the kind. So each race of e with another thread is
//! found, reported with the last of that thread's accesses of that kind.
//!
//! An execution is sequentially consistent, so an atomic load reads what was written last. A program without data races
//! on sequentially consistent executions has none at all, unless its atomics are weaker than sequentially consistent:
//! then other executions, which are not run, may have more.
//!
//! Invariants: C\[t\]\[t\] is the tick of t's last event; the heads of a location are those of the release sequences that
//! its last write belongs to, at most one a thread, since of two of the same thread the later knows more.

use super::{Monitor, MonitorName, Report};
use crate::clock::{Block, Clock, Clocks, LANES, Tick, blocks_for, join};
use crate::event::{Event, EventIndex, Kind, Location, Object, Order, Thread};

/// The monitor of data races.
#[derive(Debug, Default)]
pub struct Race {
    /// The clocks of each thread: what happens before its next event, before its next acquire fence, and before its last release
    /// fence.
    threads: Clocks<3>,
    /// The clocks of each object: that of the operations that are ordered with all others, then that of all operations.
    objects: Clocks<2>,
    /// The tick of each thread's last access of each kind to a location.
    accesses: Clocks<ACCESSES>,
    /// The heads of release sequences of each location.
    released: Vec<Released>,
    execution: u32,
    events: EventIndex,
}

/// The number of kinds of accesses to a location. They lie in a row in this order: plain reads, plain writes, atomic reads,
/// atomic writes. A read-modify-write counts as a write.
const ACCESSES: usize = 4;

/// Returns the kind of an access, and the kinds that it conflicts with where not both are atomic.
const fn kinds(event: &Event) -> (usize, &'static [usize]) {
    match (event.order.is_some(), event.kind.writes()) {
        (false, false) => (0, &[1, 3]),
        (false, true) => (1, &[0, 1, 2, 3]),
        (true, false) => (2, &[1]),
        (true, true) => (3, &[0, 1]),
    }
}

/// The heads of the release sequences that the last write to a location belongs to.
#[derive(Clone, Debug, Default)]
struct Released {
    /// The execution that the heads belong to.
    execution: u32,
    heads: Vec<Head>,
}

#[derive(Clone, Debug)]
struct Head {
    thread: Thread,
    /// The events that happen before it, itself included.
    clock: Vec<Block>,
}

impl Released {
    /// Makes the thread the head of a further sequence that the last write belongs to.
    fn add(&mut self, thread: Thread, clock: &Clock) {
        match self.heads.iter_mut().find(|head| head.thread == thread) {
            Some(head) => {
                head.clock.resize(clock.len(), [0; LANES]);
                join(&mut head.clock, clock);
            }
            None => self.heads.push(Head { thread, clock: clock.to_vec() }),
        }
    }
}

impl Race {
    fn make_room(&mut self, event: &Event) {
        let highest = match event.kind {
            Kind::Create(other) | Kind::Join(other) => event.thread.max(other),
            _ => event.thread,
        };
        let width = blocks_for(highest.index() + 1);
        if width > self.threads.width() {
            self.threads.widen(width);
            self.objects.widen(width);
            self.accesses.widen(width);
        }
    }

    /// Returns the release sequences that the last write to the location belongs to.
    fn released(&mut self, location: Location) -> &mut Released {
        if location.index() >= self.released.len() {
            self.released.resize(location.index() + 1, Released::default());
        }
        let released = &mut self.released[location.index()];
        if released.execution != self.execution {
            released.execution = self.execution;
            released.heads.clear();
        }
        released
    }

    /// Joins what the event synchronises with into the clock of its thread.
    fn acquire(&mut self, event: &Event, locations: &[Location]) {
        let row = event.thread.index();
        if let Kind::Join(ended) = event.kind {
            let width = self.threads.width();
            let known = self.threads.row(ended.index())[..width].to_vec();
            join(self.threads.row(row), &known);
        }
        if event.kind.reads()
            && let Some(order) = event.order
        {
            for &location in locations {
                self.released(location);
                let clocks = self.threads.row(row);
                let (now, at_fence) = clocks.split_at_mut(clocks.len() / 3);
                let clock = if order.acquires() { now } else { at_fence };
                for head in &self.released[location.index()].heads {
                    join(clock, &head.clock);
                }
            }
        }
        if event.order.is_some_and(Order::acquires) {
            let clocks = self.threads.row(row);
            let (now, rest) = clocks.split_at_mut(clocks.len() / 3);
            let width = now.len();
            match event.kind {
                Kind::Fence => join(now, &rest[..width]),
                Kind::Lock(object) => join(now, &self.objects.row(object.index())[width..]),
                Kind::Share(object) => join(now, &self.objects.row(object.index())[..width]),
                Kind::Wait { condition, mutex } => {
                    for Object(object) in [condition, mutex] {
                        join(now, &self.objects.row(object as usize)[width..]);
                    }
                }
                _ => {}
            }
        }
    }

    /// Reports the accesses that the event is in a race with, and notes the event as an access.
    fn test(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        let first_report = reports.len();
        let (own, conflicting) = kinds(event);
        let width = self.threads.width();
        let clock = &self.threads.row(event.thread.index())[..width];
        for location in locations {
            let row = self.accesses.row(location.index());
            for &kind in conflicting {
                let accesses = &row[kind * width..][..width];
                let unordered =
                    |(block, known): (&Block, &Block)| block.iter().zip(known).any(|(tick, known)| tick > known);
                if accesses.iter().zip(clock).any(unordered) {
                    report(accesses, clock, self.events, first_report, reports);
                }
            }
            row[own * width + event.thread.index() / LANES][event.thread.index() % LANES] = self.events + 1;
        }
    }

    /// Lets later events of others synchronise with the event.
    fn release(&mut self, event: &Event, locations: &[Location]) {
        let thread = event.thread;
        let releases = event.order.is_some_and(Order::releases);
        if event.kind.writes() {
            for &location in locations {
                self.released(location);
                let clocks = self.threads.row(thread.index());
                let width = clocks.len() / 3;
                let released = &mut self.released[location.index()];
                match (event.order, event.kind) {
                    (None, _) => released.heads.clear(),
                    (Some(_), Kind::Store) => released.heads.retain(|head| head.thread == thread),
                    (Some(_), _) => {}
                }
                let fenced = &clocks[2 * width..];
                if releases {
                    released.add(thread, &clocks[..width]);
                } else if event.order.is_some() && fenced.iter().any(|block| *block != [0; LANES]) {
                    released.add(thread, fenced);
                }
            }
        }
        if let Kind::Create(child) = event.kind {
            let width = self.threads.width();
            let known = self.threads.row(thread.index())[..width].to_vec();
            join(self.threads.row(child.index()), &known);
        }
        if releases {
            self.release_objects(event);
        }
    }

    fn release_objects(&mut self, event: &Event) {
        let clocks = self.threads.row(event.thread.index());
        let (now, rest) = clocks.split_at_mut(clocks.len() / 3);
        let width = now.len();
        match event.kind {
            Kind::Fence => rest[width..].copy_from_slice(now),
            Kind::Lock(object) => {
                let (ordered, all) = self.objects.row(object.index()).split_at_mut(width);
                join(ordered, now);
                join(all, now);
            }
            Kind::Share(object) => join(&mut self.objects.row(object.index())[width..], now),
            Kind::Wait { condition, mutex } => {
                for Object(object) in [condition, mutex] {
                    let (ordered, all) = self.objects.row(object as usize).split_at_mut(width);
                    join(ordered, now);
                    join(all, now);
                }
            }
            _ => {}
        }
    }
}

impl Monitor for Race {
    fn begin(&mut self) {
        self.threads.begin();
        self.objects.begin();
        self.accesses.begin();
        self.execution = self.execution.checked_add(1).unwrap_or_else(|| {
            self.released.clear();
            1
        });
        self.events = 0;
    }

    fn event(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>) {
        self.make_room(event);
        self.acquire(event, locations);
        self.threads.row(event.thread.index())[event.thread.index() / LANES][event.thread.index() % LANES] =
            self.events + 1;
        self.test(event, locations, reports);
        self.release(event, locations);
        self.events += 1;
    }

    fn pending(&mut self, _monitor: MonitorName, _at_most: usize) -> Vec<EventIndex> {
        Vec::new()
    }
}

/// Reports those of the accesses that the clock does not know as races with the event `later`.
#[cold]
fn report(accesses: &Clock, clock: &Clock, later: EventIndex, first_report: usize, reports: &mut Vec<Report>) {
    let each = accesses.as_flattened().iter().zip(clock.as_flattened());
    for tick in each.filter(|(tick, known)| tick > known).map(|(&tick, _): (&Tick, _)| tick) {
        let report = Report::Race { earlier: tick - 1, later };
        if !reports[first_report..].contains(&report) {
            reports.push(report);
        }
    }
}
