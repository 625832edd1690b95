//! The search for a cycle that some execution of the trace realises (docs/monitors.md, sections 6.4 and 6.5; the
//! corrected theorem 5 of 001-enea-tacas16).
//!
//! A cycle is sought as a sequence of *hops*, edges that are possible and not certain, from an *exit* in one
//! transaction to an *entry* in another; between an entry and the next exit lies a path of certain edges. The
//! requirements of all its hops must have room in H together. Read [`Search::extend`].
//!
//! What is not tried, since it would find nothing more:
//! 1. An exit later in its group than another one that the entry leads to: it requires more.
//! 2. An exit that an earlier entry of the sequence leads to: there is a shorter cycle. For the same reason an entry
//!    that leads to any exit of the sequence closes a cycle.
//! 3. An exit that comes before the first one in the order of accesses: the cycle is found from there.
//! 4. An entry earlier in its group than another one that leads to the same exits: it requires more. If the
//!    requirements of one have no room, neither have those of an earlier one.
//!
//! So a cycle of fewest hops, and among these of earliest exits, is always found; its entries are pairwise not
//! connected by certain edges.

use super::super::violation::{Edge, Transaction, Violation};
use super::constraints::Requirements;
use super::window::{Arc, Window};
use crate::event::EventIndex;

/// The error that the search ran out of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Exhausted;

/// A hop from an exit to an entry, by the numbers of the accesses.
#[derive(Clone, Copy, Debug)]
struct Hop {
    exit: usize,
    entry: usize,
}

/// The exit that stands for none that can be reached.
const NONE: usize = usize::MAX;

/// The search in one strongly connected component of the possible edges, in which the certain edges have no cycle.
#[derive(Debug)]
pub(super) struct Search<'a> {
    window: &'a Window,
    /// The place of each transaction of the window in the component, or [`OUTSIDE`].
    local: &'a [usize],
    /// The accesses of the component.
    exits: Vec<usize>,
    /// The groups that have accesses in the component.
    groups: Vec<usize>,
    /// The place of each group of the window among `groups`.
    slot: Vec<usize>,
    /// The earliest access of each group that certain edges lead to from each of the component's transactions.
    earliest: Vec<usize>,
    /// The class of each of the component's transactions: those that lead to the same accesses have the same.
    class: Vec<usize>,
    requirements: Requirements,
    hops: Vec<Hop>,
    /// The number of hops that may still be tried.
    steps: &'a mut u64,
}

/// The place of a transaction that is not in the component.
pub(super) const OUTSIDE: usize = usize::MAX;

impl<'a> Search<'a> {
    /// Makes the search in the component of these transactions, in which certain edges only lead from later ones to earlier ones.
    /// `local` is the place of each transaction of the window in `members`, or [`OUTSIDE`]. Returns none if that takes more than
    /// `most` entries of a table.
    pub(super) fn new(
        window: &'a Window,
        members: &[usize],
        accesses: Vec<usize>,
        local: &'a [usize],
        steps: &'a mut u64,
        most: usize,
    ) -> Option<Self> {
        let mut slot = vec![NONE; window.groups.len()];
        let mut groups = Vec::new();
        for &access in &accesses {
            let group = window.group_of[access];
            if slot[group] == NONE {
                slot[group] = groups.len();
                groups.push(group);
            }
        }
        if members.len().saturating_mul(groups.len()) > most {
            return None;
        }
        let requirements = Requirements::default();
        let (hops, earliest, class) = (Vec::new(), Vec::new(), Vec::new());
        let mut search =
            Self { window, local, exits: accesses, groups, slot, earliest, class, requirements, hops, steps };
        search.fill(members);
        Some(search)
    }

    fn fill(&mut self, members: &[usize]) {
        let width = self.groups.len();
        self.earliest = vec![NONE; members.len() * width];
        for &access in &self.exits {
            let row = self.local[self.window.accesses[access].transaction];
            let entry = &mut self.earliest[row * width + self.slot[self.window.group_of[access]]];
            *entry = (*entry).min(access);
        }
        let mut classes = std::collections::BTreeMap::new();
        for (row, &member) in members.iter().enumerate() {
            for arc in self.window.certain.from(member) {
                let other = self.local[arc.to];
                if other == OUTSIDE {
                    continue;
                }
                assert!(other < row, "certain edges lead to earlier transactions");
                let (done, this) = self.earliest.split_at_mut(row * width);
                for (entry, &access) in this.iter_mut().zip(&done[other * width..][..width]) {
                    *entry = (*entry).min(access);
                }
            }
        }
        for row in self.earliest.chunks_exact(width) {
            let next = classes.len();
            self.class.push(*classes.entry(row).or_insert(next));
        }
    }

    /// Looks for a cycle, and returns the violation that it is.
    pub(super) fn run(mut self) -> Result<Option<Violation>, Exhausted> {
        let mut exits = std::mem::take(&mut self.exits);
        exits.sort_by_key(|&access| self.rank(access));
        for exit in exits {
            if let Some(violation) = self.leave(exit)? {
                return Ok(Some(violation));
            }
        }
        Ok(None)
    }

    /// Returns the rank of an access in the order in which exits are tried, that of issue.
    fn rank(&self, access: usize) -> (u64, usize) {
        (self.window.accesses[access].issue, access)
    }

    fn row(&self, access: usize) -> usize {
        self.local[self.window.accesses[access].transaction]
    }

    /// Returns the earliest access of a group that certain edges lead to from an entry's transaction.
    fn earliest(&self, entry: usize, slot: usize) -> usize {
        self.earliest[self.row(entry) * self.groups.len() + slot]
    }

    /// Whether certain edges lead from the transaction of an entry to that of an exit.
    fn leads(&self, entry: usize, exit: usize) -> bool {
        self.earliest(entry, self.slot[self.window.group_of[exit]]) <= exit
    }

    /// Tries all exits that the last entry leads to.
    fn extend(&mut self) -> Result<Option<Violation>, Exhausted> {
        let entry = self.hops[self.hops.len() - 1].entry;
        let first = self.rank(self.hops[0].exit);
        for slot in 0..self.groups.len() {
            let exit = self.earliest(entry, slot);
            if exit == NONE || self.rank(exit) < first {
                continue;
            }
            let before = &self.hops[..self.hops.len() - 1];
            if before.iter().any(|hop| self.leads(hop.entry, exit)) {
                continue;
            }
            if let Some(violation) = self.leave(exit)? {
                return Ok(Some(violation));
            }
        }
        Ok(None)
    }

    /// Tries all hops from an exit.
    fn leave(&mut self, exit: usize) -> Result<Option<Violation>, Exhausted> {
        let window = self.window;
        for &group in &window.groups[window.group_of[exit]].opposite {
            let (from, to) = (window.first_possible(exit, group), window.first_certain(exit, group));
            let mut last_class = None;
            for entry in (from..to).rev() {
                let row = self.row(entry);
                if row == OUTSIDE || last_class == Some(self.class[row]) {
                    continue;
                }
                last_class = Some(self.class[row]);
                *self.steps = self.steps.checked_sub(1).ok_or(Exhausted)?;
                let requirements = self.requirements.len();
                if !self.requirements.add(window.accesses[exit].requirements(&window.accesses[entry])) {
                    break;
                }
                self.hops.push(Hop { exit, entry });
                let closed = self.hops.iter().rposition(|hop| self.leads(entry, hop.exit));
                let found = match closed {
                    Some(first) => Some(self.violation(first)),
                    None => self.extend()?,
                };
                self.hops.pop();
                self.requirements.truncate(requirements);
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    /// Returns the violation whose cycle consists of the hops from this one on.
    fn violation(&self, first: usize) -> Violation {
        let hops = &self.hops[first..];
        let (accesses, mut arcs) = (&self.window.accesses, Vec::new());
        let mut requirements = Requirements::default();
        for (hop, next) in hops.iter().zip(hops.iter().cycle().skip(1)) {
            let (exit, entry) = (&accesses[hop.exit], &accesses[hop.entry]);
            assert!(requirements.add(exit.requirements(entry)), "part of what had room");
            let events = [exit.event, entry.event];
            arcs.push(Arc { from: exit.transaction, to: entry.transaction, events });
            let end = accesses[next.exit].transaction;
            let path = self.window.certain.path(entry.transaction, |node| node == end);
            arcs.extend(path.expect("the entry leads to the exit"));
        }
        violation(&self.window.transactions, &arcs, &requirements)
    }
}

/// Returns the violation that a closed walk along these edges is.
pub(super) fn violation(transactions: &[Transaction], arcs: &[Arc], requirements: &Requirements) -> Violation {
    let mut simple: Vec<Arc> = Vec::new();
    for &arc in arcs {
        if let Some(place) = simple.iter().position(|other| other.from == arc.from) {
            simple.truncate(place);
        }
        simple.push(arc);
    }
    let edge = |[from, to]: [EventIndex; 2]| Edge { from, to };
    Violation {
        transactions: simple.iter().map(|arc| transactions[arc.from]).collect(),
        edges: simple.iter().map(|arc| edge(arc.events)).collect(),
        delays: requirements.delays(),
    }
}
