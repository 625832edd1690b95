//! Total store order, as on x86 (Owens, Sarkar and Sewell 2009, in the form of Alglave, Maranget and Tautschnig 2014):
//! acyclic(ppo ∪ fence ∪ rfe ∪ co ∪ fr), where ppo is program order but for a store before a load.

use super::global::{Global, Preserved};
use crate::graph::trace::Node;

/// The part of program order that TSO keeps: all but a store before a load without a full fence between them.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoresInOrder;

impl Preserved for StoresInOrder {
    fn orders(first: &Node, second: &Node) -> bool {
        !first.part.is_buffered() || second.part.follows_stores() || first.fences.full < second.fences.full
    }
}

/// The memory model total store order.
pub type Tso<const W: usize> = Global<StoresInOrder, W>;
