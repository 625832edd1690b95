//! The flag that tells the runtime's own code from the program's: handlers of signals ask for it, and so does whoever
//! wants the runtime for itself.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the code that runs is the runtime's own.
static BUSY: AtomicBool = AtomicBool::new(false);

/// Whether the code that runs, or that a signal interrupted, is the runtime's own.
#[inline(always)]
pub(crate) fn is_busy() -> bool {
    BUSY.load(Ordering::Relaxed)
}

/// Sets whether the code that runs from now on is the runtime's own.
#[inline(always)]
pub(crate) fn set(busy: bool) {
    BUSY.store(busy, Ordering::Relaxed);
}

/// A guard: the code that runs is the runtime's own as long as it lives.
pub(crate) struct Busy {
    before: bool,
}

impl Busy {
    /// Marks the code that runs from now on as the runtime's own.
    pub(crate) fn new() -> Self {
        Self { before: BUSY.swap(true, Ordering::Relaxed) }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        set(self.before);
    }
}
