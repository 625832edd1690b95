//! The stores that commit just before an operation: those to which the order could make a difference, and no others.
//!
//! To commit is a step of its own, which could be made at any time. But it changes nothing except for a step that depends on it: a
//! load by another thread of some of its bytes, a fence of its own thread, a commit that must come behind it (of its own thread's
//! buffer, or of another thread's store to some of the same bytes). So each commit can be put off until just before such a
//! step: every execution is equivalent to one in which that is so (the steps in between are independent of it). Therefore
//! commits are offered just before an operation of some thread, after that thread was chosen, as a batch:
//!
//! - Offered are the commits that the operation could see, those that have to come before it, and those that are ordered with
//!   these ([`Batch::offers`] closes over that). A commit that has to be made, and is independent of all others that are offered,
//!   comes first, and there is no choice.
//! - Two commits in a row that are independent are made in the order of their threads alone, and of their ages.
//! - The batch may end once all that has to commit has done so, and each commit made is followed by a step that depends on it.
//!
//! `tests/store_buffers.rs` compares that with the plain machine, in which each commit may come at any time.

use std::ops::Range;

use super::waiting::{Due, StoreBuffers, StoreEntry, Which, overlap};
use crate::event::Thread;

/// The part of memory that an operation depends on.
#[derive(Clone, Debug)]
pub struct Demand {
    /// The thread that performs the operation; none if everything has come to its end.
    pub thread: Option<Thread>,
    /// The bytes that the operation reads, or writes past its thread's buffer.
    pub bytes: Vec<Range<usize>>,
    /// Whether the operation is performed only if a store to some of these bytes has committed.
    pub awaits: bool,
}

/// A commit that has been made.
#[derive(Clone, Debug)]
struct Made {
    which: Thread,
    entry: StoreEntry,
    /// Whether a later commit depends on it, or it had to be made.
    matters: bool,
    /// Whether it came first by itself, with nothing ordered with it.
    alone: bool,
}

/// The commits just before an operation.
#[derive(Clone, Debug)]
pub struct Batch {
    demand: Demand,
    made: Vec<Made>,
}

/// The steps that can come next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offers {
    /// The entries of which one may commit next.
    pub commits: Vec<Which>,
    /// Whether the operation may be performed next.
    pub performs: bool,
}

impl Batch {
    /// Makes a batch in which no commit has been made yet.
    #[must_use]
    pub const fn before(demand: Demand) -> Self {
        Self { demand, made: Vec::new() }
    }

    /// Returns what can come next. If that is one thing alone, there is no choice.
    #[must_use]
    pub fn offers(&self, buffers: &StoreBuffers) -> Offers {
        let relevant = self.relevant(buffers);
        if let Some(alone) = first_alone(buffers, &relevant) {
            return Offers { commits: vec![alone], performs: false };
        }
        let open: Vec<Which> = relevant.into_iter().filter(|&which| buffers.may_commit(which)).collect();
        let performs = !buffers.is_due() && (open.is_empty() || self.has_done_enough(buffers));
        let ordered: Vec<Which> = open.iter().copied().filter(|&which| self.is_in_order(buffers, which)).collect();
        let commits = if ordered.is_empty() && !performs { open } else { ordered };
        Offers { commits, performs }
    }

    /// Commits the entry, and returns it.
    pub fn commit(&mut self, buffers: &mut StoreBuffers, which: Which) -> StoreEntry {
        let alone = first_alone(buffers, &self.relevant(buffers)) == Some(which);
        let entry = buffers.commit(which);
        for made in &mut self.made {
            let same = made.which == which.thread && buffers.keeps(&made.entry, &entry);
            made.matters |= same || (made.which != which.thread && overlap(&made.entry.range(), &entry.range()));
        }
        let matters = entry.due == Due::Now;
        self.made.push(Made { which: which.thread, entry: entry.clone(), matters, alone });
        entry
    }

    /// Returns the entries whose commits could make a difference to the operation.
    fn relevant(&self, buffers: &StoreBuffers) -> Vec<Which> {
        let all: Vec<(Which, &StoreEntry)> = buffers.all().collect();
        let mut is_relevant: Vec<bool> = all
            .iter()
            .map(|(which, entry)| {
                let seen = Some(which.thread) != self.demand.thread && self.sees(&entry.range());
                seen || entry.due == Due::Now
            })
            .collect();
        let mut unfollowed: Vec<usize> = (0..all.len()).filter(|&index| is_relevant[index]).collect();
        while let Some(next) = unfollowed.pop() {
            let (which, entry) = all[next];
            for (index, (other, before)) in all.iter().enumerate() {
                let follows = if other.thread == which.thread {
                    other.index < which.index && buffers.keeps(before, entry)
                } else {
                    overlap(&before.range(), &entry.range())
                };
                if follows && !is_relevant[index] {
                    is_relevant[index] = true;
                    unfollowed.push(index);
                }
            }
        }
        all.iter().zip(is_relevant).filter(|&(_, relevant)| relevant).map(|(&(which, _), _)| which).collect()
    }

    fn sees(&self, range: &Range<usize>) -> bool {
        self.demand.bytes.iter().any(|bytes| overlap(bytes, range))
    }

    /// Whether each commit is followed by a step that depends on it, if the operation is performed now.
    fn has_done_enough(&self, buffers: &StoreBuffers) -> bool {
        let awaited = |made: &Made| Some(made.which) != self.demand.thread && self.sees(&made.entry.range());
        let matters = |made: &Made| made.matters || (awaited(made) && self.is_read(buffers, &made.entry));
        (!self.demand.awaits || self.made.iter().any(awaited)) && self.made.iter().all(matters)
    }

    /// Whether the operation reads a byte of the entry that its thread's buffer does not hold.
    fn is_read(&self, buffers: &StoreBuffers, entry: &StoreEntry) -> bool {
        let own = self.demand.thread.map_or(&[][..], |thread| buffers.entries(thread));
        let held = |byte: usize| own.iter().any(|entry| entry.range().contains(&byte));
        entry.range().any(|byte| self.demand.bytes.iter().any(|bytes| bytes.contains(&byte)) && !held(byte))
    }

    /// Whether the entry may come right behind the last commit: because it depends on that, or because it is not the earlier one
    /// of two that could be swapped.
    fn is_in_order(&self, buffers: &StoreBuffers, which: Which) -> bool {
        let Some(last) = self.made.iter().rfind(|made| !made.alone) else { return true };
        let entry = buffers.entry(which);
        if last.which == which.thread {
            return last.entry.event < entry.event;
        }
        last.which < which.thread || overlap(&last.entry.range(), &entry.range())
    }
}

/// Returns the first of these entries, which are all that could be offered, that has to commit and is independent of all others.
fn first_alone(buffers: &StoreBuffers, relevant: &[Which]) -> Option<Which> {
    let depend = |one: Which, other: Which| {
        let (first, second) = (buffers.entry(one), buffers.entry(other));
        match one.thread == other.thread {
            true if one.index < other.index => buffers.keeps(first, second),
            true => one.index > other.index && buffers.keeps(second, first),
            false => overlap(&first.range(), &second.range()),
        }
    };
    let is_alone = |&which: &Which| {
        buffers.entry(which).due == Due::Now && !relevant.iter().any(|&other| other != which && depend(which, other))
    };
    relevant.iter().copied().find(is_alone)
}
