//! The search: execution after execution, each taken into the counts, until all of a slice are done or a budget ends
//! it.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use engine::atomicity::Fencing;
use engine::buffers::{Steps, StoreBuffers};
use engine::event::Thread;
use engine::execution::{Ending, Execution};
use engine::explore::bounded::Bounded;
use engine::explore::census::Census;
use engine::explore::pct::Pct;
use engine::explore::random::Uniform;
use engine::explore::replay::Replay as ReplayStrategy;
use engine::explore::rsmc;
use engine::explore::sampler::Sampler;
use engine::explore::slice::{Leftover, Unit};
use engine::explore::trust::Trust;
use engine::explore::urw::Urw;
use engine::explore::{Corrupt, Counts, Finish, Rounds, Strategy};
use engine::monitor::{self, Coverage, MonitorName};
use protocol::{
    Atomic, BusyLoop, Cycles, Explore, Explorer, FailureKind, Graphs, Harvest, IDLE_ROUNDS, LeftWaiting, Limits,
    Machine, Message, News, Operation, Packed, Prefixes, Recorded, Repair, Replay, Role, Schedule, ScheduleEnd, Slice,
    SliceEnd, StoppedBy, Tally, Trace, TraceEvent, Violation,
};

use crate::graph::threads::number;
use crate::hooks::pthread::threads;
use crate::process::faults::{self, Fault};
use crate::process::fiber::{self, Switch};
use crate::process::sites::{Record, RecordPointer};
use crate::process::{channel, debugger, foreign, layout, scratch, sections, ticks};
use crate::run::{Runtime, install, with};
use crate::schedule::{leaks, stuck, turns, wakes};
use crate::search::ends::{Stopped, failure_of, silence, stack_overflow};
use crate::state::buffers::BufferedMemory;
use crate::state::failure::{Extent, Failure, name, site_use};
use crate::state::graph::orders::Replaced;
use crate::state::graph::overrides::Overrides;
use crate::state::heap::Heap;
use crate::state::observed::outcome;
use crate::state::recorder::Recorder;
use crate::state::turn::{End, Turn};
use crate::state::unwritten;
use crate::state::watch::Numbers;

pub(crate) mod ends;
pub(crate) mod graphs;
mod outcome;
mod scheduled;

/// Returns which interleavings monitors get to see under an explorer.
const fn coverage(explorer: Explorer) -> Coverage {
    match explorer {
        Explorer::Bounded => Coverage::Interleavings,
        Explorer::Dpor | Explorer::Random | Explorer::Pct | Explorer::Urw | Explorer::Census => Coverage::Classes,
    }
}

/// Returns the strategy that a job asks for.
fn strategy(job: &Explore) -> Box<dyn Strategy> {
    match job.explorer {
        Explorer::Bounded => Box::new(Bounded::first_slice(job.preemptions)),
        Explorer::Dpor => Box::new(Trust::within(job.preemptions).behind(rounds(job))),
        Explorer::Random => Box::new(Sampler::new(job.seed, Uniform)),
        Explorer::Pct => Box::new(Sampler::new(job.seed, Pct::new(BUG_DEPTH, 1))),
        Explorer::Urw => Box::new(Sampler::new(job.seed, Urw::default())),
        Explorer::Census => Box::new(Sampler::new(job.seed, Census::default())),
    }
}

/// Returns the iterations of wait loops without effect that are gone on behind: with store buffers all, since what commits in
/// one is not taken back; and where transactions are watched, as the iterations of one may be on a cycle together.
fn rounds(job: &Explore) -> Rounds {
    let all = job.machine.is_some() || job.monitors.iter().any(|monitor| monitor.watches_transactions());
    if all { Rounds::All } else { job.rounds }
}

/// The depth of the bugs that `pct` looks for: most that were ever found are no deeper.
const BUG_DEPTH: u32 = 3;

/// Installs the runtime for this execution, with these monitors and limits.
fn set_up(execution: Execution, explorer: Explorer, names: &[MonitorName], limits: &Limits, heap: protocol::Heap) {
    let methods: Vec<MonitorName> = names.iter().map(|name| name.method(coverage(explorer))).collect();
    let fencing = if sections::is_fenced() { Fencing::Proved } else { Fencing::Unproved };
    let monitors = monitor::by_name::monitors(&methods, fencing);
    let named = names.iter().copied().zip(methods).collect();
    let ready = layout::map().and_then(|()| Runtime::new(execution, monitors, Recorder::new(named), Heap::new(heap)));
    match ready {
        Ok(mut runtime) => {
            runtime.settings.max_events = u32::try_from(limits.max_events).unwrap_or(u32::MAX);
            runtime.settings.memory = limits.memory;
            runtime.weak_failures.limit = limits.weak_failures;
            runtime.settings.wakeups = limits.wakeups;
            runtime.settings.exit_status = limits.exit_status;
            runtime.settings.explorer = explorer;
            install(runtime);
        }
        Err(error) => channel::internal_error(&format!("address space cannot be reserved: {error}")),
    }
}

/// Gives the runtime the store buffers of this machine, if it is one: from now on stores wait in them.
fn equip(machine: Option<Machine>) {
    let Some(machine) = machine else { return };
    let Some(buffers) = StoreBuffers::of(machine.model) else {
        channel::internal_error(&format!("there is no machine with store buffers for {}", machine.model.title()));
    };
    with(|runtime| {
        let mut buffers = BufferedMemory::new(buffers, machine.delays);
        buffers.steps = (runtime.settings.explorer == Explorer::Dpor).then(Steps::default);
        runtime.buffers = Some(Box::new(buffers));
        runtime.recorder.trail.machine = Some(machine);
    });
}

/// Starts to follow values that were never written, if the program was compiled for it. In execution graphs memory is
/// not where their shadows would be.
fn follow_unwritten() {
    if let Err(error) = unwritten::start() {
        channel::internal_error(&format!("address space for --uninitialised cannot be reserved: {error}"));
    }
}

/// Ends the process if the tool speaks another version of the protocol.
fn refuse_other_version(version: u32) {
    if version != protocol::VERSION {
        channel::internal_error(&format!(
            "the program speaks version {} of the protocol, the tool version {version}: compile it again",
            protocol::VERSION
        ));
    }
}

/// A search, of which this process runs slices.
pub(crate) struct Search {
    job: Explore,
    /// Whether a slice has been run.
    begun: Cell<bool>,
    /// What is kept from slice to slice of a search for execution graphs.
    kept: RefCell<graphs::Kept>,
}

impl Search {
    /// Prepares the process for a search.
    pub(crate) fn prepare(job: Explore) -> Self {
        refuse_other_version(job.version);
        let execution = Execution::new(strategy(&job));
        set_up(execution, job.explorer, &job.monitors, &job.limits, job.heap);
        equip(job.machine);
        if job.graphs.is_none() {
            follow_unwritten();
        }
        if !job.explorer.draws() && job.preemptions.is_none() {
            with(|runtime| runtime.idle_rounds.limit(IDLE_ROUNDS));
        }
        if let Some(compared) = job.compared {
            with(|runtime| runtime.recorder.tallied.compared = Some(compared));
        }
        if job.record == Recorded::Executions {
            with(|runtime| runtime.recorder.trail.record());
        }
        if let Err(error) = faults::install() {
            channel::internal_error(&format!("signal handlers cannot be installed: {error}"));
        }
        Self { job, begun: Cell::new(false), kept: RefCell::default() }
    }

    /// Explores a slice, and sends the tool the results.
    pub(crate) fn explore(&self, slice: &Slice) {
        if with(|runtime| begin_slice(runtime, slice)) != Some(true) {
            channel::internal_error("the slice numbers threads otherwise than this process");
        }
        if let Some(graphs) = self.job.graphs {
            return self.explore_graphs(graphs, slice);
        }
        match self.strategy(&slice.units) {
            Ok(Some(strategy)) => drop(with(|runtime| runtime.execution.go_on_with(strategy))),
            Ok(None) if self.begun.replace(true) => {}
            _ => channel::internal_error("the slice cannot be read"),
        }
        self.begun.set(true);
        self.be_patient();
        conclude(&search(&self.job, slice), None);
    }

    /// Lets threads perform no visible operation for as long as is allowed.
    fn be_patient(&self) {
        if !ticks::interrupted() {
            ticks::set_patience(self.job.limits.local_seconds);
        }
    }

    /// Explores the execution graphs of a slice, and sends the tool the results.
    fn explore_graphs(&self, graphs: Graphs, slice: &Slice) {
        if slice.units.iter().any(|unit| unit.prefixes == Prefixes::Rest) {
            return conclude(&Stopped::Open, None);
        }
        if !self.begun.replace(true) {
            with(|runtime| begin_graphs(runtime, &self.job, graphs, slice));
        }
        self.be_patient();
        if self.job.explorer == Explorer::Census {
            return conclude(&graphs::draw(&self.job, slice.seconds), None);
        }
        let bytes = |unit: &protocol::Unit| match &unit.prefixes {
            Prefixes::Packed(Packed(bytes)) => bytes.clone(),
            Prefixes::Whole | Prefixes::Rest => Vec::new(),
        };
        let part = graphs::Part {
            units: slice.units.iter().map(bytes).collect(),
            manner: slice.manner,
            seconds: slice.seconds,
            executions: slice.executions,
            facts: &slice.facts,
            telling: slice.telling,
        };
        let (stopped, handed) = graphs::search(&self.job, &part, &mut self.kept.borrow_mut());
        match with(|runtime| ran_outside(runtime)).flatten() {
            None => conclude(&stopped, handed),
            Some(_) if handed.is_some() => conclude(&Stopped::Ordered, None),
            Some(outside) => conclude(&outside, None),
        }
    }

    /// Returns the strategy for these units; `None` if it is the one at work.
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
            Explorer::Census => Ok(Some(Box::new(Sampler::slice(self.job.seed, Census::default(), &packed)?))),
            Explorer::Dpor => {
                let explorer = Trust::slice(self.job.preemptions, &packed)?;
                Ok(Some(Box::new(explorer.behind(rounds(&self.job)))))
            }
        }
    }
}

/// Prepares for a search for execution graphs.
fn begin_graphs(runtime: &mut Runtime, job: &Explore, graphs: Graphs, slice: &Slice) {
    graphs::run_for_graphs(runtime, graphs.model, graphs.code, graphs.unroll);
    if graphs.cycles == Cycles::Counted {
        runtime.recorder.count_cycles();
    }
    let graph = runtime.graph_mut();
    if !slice.threads.is_empty() {
        number(graph, &slice.threads);
    }
    graph.places.divide(&slice.divisions);
    if let Some(Repair { overrides, wrong }) = &job.repair {
        (graph.overrides, graph.sought) = (Overrides::new(overrides), Some((wrong.clone(), None)));
    }
    if let Some(orders) = &job.orders {
        graph.orders = Some(Replaced::new(orders));
    }
}

/// Sends the tool the results of a slice.
fn conclude(stopped: &Stopped, handed: Option<graphs::Handed>) {
    // If the timer went on, it could cut the message short.
    ticks::set_patience(u64::MAX);
    with(|runtime| {
        let mut harvest = harvest(runtime, stopped);
        if let Some(graphs::Handed { left, facts }) = handed {
            harvest.facts = facts;
            harvest.left = left.units.into_iter().map(|unit| packed(0.0, unit)).collect();
            harvest.news = left.news.into_iter().map(news).collect();
            harvest.located = runtime.graph_mut().places.located();
        }
        channel::send(&Message::Harvest(Box::new(harvest)));
    });
}

/// Ends the slice as unsupported: code that is not instrumented ended the process, most likely in the last call out of
/// the program.
pub(crate) fn ended_by_a_library() {
    let call = with(|runtime| runtime.remarks.last_external.take()).flatten();
    let (what, place) = call.map_or_else(
        || ("an exit in code that is not instrumented".to_owned(), protocol::Place::default()),
        |(name, record)| (format!("an exit in code that is not instrumented, after a call of {name}"), record.place()),
    );
    conclude(&Stopped::Unsupported { what, place }, None);
}

/// Explores the interleavings of a slice.
fn search(job: &Explore, slice: &Slice) -> Stopped {
    let mut looked = ticks::ticks();
    let by_classes = job.explorer == Explorer::Dpor;
    loop {
        if with(|runtime| is_spent(runtime, slice, &mut looked)) == Some(true) {
            return Stopped::Open;
        }
        if with(Runtime::begin) != Some(true) {
            return with(|runtime| ran_outside(runtime)).flatten().unwrap_or(Stopped::Complete);
        }
        fiber::run(Thread::MAIN, threads::body);
        ticks::progress();
        let mut fault = faults::take();
        while by_classes && let Some(Some(next)) = with(|runtime| go_on_without(runtime, &mut fault)) {
            fiber::run_on(next);
            ticks::progress();
            fault = faults::take();
        }
        scratch::reset();
        if let Some(stop) = with(|runtime| finish(runtime, fault, job.stop_at_first)).flatten() {
            return stop;
        }
    }
}

/// Runs one schedule again, and sends the tool its trace.
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
    // A failure is no event, and its thread need not be that of the last one.
    if let ScheduleEnd::Failure(thread) = job.end {
        planned.extend(u8::try_from(thread).map(Thread));
    }
    let strategy = ReplayStrategy::new(planned, job.schedule.choices.clone());
    let mut execution = Execution::new(Box::new(strategy));
    if execution.state.threads.number(&job.schedule.threads).is_err() {
        channel::send(&Message::Diverged("the finding's thread numbers are none".to_owned()));
        return;
    }
    // One more event than the schedule has shows that the program does not follow it, unless it is known to go on.
    let most = if job.schedule.is_cut { length } else { length + 1 };
    let limits = Limits { max_events: job.limits.max_events.min(most), ..job.limits };
    set_up(execution, job.explorer, &job.monitors, &limits, job.heap);
    equip(job.schedule.machine);
    if job.schedule.graph.is_none() {
        follow_unwritten();
    }
    if let Err(error) = faults::install() {
        channel::internal_error(&format!("signal handlers cannot be installed: {error}"));
    }
    ticks::set_patience(job.limits.local_seconds);
    if let Some(graph) = &job.schedule.graph {
        return replay_graph(graph, &job.schedule.threads);
    }
    with(|runtime| {
        runtime.recorder.trail.trace();
        runtime.settings.planned = u32::try_from(length).ok();
    });
    debugger::follow();
    loop {
        ticks::set_patience(job.limits.local_seconds);
        with(Runtime::begin);
        debugger::begin(Thread::MAIN);
        fiber::run(Thread::MAIN, threads::body);
        let mut fault = faults::take();
        let planned = |runtime: &Runtime| u64::from(runtime.execution.history.length()) < length;
        while let Some(Some(next)) =
            with(|runtime| if planned(runtime) { go_on_without(runtime, &mut fault) } else { None })
        {
            fiber::run_on(next);
            fault = faults::take();
        }
        let void = with(|runtime| runtime.conclusion.void) == Some(true);
        if !void || fault.is_some() {
            ticks::set_patience(u64::MAX);
            debugger::end();
            // SAFETY: the call writes out what the program printed.
            unsafe { libc::fflush(std::ptr::null_mut()) };
            with(|runtime| finish_replay(runtime, job, fault));
            return;
        }
        with(run_again);
    }
}

/// Replays an execution graph, with the threads numbered as in its search.
fn replay_graph(graph: &protocol::Graph, threads: &[Vec<u32>]) {
    with(|runtime| graphs::run_for_graphs(runtime, graph.model, graph.code, None));
    with(|runtime| number(runtime.graph_mut(), threads));
    let replayed = graphs::replay(graph);
    ticks::set_patience(u64::MAX);
    channel::send(&match replayed {
        Ok(mut trace) => {
            trace.violations.iter_mut().for_each(|violation| violation.schedule = Schedule::default());
            Message::Replayed(Box::new(trace))
        }
        Err(why) => Message::Diverged(why),
    });
}

/// Lets the other threads go on, under the explorer `dpor`, after a thread has failed or its assumption has not held:
/// it just stops, and what the others do belongs to the class. Returns who goes on, if the execution ended in that way
/// and some thread can.
fn go_on_without(runtime: &mut Runtime, fault: &mut Option<(Fault, u64)>) -> Option<Switch> {
    let silent = matches!(fault, Some((Fault::Silent, _)));
    let goes_on =
        runtime.settings.explorer == Explorer::Dpor && !runtime.conclusion.void && !ticks::interrupted() && !silent;
    let failure = match (fault.as_ref(), &runtime.conclusion.end) {
        _ if !goes_on => return None,
        (Some(&(fault, program_counter)), _) => Some(failure_of(runtime, fault, program_counter)),
        (None, Some(End::StackOverflow)) => Some(stack_overflow(runtime)),
        (None, Some(End::Failed(_) | End::Assumed)) => None,
        (None, _) => return None,
    };
    *fault = None;
    match (failure, runtime.conclusion.end.take()) {
        // Nothing comes after an atomic block that was left in its middle.
        _ if runtime.execution.follows_left_block() => runtime.conclusion.assumed = true,
        (Some(failure), _) | (None, Some(End::Failed(failure))) => {
            let extent = Extent::of(&runtime.execution);
            runtime.conclusion.failed.push((failure, extent));
        }
        (None, _) => runtime.conclusion.assumed = true,
    }
    match turns::give_up(runtime) {
        Turn::Other(Switch::End) | Turn::Ours | Turn::Alone => None,
        Turn::Other(next) => Some(next),
    }
}

/// Prepares for a slice; returns false if it numbers threads otherwise than this process.
fn begin_slice(runtime: &mut Runtime, slice: &Slice) -> bool {
    let numbered = runtime.execution.state.threads.paths().len() > slice.threads.len()
        || runtime.execution.state.threads.number(&slice.threads).is_ok();
    runtime.recorder.restart(&slice.known);
    if runtime.steps_aside() {
        runtime.memory.shadow.divide(&slice.divisions);
        runtime.watch.numbers = Numbers::MayDiffer;
        if slice.units.iter().any(|unit| unit.prefixes != Prefixes::Whole) {
            runtime.memory.shadow.settle();
        }
    }
    runtime.remarks.clear();
    numbered
}

/// Whether the budget of the slice is used up. `looked` is the tick at which the clock was last read.
fn is_spent(runtime: &Runtime, slice: &Slice, looked: &mut u64) -> bool {
    if ticks::interrupted() || slice.executions.is_some_and(|limit| runtime.recorder.tallied.counts.executions >= limit)
    {
        return true;
    }
    if *looked == ticks::ticks() {
        return false;
    }
    *looked = ticks::ticks();
    slice.seconds.is_some_and(|seconds| runtime.recorder.tallied.seconds() >= seconds)
}

/// Returns the end of the slice if something ran outside of any control.
fn ran_outside(runtime: &Runtime) -> Option<Stopped> {
    if let Some(record) = foreign::refused() {
        return Some(Stopped::Unsupported { what: foreign::WHAT.to_owned(), place: record.place() });
    }
    let (place, library) = runtime.sites.shared_library()?;
    let what = format!("instrumented code in a shared library ({library}), whose variables cannot be reset");
    Some(Stopped::Unsupported { what, place })
}

/// Takes the execution that has ended into the counts; returns the end of the slice if it has to stop.
fn finish(runtime: &mut Runtime, fault: Option<(Fault, u64)>, stop_at_first: bool) -> Option<Stopped> {
    if let Some(refused) = ran_outside(runtime) {
        return Some(refused);
    }
    // This holds also for an execution that does not count: the next one may resume what the monitors have reported of
    // it.
    runtime.watch.reports.truncate(runtime.watch.reports_before_left_block.unwrap_or(usize::MAX));
    if let Some((Fault::Silent, program_counter)) = fault {
        run_again(runtime);
        return Some(if ticks::interrupted() {
            Stopped::Open
        } else {
            Stopped::Silent(silence(runtime, program_counter))
        });
    }
    // What has been tried of an event is counted by the places that it touches.
    if runtime.memory.shadow.divides_late() {
        run_again(runtime);
        return Some(Stopped::Divided);
    }
    // The first execution is run twice, so that a program that depends on the time or on chance is noticed.
    if runtime.conclusion.void || (fault.is_none() && !std::mem::replace(&mut runtime.run_twice, true)) {
        run_again(runtime);
        return None;
    }
    let end = match fault {
        Some((fault, program_counter)) => End::Failed(failure_of(runtime, fault, program_counter)),
        None => runtime.conclusion.end.take().expect("an execution ends for a reason"),
    };
    if let Some(what) = runtime.execution.strategy().omits().lacks {
        let place = Record::behind(runtime.recorder.trail.last_site()).place();
        return Some(Stopped::Unsupported { what: format!("{what}, under --explorer dpor"), place });
    }
    let strayed = match end {
        End::Nobody(Ending::Diverged) => Some(diverged(runtime)),
        _ => runtime.execution.strayed().map(|among| strayed(runtime, &among)),
    };
    if let Some(failure) = strayed {
        runtime.recorder.count(&runtime.execution, &[], &runtime.watch.monitors);
        runtime.recorder.fail(failure, &runtime.execution);
        return Some(Stopped::Found);
    }
    let before = runtime.recorder.tallied.counts.executions;
    if let Some(stopped) = take_end(runtime, end) {
        return Some(stopped);
    }
    if let Some(classes) = runtime.execution.strategy().stands_for() {
        runtime.recorder.tallied.take_drawn(classes, before);
    }
    runtime.execution.finish(Finish::Done);
    runtime.memory.shadow.settle();
    if stop_at_first && runtime.recorder.findings.has_found() {
        return Some(Stopped::Found);
    }
    (runtime.execution.strategy().kept() > runtime.settings.memory).then_some(Stopped::Limit(StoppedBy::Memory))
}

/// Takes an execution that has ended in this way into the counts; returns the end of the slice if it ends the search.
fn take_end(runtime: &mut Runtime, end: End) -> Option<Stopped> {
    match end {
        End::Assumed => runtime.recorder.tallied.counts.blocked += 1,
        End::StackOverflow | End::Failed(_) | End::Nobody(_) if runtime.conclusion.is_none => {
            runtime.recorder.tallied.counts.blocked += 1;
        }
        End::StackOverflow => {
            runtime.recorder.count(&runtime.execution, &runtime.watch.reports, &runtime.watch.monitors);
            let failure = stack_overflow(runtime);
            runtime.recorder.fail(failure, &runtime.execution);
            count_exit(runtime);
        }
        End::MaxEvents => {
            count_exit(runtime);
            return Some(Stopped::Limit(StoppedBy::Events));
        }
        End::IdleRounds => {
            count_exit(runtime);
            return Some(Stopped::Limit(StoppedBy::Rounds));
        }
        End::Unsupported { what, place } => return Some(Stopped::Unsupported { what, place }),
        // This is no execution of the program, or the beginning of one that has been run before.
        End::Nobody(Ending::Abandoned) => {}
        End::Nobody(_) if !runtime.conclusion.failed.is_empty() => take_failed(runtime),
        End::Nobody(Ending::Blocked) if runtime.conclusion.assumed => {}
        End::Nobody(Ending::Blocked) => {
            runtime.recorder.count(&runtime.execution, &runtime.watch.reports, &runtime.watch.monitors);
            count_exit(runtime);
        }
        End::Nobody(_) if runtime.conclusion.assumed => runtime.recorder.tallied.counts.blocked += 1,
        End::Nobody(Ending::Deadlock | Ending::Livelock) if wakes::lets_go_in_passing(runtime) => {
            runtime.execution.history.repeats_another();
            runtime.recorder.count(&runtime.execution, &runtime.watch.reports, &runtime.watch.monitors);
            count_exit(runtime);
        }
        End::Nobody(ending) => {
            runtime.recorder.count(&runtime.execution, &runtime.watch.reports, &runtime.watch.monitors);
            let exits_well = runtime.conclusion.exited.is_well();
            count_exit(runtime);
            let failures = failures_at_the_end(runtime, ending);
            // It counts also where it only repeats another one but for rounds of wait loops: that one may be beyond the
            // bound, since the switch away from such a round is free.
            if exits_well && failures.is_empty() && runtime.execution.history.counts() != Counts::BeyondBound {
                take_outcome(runtime);
                scheduled::take(runtime);
            }
            for failure in failures {
                runtime.recorder.fail(failure, &runtime.execution);
            }
        }
        End::Failed(failure) => {
            runtime.recorder.count(&runtime.execution, &runtime.watch.reports, &runtime.watch.monitors);
            runtime.recorder.fail(failure, &runtime.execution);
            count_exit(runtime);
        }
    }
    None
}

/// Has the execution, which has ended, run once more, maybe with other locations.
fn run_again(runtime: &mut Runtime) {
    runtime.execution.finish(Finish::Again);
    runtime.watch.numbers = Numbers::MayDiffer;
}

/// Takes an execution in which threads have failed, while the others went on, into the counts.
fn take_failed(runtime: &mut Runtime) {
    runtime.recorder.count(&runtime.execution, &runtime.watch.reports, &runtime.watch.monitors);
    for (failure, extent) in runtime.conclusion.failed.drain(..) {
        runtime.recorder.fail_at(failure, &runtime.execution, extent);
    }
    count_exit(runtime);
}

/// Returns the failures of an execution in which no thread can go on.
fn failures_at_the_end(runtime: &mut Runtime, ending: Ending) -> Vec<Failure> {
    match ending {
        Ending::Complete => {
            stuck::note_left_waiting(runtime);
            leaks::leaks(runtime)
        }
        _ => stuck::stuck(runtime, ending).into_iter().collect(),
    }
}

/// Returns the failure of an execution that had another event than the run before at this point.
fn diverged(runtime: &Runtime) -> Failure {
    let (index, before) = runtime.execution.history.divergence().unwrap_or((runtime.execution.history.length(), None));
    let was = before.map_or(String::new(), |step| format!(" (there was an operation of {})", name(step.thread)));
    let what = format!("event {index} is another one than in the run before{was}");
    nondeterministic(runtime, &what, (runtime.running, runtime.recorder.trail.last_site()))
}

/// Returns the failure of an execution that had other events than one that began with the same decisions, which is not
/// kept.
fn strayed(runtime: &Runtime, among: &Range<u32>) -> Failure {
    let steps = runtime.execution.history.steps();
    let thread = steps.get(among.start as usize).map_or(runtime.running, |step| step.thread);
    let site = runtime.recorder.trail.note(among.start).map_or(runtime.recorder.trail.last_site(), |note| note.site);
    let what = format!(
        "of the events {} to {}, the first of which is here, one is another one than when this schedule was run first",
        among.start,
        among.end.max(among.start + 1) - 1
    );
    nondeterministic(runtime, &what, (thread, site))
}

/// Makes a failure of a program that does not do the same under the same schedule.
fn nondeterministic(runtime: &Runtime, what: &str, (thread, at): (Thread, RecordPointer)) -> Failure {
    let call = runtime.remarks.last_external.as_ref().map_or(String::new(), |(name, record)| {
        let place = record.place();
        format!("; the last call out of the checked program was {name} at {}:{}", place.file, place.line)
    });
    let message = format!("the same schedule did not give the same events: {what}{call}");
    Failure::new(FailureKind::Nondeterministic, message, vec![site_use(Role::At, thread, at, Operation::Other)])
}

/// Returns a unit as a message has it.
const fn packed(weight: f64, prefixes: Vec<u8>) -> protocol::Unit {
    protocol::Unit { weight, prefixes: Prefixes::Packed(Packed(prefixes)) }
}

/// Returns what is known of a frame as a message has it.
fn news(news: rsmc::units::News) -> News {
    let packed = |all: Vec<Vec<u8>>| all.into_iter().map(Packed).collect();
    News { frame: Packed(news.frame), done: packed(news.done), found: packed(news.found) }
}

/// Makes the results of a slice for the tool.
fn harvest(runtime: &mut Runtime, stopped: &Stopped) -> Harvest {
    let (end, left) = match stopped {
        Stopped::Complete | Stopped::Open if runtime.graph.is_some() => (SliceEnd::Open, None),
        Stopped::Complete | Stopped::Open => (SliceEnd::Open, runtime.execution.leave()),
        Stopped::Divided => (SliceEnd::Divided, Some(Leftover::default())),
        Stopped::Ordered => (SliceEnd::Ordered, Some(Leftover::default())),
        Stopped::Found => (SliceEnd::Found, Some(Leftover::default())),
        &Stopped::Limit(by) => (SliceEnd::Limit { by, busiest: busiest_loop(runtime) }, Some(Leftover::default())),
        Stopped::Silent(silence) => (SliceEnd::Silent(silence.clone()), Some(Leftover::default())),
        Stopped::Unsupported { what, place } => {
            let (what, place) = (what.clone(), place.clone());
            (SliceEnd::Unsupported { what, place }, Some(Leftover::default()))
        }
    };
    let pack = |units: Vec<Unit>| units.into_iter().map(|unit| packed(unit.weight, unit.prefixes)).collect();
    let (left, next) = match (left, stopped) {
        (Some(Leftover { now, next }), _) => (pack(now), pack(next)),
        (None, Stopped::Complete) => (Vec::new(), Vec::new()),
        (None, _) => (vec![protocol::Unit { weight: 0.0, prefixes: Prefixes::Rest }], Vec::new()),
    };
    Harvest {
        end,
        left,
        next,
        threads: match &runtime.graph {
            Some(graph) => graph.paths.clone(),
            None => runtime.execution.state.threads.paths().map(<[u32]>::to_vec).collect(),
        },
        tally: Tally {
            uninstrumented: runtime.remarks.uninstrumented.iter().cloned().collect(),
            leaves_out_classes: runtime.execution.strategy().omits().beyond_bound,
            left_waiting: LeftWaiting::distinct(std::mem::take(&mut runtime.remarks.left_waiting)),
            assumptions: runtime.remarks.assumptions.iter().map(ToString::to_string).collect(),
            obstacle: runtime.graph.as_deref_mut().and_then(|graph| graph.sought.as_mut()?.1.take()),
            atomics: atomics(runtime),
            ..runtime.recorder.tally()
        },
        found: runtime.recorder.findings.take_found(),
        recorded: std::mem::take(&mut runtime.recorder.tallied.recorded),
        divisions: match &runtime.graph {
            Some(graph) => graph.places.divisions(),
            None => runtime.memory.shadow.divisions(),
        },
        news: Vec::new(),
        located: Vec::new(),
        facts: Vec::new(),
    }
}

/// Returns the atomic accesses and fences that executions perform, if orders are given.
fn atomics(runtime: &Runtime) -> Vec<Atomic> {
    let orders = runtime.graph.as_deref().and_then(|graph| graph.orders.as_ref());
    orders.map(Replaced::seen).unwrap_or_default()
}

/// Sends the tool the trace of a replay, or why the program did not follow the schedule.
fn finish_replay(runtime: &mut Runtime, job: &Replay, fault: Option<(Fault, u64)>) {
    if let Some(Stopped::Unsupported { what, place }) = ran_outside(runtime) {
        runtime.conclusion.end = Some(End::Unsupported { what, place });
    }
    if matches!(fault, Some((Fault::Silent, _))) {
        channel::send(&Message::Diverged(faults::describe(Fault::Silent)));
        return;
    }
    if let Some(End::Unsupported { what, place }) = &runtime.conclusion.end {
        let what = what.clone();
        channel::send(&Message::Diverged(format!("{what} at {}:{}", place.file, place.line)));
        return;
    }
    let schedule = runtime.recorder.trail.schedule(&runtime.execution);
    if let Some(difference) = difference(runtime, &job.schedule, &schedule) {
        channel::send(&Message::Diverged(difference));
        return;
    }
    let mut events = runtime.recorder.trail.trace_events(runtime.execution.history.steps(), &runtime.memory.globals);
    name_variables(runtime, &mut events);
    finish_quietly(runtime, fault);
    let found = runtime.recorder.findings.take_found().into_iter().filter_map(|sighting| sighting.violation);
    let violations = found.map(|violation| Violation { schedule: Schedule::default(), ..*violation }).collect();
    channel::send(&Message::Replayed(Box::new(Trace { events, violations })));
}

/// Gives accesses that library functions make the names of the variables that they are to.
fn name_variables(runtime: &Runtime, events: &mut [TraceEvent]) {
    for event in events.iter_mut().filter(|event| event.width > 0 && event.target.starts_with("0x")) {
        let address = event.address as usize;
        if let Some(variable) = runtime.memory.globals.variable(address) {
            event.target = match address - variable.bytes.start {
                0 => variable.name.clone(),
                offset => format!("{}+{offset}", variable.name),
            };
        }
    }
}

/// Takes an execution into the counts as [`finish`] does, but keeps its findings here.
fn finish_quietly(runtime: &mut Runtime, fault: Option<(Fault, u64)>) {
    let end = match fault {
        Some((fault, program_counter)) => End::Failed(failure_of(runtime, fault, program_counter)),
        None => runtime.conclusion.end.take().expect("an execution ends for a reason"),
    };
    runtime.recorder.count(&runtime.execution, &runtime.watch.reports, &runtime.watch.monitors);
    let failures = match end {
        End::Failed(failure) => vec![failure],
        End::Nobody(_) if runtime.conclusion.assumed || !runtime.conclusion.failed.is_empty() => {
            runtime.conclusion.failed.drain(..).map(|(failure, _)| failure).collect()
        }
        End::Nobody(ending) => failures_at_the_end(runtime, ending),
        End::StackOverflow => vec![stack_overflow(runtime)],
        _ => Vec::new(),
    };
    for failure in failures {
        runtime.recorder.fail(failure, &runtime.execution);
    }
}

/// Describes where the schedule that ran differs from the one asked for; returns `None` if it does not.
fn difference(runtime: &Runtime, wanted: &Schedule, ran: &Schedule) -> Option<String> {
    if let Some(End::Nobody(Ending::Diverged)) = runtime.conclusion.end {
        return Some(format!(
            "event {} cannot be performed by the thread of the finding",
            runtime.execution.history.length()
        ));
    }
    for (index, segment) in wanted.segments.iter().enumerate() {
        let Some(other) = ran.segments.get(index) else {
            return Some(format!("the run ends before T{} reaches line {}", segment.thread, segment.last.line));
        };
        if other != segment {
            return Some(format!(
                "T{} reaches {}:{} where the finding has T{} at {}:{}",
                other.thread, other.last.file, other.last.line, segment.thread, segment.last.file, segment.last.line
            ));
        }
    }
    None
}

/// Takes the observations of the execution, which is complete and did not fail, into the outcomes.
pub(crate) fn take_outcome(runtime: &mut Runtime) {
    if !runtime.recorder.tallied.observes() {
        return runtime.recorder.tallied.take_outcome(String::new());
    }
    let threads = &runtime.threads;
    let observed = |(index, path)| (path, &threads.of(Thread::from_index(index)).observed);
    let outcome = outcome(runtime.execution.state.threads.paths().take(threads.len()).enumerate().map(observed));
    runtime.recorder.tallied.take_outcome(outcome);
}

/// Returns the loop that has gone round most often since it was entered.
pub(crate) fn busiest_loop(runtime: &Runtime) -> Option<BusyLoop> {
    let threads = (0..runtime.threads.len()).map(Thread::from_index);
    let loops = threads.flat_map(|thread| {
        runtime.threads.of(thread).visits.active().map(move |(site, rounds)| (thread, site, rounds))
    });
    let (thread, site, rounds) = loops.filter(|&(_, _, rounds)| rounds > 0).max_by_key(|&(_, _, rounds)| rounds)?;
    let record = Record::behind(site);
    let function = record.function().to_owned();
    Some(BusyLoop { thread: thread.0.into(), place: record.place(), function, rounds })
}

/// Takes the failure and the status of an exit, in an execution that has been counted, into the counts.
pub(crate) fn count_exit(runtime: &mut Runtime) {
    if let Some((failure, extent)) = runtime.conclusion.exited.take_failure() {
        runtime.recorder.fail_at(failure, &runtime.execution, extent);
    }
    if let Some(status) = runtime.conclusion.exited.status().filter(|&status| status != 0) {
        runtime.recorder.tallied.count_status(status.into(), &runtime.execution);
    }
}
