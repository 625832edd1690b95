//! The answers of the search for a repair.

use protocol::{Order, Point};

use super::universe::Element;
use crate::programs::wronged::{Executions, Wronged};

/// A set of elements under which no wrong execution is left.
#[derive(Clone, Debug)]
pub(crate) struct Repaired {
    pub(crate) elements: Vec<Element>,
    /// The wrong behaviours that come back without each of the elements.
    pub(crate) without: Vec<Wronged>,
    /// How many executions the proof took, under each model.
    pub(crate) executions: Executions,
}

/// The advice that is the answer.
#[derive(Debug)]
pub(crate) enum Advice {
    /// Nothing is wrong in this many executions.
    Right(Executions),
    /// A cheapest repair, and others that cost the same.
    Repaired(Box<Repaired>, Vec<Vec<Element>>),
    /// This stays whatever is strengthened.
    Hopeless(Box<Wronged>),
    /// It is not known what repairs the program; the field is the reason.
    Open(String),
}

/// A fence that is not needed, or is stronger than is needed.
#[derive(Clone, Debug)]
pub(crate) struct SpareFence {
    pub(crate) at: Point,
    /// The order that the fence has.
    pub(crate) has: Order,
    /// The order that is enough; none if no fence is needed.
    pub(crate) enough: Option<Order>,
    /// The cost that is saved each time.
    pub(crate) saved: u64,
}

/// The fences that are not needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spare {
    pub(crate) fences: Vec<SpareFence>,
    /// How many executions there are without them, under each model; empty if there are none.
    pub(crate) executions: Executions,
    /// The number of fences of which it is not known.
    pub(crate) open: usize,
}
