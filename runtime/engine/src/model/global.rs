//! Models with one order of all accesses that every thread sees: what is left of program order, rf between threads, co and fr may
//! not contradict each other.
//!
//! Accesses are committed in program order: cb = (po ∪ rf)⁺. Stores can be put anywhere in co, so nothing is lost by
//! that, and an access that comes last in the global order is always allowed, so no commit is ever stuck.

use std::marker::PhantomData;

use super::Model;
use crate::graph::Labels;
use crate::graph::order::Order;
use crate::graph::set::Set;
use crate::graph::trace::{Node, Part, Trace};

/// The part of program order that a model keeps.
pub trait Preserved: Clone + Default + std::fmt::Debug {
    /// Whether two nodes of a thread, the first one before the second one in program order, are ordered for everybody.
    fn orders(first: &Node, second: &Node) -> bool;
}

/// The model that keeps this part of program order.
#[derive(Debug, Default)]
pub struct Global<P, const W: usize> {
    order: Order<W>,
    preserved: PhantomData<P>,
}

impl<P, const W: usize> Clone for Global<P, W> {
    fn clone(&self) -> Self {
        Self { order: self.order.clone(), preserved: PhantomData }
    }

    fn clone_from(&mut self, source: &Self) {
        self.order.clone_from(&source.order);
    }
}

impl<P: Preserved, const W: usize> Model<W> for Global<P, W> {
    type Past = Self;

    const COMMITS_IN_ORDER: bool = true;

    fn awaits(_labels: &Labels<W>, index: usize) -> Option<Set<W>> {
        Some(Set::below(index))
    }

    fn admits(&mut self, trace: &Trace<W>, labels: &Labels<W>) -> bool {
        let number = trace.nodes().len() - 1;
        let node = trace.node(number);
        let label = &labels[usize::from(node.event.index)];
        // The thread's other nodes all come before it.
        let earlier = trace.of_thread(node.event.thread).iter().filter(|&other| other != number);
        let mut before: Set<W> = earlier.filter(|&other| P::orders(trace.node(other), node)).collect();
        let mut after = Set::EMPTY;
        for other in trace.at(node.location).iter().filter(|&other| other != number) {
            let rank = trace.node(other).rank;
            match (trace.node(other).part, node.part) {
                (Part::Read(_), Part::Read(_)) => {}
                // No thread has read the new write yet: fr.
                (Part::Read(_), _) if rank < node.rank => before.insert(other),
                (Part::Read(_), _) => {}
                // fr again, and rf from other threads.
                (_, Part::Read(_)) if node.rank < rank => after.insert(other),
                (_, Part::Read(_)) if trace.external_source(number) == Some(other) => before.insert(other),
                // An interlocked read waits for its thread's stores to the location, also where it writes nothing.
                (_, Part::Read(source)) if label.access.is_interlocked() && source == Some(other) => {
                    before.insert(other);
                }
                (_, Part::Read(_)) => {}
                // co.
                _ if rank < node.rank => before.insert(other),
                _ => after.insert(other),
            }
        }
        self.order.add(before, after).is_ok()
    }

    fn keeps(&self, trace: &Trace<W>, first: usize, second: usize) -> bool {
        P::orders(trace.node(first), trace.node(second))
    }
}
