//! General vector clocks (003-burckhardt-cav08, Definition 7): the transitive closure of a relation → on events that is
//! total only within *groups* of events.
//!
//! Each event σ merges a set of clocks, in(σ), counts itself in each of its groups, gps(σ), and what comes out, its
//! timestamp, is merged into a set of clocks, out(σ). If
//!
//! 1. each event has a group (VC1),
//! 2. → is total on the events of a group (VC2), and
//! 3. out(σ) meets in(σ′) iff σ → σ′, for σ before σ′ (VC3),
//!
//! then σ →* σ′ iff σ comes no later than σ′ and no count of its timestamp is above that of σ′ (Theorem 5). It is enough
//! to look at one group of σ. Ordinary vector clocks are the case of one group a thread.

use crate::clock::{Block, Clock, Clocks, LANES, Tick, blocks_for, join};

/// The number of a clock.
pub(super) type ClockNumber = usize;

/// The number of a group.
pub(super) type Group = usize;

/// The clocks of one execution after the other. The relation decides which clocks and groups there are.
#[derive(Debug, Default)]
pub(super) struct GeneralClocks {
    clocks: Clocks<1>,
    /// The timestamp of the event at hand or, between events, of the last one.
    stamp: Vec<Block>,
}

/// Returns how many events of a group a clock knows.
pub(super) fn count(clock: &Clock, group: Group) -> Tick {
    clock[group / LANES][group % LANES]
}

impl GeneralClocks {
    /// Sets all clocks to zero.
    pub(super) fn begin(&mut self) {
        self.clocks.begin();
    }

    /// Makes room for this many groups.
    pub(super) fn reserve(&mut self, groups: usize) {
        if blocks_for(groups) > self.clocks.width() {
            self.clocks.widen(blocks_for(groups));
        }
    }

    /// Merges these clocks, which are in(σ), into the timestamp of an event that begins.
    pub(super) fn merge(&mut self, clocks: impl IntoIterator<Item = ClockNumber>) {
        self.stamp.clear();
        self.stamp.resize(self.clocks.width(), [0; LANES]);
        for clock in clocks {
            if let Some(clock) = self.clocks.touched(clock) {
                join(&mut self.stamp, clock);
            }
        }
    }

    /// Counts the event in a group.
    pub(super) fn advance(&mut self, group: Group) {
        self.stamp[group / LANES][group % LANES] += 1;
    }

    /// Merges the timestamp of the event into these clocks, which are out(σ).
    pub(super) fn merge_into(&mut self, clocks: impl IntoIterator<Item = ClockNumber>) {
        for clock in clocks {
            join(self.clocks.row(clock), &self.stamp);
        }
    }

    /// Returns the timestamp of the last event.
    pub(super) fn stamp(&self) -> &Clock {
        &self.stamp
    }

    /// Returns how many events of a group a clock knows.
    pub(super) fn known(&self, clock: ClockNumber, group: Group) -> Tick {
        self.clocks.touched(clock).map_or(0, |clock| count(clock, group))
    }
}
