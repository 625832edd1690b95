//! The execution graph of the explorer [`super::Trust`]: events in the order in which they were added, what each of
//! them reads from, and one order in which they can be performed.

use std::ops::Range;

use crate::event::{Kind, Object, Thread};
use crate::explore::{Hold, Performed, Values};
use crate::per_thread::PerThread;

/// No event, or no access.
pub(super) const NONE: u32 = u32::MAX;

/// What an event is to the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// It touches nothing that other threads see.
    Local,
    /// It reads.
    Read,
    /// It writes, or reads and writes, or is an operation on an object that is possible whoever holds that.
    Write,
    /// It acquired an object.
    Acquire,
    /// A thread that cannot go on stands before acquiring an object; not performed.
    Stuck,
    /// A thread waits for something that it read to be different; not performed. What it will do then is most likely
    /// what its last iteration began with.
    Asleep(Begins),
    /// It creates a thread.
    Create(Thread),
    /// It waits for the end of a thread.
    Join(Thread),
    /// The program got this of so many values: a part of the event before it.
    Value { value: u32, count: u32 },
}

/// How an iteration of a wait loop begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Begins {
    ByReading,
    ByWriting,
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) thread: Thread,
    pub(super) what: What,
    /// Its number in its thread, from 1; a value has that of the event that it is a part of.
    pub(super) tick: u32,
    /// The event before it in its thread, the creation of its thread, or [`NONE`].
    pub(super) previous: u32,
    /// Its accesses are those from `first` on, so many.
    pub(super) first: u32,
    pub(super) accesses: u32,
    /// The last so many of them are to locations that its thread made inaccessible after it.
    pub(super) hides: u32,
    pub(super) writes: Writes,
    pub(super) tried: Tried,
}

/// Whether an event writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writes {
    /// It always does, or never.
    Surely,
    /// If it reads this; that is not known where it has more than one access.
    Over(Option<u64>),
}

/// Which alternatives of an event have been tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tried {
    /// To come before an earlier one: all those from this one on, and so many ways to come before the one below.
    pub(super) overtaken: u32,
    pub(super) ways: u32,
    /// To read something older: so many.
    pub(super) older: u32,
}

/// What an event does to one location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Access {
    /// The location, or the object: [`places`].
    pub(super) place: u32,
    pub(super) event: u32,
    /// The access by a write that it reads from or comes right after; [`NONE`] for the beginning.
    pub(super) source: u32,
    /// Of a write: that by the next write.
    pub(super) next: u32,
    /// What it held before and holds then, where the event has no other access.
    pub(super) values: Option<(u64, u64)>,
    pub(super) watch: Watch,
}

/// Whether the thread waited for the place to change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Watch {
    /// It did not.
    No,
    /// From what it had read there, if that is known, to anything else; and then accessed it.
    From(Option<u64>),
    /// The same, but then accessed something else.
    Aside(Option<u64>),
}

/// A place that a waiting thread has read, and what it read there, if that is known.
pub(super) type Watched = (u32, Option<u64>);

/// That an event was moved before one that had been added earlier: it is not to be moved back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    /// What was added before the event with this number came before what was overtaken.
    pub(super) at: u32,
    /// The overtaken event is that one itself.
    pub(super) present: bool,
    /// The event that overtook.
    pub(super) by: u32,
}

/// The graph.
#[derive(Default, Debug)]
pub(super) struct Graph {
    /// In the order in which they were added.
    pub(super) events: Vec<Event>,
    pub(super) accesses: Vec<Access>,
    /// The events in an order in which they can be performed; those from `events.len()` on are left over.
    pub(super) order: Vec<u32>,
    pub(super) marks: Vec<Mark>,
    /// The events before this one are not to be varied.
    pub(super) fixed: u32,
    /// For each event, how many events of each thread it depends on by program order and by what it reads.
    clocks: Vec<u32>,
    width: usize,
    /// The last event of each thread, or [`NONE`].
    last: PerThread<Last>,
    /// The last write of each place.
    tails: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    event: u32,
    start: u32,
}

impl Default for Last {
    fn default() -> Self {
        Self { event: NONE, start: NONE }
    }
}

fn narrow(index: usize) -> u32 {
    u32::try_from(index).expect("an execution has fewer than 2^32 events")
}

/// The number of an object among locations and objects.
pub(super) const fn object_place(object: Object) -> u32 {
    object.0 << 1 | 1
}

/// What an event touches, by its numbers among locations and objects.
fn places<'a>(event: &Performed<'a>) -> impl Iterator<Item = u32> + use<'a> {
    let (first, second) = match event.kind {
        Kind::Lock(object) | Kind::Share(object) => (Some(object), None),
        Kind::Wait { condition, mutex } => (Some(condition), Some(mutex)),
        _ => (None, None),
    };
    let objects = first.into_iter().chain(second).map(object_place);
    objects.chain(event.locations.iter().map(|location| location.0 << 1))
}

/// What an event touches and what it only watched, each with its values.
fn touched<'a>(
    event: &'a Performed<'a>,
    watched: &'a [Watched],
) -> impl Iterator<Item = (u32, Option<(u64, u64)>, Watch)> + 'a {
    let own = places(event).map(|place| {
        let watch = watched.iter().find(|&&(other, _)| other == place);
        (place, values(event), watch.map_or(Watch::No, |&(_, value)| Watch::From(value)))
    });
    let aside = watched.iter().filter(|&&(place, _)| places(event).all(|other| other != place));
    own.chain(aside.map(|&(place, value)| (place, None, Watch::Aside(value))))
}

fn what(event: &Performed<'_>) -> What {
    match event.kind {
        Kind::Load | Kind::FailedRmw => What::Read,
        Kind::Lock(_) if event.hold == Hold::Acquire => What::Acquire,
        Kind::Store | Kind::Rmw | Kind::CompareAndSwap | Kind::Lock(_) | Kind::Share(_) | Kind::Wait { .. } => {
            What::Write
        }
        Kind::Fence => What::Local,
        Kind::Create(thread) => What::Create(thread),
        Kind::Join(thread) => What::Join(thread),
    }
}

/// What an event is that a thread performs after it has waited for these places.
fn woken(what: What, watched: &[Watched]) -> What {
    if what == What::Local && !watched.is_empty() { What::Read } else { what }
}

fn writes(event: &Performed<'_>) -> Writes {
    match (event.kind, event.values) {
        (Kind::CompareAndSwap | Kind::FailedRmw, Values::Known { expected, .. }) => Writes::Over(expected),
        (Kind::CompareAndSwap | Kind::FailedRmw, Values::Unknown) => Writes::Over(None),
        _ => Writes::Surely,
    }
}

fn values(event: &Performed<'_>) -> Option<(u64, u64)> {
    match event.values {
        Values::Known { before, after, .. } if event.locations.len() < 2 => Some((before, after)),
        _ => None,
    }
}

impl What {
    /// Whether nothing that conflicts may change place with it.
    pub(super) const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Acquire)
    }

    /// Whether it has been performed.
    pub(super) const fn is_performed(self) -> bool {
        !matches!(self, Self::Stuck | Self::Asleep(_))
    }
}

impl Event {
    /// Whether nothing that conflicts may change place with it.
    pub(super) const fn writes(&self) -> bool {
        self.hides > 0 || self.what.writes()
    }
}

impl Access {
    /// Whether it is one only because the thread waited for the place to change.
    pub(super) const fn watch_is_aside(&self) -> bool {
        matches!(self.watch, Watch::Aside(_))
    }
}

impl Graph {
    pub(super) fn length(&self) -> u32 {
        narrow(self.events.len())
    }

    pub(super) fn event(&self, index: u32) -> &Event {
        &self.events[index as usize]
    }

    pub(super) fn accesses_of(&self, index: u32) -> &[Access] {
        let event = self.event(index);
        &self.accesses[event.first as usize..][..event.accesses as usize]
    }

    pub(super) fn clock(&self, index: u32) -> &[u32] {
        &self.clocks[index as usize * self.width..][..self.width]
    }

    /// Whether the clock knows the event.
    pub(super) fn knows(&self, clock: &[u32], index: u32) -> bool {
        let event = self.event(index);
        clock[event.thread.index()] >= event.tick
    }

    /// Makes `into` the join of it and the event's clock.
    pub(super) fn join(&self, into: &mut [u32], index: u32) {
        for (into, &from) in into.iter_mut().zip(self.clock(index)) {
            *into = (*into).max(from);
        }
    }

    /// The first write of a place.
    fn head(&self, place: u32) -> u32 {
        let mut at = self.tails.get(place as usize).copied().unwrap_or(NONE);
        while at != NONE && self.accesses[at as usize].source != NONE {
            at = self.accesses[at as usize].source;
        }
        at
    }

    /// The write that comes after this one, or that comes first.
    pub(super) fn write_after(&self, place: u32, source: u32) -> u32 {
        if source == NONE { self.head(place) } else { self.accesses[source as usize].next }
    }

    /// What the place holds after a write or, if known, at the beginning.
    pub(super) fn value_after(&self, place: u32, source: u32) -> Option<u64> {
        match self.accesses.get(source as usize) {
            Some(access) if matches!(access.watch, Watch::Aside(_)) => self.value_after(place, access.source),
            Some(access) => access.values.map(|(_, after)| after),
            None => self.accesses.get(self.head(place) as usize)?.values.map(|(before, _)| before),
        }
    }

    /// Adds an event that has just been performed, after all others.
    pub(super) fn append(&mut self, event: &Performed<'_>, watched: &[Watched]) {
        let what = what(event);
        let index = self.push(event.thread, woken(what, watched), writes(event));
        self.put_accesses(index, event, watched);
        self.settle(index);
        self.order.push(index);
    }

    /// Adds a choice of the thread among so many values, the first of them chosen, at this place of the order.
    pub(super) fn append_value(&mut self, thread: Thread, count: u32, position: usize) {
        let index = self.push(thread, What::Value { value: 0, count }, Writes::Surely);
        self.settle(index);
        self.order.insert(position, index);
    }

    /// Adds a thread that stands before acquiring the object.
    pub(super) fn append_stuck(&mut self, thread: Thread, object: Object) {
        let index = self.push(thread, What::Stuck, Writes::Surely);
        let place = object_place(object);
        let source = self.tail(place);
        let access = Access { place, event: index, source, next: NONE, values: None, watch: Watch::No };
        self.accesses.push(access);
        self.events[index as usize].accesses = 1;
        self.settle(index);
    }

    /// Adds a thread that waits for one of these places to change.
    pub(super) fn append_asleep(&mut self, thread: Thread, begins: Begins, watched: &[Watched]) {
        let index = self.push(thread, What::Asleep(begins), Writes::Surely);
        self.accesses.extend(watched.iter().map(|&(place, value)| Access {
            place,
            event: index,
            source: NONE,
            next: NONE,
            values: None,
            watch: Watch::From(value),
        }));
        self.events[index as usize].accesses = narrow(watched.len());
        self.settle(index);
    }

    fn push(&mut self, thread: Thread, what: What, writes: Writes) -> u32 {
        let index = self.length();
        let first = narrow(self.accesses.len());
        let tried = Tried { overtaken: index, ways: 0, older: 0 };
        self.events.push(Event { thread, what, tick: 0, previous: NONE, first, accesses: 0, hides: 0, writes, tried });
        index
    }

    fn put_accesses(&mut self, index: u32, performed: &Performed<'_>, watched: &[Watched]) {
        let access = |(place, values, watch)| Access { place, event: index, source: NONE, next: NONE, values, watch };
        self.accesses.extend(touched(performed, watched).map(access));
        let event = &mut self.events[index as usize];
        event.accesses = narrow(self.accesses.len()) - event.first;
    }

    /// Whether an event that was performed again is what it was.
    pub(super) fn is_as_before(&self, index: u32, performed: &Performed<'_>, watched: &[Watched]) -> bool {
        let event = self.event(index);
        let accesses = self.accesses_of(index);
        let accesses = &accesses[..accesses.len() - event.hides as usize];
        let same = event.what == woken(what(performed), watched) && event.writes == writes(performed);
        let before = accesses.iter().map(|access| (access.place, access.values, access.watch));
        same && before.eq(touched(performed, watched))
    }

    /// Takes what an event turned out to be when it was performed again; [`Graph::rebuild`] has to follow.
    pub(super) fn replace(&mut self, index: u32, performed: &Performed<'_>, watched: &[Watched]) {
        let first = narrow(self.accesses.len());
        let event = &mut self.events[index as usize];
        event.hides = 0;
        (event.what, event.writes, event.first) = (woken(what(performed), watched), writes(performed), first);
        self.put_accesses(index, performed, watched);
    }

    /// After the event, its thread made these places inaccessible: from now on it writes there. True if that was not
    /// known; then [`Graph::rebuild`] has to follow.
    pub(super) fn hide(&mut self, index: u32, places: impl Iterator<Item = u32>) -> bool {
        let before = self.accesses_of(index).to_vec();
        let new: Vec<u32> = places.filter(|&place| before.iter().all(|access| access.place != place)).collect();
        if new.is_empty() {
            return false;
        }
        let first = narrow(self.accesses.len());
        self.accesses.extend(before);
        self.accesses.extend(new.iter().map(|&place| Access {
            place,
            event: index,
            source: NONE,
            next: NONE,
            values: None,
            watch: Watch::No,
        }));
        let event = &mut self.events[index as usize];
        let count = narrow(new.len());
        let wrote = event.writes();
        (event.first, event.accesses, event.hides) = (first, event.accesses + count, event.hides + count);
        let accesses = event.accesses;
        if wrote || index + 1 != self.length() {
            return true;
        }
        // It read, or did nothing, and was added last.
        self.link(first..first + accesses, true);
        self.set_clock(index);
        false
    }

    fn tail(&mut self, place: u32) -> u32 {
        if self.tails.len() <= place as usize {
            self.tails.resize(place as usize + 1, NONE);
        }
        self.tails[place as usize]
    }

    /// Finds where the event stands: after all that have been settled.
    fn settle(&mut self, index: u32) {
        let event = *self.event(index);
        let Event { thread, what, first, accesses, .. } = event;
        let previous = match self.last[thread] {
            Last { event: NONE, start } => start,
            Last { event, .. } => event,
        };
        let before = match self.last[thread].event {
            NONE => 0,
            before => self.event(before).tick,
        };
        let tick = before + u32::from(!matches!(what, What::Value { .. }));
        (self.events[index as usize].previous, self.events[index as usize].tick) = (previous, tick);
        self.last[thread].event = index;
        self.link(first..first + accesses, event.writes());
        if let What::Create(child) = what {
            self.last[child].start = index;
            self.make_room(child);
        }
        self.make_room(thread);
        self.set_clock(index);
    }

    /// Puts accesses after all others.
    fn link(&mut self, accesses: Range<u32>, writes: bool) {
        for at in accesses {
            let place = self.accesses[at as usize].place;
            let source = self.tail(place);
            self.accesses[at as usize].source = source;
            if writes {
                self.accesses[at as usize].next = NONE;
                self.tails[place as usize] = at;
                if source != NONE {
                    self.accesses[source as usize].next = at;
                }
            }
        }
    }

    fn make_room(&mut self, thread: Thread) {
        if thread.index() < self.width {
            return;
        }
        let width = (thread.index() + 4) & !3;
        let mut clocks = vec![0; self.events.len() * width];
        if self.width > 0 {
            for (new, old) in clocks.chunks_exact_mut(width).zip(self.clocks.chunks_exact(self.width)) {
                new[..self.width].copy_from_slice(old);
            }
        }
        (self.clocks, self.width) = (clocks, width);
    }

    /// Sets the clock of an event whose sources are known.
    pub(super) fn set_clock(&mut self, index: u32) {
        let width = self.width;
        let at = index as usize * width;
        if self.clocks.len() < at + width {
            self.clocks.resize(self.events.len() * width, 0);
        }
        let Event { thread, what, tick, previous, first, accesses, .. } = *self.event(index);
        self.clocks[at..at + width].fill(0);
        self.join_within(index, previous);
        if let What::Join(other) = what {
            self.join_within(index, self.last[other].event);
        }
        for access in first..first + accesses {
            let source = self.accesses[access as usize].source;
            if source != NONE {
                self.join_within(index, self.accesses[source as usize].event);
            }
        }
        self.clocks[at + thread.index()] = tick;
    }

    fn join_within(&mut self, into: u32, from: u32) {
        if from == NONE {
            return;
        }
        let width = self.width;
        for thread in 0..width {
            let known = self.clocks[from as usize * width + thread];
            let at = into as usize * width + thread;
            self.clocks[at] = self.clocks[at].max(known);
        }
    }

    /// Removes the event that was added last. Its place in the order is left over.
    pub(super) fn pop(&mut self) {
        let index = self.length() - 1;
        let event = *self.event(index);
        for at in (event.first..event.first + event.accesses).rev() {
            let Access { place, source, .. } = self.accesses[at as usize];
            if event.writes() {
                self.tails[place as usize] = source;
                if source != NONE {
                    self.accesses[source as usize].next = NONE;
                }
            }
        }
        let own = event.previous != NONE && self.event(event.previous).thread == event.thread;
        self.last[event.thread].event = if own { event.previous } else { NONE };
        self.accesses.truncate(event.first as usize);
        self.events.pop();
        self.clocks.truncate(index as usize * self.width);
    }

    /// The last event, a compare-and-swap that wrote, is one that fails.
    pub(super) fn fails(&mut self, index: u32) {
        let event = *self.event(index);
        for at in event.first..event.first + event.accesses {
            let Access { place, source, .. } = self.accesses[at as usize];
            self.tails[place as usize] = source;
            if source != NONE {
                self.accesses[source as usize].next = NONE;
            }
        }
        self.events[index as usize].what = What::Read;
    }

    /// The writes of a place, the last one first, and the beginning.
    pub(super) fn chain(&self, place: u32) -> Vec<u32> {
        let mut at = self.tails.get(place as usize).copied().unwrap_or(NONE);
        let mut chain = vec![at];
        while at != NONE {
            at = self.accesses[at as usize].source;
            chain.push(at);
        }
        chain
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Removes all events.
    pub(super) fn clear(&mut self) {
        self.events.clear();
        self.accesses.clear();
        self.order.clear();
        self.marks.clear();
        self.clocks.clear();
        self.fixed = 0;
    }

    /// Adds an event of another graph; [`Graph::rebuild`] has to follow.
    pub(super) fn copy_event(&mut self, from: &Self, index: u32) {
        let event = *from.event(index);
        let first = narrow(self.accesses.len());
        self.accesses.extend(from.accesses_of(index));
        self.events.push(Event { first, ..event });
    }

    /// Forgets the places in the order that are left over.
    pub(super) fn tidy(&mut self) {
        let length = self.length();
        self.order.retain(|&index| index < length);
    }

    /// Finds anew where each event stands, by the order.
    pub(super) fn rebuild(&mut self) {
        self.tails.fill(NONE);
        self.last.first(self.width).fill(Last::default());
        let old = std::mem::take(&mut self.accesses);
        for index in 0..self.length() {
            let event = *self.event(index);
            self.events[index as usize].first = narrow(self.accesses.len());
            let accesses = &old[event.first as usize..][..event.accesses as usize];
            self.accesses.extend(accesses.iter().map(|&access| Access {
                event: index,
                source: NONE,
                next: NONE,
                ..access
            }));
        }
        for at in 0..self.order.len() {
            self.settle(self.order[at]);
        }
        for index in self.fixed..self.length() {
            if !self.event(index).what.is_performed() {
                self.settle(index);
            }
        }
    }
}
