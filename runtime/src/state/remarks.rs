//! Remarks: what the result of a slice says beside its counts and violations.

use std::borrow::Cow;
use std::collections::BTreeSet;

use protocol::LeftWaiting;

use crate::process::sites::Record;

/// The remarks on a slice.
#[derive(Default)]
pub(crate) struct Remarks {
    /// The functions called that are neither modelled nor known to be harmless.
    pub(crate) uninstrumented: BTreeSet<String>,
    /// The assumptions that the result rests on.
    pub(crate) assumptions: BTreeSet<Cow<'static, str>>,
    /// The threads that still waited when the process had ended.
    pub(crate) left_waiting: BTreeSet<LeftWaiting>,
    /// The last call of a function that is not instrumented, in the present execution.
    pub(crate) last_external: Option<(String, &'static Record)>,
}

impl Remarks {
    /// Forgets the last slice.
    pub(crate) fn clear(&mut self) {
        self.uninstrumented.clear();
        self.assumptions.clear();
        self.left_waiting.clear();
    }
}
