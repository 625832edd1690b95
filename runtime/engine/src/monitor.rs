//! Monitors: they watch one sequentially consistent execution, event by event, and report.

use crate::atomicity::{Mark, Violation};
use crate::event::{Event, EventIndex, Location, Thread};
pub use name::{Coverage, MonitorName};

pub mod atomicity;
pub mod burnim;
pub mod by_name;
mod commit_order;
pub mod exact;
mod general_clock;
pub mod happens_before;
mod journal;
mod name;
pub mod prefix;
pub mod race;
mod relaxed_order;
pub mod sober;
mod travelling;
mod writes;

/// Watches executions, one after the other.
pub trait Monitor {
    /// Forgets the last execution; the next event is the first of a new one.
    fn begin(&mut self);

    /// Whether [`Monitor::resume`] can go back to where the last execution had so many events, and that is less work than to
    /// be told of them again. Once that was asked, the monitor keeps what it needs for it.
    fn can_resume(&mut self, _events: EventIndex) -> bool {
        false
    }

    /// Instead of [`Monitor::begin`]: the next execution begins with so many events of the last one, of which the monitor is
    /// not told again. `reports`, those of the last execution, keep those that it made of these events.
    fn resume(&mut self, _events: EventIndex, _reports: &mut Vec<Report>) {
        unreachable!("asked for only where it can be done");
    }

    /// Takes the next event of the execution. `locations` are the locations of an access, in ascending order and
    /// without duplicates; empty for an event that is no access. Reports are appended to `reports`.
    fn event(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>);

    /// The stores that wait in some buffer of the machine that the monitor of this name simulates, after the last event, at most so many, the newest
    /// ones, in ascending order; none if this monitor is another one, or simulates no machine. Asked after each event,
    /// this costs what it returns.
    fn pending(&mut self, monitor: MonitorName, at_most: usize) -> Vec<EventIndex>;

    /// A transaction of the thread begins or ends here, between two events.
    fn mark(&mut self, _thread: Thread, _mark: Mark) {}

    /// What [`Report::Transactions`] with this number in this execution reports, if it is this monitor's.
    fn violation(&self, _index: u32) -> Option<&Violation> {
        None
    }
}

/// What a monitor saw.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Report {
    /// A relaxed execution close to this one has the cycle e′ →hb* prev →po e →c e′; or e′ →hb* x →c e →c e′, if e
    /// accesses several locations.
    Cycle(Cycle),
    /// The two accesses are a data race.
    Race {
        /// The one that came first.
        earlier: EventIndex,
        /// The other one; always the event just given.
        later: EventIndex,
    },
    /// Transactions on a cycle.
    Transactions {
        /// Which of the monitors that watch.
        monitor: MonitorName,
        /// Which cycle: see [`Monitor::violation`].
        violation: u32,
    },
    /// What the monitor of this name looks for may be in an execution close to this one, which is none of SC: once for an
    /// execution.
    Open(MonitorName),
}

impl Report {
    /// Which of the monitors that watch.
    #[must_use]
    pub const fn monitor(&self) -> MonitorName {
        match self {
            Self::Cycle(cycle) => cycle.monitor,
            Self::Race { .. } => MonitorName::Race,
            Self::Transactions { monitor, .. } | Self::Open(monitor) => *monitor,
        }
    }
}

/// A cycle in the happens-before of a relaxed execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cycle {
    /// Which of the monitors that watch.
    pub monitor: MonitorName,
    /// e′: the store that still waits in its buffer.
    pub delayed: EventIndex,
    /// prev: the event before `overtaking` in its thread.
    pub previous: EventIndex,
    /// e: the access that takes effect before `delayed` does; always the event just given.
    pub overtaking: EventIndex,
}

/// Adds the report that the event just about to happen could overtake a store, unless it is there already.
fn add_report(
    monitor: MonitorName,
    delayed: EventIndex,
    past: &happens_before::Past<'_>,
    first_report: usize,
    reports: &mut Vec<Report>,
) {
    // A thread of a program has a previous event, or was created; a thread of a bare run may have neither.
    let previous = past.previous().unwrap_or(delayed);
    let report = Report::Cycle(Cycle { monitor, delayed, previous, overtaking: past.next() });
    if !reports[first_report..].contains(&report) {
        reports.push(report);
    }
}
