//! A TSO execution with its commits that has a given trace: case (c) of atomicity, for explorers of execution graphs.
//!
//! Which one does not matter: whether an execution is serializable depends on its trace alone (docs/monitors.md,
//! section 6.2). It is any order of the issues and commits in which
//! - issues come in program order, and a store commits after it is issued;
//! - a thread's stores commit in program order, and before the thread's next access behind a full fence, and before its
//!   next access that drains;
//! - a read comes after the commit of the store of another thread that it reads from, and before that of the store that
//!   follows in coherence order; stores to a location commit in coherence order.
//!
//! A read of an own store that waits comes before the commit of any later one, too, so there is such an order for each
//! trace that TSO allows.

use crate::graph::EventId;
use crate::graph::trace::{Part, Trace};

/// A step of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Happening {
    /// The access is issued. It takes effect at once unless it is a store.
    Issue(EventId),
    /// The store commits.
    Commit(EventId),
}

/// Returns a TSO execution of the accesses of this trace; none if TSO does not allow it. `drains` tells which accesses empty the
/// buffer first although they only read: read-modify-writes that failed.
///
/// Fences and other events are to be told in program order just before the next access of their thread.
#[must_use]
pub fn linearization<const W: usize>(trace: &Trace<W>, drains: impl Fn(EventId) -> bool) -> Option<Vec<Happening>> {
    let mut order = Precedence::default();
    let nodes = trace.nodes();
    let mut threads: Vec<Vec<usize>> = Vec::new();
    for (node, label) in nodes.iter().enumerate() {
        let event = label.event;
        // The write of a read-modify-write takes place with its read.
        let issue = if label.part.updates() { order.issues[node - 1] } else { order.add(Happening::Issue(event)) };
        let effect = if label.part.is_buffered() { order.add(Happening::Commit(event)) } else { issue };
        order.issues.push(issue);
        order.effects.push(effect);
        let thread = usize::from(event.thread);
        threads.resize_with(threads.len().max(thread + 1), Vec::new);
        threads[thread].push(node);
    }
    for thread in &mut threads {
        thread.sort_by_key(|&node| (nodes[node].event.index, node));
        let mut last_commit: Option<usize> = None;
        let mut last: Option<usize> = None;
        for &node in thread.iter() {
            let label = &nodes[node];
            if let Some(last) = last {
                order.put(order.issues[last], order.issues[node]);
            }
            if let Some(store) = last_commit {
                let is_fenced = nodes[store].fences.full < label.fences.full;
                let is_atomic = label.part == Part::AtomicWrite || drains(label.event);
                if is_fenced || is_atomic {
                    order.put(order.effects[store], order.issues[node]);
                } else if label.part.follows_stores() {
                    order.put(order.effects[store], order.effects[node]);
                }
            }
            if label.part.is_buffered() {
                order.put(order.issues[node], order.effects[node]);
                last_commit = Some(node);
            }
            last = Some(node);
        }
    }
    for (node, label) in nodes.iter().enumerate() {
        if let Some(source) = trace.external_source(node) {
            order.put(order.effects[source], order.issues[node]);
        }
        let next = trace.coherence(label.location).nth(usize::from(label.rank));
        if let Some(next) = next {
            order.put(order.effects[node], order.effects[next]);
        }
    }
    order.sorted()
}

/// The steps of an execution, and which of them come before which.
#[derive(Debug, Default)]
struct Precedence {
    happenings: Vec<Happening>,
    /// The steps that come directly after each step.
    after: Vec<Vec<usize>>,
    /// The number of steps that come directly before each step.
    before: Vec<usize>,
    /// The steps at which each node of the trace is issued, and at which it takes effect.
    issues: Vec<usize>,
    effects: Vec<usize>,
}

impl Precedence {
    fn add(&mut self, happening: Happening) -> usize {
        self.happenings.push(happening);
        self.after.push(Vec::new());
        self.before.push(0);
        self.happenings.len() - 1
    }

    fn put(&mut self, first: usize, second: usize) {
        if first != second {
            self.after[first].push(second);
            self.before[second] += 1;
        }
    }

    /// Returns a topological order; none if there is a cycle.
    fn sorted(mut self) -> Option<Vec<Happening>> {
        let mut free: Vec<usize> = (0..self.happenings.len()).filter(|&place| self.before[place] == 0).collect();
        let mut sorted = Vec::new();
        while let Some(place) = free.pop() {
            sorted.push(self.happenings[place]);
            for &next in &self.after[place] {
                self.before[next] -= 1;
                if self.before[next] == 0 {
                    free.push(next);
                }
            }
        }
        (sorted.len() == self.happenings.len()).then_some(sorted)
    }
}
