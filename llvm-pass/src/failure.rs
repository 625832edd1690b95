//! Failures inside the pass, each of which ends the compilation.

use std::fmt::Display;

use inkwell::builder::BuilderError;

/// The reason why the pass cannot go on, in words.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

/// The result of the pass's functions.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// Returns a failure for a reason.
    pub(crate) fn new(reason: impl Display) -> Self {
        Self(reason.to_string())
    }
}

impl From<BuilderError> for Failure {
    fn from(error: BuilderError) -> Self {
        Self::new(error)
    }
}
