//! The memory orders of atomic accesses and fences: those that a program has, and those that a search is to take in their
//! place.

use engine::mapping::Order;
use serde::{Deserialize, Serialize};

use crate::repair::Point;

/// The orders of an atomic access, or the order of a fence, which is none if that is [`Order::Relaxed`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Orders {
    /// Its order; that of success, of a compare-and-exchange.
    pub order: Order,
    /// Of a compare-and-exchange, the order of failure.
    #[serde(default)]
    pub failure: Option<Order>,
}

/// A point of the source, and its orders.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Ordered {
    /// The point.
    pub at: Point,
    /// Its orders.
    pub orders: Orders,
}

/// An atomic access, or a fence, that executions of the program have.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Atomic {
    /// Where it is, and the orders that the program gives it.
    pub ordered: Ordered,
    /// The function that it stands in; empty if unknown.
    pub function: String,
    /// What is accessed, by its name in the source; empty of a fence.
    pub target: String,
}
