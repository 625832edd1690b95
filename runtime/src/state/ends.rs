//! What is to be done when a thread ends.

use std::ffi::c_void;

use engine::event::Object;

use crate::state::objects::Call;

pub(crate) type Routine = unsafe extern "C" fn(*mut c_void);

/// What is to be done if the thread ends here.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// A cleanup handler of the program.
    Routine(Routine, usize),
    /// A function that runs once is left.
    AbandonOnce(Call, Object),
}

/// How a thread ends.
#[derive(Default)]
pub(crate) struct Ends {
    pub(crate) handlers: Vec<Handler>,
    pub(crate) cancellation: Cancellation,
}

impl Ends {
    /// Forgets the last execution.
    pub(crate) fn reset(&mut self) {
        self.handlers.clear();
        self.cancellation = Cancellation::default();
    }
}

/// Whether a thread heeds cancellation.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Enabled {
    #[default]
    Yes,
    No,
}

/// What a thread has to do with cancellation.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cancellation {
    pub(crate) requested: bool,
    pub(crate) enabled: Enabled,
    pub(crate) ending: bool,
    /// It has come to a wait that is a cancellation point.
    pub(crate) waits: bool,
}

impl Cancellation {
    pub(crate) fn is_due(self) -> bool {
        self.requested && self.enabled == Enabled::Yes && !self.ending
    }
}
