//! Monitors: each watches one sequentially consistent execution, event by event, and reports what it sees.

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

/// A monitor of executions, which it watches one after the other.
pub trait Monitor {
    /// Forgets the last execution; the next event is the first of a new one.
    fn begin(&mut self);

    /// Whether [`Monitor::resume`] can go back to the point at which the last execution had `events` events, and doing so is less
    /// work than being told of them again. From this question on, the monitor keeps what it needs to go back.
    fn can_resume(&mut self, _events: EventIndex) -> bool {
        false
    }

    /// Begins an execution whose first `events` events are those of the last one; called instead of [`Monitor::begin`]. The
    /// monitor is not told of these events again. `reports` holds the reports on the last execution, of which those that the
    /// monitor made of the shared events are kept.
    fn resume(&mut self, _events: EventIndex, _reports: &mut Vec<Report>) {
        unreachable!("asked for only where it can be done");
    }

    /// Takes the next event of the execution. `locations` are the locations of an access, in ascending order and
    /// without duplicates; empty for an event that is no access. Reports are appended to `reports`.
    fn event(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>);

    /// Returns the stores that wait, after the last event, in some buffer of the machine that this monitor simulates under the
    /// name `monitor`: at most `at_most` of them, the newest ones, in ascending order. Returns none if this monitor has another
    /// name, or simulates no machine. Asked after each event, this costs what it returns.
    fn pending(&mut self, monitor: MonitorName, at_most: usize) -> Vec<EventIndex>;

    /// Notes that a transaction of the thread begins or ends here, between two events.
    fn mark(&mut self, _thread: Thread, _mark: Mark) {}

    /// Returns the cycle that [`Report::Transactions`] with this number reports in this execution, if this monitor made that
    /// report.
    fn violation(&self, _index: u32) -> Option<&Violation> {
        None
    }
}

/// A report of a monitor on the execution that it watches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Report {
    /// A relaxed execution close to this one has the cycle e′ →hb* prev →po e →c e′; or, if e accesses several locations, e′ →hb*
    /// x →c e →c e′.
    Cycle(Cycle),
    /// The two accesses are a data race.
    Race {
        /// The access that came first.
        earlier: EventIndex,
        /// The access that came second; always the event just given.
        later: EventIndex,
    },
    /// Several transactions lie on a cycle.
    Transactions {
        /// The monitor that reports.
        monitor: MonitorName,
        /// The number of the cycle, for [`Monitor::violation`].
        violation: u32,
    },
    /// What the monitor of this name looks for may occur in an execution that is close to this one but is not sequentially
    /// consistent. Reported at most once per execution.
    Open(MonitorName),
}

impl Report {
    /// Returns the monitor that made the report.
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
    /// The monitor that reports.
    pub monitor: MonitorName,
    /// e′: the store that still waits in its buffer.
    pub delayed: EventIndex,
    /// prev: the event before `overtaking` in its thread.
    pub previous: EventIndex,
    /// e: the access that takes effect before `delayed` does; always the event just given.
    pub overtaking: EventIndex,
}

/// Adds the report that the next event could overtake the store `delayed`, unless `reports` has it already.
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
