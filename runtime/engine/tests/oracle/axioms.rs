//! TSO and PSO by axioms, byte by byte, after the SPARC manual (appendix D): an execution is one of the model iff there
//! is a total order of all accesses, the memory order, in which
//! - a load, and a read-modify-write, comes before all that follows it in its thread;
//! - a store comes before a store or read-modify-write that follows it in its thread, in PSO only if they share an
//!   address or a barrier between stores stands between them;
//! - what precedes a full barrier in its thread comes before what follows it;
//! - a read sees at each address the last write that comes before it in the memory order or in its thread.
//!
//! Without guards, compare-and-swap, threads and mutexes.

use std::collections::BTreeSet;

use super::machine::{ADDRESSES, Trace};
use super::program::{Action, Barrier, Program};

/// Which axioms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Axioms {
    Tso,
    Pso,
}

struct Event {
    thread: usize,
    action: Action,
}

struct Candidates<'p> {
    program: &'p Program,
    axioms: Axioms,
    events: Vec<Event>,
    traces: BTreeSet<Trace>,
}

/// The traces of all executions.
pub(crate) fn traces(program: &Program, axioms: Axioms) -> BTreeSet<Trace> {
    let threads = program.threads.iter().enumerate();
    let events = threads.flat_map(|(thread, ops)| ops.iter().map(move |op| Event { thread, action: op.action }));
    let mut candidates = Candidates { program, axioms, events: events.collect(), traces: BTreeSet::new() };
    candidates.extend(&mut Vec::new());
    candidates.traces
}

impl Candidates<'_> {
    /// Completes the beginning of a memory order in all ways.
    fn extend(&mut self, order: &mut Vec<usize>) {
        let accesses: Vec<usize> = (0..self.events.len())
            .filter(|&event| matches!(self.events[event].action, Action::Access { .. }))
            .collect();
        if order.len() == accesses.len() {
            let trace = self.trace(order);
            self.traces.insert(trace);
        }
        for &next in accesses.iter().filter(|next| !order.contains(next)).collect::<Vec<_>>() {
            let is_first = |&x: &&usize| *x == next || order.contains(x) || !self.is_ordered(*x, next);
            if accesses.iter().all(|x| is_first(&x)) {
                order.push(next);
                self.extend(order);
                order.pop();
            }
        }
    }

    fn is_before_in_thread(&self, x: usize, y: usize) -> bool {
        x < y && self.events[x].thread == self.events[y].thread
    }

    /// Whether the axioms put x before y in the memory order.
    fn is_ordered(&self, x: usize, y: usize) -> bool {
        let (first, second) = (self.events[x].action, self.events[y].action);
        let writes = !second.reads() || second.is_atomic();
        let stores_are_ordered =
            self.axioms == Axioms::Tso || first.addresses().meets(second.addresses()) || self.separates(x, y, false);
        self.is_before_in_thread(x, y) && (first.reads() || writes && stores_are_ordered || self.separates(x, y, true))
    }

    /// Whether a barrier, which is a full one if it must be, stands between two events of a thread.
    fn separates(&self, x: usize, y: usize, full: bool) -> bool {
        let is_one = |barrier: Barrier| barrier == Barrier::Full && full || barrier == Barrier::StoreStore && !full;
        is_one(self.events[x].action.barriers().1)
            || is_one(self.events[y].action.barriers().0)
            || (x + 1..y).any(|between| {
                let (before, after) = self.events[between].action.barriers();
                is_one(before) || is_one(after)
            })
    }

    fn trace(&self, order: &[usize]) -> Trace {
        let writes = |event: usize| {
            let action = self.events[event].action;
            !action.reads() || action.is_atomic()
        };
        let written = (0..ADDRESSES).map(|address| {
            let touches = |&event: &usize| writes(event) && self.events[event].action.addresses().contains(address);
            order.iter().copied().filter(touches).collect::<Vec<_>>()
        });
        let written: Vec<Vec<usize>> = written.collect();
        let place = |event: usize| order.iter().position(|&other| other == event);
        let mut sources = Vec::new();
        for read in (0..self.events.len()).filter(|&event| self.events[event].action.reads()) {
            for address in self.events[read].action.addresses().iter() {
                let is_seen = |&write: &usize| place(write) < place(read) || self.is_before_in_thread(write, read);
                let source = written[address].iter().copied().rfind(|write| *write != read && is_seen(write));
                sources.push((read, address, source));
            }
        }
        assert_eq!(self.events.len(), self.program.threads.iter().map(Vec::len).sum::<usize>());
        Trace { sources, written }
    }
}
