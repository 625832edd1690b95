//! The run of an execution of a litmus test again, for its trace, or as the command `replay`.

use std::path::Path;
use std::time::Instant;

use engine::event::Thread;
use engine::execution::Execution;
use engine::explore::replay::Replay;
use engine::explore::rsmc::Ended;
use engine::graph::EventId;
use litmus::graphs::{Finished, Outcome, follow};
use litmus::schedules::Fault;
use protocol::{Finding, Graph, MonitorName, Schedule, Trace, Violation};

use super::executions::{self, failure, race, witness};
use super::recorder::COVERAGE;
use super::search::WatchedSchedules;
use super::target::{Named, TestFile, read};
use crate::exit::{Failure, Status};
use crate::plan::replay::{ReplayMode, ReplayPlan};
use crate::replayed::{not_followed, present};
use crate::report::names::full_place;
use crate::screen::Screen;

/// The most waiting stores that are shown.
const LANE: usize = 32;

/// Returns the trace of an execution, with what is wrong with it.
///
/// # Errors
/// If the test has no such execution; the error says why.
pub(super) fn again(
    target: &TestFile,
    schedule: &Schedule,
    monitors: &[MonitorName],
    max_events: u64,
) -> Result<Trace, String> {
    match &schedule.graph {
        Some(graph) => graph_again(target, graph),
        None => interleaving_again(target, schedule, monitors, max_events),
    }
}

/// Returns the findings in an execution that lie in how it ends, an answer to the test's question among them.
fn endings(target: &TestFile, outcome: &Outcome) -> Vec<Violation> {
    failure(target, outcome).into_iter().chain(witness(target, outcome)).collect()
}

/// Returns the findings in an execution graph.
fn found(target: &TestFile, finished: &Finished<'_>) -> Vec<Violation> {
    endings(target, &finished.outcome).into_iter().chain(race(target, finished)).collect()
}

fn graph_again(target: &TestFile, graph: &Graph) -> Result<Trace, String> {
    let names = graph.events.iter().map(|event| EventId::new(event.thread as usize, event.index as usize));
    let commits: Vec<(EventId, usize)> = names.zip(graph.commits()).collect();
    let mut violations = Vec::new();
    let mut same = false;
    let followed = follow(&target.test, graph.model, &commits, &mut |finished| {
        violations = found(target, &finished);
        same = executions::graph(target, graph.model, &finished).graph.as_ref() == Some(graph);
    });
    match followed {
        Ok(Ok(())) if same => {
            let events = graph.events.iter().map(executions::of_graph).collect();
            Ok(Trace { events, violations })
        }
        Ok(Ok(())) => Err("its execution has other events".to_string()),
        Ok(Err(number)) => Err(format!("event {number} of the graph cannot happen")),
        Err(Ended::TooManyEvents) => Err("the graph has too many events".to_string()),
        Err(Ended::Stopped | Ended::Strayed | Ended::Fault(_)) => Err("the test does what cannot be done".to_string()),
    }
}

fn interleaving_again(
    target: &TestFile,
    schedule: &Schedule,
    monitors: &[MonitorName],
    max_events: u64,
) -> Result<Trace, String> {
    let performers = schedule.segments.iter().flat_map(|segment| {
        let count = usize::try_from(segment.events.min(max_events)).unwrap_or(usize::MAX);
        std::iter::repeat_n(Thread::from_index(segment.thread as usize), count)
    });
    let mut execution = Execution::new(Box::new(Replay::new(performers.collect(), Vec::new())));
    execution.begin();
    let max_events = u32::try_from(max_events).unwrap_or(u32::MAX);
    let mut watched = WatchedSchedules::new(target, monitors, max_events, Instant::now());
    let mut events = Vec::new();
    let ran = watched.run(&mut execution, &mut |happened, watching| {
        let waiting = |&name: &MonitorName| {
            let pending = watching.iter_mut().flat_map(|monitor| monitor.pending(name.method(COVERAGE), LANE));
            pending.map(u64::from).collect()
        };
        let pending = monitors.iter().map(waiting).collect();
        events.extend(executions::of_schedule(target, happened, pending));
    });
    let outcome = match ran {
        Ok(Some(outcome)) => outcome,
        Ok(None) => return Err("a thread of the schedule cannot go on".to_string()),
        Err(Fault::TooManyEvents) => return Err("it has more events than its limit".to_string()),
        Err(_) => return Err("the test does what cannot be done".to_string()),
    };
    if executions::schedule(target, &watched.recorder.events_now) != *schedule {
        return Err("other events happened".to_string());
    }
    let mut violations = std::mem::take(&mut watched.recorder.violations);
    violations.extend(endings(target, &outcome));
    Ok(Trace { events, violations })
}

/// Runs the execution of a finding, and shows it.
///
/// # Errors
/// If the test cannot be read.
pub(crate) fn replay(finding: &Finding, plan: &ReplayPlan, screen: Screen) -> Result<Status, Failure> {
    if plan.mode == ReplayMode::Gdb {
        return Err(Failure::usage("--gdb does not fit litmus tests", "--step shows one event after the other"));
    }
    let [name] = &finding.program.target[..] else { return Err(Failure::internal("a test is one file")) };
    let target = match read(Path::new(&finding.program.directory), Path::new(name))? {
        Named::Test(target) => target,
        Named::Refused(refused) => {
            let help = "it was understood when the finding was made: check it again";
            return Err(Failure::usage(format!("{}: {}", full_place(&refused.place), refused.what), help));
        }
    };
    let monitors = &finding.monitors;
    match again(&target, &finding.violation.schedule, monitors, finding.limits.max_events) {
        Ok(trace) => Ok(present(finding, &trace, plan, screen)),
        Err(words) => {
            screen.print_verdict(&not_followed(&words));
            Ok(Status::Clean)
        }
    }
}
