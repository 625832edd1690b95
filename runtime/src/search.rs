//! The search: execution after execution, each taken into the counts, until all of a slice are done or a budget ends it.

use std::cell::Cell;
use std::ops::Range;

use engine::atomicity::Fencing;
use engine::event::Thread;
use engine::execution::{Ending, Execution};
use engine::explore::bounded::Bounded;
use engine::explore::pct::Pct;
use engine::explore::random::Uniform;
use engine::explore::replay::Replay as ReplayStrategy;
use engine::explore::sampler::Sampler;
use engine::explore::slice::{Leftover, Unit};
use engine::explore::trust::Trust;
use engine::explore::urw::Urw;
use engine::explore::{Corrupt, Counts, Finish, Strategy};
use engine::monitor::{self, Coverage};
use protocol::{
    Cycles, Explore, Explorer, FailureKind, Graphs, Harvest, IDLE_ROUNDS, LeftWaiting, Limits, Message, MonitorName,
    Operation, Packed, Prefixes, Recorded, Replay, Role, Schedule, ScheduleEnd, Silence, Slice, SliceEnd, StoppedBy,
    Tally, Trace, TraceEvent, Violation,
};

use crate::hooks::pthread::threads::call_site;
use crate::process::faults::{self, Fault};
use crate::process::fiber::Switch;
use crate::process::sites::{Record, RecordPointer};
use crate::process::{fiber, foreign, layout, scratch};
use crate::run::{End, Numbers, Runtime, Turn, install, with};
use crate::schedule::stuck::name;
use crate::state::globals;
use crate::state::heap::Heap;
use crate::state::recorder::{Extent, Failure, Recorder, site_use};
use crate::state::unwritten;
use crate::{graph, session};

/// Which interleavings monitors get to see under an explorer.
const fn coverage(explorer: Explorer) -> Coverage {
    match explorer {
        Explorer::Bounded => Coverage::Interleavings,
        Explorer::Dpor | Explorer::Random | Explorer::Pct | Explorer::Urw => Coverage::Classes,
    }
}

/// The strategy that a job asks for.
fn strategy(job: &Explore) -> Box<dyn Strategy> {
    match job.explorer {
        Explorer::Bounded => Box::new(Bounded::first_slice(job.preemptions)),
        Explorer::Dpor => Box::new(Trust::within(job.preemptions)),
        Explorer::Random => Box::new(Sampler::new(job.seed, Uniform)),
        Explorer::Pct => Box::new(Sampler::new(job.seed, Pct::new(BUG_DEPTH, 1))),
        Explorer::Urw => Box::new(Sampler::new(job.seed, Urw::default())),
    }
}

/// The depth of the bugs that `pct` looks for: most that were ever found are no deeper.
const BUG_DEPTH: u32 = 3;

fn set_up(execution: Execution, explorer: Explorer, names: &[MonitorName], limits: &Limits, heap: protocol::Heap) {
    let methods: Vec<MonitorName> = names.iter().map(|name| name.method(coverage(explorer))).collect();
    let fencing = if globals::is_fenced() { Fencing::Proved } else { Fencing::Unproved };
    let monitors = monitor::by_name::monitors(&methods, fencing);
    let named = names.iter().copied().zip(methods).collect();
    let ready = layout::map().and_then(|()| Runtime::new(execution, monitors, Recorder::new(named), Heap::new(heap)));
    match ready {
        Ok(mut runtime) => {
            runtime.max_events = u32::try_from(limits.max_events).unwrap_or(u32::MAX);
            runtime.memory = limits.memory;
            runtime.weak_failures.limit = limits.weak_failures;
            runtime.wakeups = limits.wakeups;
            runtime.exit_status = limits.exit_status;
            runtime.explorer = explorer;
            install(runtime);
        }
        Err(error) => session::internal_error(&format!("address space cannot be reserved: {error}")),
    }
}

/// Follows values that were never written, if the program was compiled for it. In execution graphs memory is not where
/// their shadows would be.
fn follow_unwritten() {
    if let Err(error) = unwritten::start() {
        session::internal_error(&format!("address space for --uninitialised cannot be reserved: {error}"));
    }
}

fn refuse_other_version(version: u32) {
    if version != protocol::VERSION {
        session::internal_error(&format!(
            "the program speaks version {} of the protocol, the tool version {version}: compile it again",
            protocol::VERSION
        ));
    }
}

/// A search, of which this process runs slices.
pub(crate) struct Search {
    job: Explore,
    /// A slice has been run.
    begun: Cell<bool>,
}

impl Search {
    /// Gets ready.
    pub(crate) fn prepare(job: Explore) -> Self {
        refuse_other_version(job.version);
        let execution = Execution::new(strategy(&job));
        set_up(execution, job.explorer, &job.monitors, &job.limits, job.heap);
        if job.graphs.is_none() {
            follow_unwritten();
        }
        if !job.explorer.draws() && job.preemptions.is_none() {
            with(|runtime| runtime.idle_rounds.limit(IDLE_ROUNDS));
        }
        if job.record == Recorded::Executions {
            with(|runtime| runtime.recorder.record());
        }
        if let Err(error) = faults::install() {
            session::internal_error(&format!("signal handlers cannot be installed: {error}"));
        }
        Self { job, begun: Cell::new(false) }
    }

    /// Explores a slice, and tells the tool what came of it.
    pub(crate) fn explore(&self, slice: &Slice) {
        if with(|runtime| runtime.begin_slice(slice)) != Some(true) {
            session::internal_error("the slice numbers threads otherwise than this process");
        }
        match self.strategy(&slice.units) {
            Ok(Some(strategy)) => drop(with(|runtime| runtime.execution.go_on_with(strategy))),
            Ok(None) if self.begun.replace(true) => {}
            _ => session::internal_error("the slice cannot be read"),
        }
        self.begun.set(true);
        if !faults::interrupted() {
            faults::set_patience(self.job.limits.local_seconds);
        }
        match self.job.graphs {
            None => conclude(&search(&self.job, slice)),
            Some(graphs) => conclude(&explore_graphs(&self.job, graphs, slice)),
        }
    }

    /// The strategy for these units; none if it is the one at work.
    fn strategy(&self, units: &[protocol::Unit]) -> Result<Option<Box<dyn Strategy>>, Corrupt> {
        let mut packed = Vec::new();
        for unit in units {
            match &unit.prefixes {
                Prefixes::Whole => return Ok(Some(strategy(&self.job))),
                Prefixes::Rest => return Ok(None),
                Prefixes::Packed(Packed(prefixes)) => {
                    packed.push(Unit { weight: unit.weight, prefixes: prefixes.clone() });
                }
            }
        }
        match self.job.explorer {
            Explorer::Bounded => Ok(Some(Box::new(Bounded::slice(self.job.preemptions, &packed)?))),
            Explorer::Random => Ok(Some(Box::new(Sampler::slice(self.job.seed, Uniform, &packed)?))),
            Explorer::Pct => Ok(Some(Box::new(Sampler::slice(self.job.seed, Pct::new(BUG_DEPTH, 1), &packed)?))),
            Explorer::Urw => Ok(Some(Box::new(Sampler::slice(self.job.seed, Urw::default(), &packed)?))),
            Explorer::Dpor => Ok(Some(Box::new(Trust::slice(self.job.preemptions, &packed)?))),
        }
    }
}

/// Explores all execution graphs in one slice; there is nothing to do in others.
fn explore_graphs(job: &Explore, graphs: Graphs, slice: &Slice) -> Stopped {
    if slice.units.iter().any(|unit| unit.prefixes == Prefixes::Rest) {
        return Stopped::Open;
    }
    with(|runtime| runtime.run_for_graphs(graphs.model, graphs.unroll));
    if graphs.cycles == Cycles::Counted {
        with(|runtime| runtime.recorder.count_cycles());
    }
    let stopped =
        graph::search::search(job, &graph::search::Limits { seconds: graphs.seconds, executions: slice.executions });
    with(|runtime| runtime.refused()).flatten().unwrap_or(stopped)
}

/// Tells the tool how the slice ended.
fn conclude(stopped: &Stopped) {
    // A timer that ticks on could end the message.
    faults::set_patience(u64::MAX);
    with(|runtime| {
        let harvest = runtime.harvest(stopped);
        session::send(&Message::Harvest(Box::new(harvest)));
    });
}

/// Code that is not instrumented ended the process, most likely in the last call out of the program.
pub(crate) fn ended_by_a_library() {
    let call = with(|runtime| runtime.last_external.take()).flatten();
    let (what, place) = call.map_or_else(
        || ("an exit in code that is not instrumented".to_owned(), protocol::Place::default()),
        |(name, record)| (format!("an exit in code that is not instrumented, after a call of {name}"), record.place()),
    );
    conclude(&Stopped::Unsupported { what, place });
}

/// Why a slice ended.
pub(crate) enum Stopped {
    /// All of it has been run.
    Complete,
    /// A budget is used up, or Ctrl-C was pressed.
    Open,
    /// At the first violation, or at one after which going on makes no sense.
    Found,
    /// Memory has been divided where it was not before.
    Divided,
    /// Executions reached this limit of length or memory.
    Limit(StoppedBy),
    /// A thread performed no visible operation for as long as is allowed.
    Silent(Silence),
    Unsupported {
        what: String,
        place: protocol::Place,
    },
}

fn search(job: &Explore, slice: &Slice) -> Stopped {
    let mut looked = faults::ticks();
    let by_classes = job.explorer == Explorer::Dpor;
    loop {
        if with(|runtime| runtime.is_spent(slice, &mut looked)) == Some(true) {
            return Stopped::Open;
        }
        if with(Runtime::begin) != Some(true) {
            return with(|runtime| runtime.refused()).flatten().unwrap_or(Stopped::Complete);
        }
        fiber::run(Thread::MAIN);
        faults::progress();
        let mut fault = faults::take();
        while by_classes && let Some(Some(next)) = with(|runtime| runtime.go_on_without(&mut fault)) {
            fiber::run_on(next);
            faults::progress();
            fault = faults::take();
        }
        scratch::reset();
        if let Some(stop) = with(|runtime| runtime.finish(fault, job.stop_at_first)).flatten() {
            return stop;
        }
    }
}

impl Runtime {
    /// Where classes are explored, a thread that fails or whose assumption does not hold just stops: what the others
    /// do belongs to the class. Who goes on, if that is how the execution ended, and somebody can.
    fn go_on_without(&mut self, fault: &mut Option<(Fault, u64)>) -> Option<Switch> {
        let silent = matches!(fault, Some((Fault::Silent, _)));
        let goes_on = self.explorer == Explorer::Dpor && !self.void && !faults::interrupted() && !silent;
        let failure = match (fault.as_ref(), &self.end) {
            _ if !goes_on => return None,
            (Some(&(fault, program_counter)), _) => Some(self.fault(fault, program_counter)),
            (None, Some(End::StackOverflow)) => Some(self.overflow()),
            (None, Some(End::Failed(_) | End::Assumed)) => None,
            (None, _) => return None,
        };
        *fault = None;
        match (failure, self.end.take()) {
            // Nothing comes after what is left of a block.
            _ if self.execution.follows_left_block() => self.assumed = true,
            (Some(failure), _) | (None, Some(End::Failed(failure))) => {
                let extent = Extent::of(&self.execution);
                self.failed.push((failure, extent));
            }
            (None, _) => self.assumed = true,
        }
        match self.give_up() {
            Turn::Other(Switch::End) | Turn::Ours | Turn::Alone => None,
            Turn::Other(next) => Some(next),
        }
    }

    /// Gets ready for a slice; false if it numbers threads otherwise than this process.
    fn begin_slice(&mut self, slice: &Slice) -> bool {
        let numbered = self.execution.state.threads.paths().len() > slice.threads.len()
            || self.execution.state.threads.number(&slice.threads).is_ok();
        self.recorder.restart(&slice.known);
        if self.steps_aside() {
            self.shadow.divide(&slice.divisions);
            self.numbers = Numbers::MayDiffer;
            if slice.units.iter().any(|unit| unit.prefixes != Prefixes::Whole) {
                self.shadow.settle();
            }
        }
        self.uninstrumented.clear();
        self.assumptions.clear();
        self.left_waiting.clear();
        numbered
    }

    /// Whether the budget of the slice is used up. `looked` is the tick at which the clock was last read.
    fn is_spent(&self, slice: &Slice, looked: &mut u64) -> bool {
        if faults::interrupted() || slice.executions.is_some_and(|limit| self.recorder.executions >= limit) {
            return true;
        }
        if *looked == faults::ticks() {
            return false;
        }
        *looked = faults::ticks();
        self.recorder.seconds() >= slice.seconds
    }

    /// What ran outside of any control, if something did.
    fn refused(&self) -> Option<Stopped> {
        if let Some(record) = foreign::refused() {
            return Some(Stopped::Unsupported { what: foreign::WHAT.to_owned(), place: record.place() });
        }
        let (place, library) = self.sites.shared_library()?;
        let what = format!("instrumented code in a shared library ({library}), whose variables cannot be reset");
        Some(Stopped::Unsupported { what, place })
    }

    /// Takes the execution that has ended into the counts; says whether to stop.
    fn finish(&mut self, fault: Option<(Fault, u64)>, stop_at_first: bool) -> Option<Stopped> {
        if let Some(refused) = self.refused() {
            return Some(refused);
        }
        // Also of an execution that does not count: the next one may resume what the monitors have reported of it.
        self.reports.truncate(self.reports_before_left_block.unwrap_or(usize::MAX));
        if let Some((Fault::Silent, program_counter)) = fault {
            self.run_again();
            return Some(if faults::interrupted() {
                Stopped::Open
            } else {
                Stopped::Silent(self.silent(program_counter))
            });
        }
        // What has been tried of an event is counted by the places that it touches.
        if self.shadow.divides_late() {
            self.run_again();
            return Some(Stopped::Divided);
        }
        // The first execution is run twice, so that a program that depends on the time or on chance is noticed.
        if self.void || (fault.is_none() && !std::mem::replace(&mut self.run_twice, true)) {
            self.run_again();
            return None;
        }
        let end = match fault {
            Some((fault, program_counter)) => End::Failed(self.fault(fault, program_counter)),
            None => self.end.take().expect("an execution ends for a reason"),
        };
        if let Some(what) = self.execution.lacks() {
            let place = Record::behind(self.recorder.last_site()).place();
            return Some(Stopped::Unsupported { what: format!("{what}, under --explorer dpor"), place });
        }
        let strayed = match end {
            End::Nobody(Ending::Diverged) => Some(self.diverged()),
            _ => self.execution.strayed().map(|among| self.strayed(&among)),
        };
        if let Some(failure) = strayed {
            self.recorder.count(&self.execution, &[], &self.monitors);
            self.recorder.fail(failure, &self.execution);
            return Some(Stopped::Found);
        }
        if let Some(stopped) = self.take_end(end) {
            return Some(stopped);
        }
        self.execution.finish(Finish::Done);
        self.shadow.settle();
        if stop_at_first && self.recorder.has_found() {
            return Some(Stopped::Found);
        }
        (self.execution.kept() > self.memory).then_some(Stopped::Limit(StoppedBy::Memory))
    }

    /// Takes an execution that has ended in this way into the counts; says whether it ends the search.
    fn take_end(&mut self, end: End) -> Option<Stopped> {
        match end {
            End::Assumed => self.recorder.blocked += 1,
            End::StackOverflow => {
                self.recorder.count(&self.execution, &self.reports, &self.monitors);
                let failure = self.overflow();
                self.recorder.fail(failure, &self.execution);
                self.count_exit();
            }
            End::MaxEvents => {
                self.count_exit();
                return Some(Stopped::Limit(StoppedBy::Events));
            }
            End::IdleRounds => {
                self.count_exit();
                return Some(Stopped::Limit(StoppedBy::Rounds));
            }
            End::Unsupported { what, place } => return Some(Stopped::Unsupported { what, place }),
            // It is no execution of the program, or the beginning of one that has been run before.
            End::Nobody(Ending::Abandoned) => {}
            End::Nobody(_) if !self.failed.is_empty() => self.take_failed(),
            End::Nobody(_) if self.assumed => self.recorder.blocked += 1,
            End::Nobody(Ending::Deadlock | Ending::Livelock) if self.lets_go_in_passing() => {
                self.execution.history.repeats_another();
                self.recorder.count(&self.execution, &self.reports, &self.monitors);
                self.count_exit();
            }
            End::Nobody(ending) => {
                self.recorder.count(&self.execution, &self.reports, &self.monitors);
                self.count_exit();
                let failures = self.ended(ending);
                // Also where it only repeats another one but for rounds of wait loops: that one may be beyond the bound, since
                // the switch away from such a round is free.
                if failures.is_empty() && self.execution.history.counts() != Counts::BeyondBound {
                    self.take_outcome();
                }
                for failure in failures {
                    self.recorder.fail(failure, &self.execution);
                }
            }
            End::Failed(failure) => {
                self.recorder.count(&self.execution, &self.reports, &self.monitors);
                self.recorder.fail(failure, &self.execution);
                self.count_exit();
            }
        }
        None
    }

    /// The execution, which has ended, has to be run once more, maybe with other locations.
    fn run_again(&mut self) {
        self.execution.finish(Finish::Again);
        self.numbers = Numbers::MayDiffer;
    }

    /// Takes an execution in which threads have failed, and the others went on, into the counts.
    fn take_failed(&mut self) {
        self.recorder.count(&self.execution, &self.reports, &self.monitors);
        for (failure, extent) in self.failed.drain(..) {
            self.recorder.fail_at(failure, &self.execution, extent);
        }
        self.count_exit();
    }

    /// The running thread, whose code was here, has performed no visible operation for as long as is allowed. Where that is no
    /// code of the program, it is in the library function that it called last.
    pub(crate) fn silent(&self, program_counter: u64) -> Silence {
        let called = Record::known(call_site());
        let record = called.unwrap_or_else(|| Record::behind(self.threads.stands_at(self.running)));
        let (place, function) = (record.place(), record.function().to_owned());
        Silence { thread: self.running.0.into(), place, function, program_counter }
    }

    pub(crate) fn fault(&self, fault: Fault, program_counter: u64) -> Failure {
        let thread = self.running;
        let at = match &self.last_external {
            Some((_, record)) if faults::comes_in_a_call(fault) => std::ptr::from_ref::<Record>(record),
            _ => self.threads.stands_at(thread),
        };
        let sites = vec![site_use(Role::At, thread, at, Operation::Fault)];
        let message = faults::describe(fault);
        Failure { kind: FailureKind::Crash, message, sites, program_counter: Some(program_counter) }
    }

    /// The stack is used up at a hook, whose place is known.
    pub(crate) fn overflow(&self) -> Failure {
        let sites = vec![site_use(Role::At, self.running, self.threads.stands_at(self.running), Operation::Fault)];
        let message = faults::describe(Fault::StackOverflow);
        Failure { kind: FailureKind::Crash, message, sites, program_counter: None }
    }

    /// What is wrong with an execution in which nobody can go on.
    fn ended(&mut self, ending: Ending) -> Vec<Failure> {
        match ending {
            Ending::Complete => {
                self.note_left_waiting();
                self.leaks()
            }
            _ => self.stuck(ending).into_iter().collect(),
        }
    }

    fn diverged(&self) -> Failure {
        let (index, before) = self.execution.history.divergence().unwrap_or((self.execution.history.length(), None));
        let was = before.map_or(String::new(), |step| format!(" (there was an operation of {})", name(step.thread)));
        let what = format!("event {index} is another one than in the run before{was}");
        self.nondeterministic(&what, (self.running, self.recorder.last_site()))
    }

    /// The execution had other events than one that began with the same decisions, which is not kept.
    fn strayed(&self, among: &Range<u32>) -> Failure {
        let steps = self.execution.history.steps();
        let thread = steps.get(among.start as usize).map_or(self.running, |step| step.thread);
        let site = self.recorder.note(among.start).map_or(self.recorder.last_site(), |note| note.site);
        let what = format!(
            "of the events {} to {}, the first of which is here, one is another one than when this schedule was run first",
            among.start,
            among.end.max(among.start + 1) - 1
        );
        self.nondeterministic(&what, (thread, site))
    }

    fn nondeterministic(&self, what: &str, (thread, at): (Thread, RecordPointer)) -> Failure {
        let call = self.last_external.as_ref().map_or(String::new(), |(name, record)| {
            let place = record.place();
            format!("; the last call out of the checked program was {name} at {}:{}", place.file, place.line)
        });
        Failure {
            kind: FailureKind::Nondeterministic,
            message: format!("the same schedule did not give the same events: {what}{call}"),
            sites: vec![site_use(Role::At, thread, at, Operation::Other)],
            program_counter: None,
        }
    }

    fn harvest(&mut self, stopped: &Stopped) -> Harvest {
        let (end, left) = match stopped {
            Stopped::Complete | Stopped::Open if self.graph.is_some() => (SliceEnd::Open, None),
            Stopped::Complete | Stopped::Open => (SliceEnd::Open, self.execution.leave()),
            Stopped::Divided => (SliceEnd::Divided, Some(Leftover::default())),
            Stopped::Found => (SliceEnd::Found, Some(Leftover::default())),
            &Stopped::Limit(by) => (SliceEnd::Limit { by, busiest: self.busiest_loop() }, Some(Leftover::default())),
            Stopped::Silent(silence) => (SliceEnd::Silent(silence.clone()), Some(Leftover::default())),
            Stopped::Unsupported { what, place } => {
                let (what, place) = (what.clone(), place.clone());
                (SliceEnd::Unsupported { what, place }, Some(Leftover::default()))
            }
        };
        let pack = |units: Vec<Unit>| {
            let prefixes = |unit: Unit| (unit.weight, Prefixes::Packed(Packed(unit.prefixes)));
            let packed = units.into_iter().map(prefixes);
            packed.map(|(weight, prefixes)| protocol::Unit { weight, prefixes }).collect()
        };
        let (left, next) = match (left, stopped) {
            (Some(Leftover { now, next }), _) => (pack(now), pack(next)),
            (None, Stopped::Complete) => (Vec::new(), Vec::new()),
            (None, _) => (vec![protocol::Unit { weight: 0.0, prefixes: Prefixes::Rest }], Vec::new()),
        };
        Harvest {
            end,
            left,
            next,
            threads: self.execution.state.threads.paths().map(<[u32]>::to_vec).collect(),
            tally: Tally {
                uninstrumented: self.uninstrumented.iter().cloned().collect(),
                left_waiting: LeftWaiting::distinct(std::mem::take(&mut self.left_waiting)),
                assumptions: self.assumptions.iter().map(|&assumption| assumption.to_owned()).collect(),
                ..self.recorder.tally()
            },
            found: self.recorder.take_found(),
            recorded: std::mem::take(&mut self.recorder.recorded),
            divisions: self.shadow.divisions(),
        }
    }
}

/// Runs one schedule again, and tells the tool all of it.
pub(crate) fn replay(job: &Replay) {
    refuse_other_version(job.version);
    let mut planned: Vec<Thread> = job
        .schedule
        .segments
        .iter()
        .filter_map(|segment| Some((Thread(u8::try_from(segment.thread).ok()?), segment.events)))
        .flat_map(|(thread, events)| std::iter::repeat_n(thread, usize::try_from(events).unwrap_or(usize::MAX)))
        .take(usize::try_from(job.limits.max_events).unwrap_or(usize::MAX))
        .collect();
    let length = planned.len() as u64;
    // What fails is no event, and its thread need not be that of the last one.
    if let ScheduleEnd::Failure(thread) = job.end {
        planned.extend(u8::try_from(thread).map(Thread));
    }
    let strategy = ReplayStrategy::new(planned, job.schedule.choices.clone());
    let mut execution = Execution::new(Box::new(strategy));
    if execution.state.threads.number(&job.schedule.threads).is_err() {
        session::send(&Message::Diverged("the finding's thread numbers are none".to_owned()));
        return;
    }
    // One more event than the schedule has shows that the program does not follow it.
    let limits = Limits { max_events: job.limits.max_events.min(length + 1), ..job.limits };
    set_up(execution, job.explorer, &job.monitors, &limits, job.heap);
    if job.schedule.graph.is_none() {
        follow_unwritten();
    }
    if let Err(error) = faults::install() {
        session::internal_error(&format!("signal handlers cannot be installed: {error}"));
    }
    faults::set_patience(job.limits.local_seconds);
    if let Some(graph) = &job.schedule.graph {
        return replay_graph(graph, &job.schedule.threads);
    }
    with(|runtime| {
        runtime.recorder.trace();
        runtime.planned = u32::try_from(length).ok();
    });
    loop {
        faults::set_patience(job.limits.local_seconds);
        with(Runtime::begin);
        fiber::run(Thread::MAIN);
        let mut fault = faults::take();
        let planned = |runtime: &Runtime| u64::from(runtime.execution.history.length()) < length;
        while let Some(Some(next)) =
            with(|runtime| if planned(runtime) { runtime.go_on_without(&mut fault) } else { None })
        {
            fiber::run_on(next);
            fault = faults::take();
        }
        let void = with(|runtime| runtime.void) == Some(true);
        if !void || fault.is_some() {
            faults::set_patience(u64::MAX);
            // SAFETY: writes out what the program printed.
            unsafe { libc::fflush(std::ptr::null_mut()) };
            with(|runtime| runtime.finish_replay(job, fault));
            return;
        }
        with(Runtime::run_again);
    }
}

/// The same for an execution graph, with the threads numbered as in its search.
fn replay_graph(graph: &protocol::Graph, threads: &[Vec<u32>]) {
    with(|runtime| runtime.run_for_graphs(graph.model, None));
    with(|runtime| runtime.graph_mut().number(threads));
    let replayed = graph::search::replay(graph);
    faults::set_patience(u64::MAX);
    session::send(&match replayed {
        Ok(mut trace) => {
            trace.violations.iter_mut().for_each(|violation| violation.schedule = Schedule::default());
            Message::Replayed(Box::new(trace))
        }
        Err(why) => Message::Diverged(why),
    });
}

impl Runtime {
    fn finish_replay(&mut self, job: &Replay, fault: Option<(Fault, u64)>) {
        if let Some(Stopped::Unsupported { what, place }) = self.refused() {
            self.end = Some(End::Unsupported { what, place });
        }
        if matches!(fault, Some((Fault::Silent, _))) {
            session::send(&Message::Diverged(faults::describe(Fault::Silent)));
            return;
        }
        if let Some(End::Unsupported { what, place }) = &self.end {
            let what = what.clone();
            session::send(&Message::Diverged(format!("{what} at {}:{}", place.file, place.line)));
            return;
        }
        let schedule = self.recorder.schedule(&self.execution);
        if let Some(difference) = self.difference(&job.schedule, &schedule) {
            session::send(&Message::Diverged(difference));
            return;
        }
        let mut events = self.recorder.trace_events(self.execution.history.steps(), &self.globals);
        self.name_variables(&mut events);
        self.finish_quietly(fault);
        let found = self.recorder.take_found().into_iter().filter_map(|sighting| sighting.violation);
        let violations = found.map(|violation| Violation { schedule: Schedule::default(), ..*violation }).collect();
        session::send(&Message::Replayed(Box::new(Trace { events, violations })));
    }

    /// Gives accesses that library functions make the names of the variables that they are to.
    fn name_variables(&self, events: &mut [TraceEvent]) {
        for event in events.iter_mut().filter(|event| event.width > 0 && event.target.starts_with("0x")) {
            let address = event.address as usize;
            if let Some(variable) = self.globals.variable(address) {
                event.target = match address - variable.bytes.start {
                    0 => variable.name.clone(),
                    offset => format!("{}+{offset}", variable.name),
                };
            }
        }
    }

    /// As [`Runtime::finish`], but what was found stays here.
    fn finish_quietly(&mut self, fault: Option<(Fault, u64)>) {
        let end = match fault {
            Some((fault, program_counter)) => End::Failed(self.fault(fault, program_counter)),
            None => self.end.take().expect("an execution ends for a reason"),
        };
        self.recorder.count(&self.execution, &self.reports, &self.monitors);
        let failures = match end {
            End::Failed(failure) => vec![failure],
            End::Nobody(_) if self.assumed || !self.failed.is_empty() => {
                self.failed.drain(..).map(|(failure, _)| failure).collect()
            }
            End::Nobody(ending) => self.ended(ending),
            End::StackOverflow => vec![self.overflow()],
            _ => Vec::new(),
        };
        for failure in failures {
            self.recorder.fail(failure, &self.execution);
        }
    }

    /// Where the schedule that ran differs from the one asked for.
    fn difference(&self, wanted: &Schedule, ran: &Schedule) -> Option<String> {
        if let Some(End::Nobody(Ending::Diverged)) = self.end {
            return Some(format!(
                "event {} cannot be performed by the thread of the finding",
                self.execution.history.length()
            ));
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
