//! The trail of the present execution, for reports: a note of each event, and, where it is wanted, a trace or a log.

use engine::atomicity::Mark;
use engine::buffers::owner_of;
use engine::event::{Event, Thread};
use engine::execution::Execution;
use engine::monitor::{Monitor, MonitorName};
use engine::step::Step;
use protocol::{Machine, Operation, Role, Schedule, Segment, SiteUse, TraceEvent};
use rustc_hash::FxHashMap;

use crate::process::debugger;
use crate::process::sites::{Record, RecordPointer};
use crate::state::failure::{Extent, site_use};
use crate::state::globals::Globals;
use crate::state::naming::{Named, tell_apart};
use crate::state::operation::{Detail, Note, target};
use crate::state::recording::Recording;

/// The most waiting stores that are kept for each event of a trace, the newest ones: nobody reads more, and an
/// execution of many events that never drains its buffers would fill memory.
const LANE: usize = 32;

/// The part of a trace that is kept of each event.
#[derive(Default)]
struct Traced {
    details: Vec<Detail>,
    /// The stores that wait after each event, a list for each monitor.
    pending: Vec<Vec<Vec<u64>>>,
}

/// The trail of the present execution.
pub(crate) struct Trail {
    notes: Vec<Note>,
    /// The details of a traced execution.
    traced: Option<Traced>,
    /// The present execution as a log, if it is wanted.
    recording: Option<Recording>,
    /// Whether `traced` or `recording` is wanted.
    has_details: bool,
    /// The methods of the monitors, whose store buffers a trace keeps.
    monitors: Vec<MonitorName>,
    /// The machine with store buffers on which the executions run, if any.
    pub(crate) machine: Option<Machine>,
}

impl Trail {
    /// Makes an empty trail.
    pub(crate) const fn new(monitors: Vec<MonitorName>) -> Self {
        Self { notes: Vec::new(), traced: None, recording: None, has_details: false, monitors, machine: None }
    }

    /// Prepares for another slice, whose first execution may begin like the last one: no trace is kept.
    pub(crate) fn restart(&mut self) {
        self.traced = None;
    }

    /// Returns the execution, which has ended, as a log, if that is wanted.
    pub(crate) fn log(&self, execution: &Execution) -> Option<String> {
        self.recording.as_ref().map(|recording| recording.log(execution))
    }

    /// Notes that a transaction of the thread begins or ends here.
    pub(crate) fn mark(&mut self, thread: Thread, mark: Mark, site: RecordPointer) {
        if let Some(recording) = &mut self.recording {
            recording.mark(thread, mark, site);
        }
    }

    /// Keeps values, addresses and the state of the store buffers of each event from now on.
    pub(crate) fn trace(&mut self) {
        self.traced = Some(Traced::default());
        self.has_details = true;
    }

    /// Keeps each execution as a log from now on.
    pub(crate) fn record(&mut self) {
        self.recording = Some(Recording::default());
        self.has_details = true;
    }

    /// Begins a new execution, whose first `shared` events are those of the last one.
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

    /// Adds an event that has happened and is not among those kept.
    #[inline]
    pub(crate) fn event(&mut self, note: Note) {
        self.notes.push(note);
    }

    /// Keeps the details of the event about to be noted, for a trace or a log.
    #[cold]
    pub(crate) fn detail(&mut self, detail: Detail) {
        if let Some(recording) = &mut self.recording {
            recording.detail(&detail);
        }
        if let Some(traced) = &mut self.traced {
            traced.details.push(detail);
        }
    }

    /// Keeps what a trace or a log needs of an event that is noted and has happened at this number of locations.
    #[cold]
    pub(crate) fn performed(&mut self, event: Event, locations: usize, monitors: &mut [Box<dyn Monitor>], note: Note) {
        if let Some(recording) = &mut self.recording {
            recording.event(event, note, locations);
        }
        self.buffers(monitors);
    }

    /// Keeps the buffers after the event, where they are kept.
    #[cold]
    pub(crate) fn buffers(&mut self, monitors: &mut [Box<dyn Monitor>]) {
        if let Some(traced) = &mut self.traced {
            let mut of =
                |model| monitors.iter_mut().flat_map(|monitor| monitor.pending(model, LANE)).map(u64::from).collect();
            traced.pending.push(self.monitors.iter().map(|&model| of(model)).collect());
            debugger::performed(traced.pending.len());
        }
    }

    /// Notes that these stores, by the indices of their events, wait in the machine's own buffers after the last event.
    #[cold]
    pub(crate) fn waiting(&mut self, stores: Vec<u64>) {
        if let Some(last) = self.traced.as_mut().and_then(|traced| traced.pending.last_mut()) {
            *last = vec![stores];
        }
    }

    /// Whether a trace or a log is kept.
    #[inline]
    pub(crate) const fn traces(&self) -> bool {
        self.has_details
    }

    /// Makes the site of an event of the execution, with its part in a violation.
    pub(crate) fn site(&self, role: Role, index: u32, execution: &Execution) -> SiteUse {
        let note = self.notes[index as usize];
        let thread = execution.history.steps()[index as usize].thread;
        site_use(role, thread, note.site, note.operation)
    }

    /// Returns the note of the event with this index.
    pub(crate) fn note(&self, event: u32) -> Option<Note> {
        self.notes.get(event as usize).copied()
    }

    /// Returns the notes of all events.
    pub(crate) fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns the place of the last event.
    pub(crate) fn last_site(&self) -> RecordPointer {
        self.notes.last().map_or(std::ptr::null(), |note| note.site)
    }

    /// Returns the execution as a schedule.
    pub(crate) fn schedule(&self, execution: &Execution) -> Schedule {
        let is_cut = execution.history.is_cut;
        Schedule { is_cut, ..self.schedule_to(execution, Extent::of(execution)) }
    }

    /// Returns the beginning of the execution, up to this extent, as a schedule.
    pub(crate) fn schedule_to(&self, execution: &Execution, extent: Extent) -> Schedule {
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
        let choices = execution.history.choices()[..extent.choices].to_vec();
        Schedule { threads, segments, choices, is_cut: false, machine: self.machine, ..Schedule::default() }
    }

    /// Returns the events of the execution; none if no trace is kept.
    pub(crate) fn trace_events(&self, steps: &[Step], globals: &Globals) -> Vec<TraceEvent> {
        let Some(traced) = &self.traced else { return Vec::new() };
        let events = steps.iter().zip(&self.notes).zip(traced.details.iter().zip(&traced.pending));
        let mut events: Vec<_> =
            events.map(|((step, note), (detail, pending))| trace_event(step, note, detail, pending)).collect();
        let named = events.iter_mut().zip(&self.notes).map(|(event, note)| Named {
            name: &mut event.target,
            address: event.address,
            width: event.width.into(),
            site: note.site,
            pointees: [(event.read, &mut event.read_pointee), (event.written, &mut event.written_pointee)],
        });
        tell_apart(named.collect(), globals);
        events
    }
}

/// Describes an event of a trace.
fn trace_event(step: &Step, note: &Note, detail: &Detail, pending: &[Vec<u64>]) -> TraceEvent {
    let record = Record::behind(note.site);
    let accesses = detail.width > 0;
    let reads = accesses && step.kind.reads();
    let writes = accesses && step.kind.writes();
    let thread = if note.operation == Operation::Commit { owner_of(step.thread) } else { step.thread };
    TraceEvent {
        thread: thread.0.into(),
        place: record.place(),
        function: record.function().to_owned(),
        operation: note.operation,
        target: target(note, detail),
        address: detail.address as u64,
        width: detail.width,
        read: reads.then_some(detail.before),
        written: writes.then_some(detail.after),
        read_pointee: String::new(),
        written_pointee: String::new(),
        read_above: if reads { detail.before_above.clone() } else { Vec::new() },
        written_above: if writes { detail.after_above.clone() } else { Vec::new() },
        pending: pending.to_vec(),
    }
}
