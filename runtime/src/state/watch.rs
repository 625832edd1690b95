//! The monitors, and what they have reported of the present execution.

use engine::monitor::{Monitor, Report};

/// Whether locations have the numbers that they had in the last execution.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// The locations have the same numbers.
    AsBefore,
    /// The locations may have other numbers.
    MayDiffer,
}

/// The monitors at work.
pub(crate) struct Watch {
    pub(crate) monitors: Vec<Box<dyn Monitor>>,
    pub(crate) reports: Vec<Report>,
    /// The number of first events that the monitors know from the last execution.
    pub(crate) watched: u32,
    /// Whether the locations of the next execution have their numbers from the last one.
    pub(crate) numbers: Numbers,
    /// The number of reports when the first thread stopped in the middle of an atomic block while the others went on:
    /// later reports may follow from what nobody can see.
    pub(crate) reports_before_left_block: Option<usize>,
}

impl Watch {
    /// Makes a watch that has seen nothing.
    pub(crate) fn new(monitors: Vec<Box<dyn Monitor>>) -> Self {
        Self { monitors, reports: Vec::new(), watched: 0, numbers: Numbers::MayDiffer, reports_before_left_block: None }
    }

    /// Begins a new execution, whose first `shared` events are those of the last one. The monitors need not watch once
    /// more what they saw then, if all of them can go back to that and no trace needs their buffers.
    pub(crate) fn begin(&mut self, shared: u32, traces: bool) {
        self.reports_before_left_block = None;
        let numbers = std::mem::replace(&mut self.numbers, Numbers::AsBefore);
        let repeats = numbers == Numbers::AsBefore && shared > 0 && !traces;
        // The monitors for which one execution of each class is enough come first, and can.
        if repeats && self.monitors.iter_mut().rev().all(|monitor| monitor.can_resume(shared)) {
            self.monitors.iter_mut().for_each(|monitor| monitor.resume(shared, &mut self.reports));
            self.watched = shared;
        } else {
            self.monitors.iter_mut().for_each(|monitor| monitor.begin());
            self.reports.clear();
            self.watched = 0;
        }
    }
}
