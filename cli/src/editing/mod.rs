//! C text, edited where that is safe: fences put in between statements, and orders of atomic accesses replaced.
//!
//! The text is what the user wrote, before the preprocessor: [`tokens`] reads it, [`statements`] finds where
//! statements begin and end, [`spelling`] how the file writes its fences, [`edits`] makes the changes, and [`diff`] shows them.
//! What is not understood is refused.

pub(crate) mod diff;
pub(crate) mod edits;
pub(crate) mod spelling;
pub(crate) mod statements;
pub(crate) mod tokens;
