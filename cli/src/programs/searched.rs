//! The result of a search under one memory model, and the verdict on it.

use protocol::{FailureKind, MemoryModel, MonitorName, Summary, Violation};

use super::found::Found;
use crate::interrupt::{Cause, Interrupts};
use crate::plan::check::CheckPlan;
use crate::report::verdict::{Facts, Issues, Open, Races, Verdict, judge};
use crate::search::Exploration;

/// The result of a search under one memory model.
pub(crate) struct Searched {
    /// The plan, as far as it is about this model.
    pub(crate) plan: CheckPlan,
    pub(crate) exploration: Exploration,
    pub(crate) found: Vec<Found>,
}

impl Searched {
    /// Returns the counts of the search.
    pub(crate) fn summary(&self) -> Summary {
        self.exploration.summary.clone().unwrap_or_else(Summary::nothing)
    }

    /// Returns the verdict on the search, without SC violations under the models `apart`.
    pub(crate) fn judge(&self, summary: &Summary, interrupts: &Interrupts, apart: &[MemoryModel]) -> Verdict {
        let explore = &self.plan.explore;
        let is_apart = |monitor: MonitorName| monitor.model().is_some_and(|model| apart.contains(&model));
        let judged = |violation: &&Violation| {
            violation.kind == FailureKind::ScViolation && violation.monitor.is_some_and(is_apart)
        };
        let counts = |one: &&Found| one.accepted.is_none() && !judged(&&one.violation);
        let violations: Vec<Violation> = self.found.iter().filter(counts).map(|one| one.violation.clone()).collect();
        let accepted: Vec<&Found> = self.found.iter().filter(|one| one.accepted.is_some()).collect();
        let summary = &without(summary, &accepted);
        let watches = |monitor: &&MonitorName| apart.is_empty() || monitor.model().is_none();
        let monitors: Vec<MonitorName> = explore.monitors.iter().filter(watches).copied().collect();
        judge(&Facts {
            preemptions: self.plan.preemptions(),
            delays: self.plan.delays(),
            unroll: self.plan.unroll(),
            monitors: &monitors,
            time: self.plan.time.as_ref().map(|time| time.typed.as_str()),
            budget: self.plan.budget.executions,
            interrupted_by: interrupts.cause().map_or("a signal", Cause::name),
            max_events: explore.limits.max_events,
            memory: explore.limits.memory,
            local_seconds: explore.limits.local_seconds,
            issues: Issues::All,
            races: if self.plan.models[0].0 == MemoryModel::C11 { Races::Watched } else { Races::Unwatched },
            open: if explore.graphs.is_some() { Open::Rounds } else { Open::NotRobust },
            given_up: match explore.graphs {
                None => "at an assumption",
                Some(_) => "where a thread waits for what comes later, or at an assumption",
            },
            whole: self.exploration.whole,
            summary,
            accepted: accepted.iter().filter(|one| !judged(&&one.violation)).count() as u64,
            violations: &violations,
            unsupported: &self.exploration.unsupported,
        })
    }
}

/// Returns the counts without the accepted ones among the monitors' reports.
fn without(summary: &Summary, accepted: &[&Found]) -> Summary {
    let mut summary = summary.clone();
    for count in &mut summary.monitors {
        let of_monitor = accepted.iter().filter(|one| one.violation.monitor == Some(count.monitor));
        count.distinct = count.distinct.saturating_sub(of_monitor.count() as u64);
    }
    summary
}
