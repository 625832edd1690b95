//! Explores one test under one model.

use std::time::{Duration, Instant};

use engine::execution::{Ending, Execution};
use engine::explore::Finish;
use engine::explore::bounded::Bounded;
use engine::explore::rsmc::{Continue, Counts, Ended};
use engine::litmus::condition::{Outcomes, Quantifier, show};
use engine::litmus::graphs::{MemoryModel, explore};
use engine::litmus::schedules::{Fault, Schedules};
use protocol::{Kind, MonitorName, Role, Schedule, SiteUse, StoppedBy, Summary, Violation};

use super::recorder::{Recorder, monitor_of, place};
use super::{Searched, Target};
use crate::exit::Failure;
use crate::interrupt::{Cause, Interrupts};
use crate::plan::{CheckPlan, Explorer, ModelName};

/// Why a search ended before its end.
enum Stopped {
    Budget(StoppedBy),
    /// At the first violation.
    Found,
    Fault(Fault),
}

/// The budgets of a search.
struct Budget<'p> {
    plan: &'p CheckPlan,
    interrupts: &'p Interrupts,
    started: Instant,
    /// The clock is read once in so many questions.
    questions: u32,
}

impl Budget<'_> {
    /// The budget that is used up, if one is.
    fn used_up(&mut self, executions: u64) -> Option<Stopped> {
        if self.plan.budget.executions.is_some_and(|limit| executions >= limit) {
            return Some(Stopped::Budget(StoppedBy::Executions));
        }
        self.questions += 1;
        if self.questions % 256 != 1 {
            return None;
        }
        if self.interrupts.pressed() {
            return Some(Stopped::Budget(StoppedBy::Interrupt));
        }
        let limit = self.plan.budget.seconds.map(Duration::from_secs_f64);
        limit.is_some_and(|limit| self.started.elapsed() >= limit).then_some(Stopped::Budget(StoppedBy::Time))
    }
}

/// What a search has counted, and why it ended early if it did.
struct Counted {
    outcomes: Outcomes,
    summary: Summary,
    violations: Vec<Violation>,
    stopped: Option<Stopped>,
}

/// Explores a test under a model.
///
/// # Errors
/// If the engine found that the test is not deterministic, which no test is.
pub(super) fn search<'t>(
    plan: &CheckPlan,
    target: &'t Target,
    model: ModelName,
    explorer: Explorer,
    interrupts: &Interrupts,
) -> Result<Searched<'t>, Failure> {
    let monitors = match explorer {
        Explorer::Interleavings(_) => plan.explore.monitors.clone(),
        Explorer::Rsmc => Vec::new(),
    };
    let mut budget = Budget { plan, interrupts, started: Instant::now(), questions: 0 };
    let max_events = u32::try_from(plan.explore.limits.max_events).unwrap_or(u32::MAX);
    let mut counted = match explorer {
        Explorer::Interleavings(_) => interleavings(target, &monitors, max_events, &mut budget)?,
        Explorer::Rsmc => graphs(target, model, max_events, &mut budget),
    };
    counted.summary.seconds = budget.started.elapsed().as_secs_f64();
    let mut unsupported = Vec::new();
    match counted.stopped {
        None => counted.summary.complete = true,
        Some(Stopped::Found) => {}
        Some(Stopped::Budget(why)) => counted.summary.stopped_by = Some(why),
        Some(Stopped::Fault(Fault::TooManyEvents)) => counted.summary.stopped_by = Some(StoppedBy::Events),
        Some(Stopped::Fault(Fault::NoLocation { thread, instruction, address })) => {
            let instruction = &target.test.threads[thread].instructions[instruction];
            let what = format!("`{}` at address {address}, where no location is,", instruction.text);
            unsupported.push((what, place(target, instruction.position)));
        }
        Some(Stopped::Fault(Fault::Endless { thread, instruction })) => {
            counted.violations.push(endless(target, thread, instruction));
            counted.summary.violation_executions.push(1);
        }
    }
    if let Some(violation) = condition(target, &counted.outcomes, counted.summary.complete) {
        counted.violations.push(violation);
        counted.summary.violation_executions.push(failing(target, &counted.outcomes));
    }
    let Counted { outcomes, summary, violations, .. } = counted;
    let interrupted_by = interrupts.cause().map_or("a signal", Cause::name);
    Ok(Searched { target, model, explorer, monitors, summary, outcomes, violations, unsupported, interrupted_by })
}

fn no_summary() -> Summary {
    Summary { stopped_by: None, ..crate::report::verdict::nothing_explored() }
}

fn interleavings(
    target: &Target,
    monitors: &[MonitorName],
    max_events: u32,
    budget: &mut Budget<'_>,
) -> Result<Counted, Failure> {
    let mut execution = Execution::new(Box::new(Bounded::new(budget.plan.explore.preemptions)));
    let mut schedules = Schedules::new(&target.test, max_events);
    let mut watching = engine::monitor::monitors(&monitors.iter().map(|&name| monitor_of(name)).collect::<Vec<_>>());
    let mut recorder = Recorder::new(target, monitors, budget.started);
    let mut outcomes = Outcomes::default();
    let mut reports = Vec::new();
    let mut stopped = None;
    while stopped.is_none() && execution.begin() {
        stopped = budget.used_up(recorder.executions);
        if stopped.is_some() {
            break;
        }
        recorder.begin();
        reports.clear();
        watching.iter_mut().for_each(|monitor| monitor.begin());
        let ending = schedules.run(&mut execution, &mut |event, locations| {
            recorder.event(event);
            for monitor in &mut watching {
                monitor.event(event, locations, &mut reports);
            }
        });
        match ending {
            Ok(Ending::Complete) => {
                outcomes.count(&target.test, &schedules.state());
                recorder.end(&execution, &reports);
                execution.finish(Finish::Done);
            }
            Ok(ending) => return Err(Failure::internal(format!("an interleaving ended with {ending:?}"))),
            Err(fault) => stopped = Some(Stopped::Fault(fault)),
        }
        if budget.plan.explore.stop_at_first && !recorder.violations.is_empty() {
            stopped = Some(Stopped::Found);
        }
    }
    let summary = Summary {
        executions: recorder.executions,
        runs: recorder.executions,
        events: recorder.events,
        by_bound: std::mem::take(&mut recorder.by_bound),
        monitors: recorder.monitor_counts(),
        violation_executions: std::mem::take(&mut recorder.violation_executions),
        ..no_summary()
    };
    Ok(Counted { outcomes, summary, violations: recorder.violations, stopped })
}

fn graphs(target: &Target, model: ModelName, max_events: u32, budget: &mut Budget<'_>) -> Counted {
    let model = match model {
        ModelName::Sc => MemoryModel::Sc,
        ModelName::Tso => MemoryModel::Tso,
        ModelName::Pso => MemoryModel::Pso,
        ModelName::Power => MemoryModel::Power,
    };
    let mut outcomes = Outcomes::default();
    let mut stopped = budget.used_up(0);
    let mut executions = 0;
    let (counts, result) = if stopped.is_some() {
        (Counts::default(), Ok(()))
    } else {
        explore(&target.test, model, max_events, &mut |state| {
            outcomes.count(&target.test, &state);
            executions += 1;
            stopped = budget.used_up(executions);
            if budget.plan.explore.stop_at_first && condition(target, &outcomes, false).is_some() {
                stopped = Some(Stopped::Found);
            }
            if stopped.is_some() { Continue::Stop } else { Continue::Yes }
        })
    };
    match result {
        Ok(()) | Err(Ended::Stopped) => {}
        Err(Ended::Fault(fault)) => stopped = Some(Stopped::Fault(fault)),
        Err(Ended::TooManyEvents) => stopped = Some(Stopped::Fault(Fault::TooManyEvents)),
    }
    let summary = Summary {
        executions: counts.executions,
        blocked: counts.blocked,
        runs: counts.executions + counts.blocked,
        events: counts.events,
        ..no_summary()
    };
    Counted { outcomes, summary, violations: Vec::new(), stopped }
}

/// How many executions fail a condition that all have to satisfy.
fn failing(target: &Target, outcomes: &Outcomes) -> u64 {
    match target.test.condition.quantifier {
        Quantifier::Exists => 0,
        Quantifier::NotExists => outcomes.positive,
        Quantifier::Forall => outcomes.negative,
    }
}

/// That a condition which is to hold does not. That an outcome exists is a question, not a demand.
fn condition(target: &Target, outcomes: &Outcomes, complete: bool) -> Option<Violation> {
    let condition = &target.test.condition;
    if failing(target, outcomes) == 0 {
        return None;
    }
    let wanted = condition.quantifier == Quantifier::Forall;
    let state = outcomes.states.keys().find(|state| condition.proposition.holds(state) != wanted)?;
    let some = if complete { "" } else { "already " };
    Some(Violation {
        kind: Kind::Assertion,
        monitor: None,
        message: format!(
            "{} does not hold: {some}an execution ends with {}",
            condition.text,
            show(&target.test, state)
        ),
        sites: vec![SiteUse {
            role: Role::At,
            thread: 0,
            place: place(target, condition.position),
            function: String::new(),
            operation: "condition".to_string(),
            expression: condition.text.clone(),
        }],
        events: None,
        program_counter: None,
        schedule: Schedule::default(),
    })
}

fn endless(target: &Target, thread: usize, instruction: usize) -> Violation {
    let instruction = &target.test.threads[thread].instructions[instruction];
    Violation {
        kind: Kind::Livelock,
        monitor: None,
        message: "a loop without an access to memory has no end".to_string(),
        sites: vec![SiteUse {
            role: Role::At,
            thread: u32::try_from(thread).unwrap_or(u32::MAX),
            place: place(target, instruction.position),
            function: format!("P{thread}"),
            operation: "loop".to_string(),
            expression: instruction.text.clone(),
        }],
        events: None,
        program_counter: None,
        schedule: Schedule::default(),
    }
}
