//! The judgement under a model, as JSON has it.

use protocol::Summary;
use serde::Serialize;

use super::consequences::FirstFailure;

/// What a search has counted, as JSON has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct Counts {
    pub(crate) complete: bool,
    pub(crate) executions: u64,
    pub(crate) outcomes: usize,
}

impl Counts {
    /// Those of a search; of one that did not begin, nothing.
    pub(crate) fn of(summary: Option<&Summary>) -> Counts {
        summary.map_or_else(Counts::default, |summary| Counts {
            complete: summary.complete,
            executions: summary.executions,
            outcomes: summary.finals.len(),
        })
    }
}

/// A variable, or something else that belongs to an outcome, and what it is in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Value<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: &'a str,
}

/// A judgement, as JSON has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Entry<'a> {
    /// `breaks`, `shows`, `harmless` or `open`.
    pub(crate) judgement: &'static str,
    /// What of it is accepted, by the words of judgements.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) accepted: &'a [&'static str],
    /// What it counts as.
    pub(crate) verdict: &'static str,
    /// `graphs` or `machines`.
    pub(crate) by: &'static str,
    /// Whether it counts for the exit status.
    pub(crate) asked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<&'a FirstFailure>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) difference: Vec<Value<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<&'a str>,
    #[serde(flatten)]
    pub(crate) relaxed: Counts,
    #[serde(rename = "sc")]
    pub(crate) consistent: Counts,
}
