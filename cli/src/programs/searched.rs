//! What was found under one memory model, judged and in JSON; and what several models come to together.

use protocol::{Cycles, MemoryModel, StoppedBy, Summary, Violation};

use super::consequences::{Consequence, Graphs, Unseen, consequence};
use super::found::Found;
use crate::exit::Status;
use crate::interrupt::{Cause, Interrupts};
use crate::json::{Entry, Outcome, Unsupported};
use crate::plan::check::CheckPlan;
use crate::report::verdict::{Facts, Issues, Open, Verdict, judge};
use crate::search::Exploration;

/// What was found under one memory model.
pub(crate) struct Searched {
    /// The plan, as far as it is about this model.
    pub(crate) plan: CheckPlan,
    pub(crate) exploration: Exploration,
    pub(crate) found: Vec<Found>,
}

impl Searched {
    /// The counts.
    pub(crate) fn summary(&self) -> Summary {
        self.exploration.summary.clone().unwrap_or_else(Summary::nothing)
    }

    /// The verdict on the search.
    pub(crate) fn judge(&self, summary: &Summary, interrupts: &Interrupts) -> Verdict {
        let explore = &self.plan.explore;
        judge(&Facts {
            preemptions: self.plan.preemptions(),
            unroll: self.plan.unroll(),
            monitors: &explore.monitors,
            time: self.plan.time.as_ref().map(|time| time.typed.as_str()),
            budget: self.plan.budget.executions,
            interrupted_by: interrupts.cause().map_or("a signal", Cause::name),
            max_events: explore.limits.max_events,
            memory: explore.limits.memory,
            local_seconds: explore.limits.local_seconds,
            issues: Issues::All,
            open: if explore.graphs.is_some() { Open::Rounds } else { Open::NotRobust },
            given_up: match explore.graphs {
                None => "at an assumption",
                Some(_) => "where a thread waits for what comes later, or at an assumption",
            },
            summary,
            violations: &self.exploration.violations,
            unsupported: &self.exploration.unsupported,
        })
    }
}

/// The verdict line: that of the only model, or the worst word, and what was found under each.
pub(crate) fn line(all: &[Searched], verdicts: &[Verdict], status: Status) -> String {
    let under = |searched: &Searched, line: &str| match searched.plan.explore.graphs {
        None => line.to_string(),
        Some(_) => format!("{line} ({})", searched.plan.models[0].0.title()),
    };
    if let ([searched], [verdict]) = (all, verdicts) {
        return under(searched, &verdict.line);
    }
    let worst = verdicts.iter().find(|verdict| verdict.status == status).map_or("", |verdict| verdict.word);
    let each = all.iter().zip(verdicts).map(|(searched, verdict)| {
        let title = searched.plan.models[0].0.title();
        let words = verdict.line.split_once(": ").map_or("", |(_, words)| words);
        let word = if verdict.word == worst { String::new() } else { format!("{}, ", verdict.word) };
        format!("{title}: {word}{words}")
    });
    format!("{worst}: {}", each.collect::<Vec<_>>().join("; "))
}

/// Says what each SC violation leads to, where the execution graphs of its model were searched.
pub(crate) fn consequences(all: &[Searched], summaries: &[Summary]) -> Vec<Vec<Option<Consequence>>> {
    let found: Vec<Vec<(&Violation, &str)>> = all
        .iter()
        .map(|searched| searched.found.iter().map(|one| (&one.violation, one.folder.as_str())).collect())
        .collect();
    let searches = || all.iter().zip(summaries).zip(&found);
    let is_consistent = |searched: &&Searched| searched.plan.models[0].0 == MemoryModel::Sc;
    let consistent: Vec<&Violation> =
        all.iter().filter(is_consistent).flat_map(|searched| &searched.found).map(|one| &one.violation).collect();
    let graphs: Vec<Graphs<'_>> = searches()
        .filter(|((searched, _), _)| {
            searched.plan.explore.graphs.is_some_and(|graphs| graphs.cycles == Cycles::Counted)
        })
        .map(|((searched, summary), found)| {
            let unseen = Unseen::of(searched.plan.unroll(), found, &consistent);
            Graphs { model: searched.plan.models[0].0, summary, found, consistent: &consistent, unseen }
        })
        .collect();
    let of = |one: &Found| graphs.iter().find_map(|graphs| consequence(&one.violation, graphs));
    all.iter().map(|searched| searched.found.iter().map(of).collect()).collect()
}

/// The violations of a search as JSON wants them.
pub(crate) fn entries<'a>(
    searched: &'a Searched,
    summary: &Summary,
    consequences: &'a [Option<Consequence>],
) -> Vec<Entry<'a>> {
    let entry = |(index, one): (usize, &'a Found)| Entry {
        id: &one.id,
        finding: Some(&one.folder),
        violation: &one.violation,
        executions: summary.violation_executions.get(index).copied().unwrap_or(1),
        consequence: consequences.get(index).and_then(Option::as_ref),
    };
    searched.found.iter().enumerate().map(entry).collect()
}

/// The result of a search as JSON wants it, its violations borrowed.
pub(crate) fn result<'a>(
    target: &'a str,
    searched: &'a Searched,
    summary: &'a Summary,
    verdict: &Verdict,
    entries: &'a [Entry<'a>],
) -> Outcome<'a> {
    let unsupported = searched.exploration.unsupported.iter().map(|(what, place)| Unsupported {
        what,
        file: &place.file,
        line: place.line,
        column: place.column,
    });
    let (model, explorer) = searched.plan.models[0];
    Outcome {
        target,
        model: model.name(),
        explorer: explorer.name(),
        litmus: None,
        preemptions: searched.plan.preemptions(),
        unroll: searched.plan.unroll(),
        monitors: &searched.plan.explore.monitors,
        verdict: verdict.word,
        stopped_by: summary.stopped_by.map(StoppedBy::name),
        summary,
        violations: entries,
        unsupported: unsupported.collect(),
    }
}
