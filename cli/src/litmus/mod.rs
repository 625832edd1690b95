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
use target::{Named, RefusedFile, TestFile};

/// Runs the command.
pub(crate) fn run(plan: &CheckPlan, files: &[PathBuf]) -> Status {
    check(plan, files).unwrap_or_else(|failure| {
        complain(&failure);
        failure.status
    })
}

fn check(plan: &CheckPlan, files: &[PathBuf]) -> Result<Status, Failure> {
    let targets = files.iter().map(|file| target::read(Path::new(""), file)).collect::<Result<Vec<_>, _>>()?;
    fit(plan, &targets)?;
    let targets: Vec<(Models, Named)> = targets.into_iter().map(|named| (Models::of(plan, &named), named)).collect();
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
                let foreign = models.foreign.iter().map(|(explored, _)| explored);
                answers.extend(models.fitting.iter().chain(foreign).map(|&explored| refuse(refused, explored)));
            }
            Named::Test(target) => {
                for (explored, refused) in &models.foreign {
                    if plan.volume != Volume::Quiet {
                        plan.screen().print(&report::refused(refused));
                    }
                    answers.push(refuse(refused, *explored));
                }
                for &explored in &models.fitting {
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

/// The result of a test that is refused under a model.
fn refuse<'t>(refused: &'t RefusedFile, (model, explorer): Explored) -> Answer<'t> {
    Answer::Refused(Box::new(Refused::new(refused, model, explorer)))
}

/// The models that are asked for, as a test has them or not.
struct Models {
    /// The models under which the test's instructions mean something.
    fitting: Vec<Explored>,
    /// The others, each with what is refused; none where all machines are asked for.
    foreign: Vec<(Explored, RefusedFile)>,
}

impl Models {
    /// Makes those of a test.
    fn of(plan: &CheckPlan, named: &Named) -> Models {
        let Some(architecture) = named.architecture() else {
            return Models { fitting: plan.models.clone(), foreign: Vec::new() };
        };
        let (fitting, foreign): (Vec<Explored>, Vec<Explored>) =
            plan.models.iter().partition(|(model, _)| architecture.models().contains(model));
        let foreign = foreign.into_iter().filter(|_| !asks_for_all(plan));
        Models { fitting, foreign: foreign.map(|explored| (explored, target::under(named, explored.0))).collect() }
    }
}

/// Whether all machines are asked for, which means those of each test.
fn asks_for_all(plan: &CheckPlan) -> bool {
    MemoryModel::are_all_machines(plan.models.iter().map(|&(model, _)| model))
}

/// Looks whether each model that is asked for means something for some of the tests.
///
/// # Errors
/// If one means nothing for any of them.
fn fit(plan: &CheckPlan, targets: &[Named]) -> Result<(), Failure> {
    let has = |named: &Named, model| named.architecture().is_none_or(|one| one.models().contains(&model));
    let foreign = |&&(model, _): &&Explored| !targets.iter().any(|named| has(named, model));
    let first = plan.models.iter().find(foreign).filter(|_| !asks_for_all(plan));
    let tested = targets.first().and_then(|named| Some((named, named.architecture()?)));
    let Some((&(model, _), (named, architecture))) = first.zip(tested) else { return Ok(()) };
    Err(Failure::usage(
        format!("{}: model `{}` does not fit tests for {}", named.file(), model.name(), architecture.name()),
        format!("available for them are {}, and all, which is those of each test", target::models(architecture)),
    ))
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
