//! The findings in a program: each violation is run again, and kept in a folder.

use protocol::{Explorer, FailureKind, Finding, Grounds, Replay, Schedule, ScheduleEnd, Trace, VERSION, Violation};

use super::acceptance::Acceptance;
use super::bench::Bench;
use super::repair::help::Help;
use super::shorter::{self, Trials};
use super::subjects::Subjects;
use crate::exit::Failure;
use crate::findings::{Findings, MARK, identify};
use crate::plan::check::CheckPlan;
use crate::program::Replayed;
use crate::report::excerpt::Sources;
use crate::report::finding::{self, Detail, Subject};
use crate::report::names::Threads;
use crate::screen::{Width, plain};
use crate::search::Exploration;

/// The most findings that are run again and shown; the others are only stored.
pub(crate) const REPLAYED: usize = 50;

/// A violation on its way to the user.
pub(crate) struct Found {
    pub(crate) id: String,
    /// The fingerprint, by which the violation is recognised; empty until all has been found.
    pub(crate) fingerprint: String,
    /// The reason why it is accepted, if it is.
    pub(crate) accepted: Option<Acceptance>,
    pub(crate) violation: Violation,
    /// What all executions that show it have in common.
    pub(crate) grounds: Grounds,
    /// The schedule with which it was found, if a shorter one has taken its place.
    original: Option<Schedule>,
    pub(crate) trace: Option<Trace>,
    pub(crate) folder: String,
    /// The advice what to do about it, if that was looked for.
    pub(crate) help: Option<Help>,
}

/// The failures after the search: the verdict stands, but the exit status changes.
#[derive(Default)]
pub(crate) struct Troubles {
    /// A finding that did not replay.
    pub(crate) internal: Option<Failure>,
    /// Sentences about findings that did not replay, of programs that reach what outlives an execution.
    pub(crate) gone: Vec<String>,
    /// A finding, a log or a checkpoint that could not be written.
    pub(crate) unwritten: Option<Failure>,
}

impl Troubles {
    /// Notes that a finding showed another execution when its schedule was run again. That is the program's doing if it may have
    /// left something to the next execution.
    fn did_not_replay(&mut self, id: &str, why: &str, exploration: &Exploration) {
        if let Some(functions) = outside(exploration) {
            self.gone.push(format!(
                "note: {id} did not come again when its schedule was run once more: {why}\nhelp: let each execution begin \
                 alike: what {functions} may reach, such as a file, outlives an execution"
            ));
        } else {
            let failure = Failure::internal(format!("finding {id} did not replay: {why}"));
            self.internal.get_or_insert(failure);
        }
    }
}

/// Names the violations and runs each again.
pub(crate) fn collect(
    plan: &CheckPlan,
    bench: Bench<'_>,
    exploration: &Exploration,
    (findings, troubles): (&Findings, &mut Troubles),
) -> Result<Vec<Found>, Failure> {
    let erratic = exploration.violations.iter().any(|violation| violation.kind == FailureKind::Nondeterministic);
    let (mut all, mut left) = (Vec::new(), Trials::default());
    let is_of_model = plan.explore.graphs.is_some() || plan.explore.machine.is_some();
    let prefix = if is_of_model { format!("{}-", plan.models[0].0.name()) } else { String::new() };
    let grounds = exploration.summary.as_ref().map_or(&[][..], |summary| &summary.grounds);
    for (index, (id, violation)) in
        identify(&exploration.violations).into_iter().zip(&exploration.violations).enumerate()
    {
        let id = format!("{prefix}{id}");
        let mut trace = None;
        if all.len() < REPLAYED && violation.kind != FailureKind::Nondeterministic {
            match run_again(plan, bench, violation)? {
                Ok(again) => trace = again,
                // A nondeterministic program cannot be expected to do anything else.
                Err(_) if erratic => {}
                Err(why) => troubles.did_not_replay(&id, &why, exploration),
            }
        }
        let folder = findings.path(&id);
        let mut found = Found {
            id,
            fingerprint: String::new(),
            accepted: None,
            violation: violation.clone(),
            grounds: grounds.get(index).cloned().unwrap_or_default(),
            original: None,
            trace,
            folder,
            help: (violation.kind == FailureKind::Race).then(Help::on_race),
        };
        found.make_shorter(plan, bench, &mut left)?;
        all.push(found);
    }
    Ok(all)
}

/// Returns the functions that the program calls and that are not watched inside, if there are some.
fn outside(exploration: &Exploration) -> Option<String> {
    let names = &exploration.summary.as_ref()?.uninstrumented;
    (!names.is_empty()).then(|| names.join(", "))
}

/// Returns the explorer by whose rules the schedule of a violation is followed.
fn explorer_of(violation: &Violation, plan: &CheckPlan) -> Explorer {
    violation.schedule.explorer.unwrap_or(plan.explore.explorer)
}

/// Returns the execution of a violation, none after Ctrl-C, or the reason why there is none.
fn run_again(
    plan: &CheckPlan,
    Bench { subjects, interrupts }: Bench<'_>,
    violation: &Violation,
) -> Result<Result<Option<Trace>, String>, Failure> {
    let job = Replay {
        version: VERSION,
        schedule: violation.schedule.clone(),
        explorer: explorer_of(violation, plan),
        monitors: plan.explore.monitors.clone(),
        limits: plan.explore.limits.clone(),
        heap: plan.explore.heap,
        end: ScheduleEnd::of(violation),
        output: false,
    };
    Ok(match subjects.program.replay(&job, interrupts)? {
        Replayed::Trace(trace) if trace.shows(violation) => Ok(Some(*trace)),
        Replayed::Trace(_) => Err("the execution does not show the violation".to_string()),
        Replayed::Diverged(words) => Err(words),
        Replayed::Interrupted => Ok(None),
    })
}

impl Found {
    /// Puts a shorter schedule in the place of that with which the violation was found, if there is one.
    fn make_shorter(&mut self, plan: &CheckPlan, bench: Bench<'_>, left: &mut Trials) -> Result<(), Failure> {
        let Some(trace) = &self.trace else { return Ok(()) };
        let run = |candidate: &Violation| Ok(run_again(plan, bench, candidate)?.ok().flatten());
        if let Some((violation, trace)) = shorter::shorten(&self.violation, trace, left, run)? {
            self.original = Some(std::mem::replace(&mut self.violation, violation).schedule);
            self.trace = Some(trace);
        }
        Ok(())
    }

    pub(crate) fn subject<'a>(&'a self, plan: &'a CheckPlan) -> Subject<'a> {
        Subject {
            id: &self.id,
            violation: &self.violation,
            trace: self.trace.as_ref(),
            monitors: &plan.explore.monitors,
            folder: &self.folder,
            help: self.help.as_ref().map_or(&[], Help::lines),
            again: &plan.again,
            threads: Threads::Created,
        }
    }
}

/// Keeps the findings in their folders.
pub(crate) fn store(
    plan: &CheckPlan,
    subjects: &Subjects,
    findings: &Findings,
    found: &[Found],
    sources: &mut Sources,
    troubles: &mut Troubles,
) {
    for one in found {
        let kept = Finding {
            fencehound: MARK.to_string(),
            version: VERSION,
            id: one.id.clone(),
            fingerprint: one.fingerprint.clone(),
            program: protocol::Program {
                directory: subjects.directory.to_string_lossy().into_owned(),
                target: plan.target.names(),
                compile_options: plan.compile_options.clone(),
                files: subjects.files.clone(),
            },
            arguments: plan.arguments.clone(),
            explorer: explorer_of(&one.violation, plan),
            monitors: plan.explore.monitors.clone(),
            limits: plan.explore.limits.clone(),
            heap: plan.explore.heap,
            violation: one.violation.clone(),
            original: one.original.clone(),
            help: one.help.as_ref().map_or_else(Vec::new, |help| help.lines().to_vec()),
        };
        let text = finding::full(&one.subject(plan), Detail::Everything, Width::Unlimited, sources);
        if let Err(failure) = findings.store(&kept, &plain(&text)) {
            troubles.unwritten.get_or_insert(failure);
            // If one cannot be written, the others cannot be either.
            return;
        }
    }
}
