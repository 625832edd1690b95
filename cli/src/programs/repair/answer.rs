//! The answers of the search for a repair.

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
