//! The command `fencehound check` on litmus tests: each is read, explored in this process under each model, and judged.
//!
//! [`target`] reads a test; [`search`] explores it under one model ([`searched`]); [`recorder`] counts what monitors report;
//! [`executions`] turns executions into what findings keep; [`again`] runs one again; [`kept`] keeps findings; [`judged`] is a
//! result, [`refused`] that of a test that is not understood, and [`report`] the text of either.

mod again;
mod executions;
mod judged;
mod kept;
mod recorder;
mod refused;
mod report;
mod search;
mod searched;
mod target;

use std::path::{Path, PathBuf};

pub(crate) use again::replay;
use judged::{Answer, Judged, entries};
use kept::{Keeper, Kept, KeptFinding};
use protocol::{MemoryModel, StoppedBy};
use refused::Refused;

use crate::exit::{Failure, Status};
use crate::findings::Findings;
use crate::interrupt::Interrupts;
use crate::json::{Entry, Outcome};
use crate::outputs;
use crate::plan::check::CheckPlan;
use crate::plan::explorer::Explored;
use crate::report::excerpt::Sources;
use crate::report::gcc;
use crate::report::verdict::Verdict;
use crate::screen::{Volume, complain, complain_about};
use crate::values::Format;
use searched::Searched;
use target::{Named, TestFile};

/// Runs the command.
pub(crate) fn run(plan: &CheckPlan, files: &[PathBuf]) -> Status {
    check(plan, files).unwrap_or_else(|failure| {
        complain(&failure);
        failure.status
    })
}

fn check(plan: &CheckPlan, files: &[PathBuf]) -> Result<Status, Failure> {
    let targets = files.iter().map(|file| target::read(Path::new(""), file)).collect::<Result<Vec<_>, _>>()?;
    let targets =
        targets.into_iter().map(|named| Ok((models_of(plan, &named)?, named))).collect::<Result<Vec<_>, _>>()?;
    let findings = Findings::prepare(&plan.out)?;
    outputs::prepare(plan)?;
    let interrupts =
        Interrupts::listen().map_err(|error| Failure::internal(format!("signals cannot be handled: {error}")))?;
    findings.clear()?;
    let mut keeper = Keeper::new(plan, &findings, targets.len())?;
    let mut answers = Vec::new();
    'targets: for (models, named) in &targets {
        match named {
            Named::Refused(refused) => {
                if plan.volume != Volume::Quiet {
                    plan.screen().print(&report::refused(refused));
                }
                answers.extend(
                    models.iter().map(|&(model, how)| Answer::Refused(Box::new(Refused::new(refused, model, how)))),
                );
            }
            Named::Test(target) => {
                for &explored in models {
                    let one = explore(plan, target, explored, (&mut keeper, &interrupts))?;
                    let ended = one.searched.summary.stopped_by == Some(StoppedBy::Interrupt);
                    answers.push(Answer::Explored(Box::new(one)));
                    if ended {
                        break 'targets;
                    }
                }
            }
        }
    }
    conclude(plan, &answers, targets.len(), keeper.unwritten())
}

/// Explores a test under a model, keeps what was found, and shows it.
fn explore<'t>(
    plan: &CheckPlan,
    target: &'t TestFile,
    (model, explorer): Explored,
    (keeper, interrupts): (&mut Keeper<'_>, &Interrupts),
) -> Result<Judged<'t>, Failure> {
    let searched = search::search(plan, target, model, explorer, interrupts)?;
    let verdict = searched.judge(plan);
    let kept = keeper.keep(&searched)?;
    show(plan, &searched, &verdict, &kept);
    Ok(Judged { searched, verdict, kept })
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

/// Returns the models under which a test is explored: those that are asked for or, where all machines are, those of them under
/// which its instructions mean something.
///
/// # Errors
/// If they mean nothing under a model that is asked for by name.
fn models_of(plan: &CheckPlan, named: &Named) -> Result<Vec<Explored>, Failure> {
    let Some(architecture) = named.architecture() else { return Ok(plan.models.clone()) };
    let is_asked = |wanted: &MemoryModel| plan.models.iter().any(|(model, _)| model == wanted);
    let are_all = MemoryModel::MACHINES.iter().all(is_asked);
    let (fitting, foreign): (Vec<Explored>, Vec<Explored>) =
        plan.models.iter().partition(|(model, _)| architecture.models().contains(model));
    match foreign.first() {
        Some((model, _)) if !are_all => Err(Failure::usage(
            format!("{}: model `{}` does not fit tests for {}", named.file(), model.name(), architecture.name()),
            format!(
                "available for them are {}, and all, which is those of each test",
                architecture.models().iter().map(|model| model.name()).collect::<Vec<_>>().join(", ")
            ),
        )),
        _ => Ok(fitting),
    }
}

/// The verdict line, the results for machines, and the exit status. What could not be kept does not change the verdict.
fn conclude(
    plan: &CheckPlan,
    answers: &[Answer<'_>],
    tests: usize,
    unwritten: Result<(), Failure>,
) -> Result<Status, Failure> {
    let entries: Vec<Vec<Entry<'_>>> = answers.iter().map(entries).collect();
    let outcomes: Vec<Outcome<'_>> = answers.iter().zip(&entries).map(|(one, entries)| one.outcome(entries)).collect();
    let status = answers.iter().map(|one| one.verdict().status).fold(Status::Clean, Status::and);
    let written = outputs::write(plan, &outcomes, status, &mut Sources::new([PathBuf::new()]));
    let line = match answers {
        [one] if tests == 1 => searched::under(&one.verdict().line, one.model()),
        _ => report::verdict(answers, tests),
    };
    if answers.iter().any(|one| one.explored().is_none()) {
        complain(&format!("help: {}", refused::HELP));
    }
    plan.screen().print_verdict(&line);
    Ok(status.and(complain_about(unwritten)).and(complain_about(written)))
}
