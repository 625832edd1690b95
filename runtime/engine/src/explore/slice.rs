//! Slices: parts of a search that stand for themselves.
//!
//! A search is a list of [`Unit`]s, in the order in which one process would run them. A slice takes the first few, runs
//! executions until a budget is used up, and hands out what is left ([`super::Strategy::leave`]): the units that take
//! their place, in order, and the units of the next round, which come after all of this one. Whatever runs the units,
//! in however many slices, gets the same executions, each once; and in the same order, if the results are joined in
//! the order of the units.

/// A set of executions still to be run, packed: only the explorer that made it can read it.
#[derive(Clone, PartialEq, Debug)]
pub struct Unit {
    /// The unit's part of the round: a part of 1 where the explorer has one tree of executions, else a number of trees.
    pub weight: f64,
    /// The packed executions.
    pub prefixes: Vec<u8>,
}

/// The units that are left of a slice.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Leftover {
    /// The units of this round, in order.
    pub now: Vec<Unit>,
    /// The units of the next round, in order.
    pub next: Vec<Unit>,
}
