//! What is asked of a search for a repair, and what it answers: strengthened places of the source, and executions that
//! they leave.

use std::collections::BTreeSet;

use engine::mapping::{Order, Strength};
use serde::{Deserialize, Serialize};

use crate::failure::FailureKind;
use crate::finals::Finals;
use crate::operation::Operation;
use crate::place::Place;

/// An access, or an operation on an object, as the source has it: one for all inlined copies of the function that it stands in.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Where it is, as [`Place::in_source`] has it.
    pub place: Place,
    /// What it does: there may be several at a place.
    pub operation: Operation,
}

/// A point that is stronger than the program has it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Override {
    /// The point.
    pub at: Point,
    /// What it has more.
    pub strength: Strength,
}

/// A way to fail: two failures are the same way if they are of one kind, about the same and at the same places,
/// whatever the values and the wording.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Way {
    /// The kind.
    pub kind: FailureKind,
    /// As [`crate::Violation::subject`].
    pub subject: String,
    /// The places of what failed, or waits.
    pub places: BTreeSet<Place>,
}

/// Which executions a repair forbids.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wrong {
    /// Those that fail in another way than these, and, where ends are given, those that end otherwise.
    Unlike {
        /// How executions may fail.
        failures: BTreeSet<Way>,
        /// How they may end.
        finals: Option<Finals>,
    },
    /// Those that no interleaving is like.
    Inconsistent,
    /// Those that fail in this way.
    Failing(Way),
    /// Those in which an access overtakes a store of another thread, at these places.
    Containing {
        /// That of the store.
        delayed: Place,
        /// That of the access.
        overtaking: Place,
    },
}

/// A repair that is tried: the search for execution graphs looks for wrong executions, and ends at the first one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Repair {
    /// What the program has more.
    pub overrides: Vec<Override>,
    /// Which executions it is to forbid.
    pub wrong: Wrong,
}

/// A wrong execution that a repair leaves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Obstacle {
    /// Sets of overrides, of each of which every repair has one; an empty one if there is no repair.
    pub clauses: Vec<Vec<Override>>,
    /// What comes right before and right behind what in program order.
    pub gaps: BTreeSet<[Option<Point>; 2]>,
    /// The points.
    pub points: Vec<Performed>,
}

/// A point of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Performed {
    /// The point.
    pub at: Point,
    /// The function that it stands in; empty if unknown.
    pub function: String,
    /// What is accessed, by its name in the source.
    pub target: String,
    /// The order of an atomic access.
    pub order: Option<Order>,
    /// How many times it was performed.
    pub times: u32,
}
