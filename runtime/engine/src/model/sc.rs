//! Sequential consistency (Lamport 1979): acyclic(po ∪ rf ∪ co ∪ fr).

use super::global::{Global, Preserved};
use crate::graph::trace::Node;

/// All of program order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everything;

impl Preserved for Everything {
    fn orders(_first: &Node, _second: &Node) -> bool {
        true
    }
}

/// Sequential consistency.
pub type Sc<const W: usize> = Global<Everything, W>;
