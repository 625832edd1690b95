//! The appearance of results in text.
//!
//! [`finding`] shows a violation: [`excerpt`]s of the source, the execution in [`columns`], and why it is a violation, as
//! a [`cycle`] of an interleaving or of an execution [`graph`]. [`verdict`] is the last line of a command, and [`names`]
//! is how threads and places are called. [`gcc`] says the same as gcc would.

pub(crate) mod buffers;
pub(crate) mod columns;
pub(crate) mod cycle;
pub(crate) mod excerpt;
pub(crate) mod finding;
pub(crate) mod gcc;
pub(crate) mod graph;
pub(crate) mod names;
#[cfg(test)]
pub(crate) mod samples;
pub(crate) mod verdict;
