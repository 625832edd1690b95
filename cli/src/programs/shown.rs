//! The display of a search of a program: findings, what is not supported, and notes.

use std::collections::BTreeSet;

use protocol::{ExitStatus, Identity, MemoryModel, MonitorName, StoppedBy};

use super::accepted::Accepted;
use super::found::{Found, REPLAYED};
use super::grounds::on_circles;
use super::judged::{Judged, harmless_notes, is_of};
use super::judging::Judgement;
use super::models::help_with_ends;
use super::portable::MANY;
use super::searched::Searched;
use crate::findings::group_name;
use crate::plan::check::CheckPlan;
use crate::plan::judge::Counted;
use crate::report::excerpt::{self, Sources};
use crate::report::finding::{self, Detail};
use crate::report::gcc;
use crate::report::graph::relaxed_orders;
use crate::screen::Volume;
use crate::search::Exploration;
use crate::text::{counted, printable};
use crate::values::Format;

/// The number of findings of one monitor or kind that are shown with their source; the others get a line each.
const SHOWN: usize = 3;

/// The advice on something that is not supported.
const UNSUPPORTED: &str = "help: docs/limits.md says what can be run under control; leave other calls out where __FENCEHOUND__ \
                           is defined, and say what inline assembly means with --asm-templates FILE \
                           (docs/inline-assembly.md)\n";

/// What execution graphs do not follow of the widths of accesses, and interleavings do.
const WIDTHS: [&str; 3] = [
    "memory accessed in pieces of different widths",
    "an access across eight aligned bytes",
    "an indivisible access of ",
];

/// Returns the advice on something that a search does not support.
fn unsupported(plan: &CheckPlan, what: &str) -> String {
    let is_of_widths = WIDTHS.iter().any(|words| what.starts_with(words));
    let (model, _) = plan.models[0];
    match model {
        _ if plan.explore.graphs.is_none() || !is_of_widths => UNSUPPORTED.to_string(),
        MemoryModel::Sc => {
            "help: execution graphs do not follow that: without --explorer rsmc interleavings are run, which do\n"
                .to_string()
        }
        MemoryModel::Tso | MemoryModel::Pso => format!(
            "help: execution graphs do not follow that: --model {} --explorer bounded (or dpor) runs interleavings with store buffers, \
             which do\n",
            model.name()
        ),
        _ => format!(
            "help: execution graphs do not follow that, and under {} there is nothing else: let all accesses there be of one width; \
             --model tso,pso --explorer bounded (or dpor) runs interleavings with store buffers, which follow it\n",
            model.title()
        ),
    }
}

/// Shows what was found under each model, and what was found by judging.
pub(crate) fn show(
    plan: &CheckPlan,
    (all, judged): (&[Searched], &[Judged]),
    accepted: &Accepted,
    sources: &mut Sources,
) {
    if plan.volume == Volume::Quiet {
        return;
    }
    let mut told = Told::default();
    let mut reported: Vec<(&CheckPlan, Vec<&Found>)> = Vec::new();
    for searched in all {
        let (failures, reports) =
            alarming(searched, judged).into_iter().partition::<Vec<_>, _>(|one| one.violation.monitor.is_none());
        show_found(&searched.plan, &failures, &mut told, sources);
        reported.push((&searched.plan, reports));
    }
    for one in judged {
        let found: Vec<&Found> = one.found.iter().filter(|one| one.accepted.is_none()).collect();
        show_found(&one.plan, &found, &mut told, sources);
    }
    // What monitors report explains failures: it comes behind them.
    for (plan, reports) in reported {
        show_found(plan, &reports, &mut told, sources);
    }
    for searched in all {
        notes(&searched.plan, &searched.exploration, &mut told, sources);
    }
    if plan.format == Format::Text && plan.judging.counted == Counted::Consequence {
        let found = all.iter().flat_map(|searched| &searched.found);
        plan.screen().print(&harmless_notes(found, judged));
    }
    new_ends(plan, judged);
    if let (Format::Text, Some(note)) = (plan.format, on_circles(judged)) {
        plan.screen().print(&note);
    }
    plan.screen().print(&accepted.in_words(all, judged));
}

/// Says what to do about ends that no sequentially consistent execution has, where no finding says so: nothing was watched.
fn new_ends(plan: &CheckPlan, judged: &[Judged]) {
    let counts = |one: &&Judged| one.asked && !one.is_reported() && matches!(one.standing(), Some(Judgement::Shows(_)));
    let new: Vec<&Judged> = judged.iter().filter(counts).collect();
    let (target, screen) = (plan.target.names().join(" "), plan.screen());
    match plan.format {
        Format::Gcc => new.iter().for_each(|one| {
            let model = one.model.name();
            screen.print(&gcc::without_place(&one.in_words(), model, &help_with_ends(&target, &[model])));
        }),
        // The table of many machines says what is enough on all of them.
        Format::Text if !new.is_empty() && plan.models.len() < MANY => {
            let models: Vec<&str> = new.iter().map(|one| one.model.name()).collect();
            screen.print(&format!("help: {}\n", help_with_ends(&target, &models)));
        }
        Format::Text => {}
    }
}

/// What has been shown so far: what comes again under another model gets a line.
#[derive(Default)]
struct Told {
    findings: Vec<Shown>,
    notes: BTreeSet<String>,
}

/// A finding that has been shown.
struct Shown {
    id: String,
    /// The model of the monitor that reports it, if one does.
    model: Option<MemoryModel>,
    identity: Identity,
    /// The orders of a thread that its execution graph does not keep: the machine may differ, and the reason not.
    orders: Vec<String>,
}

impl Shown {
    fn new(one: &Found) -> Shown {
        let violation = &one.violation;
        let identity = Identity::failed(violation.kind, &violation.subject, &violation.sites);
        let orders = violation.schedule.graph.iter().flat_map(relaxed_orders).collect();
        Shown { id: one.id.clone(), model: violation.monitor.and_then(MonitorName::model), identity, orders }
    }
}

impl Told {
    /// Takes in that a finding is shown, and returns the id of the one that has shown the same under another model, if one has.
    fn tell(&mut self, one: &Found) -> Option<String> {
        let new = Shown::new(one);
        let is_same = |old: &&Shown| {
            // Two monitors of one model may report the same places, each with a cycle of its own.
            let is_other = new.model.is_none() || old.model != new.model;
            is_other && old.identity == new.identity && old.orders == new.orders
        };
        let known = self.findings.iter().find(is_same).map(|old| old.id.clone());
        self.findings.push(new);
        known
    }

    /// Prints a note that has not been printed.
    fn note(&mut self, plan: &CheckPlan, note: &str) {
        if self.notes.insert(note.to_owned()) {
            plan.screen().print(note);
        }
    }
}

/// Returns all findings but harmless SC violations, and what is accepted.
fn alarming<'a>(searched: &'a Searched, judged: &[Judged]) -> Vec<&'a Found> {
    let is_harmless = |one: &&Found| {
        let by = judged.iter().find(|judged| is_of(&one.violation, judged.model));
        by.is_some_and(|judged| *judged.judgement() == Judgement::Harmless)
    };
    let counts_all = searched.plan.judging.counted != Counted::Consequence || searched.plan.volume == Volume::Verbose;
    let found = searched.found.iter().filter(|one| one.accepted.is_none());
    found.filter(|one| counts_all || !is_harmless(one)).collect()
}

/// Shows findings, as many of them and as much of each as a reader can take.
fn show_found(plan: &CheckPlan, found: &[&Found], told: &mut Told, sources: &mut Sources) {
    let screen = plan.screen();
    if plan.format == Format::Gcc {
        let (model, _) = plan.models[0];
        found.iter().for_each(|one| screen.print(&gcc::finding(&one.subject(plan), model.name())));
        return;
    }
    let width = screen.width();
    let mut before: Vec<&str> = Vec::new();
    for one in found.iter().take(REPLAYED) {
        let group = group_name(&one.violation);
        let subject = one.subject(plan);
        if let Some(other) = told.tell(one) {
            screen.print(&finding::again(&subject, &other));
            continue;
        }
        let text = match before.iter().filter(|other| **other == group).count() {
            _ if plan.volume == Volume::Verbose => finding::full(&subject, Detail::Everything, width, sources) + "\n",
            0 => finding::full(&subject, Detail::Execution, width, sources) + "\n",
            shown if shown < SHOWN => finding::full(&subject, Detail::Excerpts, width, sources) + "\n",
            _ => finding::line(&subject),
        };
        before.push(group);
        screen.print(&text);
    }
    if found.len() > REPLAYED {
        screen.print(&format!("… and {} more in {}\n", found.len() - REPLAYED, plan.out.display()));
    }
}

/// Shows what is not supported, and whatever else has to be told of a search.
fn notes(plan: &CheckPlan, exploration: &Exploration, told: &mut Told, sources: &mut Sources) {
    let screen = plan.screen();
    for (what, place) in &exploration.unsupported {
        let words = format!("not supported: {}", printable(what));
        screen.print(&match plan.format {
            Format::Text => excerpt::excerpt(place, &words, sources) + "\n",
            Format::Gcc => gcc::warning(place, &words, plan.models[0].0.name()),
        });
    }
    if let Some((what, _)) = exploration.unsupported.first() {
        screen.print(&unsupported(plan, what));
    }
    let unwatched = exploration.summary.as_ref().map_or(&[][..], |summary| &summary.uninstrumented);
    if !unwatched.is_empty() {
        let names = printable(&unwatched.join(", "));
        told.note(plan, &format!("note: called, but not watched inside: {names}\n"));
    }
    for assumption in exploration.summary.iter().flat_map(|summary| &summary.assumptions) {
        told.note(plan, &format!("note: {assumption}\n"));
    }
    for left in exploration.summary.iter().flat_map(|summary| &summary.left_waiting) {
        let message = printable(&left.message);
        told.note(plan, &format!("note: a thread still waits for ever when the process has ended: {message}\n"));
    }
    if let Some(help) = exploration.summary.as_ref().and_then(|summary| summary.stopped_by).and_then(help) {
        screen.print(&format!("help: {help}\n"));
    }
    let statuses = exploration.summary.iter().flat_map(|summary| &summary.exit_statuses);
    for (status, executions) in statuses.filter(|_| plan.explore.limits.exit_status == ExitStatus::Ignored) {
        let count = counted(*executions, "execution", "executions");
        screen.print(&format!("note: the program ends with exit status {status} in {count}, which is no violation\n"));
    }
}

/// Returns the advice on a search that was stopped by this, if there is any.
const fn help(by: StoppedBy) -> Option<&'static str> {
    match by {
        StoppedBy::LocalTimeout => Some(
            "if that takes long and ends, raise --local-timeout; if it waits for another thread there, let it read what \
             changes by an access that is watched (README.md, \"How it works\")",
        ),
        StoppedBy::Rounds => Some(
            "threads get in each other's way there, and may do so for ever: executions with more and more such rounds have \
             no end; --preemptions 2 looks at those with few",
        ),
        StoppedBy::Memory => {
            Some("if the program ends in each execution, raise --max-memory; --preemptions 2 looks at fewer of them")
        }
        StoppedBy::Time | StoppedBy::Executions | StoppedBy::Events | StoppedBy::Interrupt => None,
    }
}
