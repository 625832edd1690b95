//! What a job asks for, as far as threads have to know it.

use protocol::{ExitStatus, Explorer, Wakeups};

/// What the job asks for.
pub(crate) struct Settings {
    pub(crate) wakeups: Wakeups,
    pub(crate) explorer: Explorer,
    pub(crate) max_events: u32,
    /// Bytes that may be kept of what is still to be run.
    pub(crate) memory: u64,
    /// What an exit status other than 0 is.
    pub(crate) exit_status: ExitStatus,
    /// Where one schedule is run again: how many events it has.
    pub(crate) planned: Option<u32>,
}

impl Settings {
    /// No limits.
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
