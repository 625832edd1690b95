//! `fencehound check` on litmus tests: each is read, explored in this process under each model, and judged.
//!
//! [`search`] explores one test under one model; [`recorder`] counts what monitors report; [`executions`] says what
//! executions are to findings; [`again`] runs one again; [`kept`] keeps findings; [`report`] is the text.

mod again;
mod executions;
mod kept;
mod recorder;
mod report;
mod search;

use std::fs;
use std::path::Path;

pub(crate) use again::replay;
use kept::{Keeper, Kept};
use litmus::Test;
use litmus::outcomes::Outcomes;
use litmus::parse::parse;
use protocol::{MemoryModel, MonitorName, Place, StoppedBy, Summary, Violation};

use crate::check::{complain_about, prepare_json, print_verdict, write_json};
use crate::exit::{Failure, Status};
use crate::findings::Findings;
use crate::interrupt::Interrupts;
use crate::json::{self, Entry, Litmus, Outcome, Unsupported};
use crate::plan::{CheckPlan, Explorer, reason};
use crate::report::verdict::{Facts, Issues, Open, Verdict, judge, stopped_by_name};

/// A test and the file that it is in.
struct Target {
    file: String,
    test: Test,
}

/// What was found of a test under a model.
struct Searched<'t> {
    target: &'t Target,
    model: MemoryModel,
    explorer: Explorer,
    monitors: Vec<MonitorName>,
    summary: Summary,
    outcomes: Outcomes,
    violations: Vec<Violation>,
    /// The first execution that has what the condition asks for, if it asks.
    witness: Option<Violation>,
    unsupported: Vec<(String, Place)>,
    /// What ended the search, if something did that it had to obey.
    interrupted_by: &'static str,
}

/// Runs the command.
pub(crate) fn run(plan: &CheckPlan, files: &[String]) -> Status {
    check(plan, files).unwrap_or_else(|failure| {
        crate::screen::complain(&failure);
        failure.status
    })
}

fn check(plan: &CheckPlan, files: &[String]) -> Result<Status, Failure> {
    let targets = files.iter().map(|file| read(Path::new(""), file)).collect::<Result<Vec<_>, _>>()?;
    let findings = Findings::prepare(&plan.out)?;
    prepare_json(&plan.json)?;
    let interrupts =
        Interrupts::listen().map_err(|error| Failure::internal(format!("signals cannot be handled: {error}")))?;
    findings.clear()?;
    let mut keeper = Keeper::new(plan, &findings, targets.len())?;
    let mut judged = Vec::new();
    for target in &targets {
        for &(model, explorer) in &plan.models {
            let searched = search::search(plan, target, model, explorer, &interrupts)?;
            let verdict = searched.judge(plan);
            let kept = keeper.keep(&searched)?;
            plan.screen().print(&report::report(&searched, &verdict, &kept));
            let ended = searched.summary.stopped_by == Some(StoppedBy::Interrupt);
            judged.push(Judged { searched, verdict, kept });
            if ended {
                return conclude(plan, &judged, targets.len(), keeper.unwritten());
            }
        }
    }
    conclude(plan, &judged, targets.len(), keeper.unwritten())
}

/// Reads a test, by its name in a folder.
fn read(folder: &Path, file: &str) -> Result<Target, Failure> {
    let unreadable = |error| Failure::usage(format!("{file}: {}", reason(&error)), "name litmus files that exist");
    let text = fs::read(folder.join(file)).map_err(unreadable)?;
    let text = String::from_utf8(text)
        .map_err(|_| Failure::usage(format!("{file}: is no text in UTF-8"), "a litmus test is text"))?;
    let test = parse(&text).map_err(|error| {
        Failure::usage(format!("{file}:{error}"), "docs/limits.md says what of herd7's litmus format is understood")
    })?;
    Ok(Target { file: file.to_string(), test })
}

impl Searched<'_> {
    fn judge(&self, plan: &CheckPlan) -> Verdict {
        let bounded = self.explorer == Explorer::BOUNDED;
        judge(&Facts {
            preemptions: plan.explore.preemptions.filter(|_| bounded),
            unroll: None,
            monitors: &self.monitors,
            time: plan.time.as_deref(),
            budget: plan.budget.executions,
            interrupted_by: self.interrupted_by,
            max_events: plan.explore.limits.max_events,
            memory: plan.explore.limits.memory,
            local_seconds: plan.explore.limits.local_seconds,
            open: Open::NotRobust,
            issues: Issues::All,
            given_up: "where the model refuses what was tried",
            summary: &self.summary,
            violations: &self.violations,
            unsupported: &self.unsupported,
        })
    }

    /// The result as JSON wants it, its violations borrowed.
    fn outcome<'a>(
        &'a self,
        plan: &CheckPlan,
        verdict: &Verdict,
        kept: &'a Kept,
        entries: &'a [Entry<'a>],
    ) -> Outcome<'a> {
        let bounded = self.explorer == Explorer::BOUNDED;
        let states = self.outcomes.show(&self.target.test);
        Outcome {
            target: &self.target.file,
            model: self.model.name(),
            explorer: self.explorer.name(),
            preemptions: plan.explore.preemptions.filter(|_| bounded),
            unroll: None,
            monitors: &self.monitors,
            verdict: verdict.word,
            stopped_by: self.summary.stopped_by.map(stopped_by_name),
            summary: &self.summary,
            violations: entries,
            unsupported: self
                .unsupported
                .iter()
                .map(|(what, place)| Unsupported { what, file: &place.file, line: place.line, column: place.column })
                .collect(),
            litmus: Some(Litmus {
                states,
                condition: &self.target.test.condition.text,
                observation: self.outcomes.observation().name(),
                witness: kept.witness(),
            }),
        }
    }
}

/// A result, with what is kept of it.
struct Judged<'t> {
    searched: Searched<'t>,
    verdict: Verdict,
    kept: Kept,
}

/// The verdict line, the JSON, and the exit status. What could not be kept does not change the verdict.
fn conclude(
    plan: &CheckPlan,
    judged: &[Judged<'_>],
    tests: usize,
    unwritten: Result<(), Failure>,
) -> Result<Status, Failure> {
    let entries: Vec<Vec<Entry<'_>>> = judged.iter().map(entries).collect();
    let outcomes = judged.iter().zip(&entries).map(|(one, entries)| {
        let Judged { searched, verdict, kept } = one;
        searched.outcome(plan, verdict, kept, entries)
    });
    let written = write_json(&plan.json, &json::results(outcomes));
    let status = judged.iter().map(|one| one.verdict.status).fold(Status::Clean, Status::and);
    let line = match judged {
        [one] if tests == 1 => report::under(&one.verdict.line, one.searched.model),
        _ => report::verdict(judged, tests),
    };
    print_verdict(plan.screen(), &line);
    Ok(status.and(complain_about(unwritten)).and(complain_about(written)))
}

fn entries<'a>(judged: &'a Judged<'_>) -> Vec<Entry<'a>> {
    let Judged { searched, kept, .. } = judged;
    let found = kept.found().iter().zip(&searched.violations).enumerate();
    found
        .map(|(index, (kept, violation))| Entry {
            id: &kept.id,
            finding: Some(&kept.folder),
            violation,
            executions: searched.summary.violation_executions.get(index).copied().unwrap_or(1),
            consequence: None,
        })
        .collect()
}
