//! Tests in C11.

use super::parse::Names;
use super::text::{Error, Tokens, error};

/// Reads the program.
pub(super) fn program(tokens: &mut Tokens<'_>, _names: &mut Names) -> Result<(), Error> {
    error(tokens.position(), "tests in C are not supported")
}
