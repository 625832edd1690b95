//! The reasons why findings are accepted.

use serde::Serialize;

use crate::text::printable;

/// The reason why a finding is accepted, as the JSON has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "by", rename_all = "lowercase")]
pub(crate) enum Acceptance {
    /// The baseline lists the finding.
    Baseline {
        /// The user's reason, if the baseline has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// An annotation in the source accepts the finding.
    Annotation { reason: String, file: String, line: u32 },
}

impl Acceptance {
    /// Returns the reason in words, to stand behind what is accepted.
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
