//! The answers of the search for a repair.

use protocol::MemoryModel;

use super::universe::Element;
use crate::programs::judging::Judgement;
use crate::search::Exploration;

/// The number of executions under each model.
pub(crate) type Executions = Vec<(MemoryModel, u64)>;

/// A set of elements under which no wrong execution is left.
#[derive(Clone, Debug)]
pub(crate) struct Repaired {
    pub(crate) elements: Vec<Element>,
    /// The wrong behaviours that come back without each of the elements.
    pub(crate) without: Vec<Wronged>,
    /// How many executions the proof took, under each model.
    pub(crate) executions: Executions,
}

/// A wrong behaviour under a model.
#[derive(Clone, Debug)]
pub(crate) struct Wronged {
    pub(crate) model: MemoryModel,
    /// The judgement on it; none if it is only that no interleaving is like the execution, where nothing more was asked for.
    pub(crate) judgement: Option<Judgement>,
    pub(crate) exploration: Exploration,
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
