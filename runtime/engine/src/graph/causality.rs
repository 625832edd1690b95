//! Causality: whether an execution has a cycle of program order and reads-from.
//!
//! C11 in the form in which it is modelled (RC11) has no such executions, though the wording of the standard does not forbid them;
//! TSO and PSO have none; machines on which a store may overtake a load have them: two threads each read what the other one writes
//! afterwards.

use super::overtaking::is_acyclic;
use super::set::Set;
use super::trace::{Part, Trace};

/// Whether program order and reads-from of an execution agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Causality {
    /// Each access can stand behind those before it in its thread and behind what it reads from.
    Causal,
    /// Program order and reads-from have a cycle.
    Circular,
}

impl Causality {
    /// Returns the causality of an execution.
    #[must_use]
    pub fn of<const W: usize>(trace: &Trace<W>) -> Self {
        let before = |node: usize| -> Set<W> {
            let mut before = trace.program_before(node);
            if let Part::Read(Some(source)) = trace.node(node).part {
                before.insert(source);
            }
            before
        };
        let before: Vec<Set<W>> = (0..trace.nodes().len()).map(before).collect();
        if is_acyclic(&before) { Self::Causal } else { Self::Circular }
    }
}
