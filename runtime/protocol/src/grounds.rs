//! The grounds of a violation: what all executions that show it have in common.

use engine::graph::causality::Causality;
use serde::{Deserialize, Serialize};

/// What all executions that show a violation have in common.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Grounds {
    /// Whether program order and reads-from have a cycle in each of them, so that C11 as it is modelled has none of them.
    #[serde(default)]
    pub circular: bool,
}

impl Grounds {
    /// Returns the grounds of an execution by itself.
    #[must_use]
    pub fn of(causality: Causality) -> Self {
        Self { circular: causality == Causality::Circular }
    }

    /// Adds other executions that show the violation.
    pub const fn join(&mut self, others: &Self) {
        self.circular &= others.circular;
    }
}
