//! What the search for a repair answers.

use protocol::MemoryModel;

use super::universe::Element;
use crate::programs::judging::Judgement;
use crate::search::Exploration;

/// How many executions there are under each model.
pub(crate) type Executions = Vec<(MemoryModel, u64)>;

/// A set of elements under which no wrong execution is left.
#[derive(Clone, Debug)]
pub(crate) struct Repaired {
    pub(crate) elements: Vec<Element>,
    /// What comes back without each of them.
    pub(crate) without: Vec<Wronged>,
    /// How many executions the proof took, under each model.
    pub(crate) executions: Executions,
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
    Right(Executions),
    /// A cheapest repair, and others that cost the same.
    Repaired(Box<Repaired>, Vec<Vec<Element>>),
    /// Whatever is strengthened, this stays.
    Hopeless(Box<Wronged>),
    /// It is not known, and why.
    Open(String),
}
