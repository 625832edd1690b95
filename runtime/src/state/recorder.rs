//! What is kept of an execution for reports, and what has been found so far.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use engine::atomicity::{Mark, Violation as Transactions};
use engine::event::{Event, EventIndex, Thread};
use engine::execution::Execution;
use engine::explore::Counts;
use engine::model::MemoryModel;
use engine::monitor::{Cycle, Monitor, MonitorName, Report};
use engine::step::Step;
use protocol::{
    BoundTally, Containment, Failed, FailureKind, FirstReport, Identity, MonitorTally, Outcomes, Place, Role, Schedule,
    Segment, Sighting, SiteUse, Tally, TraceEvent, Violation,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::process::sites::{Record, RecordPointer};
use crate::state::failure::{Extent, Failure, site_use};
use crate::state::globals::Globals;
use crate::state::naming::{Named, tell_apart};
use crate::state::operation::{Detail, Note, target};
use crate::state::recording::Recording;

fn line(site: &SiteUse) -> String {
    format!("{}:{}", site.place.file, site.place.line)
}

struct Found {
    sighting: Sighting,
    /// The run in which it was last seen.
    last: u64,
}

#[derive(Default)]
struct Count {
    reporting: u64,
    /// e′, prev, e. Of a race: the earlier access, twice, and the later.
    triples: FxHashSet<(u32, u32, u32)>,
    first: Option<FirstReport>,
    /// The preemptions of the first execution that it reported in.
    first_preemptions: Option<u32>,
    /// The run in which it last reported.
    last: u64,
}

/// So many of the stores that wait are kept for each event of a trace, the newest ones: nobody reads more, and an
/// execution of many events that never drains its buffers would fill memory.
const LANE: usize = 32;

/// A cycle of happens-before in an execution graph: e′, prev and e, as numbers of places, as places, and as events of the
/// graph. The schedule is not looked at if the places of e′ and e are known.
pub(crate) struct InGraph {
    pub(crate) triple: [u32; 3],
    pub(crate) sites: Vec<SiteUse>,
    pub(crate) events: [u64; 3],
    pub(crate) schedule: Schedule,
}

/// What a trace keeps of each event.
#[derive(Default)]
struct Traced {
    details: Vec<Detail>,
    /// The stores that wait after it, a list for each monitor.
    pending: Vec<Vec<Vec<u64>>>,
}

/// Whether something on a cycle of transactions may be left out of execution graphs.
#[derive(Default)]
struct LeftOut {
    /// The program has marked a transaction.
    has_marks: bool,
    /// A round of a wait loop was left out.
    has_rounds: bool,
}

/// Everything that is counted and kept.
pub(crate) struct Recorder {
    notes: Vec<Note>,
    /// What is kept beside of a traced execution.
    traced: Option<Traced>,
    /// The present execution as a log, if it is wanted.
    recording: Option<Recording>,
    /// Whether `traced` or `recording` is wanted.
    has_details: bool,
    /// Recorded, and not told to the tool yet.
    pub(crate) recorded: String,
    monitors: Vec<(MonitorName, MonitorName)>,
    counts: Vec<Count>,
    pairs: FxHashMap<(usize, u32, u32), usize>,
    /// The cycles of transactions, by monitor and the sites of their edges.
    cycles: BTreeMap<(usize, BTreeSet<[u32; 2]>), usize>,
    /// An execution, counted or not, left something open; so many counted ones did.
    is_open: bool,
    left_out: LeftOut,
    /// Which execution graphs have cycles of happens-before through which places, if that is counted.
    containments: Option<BTreeMap<[u32; 2], Containment>>,
    undecided: u64,
    failures: BTreeMap<String, usize>,
    found: Vec<Found>,
    /// What is told of no more than that it was seen.
    known: FxHashSet<Identity>,
    started: Instant,
    /// Every run of the program, counted executions or not.
    pub(crate) runs: u64,
    pub(crate) executions: u64,
    pub(crate) blocked: u64,
    /// How many counted executions ended with each exit status but 0.
    exit_statuses: BTreeMap<i32, u64>,
    /// The program has observed something, in whatever execution.
    observes: bool,
    outcomes: Outcomes,
    events: u64,
    by_bound: BTreeMap<u32, BoundTally>,
}

impl Recorder {
    /// Nothing found yet; the slice starts now.
    pub(crate) fn new(monitors: Vec<(MonitorName, MonitorName)>) -> Self {
        Self {
            notes: Vec::new(),
            traced: None,
            recording: None,
            has_details: false,
            recorded: String::new(),
            counts: monitors.iter().map(|_| Count::default()).collect(),
            monitors,
            pairs: FxHashMap::default(),
            cycles: BTreeMap::new(),
            is_open: false,
            left_out: LeftOut::default(),
            containments: None,
            undecided: 0,
            failures: BTreeMap::new(),
            found: Vec::new(),
            known: FxHashSet::default(),
            started: Instant::now(),
            runs: 0,
            executions: 0,
            blocked: 0,
            exit_statuses: BTreeMap::new(),
            observes: false,
            outcomes: Outcomes::default(),
            events: 0,
            by_bound: BTreeMap::new(),
        }
    }

    /// The same for another slice, whose first execution may begin like the last one.
    pub(crate) fn restart(&mut self, known: &[Identity]) {
        let again = Self::new(std::mem::take(&mut self.monitors));
        let before = std::mem::replace(self, again);
        (self.notes, self.known) = (before.notes, before.known);
        (self.recording, self.has_details) = (before.recording, before.has_details);
        self.containments = before.containments.map(|_| BTreeMap::new());
        self.observes = before.observes;
        self.known.extend(known.iter().cloned());
    }

    /// Keeps values, addresses and the state of the store buffers of each event.
    pub(crate) fn trace(&mut self) {
        self.traced = Some(Traced::default());
        self.has_details = true;
    }

    /// A transaction of the thread begins or ends here.
    pub(crate) fn mark(&mut self, thread: Thread, mark: Mark, site: RecordPointer) {
        self.left_out.has_marks = true;
        if let Some(recording) = &mut self.recording {
            recording.mark(thread, mark, site);
        }
    }

    /// Keeps each execution as a log.
    pub(crate) fn record(&mut self) {
        self.recording = Some(Recording::default());
        self.has_details = true;
    }

    /// A new execution, whose first `shared` events are those of the last one.
    pub(crate) fn begin(&mut self, shared: u32) {
        self.keep(shared);
        if let Some(traced) = &mut self.traced {
            *traced = Traced::default();
        }
        if let Some(recording) = &mut self.recording {
            recording.begin();
        }
    }

    /// Forgets all but the first `length` events.
    pub(crate) fn keep(&mut self, length: u32) {
        self.notes.truncate(length as usize);
    }

    /// An event has happened that is none of those kept.
    #[inline]
    pub(crate) fn event(&mut self, note: Note) {
        self.notes.push(note);
    }

    /// What a trace keeps of the event about to be noted.
    #[cold]
    pub(crate) fn detail(&mut self, detail: Detail) {
        if let Some(recording) = &mut self.recording {
            recording.detail(&detail);
        }
        if let Some(traced) = &mut self.traced {
            traced.details.push(detail);
        }
    }

    /// An event, which is noted, has happened at so many locations: keeps what a trace or a log needs beside.
    #[cold]
    pub(crate) fn performed(&mut self, event: Event, locations: usize, monitors: &mut [Box<dyn Monitor>], note: Note) {
        if let Some(recording) = &mut self.recording {
            recording.event(event, note, locations);
        }
        self.buffers(monitors);
    }

    /// The buffers after the event, where they are kept.
    #[cold]
    pub(crate) fn buffers(&mut self, monitors: &mut [Box<dyn Monitor>]) {
        let names = &self.monitors;
        if let Some(traced) = &mut self.traced {
            let mut of =
                |model| monitors.iter_mut().flat_map(|monitor| monitor.pending(model, LANE)).map(u64::from).collect();
            traced.pending.push(names.iter().map(|&(_, model)| of(model)).collect());
        }
    }

    /// Whether a trace or a log is kept.
    #[inline]
    pub(crate) const fn traces(&self) -> bool {
        self.has_details
    }

    /// Seconds since the slice began.
    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Takes an execution that has ended into the counts.
    pub(crate) fn count(&mut self, execution: &Execution, reports: &[Report], monitors: &[Box<dyn Monitor>]) {
        self.runs += 1;
        if let Some(recording) = &self.recording {
            self.recorded.push_str(&recording.log(execution));
        }
        let counts = execution.history.counts() == Counts::Once;
        if counts {
            self.executions += 1;
            self.events += u64::from(execution.history.length());
        }
        let preemptions = execution.history.preemptions();
        if let Some(preemptions) = preemptions {
            self.by_bound.entry(preemptions).or_default().executions += u64::from(counts);
        }
        for report in reports {
            for index in 0..self.monitors.len() {
                if self.monitors[index].1 == report.monitor() {
                    self.report(index, report, monitors, execution, counts);
                }
            }
        }
    }

    /// The execution, which has been counted, ended with this exit status.
    #[cold]
    pub(crate) fn count_status(&mut self, status: i32, execution: &Execution) {
        if execution.history.counts() == Counts::Once {
            *self.exit_statuses.entry(status).or_default() += 1;
        }
    }

    /// The running execution observes something.
    pub(crate) const fn observe(&mut self) {
        self.observes = true;
    }

    /// Whether some execution has observed something.
    pub(crate) const fn observes(&self) -> bool {
        self.observes
    }

    /// Takes the outcome of a complete execution within the bound, which did not fail; it is empty if nothing was observed.
    pub(crate) fn take_outcome(&mut self, outcome: String) {
        if outcome.is_empty() {
            self.outcomes.insert_silent();
        } else {
            self.outcomes.insert(outcome);
        }
    }

    fn report(
        &mut self,
        monitor: usize,
        report: &Report,
        monitors: &[Box<dyn Monitor>],
        execution: &Execution,
        counts: bool,
    ) {
        match *report {
            Report::Cycle(cycle) => self.cycle(monitor, cycle, execution, counts),
            Report::Race { earlier, later } => self.race(monitor, earlier, later, execution, counts),
            Report::Transactions { violation, .. } => {
                let violation = monitors.iter().find_map(|monitor| monitor.violation(violation));
                self.transactions(monitor, violation.expect("a monitor reported it"), execution, counts);
            }
            Report::Open(_) => {
                self.is_open = true;
                self.undecided += u64::from(counts);
            }
        }
    }

    fn cycle(&mut self, monitor: usize, cycle: Cycle, execution: &Execution, counts: bool) {
        let Cycle { delayed, previous, overtaking, .. } = cycle;
        let [delayed, previous, overtaking] =
            [delayed, previous, overtaking].map(|index| execution.history.steps()[index as usize].site.0);
        self.reporting(monitor, execution.history.preemptions(), counts);
        self.counts[monitor].triples.insert((delayed, previous, overtaking));
        self.pair(monitor, (delayed, overtaking), counts, |recorder| recorder.sc_violation(monitor, cycle, execution));
    }

    fn race(&mut self, monitor: usize, earlier: u32, later: u32, execution: &Execution, counts: bool) {
        let [first, second] = [earlier, later].map(|index| execution.history.steps()[index as usize].site.0);
        self.reporting(monitor, execution.history.preemptions(), counts);
        self.counts[monitor].triples.insert((first, first, second));
        // It is the same race, whoever comes first.
        self.pair(monitor, (first.min(second), first.max(second)), counts, |recorder| {
            recorder.data_race(monitor, earlier, later, execution)
        });
    }

    /// Takes what the monitor reported of this pair of places.
    fn pair(&mut self, monitor: usize, pair: (u32, u32), counts: bool, describe: impl FnOnce(&Self) -> Violation) {
        let next = self.found.len();
        let index = *self.pairs.entry((monitor, pair.0, pair.1)).or_insert(next);
        if index == next {
            let identity = Identity::Reported(self.monitors[monitor].0, pair.0, pair.1);
            self.discover(identity, describe);
        }
        self.seen(index, counts);
    }

    /// Takes a cycle of transactions: another one only if its edges are at other places.
    fn transactions(&mut self, monitor: usize, cycle: &Transactions, execution: &Execution, counts: bool) {
        self.reporting(monitor, execution.history.preemptions(), counts);
        let site = |index: u32| execution.history.steps()[index as usize].site.0;
        let edges = cycle.edges.iter().map(|edge| [site(edge.from), site(edge.to)]);
        self.cycle_at(monitor, edges.collect(), counts, |recorder| {
            recorder.not_serializable(monitor, cycle, execution)
        });
    }

    fn cycle_at(
        &mut self,
        monitor: usize,
        edges: BTreeSet<[u32; 2]>,
        counts: bool,
        describe: impl FnOnce(&Self) -> Violation,
    ) {
        let next = self.found.len();
        let index = *self.cycles.entry((monitor, edges.clone())).or_insert(next);
        if index == next {
            self.discover(Identity::Transactions(self.monitors[monitor].0, edges), describe);
        }
        self.seen(index, counts);
    }

    /// A monitor has reported on the present execution, which has so many preemptions.
    fn reporting(&mut self, monitor: usize, preemptions: Option<u32>, counts: bool) {
        let name = self.monitors[monitor].0;
        let count = &mut self.counts[monitor];
        if counts && count.last != self.runs {
            count.last = self.runs;
            count.reporting += 1;
            if let Some(bound) = preemptions.and_then(|preemptions| self.by_bound.get_mut(&preemptions)) {
                *bound.reporting.entry(name).or_default() += 1;
            }
        }
        if count.first.is_none() {
            let seconds = self.started.elapsed().as_secs_f64();
            count.first = Some(FirstReport { executions: self.executions, seconds });
            count.first_preemptions = preemptions;
        }
    }

    /// Adds what has not been found so far, described unless it is known.
    fn discover(&mut self, identity: Identity, describe: impl FnOnce(&Self) -> Violation) {
        let violation = (!self.known.contains(&identity)).then(|| describe(self));
        self.add(identity, violation);
    }

    fn add(&mut self, identity: Identity, violation: Option<Violation>) {
        let violation = violation.map(Box::new);
        self.found.push(Found { sighting: Sighting { identity, executions: 0, violation }, last: 0 });
    }

    fn seen(&mut self, index: usize, counts: bool) {
        let found = &mut self.found[index];
        if counts && found.last != self.runs {
            found.last = self.runs;
            found.sighting.executions += 1;
        }
    }

    /// An event of the execution, with a part in a violation.
    fn site(&self, role: Role, index: u32, execution: &Execution) -> SiteUse {
        let note = self.notes[index as usize];
        let thread = execution.history.steps()[index as usize].thread;
        site_use(role, thread, note.site, note.operation)
    }

    fn sc_violation(&self, monitor: usize, cycle: Cycle, execution: &Execution) -> Violation {
        let indices = [cycle.delayed, cycle.previous, cycle.overtaking];
        let roles = [Role::Delayed, Role::Previous, Role::Overtaking];
        let sites: Vec<SiteUse> =
            indices.into_iter().zip(roles).map(|(index, role)| self.site(role, index, execution)).collect();
        self.cycle_at_places(monitor, sites, indices.map(u64::from), self.schedule(execution))
    }

    fn cycle_at_places(&self, monitor: usize, sites: Vec<SiteUse>, events: [u64; 3], schedule: Schedule) -> Violation {
        let machine = self.monitors[monitor].0.model().map_or("", MemoryModel::title);
        let message = format!(
            "under {machine} the {} at {} can take effect before the store at {}, which no sequentially consistent \
             execution explains",
            sites[2].operation,
            line(&sites[2]),
            line(&sites[0])
        );
        Violation {
            kind: FailureKind::ScViolation,
            monitor: Some(self.monitors[monitor].0),
            message,
            sites,
            events: Some(events),
            program_counter: None,
            schedule,
        }
    }

    fn not_serializable(&self, monitor: usize, cycle: &Transactions, execution: &Execution) -> Violation {
        let parts = parts(cycle);
        let sites = parts.map(|(role, event)| self.site(role, event, execution)).collect();
        self.unserializable(monitor, sites, self.schedule(execution))
    }

    fn unserializable(&self, monitor: usize, sites: Vec<SiteUse>, schedule: Schedule) -> Violation {
        let monitor = self.monitors[monitor].0;
        let message = protocol::cycle_in_words(monitor, &sites);
        let (events, program_counter) = (None, None);
        Violation {
            kind: FailureKind::Atomicity,
            monitor: Some(monitor),
            message,
            sites,
            events,
            program_counter,
            schedule,
        }
    }

    fn data_race(&self, monitor: usize, earlier: u32, later: u32, execution: &Execution) -> Violation {
        let sites = vec![self.site(Role::First, earlier, execution), self.site(Role::Second, later, execution)];
        let message = format!(
            "the {} at {} and the {} at {} are not ordered, and not both are atomic",
            sites[0].operation,
            line(&sites[0]),
            sites[1].operation,
            line(&sites[1])
        );
        Violation {
            kind: FailureKind::Race,
            monitor: Some(self.monitors[monitor].0),
            message,
            sites,
            events: None,
            program_counter: None,
            schedule: self.schedule(execution),
        }
    }

    /// Takes a failed execution into the counts.
    pub(crate) fn fail(&mut self, failure: Failure, execution: &Execution) {
        self.fail_at(failure, execution, Extent::of(execution));
    }

    /// The same of one that had come so far when it failed.
    pub(crate) fn fail_at(&mut self, failure: Failure, execution: &Execution, extent: Extent) {
        let known = self.is_known(&failure);
        let schedule = if known { Schedule::default() } else { self.schedule_to(execution, extent) };
        self.fail_as(failure, schedule, execution.history.counts());
    }

    /// Whether an execution has failed so before.
    pub(crate) fn is_known(&self, failure: &Failure) -> bool {
        self.failures.contains_key(&failure.key())
    }

    /// Takes a failed execution with this schedule into the counts. The schedule is not looked at if the failure is
    /// known.
    pub(crate) fn fail_as(&mut self, failure: Failure, schedule: Schedule, counts: Counts) {
        let next = self.found.len();
        let words = failure.key();
        let index = *self.failures.entry(words.clone()).or_insert(next);
        let Failure { kind, message, sites, program_counter } = failure;
        if index == next {
            let identity = Identity::Failed(words);
            let violation = Violation { kind, monitor: None, message, sites, events: None, program_counter, schedule };
            let violation = (!self.known.contains(&identity)).then_some(violation);
            self.add(identity, violation);
        }
        self.seen(index, counts == Counts::Once);
    }

    /// Takes an execution graph of so many events into the counts.
    pub(crate) fn count_graph(&mut self, events: u64) {
        self.runs += 1;
        self.executions += 1;
        self.events += events;
    }

    /// A round of a wait loop is left out of an execution graph, as all others that do nothing.
    pub(crate) const fn leaves_out_a_round(&mut self) {
        self.left_out.has_rounds = true;
    }

    /// Whether a cycle that is looked for, and was not found, may go through what is left out of execution graphs.
    fn may_miss_a_cycle(&self) -> bool {
        let of_transactions = self.left_out.has_marks && self.watches_transactions();
        let of_accesses = self.reports_cycles() && self.pairs.is_empty();
        self.left_out.has_rounds && (of_transactions || of_accesses)
    }

    /// Whether a monitor watches transactions.
    pub(crate) fn watches_transactions(&self) -> bool {
        self.monitors.iter().any(|(name, _)| name.watches_transactions())
    }

    /// From now on cycles of happens-before in execution graphs are counted.
    pub(crate) fn count_cycles(&mut self) {
        self.containments = Some(BTreeMap::new());
    }

    /// Whether cycles of happens-before in execution graphs are counted or reported.
    pub(crate) fn watches_cycles(&self) -> bool {
        self.containments.is_some() || self.reports_cycles()
    }

    /// Whether a monitor reports cycles of happens-before in execution graphs.
    pub(crate) fn reports_cycles(&self) -> bool {
        self.monitor_of_cycles().is_some()
    }

    fn monitor_of_cycles(&self) -> Option<usize> {
        self.monitors.iter().position(|(name, _)| name.model().is_some())
    }

    /// Whether no execution graph had a cycle through a store and an access that overtakes it at these places.
    pub(crate) fn is_new_pair(&self, delayed: u32, overtaking: u32) -> bool {
        let monitor = self.monitor_of_cycles().unwrap_or_default();
        !self.pairs.contains_key(&(monitor, delayed, overtaking))
    }

    /// Takes a cycle of happens-before in the present execution graph.
    pub(crate) fn cycle_of_graph(&mut self, seen: InGraph) {
        let Some(monitor) = self.monitor_of_cycles() else { return };
        let InGraph { triple, sites, events, schedule } = seen;
        let [delayed, previous, overtaking] = triple;
        self.reporting(monitor, None, true);
        self.counts[monitor].triples.insert((delayed, previous, overtaking));
        self.pair(monitor, (delayed, overtaking), true, |recorder| {
            recorder.cycle_at_places(monitor, sites, events, schedule)
        });
    }

    /// The present execution graph has a cycle through two places, and these failures.
    pub(crate) fn contains(&mut self, pair: [u32; 2], places: [Place; 2], failures: &[Failure]) {
        let Some(containments) = &mut self.containments else { return };
        let [delayed, overtaking] = places;
        let new = Containment { delayed, overtaking, executions: 0, failing: 0, failure: None };
        let containment = containments.entry(pair).or_insert(new);
        containment.executions += 1;
        if let Some(Failure { kind, message, sites, .. }) = failures.first() {
            containment.failing += 1;
            let place = sites.first().map(|site| site.place.clone()).unwrap_or_default();
            containment.failure.get_or_insert_with(|| Failed { kind: *kind, message: message.clone(), place });
        }
    }

    /// Whether a cycle of transactions in an execution graph, with edges between these places, is a new one.
    ///
    /// One monitor of transactions alone watches graphs.
    pub(crate) fn is_new_cycle(&self, edges: &BTreeSet<[u32; 2]>) -> bool {
        !self.cycles.contains_key(&(self.monitor_of_transactions(), edges.clone()))
    }

    fn monitor_of_transactions(&self) -> usize {
        self.monitors.iter().position(|(name, _)| name.watches_transactions()).unwrap_or_default()
    }

    /// Takes a cycle of transactions in the present execution graph, with edges between these places. The schedule is
    /// not looked at if the cycle is known.
    pub(crate) fn cycle_in_graph(
        &mut self,
        cycle: &Transactions,
        edges: BTreeSet<[u32; 2]>,
        events: &[(Thread, Note)],
        schedule: Schedule,
    ) {
        let monitor = self.monitor_of_transactions();
        self.reporting(monitor, None, true);
        self.cycle_at(monitor, edges, true, |recorder| {
            let site = |(role, event): (Role, EventIndex)| {
                let (thread, note) = events[event as usize];
                site_use(role, thread, note.site, note.operation)
            };
            recorder.unserializable(monitor, parts(cycle).map(site).collect(), schedule)
        });
    }

    /// Whether anything has been found.
    pub(crate) fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// What the event with this index was.
    pub(crate) fn note(&self, event: u32) -> Option<Note> {
        self.notes.get(event as usize).copied()
    }

    /// What each event was.
    pub(crate) fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Where the last event was.
    pub(crate) fn last_site(&self) -> RecordPointer {
        self.notes.last().map_or(std::ptr::null(), |note| note.site)
    }

    /// The execution as a schedule.
    pub(crate) fn schedule(&self, execution: &Execution) -> Schedule {
        self.schedule_to(execution, Extent::of(execution))
    }

    /// The beginning of the execution as a schedule.
    fn schedule_to(&self, execution: &Execution, extent: Extent) -> Schedule {
        let mut seen: FxHashMap<(Thread, u32), u64> = FxHashMap::default();
        let mut segments: Vec<Segment> = Vec::new();
        for (step, note) in execution.history.steps().iter().zip(&self.notes).take(extent.events) {
            let nth = seen.entry((step.thread, step.site.0)).or_default();
            *nth += 1;
            let last = Record::behind(note.site).place();
            match segments.last_mut().filter(|segment| segment.thread == u32::from(step.thread.0)) {
                Some(segment) => {
                    segment.events += 1;
                    (segment.last, segment.nth) = (last, *nth);
                }
                None => segments.push(Segment { thread: step.thread.0.into(), events: 1, last, nth: *nth }),
            }
        }
        let threads = execution.state.threads.paths().map(<[u32]>::to_vec).collect();
        Schedule { threads, segments, choices: execution.history.choices()[..extent.choices].to_vec(), graph: None }
    }

    /// The events of the execution; none if no trace is kept.
    pub(crate) fn trace_events(&self, steps: &[Step], globals: &Globals) -> Vec<TraceEvent> {
        let Some(traced) = &self.traced else { return Vec::new() };
        let events = steps.iter().zip(&self.notes).zip(traced.details.iter().zip(&traced.pending));
        let mut events: Vec<_> =
            events.map(|((step, note), (detail, pending))| trace_event(step, note, detail, pending)).collect();
        let named = events.iter_mut().map(|event| Named { name: &mut event.target, address: event.address });
        tell_apart(named.collect(), globals);
        events
    }

    /// What was found.
    pub(crate) fn take_found(&mut self) -> Vec<Sighting> {
        self.found.drain(..).map(|found| found.sighting).collect()
    }

    /// What was counted.
    pub(crate) fn tally(&self) -> Tally {
        let monitors = self.counts.iter().map(|count| {
            let mut triples: Vec<(u32, u32, u32)> = count.triples.iter().copied().collect();
            triples.sort_unstable();
            let (first, first_preemptions) = (count.first.clone(), count.first_preemptions);
            MonitorTally { reporting: count.reporting, triples, first, first_preemptions }
        });
        Tally {
            executions: self.executions,
            blocked: self.blocked,
            runs: self.runs,
            events: self.events,
            seconds: self.started.elapsed().as_secs_f64(),
            by_bound: self.by_bound.clone(),
            monitors: monitors.collect(),
            exit_statuses: self.exit_statuses.clone(),
            outcomes: self.outcomes.clone(),
            is_open: self.is_open || self.may_miss_a_cycle(),
            undecided: self.undecided,
            containments: self.containments.iter().flat_map(BTreeMap::values).cloned().collect(),
            leaves_out_rounds: self.left_out.has_rounds,
            ..Tally::default()
        }
    }
}

/// The events of a cycle of transactions, with the part that each one plays.
pub(crate) fn parts(cycle: &Transactions) -> impl Iterator<Item = (Role, EventIndex)> {
    let edges = cycle.edges.iter().flat_map(|edge| {
        let to = if edge.is_reordered() { Role::Overtaken } else { Role::To };
        [(Role::From, edge.from), (to, edge.to)]
    });
    edges.chain(cycle.delays.iter().flat_map(|delay| [(Role::Delayed, delay.store), (Role::Until, delay.after)]))
}

fn trace_event(step: &Step, note: &Note, detail: &Detail, pending: &[Vec<u64>]) -> TraceEvent {
    let record = Record::behind(note.site);
    let accesses = detail.width > 0;
    let reads = accesses && step.kind.reads();
    let writes = accesses && step.kind.writes();
    TraceEvent {
        thread: step.thread.0.into(),
        place: record.place(),
        function: record.function().to_owned(),
        operation: note.operation,
        target: target(note, detail),
        address: detail.address as u64,
        width: detail.width,
        read: reads.then_some(detail.before),
        written: writes.then_some(detail.after),
        read_above: if reads { detail.before_above.clone() } else { Vec::new() },
        written_above: if writes { detail.after_above.clone() } else { Vec::new() },
        pending: pending.to_vec(),
    }
}
