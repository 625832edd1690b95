//! The accesses of all events of an execution graph, and the writes of each place as a chain: each access knows the write
//! that it reads from or comes right after, each write the next one.

use std::ops::Index;

use super::event::{GraphAccess, GraphEvent, Watch, has};
use super::numbers::{AccessNumber, Place, Span, Stamp, entry};
use crate::event::Thread;

/// The accesses of an execution graph, chained by place.
#[derive(Default, Debug)]
pub(super) struct AccessChains {
    all: Vec<GraphAccess>,
    /// The last write of each place.
    tails: Vec<Option<AccessNumber>>,
    /// A list of accesses that is kept for its memory.
    compacted: Vec<GraphAccess>,
}

impl Index<AccessNumber> for AccessChains {
    type Output = GraphAccess;

    #[inline]
    fn index(&self, number: AccessNumber) -> &GraphAccess {
        &self.all[number.index()]
    }
}

impl AccessChains {
    /// Returns how many bytes of memory the accesses take.
    pub(super) fn bytes(&self) -> usize {
        (self.all.capacity() + self.compacted.capacity()) * size_of::<GraphAccess>()
            + self.tails.capacity() * size_of::<Option<AccessNumber>>()
    }

    /// Returns all accesses.
    pub(super) fn all(&self) -> &[GraphAccess] {
        &self.all
    }

    /// Returns the accesses of an event.
    #[inline]
    pub(super) fn of(&self, span: Span) -> &[GraphAccess] {
        &self.all[span.range()]
    }

    /// Returns the accesses of an event, to be changed.
    #[inline]
    pub(super) fn of_mut(&mut self, span: Span) -> &mut [GraphAccess] {
        &mut self.all[span.range()]
    }

    /// Returns the access with this number, if it has one.
    #[inline]
    pub(super) fn find(&self, number: Option<AccessNumber>) -> Option<&GraphAccess> {
        number.and_then(|number| self.all.get(number.index()))
    }

    /// Returns the event of the access with this number, if it has one.
    #[inline]
    pub(super) fn event_of(&self, number: Option<AccessNumber>) -> Option<Stamp> {
        self.find(number).map(|access| access.event)
    }

    /// Adds the accesses of an event, and returns their span.
    #[inline]
    pub(super) fn add(&mut self, accesses: impl Iterator<Item = GraphAccess>) -> Span {
        let first = self.all.len();
        self.all.extend(accesses);
        Span::new(first, self.all.len() - first)
    }

    /// Returns the empty span at which the accesses of the next event begin.
    #[inline]
    pub(super) fn end(&self) -> Span {
        Span::new(self.all.len(), 0)
    }

    /// Removes an event's accesses, which are the last ones.
    #[inline]
    pub(super) fn remove(&mut self, span: Span) {
        self.all.truncate(span.range().start);
    }

    /// Removes all accesses.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    /// Makes the accesses of another graph that come before this event's the accesses of this one; no place has a write then.
    pub(super) fn copy_before(&mut self, from: &Self, end: Span) {
        self.all.clear();
        self.all.extend_from_slice(&from.all[..end.range().start]);
    }

    /// Forgets the writes of all places, which are linked anew.
    #[inline]
    pub(super) fn unlink_all(&mut self) {
        self.tails.fill(None);
    }

    /// Returns the last write of a place.
    #[inline]
    pub(super) fn tail(&self, place: Place) -> Option<AccessNumber> {
        self.tails.get(place.index()).copied().flatten()
    }

    /// Puts an event's accesses after all others.
    #[inline]
    pub(super) fn link(&mut self, span: Span, writes: bool) {
        for at in span.numbers() {
            let tail = entry(&mut self.tails, self.all[at.index()].place, None);
            let source = *tail;
            self.all[at.index()].source = source;
            if writes {
                *tail = Some(at);
                self.all[at.index()].next = None;
                if let Some(source) = source {
                    self.all[source.index()].next = Some(at);
                }
            }
        }
    }

    /// Puts the leaving of a barrier by this thread after the first arrival since which the barrier has let it go.
    pub(super) fn link_leave(&mut self, span: Span, thread: Thread) {
        let released = |number| {
            let state = self.find(number).and_then(|access| access.values);
            state.is_some_and(|(_, state)| has(state, thread))
        };
        let mut at = self.tail(self.of(span)[0].place);
        while let Some(arrival) = at
            && released(self[arrival].source)
        {
            at = self[arrival].source;
        }
        self.of_mut(span)[0].source = at;
    }

    /// Notes that the state of the object, one of an event's places, became this in a part of the event.
    pub(super) fn becomes(&mut self, span: Span, object: Place, state: Option<u64>) {
        for access in self.of_mut(span).iter_mut().filter(|access| access.place == object) {
            access.values = access.values.zip(state).map(|((before, _), after)| (before, after));
        }
    }

    /// Takes an event's accesses, which write and come after all others, out of the chains.
    #[inline]
    pub(super) fn unlink(&mut self, span: Span) {
        for at in span.numbers().rev() {
            let GraphAccess { place, source, .. } = self.all[at.index()];
            self.tails[place.index()] = source;
            if let Some(source) = source {
                self.all[source.index()].next = None;
            }
        }
    }

    /// Returns the first write of a place.
    #[inline]
    fn head(&self, place: Place) -> Option<AccessNumber> {
        let mut at = self.tail(place)?;
        while let Some(source) = self[at].source {
            at = source;
        }
        Some(at)
    }

    /// Returns the write of a place that comes after this one, or that comes first.
    #[inline]
    pub(super) fn write_after(&self, place: Place, source: Option<AccessNumber>) -> Option<AccessNumber> {
        source.map_or_else(|| self.head(place), |source| self[source].next)
    }

    /// Returns the events that write the place after this write.
    pub(super) fn writes_after(&self, place: Place, source: Option<AccessNumber>) -> impl Iterator<Item = Stamp> + '_ {
        let mut next = self.write_after(place, source);
        std::iter::from_fn(move || {
            let access = self.find(next)?;
            next = access.next;
            Some(access.event)
        })
    }

    /// Returns what a place holds after a write or, if known, at the beginning.
    #[inline]
    pub(super) fn value_after(&self, place: Place, source: Option<AccessNumber>) -> Option<u64> {
        match self.find(source) {
            Some(access) if matches!(access.watch, Watch::Aside(_)) => self.value_after(place, access.source),
            Some(access) => access.values.map(|(_, after)| after),
            None => self.find(self.head(place))?.values.map(|(before, _)| before),
        }
    }

    /// Returns the writes of a place, the last one first, and then the beginning.
    pub(super) fn chain(&self, place: Place) -> impl Iterator<Item = Option<AccessNumber>> + '_ {
        std::iter::successors(Some(self.tail(place)), |&at| self.find(at).map(|access| access.source))
    }

    /// Makes the accesses lie one after the other, in the order of their events.
    pub(super) fn compact(&mut self, events: &mut [GraphEvent]) {
        let mut compacted = std::mem::take(&mut self.compacted);
        compacted.clear();
        for event in events {
            let first = compacted.len();
            compacted.extend_from_slice(self.of(event.accesses));
            event.accesses = Span::new(first, event.accesses.length());
        }
        self.compacted = std::mem::replace(&mut self.all, compacted);
    }
}
