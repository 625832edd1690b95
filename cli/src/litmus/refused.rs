//! The result of a litmus test that is refused: something in it is not understood, and the others go on without it.

use protocol::{MemoryModel, Summary};

use super::searched::under;
use super::target::RefusedFile;
use crate::json::{Outcome, Unsupported};
use crate::plan::explorer::Explorer;
use crate::report::verdict::Verdict;

/// What to do about a refused test.
pub(super) const HELP: &str = "docs/limits.md says what of herd7's litmus format is understood";

/// The result of a test that is refused, under a model.
pub(super) struct Refused<'t> {
    pub(super) target: &'t RefusedFile,
    pub(super) model: MemoryModel,
    explorer: Explorer,
    summary: Summary,
    pub(super) verdict: Verdict,
}

impl<'t> Refused<'t> {
    /// Makes the result under a model that would have been explored in this way.
    pub(super) fn new(target: &'t RefusedFile, model: MemoryModel, explorer: Explorer) -> Self {
        let summary = Summary { stopped_by: None, ..Summary::nothing() };
        Refused { target, model, explorer, summary, verdict: Verdict::unsupported(&target.what, &target.place) }
    }

    /// Returns the result for the JSON.
    pub(super) fn outcome(&self) -> Outcome<'_> {
        let RefusedFile { file, what, place, .. } = self.target;
        Outcome {
            target: file,
            model: self.model.name(),
            explorer: self.explorer.name(),
            preemptions: None,
            delays: None,
            unroll: None,
            monitors: &[],
            verdict: self.verdict.word,
            sentence: under(&self.verdict.line, self.model),
            stopped_by: None,
            whole: None,
            summary: &self.summary,
            violations: &[],
            unsupported: vec![Unsupported { what, file: &place.file, line: place.line, column: place.column }],
            models: Vec::new(),
            unmatched: &[],
            litmus: None,
        }
    }
}
