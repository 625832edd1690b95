//! What the result of a slice says beside its counts and violations.

use std::collections::BTreeSet;

use protocol::LeftWaiting;

use crate::process::sites::Record;

/// What the result says beside.
#[derive(Default)]
pub(crate) struct Remarks {
    /// Functions called that are neither modelled nor known.
    pub(crate) uninstrumented: BTreeSet<String>,
    /// What the result takes for granted.
    pub(crate) assumptions: BTreeSet<&'static str>,
    /// Threads that still waited when the process had ended.
    pub(crate) left_waiting: BTreeSet<LeftWaiting>,
    /// The last call of a function that is not instrumented, in the present execution.
    pub(crate) last_external: Option<(String, &'static Record)>,
}

impl Remarks {
    /// A new slice begins.
    pub(crate) fn clear(&mut self) {
        self.uninstrumented.clear();
        self.assumptions.clear();
        self.left_waiting.clear();
    }
}
