//! What the search for a repair answers.

use protocol::MemoryModel;

use super::universe::Element;
use crate::programs::judging::Judgement;
use crate::search::Exploration;

/// A set of elements under which no wrong execution is left.
#[derive(Clone, Debug)]
pub(crate) struct Repaired {
    pub(crate) elements: Vec<Element>,
    /// What comes back without each of them.
    pub(crate) without: Vec<Wronged>,
    /// How many executions the proof took, under each model.
    pub(crate) executions: Vec<(MemoryModel, u64)>,
}

/// What goes wrong under a model.
#[derive(Clone, Debug)]
pub(crate) struct Wronged {
    pub(crate) model: MemoryModel,
    /// Nothing but that no interleaving is like it where nothing else was asked for.
    pub(crate) judgement: Option<Judgement>,
    pub(crate) exploration: Exploration,
}

/// The answer.
#[derive(Debug)]
pub(crate) enum Advice {
    /// Nothing is wrong.
    Right(Vec<(MemoryModel, u64)>),
    /// A cheapest repair, and others that cost the same.
    Repaired(Box<Repaired>, Vec<Vec<Element>>),
    /// Whatever is strengthened, this stays.
    Hopeless(Box<Wronged>),
    /// It is not known, and why.
    Open(String),
}
