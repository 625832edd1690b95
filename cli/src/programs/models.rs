//! The judgement under a model, as the JSON has it.

use std::collections::BTreeSet;

use protocol::{MemoryModel, Summary};
use serde::Serialize;

use super::consequences::FirstFailure;
use crate::fingerprint;
use crate::text::{listed, printable};

/// The counts of a search, as the JSON has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct Counts {
    pub(crate) complete: bool,
    pub(crate) executions: u64,
    pub(crate) outcomes: usize,
}

impl Counts {
    /// Returns the counts of a search; all are 0 if it did not begin.
    pub(crate) fn of(summary: Option<&Summary>) -> Counts {
        summary.map_or_else(Counts::default, |summary| Counts {
            complete: summary.complete,
            executions: summary.executions,
            outcomes: summary.finals.len(),
        })
    }
}

/// A variable, or another part of an outcome, with its value in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Value<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: &'a str,
}

/// An end of executions under a model, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct End<'a> {
    /// What differs from the beginning, by name.
    pub(crate) values: Vec<Value<'a>>,
    /// Whether a sequentially consistent execution ends so, where that is known.
    pub(crate) is_consistent: Option<bool>,
}

/// A judgement, as the JSON has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Entry<'a> {
    /// The word of the judgement: `breaks`, `shows`, `harmless` or `open`.
    pub(crate) judgement: &'static str,
    /// The words of the judgements that are accepted.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) accepted: &'a [&'static str],
    /// The verdict that the judgement counts as.
    pub(crate) verdict: &'static str,
    /// The kind of executions that were searched: `graphs` or `machines`.
    pub(crate) by: &'static str,
    /// Whether it rests on executions with a cycle of program order and reads-from alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) circular: bool,
    /// Whether the judgement counts for the exit status.
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
    /// The first ends of complete executions, of which the JSON has the number.
    #[serde(skip)]
    pub(crate) ends: Vec<End<'a>>,
}

impl Entry<'_> {
    /// Returns an end that no sequentially consistent execution has, if that is what counts here.
    pub(crate) fn new_end(&self, target: &str, model: &'static str) -> Option<NewEnd> {
        if self.judgement != "shows" || self.verdict != "violations" || !self.accepted.is_empty() {
            return None;
        }
        let names: Vec<String> = self.difference.iter().map(|value| value.name.to_string()).collect();
        let values = self.difference.iter().map(|value| format!("{} = {}", value.name, value.value));
        let values = listed(&values.collect::<Vec<_>>());
        let end = if values.is_empty() { "in a way in which".to_string() } else { format!("with {values}, as") };
        let title = MemoryModel::ALL.into_iter().find(|one| one.name() == model).map_or(model, MemoryModel::title);
        Some(NewEnd {
            model,
            message: printable(&format!(
                "under {title} the program can end {end} no sequentially consistent execution does"
            )),
            help: help_with_ends(target, &[model]),
            fingerprint: fingerprint::of_ends(model, &BTreeSet::from([names])),
        })
    }
}

/// An end of the program that no sequentially consistent execution has, for reports that have a row for each thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NewEnd {
    /// The model under which the program ends so.
    pub(crate) model: &'static str,
    /// What is wrong, in words.
    pub(crate) message: String,
    /// What to do.
    pub(crate) help: String,
    /// The same wherever the lines of the program move to.
    pub(crate) fingerprint: String,
}

/// Returns what to do where the program ends under these models as in no sequentially consistent execution.
pub(crate) fn help_with_ends(target: &str, models: &[&str]) -> String {
    let target = printable(target);
    let fences = format!("`fencehound fences {target} --model {}` finds the fences that forbid this", models.join(","));
    if models.iter().any(|model| matches!(*model, "tso" | "pso")) {
        format!("{fences}; `fencehound check {target}` shows the accesses that change places")
    } else {
        fences
    }
}
