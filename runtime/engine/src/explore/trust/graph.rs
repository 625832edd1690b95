//! The execution graph of the explorer [`super::Trust`]: events in the order in which they were added, what each of
//! them reads from, and one order in which they can be performed.

use std::ops::Range;

use crate::event::{Kind, Location, Object, Thread};
use crate::explore::{Effect, Need, Performed, Touched, Values};
use crate::per_thread::PerThread;
use crate::sync::machine::Wish;

/// No event, or no access.
pub(super) const NONE: u32 = u32::MAX;

/// What an event is to the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// It touches nothing that other threads see.
    Local,
    /// It reads.
    Read,
    /// It writes, or reads and writes, or is an operation on an object.
    Write,
    /// A thread that cannot go on stands before an operation on an object; not performed.
    Stuck,
    /// A thread waits for something that it read to be different; not performed. What it will do then is most likely
    /// what its last iteration began with.
    Asleep(Begins),
    /// It leaves a barrier: it comes after the arrival that completed its round, and has nothing to do with others.
    Leave,
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
    /// With this block of the thread, which first operates on this object.
    WithBlock {
        block: u32,
        on: u32,
    },
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
    /// Their places, each as one of 64 bits: events without a common bit have no common place.
    pub(super) bits: u64,
    pub(super) writes: Writes,
    /// What its thread waited for, if it did.
    pub(super) need: Option<Need>,
    /// It was added as what a thread would do that waits.
    pub(super) slept: bool,
    /// Its thread had yielded before it.
    pub(super) yielded: bool,
    /// It may leave memory behind ([`leaves`]).
    pub(super) leaves: bool,
    pub(super) tried: Tried,
    /// How many places it shares with events added before, if that was known before it was: 0 if not.
    pub(super) places: u32,
    /// Which of its thread's blocks it is in, from 1; 0 outside. What is not performed may begin one.
    pub(super) block: u32,
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
    /// What it held before and holds then, if that is known; of an object, what its state means to those who wait.
    pub(super) values: Option<(u64, u64)>,
    pub(super) watch: Watch,
}

/// Whether the thread waited for the place to change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Watch {
    /// It did not.
    No,
    /// Nor does anybody ever.
    Never,
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
    /// The first access of the overtaken event to a place where it was overtaken, by a number that does not depend on what
    /// else is known of the memory that it touches ([`super::overtaking::Addresses`]).
    pub(super) rank: u64,
    /// Of an overtaken event that is not present, but performed anew once a block is over: its thread, and its number
    /// there.
    pub(super) anew: Option<(Thread, u32)>,
}

/// How an event that reads something older has split the order of the events before it: for each of these, whether it
/// comes after the event now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Split {
    pub(super) index: u32,
    pub(super) follows: Vec<bool>,
}

impl Split {
    /// The parts of the order before and after the event, without what was added later.
    fn parts(&self, order: &[u32]) -> Option<[Vec<u32>; 2]> {
        let at = order.iter().position(|&index| index == self.index)?;
        let part = |part: &[u32]| part.iter().copied().filter(|&index| index < self.index).collect();
        Some([part(&order[..at]), part(&order[at + 1..])])
    }

    /// Whether the order can be what the event has made of another one.
    pub(super) fn fits(&self, order: &[u32]) -> bool {
        let after = self.follows.iter().filter(|&&follows| follows).count();
        self.parts(order)
            .is_some_and(|[before, behind]| before.len() + after == self.follows.len() && behind.len() == after)
    }

    /// Makes the order what it was, without the event. `after` is kept for its memory.
    pub(super) fn undo(&self, order: &mut Vec<u32>, after: &mut Vec<u32>) {
        order.retain(|&index| index <= self.index);
        let at = order.iter().position(|&index| index == self.index).expect("it stands between the parts");
        after.clear();
        after.extend(order.drain(at..).skip(1));
        let mut before = order.len();
        order.resize(self.follows.len(), NONE);
        for (to, &follows) in self.follows.iter().enumerate().rev() {
            if after.is_empty() {
                // What comes before them all stands where it did.
                break;
            }
            order[to] = if follows {
                after.pop().expect("it is not empty")
            } else {
                before -= 1;
                order[before]
            };
        }
    }
}

/// A thread that cannot go on at the end of an execution that is repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Expected {
    pub(super) thread: Thread,
    pub(super) tried: Tried,
    /// As [`Event::places`].
    pub(super) places: u32,
}

/// The graph.
#[derive(Default, Debug)]
pub(super) struct Graph {
    /// In the order in which they were added.
    pub(super) events: Vec<Event>,
    pub(super) accesses: Vec<Access>,
    /// The events in an order in which they can be performed; those from `events.len()` on are left over.
    pub(super) order: Vec<u32>,
    /// Of the events that read something older.
    pub(super) splits: Vec<Split>,
    pub(super) marks: Vec<Mark>,
    /// The events before this one are those of the graph as it was made by an overtaking.
    pub(super) fixed: u32,
    /// The events before this one are not to be varied here: they are fixed, or another slice varies them.
    pub(super) bottom: u32,
    /// Of a graph that has to be repeated: it ends with this thread, which cannot go on.
    pub(super) expects: Option<Expected>,
    /// The events that stand elsewhere than when they were performed last.
    pub(super) moved: [u32; 2],
    /// Which locations it speaks of, by a number of the explorer's.
    pub(super) generation: u32,
    /// For each event, how many events of each thread it depends on by program order and by what it reads.
    clocks: Vec<u32>,
    width: usize,
    /// The last event of each thread, or [`NONE`].
    last: PerThread<Last>,
    /// The last write of each place.
    tails: Vec<u32>,
    /// The accesses may not lie one after the other as their events do.
    scattered: bool,
    /// Accesses, and events, kept for their memory.
    compacted: Vec<Access>,
    parted: Vec<u32>,
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

/// How many bytes a vector has been given.
const fn given<T>(vector: &Vec<T>) -> usize {
    vector.capacity() * size_of::<T>()
}

/// Whether the thread is among the first 64, of which these are bits.
pub(super) fn has(threads: u64, thread: Thread) -> bool {
    threads.checked_shr(thread.0.into()).is_some_and(|bits| bits & 1 == 1)
}

fn narrow(index: usize) -> u32 {
    u32::try_from(index).expect("an execution has fewer than 2^32 events")
}

/// The number of an object among locations and objects.
pub(super) const fn object_place(object: Object) -> u32 {
    object.0 << 1 | 1
}

/// The location that a place is, if it is one.
pub(super) const fn location_of(place: u32) -> Option<Location> {
    if is_object(place) { None } else { Some(Location(place >> 1)) }
}

/// Whether a place is an object.
pub(super) const fn is_object(place: u32) -> bool {
    place & 1 == 1
}

/// What an event touches, by its numbers among locations and objects.
fn places<'a>(event: &Performed<'a>) -> impl Iterator<Item = u32> + use<'a> {
    let objects = event.objects.iter().map(|touched| object_place(touched.object));
    objects.chain(event.locations.iter().map(|location| location.0 << 1))
}

/// What an event touches and what it only watched, each with its values.
pub(super) fn touched<'a>(
    event: &'a Performed<'a>,
    watched: &'a [Watched],
) -> impl Iterator<Item = (u32, Option<(u64, u64)>, Watch)> + 'a {
    let aside = |touched: &Touched| if touched.effect == Effect::Aside { Watch::Never } else { Watch::No };
    let objects = event.objects.iter().map(move |touched| (touched.states, aside(touched)));
    let known = objects.chain(event.locations.iter().map(|_| (values(event), Watch::No)));
    let own = places(event).zip(known).map(|(place, (values, watch))| {
        let watched = watched.iter().find(|&&(other, _)| other == place);
        (place, values, watched.map_or(watch, |&(_, value)| Watch::From(value)))
    });
    let aside = watched.iter().filter(|&&(place, _)| places(event).all(|other| other != place));
    own.chain(aside.map(|&(place, value)| (place, None, Watch::Aside(value))))
}

/// What an event is that nobody waited for.
pub(super) fn what(event: &Performed<'_>) -> What {
    match event.kind {
        Kind::Create(thread) => What::Create(thread),
        Kind::Join(thread) if event.objects.is_empty() => What::Join(thread),
        _ if event.objects.iter().any(|touched| touched.effect != Effect::Unseen) => What::Write,
        Kind::Share(_) => What::Leave,
        Kind::Load | Kind::FailedRmw => What::Read,
        Kind::Fence if event.locations.is_empty() => What::Local,
        _ => What::Write,
    }
}

/// Whether a step may leave memory behind, of which one process knows more than another, or more than it did before.
pub(super) fn leaves(event: &Performed<'_>) -> bool {
    event.kind == Kind::Fence
}

/// What an event is that a thread performs after it has waited for these places.
pub(super) fn woken(what: What, watched: &[Watched]) -> What {
    if what == What::Local && !watched.is_empty() { What::Read } else { what }
}

/// An event of a block: whatever else accesses its locations comes before the block or after it.
pub(super) fn interlocked<'a>(event: &Performed<'a>) -> Performed<'a> {
    let kind = match event.kind {
        Kind::Load | Kind::Store | Kind::CompareAndSwap | Kind::FailedRmw => Kind::Rmw,
        other => other,
    };
    Performed { kind, ..*event }
}

fn writes(event: &Performed<'_>) -> Writes {
    match (event.kind, event.values) {
        _ if !event.objects.is_empty() => Writes::Surely,
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
        matches!(self, Self::Write)
    }

    /// Whether it has been performed.
    pub(super) const fn is_performed(self) -> bool {
        !matches!(self, Self::Stuck | Self::Asleep(_))
    }
}

impl Event {
    /// Whether nothing that conflicts may change place with it.
    pub(super) const fn writes(&self) -> bool {
        self.what.writes()
    }

    /// Whether both are in one block.
    pub(super) fn is_with(&self, other: &Self) -> bool {
        self.block != 0 && self.block == other.block && self.thread == other.thread
    }
}

impl Access {
    /// Whether it says nothing of a place that a thread may wait to change: it is one only because the thread waited, or
    /// nobody waits for that.
    pub(super) const fn watch_is_aside(&self) -> bool {
        matches!(self.watch, Watch::Aside(_) | Watch::Never)
    }

    /// Whether the thread waited for the place to change.
    pub(super) const fn waited(&self) -> bool {
        matches!(self.watch, Watch::From(_) | Watch::Aside(_))
    }
}

impl Graph {
    /// How many bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let splits = self.splits.iter().map(|split| given(&split.follows)).sum::<usize>() + given(&self.splits);
        let events = given(&self.events) + given(&self.order) + given(&self.clocks) + given(&self.parted);
        let accesses = given(&self.accesses) + given(&self.compacted) + given(&self.tails);
        events + accesses + splits + given(&self.marks)
    }

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

    /// What an event of the thread comes after if it comes after this one: the last event of its block, as far as that is
    /// there, unless the block is the thread's own.
    pub(super) fn known_by(&self, thread: Thread, index: u32) -> u32 {
        let event = self.event(index);
        if event.block == 0 || event.thread == thread {
            return index;
        }
        let last = self.events.iter().rposition(|other| other.is_with(event));
        last.map_or(index, narrow)
    }

    /// Whether the mark says that this event was overtaken.
    pub(super) fn is_of(&self, mark: &Mark, index: u32) -> bool {
        let event = self.event(index);
        if mark.present { mark.at == index } else { mark.anew == Some((event.thread, event.tick)) }
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
        let index = self.push(event.thread, woken(what, watched), writes(event), event.need);
        self.put_accesses(index, event, watched);
        self.settle(index);
        self.order.push(index);
    }

    /// Adds a choice of the thread among so many values, the first of them chosen, at this place of the order.
    pub(super) fn append_value(&mut self, thread: Thread, count: u32, position: usize) {
        let index = self.push(thread, What::Value { value: 0, count }, Writes::Surely, None);
        self.settle(index);
        self.order.insert(position, index);
    }

    /// Adds a thread that waits for something that an object would have to grant.
    pub(super) fn append_stuck(&mut self, thread: Thread, need: Need) {
        let (object, mutex) = match need.wish {
            Wish::Lock(on) | Wish::Read(on) | Wish::Write(on) | Wish::Take(on) | Wish::Once(on) => (on, None),
            Wish::Wake { sleepers, mutex } => (sleepers, mutex),
            // Nothing that has happened is in its way.
            Wish::Cross(_) | Wish::Join(_) => return,
        };
        let index = self.push(thread, What::Stuck, Writes::Surely, Some(need));
        self.accesses.extend([Some(object), mutex].into_iter().flatten().map(|object| Access {
            place: object_place(object),
            event: index,
            source: NONE,
            next: NONE,
            values: None,
            watch: Watch::No,
        }));
        self.events[index as usize].accesses = 1 + u32::from(mutex.is_some());
        self.settle(index);
    }

    /// Adds a thread that waits for one of these places to change.
    pub(super) fn append_asleep(&mut self, thread: Thread, begins: Begins, watched: &[Watched]) {
        let index = self.push(thread, What::Asleep(begins), Writes::Surely, None);
        let (event, source, next, values) = (index, NONE, NONE, None);
        let aside = if let Begins::WithBlock { block, on } = begins {
            self.events[index as usize].block = block;
            Some((on, Watch::Never))
        } else {
            None
        };
        let watched = watched.iter().map(|&(place, value)| (place, Watch::From(value)));
        let accesses = aside.into_iter().chain(watched);
        self.accesses.extend(accesses.map(|(place, watch)| Access { place, event, source, next, values, watch }));
        self.events[index as usize].accesses = narrow(self.accesses.len()) - self.events[index as usize].first;
        self.settle(index);
    }

    fn push(&mut self, thread: Thread, what: What, writes: Writes, need: Option<Need>) -> u32 {
        let index = self.length();
        let first = narrow(self.accesses.len());
        let tried = Tried { overtaken: index, ways: 0, older: 0 };
        let (tick, previous, accesses, bits) = (0, NONE, 0, 0);
        self.events.push(Event {
            thread,
            what,
            tick,
            previous,
            first,
            accesses,
            bits,
            writes,
            need,
            slept: matches!(what, What::Asleep(_)),
            yielded: false,
            leaves: false,
            tried,
            places: 0,
            block: 0,
        });
        index
    }

    /// Adds an event of which no more is known; [`Graph::rebuild`] has to follow.
    pub(super) fn sketch(&mut self, thread: Thread, what: What, writes: Writes) {
        if self.events.is_empty() {
            self.tails.fill(NONE);
            self.last.first(256).fill(Last::default());
        }
        self.push(thread, what, writes, None);
        self.make_room(thread);
    }

    fn put_accesses(&mut self, index: u32, performed: &Performed<'_>, watched: &[Watched]) {
        let access = |(place, values, watch)| Access { place, event: index, source: NONE, next: NONE, values, watch };
        self.accesses.extend(touched(performed, watched).map(access));
        let event = &mut self.events[index as usize];
        event.accesses = narrow(self.accesses.len()) - event.first;
        event.leaves = leaves(performed);
    }

    /// Whether an event that was performed again is what it was, but for its values, which are what they are now.
    pub(super) fn is_as_before(&mut self, index: u32, performed: &Performed<'_>, watched: &[Watched]) -> bool {
        let event = self.event(index);
        let own = event.first as usize..(event.first + event.accesses) as usize;
        let same = event.what == woken(what(performed), watched)
            && event.writes == writes(performed)
            && event.need == performed.need;
        let mut now = touched(performed, watched);
        same && self.accesses[own].iter_mut().all(|access| {
            now.next().is_some_and(|(place, values, watch)| {
                access.values = values;
                (access.place, access.watch) == (place, watch)
            })
        }) && now.next().is_none()
    }

    /// The state of the object became this in a part of the event.
    pub(super) fn becomes(&mut self, index: u32, object: Object, state: Option<u64>) {
        let Event { first, accesses, .. } = *self.event(index);
        let place = object_place(object);
        for access in &mut self.accesses[first as usize..(first + accesses) as usize] {
            if access.place == place {
                access.values = access.values.zip(state).map(|((before, _), after)| (before, after));
            }
        }
    }

    /// Takes what an event turned out to be when it was performed again; [`Graph::rebuild`] has to follow.
    pub(super) fn replace(&mut self, index: u32, performed: &Performed<'_>, watched: &[Watched]) {
        self.scattered = true;
        let first = narrow(self.accesses.len());
        let event = &mut self.events[index as usize];
        (event.what, event.writes, event.first) = (woken(what(performed), watched), writes(performed), first);
        event.need = performed.need;
        self.put_accesses(index, performed, watched);
    }

    /// How many of the places that the event touches were touched by events of other threads added before.
    pub(super) fn shared_places(&self, index: u32) -> u32 {
        let thread = self.event(index).thread;
        let others = || (0..index).filter(|&other| self.event(other).thread != thread);
        let earlier = |place| others().any(|other| self.accesses_of(other).iter().any(|access| access.place == place));
        narrow(self.accesses_of(index).iter().filter(|access| earlier(access.place)).count())
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
        let bits = self.bits_of(index);
        let settled = &mut self.events[index as usize];
        (settled.previous, settled.tick, settled.bits) = (previous, tick, bits);
        self.last[thread].event = index;
        if what == What::Leave {
            self.link_leave(index);
        } else {
            self.link(first..first + accesses, event.writes());
        }
        if let What::Create(child) = what {
            self.last[child].start = index;
            self.make_room(child);
        }
        self.make_room(thread);
        self.set_clock(index);
    }

    fn bits_of(&self, index: u32) -> u64 {
        self.accesses_of(index).iter().fold(0, |bits, access| bits | 1 << (access.place & 63))
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

    /// The first arrival since which the barrier has let the thread go.
    fn link_leave(&mut self, index: u32) {
        let Event { thread, first, .. } = *self.event(index);
        let released = |graph: &Self, at: u32| {
            let state = graph.accesses.get(at as usize).and_then(|access| access.values);
            state.is_some_and(|(_, state)| has(state, thread))
        };
        let mut at = self.tail(self.accesses[first as usize].place);
        while at != NONE && released(self, self.accesses[at as usize].source) {
            at = self.accesses[at as usize].source;
        }
        self.accesses[first as usize].source = at;
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
        if previous == NONE {
            self.clocks[at..at + width].fill(0);
        } else {
            let from = previous as usize * width;
            self.clocks.copy_within(from..from + width, at);
        }
        if let What::Join(other) = what
            && self.last[other].event != NONE
        {
            self.join_within(index, self.last[other].event);
        }
        for access in first..first + accesses {
            let source = self.accesses[access as usize].source;
            if source != NONE {
                self.join_within(index, self.known_by(thread, self.accesses[source as usize].event));
            }
        }
        self.clocks[at + thread.index()] = tick;
    }

    /// Makes the clock of an event know another one, and what that knows.
    fn join_within(&mut self, into: u32, from: u32) {
        if from == into {
            // It stands after itself until the graph is rebuilt, since what it was before still stands there.
            return;
        }
        let (width, source) = (self.width, &self.events[from as usize]);
        let (into, from) = (into as usize * width, from as usize * width);
        if self.clocks[into + source.thread.index()] >= source.tick {
            return;
        }
        let (low, high) = self.clocks.split_at_mut(into.max(from));
        let (into, from) = if into < from {
            (&mut low[into..into + width], &high[..width])
        } else {
            (&mut high[..width], &low[from..from + width])
        };
        for (into, &from) in into.iter_mut().zip(from) {
            *into = (*into).max(from);
        }
    }

    /// The order of the events before this one is again what it was before this one, which is the last, read something
    /// older: so that it does not depend on what has been run since.
    pub(super) fn restore_order(&mut self, index: u32) {
        if let Some(split) = self.splits.pop_if(|split| split.index == index) {
            split.undo(&mut self.order, &mut self.parted);
        }
    }

    /// The order of the events before this one, as it was when this one was added.
    pub(super) fn order_before(&self, index: u32) -> Vec<u32> {
        let mut order = self.order.clone();
        self.splits
            .iter()
            .rev()
            .take_while(|split| split.index >= index)
            .for_each(|split| split.undo(&mut order, &mut Vec::new()));
        order.retain(|&other| other < index);
        order
    }

    /// Removes the event that was added last. Its place in the order may be left over.
    pub(super) fn pop(&mut self) {
        let index = self.length() - 1;
        self.restore_order(index);
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
    pub(super) fn chain(&self, place: u32) -> impl Iterator<Item = u32> + '_ {
        let last = self.tails.get(place as usize).copied().unwrap_or(NONE);
        std::iter::successors(Some(last), |&at| self.accesses.get(at as usize).map(|access| access.source))
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Makes this a graph of the first so many events of another one, with their clocks there; after
    /// [`Graph::copy_event`] for others, [`Graph::rebuild_part`] has to follow.
    pub(super) fn copy_first(&mut self, from: &Self, events: u32) {
        assert!(!from.scattered, "accesses lie as their events do");
        self.clear();
        (self.width, self.generation) = (from.width, from.generation);
        let accesses = from.events.get(events as usize).map_or(from.accesses.len(), |event| event.first as usize);
        self.events.extend_from_slice(&from.events[..events as usize]);
        self.accesses.extend_from_slice(&from.accesses[..accesses]);
        self.clocks.extend_from_slice(&from.clocks[..events as usize * self.width]);
    }

    /// Removes all events.
    pub(super) fn clear(&mut self) {
        self.last.first(self.width).fill(Last::default());
        self.events.clear();
        self.accesses.clear();
        self.order.clear();
        self.splits.clear();
        self.marks.clear();
        self.clocks.clear();
        (self.fixed, self.bottom, self.expects) = (0, 0, None);
        self.scattered = false;
    }

    /// Adds an event of another graph, with its clock there.
    pub(super) fn copy_event(&mut self, from: &Self, index: u32) {
        let event = *from.event(index);
        let (first, number) = (narrow(self.accesses.len()), self.length());
        self.accesses.extend(from.accesses_of(index).iter().map(|&access| Access { event: number, ..access }));
        self.events.push(Event { first, ..event });
        self.clocks.extend_from_slice(from.clock(index));
    }

    /// Forgets the places in the order that are left over.
    pub(super) fn tidy(&mut self) {
        let length = self.length();
        self.order.retain(|&index| index < length);
    }

    /// Finds anew where each event stands, by the order.
    pub(super) fn rebuild(&mut self) {
        if std::mem::take(&mut self.scattered) {
            self.compact();
        }
        self.tails.fill(NONE);
        self.last.first(self.width).fill(Last::default());
        for at in 0..self.order.len() {
            self.settle(self.order[at]);
        }
        for index in self.fixed..self.length() {
            if !self.event(index).what.is_performed() {
                self.settle(index);
            }
        }
    }

    /// The same for a graph of events that were copied from another one, where they had other numbers: those of the order
    /// after the first so many may depend on something else than there.
    pub(super) fn rebuild_part(&mut self, from: &Self, numbers: &[u32], kept: usize) {
        self.tails.fill(NONE);
        let mut as_there = true;
        for at in 0..kept {
            let index = self.order[at];
            as_there = as_there && self.settle_as_there(index, from, numbers);
            if !as_there {
                self.settle(index);
            }
        }
        for at in kept..self.order.len() {
            self.settle(self.order[at]);
        }
    }

    /// [`Graph::settle`] for an event that was copied; false, and nothing done, if it depends on something else now.
    fn settle_as_there(&mut self, index: u32, from: &Self, numbers: &[u32]) -> bool {
        let Event { thread, what, previous, first, accesses, .. } = *self.event(index);
        let number = |event: u32| if event == NONE { NONE } else { numbers[event as usize] };
        let range = first as usize..(first + accesses) as usize;
        let event_of =
            |graph: &Self, access: u32| graph.accesses.get(access as usize).map_or(NONE, |access| access.event);
        let reads_it = |&Access { place, source, .. }: &Access| {
            event_of(self, self.tails.get(place as usize).copied().unwrap_or(NONE)) == number(event_of(from, source))
        };
        let same = match what {
            What::Leave => false,
            What::Join(other) => match self.last[other].event {
                NONE => false,
                last => self.clock(index)[other.index()] == self.event(last).tick,
            },
            _ => self.accesses[range].iter().all(reads_it),
        };
        if !same {
            return false;
        }
        self.events[index as usize].previous = number(previous);
        self.last[thread].event = index;
        self.link(first..first + accesses, what.writes());
        if let What::Create(child) = what {
            self.last[child].start = index;
        }
        true
    }

    /// Makes the accesses lie one after the other as their events do.
    fn compact(&mut self) {
        let mut compacted = std::mem::take(&mut self.compacted);
        compacted.clear();
        for event in &mut self.events {
            let first = narrow(compacted.len());
            compacted.extend_from_slice(&self.accesses[event.first as usize..][..event.accesses as usize]);
            event.first = first;
        }
        self.compacted = std::mem::replace(&mut self.accesses, compacted);
    }
}
