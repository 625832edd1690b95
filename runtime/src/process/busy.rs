//! Whether the code that runs is the runtime's own: handlers of signals ask, and whoever wants the runtime for itself.

use std::sync::atomic::{AtomicBool, Ordering};

static BUSY: AtomicBool = AtomicBool::new(false);

/// Whether the code that runs, or that a signal interrupted, is the runtime's own.
#[inline(always)]
pub(crate) fn is_busy() -> bool {
    BUSY.load(Ordering::Relaxed)
}

/// From now on the code that runs is the runtime's own, or the program's.
#[inline(always)]
pub(crate) fn set(busy: bool) {
    BUSY.store(busy, Ordering::Relaxed);
}

/// The code that runs is the runtime's own as long as this lives.
pub(crate) struct Busy {
    before: bool,
}

impl Busy {
    /// From now on.
    pub(crate) fn new() -> Self {
        Self { before: BUSY.swap(true, Ordering::Relaxed) }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        set(self.before);
    }
}
