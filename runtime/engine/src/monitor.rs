//! Monitors: they watch one sequentially consistent execution, event by event, and report.

use crate::event::{Event, Location};

pub mod burnim;
pub mod happens_before;

/// Watches executions, one after the other.
pub trait Monitor {
    /// Forgets the last execution; the next event is the first of a new one.
    fn begin(&mut self);

    /// Takes the next event of the execution. `locations` are the locations of an access, in ascending order and
    /// without duplicates; empty for an event that is no access. Reports are appended to `reports`.
    fn event(&mut self, event: &Event, locations: &[Location], reports: &mut Vec<Report>);

    /// The stores that wait in some buffer of the simulated machine after the last event, at most so many, the newest
    /// ones, in ascending order; none if the monitor simulates no machine of this model. Asked after each event, this
    /// costs what it returns.
    fn pending(&mut self, model: Model, at_most: usize) -> Vec<EventIndex>;
}

/// The place of an event in its execution: 0 is the first.
pub type EventIndex = u32;

/// What a monitor saw: a relaxed execution close to this one has the cycle e′ →hb* prev →po e →c e′.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Report {
    /// Which of the monitors that watch.
    pub monitor: Model,
    /// e′: the store that still waits in its buffer.
    pub delayed: EventIndex,
    /// prev: the event before `overtaking` in its thread.
    pub previous: EventIndex,
    /// e: the access that takes effect before `delayed` does; always the event just given.
    pub overtaking: EventIndex,
}

/// The relaxed model that a monitor simulates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Model {
    /// Total store order: one first-in first-out store buffer a thread (x86).
    Tso,
    /// Partial store order: one store buffer a thread and location (SPARC).
    Pso,
}
