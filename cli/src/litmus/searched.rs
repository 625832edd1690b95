//! The result of a litmus test under one memory model, and the verdict on it.

use std::collections::BTreeSet;

use litmus::condition::State;
use litmus::outcomes::{Outcomes, show};
use protocol::{MemoryModel, MonitorName, Place, Summary, Violation};

use super::target::TestFile;
use crate::plan::check::CheckPlan;
use crate::plan::explorer::Explorer;
use crate::report::verdict::{Facts, Issues, Open, Races, Verdict, judge};

/// The result of a test under a model.
pub(super) struct Searched<'t> {
    pub(super) target: &'t TestFile,
    pub(super) model: MemoryModel,
    pub(super) explorer: Explorer,
    /// The bound on preemptions; `None` if there is none.
    pub(super) preemptions: Option<u32>,
    pub(super) monitors: Vec<MonitorName>,
    pub(super) summary: Summary,
    pub(super) outcomes: Outcomes,
    /// The final states that only executions have in which program order and reads-from have a cycle.
    pub(super) circular: BTreeSet<State>,
    pub(super) violations: Vec<Violation>,
    /// The first execution that has what the condition asks for, if the condition is a question.
    pub(super) witness: Option<Violation>,
    pub(super) unsupported: Vec<(String, Place)>,
    /// The signal that ended the search, if one did.
    pub(super) interrupted_by: &'static str,
}

impl Searched<'_> {
    /// Returns the final states of a test in C that C11 as it is modelled leaves out, as only executions have them in which
    /// program order and reads-from have a cycle.
    pub(super) fn left_out_by_c11(&self) -> Vec<String> {
        let test = &self.target.test;
        self.circular.iter().map(|state| show(test, state)).collect()
    }

    /// Returns the verdict on the search.
    pub(super) fn judge(&self, plan: &CheckPlan) -> Verdict {
        judge(&Facts {
            preemptions: self.preemptions,
            delays: None,
            unroll: None,
            monitors: &self.monitors,
            time: plan.time.as_ref().map(|time| time.typed.as_str()),
            budget: plan.budget.executions,
            interrupted_by: self.interrupted_by,
            max_events: plan.explore.limits.max_events,
            memory: plan.explore.limits.memory,
            local_seconds: plan.explore.limits.local_seconds,
            open: Open::NotRobust,
            issues: Issues::All,
            races: if self.model == MemoryModel::C11 { Races::Watched } else { Races::Unwatched },
            given_up: "where the model refuses what was tried",
            whole: None,
            summary: &self.summary,
            accepted: 0,
            violations: &self.violations,
            unsupported: &self.unsupported,
        })
    }
}

/// A verdict line that names the model, where it is not SC.
pub(super) fn under(line: &str, model: MemoryModel) -> String {
    if model == MemoryModel::Sc { line.to_string() } else { format!("{line} ({})", model.title()) }
}
