//! Weak compare-and-exchanges that fail although they could succeed.

/// Weak compare-and-exchanges that fail although they could succeed: bounded, so that each execution ends.
#[derive(Clone, Copy, Default)]
pub(crate) struct WeakFailures {
    /// So many in an execution at most.
    pub(crate) limit: u32,
    /// So many in this one.
    pub(crate) so_far: u32,
}

impl WeakFailures {
    /// A new execution.
    pub(crate) const fn begin(&mut self) {
        self.so_far = 0;
    }
}
