//! The ends of threads: what is to be done then, and their cancellation.

use std::ffi::c_void;

use engine::event::Object;

use crate::state::objects::Call;

/// A cleanup handler of the program, as `pthread_cleanup_push` takes it.
pub(crate) type Routine = unsafe extern "C" fn(*mut c_void);

/// Something that is to be done if the thread ends here.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// Call a cleanup handler of the program with this argument.
    Routine(Routine, usize),
    /// Give up a once whose function the thread was running.
    AbandonOnce(Call, Object),
}

/// The end of a thread: what it has to do then, and whether it is cancelled.
#[derive(Default)]
pub(crate) struct Ends {
    /// What is to be done when the thread ends, the last first.
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

/// Whether a thread heeds requests that it be cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Enabled {
    #[default]
    Yes,
    No,
}

/// The state of a thread's cancellation.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cancellation {
    /// Whether the thread has been asked to end.
    pub(crate) requested: bool,
    pub(crate) enabled: Enabled,
    /// Whether the thread is ending, and heeds no request any more.
    pub(crate) ending: bool,
    /// Whether the thread has come to a wait that is a cancellation point.
    pub(crate) waits: bool,
}

impl Cancellation {
    /// Whether the thread has to end at its next cancellation point.
    pub(crate) fn is_due(self) -> bool {
        self.requested && self.enabled == Enabled::Yes && !self.ending
    }
}
