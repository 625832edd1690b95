//! The exploration of one test under one model.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use engine::atomicity::Fencing;
use engine::execution::{Ending, Execution};
use engine::explore::Finish;
use engine::explore::bounded::Bounded;
use engine::explore::rsmc::{Continue, Counts, Ended};
use engine::monitor::{Monitor, Report};
use litmus::condition::State;
use litmus::graphs::{Outcome, explore};
use litmus::outcomes::Outcomes;
use litmus::schedules::{Fault, Happened, Schedules};
use protocol::{Causality, Grounds, MemoryModel, MonitorName, Schedule, StoppedBy, Summary, Violation};

use super::executions::{self, failure, place, race, witness};
use super::recorder::{COVERAGE, Recorder};
use super::searched::Searched;
use super::target::TestFile;
use crate::exit::Failure;
use crate::interrupt::{Cause, Interrupts};
use crate::plan::check::CheckPlan;
use crate::plan::explorer::Explorer;

/// The assumption of a search about some read-modify-writes (docs/limits.md, "ARMv8, RISC-V and C11").
const AS_ONE: &str = "executions in which a read-modify-write reads before what its write waits for are missed";

/// The reason why a search ended before its end.
enum Stopped {
    Budget(StoppedBy),
    /// The search ended at the first violation.
    Found,
    Fault(Fault),
}

/// The budgets of a search.
struct LitmusBudget<'p> {
    plan: &'p CheckPlan,
    interrupts: &'p Interrupts,
    started: Instant,
    /// The number of questions asked; the clock is read only for some of them.
    questions: u32,
}

impl LitmusBudget<'_> {
    /// Returns the budget that is used up, if one is.
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

/// The identity of a failure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fails {
    /// The condition does not hold.
    Condition,
    /// A loop of this thread, at this instruction, has no end.
    Endless(usize, usize),
    /// These instructions of these threads race.
    Race([(usize, usize); 2]),
}

/// The failures of executions, each with the first execution that showed it.
#[derive(Default)]
struct Failures {
    known: BTreeMap<Fails, usize>,
    violations: Vec<Violation>,
    executions: Vec<u64>,
    /// What all executions that show each have in common.
    grounds: Vec<Grounds>,
    /// The first execution that has what the condition asks for, if the condition is a question.
    witness: Option<Violation>,
}

impl Failures {
    /// Takes in the end of an execution.
    fn see(&mut self, target: &TestFile, outcome: &Outcome, grounds: &Grounds, schedule: &dyn Fn() -> Schedule) {
        let what = match *outcome {
            Outcome::Final(_) => Fails::Condition,
            Outcome::Endless { thread, instruction } => Fails::Endless(thread, instruction),
        };
        if self.witness.is_none()
            && let Some(witness) = witness(target, outcome)
        {
            self.witness = Some(Violation { schedule: schedule(), ..witness });
        }
        if let Some(violation) = failure(target, outcome) {
            self.take(what, violation, grounds, schedule);
        }
    }

    /// Takes in that an execution fails in this way.
    fn take(&mut self, what: Fails, violation: Violation, grounds: &Grounds, schedule: &dyn Fn() -> Schedule) {
        let next = self.violations.len();
        let number = *self.known.entry(what).or_insert(next);
        if number == next {
            self.violations.push(Violation { schedule: schedule(), ..violation });
            self.executions.push(0);
            self.grounds.push(grounds.clone());
        }
        self.executions[number] += 1;
        self.grounds[number].join(grounds);
    }
}

/// The counts of a search, and the reason why it ended early if it did.
struct Counted {
    outcomes: Outcomes,
    /// The final states that only executions have in which program order and reads-from have a cycle.
    circular: BTreeSet<State>,
    summary: Summary,
    violations: Vec<Violation>,
    failures: Failures,
    stopped: Option<Stopped>,
}

/// Explores a test under a model.
///
/// # Errors
/// If the engine found that the test is not deterministic, which no test is.
pub(super) fn search<'t>(
    plan: &CheckPlan,
    target: &'t TestFile,
    model: MemoryModel,
    explorer: Explorer,
    interrupts: &Interrupts,
) -> Result<Searched<'t>, Failure> {
    let monitors = match explorer {
        Explorer::Interleavings(_) | Explorer::Auto(_) => plan.explore.monitors.clone(),
        Explorer::Rsmc => Vec::new(),
    };
    let mut budget = LitmusBudget { plan, interrupts, started: Instant::now(), questions: 0 };
    let mut counted = match explorer {
        Explorer::Interleavings(_) | Explorer::Auto(_) => interleavings(target, &monitors, &mut budget)?,
        Explorer::Rsmc => graphs(target, model, &mut budget),
    };
    counted.summary.seconds = budget.started.elapsed().as_secs_f64();
    let mut unsupported = Vec::new();
    match counted.stopped {
        None => counted.summary.complete = true,
        // A loop without an end is among the failures already.
        Some(Stopped::Found | Stopped::Fault(Fault::Endless { .. })) => {}
        Some(Stopped::Budget(why)) => counted.summary.stopped_by = Some(why),
        Some(Stopped::Fault(Fault::TooManyEvents)) => counted.summary.stopped_by = Some(StoppedBy::Events),
        Some(Stopped::Fault(Fault::NoLocation { thread, instruction, address })) => {
            let instruction = &target.test.threads[thread].instructions[instruction];
            let what = format!("`{}` at address {address}, where no location is,", instruction.text);
            unsupported.push((what, place(target, instruction.position)));
        }
    }
    let Counted { outcomes, circular, mut summary, mut violations, failures, .. } = counted;
    violations.extend(failures.violations);
    summary.violation_executions.extend(failures.executions);
    summary.grounds.extend(failures.grounds);
    let interrupted_by = interrupts.cause().map_or("a signal", Cause::name);
    let witness = failures.witness;
    Ok(Searched {
        target,
        model,
        explorer,
        preemptions: plan.explore.preemptions.filter(|_| explorer == Explorer::BOUNDED),
        monitors,
        summary,
        outcomes,
        circular,
        violations,
        witness,
        unsupported,
        interrupted_by,
    })
}

/// Returns the limit of events of an execution.
fn max_events(plan: &CheckPlan) -> u32 {
    u32::try_from(plan.explore.limits.max_events).unwrap_or(u32::MAX)
}

fn no_summary() -> Summary {
    Summary { stopped_by: None, ..Summary::nothing() }
}

/// The monitors that watch a test.
type Monitors = Vec<Box<dyn Monitor>>;

/// The runner of interleavings, one after the other, watched by monitors.
pub(super) struct WatchedSchedules<'t> {
    schedules: Schedules<'t>,
    monitors: Monitors,
    reports: Vec<Report>,
    pub(super) recorder: Recorder<'t>,
}

impl<'t> WatchedSchedules<'t> {
    /// Makes a runner that has run nothing.
    pub(super) fn new(target: &'t TestFile, monitors: &[MonitorName], max_events: u32, started: Instant) -> Self {
        let methods: Vec<MonitorName> = monitors.iter().map(|name| name.method(COVERAGE)).collect();
        Self {
            schedules: Schedules::new(&target.test, max_events),
            monitors: engine::monitor::by_name::monitors(&methods, Fencing::Unproved),
            reports: Vec::new(),
            recorder: Recorder::new(target, monitors, started),
        }
    }

    /// Runs the interleaving that has begun, gives each event to `watch` when the monitors have seen it, and returns how the
    /// interleaving ends, if the test can do what the explorer asks for.
    ///
    /// # Errors
    /// If the interleaving has no end; the error says why.
    pub(super) fn run(
        &mut self,
        execution: &mut Execution,
        watch: &mut dyn FnMut(&Happened, &mut Monitors),
    ) -> Result<Option<Outcome>, Fault> {
        let Self { schedules, monitors, reports, recorder } = self;
        recorder.begin();
        reports.clear();
        monitors.iter_mut().for_each(|monitor| monitor.begin());
        let ending = schedules.run(execution, &mut |happened| {
            recorder.event(happened);
            for monitor in monitors.iter_mut() {
                monitor.event(&happened.event, happened.location.as_slice(), reports);
            }
            watch(happened, monitors);
        });
        match ending {
            Ok(Ending::Complete) => {
                recorder.end(execution, reports);
                Ok(Some(Outcome::Final(schedules.state())))
            }
            Ok(_) => Ok(None),
            Err(Fault::Endless { thread, instruction }) => Ok(Some(Outcome::Endless { thread, instruction })),
            Err(fault) => Err(fault),
        }
    }
}

fn interleavings(
    target: &TestFile,
    monitors: &[MonitorName],
    budget: &mut LitmusBudget<'_>,
) -> Result<Counted, Failure> {
    let mut execution = Execution::new(Box::new(Bounded::new(budget.plan.explore.preemptions)));
    let mut watched = WatchedSchedules::new(target, monitors, max_events(budget.plan), budget.started);
    let (mut outcomes, mut failures) = (Outcomes::default(), Failures::default());
    let mut stopped = None;
    while stopped.is_none() && execution.begin() {
        stopped = budget.used_up(watched.recorder.executions);
        if stopped.is_some() {
            break;
        }
        match watched.run(&mut execution, &mut |_, _| {}) {
            Err(fault) => stopped = Some(Stopped::Fault(fault)),
            Ok(None) => return Err(Failure::internal("an interleaving did not begin as the one before it")),
            Ok(Some(outcome)) => {
                failures.see(target, &outcome, &Grounds::default(), &|| {
                    executions::schedule(target, &watched.recorder.events_now)
                });
                match outcome {
                    Outcome::Final(state) => {
                        outcomes.count(&target.test, &state);
                        execution.finish(Finish::Done);
                    }
                    Outcome::Endless { .. } => stopped = Some(Stopped::Found),
                }
            }
        }
        let found = !watched.recorder.violations.is_empty() || !failures.violations.is_empty();
        if budget.plan.explore.stop_at_first && found && stopped.is_none() {
            stopped = Some(Stopped::Found);
        }
    }
    let recorder = &mut watched.recorder;
    let summary = Summary {
        executions: recorder.executions,
        runs: recorder.executions,
        events: recorder.events,
        by_bound: std::mem::take(&mut recorder.by_bound),
        monitors: recorder.monitor_counts(),
        violation_executions: std::mem::take(&mut recorder.violation_executions),
        ..no_summary()
    };
    let violations = std::mem::take(&mut recorder.violations);
    Ok(Counted { outcomes, circular: BTreeSet::new(), summary, violations, failures, stopped })
}

fn graphs(target: &TestFile, model: MemoryModel, budget: &mut LitmusBudget<'_>) -> Counted {
    let (mut outcomes, mut failures) = (Outcomes::default(), Failures::default());
    let mut stopped = budget.used_up(0);
    let (mut executions, mut waits_as_one, mut circular) = (0, false, BTreeSet::new());
    // What C11 leaves out is said of tests that it has.
    let is_compared = target.test.architecture.models().contains(&MemoryModel::C11);
    let (counts, result) = if stopped.is_some() {
        (Counts::default(), Ok(()))
    } else {
        explore(&target.test, model, max_events(budget.plan), &mut |finished| {
            let schedule = || executions::graph(target, model, &finished);
            let causality = if is_compared { finished.causality() } else { Causality::Causal };
            let grounds = Grounds { circular: causality == Causality::Circular, ..Grounds::default() };
            failures.see(target, &finished.outcome, &grounds, &schedule);
            if let (Some(what), Some(violation)) = (finished.race, race(target, &finished)) {
                failures.take(Fails::Race(what), violation, &grounds, &schedule);
            }
            if let Outcome::Final(state) = &finished.outcome {
                if causality == Causality::Causal {
                    circular.remove(state);
                } else if !outcomes.states.contains_key(state) {
                    circular.insert(state.clone());
                }
                outcomes.count(&target.test, state);
            }
            executions += 1;
            waits_as_one |= finished.waits_as_one;
            stopped = budget.used_up(executions);
            if budget.plan.explore.stop_at_first && !failures.violations.is_empty() {
                stopped = Some(Stopped::Found);
            }
            if stopped.is_some() { Continue::Stop } else { Continue::Yes }
        })
    };
    match result {
        Ok(()) | Err(Ended::Stopped) => {}
        Err(Ended::Fault(fault)) => stopped = Some(Stopped::Fault(fault)),
        Err(Ended::TooManyEvents) => stopped = Some(Stopped::Fault(Fault::TooManyEvents)),
        Err(Ended::Strayed) => unreachable!("a whole search has no units"),
    }
    let summary = Summary {
        executions: counts.executions,
        blocked: counts.blocked,
        runs: counts.executions + counts.blocked,
        events: counts.events,
        assumptions: if waits_as_one { vec![AS_ONE.to_owned()] } else { Vec::new() },
        ..no_summary()
    };
    Counted { outcomes, circular, summary, violations: Vec::new(), failures, stopped }
}
