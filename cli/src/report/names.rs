//! How reports call threads, places and models.

use protocol::{Frame, MemoryModel, MonitorName, Place, Program, Violation};

use crate::text::printable;

/// How threads are called in reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Threads {
    /// The names of a C program's threads: `main`, `T1`.
    Created,
    /// The names of a litmus test's threads: `P0`, `P1`.
    Declared,
}

impl Threads {
    /// How the threads of this program are called.
    pub(crate) fn of(program: &Program) -> Threads {
        if program.is_litmus() { Threads::Declared } else { Threads::Created }
    }

    /// The name of a thread.
    pub(crate) fn name(self, thread: u32) -> String {
        match self {
            Threads::Declared => format!("P{thread}"),
            Threads::Created if thread == 0 => "main".to_string(),
            Threads::Created => format!("T{thread}"),
        }
    }
}

/// `file:line`, or what is known of it.
pub(crate) fn short_place(place: &Place) -> String {
    match (place.file.as_str(), place.line) {
        ("", _) => "(unknown place)".to_string(),
        (file, 0) => printable(file),
        (file, line) => format!("{}:{line}", printable(file)),
    }
}

/// `file:line` of a call.
pub(crate) fn frame_place(frame: &Frame) -> String {
    format!("{}:{}", printable(&frame.file), frame.line)
}

/// `file:line:column`, or what is known of it.
pub(crate) fn full_place(place: &Place) -> String {
    match place.column {
        0 => short_place(place),
        column => format!("{}:{column}", short_place(place)),
    }
}

/// The model that a monitor watches for: `TSO`, or `TSO (burnim_tso)` for one asked for by name.
pub(crate) fn model_name(monitor: MonitorName) -> String {
    let model = monitor.model().map_or("", MemoryModel::title);
    match monitor {
        MonitorName::Tso | MonitorName::Pso => model.to_string(),
        _ => format!("{model} ({})", monitor.name()),
    }
}

/// The name of the memory model that a violation belongs to: the one whose monitor warns, that of its execution graph, or the one
/// explored.
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
