//! The result of a litmus test as text, in the form of herd7.

use std::fmt::Write;

use litmus::condition::Quantifier;
use protocol::{Role, Violation};

use super::judged::Answer;
use super::kept::Kept;
use super::searched::{Searched, under};
use super::target::RefusedFile;
use crate::exit::Status;
use crate::plan::explorer::Explorer;
use crate::report::names::{full_place, model_name};
use crate::report::verdict::Verdict;
use crate::text::{counted, listed, printable};

/// The most violations of a test that are shown.
const SHOWN: usize = 3;

/// Returns the report: states, witnesses and observation, and the violations that there are.
pub(super) fn report(searched: &Searched<'_>, verdict: &Verdict, kept: &Kept) -> String {
    let Searched { target, outcomes, model, .. } = searched;
    let test = &target.test;
    let name = printable(&test.name);
    let wanted = match test.condition.quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::Forall => "Required",
    };
    let states = outcomes.show(test);
    let within = bound(searched).map_or_else(String::new, |bound| format!(" with {bound}"));
    let mut text = format!("Test {name} {wanted}\nModel {}{within}\nStates {}\n", model.title(), states.len());
    let mut line = |words: String| writeln!(text, "{words}").expect("writing to a string cannot fail");
    for (state, _) in &states {
        line(format!("{state};"));
    }
    line(if outcomes.condition_holds(test.condition.quantifier) { "Ok" } else { "No" }.to_string());
    line(format!("Witnesses\nPositive: {} Negative: {}", outcomes.positive, outcomes.negative));
    line(format!("Condition {}", printable(&test.condition.text)));
    let observation = outcomes.observation().name();
    line(format!("Observation {name} {observation} {} {}", outcomes.positive, outcomes.negative));
    if let circular @ [_, ..] = &searched.left_out_by_c11()[..] {
        line(format!(
            "note: C11 as it is modelled (RC11) leaves out what ends in {}: only executions with a cycle of program order and reads-from \
             do; the wording of the standard does not forbid them, and {} has them",
            listed(circular),
            model.title()
        ));
    }
    for assumption in &searched.summary.assumptions {
        line(format!("note: {assumption}"));
    }
    let found = searched.violations.iter().zip(kept.found());
    for (violation, kept) in found.clone().take(SHOWN) {
        line(format!("{} [{}]", violation_line(violation), kept.id));
    }
    if searched.violations.len() > SHOWN {
        line(format!("… and {} more", searched.violations.len() - SHOWN));
    }
    if verdict.status != Status::Clean {
        line(format!("{}: {}", printable(&target.file), under(&verdict.line, *model)));
    }
    line(String::new());
    for picture in kept.texts() {
        line(picture.to_string());
    }
    text
}

fn violation_line(violation: &Violation) -> String {
    let at = |role| violation.sites.iter().find(|site| site.role == role);
    match (violation.monitor, at(Role::Delayed), at(Role::Overtaking), violation.sites.first()) {
        (Some(monitor), Some(delayed), Some(overtaking), _) => format!(
            "{}: SC violation under {}: `{}` may wait while `{}` at {} goes ahead",
            full_place(&delayed.place),
            model_name(monitor),
            printable(&delayed.expression),
            printable(&overtaking.expression),
            full_place(&overtaking.place),
        ),
        (_, _, _, Some(site)) => format!("{}: {}", full_place(&site.place), printable(&violation.message)),
        _ => printable(&violation.message),
    }
}

/// Returns the report on a test that is refused.
pub(super) fn refused(refused: &RefusedFile) -> String {
    format!("{}: error: {}\n", full_place(&refused.place), printable(&refused.what))
}

/// Returns the verdict line of several tests or models.
pub(super) fn verdict(answers: &[Answer<'_>], tests: usize) -> String {
    let status = answers.iter().map(|one| one.verdict().status).fold(Status::Clean, Status::and);
    let explored = answers.iter().filter_map(Answer::explored);
    let executions: u64 = explored.map(|one| one.searched.summary.executions).sum();
    let all = counted(executions, "execution", "executions");
    let of = counted(tests as u64, "litmus test", "litmus tests");
    let models = models(answers);
    let with = |wanted| answers.iter().filter(|one| one.verdict().status == wanted).count();
    let first = |wanted| {
        let one = answers.iter().find(|one| one.verdict().status == wanted)?;
        Some((one.file(), one.verdict().line.split_once(": ").map_or("", |(_, words)| words)))
    };
    let several = |word, wanted| {
        let (file, words) = first(wanted).unwrap_or((answers[0].file(), ""));
        let more = match with(wanted) {
            0 | 1 => String::new(),
            count => format!(", and {} more", counted(count as u64 - 1, "result", "results")),
        };
        format!("{word}: {}: {words}{more}; {all} of {of} under {models}", printable(file))
    };
    match status {
        Status::Found => {
            let found = counted(with(Status::Found) as u64, "result", "results");
            let total = answers.len();
            let refused = match with(Status::Unsupported) {
                0 => String::new(),
                count => format!(", {count} unsupported"),
            };
            format!("violations: {found} of {total} with violations{refused}; {all} of {of} under {models}")
        }
        Status::Unsupported => several("unsupported", status),
        Status::Incomplete => several("incomplete", status),
        _ => format!("clean: all {all} of {of} under {models}"),
    }
}

/// Returns the bound within which a test was explored, if there was one.
fn bound(searched: &Searched<'_>) -> Option<String> {
    let preemptions = searched.preemptions?;
    Some(format!("at most {}", counted(preemptions.into(), "preemption", "preemptions")))
}

fn models(answers: &[Answer<'_>]) -> String {
    let mut titles: Vec<&str> = Vec::new();
    for one in answers {
        let title = one.model().title();
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    let mut explored = answers.iter().filter_map(Answer::explored).map(|one| &one.searched);
    let bounded = explored.find(|searched| searched.explorer == Explorer::BOUNDED);
    let watched = bounded.map_or(String::new(), |searched| {
        let bound = bound(searched).map(|bound| format!(", {} with {bound}", searched.model.title()));
        let names: Vec<String> = searched.monitors.iter().map(|&monitor| model_name(monitor)).collect();
        let monitors = if names.is_empty() { String::new() } else { format!(", watched for {}", names.join(" and ")) };
        format!("{}{monitors}", bound.unwrap_or_default())
    });
    format!("{}{watched}", titles.join(", "))
}
