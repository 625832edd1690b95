//! The weak compare-and-exchanges that fail although they could succeed.

/// The weak compare-and-exchanges that fail although they could succeed: bounded, so that each execution ends.
#[derive(Clone, Copy, Default)]
pub(crate) struct WeakFailures {
    /// The most of them in an execution.
    pub(crate) limit: u32,
    /// The number of them in this execution so far.
    pub(crate) so_far: u32,
}

impl WeakFailures {
    /// Forgets the last execution.
    pub(crate) const fn begin(&mut self) {
        self.so_far = 0;
    }
}
