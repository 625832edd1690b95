//! A result of a litmus test, with what is kept of it.

use protocol::{MemoryModel, StoppedBy};

use super::kept::Kept;
use super::refused::Refused;
use super::searched::{Searched, under};
use crate::json::{CountsAs, Entry, Litmus, Outcome, Unsupported};
use crate::report::verdict::Verdict;

/// A result of a litmus test, with what is kept of it.
pub(super) struct Judged<'t> {
    pub(super) searched: Searched<'t>,
    pub(super) verdict: Verdict,
    pub(super) kept: Kept,
}

/// A result of a test under a model: what its executions are, or that it is refused.
pub(super) enum Answer<'t> {
    Explored(Box<Judged<'t>>),
    Refused(Box<Refused<'t>>),
}

impl Answer<'_> {
    /// The verdict.
    pub(super) fn verdict(&self) -> &Verdict {
        match self {
            Answer::Explored(judged) => &judged.verdict,
            Answer::Refused(refused) => &refused.verdict,
        }
    }

    /// The model.
    pub(super) fn model(&self) -> MemoryModel {
        match self {
            Answer::Explored(judged) => judged.searched.model,
            Answer::Refused(refused) => refused.model,
        }
    }

    /// The name of the test's file.
    pub(super) fn file(&self) -> &str {
        match self {
            Answer::Explored(judged) => &judged.searched.target.file,
            Answer::Refused(refused) => &refused.target.file,
        }
    }

    /// What was explored, unless the test is refused.
    pub(super) fn explored(&self) -> Option<&Judged<'_>> {
        match self {
            Answer::Explored(judged) => Some(judged),
            Answer::Refused(_) => None,
        }
    }

    /// Returns the result for the JSON, with its violations borrowed.
    pub(super) fn outcome<'a>(&'a self, entries: &'a [Entry<'a>]) -> Outcome<'a> {
        match self {
            Answer::Explored(judged) => judged.outcome(entries),
            Answer::Refused(refused) => refused.outcome(),
        }
    }
}

impl Judged<'_> {
    /// Returns the result for the JSON, with its violations borrowed.
    fn outcome<'a>(&'a self, entries: &'a [Entry<'a>]) -> Outcome<'a> {
        let Judged { searched, verdict, kept } = self;
        let states = searched.outcomes.show(&searched.target.test);
        Outcome {
            target: &searched.target.file,
            model: searched.model.name(),
            explorer: searched.explorer.name(),
            preemptions: searched.preemptions,
            delays: None,
            unroll: None,
            monitors: &searched.monitors,
            verdict: verdict.word,
            sentence: under(&verdict.line, searched.model),
            stopped_by: searched.summary.stopped_by.map(StoppedBy::name),
            whole: None,
            summary: &searched.summary,
            violations: entries,
            unsupported: searched
                .unsupported
                .iter()
                .map(|(what, place)| Unsupported { what, file: &place.file, line: place.line, column: place.column })
                .collect(),
            models: Vec::new(),
            unmatched: &[],
            litmus: Some(Litmus {
                states,
                circular: searched.left_out_by_c11(),
                condition: &searched.target.test.condition.text,
                observation: searched.outcomes.observation().name(),
                witness: kept.witness(),
            }),
        }
    }
}

/// Returns the violations of a result for the JSON.
pub(super) fn entries<'a>(answer: &'a Answer<'_>) -> Vec<Entry<'a>> {
    let Some(Judged { searched, kept, .. }) = answer.explored() else { return Vec::new() };
    let found = kept.found().iter().zip(&searched.violations).enumerate();
    found
        .map(|(index, (kept, violation))| Entry {
            subject: kept.subject(violation, &searched.monitors),
            finding: Some(&kept.folder),
            fingerprint: None,
            accepted: None,
            executions: searched.summary.violation_executions.get(index).copied().unwrap_or(1),
            circular: searched.summary.grounds.get(index).is_some_and(|grounds| grounds.circular),
            consequence: None,
            judgement: None,
            help: None,
            counts: CountsAs::Violation,
        })
        .collect()
}
