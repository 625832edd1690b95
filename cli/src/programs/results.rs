//! The joint result of several models: the verdict line, and the results in JSON.

use std::slice;

use protocol::{Cycles, MemoryModel, StoppedBy, Summary, Violation};

use super::accepted::Unmatched;
use super::consequences::{Consequence, Graphs, Unseen, consequence};
use super::found::Found;
use super::judged::{Judged, is_of, title};
use super::judging::{Judgement, World};
use super::searched::Searched;
use crate::exit::Status;
use crate::json::{CountsAs, Entry, Outcome, Unsupported};
use crate::plan::check::CheckPlan;
use crate::plan::judge::Counted;
use crate::report::verdict::Verdict;

/// Returns the verdict line: that of the only model, or the worst word and what was found under each, with a verdict for each
/// model under which the program was judged.
pub(crate) fn line(plan: &CheckPlan, all: &[Searched], verdicts: &[Verdict], judged: &[Judged]) -> String {
    // The other judgements are told in the verdicts of their models.
    let judged: Vec<&Judged> = judged.iter().filter(|one| one.is_reported()).collect();
    let status = verdicts.iter().map(|verdict| verdict.status).fold(Status::Clean, Status::and);
    let worst = verdicts.iter().find(|verdict| verdict.status == status).map_or("", |verdict| verdict.word);
    let sentence = if let ([searched], [verdict]) = (all, verdicts) {
        let (explore, title) = (&searched.plan.explore, searched.plan.models[0].0.title());
        let is_relaxed = explore.graphs.is_some() || explore.machine.is_some();
        let under = if is_relaxed { format!(" ({title})") } else { String::new() };
        let is_beside = !judged.is_empty() && status == Status::Clean;
        let before = if is_relaxed || !is_beside { String::new() } else { format!("{title}: ") };
        format!("{before}{}{under}", words_of(verdict))
    } else {
        let each = all.iter().zip(verdicts).map(|(searched, verdict)| {
            let title = searched.plan.models[0].0.title();
            let word = if verdict.word == worst { String::new() } else { format!("{}, ", verdict.word) };
            format!("{title}: {word}{}", words_of(verdict))
        });
        each.collect::<Vec<_>>().join("; ")
    };
    let line = match (models_in_words(all, &judged, status), status) {
        (models, _) if models.is_empty() => format!("{worst}: {sentence}"),
        (models, Status::Clean) => format!("{models}; {sentence}"),
        (models, _) => format!("{worst}: {sentence}; {models}"),
    };
    if plan.leaves_out_pso() { format!("{line}; PSO not watched: written for x86") } else { line }
}

fn words_of(verdict: &Verdict) -> &str {
    verdict.line.split_once(": ").map_or("", |(_, words)| words)
}

/// Returns a verdict for each model that is watched, where the program was judged under one: `x86 (TSO): clean; PSO: …`.
fn models_in_words(all: &[Searched], judged: &[&Judged], status: Status) -> String {
    if judged.is_empty() {
        return String::new();
    }
    let watched = |model: &MemoryModel| {
        all.iter().flat_map(|searched| &searched.plan.explore.monitors).any(|monitor| monitor.model() == Some(*model))
    };
    let none = if status == Status::Clean { "clean" } else { "no SC violation found" };
    let words = |model: MemoryModel| match judged.iter().find(|one| one.model == model) {
        Some(one) if one.asked => one.in_words(),
        Some(one) => format!("{} (not asked for)", one.in_words()),
        None => none.to_string(),
    };
    let models = MemoryModel::ALL.into_iter().filter(watched);
    models.map(|model| format!("{}: {}", title(model), words(model))).collect::<Vec<_>>().join("; ")
}

/// Returns the word of a result, given the verdict on the search and the judgements.
fn word<'a>(verdict: &Verdict, judged: impl Iterator<Item = &'a Judged>, counted: Counted) -> &'static str {
    let worst = judged.map(|one| one.status(counted)).fold(verdict.status, Status::and);
    match worst {
        worst if worst == verdict.status => verdict.word,
        Status::Found => "violations",
        _ => "incomplete",
    }
}

/// Returns the consequence of each SC violation, where the execution graphs of its model were searched.
pub(crate) fn consequences(
    all: &[Searched],
    summaries: &[Summary],
    judged: &[Judged],
) -> Vec<Vec<Option<Consequence>>> {
    let found: Vec<Vec<(&Violation, &str)>> = all
        .iter()
        .map(|searched| searched.found.iter().map(|one| (&one.violation, one.folder.as_str())).collect())
        .collect();
    let searches = || all.iter().zip(summaries).zip(&found);
    let is_consistent = |searched: &&Searched| searched.plan.models[0].0 == MemoryModel::Sc;
    let consistent: Vec<&Violation> =
        all.iter().filter(is_consistent).flat_map(|searched| &searched.found).map(|one| &one.violation).collect();
    let failures: Vec<Vec<(&Violation, &str)>> = judged.iter().map(Judged::failures).collect();
    let by_graphs = judged.iter().zip(&failures).filter(|(one, _)| one.world == World::Graphs);
    let to_judge = by_graphs.filter_map(|(one, found)| {
        let unseen = Unseen::of(one.plan.unroll(), found, &consistent);
        let summary = one.exploration.summary.as_ref()?;
        Some(Graphs { model: one.model, summary, found, consistent: &consistent, unseen })
    });
    let graphs: Vec<Graphs<'_>> = searches()
        .filter(|((searched, _), _)| {
            searched.plan.explore.graphs.is_some_and(|graphs| graphs.cycles == Cycles::Counted)
        })
        .map(|((searched, summary), found)| {
            let unseen = Unseen::of(searched.plan.unroll(), found, &consistent);
            Graphs { model: searched.plan.models[0].0, summary, found, consistent: &consistent, unseen }
        })
        .chain(to_judge)
        .collect();
    let of = |one: &Found| graphs.iter().find_map(|graphs| consequence(&one.violation, graphs));
    all.iter().map(|searched| searched.found.iter().map(of).collect()).collect()
}

/// Returns the violations of a search for the JSON.
pub(crate) fn entries<'a>(
    searched: &'a Searched,
    summary: &Summary,
    consequences: &'a [Option<Consequence>],
    judged: &'a [Judged],
) -> Vec<Entry<'a>> {
    let judgement = |one: &Found| judged.iter().find(|judged| is_of(&one.violation, judged.model));
    let entry = |(index, one): (usize, &'a Found)| Entry {
        subject: one.subject(&searched.plan),
        finding: Some(&one.folder),
        fingerprint: Some(&one.fingerprint),
        accepted: one.accepted.as_ref(),
        executions: summary.violation_executions.get(index).copied().unwrap_or(1),
        circular: one.grounds.circular,
        consequence: consequences.get(index).and_then(Option::as_ref),
        judgement: judgement(one).map(|judged| judged.judgement().word()),
        help: one.help.as_ref(),
        counts: counts_as(judgement(one), searched.plan.judging.counted),
    };
    let reports = |judged: &&Judged| searched.found.iter().any(|one| is_of(&one.violation, judged.model));
    let by_judging = judged.iter().filter(reports).flat_map(|judged| {
        judged.found.iter().map(|one| Entry {
            subject: one.subject(&judged.plan),
            finding: Some(&one.folder),
            fingerprint: Some(&one.fingerprint),
            accepted: one.accepted.as_ref(),
            executions: judged.executions_of(&one.violation),
            circular: one.grounds.circular,
            consequence: None,
            judgement: None,
            help: one.help.as_ref(),
            counts: if judged.asked { CountsAs::Violation } else { CountsAs::Nothing },
        })
    });
    searched.found.iter().enumerate().map(entry).chain(by_judging).collect()
}

/// The verdict line of one of several results.
fn sentence(searched: &Searched, verdict: &Verdict, judged: &[Judged]) -> String {
    let reports = |one: &Judged| searched.found.iter().any(|found| is_of(&found.violation, one.model));
    let judged = if judged.iter().any(reports) { judged } else { &[] };
    line(&searched.plan, slice::from_ref(searched), slice::from_ref(verdict), judged)
}

/// What a violation counts as, given the judgement on its model, if it is an SC violation that was judged.
fn counts_as(judged: Option<&Judged>, counted: Counted) -> CountsAs {
    let Some(judged) = judged else { return CountsAs::Violation };
    match judged.judgement() {
        _ if !judged.asked => CountsAs::Nothing,
        _ if counted == Counted::Always => CountsAs::Violation,
        Judgement::Breaks(_) | Judgement::Shows(_) => CountsAs::Violation,
        Judgement::Open(_) => CountsAs::Open,
        Judgement::Harmless => CountsAs::Nothing,
    }
}

/// The result of a search as JSON wants it, its violations borrowed.
pub(crate) fn result<'a>(
    target: &'a str,
    searched: &'a Searched,
    summary: &'a Summary,
    (verdict, judged, unmatched): (&Verdict, &'a [Judged], &'a [Unmatched]),
    entries: &'a [Entry<'a>],
) -> Outcome<'a> {
    let counted = searched.plan.judging.counted;
    let (model, explorer) = searched.plan.models[0];
    let reports =
        |one: &&Judged| one.model == model || searched.found.iter().any(|found| is_of(&found.violation, one.model));
    let models = judged.iter().filter(reports).map(|one| (one.model.name(), one.as_json(counted)));
    let unsupported = searched.exploration.unsupported.iter().map(|(what, place)| Unsupported {
        what,
        file: &place.file,
        line: place.line,
        column: place.column,
    });
    Outcome {
        target,
        model: model.name(),
        explorer: explorer.name(),
        litmus: None,
        preemptions: searched.plan.preemptions(),
        delays: searched.plan.delays(),
        unroll: searched.plan.unroll(),
        monitors: &searched.plan.explore.monitors,
        sentence: sentence(searched, verdict, judged),
        verdict: word(verdict, judged.iter().filter(reports), counted),
        models: models.collect(),
        stopped_by: summary.stopped_by.map(StoppedBy::name),
        whole: searched.exploration.whole,
        summary,
        violations: entries,
        unsupported: unsupported.collect(),
        unmatched,
    }
}
