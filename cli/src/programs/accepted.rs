//! Findings that are accepted: those of the baseline, and SC violations that an annotation in the source calls harmless.
//!
//! An annotation accepts what a monitor reports, but neither a failure nor an end that sequentially consistent executions do not
//! have: where the program breaks or shows something under a model, annotations have no effect under this model. The baseline
//! accepts whatever it lists.

use std::collections::BTreeSet;

use protocol::{FailureKind, MemoryModel, Place, Role};
use serde::Serialize;

use super::acceptance::Acceptance;
use super::found::Found;
use super::judged::{Judged, is_of};
use super::judging::Judgement;
use super::searched::Searched;
use crate::annotations::Annotation;
use crate::baseline::{Baseline, Known};
use crate::exit::Failure;
use crate::fingerprint::{fingerprints, of_ends};
use crate::hash::plain_name;
use crate::plan::check::CheckPlan;
use crate::plan::judge::Counted;
use crate::report::excerpt::Sources;
use crate::report::finding::line;
use crate::report::names::{model_of, short_place};
use crate::screen::plain;
use crate::text::{counted, printable};

/// An entry or annotation that accepts findings and matches none, as the JSON has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "by", rename_all = "lowercase")]
pub(crate) enum Unmatched {
    /// An entry of the baseline matches no finding.
    Baseline { fingerprint: String, kind: String, model: String, message: String },
    /// An annotation in the source matches no finding, or is not understood.
    Annotation { file: String, line: u32, message: String },
}

/// The part of a check's acceptances that findings and judgements do not tell themselves.
#[derive(Debug, Default)]
pub(crate) struct Accepted {
    /// The entries and annotations that match no finding.
    pub(crate) unmatched: Vec<Unmatched>,
    /// The sentences for people.
    pub(crate) notes: Vec<String>,
}

/// An annotation that calls something harmless, and its place.
struct Harmless {
    file: String,
    line: u32,
    reason: String,
}

/// Gives each finding its fingerprint, writes the baseline if that is asked for, and marks what is accepted.
///
/// # Errors
/// If the baseline cannot be written.
pub(crate) fn accept(
    plan: &CheckPlan,
    baseline: Option<&mut Baseline>,
    (all, judged): (&mut [Searched], &mut [Judged]),
    files: &[String],
    sources: &mut Sources,
) -> Result<Accepted, Failure> {
    name(all, judged, sources);
    let target = plan.baseline_target();
    let mut accepted = Accepted::default();
    let baseline: Option<&Baseline> = match baseline {
        Some(baseline) if plan.writes_baseline => {
            let known = failing(plan, &target, all, judged);
            let count = counted(known.len() as u64, "finding", "findings");
            baseline.replace(&target, known);
            baseline.write()?;
            accepted.notes.push(format!("{}: {count} of {target} written", baseline.name()));
            Some(baseline)
        }
        other => other.map(|baseline| &*baseline),
    };
    let mut matched: BTreeSet<String> = BTreeSet::new();
    if let Some(baseline) = baseline {
        by_baseline(baseline, &target, (all, judged), &mut matched);
    }
    by_annotations(all, judged, files, sources, &mut accepted);
    for one in judged.iter_mut().filter(|one| one.is_reported()) {
        let of_model = every(all).filter(|found| is_of(&found.violation, one.model));
        match of_model.filter(|found| found.accepted.is_none()).count() {
            0 if plan.judging.counted == Counted::Always => {
                one.accept(|judgement| matches!(judgement, Judgement::Open(_) | Judgement::Harmless));
            }
            0 => one.accept(|judgement| matches!(judgement, Judgement::Open(_))),
            new => one.distrust(new),
        }
    }
    if let (Some(baseline), true) = (baseline, is_complete(all)) {
        let watched: Vec<&str> = models(all).into_iter().map(MemoryModel::name).collect();
        let unmatched = baseline.unmatched(&target, &matched).filter(|known| watched.contains(&known.model.as_str()));
        accepted.unmatched.extend(unmatched.map(|known| unmatched_entry(baseline, known)));
    }
    Ok(accepted)
}

fn every(all: &[Searched]) -> impl Iterator<Item = &Found> {
    all.iter().flat_map(|searched| &searched.found)
}

/// Gives all findings of the check their fingerprints.
fn name(all: &mut [Searched], judged: &mut [Judged], sources: &mut Sources) {
    let explored = all.iter_mut().map(|searched| (searched.plan.models[0].0, &mut searched.found));
    let of_models = judged.iter_mut().map(|one| (one.model, &mut one.found));
    let mut found: Vec<(MemoryModel, &mut Found)> =
        explored.chain(of_models).flat_map(|(model, found)| found.iter_mut().map(move |one| (model, one))).collect();
    let of = |(model, one): &(MemoryModel, &mut Found)| model_of(&one.violation, model.name());
    let named: Vec<_> = found.iter().map(|one| (&one.1.violation, of(one))).collect();
    let fingerprints = fingerprints(&named, sources);
    for ((_, one), fingerprint) in found.iter_mut().zip(fingerprints) {
        one.fingerprint = fingerprint;
    }
}

/// Returns the models whose findings the check can show.
fn models(all: &[Searched]) -> BTreeSet<MemoryModel> {
    let watched = all.iter().flat_map(|searched| &searched.plan.explore.monitors).filter_map(|name| name.model());
    all.iter().map(|searched| searched.plan.models[0].0).chain(watched).collect()
}

fn is_complete(all: &[Searched]) -> bool {
    let is_complete = |searched: &Searched| searched.exploration.summary.as_ref().is_some_and(|all| all.complete);
    all.iter().all(is_complete)
}

/// Whether the verdict counts a finding, either for itself or by what a judgement says of it.
fn counts(plan: &CheckPlan, one: &Found, judged: &[Judged]) -> bool {
    if one.violation.kind != FailureKind::ScViolation || plan.judging.counted != Counted::Consequence {
        return true;
    }
    let by = judged.iter().find(|judged| is_of(&one.violation, judged.model));
    by.is_none_or(|judged| judged.asked && *judged.judgement() != Judgement::Harmless)
}

/// Returns what a baseline has to list so that no finding of the check fails it.
fn failing(plan: &CheckPlan, target: &str, all: &[Searched], judged: &[Judged]) -> Vec<Known> {
    let known = |plan: &CheckPlan, one: &Found| Known {
        target: target.to_string(),
        model: model_of(&one.violation, plan.models[0].0.name()).to_string(),
        kind: one.violation.kind.name().to_string(),
        fingerprint: one.fingerprint.clone(),
        what: in_a_line(plan, one),
        reason: None,
    };
    let is_known = |one: &&Found| one.violation.kind != FailureKind::Nondeterministic && counts(plan, one, judged);
    let explored = all.iter().map(|searched| (&searched.plan, &searched.found));
    let of_models = judged.iter().filter(|one| one.asked).map(|one| (&one.plan, &one.found));
    let found = explored.chain(of_models);
    let found = found.flat_map(|(plan, found)| found.iter().filter(is_known).map(|one| known(plan, one)));
    let ends = judged.iter().filter(|one| one.asked).filter_map(|one| {
        let shows = one.judgements.iter().find(|judgement| matches!(judgement, Judgement::Shows(_)))?;
        Some(Known {
            target: target.to_string(),
            model: one.model.name().to_string(),
            kind: shows.word().to_string(),
            fingerprint: of_ends(one.model.name(), &one.differing),
            what: one.words_of(shows),
            reason: None,
        })
    });
    found.chain(ends).collect()
}

/// Returns a finding in one line, without its id.
fn in_a_line(plan: &CheckPlan, one: &Found) -> String {
    let text = plain(&line(&one.subject(plan)));
    text.trim_end().trim_start_matches(&format!("{}: ", one.id)).to_string()
}

/// Marks the findings that the baseline lists.
fn by_baseline(
    baseline: &Baseline,
    target: &str,
    (all, judged): (&mut [Searched], &mut [Judged]),
    matched: &mut BTreeSet<String>,
) {
    let mut known = |fingerprint: &str| {
        let known = baseline.find(target, fingerprint)?;
        matched.insert(fingerprint.to_string());
        Some(Acceptance::Baseline { reason: known.reason.clone() })
    };
    let of_models = judged.iter_mut().map(|one| &mut one.found);
    let found = all.iter_mut().map(|searched| &mut searched.found).chain(of_models).flatten();
    for one in found.filter(|one| one.violation.kind != FailureKind::Nondeterministic) {
        one.accepted = known(&one.fingerprint);
    }
    for one in judged.iter_mut() {
        if !one.differing.is_empty() && known(&of_ends(one.model.name(), &one.differing)).is_some() {
            one.accept(|judgement| matches!(judgement, Judgement::Shows(_)));
        }
        let searched = all.iter().filter(|searched| searched.plan.models[0].0 == one.model);
        let mut failures = searched.flat_map(|searched| &searched.found).chain(&one.found);
        if failures.all(|found| found.violation.monitor.is_some() || found.accepted.is_some()) {
            one.accept(|judgement| matches!(judgement, Judgement::Breaks(_)));
        }
    }
}

/// Marks the SC violations that annotations call harmless, and returns the annotations that match none.
fn by_annotations(
    all: &mut [Searched],
    judged: &[Judged],
    files: &[String],
    sources: &mut Sources,
    accepted: &mut Accepted,
) {
    let (annotations, mut unmatched) = annotations(files, sources);
    let mut matched: BTreeSet<(&str, u32)> = BTreeSet::new();
    let mut denied: BTreeSet<String> = BTreeSet::new();
    for one in all.iter_mut().flat_map(|searched| &mut searched.found) {
        let Some(annotation) = annotations.iter().find(|annotation| is_at(one, annotation)) else { continue };
        matched.insert((&annotation.file, annotation.line));
        let by = judged.iter().find(|judged| is_of(&one.violation, judged.model));
        match by.map(|judged| (judged.standing(), judged)) {
            Some((Some(worse @ (Judgement::Breaks(_) | Judgement::Shows(_))), judged)) => {
                let place = Place::new(annotation.file.clone(), annotation.line, 0);
                denied.insert(format!(
                    "{} is annotated as harmless, but under {} the program {}",
                    short_place(&place),
                    judged.model.title(),
                    judged.words_of(worse)
                ));
            }
            _ if one.accepted.is_none() => {
                let (file, line, reason) = (annotation.file.clone(), annotation.line, annotation.reason.clone());
                one.accepted = Some(Acceptance::Annotation { reason, file, line });
            }
            _ => {}
        }
    }
    accepted.notes.extend(denied);
    let models: Vec<&str> =
        models(all).into_iter().filter(|&model| model != MemoryModel::Sc).map(MemoryModel::title).collect();
    if is_complete(all) && !models.is_empty() {
        let lost = annotations.iter().filter(|one| !matched.contains(&(one.file.as_str(), one.line)));
        unmatched.extend(lost.map(|one| Unmatched::Annotation {
            file: one.file.clone(),
            line: one.line,
            message: format!("no SC violation under {} has an access here", models.join(" or ")),
        }));
    }
    accepted.unmatched.extend(unmatched);
}

/// Whether an SC violation has an access on the line of an annotation.
fn is_at(one: &Found, annotation: &Harmless) -> bool {
    let accesses = one.violation.sites.iter().filter(|site| matches!(site.role, Role::Delayed | Role::Overtaking));
    let mut places = accesses.map(|site| (plain_name(&site.place.file), site.place.line));
    one.violation.kind == FailureKind::ScViolation
        && places.any(|place| place == (plain_name(&annotation.file), annotation.line))
}

/// Returns the annotations of the program's files, and a note on each that is not understood.
fn annotations(files: &[String], sources: &mut Sources) -> (Vec<Harmless>, Vec<Unmatched>) {
    let (mut annotations, mut unknown) = (Vec::new(), Vec::new());
    for file in files {
        for (line, text) in (1..).zip(sources.lines(file)) {
            let file = file.clone();
            match Annotation::of(text) {
                None => {}
                Some(Annotation::Harmless(reason)) => annotations.push(Harmless { file, line, reason }),
                Some(Annotation::Unknown(text)) => {
                    let message = format!("`fencehound: {text}` is not understood: write `harmless (reason)`");
                    unknown.push(Unmatched::Annotation { file, line, message });
                }
            }
        }
    }
    (annotations, unknown)
}

fn unmatched_entry(baseline: &Baseline, known: &Known) -> Unmatched {
    Unmatched::Baseline {
        fingerprint: known.fingerprint.clone(),
        kind: known.kind.clone(),
        model: known.model.clone(),
        message: format!("{}: no finding is the one that was known as: {}", baseline.name(), known.what),
    }
}

impl Accepted {
    /// Returns lines for people about what is accepted, and about what accepts nothing.
    pub(crate) fn in_words(&self, all: &[Searched], judged: &[Judged]) -> String {
        let of_models = judged.iter().map(|one| (&one.plan, &one.found));
        let found = all.iter().map(|searched| (&searched.plan, &searched.found)).chain(of_models);
        let found = found.flat_map(|(plan, found)| found.iter().map(move |one| (plan, one)));
        let lines: Vec<String> = found
            .filter_map(|(plan, one)| {
                let why = one.accepted.as_ref()?.in_words();
                Some(format!("  {}: {}{why}\n", printable(&one.id), in_a_line(plan, one)))
            })
            .collect();
        let mut text = String::new();
        if !lines.is_empty() {
            let count = counted(lines.len() as u64, "accepted finding", "accepted findings");
            text = format!("note: {count}\n{}", lines.concat());
        }
        for note in &self.notes {
            text.push_str(&format!("note: {}\n", printable(note)));
        }
        for one in &self.unmatched {
            text.push_str(&format!("note: {}\n", printable(&one.in_words())));
        }
        text
    }
}

impl Unmatched {
    fn in_words(&self) -> String {
        match self {
            Unmatched::Baseline { message, .. } => message.clone(),
            Unmatched::Annotation { file, line, message } => format!("{file}:{line}: {message}"),
        }
    }
}
