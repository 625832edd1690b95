//! The command `fencehound check` on litmus tests: each is read, explored in this process under each model, and judged.
//!
//! [`target`] reads a test; [`search`] explores it under one model ([`searched`]); [`recorder`] counts what monitors report;
//! [`executions`] turns executions into what findings keep; [`again`] runs one again; [`kept`] keeps findings; [`judged`] is a
//! result, and [`report`] its text.

mod again;
mod executions;
mod judged;
mod kept;
mod recorder;
mod report;
mod search;
mod searched;
mod target;

use std::path::{Path, PathBuf};

pub(crate) use again::replay;
use judged::{Judged, entries};
use kept::Keeper;
use protocol::StoppedBy;

use crate::exit::{Failure, Status};
use crate::findings::Findings;
use crate::interrupt::Interrupts;
use crate::json::{self, Entry};
use crate::plan::check::CheckPlan;
use crate::screen::{complain, complain_about};
use target::TestFile;

/// Runs the command.
pub(crate) fn run(plan: &CheckPlan, files: &[PathBuf]) -> Status {
    check(plan, files).unwrap_or_else(|failure| {
        complain(&failure);
        failure.status
    })
}

fn check(plan: &CheckPlan, files: &[PathBuf]) -> Result<Status, Failure> {
    let targets = files.iter().map(|file| target::read(Path::new(""), file)).collect::<Result<Vec<_>, _>>()?;
    for target in &targets {
        fits(plan, target)?;
    }
    let findings = Findings::prepare(&plan.out)?;
    plan.json.prepare()?;
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

/// Checks that the instructions of a test mean something under the models.
fn fits(plan: &CheckPlan, target: &TestFile) -> Result<(), Failure> {
    let architecture = target.test.architecture;
    match plan.models.iter().find(|(model, _)| !architecture.models().contains(model)) {
        None => Ok(()),
        Some((model, _)) => Err(Failure::usage(
            format!("{}: model `{}` does not fit tests for {}", target.file, model.name(), architecture.name()),
            format!(
                "available for them are {}",
                architecture.models().iter().map(|model| model.name()).collect::<Vec<_>>().join(", ")
            ),
        )),
    }
}

/// Prints the verdict line, writes the JSON, and returns the exit status. What could not be kept does not change the verdict.
fn conclude(
    plan: &CheckPlan,
    judged: &[Judged<'_>],
    tests: usize,
    unwritten: Result<(), Failure>,
) -> Result<Status, Failure> {
    let entries: Vec<Vec<Entry<'_>>> = judged.iter().map(entries).collect();
    let outcomes = judged.iter().zip(&entries).map(|(one, entries)| one.outcome(plan, entries));
    let written = plan.json.write(&json::results(outcomes));
    let status = judged.iter().map(|one| one.verdict.status).fold(Status::Clean, Status::and);
    let line = match judged {
        [one] if tests == 1 => report::under(&one.verdict.line, one.searched.model),
        _ => report::verdict(judged, tests),
    };
    plan.screen().print_verdict(&line);
    Ok(status.and(complain_about(unwritten)).and(complain_about(written)))
}
