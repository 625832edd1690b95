//! Why a finding is accepted.

use serde::Serialize;

use crate::text::printable;

/// Why a finding is accepted, as JSON has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "by", rename_all = "lowercase")]
pub(crate) enum Acceptance {
    /// The baseline lists it.
    Baseline {
        /// Why, if the baseline says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The source says so.
    Annotation { reason: String, file: String, line: u32 },
}

impl Acceptance {
    /// Why, behind what is accepted.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Acceptance::Baseline { reason: None } => String::new(),
            Acceptance::Baseline { reason: Some(reason) } => format!(": {}", printable(reason)),
            Acceptance::Annotation { reason, file, line } => {
                format!(": {} ({}:{line})", printable(reason), printable(file))
            }
        }
    }
}
