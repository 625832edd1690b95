//! Sequential consistency (Lamport 1979): acyclic(po ∪ rf ∪ co ∪ fr).

use super::global::{Global, Preserved};
use crate::graph::trace::Node;

/// The part of program order that sequential consistency keeps: all of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everything;

impl Preserved for Everything {
    fn orders(_first: &Node, _second: &Node) -> bool {
        true
    }
}

/// The memory model sequential consistency.
pub type Sc<const W: usize> = Global<Everything, W>;
