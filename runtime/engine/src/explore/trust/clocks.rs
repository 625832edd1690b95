//! Clocks that count, for each event of an execution graph, how many events of each thread it depends on by program order and by
//! what it reads.

use super::numbers::Stamp;
use crate::event::Thread;

/// The clocks of all events, each a row of counts.
#[derive(Default, Debug)]
pub(super) struct EventClocks {
    counts: Vec<u32>,
    width: usize,
}

impl EventClocks {
    /// Returns how many bytes of memory the clocks take.
    pub(super) const fn bytes(&self) -> usize {
        self.counts.capacity() * size_of::<u32>()
    }

    /// Returns how many counts a clock has.
    #[inline]
    pub(super) const fn width(&self) -> usize {
        self.width
    }

    /// Returns the clock of an event.
    #[inline]
    pub(super) fn of(&self, event: Stamp) -> &[u32] {
        &self.counts[event.index() * self.width..][..self.width]
    }

    /// Makes the clocks of this many events wide enough to count the events of this thread.
    #[inline]
    pub(super) fn make_room(&mut self, thread: Thread, events: usize) {
        if thread.index() < self.width {
            return;
        }
        let width = (thread.index() + 4) & !3;
        let mut counts = vec![0; events * width];
        if self.width > 0 {
            for (new, old) in counts.chunks_exact_mut(width).zip(self.counts.chunks_exact(self.width)) {
                new[..self.width].copy_from_slice(old);
            }
        }
        (self.counts, self.width) = (counts, width);
    }

    /// Begins the clock of an event, of `events` in all, as that of another one, or with nothing.
    #[inline]
    pub(super) fn begin(&mut self, event: Stamp, previous: Option<Stamp>, events: usize) {
        let width = self.width;
        let at = event.index() * width;
        if self.counts.len() < at + width {
            self.counts.resize(events * width, 0);
        }
        match previous {
            None => self.counts[at..at + width].fill(0),
            Some(previous) => {
                let from = previous.index() * width;
                self.counts.copy_within(from..from + width, at);
            }
        }
    }

    /// Sets the number that the event has in its thread.
    #[inline]
    pub(super) fn set(&mut self, event: Stamp, thread: Thread, tick: u32) {
        self.counts[event.index() * self.width + thread.index()] = tick;
    }

    /// Makes the clock of an event know another one, which has this number in its thread, and what that knows.
    #[inline]
    pub(super) fn join(&mut self, into: Stamp, from: Stamp, thread: Thread, tick: u32) {
        if from == into {
            // The event stands after itself until the graph is rebuilt, since its access as it was before is still in the chains.
            return;
        }
        let width = self.width;
        let (into, from) = (into.index() * width, from.index() * width);
        if self.counts[into + thread.index()] >= tick {
            return;
        }
        let (low, high) = self.counts.split_at_mut(into.max(from));
        let (into, from) = if into < from {
            (&mut low[into..into + width], &high[..width])
        } else {
            (&mut high[..width], &low[from..from + width])
        };
        for (into, &from) in into.iter_mut().zip(from) {
            *into = (*into).max(from);
        }
    }

    /// Makes `into` the join of it and the event's clock.
    pub(super) fn join_to(&self, into: &mut [u32], event: Stamp) {
        for (into, &from) in into.iter_mut().zip(self.of(event)) {
            *into = (*into).max(from);
        }
    }

    /// Forgets the clocks from this event on.
    #[inline]
    pub(super) fn truncate(&mut self, event: Stamp) {
        self.counts.truncate(event.index() * self.width);
    }

    /// Makes these the clocks of the events of another graph before this one.
    pub(super) fn copy_before(&mut self, from: &Self, end: Stamp) {
        self.width = from.width;
        self.counts.clear();
        self.counts.extend_from_slice(&from.counts[..end.index() * from.width]);
    }

    /// Adds the clock of an event of another graph.
    #[inline]
    pub(super) fn copy(&mut self, from: &Self, event: Stamp) {
        self.counts.extend_from_slice(from.of(event));
    }

    /// Forgets all clocks.
    pub(super) fn clear(&mut self) {
        self.counts.clear();
    }
}
