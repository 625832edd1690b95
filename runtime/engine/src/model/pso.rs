//! Partial store order, as on SPARC: total store order in which also two stores to different locations are unordered
//! unless a fence between stores separates them. Two to one location are in co.

use super::global::{Global, Preserved};
use crate::graph::trace::Node;

/// The part of program order that PSO keeps: everything after a load, and what a fence separates.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadsFirst;

impl Preserved for LoadsFirst {
    fn orders(first: &Node, second: &Node) -> bool {
        let stores = second.part.follows_stores() && first.fences.write_write < second.fences.write_write;
        !first.part.is_buffered() || first.fences.full < second.fences.full || stores
    }
}

/// The memory model partial store order.
pub type Pso<const W: usize> = Global<LoadsFirst, W>;
