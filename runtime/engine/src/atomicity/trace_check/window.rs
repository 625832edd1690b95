//! The part of a trace in which there may be a cycle, as two graphs of its transactions.
//!
//! - *certain*: A → B iff some event of A takes effect before a conflicting one of B in all executions of the trace;
//! - *possible*: in some execution.
//!
//! Both are reduced to edges from which all others follow. A thread's accesses of one kind to one location, a *group*,
//! all conflict with each other, so their transactions are ordered as they are; and what an access may, or must, come
//! before in another group is all from some place on. So of each access only the edge to the first one of each other
//! group is kept, and that only if the next access of its own group has another one.

use super::super::violation::Transaction;
use super::constraints::{Commit, Position, Requirement, Vertex};
use crate::event::{EventIndex, Thread};

/// The effect of an access on its variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum VariableEffect {
    Reads,
    Writes,
}

/// The number of what is accessed: a location or an object.
pub(super) type Variable = u64;

/// A read or write of one variable. Accesses are ordered by group, and within a group by program order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct VariableAccess {
    pub(super) variable: Variable,
    pub(super) thread: Thread,
    pub(super) effect: VariableEffect,
    pub(super) issue: Position,
    /// The last place where a write may commit.
    pub(super) due: Position,
    /// The own store that a buffered read reads, unless that is overwritten before.
    pub(super) source: Option<Commit>,
    /// The number of its transaction in the window.
    pub(super) transaction: usize,
    pub(super) event: EventIndex,
}

/// An edge between two transactions, and the two events that conflict.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) events: [EventIndex; 2],
}

impl VariableAccess {
    const fn commit(&self) -> Commit {
        Commit { issue: self.issue, due: self.due, thread: self.thread }
    }

    const fn node(&self) -> Vertex {
        match self.effect {
            VariableEffect::Reads => Vertex::Issue(self.issue),
            VariableEffect::Writes => Vertex::Commit(self.commit()),
        }
    }

    /// Returns what must hold of an execution in which this access takes effect before another one.
    pub(super) fn requirements(&self, later: &Self) -> impl Iterator<Item = Requirement> {
        let of_source = self.source.map(|source| [Vertex::Commit(source), later.node()]);
        std::iter::once([self.node(), later.node()]).chain(of_source)
    }

    /// Whether this access takes effect before `later`, one of another thread, in all executions.
    fn is_before(&self, later: &Self) -> bool {
        self.requirements(later).all(|[first, second]| first.is_before(second))
    }

    /// Whether this access takes effect before `later`, one of another thread, in some execution.
    fn may_be_before(&self, later: &Self) -> bool {
        self.requirements(later).all(|[first, second]| !second.is_before(first))
    }
}

/// A graph of transactions.
#[derive(Debug, Default)]
pub(super) struct TransactionGraph {
    arcs: Vec<Arc>,
    /// The place among `arcs` where those of each transaction begin.
    starts: Vec<usize>,
}

impl TransactionGraph {
    fn new(nodes: usize, mut arcs: Vec<Arc>) -> Self {
        arcs.retain(|arc| arc.from != arc.to);
        arcs.sort_by_key(|arc| (arc.from, arc.to));
        arcs.dedup_by_key(|arc| (arc.from, arc.to));
        let starts = (0..=nodes).map(|node| arcs.partition_point(|arc| arc.from < node)).collect();
        Self { arcs, starts }
    }

    const fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the arcs that leave a transaction.
    pub(super) fn from(&self, node: usize) -> &[Arc] {
        &self.arcs[self.starts[node]..self.starts[node + 1]]
    }

    /// Returns the number of the strongly connected component of each node (Tarjan 1972, without recursion). A component has a
    /// smaller number than those that lead to it.
    pub(super) fn components(&self) -> Vec<usize> {
        const UNKNOWN: usize = usize::MAX;
        let nodes = self.len();
        let (mut component, mut low, mut index) = (vec![UNKNOWN; nodes], vec![0; nodes], vec![UNKNOWN; nodes]);
        let (mut visited, mut components) = (0, 0);
        let (mut open, mut calls) = (Vec::new(), Vec::new());
        for root in 0..nodes {
            if index[root] == UNKNOWN {
                calls.push((root, 0));
            }
            while let Some((node, next)) = calls.pop() {
                if next == 0 {
                    index[node] = visited;
                    low[node] = visited;
                    visited += 1;
                    open.push(node);
                } else {
                    let child = self.from(node)[next - 1].to;
                    low[node] = low[node].min(low[child]);
                }
                let rest = &self.from(node)[next..];
                let unknown = rest.iter().position(|arc| {
                    if index[arc.to] != UNKNOWN && component[arc.to] == UNKNOWN {
                        low[node] = low[node].min(index[arc.to]);
                    }
                    index[arc.to] == UNKNOWN
                });
                if let Some(place) = unknown {
                    calls.push((node, next + place + 1));
                    calls.push((rest[place].to, 0));
                } else if low[node] == index[node] {
                    let place = open.iter().rposition(|&other| other == node).expect("it is open");
                    for other in open.drain(place..) {
                        component[other] = components;
                    }
                    components += 1;
                }
            }
        }
        component
    }

    /// Returns for each node whether it can be reached from these.
    pub(super) fn reachable(&self, from: impl Iterator<Item = usize>) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        let mut stack: Vec<usize> = from.collect();
        stack.iter().for_each(|&node| reached[node] = true);
        while let Some(node) = stack.pop() {
            for arc in self.from(node) {
                if !std::mem::replace(&mut reached[arc.to], true) {
                    stack.push(arc.to);
                }
            }
        }
        reached
    }

    /// Returns a shortest path from a node to one for which `is_end` holds, which is empty if that is the node itself; none if
    /// there is no path.
    pub(super) fn path(&self, from: usize, is_end: impl Fn(usize) -> bool) -> Option<Vec<Arc>> {
        let mut reached_by: std::collections::BTreeMap<usize, Option<Arc>> = [(from, None)].into();
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            if is_end(node) {
                let back = std::iter::successors(reached_by[&node], |arc| reached_by[&arc.from]);
                let mut path: Vec<Arc> = back.collect();
                path.reverse();
                return Some(path);
            }
            for arc in self.from(node) {
                reached_by.entry(arc.to).or_insert_with(|| {
                    queue.push_back(arc.to);
                    Some(*arc)
                });
            }
        }
        None
    }
}

/// The group of accesses of one kind that a thread makes to a variable.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The range of these accesses in the window.
    pub(super) members: std::ops::Range<usize>,
    /// The groups of other threads with which it conflicts.
    pub(super) opposite: Vec<usize>,
}

/// The part of a trace that is examined together.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) transactions: Vec<Transaction>,
    /// The accesses, ordered by group and program order.
    pub(super) accesses: Vec<VariableAccess>,
    pub(super) groups: Vec<Group>,
    /// The group of each access.
    pub(super) group_of: Vec<usize>,
    pub(super) certain: TransactionGraph,
    pub(super) possible: TransactionGraph,
}

impl Window {
    /// Makes the window of these transactions and accesses; `fixed` holds the edges that are certain by program order and not by
    /// accesses.
    pub(super) fn new(transactions: Vec<Transaction>, mut accesses: Vec<VariableAccess>, fixed: Vec<Arc>) -> Self {
        accesses.sort_unstable();
        let groups = groups(&accesses);
        let mut group_of = vec![0; accesses.len()];
        for (number, group) in groups.iter().enumerate() {
            group_of[group.members.clone()].fill(number);
        }
        let mut window = Self {
            transactions,
            accesses,
            groups,
            group_of,
            certain: TransactionGraph::default(),
            possible: TransactionGraph::default(),
        };
        let certain = window.arcs(fixed.clone(), Self::first_certain);
        let possible = window.arcs(fixed, Self::first_possible);
        let nodes = window.transactions.len();
        (window.certain, window.possible) =
            (TransactionGraph::new(nodes, certain), TransactionGraph::new(nodes, possible));
        window
    }

    /// Returns the place of the first access of a conflicting group that the access certainly comes before.
    pub(super) fn first_certain(&self, access: usize, group: usize) -> usize {
        self.first(group, |later| self.accesses[access].is_before(later))
    }

    /// Returns the place of the first access of a conflicting group that the access may come before.
    pub(super) fn first_possible(&self, access: usize, group: usize) -> usize {
        self.first(group, |later| self.accesses[access].may_be_before(later))
    }

    /// Returns the place of the first access of a group for which `holds` is true, as it then is for all behind it; the group's
    /// end if there is none.
    fn first(&self, group: usize, holds: impl Fn(&VariableAccess) -> bool) -> usize {
        let members = self.groups[group].members.clone();
        members.start + self.accesses[members].partition_point(|later| !holds(later))
    }

    fn arcs(&self, mut arcs: Vec<Arc>, first: impl Fn(&Self, usize, usize) -> usize) -> Vec<Arc> {
        for group in &self.groups {
            for &other in &group.opposite {
                let end = self.groups[other].members.end;
                // The accesses are walked from behind; `next` is the target of the following access.
                let mut next = end;
                for access in group.members.clone().rev() {
                    let target = first(self, access, other);
                    if target != next {
                        let (a, b) = (&self.accesses[access], &self.accesses[target]);
                        arcs.push(Arc { from: a.transaction, to: b.transaction, events: [a.event, b.event] });
                        next = target;
                    }
                }
            }
        }
        arcs
    }
}

fn groups(accesses: &[VariableAccess]) -> Vec<Group> {
    let same =
        |a: &VariableAccess, b: &VariableAccess| (a.variable, a.thread, a.effect) == (b.variable, b.thread, b.effect);
    let mut groups: Vec<Group> = Vec::new();
    let mut start = 0;
    for chunk in accesses.chunk_by(same) {
        groups.push(Group { members: start..start + chunk.len(), opposite: Vec::new() });
        start += chunk.len();
    }
    let key = |group: &Group| {
        let first = &accesses[group.members.start];
        (first.variable, first.thread, first.effect)
    };
    for number in 0..groups.len() {
        let (variable, thread, effect) = key(&groups[number]);
        let from = groups.partition_point(|group| key(group).0 < variable);
        let same = groups[from..].iter().take_while(|group| key(group).0 == variable);
        let conflicts = |group: &Group| {
            let (_, other, other_effect) = key(group);
            other != thread && (effect == VariableEffect::Writes || other_effect == VariableEffect::Writes)
        };
        let opposite = same.enumerate().filter(|(_, group)| conflicts(group)).map(|(place, _)| from + place).collect();
        groups[number].opposite = opposite;
    }
    groups
}
