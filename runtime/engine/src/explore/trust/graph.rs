//! The execution graph of the explorer [`super::Trust`]: events in the order in which they were added, what each of
//! them reads from, and one order in which they can be performed.

use super::accesses::AccessChains;
use super::clocks::EventClocks;
use super::event::{
    Begins, GraphAccess, GraphEvent, Round, Tried, Watch, Watched, What, Writes, leaves, round, touched, what, woken,
    writes,
};
use super::numbers::{Place, Stamp};
use super::orders::{Orders, Witnesses};
use super::sequence::Sequence;
use crate::event::Thread;
use crate::explore::{Need, Performed};
use crate::per_thread::PerThread;
use crate::sync::machine::Wish;

/// A mark that an event was moved before one that had been added earlier, which is not to be moved back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    /// The bound of the events that were added before the revisited event.
    pub(super) at: Stamp,
    /// Whether the revisited event is in the graph: it is then the event with the stamp `at`.
    pub(super) present: bool,
    /// The event that revisited it.
    pub(super) by: Stamp,
    /// The rank of the first access of the revisited event to a place where it was revisited, which does not depend on what else
    /// is known of the memory that the event touches ([`super::revisit::Addresses`]).
    pub(super) rank: u64,
    /// The thread and the number of a revisited event that is not present, but performed anew once a block is over.
    pub(super) anew: Option<(Thread, u32)>,
}

impl Mark {
    /// Whether the mark says that this event of the graph was revisited.
    pub(super) fn is_of(&self, event: Stamp, graph: &ExecutionGraph) -> bool {
        let GraphEvent { thread, tick, .. } = *graph.event(event);
        if self.present { self.at == event } else { self.anew == Some((thread, tick)) }
    }
}

/// A thread that cannot go on at the end of an execution that is repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Expected {
    pub(super) thread: Thread,
    pub(super) tried: Tried,
    /// The number of places that the event shares with earlier ones, as in [`GraphEvent::places`].
    pub(super) places: u32,
}

/// The generation of locations that a graph speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Generation {
    /// The locations are those of the explorer, which numbers its generations.
    Known(u32),
    /// The locations are not known: no event is known to this process.
    Unknown,
}

impl Default for Generation {
    fn default() -> Self {
        Self::Known(0)
    }
}

/// An execution graph.
#[derive(Debug)]
pub(super) struct ExecutionGraph {
    /// The events, in the order in which they were added.
    pub(super) events: Vec<GraphEvent>,
    pub(super) accesses: AccessChains,
    pub(super) clocks: EventClocks,
    pub(super) orders: Orders,
    pub(super) witnesses: Witnesses,
    pub(super) sequence: Sequence,
    pub(super) marks: Vec<Mark>,
    /// The events before this one are those of the graph as it was made by a revisit.
    pub(super) fixed: Stamp,
    /// The events before this one are not to be varied here: they are fixed, or another slice varies them.
    pub(super) bottom: Stamp,
    /// The thread with which a graph that has to be repeated ends, and which cannot go on.
    pub(super) expects: Option<Expected>,
    /// The event that revisited another one, or reads something older, and the one that was revisited, as far as they stand
    /// elsewhere than when they were last performed.
    pub(super) moved: [Option<Stamp>; 2],
    pub(super) generation: Generation,
    last: PerThread<Last>,
    /// Whether the accesses may lie in another order than their events.
    scattered: bool,
}

/// The last event of a thread, and its creation.
#[derive(Clone, Copy, Default, Debug)]
struct Last {
    event: Option<Stamp>,
    start: Option<Stamp>,
}

impl Default for ExecutionGraph {
    fn default() -> Self {
        Self {
            events: Vec::new(),
            accesses: AccessChains::default(),
            clocks: EventClocks::default(),
            orders: Orders::default(),
            witnesses: Witnesses::default(),
            sequence: Sequence::default(),
            marks: Vec::new(),
            fixed: Stamp::FIRST,
            bottom: Stamp::FIRST,
            expects: None,
            moved: [None; 2],
            generation: Generation::default(),
            last: PerThread::default(),
            scattered: false,
        }
    }
}

impl ExecutionGraph {
    /// Returns how many bytes of memory the graph takes.
    pub(super) fn bytes(&self) -> usize {
        self.events.capacity() * size_of::<GraphEvent>()
            + self.marks.capacity() * size_of::<Mark>()
            + self.accesses.bytes()
            + self.clocks.bytes()
            + self.orders.bytes()
            + self.sequence.bytes()
    }

    /// Returns the stamp that the next event gets; all events have lower ones.
    #[inline]
    pub(super) fn end(&self) -> Stamp {
        Stamp::new(self.events.len())
    }

    #[inline]
    pub(super) fn event(&self, event: Stamp) -> &GraphEvent {
        &self.events[event.index()]
    }

    #[inline]
    pub(super) fn event_mut(&mut self, event: Stamp) -> &mut GraphEvent {
        &mut self.events[event.index()]
    }

    #[inline]
    pub(super) fn accesses_of(&self, event: Stamp) -> &[GraphAccess] {
        self.accesses.of(self.event(event).accesses)
    }

    /// Whether the clock knows the event.
    #[inline]
    pub(super) fn knows(&self, clock: &[u32], event: Stamp) -> bool {
        let event = self.event(event);
        clock[event.thread.index()] >= event.tick
    }

    /// Whether the event is known to come after the other one whatever it reads.
    #[inline]
    pub(super) fn follows(&self, event: Stamp, other: Stamp) -> bool {
        let knows = |earlier| self.knows(self.clocks.of(earlier), other);
        self.event(event).previous.is_some_and(knows) || self.orders.of(event).any(knows)
    }

    /// What an event of the thread comes after if it comes after this one: the last event of its block, as far as that is
    /// there, unless the block is the thread's own.
    #[inline]
    pub(super) fn known_by(&self, thread: Thread, event: Stamp) -> Stamp {
        let this = self.event(event);
        if this.block.is_none() || this.thread == thread {
            return event;
        }
        let last = self.events.iter().rposition(|other| other.is_with(this));
        last.map_or(event, Stamp::new)
    }

    /// Adds an event that has just been performed, after all others.
    pub(super) fn append(&mut self, performed: &Performed<'_>, watched: &[Watched]) {
        let what = what(performed);
        let event = self.push(performed.thread, woken(what, watched), writes(performed), performed.need);
        self.put_accesses(event, performed, watched);
        self.settle(event);
        self.sequence.order.push(event);
    }

    /// Adds an event that was removed, with these accesses, after all others: it stands there now. Its stamp.
    pub(super) fn append_again(&mut self, event: &GraphEvent, accesses: &[GraphAccess]) -> Stamp {
        let stamp = self.push(event.thread, event.what, event.writes, event.need);
        let span = self.accesses.add(accesses.iter().map(|&access| GraphAccess { event: stamp, ..access }));
        let GraphEvent { yielded, round, leaves, .. } = *event;
        let added = self.event_mut(stamp);
        (added.accesses, added.yielded, added.round, added.leaves) = (span, yielded, round, leaves);
        self.settle(stamp);
        self.sequence.order.push(stamp);
        stamp
    }

    /// Adds a choice of the thread among `count` values, the first of which is chosen, at this place of the order.
    pub(super) fn append_value(&mut self, thread: Thread, count: u32, position: usize) {
        let event = self.push(thread, What::Value { value: 0, count }, Writes::Surely, None);
        self.settle(event);
        self.sequence.order.insert(position, event);
    }

    /// Adds a thread that cannot go on, with what it waits for ([`stuck`], [`asleep`]).
    pub(super) fn append_waiting(
        &mut self,
        thread: Thread,
        what: What,
        need: Option<Need>,
        places: impl Iterator<Item = (Place, Watch)>,
    ) {
        let event = self.push(thread, what, Writes::Surely, need);
        let accesses = self.accesses.add(places.map(|(place, watch)| GraphAccess::new(event, place, None, watch)));
        let waiting = self.event_mut(event);
        waiting.accesses = accesses;
        if let What::Asleep(Begins::WithBlock { block, .. }) = what {
            waiting.block = Some(block);
        }
        self.settle(event);
    }

    /// Adds an event, of which no more is known, after all others. [`ExecutionGraph::settle`] has to follow.
    #[inline]
    pub(super) fn push(&mut self, thread: Thread, what: What, writes: Writes, need: Option<Need>) -> Stamp {
        let event = self.end();
        self.events.push(GraphEvent {
            thread,
            what,
            tick: 0,
            previous: None,
            accesses: self.accesses.end(),
            bits: 0,
            writes,
            need,
            slept: matches!(what, What::Asleep(_)),
            yielded: false,
            round: Round::GoesOn,
            leaves: false,
            tried: Tried::nothing(event),
            places: 0,
            block: None,
        });
        event
    }

    /// Adds an event about which no more is known. [`ExecutionGraph::rebuild`] has to follow.
    pub(super) fn sketch(&mut self, thread: Thread, what: What, writes: Writes) -> &mut GraphEvent {
        if self.events.is_empty() {
            self.accesses.unlink_all();
            self.last.first(256).fill(Last::default());
        }
        let event = self.push(thread, what, writes, None);
        self.clocks.make_room(thread, self.events.len());
        self.event_mut(event)
    }

    #[inline]
    fn put_accesses(&mut self, event: Stamp, performed: &Performed<'_>, watched: &[Watched]) {
        let touched = touched(performed, watched);
        let span =
            self.accesses.add(touched.map(|(place, values, watch)| GraphAccess::new(event, place, values, watch)));
        let event = self.event_mut(event);
        event.accesses = span;
        (event.leaves, event.round) = (leaves(performed), round(performed));
    }

    /// Whether an event that was performed again is what it was, apart from its values, which are updated.
    pub(super) fn is_as_before(&mut self, event: Stamp, performed: &Performed<'_>, watched: &[Watched]) -> bool {
        let event = &mut self.events[event.index()];
        event.round = round(performed);
        let same = event.what == woken(what(performed), watched)
            && event.writes == writes(performed)
            && event.need == performed.need;
        let mut now = touched(performed, watched);
        same && self.accesses.of_mut(event.accesses).iter_mut().all(|access| {
            now.next().is_some_and(|(place, values, watch)| {
                access.values = values;
                (access.place, access.watch) == (place, watch)
            })
        }) && now.next().is_none()
    }

    /// Replaces an event by what it turned out to be when it was performed again. [`ExecutionGraph::rebuild`] has to follow.
    pub(super) fn replace(&mut self, event: Stamp, performed: &Performed<'_>, watched: &[Watched]) {
        self.scattered = true;
        let replaced = self.event_mut(event);
        (replaced.what, replaced.writes) = (woken(what(performed), watched), writes(performed));
        replaced.need = performed.need;
        self.put_accesses(event, performed, watched);
    }

    /// Finds the place of the event, which is after all that have been settled.
    pub(super) fn settle(&mut self, event: Stamp) {
        let GraphEvent { thread, what, accesses, .. } = *self.event(event);
        let Last { event: newest, start } = self.last[thread];
        // What a thread would do that waited may stand before what it has done since.
        let own = |at: &Stamp| self.event(*at).previous.filter(|&before| self.event(before).thread == thread);
        let last = std::iter::successors(newest, own).find(|&own| own < event || what.is_performed());
        let before = last.map_or(0, |last| self.event(last).tick);
        let tick = before + u32::from(!matches!(what, What::Value { .. }));
        let bits = self.accesses_of(event).iter().fold(0, |bits, access| bits | access.place.bit());
        let settled = self.event_mut(event);
        (settled.previous, settled.tick, settled.bits) = (last.or(start), tick, bits);
        self.last[thread].event = if last == newest { Some(event) } else { newest };
        if what == What::Leave {
            self.accesses.link_leave(accesses, thread);
        } else {
            self.accesses.link(accesses, what.writes());
        }
        if let What::Create(child) = what {
            self.last[child].start = Some(event);
            self.clocks.make_room(child, self.events.len());
        }
        self.clocks.make_room(thread, self.events.len());
        self.set_clock(event);
    }

    /// Sets the clock of an event whose sources are known.
    #[inline]
    pub(super) fn set_clock(&mut self, event: Stamp) {
        let GraphEvent { thread, what, tick, previous, accesses, .. } = *self.event(event);
        self.clocks.begin(event, previous, self.events.len());
        if let What::Join(other) = what
            && let Some(last) = self.last[other].event
        {
            let GraphEvent { thread, tick, .. } = *self.event(last);
            self.clocks.join(event, last, thread, tick);
        }
        for earlier in self.orders.of(event) {
            let GraphEvent { thread, tick, .. } = self.events[earlier.index()];
            self.clocks.join(event, earlier, thread, tick);
        }
        for access in accesses.numbers() {
            if let Some(source) = self.accesses[access].source {
                let known = self.known_by(thread, self.accesses[source].event);
                let GraphEvent { thread, tick, .. } = *self.event(known);
                self.clocks.join(event, known, thread, tick);
            }
        }
        self.clocks.set(event, thread, tick);
    }

    /// Removes the event that was added last. Its place in the order may be left over.
    pub(super) fn pop(&mut self) {
        let last = self.end().previous().expect("a graph with an event");
        self.sequence.restore(last);
        let event = *self.event(last);
        if event.writes() {
            self.accesses.unlink(event.accesses);
        }
        let own = event.previous.filter(|&previous| self.event(previous).thread == event.thread);
        self.last[event.thread].event = own;
        self.accesses.remove(event.accesses);
        self.orders.remove(last);
        if let What::Witness { .. } = event.what {
            self.witnesses.remove(last);
        }
        self.events.pop();
        self.clocks.truncate(last);
    }

    /// Removes all events.
    pub(super) fn clear(&mut self) {
        self.last.first(self.clocks.width()).fill(Last::default());
        self.events.clear();
        self.accesses.clear();
        self.sequence.clear();
        self.marks.clear();
        self.clocks.clear();
        self.orders.clear();
        self.witnesses.clear();
        (self.fixed, self.bottom, self.expects) = (Stamp::FIRST, Stamp::FIRST, None);
        self.scattered = false;
    }

    /// Restricts another graph to its events before this one, with their clocks there, and makes this one the result;
    /// after [`ExecutionGraph::keep`] for others, [`ExecutionGraph::rebuild_part`] has to follow.
    pub(super) fn restrict(&mut self, from: &Self, end: Stamp) {
        assert!(!from.scattered, "accesses lie as their events do");
        self.clear();
        self.generation = from.generation;
        let accesses = from.events.get(end.index()).map_or(from.accesses.end(), |event| event.accesses);
        self.events.extend_from_slice(&from.events[..end.index()]);
        self.accesses.copy_before(&from.accesses, accesses);
        self.clocks.copy_before(&from.clocks, end);
        self.orders.copy_before(&from.orders, end);
    }

    /// Adds an event of the graph that was restricted, with its clock there, and returns its stamp here.
    pub(super) fn keep(&mut self, from: &Self, event: Stamp) -> Stamp {
        let stamp = self.end();
        let accesses = from.accesses_of(event).iter().map(|&access| GraphAccess { event: stamp, ..access });
        let accesses = self.accesses.add(accesses);
        self.events.push(GraphEvent { accesses, ..*from.event(event) });
        self.clocks.copy(&from.clocks, event);
        stamp
    }

    /// Finds the place of each event anew, following the order.
    pub(super) fn rebuild(&mut self) {
        if std::mem::take(&mut self.scattered) {
            self.accesses.compact(&mut self.events);
        }
        self.accesses.unlink_all();
        self.last.first(self.clocks.width()).fill(Last::default());
        for at in 0..self.sequence.order.len() {
            self.settle(self.sequence.order[at]);
        }
        for event in self.fixed.up_to(self.end()) {
            if !self.event(event).what.is_performed() {
                self.settle(event);
            }
        }
    }

    /// Does what [`ExecutionGraph::rebuild`] does for a graph of events that were kept from another one, where they had other
    /// stamps (`stamps` holds those that they have here). Only events of the order after the first `kept` may depend on something
    /// else than there.
    pub(super) fn rebuild_part(&mut self, from: &Self, stamps: &[Option<Stamp>], kept: usize) {
        self.accesses.unlink_all();
        let mut as_there = true;
        for at in 0..self.sequence.order.len() {
            let event = self.sequence.order[at];
            as_there = as_there && at < kept && settles_as_there(self, event, from, stamps);
            if !as_there {
                self.settle(event);
            }
        }
    }
}

/// Does what [`ExecutionGraph::settle`] does for an event that was kept. Returns false and does nothing if the event depends
/// on something else now.
fn settles_as_there(graph: &mut ExecutionGraph, event: Stamp, from: &ExecutionGraph, stamps: &[Option<Stamp>]) -> bool {
    let GraphEvent { thread, what, previous, accesses, .. } = *graph.event(event);
    let stamp = |there: Option<Stamp>| there.and_then(|there| stamps[there.index()]);
    let reads_it = |&GraphAccess { place, source, .. }: &GraphAccess| {
        graph.accesses.event_of(graph.accesses.tail(place)) == stamp(from.accesses.event_of(source))
    };
    let same = match what {
        What::Leave => false,
        What::Join(other) => {
            graph.last[other].event.is_some_and(|last| graph.clocks.of(event)[other.index()] == graph.event(last).tick)
        }
        _ => graph.accesses.of(accesses).iter().all(reads_it),
    };
    if !same {
        return false;
    }
    graph.event_mut(event).previous = stamp(previous);
    graph.last[thread].event = Some(event);
    graph.accesses.link(accesses, what.writes());
    if let What::Create(child) = what {
        graph.last[child].start = Some(event);
    }
    true
}

/// Returns the places that a thread accesses which waits for something that an object would have to grant; none if nothing that
/// has happened is in its way.
pub(super) fn stuck(need: Need) -> Option<impl Iterator<Item = (Place, Watch)>> {
    let (object, mutex) = match need.wish {
        Wish::Lock(on) | Wish::Read(on) | Wish::Write(on) | Wish::Take(on) | Wish::Once(on) => (on, None),
        Wish::Wake { sleepers, mutex } => (sleepers, mutex),
        Wish::Cross(_) | Wish::Join(_) => return None,
    };
    Some([Some(object), mutex].into_iter().flatten().map(|object| (Place::of_object(object), Watch::No)))
}

/// Returns the places that a thread accesses which waits for one of the watched places to change.
pub(super) fn asleep(begins: Begins, watched: &[Watched]) -> impl Iterator<Item = (Place, Watch)> {
    let aside = if let Begins::WithBlock { on, .. } = begins { Some((on, Watch::Never)) } else { None };
    aside.into_iter().chain(watched.iter().map(|&(place, value)| (place, Watch::From(value))))
}

/// Returns how many of the places that the event touches were touched by events of other threads added before.
pub(super) fn shared_places(graph: &ExecutionGraph, event: Stamp) -> u32 {
    let thread = graph.event(event).thread;
    let others = || Stamp::FIRST.up_to(event).filter(|&other| graph.event(other).thread != thread);
    let earlier = |place| others().any(|other| graph.accesses_of(other).iter().any(|access| access.place == place));
    let shared = graph.accesses_of(event).iter().filter(|access| earlier(access.place)).count();
    u32::try_from(shared).expect("an event has fewer than 2^32 accesses")
}
