//! `fencehound worker`: runs slices of a search that another process of the tool makes.

use std::path::Path;

use crate::exit::{Failure, Status};
use crate::interrupt::Interrupts;
use crate::search::serve;

/// Runs slices until the standard input ends.
///
/// # Errors
/// If a line cannot be read or written.
pub(crate) fn run(executable: Option<&Path>) -> Result<Status, Failure> {
    let interrupts =
        Interrupts::listen().map_err(|error| Failure::internal(format!("signals cannot be handled: {error}")))?;
    serve(executable, &interrupts).map(|()| Status::Clean)
}
