//! The names of threads, places and models in reports.

use protocol::{Frame, MemoryModel, MonitorName, Place, Program, Violation};

use crate::text::printable;

/// The names of threads in reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Threads {
    /// Threads have the names of a C program: `main`, `T1`.
    Created,
    /// Threads have the names of a litmus test: `P0`, `P1`.
    Declared,
}

impl Threads {
    /// Returns the names of this program's threads.
    pub(crate) fn of(program: &Program) -> Threads {
        if program.is_litmus() { Threads::Declared } else { Threads::Created }
    }

    /// Returns the name of a thread.
    pub(crate) fn name(self, thread: u32) -> String {
        match self {
            Threads::Declared => format!("P{thread}"),
            Threads::Created if thread == 0 => "main".to_string(),
            Threads::Created => format!("T{thread}"),
        }
    }
}

/// Returns a place as `file:line`, or as much of it as is known.
pub(crate) fn short_place(place: &Place) -> String {
    match (place.file.as_str(), place.line) {
        ("", _) => "(unknown place)".to_string(),
        (file, 0) => printable(file),
        (file, line) => format!("{}:{line}", printable(file)),
    }
}

/// Returns the place of a call as `file:line`.
pub(crate) fn frame_place(frame: &Frame) -> String {
    format!("{}:{}", printable(&frame.file), frame.line)
}

/// Returns a place as `file:line:column`, or as much of it as is known.
pub(crate) fn full_place(place: &Place) -> String {
    match place.column {
        0 => short_place(place),
        column => format!("{}:{column}", short_place(place)),
    }
}

/// Returns the model that a monitor watches for: `TSO`, or `TSO (burnim_tso)` for a monitor asked for by name.
pub(crate) fn model_name(monitor: MonitorName) -> String {
    let model = monitor.model().map_or("", MemoryModel::title);
    match monitor {
        MonitorName::Tso | MonitorName::Pso => model.to_string(),
        _ => format!("{model} ({})", monitor.name()),
    }
}

/// Returns the name of the memory model that a violation belongs to: that of the monitor that warns, that of its execution graph,
/// or the one explored.
pub(crate) fn model_of(violation: &Violation, explored: &'static str) -> &'static str {
    match violation.monitor {
        Some(MonitorName::TsoAtomicity) => MemoryModel::Tso.name(),
        Some(MonitorName::ScAtomicity) => MemoryModel::Sc.name(),
        monitor => {
            let graph = || violation.schedule.graph.as_ref().map(|graph| graph.model);
            monitor.and_then(MonitorName::model).or_else(graph).map_or(explored, MemoryModel::name)
        }
    }
}
