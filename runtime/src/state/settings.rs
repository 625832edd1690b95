//! The settings of a job, as far as threads have to know them.

use protocol::{ExitStatus, Explorer, Wakeups};

/// The settings of a job.
pub(crate) struct Settings {
    pub(crate) wakeups: Wakeups,
    pub(crate) explorer: Explorer,
    /// The most events of an execution.
    pub(crate) max_events: u32,
    /// The most bytes that may be kept of executions still to be run.
    pub(crate) memory: u64,
    /// The meaning of an exit status other than 0.
    pub(crate) exit_status: ExitStatus,
    /// The number of events of the schedule, if one schedule is run again.
    pub(crate) planned: Option<u32>,
}

impl Settings {
    /// Makes settings without limits.
    pub(crate) const fn new() -> Self {
        Self {
            wakeups: Wakeups::Signalled,
            explorer: Explorer::Bounded,
            max_events: u32::MAX,
            memory: u64::MAX,
            exit_status: ExitStatus::Ignored,
            planned: None,
        }
    }
}
