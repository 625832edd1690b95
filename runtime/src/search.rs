//! The search: execution after execution, each taken into the counts, until all are done or a budget ends it.

use std::ffi::c_int;

use engine::event::Thread;
use engine::execution::{Ending, Execution, Pending, Status};
use engine::explore::Finish;
use engine::explore::bounded::Bounded;
use engine::explore::replay::Replay as ReplayStrategy;
use engine::monitor::burnim::Burnim;
use engine::monitor::{Model, Monitor};
use engine::sync::machine::Wish;
use protocol::{
    Explore, Kind, Limits, Message, MonitorName, Replay, Role, Schedule, SiteUse, StoppedBy, Summary, Trace, Wakeups,
};

use crate::faults::{self, Fault};
use crate::recorder::{Failure, Recorder, site_use};
use crate::runtime::{End, Runtime, install, with};
use crate::{control, fiber, layout, process};

/// A thread's name in messages.
fn name(thread: Thread) -> String {
    if thread == Thread::MAIN { "main".to_owned() } else { format!("T{}", thread.0) }
}

/// Which machine a monitor simulates.
const fn model_of(name: MonitorName) -> Model {
    match name {
        MonitorName::Tso | MonitorName::BurnimTso => Model::Tso,
        MonitorName::Pso | MonitorName::BurnimPso => Model::Pso,
    }
}

fn set_up(execution: Execution, names: &[MonitorName], limits: &Limits) {
    let models: Vec<(MonitorName, Model)> = names.iter().map(|&name| (name, model_of(name))).collect();
    let mut monitors: Vec<Box<dyn Monitor>> = Vec::new();
    let mut wanted: Vec<Model> = models.iter().map(|&(_, model)| model).collect();
    wanted.sort_unstable();
    wanted.dedup();
    if !wanted.is_empty() {
        monitors.push(Box::new(Burnim::new(&wanted)));
    }
    let ready = layout::map().and_then(|()| Runtime::new(execution, monitors, Recorder::new(models)));
    match ready {
        Ok(mut runtime) => {
            runtime.max_events = u32::try_from(limits.max_events).unwrap_or(u32::MAX);
            runtime.wakeups = limits.wakeups;
            install(runtime);
        }
        Err(error) => control::internal_error(&format!("address space cannot be reserved: {error}")),
    }
}

fn refuse_other_version(version: u32) {
    if version != protocol::VERSION {
        control::internal_error(&format!(
            "the program speaks version {} of the protocol, the tool version {version}: compile it again",
            protocol::VERSION
        ));
    }
}

/// Explores, and tells the tool what was found.
pub(crate) fn explore(job: &Explore) {
    refuse_other_version(job.version);
    let execution = Execution::new(Box::new(Bounded::new(job.preemptions)));
    set_up(execution, &job.monitors, &job.limits);
    faults::set_patience(job.limits.local_seconds);
    if let Err(error) = faults::install() {
        control::internal_error(&format!("signal handlers cannot be installed: {error}"));
    }
    let stopped = search(job);
    // A timer that ticks on could end the summary.
    faults::set_patience(u64::MAX);
    with(|runtime| {
        runtime.send_fresh();
        if let Stopped::Unsupported { what, place } = &stopped {
            control::send(&Message::Unsupported { what: what.clone(), place: place.clone() });
        }
        control::send(&Message::Summary(Box::new(runtime.summary(&stopped))));
    });
}

/// Why the search ended.
enum Stopped {
    Complete,
    Budget(StoppedBy),
    /// At the first violation, or at one after which going on makes no sense.
    Found,
    Unsupported {
        what: String,
        place: protocol::Place,
    },
}

fn search(job: &Explore) -> Stopped {
    let mut looked = 0;
    loop {
        if with(Runtime::begin) != Some(true) {
            return Stopped::Complete;
        }
        if let Some(stop) = with(|runtime| runtime.budget(job, &mut looked)).flatten() {
            return Stopped::Budget(stop);
        }
        fiber::run();
        faults::progress();
        let fault = faults::take();
        if let Some(stop) = with(|runtime| runtime.finish(fault, job.stop_at_first)).flatten() {
            return stop;
        }
    }
}

impl Runtime {
    /// The budget that is used up, if one is. `looked` is the tick at which the clock was last read.
    fn budget(&self, job: &Explore, looked: &mut u64) -> Option<StoppedBy> {
        if faults::interrupted() {
            return Some(StoppedBy::Interrupt);
        }
        if job.executions.is_some_and(|limit| self.recorder.executions >= limit) {
            return Some(StoppedBy::Executions);
        }
        if *looked != faults::ticks() {
            *looked = faults::ticks();
            if job.seconds.is_some_and(|limit| self.recorder.seconds() >= limit) {
                return Some(StoppedBy::Time);
            }
        }
        None
    }

    /// Takes the execution that has ended into the counts; says whether to stop.
    fn finish(&mut self, fault: Option<(Fault, u64)>, stop_at_first: bool) -> Option<Stopped> {
        if faults::interrupted() && fault.is_some_and(|(fault, _)| fault == Fault::Endless) {
            return Some(Stopped::Budget(StoppedBy::Interrupt));
        }
        // The first execution is run twice, so that a program that depends on the time or on chance is noticed.
        if self.void || (fault.is_none() && !std::mem::replace(&mut self.run_twice, true)) {
            self.execution.finish(Finish::Again);
            return None;
        }
        let end = match fault {
            Some((fault, program_counter)) => End::Failed(self.fault(fault, program_counter)),
            None => self.end.take().expect("an execution ends for a reason"),
        };
        let mut stop = None;
        match end {
            End::Assumed => self.recorder.blocked += 1,
            End::StackOverflow => {
                self.recorder.count(&self.execution, &self.reports);
                let failure = self.overflow();
                self.recorder.fail(failure, &self.execution);
            }
            End::MaxEvents => return Some(Stopped::Budget(StoppedBy::Events)),
            End::Unsupported { what, place } => return Some(Stopped::Unsupported { what, place }),
            End::Nobody(Ending::Diverged) => {
                self.recorder.count(&self.execution, &[]);
                let failure = self.diverged();
                self.recorder.fail(failure, &self.execution);
                return Some(Stopped::Found);
            }
            End::Nobody(ending) => {
                self.recorder.count(&self.execution, &self.reports);
                if let Some(failure) = self.stuck(ending) {
                    self.recorder.fail(failure, &self.execution);
                }
            }
            End::Failed(failure) => {
                self.recorder.count(&self.execution, &self.reports);
                self.recorder.fail(failure, &self.execution);
            }
        }
        self.execution.finish(Finish::Done);
        if stop_at_first && self.recorder.has_found() {
            stop = Some(Stopped::Found);
        }
        self.send_fresh();
        stop
    }

    fn send_fresh(&mut self) {
        for violation in self.recorder.fresh.drain(..) {
            control::send(&Message::Violation(Box::new(violation)));
        }
    }

    fn fault(&self, fault: Fault, program_counter: u64) -> Failure {
        let kind = if fault == Fault::Endless { Kind::Livelock } else { Kind::Crash };
        let thread = self.running;
        let at = self.threads.stands_at(thread);
        let operation = if fault == Fault::Endless { "loop" } else { "fault" };
        let sites = vec![site_use(Role::At, thread, at, operation)];
        Failure { kind, message: faults::describe(fault), sites, program_counter: Some(program_counter) }
    }

    /// The stack is used up at a hook, whose place is known.
    fn overflow(&self) -> Failure {
        let sites = vec![site_use(Role::At, self.running, self.threads.stands_at(self.running), "fault")];
        let message = faults::describe(Fault::StackOverflow);
        Failure { kind: Kind::Crash, message, sites, program_counter: None }
    }

    /// The threads that cannot go on, as a failure; none if the execution is complete.
    fn stuck(&mut self, ending: Ending) -> Option<Failure> {
        let (kind, message) = match ending {
            Ending::Complete | Ending::Diverged => return None,
            Ending::Deadlock => (Kind::Deadlock, "deadlock"),
            Ending::Livelock => (Kind::Livelock, "livelock: a wait loop that nobody can end"),
        };
        let (kind, message) = if kind == Kind::Deadlock && self.is_lost_wakeup() {
            (Kind::LostWakeup, "lost wake-up")
        } else {
            (kind, message)
        };
        let mut sites: Vec<SiteUse> = Vec::new();
        let mut parts: Vec<String> = Vec::new();
        for index in 0..self.threads.len() {
            let thread = Thread::from_index(index);
            let (operation, what) = match self.execution.status(thread) {
                Status::Arrived(Pending::Lock(object)) => {
                    let owner = self.execution.mutex(object).and_then(engine::sync::mutex::Mutex::owner);
                    let held = owner.map_or(String::new(), |owner| format!(" held by {}", name(owner)));
                    ("lock", format!("{} waits for a mutex{held}", name(thread)))
                }
                Status::Arrived(Pending::Join(other)) => {
                    ("join", format!("{} waits for the end of {}", name(thread), name(other)))
                }
                Status::Arrived(Pending::Wait(wish, _)) => self.waits_for(thread, wish),
                Status::Waiting => ("load", format!("{} waits in a loop for another value", name(thread))),
                _ => continue,
            };
            let at = self.threads.stands_at(thread);
            sites.push(site_use(Role::Waiting, thread, at, operation));
            parts.push(what);
        }
        Some(Failure { kind, message: format!("{message}: {}", parts.join("; ")), sites, program_counter: None })
    }

    /// Whether threads sleep that nobody will wake, and no thread waits for what another one holds.
    fn is_lost_wakeup(&self) -> bool {
        let mut pending = (0..self.threads.len()).filter_map(|index| {
            let thread = Thread::from_index(index);
            match self.execution.status(thread) {
                Status::Arrived(pending) => Some((thread, pending)),
                _ => None,
            }
        });
        let sleeps = |(thread, pending)| match pending {
            Pending::Wait(Wish::Wake { sleepers, .. }, _) => self.asleep(sleepers).contains(thread),
            Pending::Wait(Wish::Take(_), _) => true,
            _ => false,
        };
        let joins = |(_, pending)| matches!(pending, Pending::Join(_) | Pending::Wait(Wish::Join(_), _));
        pending.clone().any(sleeps) && pending.all(|pending| sleeps(pending) || joins(pending))
    }

    /// What a thread that cannot go on waits for.
    fn waits_for(&self, thread: Thread, wish: Wish) -> (&'static str, String) {
        let (operation, what) = match wish {
            Wish::Lock(_) => ("lock", "for a mutex".to_owned()),
            Wish::Read(_) => ("read-lock", "to read under a lock".to_owned()),
            Wish::Write(_) => ("write-lock", "to write under a lock".to_owned()),
            Wish::Take(_) => ("semaphore-wait", "for a semaphore of value 0".to_owned()),
            Wish::Cross(_) => ("barrier-leave", "for other threads at a barrier".to_owned()),
            Wish::Once(_) => ("once-enter", "for the end of a function that runs once".to_owned()),
            Wish::Wake { sleepers, mutex: Some(_) } if self.asleep(sleepers).contains(thread) => {
                ("wait", "for a signal".to_owned())
            }
            Wish::Wake { mutex: Some(_), .. } => ("wake-up", "for the mutex after its sleep".to_owned()),
            Wish::Wake { mutex: None, .. } => ("wait", "to be woken from a futex".to_owned()),
            Wish::Join(other) => ("join", format!("for the end of {}", name(other))),
        };
        (operation, format!("{} waits {what}", name(thread)))
    }

    fn diverged(&self) -> Failure {
        let (index, before) = self.execution.divergence().unwrap_or((self.execution.length(), None));
        let call = self.last_external.as_ref().map_or(String::new(), |(name, record)| {
            let place = record.place();
            format!("; the last call out of the checked program was {name} at {}:{}", place.file, place.line)
        });
        let thread = self.running;
        let was = before.map_or(String::new(), |step| format!(" (there was an operation of {})", name(step.thread)));
        let message = format!(
            "the same schedule did not give the same events: event {index} is another one than in the run before{was}{call}"
        );
        let at = self.recorder.last_site();
        Failure {
            kind: Kind::Nondeterministic,
            message,
            sites: vec![site_use(Role::At, thread, at, "other event")],
            program_counter: None,
        }
    }

    fn summary(&self, stopped: &Stopped) -> Summary {
        Summary {
            complete: matches!(stopped, Stopped::Complete),
            stopped_by: match stopped {
                Stopped::Budget(budget) => Some(*budget),
                _ => None,
            },
            executions: self.recorder.executions,
            blocked: self.recorder.blocked,
            runs: self.recorder.runs,
            events: self.recorder.events,
            seconds: self.recorder.seconds(),
            by_bound: self.recorder.by_bound(),
            monitors: self.recorder.monitor_counts(),
            violation_executions: self.recorder.violation_executions(),
            uninstrumented: self.uninstrumented.iter().cloned().collect(),
        }
    }
}

/// Runs one schedule again, and tells the tool all of it.
pub(crate) fn replay(job: &Replay) {
    refuse_other_version(job.version);
    let planned: Vec<Thread> = job
        .schedule
        .segments
        .iter()
        .filter_map(|segment| Some((Thread(u8::try_from(segment.thread).ok()?), segment.events)))
        .flat_map(|(thread, events)| std::iter::repeat_n(thread, usize::try_from(events).unwrap_or(usize::MAX)))
        .take(usize::try_from(job.limits.max_events).unwrap_or(usize::MAX))
        .collect();
    let strategy = ReplayStrategy::new(planned, job.schedule.choices.clone());
    let mut execution = Execution::new(Box::new(strategy));
    if execution.number(&job.schedule.threads).is_err() {
        control::send(&Message::Diverged("the finding's thread numbers are none".to_owned()));
        return;
    }
    set_up(execution, &job.monitors, &job.limits);
    faults::set_patience(job.limits.local_seconds);
    if let Err(error) = faults::install() {
        control::internal_error(&format!("signal handlers cannot be installed: {error}"));
    }
    with(|runtime| runtime.recorder.trace());
    loop {
        with(Runtime::begin);
        fiber::run();
        let fault = faults::take();
        let void = with(|runtime| runtime.void) == Some(true);
        if !void || fault.is_some() {
            faults::set_patience(u64::MAX);
            // SAFETY: writes out what the program printed.
            unsafe { libc::fflush(std::ptr::null_mut()) };
            with(|runtime| runtime.finish_replay(job, fault));
            return;
        }
        with(|runtime| runtime.execution.finish(Finish::Again));
    }
}

impl Runtime {
    fn finish_replay(&mut self, job: &Replay, fault: Option<(Fault, u64)>) {
        if let Some(End::Unsupported { what, place }) = &self.end {
            let what = what.clone();
            control::send(&Message::Diverged(format!("{what} at {}:{}", place.file, place.line)));
            return;
        }
        let schedule = self.recorder.schedule(&self.execution);
        if let Some(difference) = self.difference(&job.schedule, &schedule) {
            control::send(&Message::Diverged(difference));
            return;
        }
        let events = self.recorder.trace_events(self.execution.steps());
        self.finish_quietly(fault);
        let violations = self.recorder.fresh.drain(..).map(|mut violation| {
            violation.schedule = Schedule::default();
            violation
        });
        let violations = violations.collect();
        control::send(&Message::Replayed(Box::new(Trace { events, violations })));
    }

    /// As [`Runtime::finish`], but what was found stays here.
    fn finish_quietly(&mut self, fault: Option<(Fault, u64)>) {
        let end = match fault {
            Some((fault, program_counter)) => End::Failed(self.fault(fault, program_counter)),
            None => self.end.take().expect("an execution ends for a reason"),
        };
        self.recorder.count(&self.execution, &self.reports);
        let failure = match end {
            End::Failed(failure) => Some(failure),
            End::Nobody(ending) => self.stuck(ending),
            End::StackOverflow => Some(self.overflow()),
            _ => None,
        };
        if let Some(failure) = failure {
            self.recorder.fail(failure, &self.execution);
        }
    }

    /// Where the schedule that ran differs from the one asked for.
    fn difference(&self, wanted: &Schedule, ran: &Schedule) -> Option<String> {
        if let Some(End::Nobody(Ending::Diverged)) = self.end {
            return Some(format!("event {} cannot be performed by the thread of the finding", self.execution.length()));
        }
        for (index, segment) in wanted.segments.iter().enumerate() {
            let Some(other) = ran.segments.get(index) else {
                return Some(format!("the run ends before T{} reaches line {}", segment.thread, segment.last.line));
            };
            if other != segment {
                return Some(format!(
                    "T{} reaches {}:{} where the finding has T{} at {}:{}",
                    other.thread,
                    other.last.file,
                    other.last.line,
                    segment.thread,
                    segment.last.file,
                    segment.last.line
                ));
            }
        }
        None
    }
}

/// Runs the program once, as an ordinary one, without signals of ours or findings; its exit status.
pub(crate) fn run_once() -> c_int {
    let strategy = ReplayStrategy::new(Vec::new(), Vec::new());
    let limits = Limits { max_events: u64::MAX, local_seconds: u64::MAX, wakeups: Wakeups::Signalled };
    set_up(Execution::new(Box::new(strategy)), &[], &limits);
    with(Runtime::begin);
    fiber::run();
    let end = with(|runtime| {
        let end = runtime.end.take();
        match end {
            Some(End::Failed(failure)) => Some(failure),
            Some(End::Nobody(ending)) => runtime.stuck(ending),
            Some(End::Unsupported { what, place }) => Some(Failure {
                kind: Kind::Crash,
                message: format!("{what} at {}:{}", place.file, place.line),
                sites: Vec::new(),
                program_counter: None,
            }),
            _ => None,
        }
    });
    if let Some(Some(failure)) = end {
        let at =
            failure.sites.first().map_or(String::new(), |site| format!("{}:{}: ", site.place.file, site.place.line));
        eprintln!("fencehound: {at}{}", failure.message);
        std::process::abort();
    }
    process::status()
}
