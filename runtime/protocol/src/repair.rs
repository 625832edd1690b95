//! The search for a repair: the strengthened places of the source that it tries, and the executions that they leave.

use std::collections::BTreeSet;

use engine::mapping::{Order, Strength};
use serde::{Deserialize, Serialize};

use crate::failure::FailureKind;
use crate::finals::Finals;
use crate::operation::Operation;
use crate::place::Place;

/// An access, or an operation on an object, as the source has it: one point for all inlined copies of its function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Point {
    /// The place of the point, in the form of [`Place::in_source`].
    pub place: Place,
    /// The operation at the point, as there may be several at a place.
    pub operation: Operation,
}

/// A point that is made stronger than the program has it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Override {
    /// The point that is strengthened.
    pub at: Point,
    /// The strength that is added to the point.
    pub strength: Strength,
}

/// A way to fail: two failures are the same way if they are of one kind, about the same subject and at the same places,
/// whatever their values and wording.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Way {
    /// The kind of the failure.
    pub kind: FailureKind,
    /// The subject of the failure, [`crate::Violation::subject`].
    pub subject: String,
    /// The places where the failure happened or threads wait.
    pub places: BTreeSet<Place>,
}

/// The executions that a repair has to forbid.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wrong {
    /// Executions that fail in another way than these, and, where ends are given, those that end otherwise.
    Unlike {
        /// The ways in which executions may fail.
        failures: BTreeSet<Way>,
        /// The ends that executions may have; `None` if any end is right.
        finals: Option<Finals>,
    },
    /// Executions that no interleaving is like.
    Inconsistent,
    /// Executions that fail in this way.
    Failing(Way),
    /// Executions in which an access overtakes a store of another thread, at these places.
    Containing {
        /// The place of the store.
        delayed: Place,
        /// The place of the access.
        overtaking: Place,
    },
}

/// A repair that is tried: the search for execution graphs looks for wrong executions, and ends at the first one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Repair {
    /// The overrides that strengthen the program.
    pub overrides: Vec<Override>,
    /// The executions that the repair has to forbid.
    pub wrong: Wrong,
}

/// A wrong execution that a repair leaves.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Obstacle {
    /// Sets of overrides, each of which shares an override with every repair; an empty set if there is no repair.
    pub clauses: Vec<Vec<Override>>,
    /// The pairs of points between which a fence may stand: what comes right before it and right behind it in program
    /// order.
    pub gaps: BTreeSet<[Option<Point>; 2]>,
    /// The points that the execution performed.
    pub points: Vec<Performed>,
}

/// A point that an execution performed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Performed {
    /// The point that was performed.
    pub at: Point,
    /// The function that the point stands in; empty if it is unknown.
    pub function: String,
    /// The name in the source of what is accessed.
    pub target: String,
    /// The memory order of an atomic access.
    pub order: Option<Order>,
    /// The number of times that the point was performed.
    pub times: u32,
}
