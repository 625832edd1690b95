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
use kept::{Keeper, Kept, KeptFinding};
use protocol::StoppedBy;

use crate::exit::{Failure, Status};
use crate::findings::Findings;
use crate::interrupt::Interrupts;
use crate::json::{Entry, Outcome};
use crate::outputs;
use crate::plan::check::CheckPlan;
use crate::report::excerpt::Sources;
use crate::report::gcc;
use crate::report::verdict::Verdict;
use crate::screen::{Volume, complain, complain_about};
use crate::values::Format;
use searched::Searched;
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
    outputs::prepare(plan)?;
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
            show(plan, &searched, &verdict, &kept);
            let ended = searched.summary.stopped_by == Some(StoppedBy::Interrupt);
            judged.push(Judged { searched, verdict, kept });
            if ended {
                return conclude(plan, &judged, targets.len(), keeper.unwritten());
            }
        }
    }
    conclude(plan, &judged, targets.len(), keeper.unwritten())
}

/// Shows a result as it is wanted.
fn show(plan: &CheckPlan, searched: &Searched<'_>, verdict: &Verdict, kept: &Kept) {
    let text = match (plan.volume, plan.format) {
        (Volume::Quiet, _) => return,
        (_, Format::Text) => report::report(searched, verdict, kept),
        (_, Format::Gcc) => {
            let found = kept.found().iter().zip(&searched.violations);
            let subject = |(kept, violation): (&KeptFinding, _)| {
                gcc::finding(&kept.subject(violation, &searched.monitors), searched.model.name())
            };
            found.map(subject).collect()
        }
    };
    plan.screen().print(&text);
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

/// The verdict line, the results for machines, and the exit status. What could not be kept does not change the verdict.
fn conclude(
    plan: &CheckPlan,
    judged: &[Judged<'_>],
    tests: usize,
    unwritten: Result<(), Failure>,
) -> Result<Status, Failure> {
    let entries: Vec<Vec<Entry<'_>>> = judged.iter().map(entries).collect();
    let outcomes: Vec<Outcome<'_>> =
        judged.iter().zip(&entries).map(|(one, entries)| one.outcome(plan, entries)).collect();
    let status = judged.iter().map(|one| one.verdict.status).fold(Status::Clean, Status::and);
    let written = outputs::write(plan, &outcomes, status, &mut Sources::new([PathBuf::new()]));
    let line = match judged {
        [one] if tests == 1 => searched::under(&one.verdict.line, one.searched.model),
        _ => report::verdict(judged, tests),
    };
    plan.screen().print_verdict(&line);
    Ok(status.and(complain_about(unwritten)).and(complain_about(written)))
}
