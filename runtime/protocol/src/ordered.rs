//! The memory orders of atomic accesses and fences: those that a program has, and those that a search is to use
//! instead.

use engine::mapping::Order;
use serde::{Deserialize, Serialize};

use crate::repair::Point;

/// The orders of an atomic access, or the order of a fence; a fence with [`Order::Relaxed`] is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Orders {
    /// The order of the access or fence; of a compare-and-exchange, the order of success.
    pub order: Order,
    /// The order of failure of a compare-and-exchange; `None` for others.
    #[serde(default)]
    pub failure: Option<Order>,
}

/// A point of the source, and its orders.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Ordered {
    /// The point of the source.
    pub at: Point,
    /// The orders of what is performed there.
    pub orders: Orders,
}

/// An atomic access, or a fence, that executions of the program perform.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Atomic {
    /// The point of the source, and the orders that the program has there.
    pub ordered: Ordered,
    /// The function that the point stands in; empty if it is unknown.
    pub function: String,
    /// The name in the source of what is accessed; empty for a fence.
    pub target: String,
}

impl Atomic {
    /// Keeps one for each point with its orders and function, in order: the one whose target has the least name.
    #[must_use]
    pub fn distinct(all: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut all: Vec<Self> = all.into_iter().collect();
        all.sort_unstable();
        all.dedup_by(|later, earlier| (&later.ordered, &later.function) == (&earlier.ordered, &earlier.function));
        all
    }
}
