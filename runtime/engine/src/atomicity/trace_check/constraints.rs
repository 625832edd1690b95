//! The constraint graph H of a trace, and which requirements it has room for (docs/monitors.md, section 6.4).
//!
//! Its nodes are the issues of all events and the commits of all stores. What is fixed is an interval order: a commit
//! comes after its store was issued, in the order of its thread's stores, and before the thread next empties its
//! buffer. So whether one node comes before another is a comparison of a few numbers ([`Vertex::is_before`]), and only
//! the requirements that are added need a search.

use super::super::violation::Delay;
use crate::event::{EventIndex, Thread};

/// A place in the order of issues: twice the index of an event, plus one for a fence that follows the event's access.
pub(super) type Position = u64;

/// The place of what has not happened yet.
pub(super) const NEVER: Position = Position::MAX;

/// The span of places in which a store may commit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Commit {
    /// The place where the store is issued, before which it cannot commit.
    pub(super) issue: Position,
    /// The place where its thread empties its buffer, before which the store commits; [`NEVER`] if the thread has not done so.
    pub(super) due: Position,
    pub(super) thread: Thread,
}

/// A node of H. The write of a read-modify-write is a commit that is due when it is issued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Vertex {
    Issue(Position),
    Commit(Commit),
}

impl Vertex {
    /// Whether this node comes before the other one, or is it, in all executions of the trace.
    pub(super) fn is_before(self, other: Self) -> bool {
        match (self, other) {
            (Self::Issue(a), Self::Issue(b)) => a <= b,
            (Self::Issue(a), Self::Commit(b)) => a <= b.issue,
            (Self::Commit(a), Self::Issue(b)) => a.due <= b,
            (Self::Commit(a), Self::Commit(b)) if a.thread == b.thread => a.issue <= b.issue,
            (Self::Commit(a), Self::Commit(b)) => a.due <= b.issue,
        }
    }
}

/// The requirement that the first node come before the second one.
pub(super) type Requirement = [Vertex; 2];

/// A set of requirements that some execution of the trace meets together.
#[derive(Debug, Default)]
pub(super) struct Requirements {
    edges: Vec<Requirement>,
    /// The requirements that a search has used, and the nodes that it has still to visit.
    used: Vec<bool>,
    stack: Vec<Vertex>,
}

impl Requirements {
    /// Returns the number of requirements.
    pub(super) const fn len(&self) -> usize {
        self.edges.len()
    }

    /// Forgets all requirements but the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        self.edges.truncate(len);
    }

    /// Adds requirements. Returns false and adds nothing if no execution meets them together with those that are there.
    pub(super) fn add(&mut self, more: impl Iterator<Item = Requirement>) -> bool {
        let len = self.edges.len();
        for [first, second] in more {
            if self.reaches(second, first) {
                self.truncate(len);
                return false;
            }
            if !first.is_before(second) {
                self.edges.push([first, second]);
            }
        }
        true
    }

    fn reaches(&mut self, from: Vertex, to: Vertex) -> bool {
        self.used.clear();
        self.used.resize(self.edges.len(), false);
        self.stack.clear();
        self.stack.push(from);
        while let Some(node) = self.stack.pop() {
            if node.is_before(to) {
                return true;
            }
            for (&[first, second], used) in self.edges.iter().zip(&mut self.used) {
                if !*used && node.is_before(first) {
                    *used = true;
                    self.stack.push(second);
                }
            }
        }
        false
    }

    /// Returns the delays of an execution that meets the requirements, in which every store commits as soon as it may.
    pub(super) fn delays(&self) -> Vec<Delay> {
        let mut commits: Vec<Commit> = Vec::new();
        for node in self.edges.iter().flatten() {
            if let Vertex::Commit(commit) = *node
                && !commits.contains(&commit)
            {
                commits.push(commit);
            }
        }
        let mut placed: Vec<(Position, Commit)> = Vec::new();
        while !commits.is_empty() {
            // Some commit comes after no other one, since the requirements are acyclic.
            let is_first = |&commit: &Commit| {
                let others = commits.iter().filter(|&&other| other != commit);
                others.copied().all(|other| !self.comes_directly(other, commit))
            };
            let next = commits.iter().copied().position(|commit| is_first(&commit)).expect("no cycle");
            let commit = commits.swap_remove(next);
            let mut place = commit.issue;
            for &[first, second] in &self.edges {
                if let (Vertex::Issue(issue), Vertex::Commit(second)) = (first, second)
                    && second == commit
                {
                    place = place.max(issue);
                }
            }
            let earlier = placed.iter().filter(|&&(_, other)| self.comes_directly(other, commit));
            let place = earlier.map(|&(place, _)| place).fold(place, Position::max);
            placed.push((place, commit));
        }
        // Stable: of two at the same place, the one that was placed first comes first.
        placed.sort_by_key(|&(place, _)| place);
        let event = |position: Position| EventIndex::try_from(position / 2).expect("an event");
        let delayed = placed.into_iter().filter(|(place, commit)| *place > commit.issue);
        delayed.map(|(place, commit)| Delay { store: event(commit.issue), after: event(place) }).collect()
    }

    fn comes_directly(&self, first: Commit, second: Commit) -> bool {
        Vertex::Commit(first).is_before(Vertex::Commit(second))
            || self.edges.contains(&[Vertex::Commit(first), Vertex::Commit(second)])
    }
}
