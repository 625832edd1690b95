//! The orders of events that have other reasons than program order and conflicts: a commit comes after its store, and a fence
//! after the commits of its thread, and a thread that goes on after its witness ([`super::witnesses`]).

use super::numbers::Stamp;

/// Pairs of events, the later one first, sorted by it.
#[derive(Default, Debug)]
pub(super) struct Orders(Vec<(Stamp, Stamp)>);

impl Orders {
    /// Returns how many bytes of memory the orders take.
    pub(super) const fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<(Stamp, Stamp)>()
    }

    /// Returns the events that this one comes after.
    #[inline]
    pub(super) fn of(&self, event: Stamp) -> impl Iterator<Item = Stamp> + Clone + '_ {
        let first = if self.0.is_empty() { 0 } else { self.0.partition_point(|&(later, _)| later < event) };
        self.0[first..].iter().take_while(move |&&(later, _)| later == event).map(|&(_, earlier)| earlier)
    }

    /// Makes these the events that this one comes after.
    pub(super) fn set(&mut self, event: Stamp, earlier: impl Iterator<Item = Stamp>) {
        self.remove(event);
        let at = self.0.partition_point(|&(later, _)| later < event);
        self.0.splice(at..at, earlier.map(|earlier| (event, earlier)));
    }

    /// Forgets what the event comes after.
    #[inline]
    pub(super) fn remove(&mut self, event: Stamp) {
        if !self.0.is_empty() {
            self.0.retain(|&(later, _)| later != event);
        }
    }

    /// Forgets all orders.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Makes these the orders of the events of another graph before this one.
    pub(super) fn copy_before(&mut self, from: &Self, end: Stamp) {
        self.0.clear();
        self.0.extend(from.0.iter().take_while(|&&(later, _)| later < end));
    }
}

/// The events that each choice of a witness is among, in their order: those that saw the iteration behind which a thread goes on.
#[derive(Debug, Default)]
pub(super) struct Witnesses(Vec<(Stamp, Vec<Stamp>)>);

impl Witnesses {
    /// Returns the events that the choice is among.
    pub(super) fn of(&self, choice: Stamp) -> &[Stamp] {
        self.0.iter().find(|&&(other, _)| other == choice).map_or(&[], |(_, events)| events)
    }

    /// Makes these the events that the choice is among.
    pub(super) fn set(&mut self, choice: Stamp, events: Vec<Stamp>) {
        self.remove(choice);
        self.0.push((choice, events));
    }

    /// Forgets the choice, if the event is one.
    pub(super) fn remove(&mut self, choice: Stamp) {
        self.0.retain(|&(other, _)| other != choice);
    }

    /// Forgets all choices.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Makes these the choices of another graph that are kept here; `stamp` tells the stamps of its events here.
    pub(super) fn copy_kept(&mut self, from: &Self, stamp: impl Fn(Stamp) -> Option<Stamp>) {
        self.0.clear();
        let kept = from.0.iter().filter_map(|(choice, events)| {
            let events = events.iter().filter_map(|&event| stamp(event)).collect();
            stamp(*choice).map(|choice| (choice, events))
        });
        self.0.extend(kept);
    }

    /// Returns each choice, with its events.
    pub(super) fn all(&self) -> impl Iterator<Item = (Stamp, &[Stamp])> {
        self.0.iter().map(|(choice, events)| (*choice, events.as_slice()))
    }
}
