//! The appearance of results in text.
//!
//! [`finding`] shows a violation: [`excerpt`]s of the source, the execution in [`columns`], and why it is a violation, as a
//! [`cycle`] of an interleaving or of an execution [`graph`]. [`verdict`] is the last line of a command, and [`names`] has the
//! names of threads and places.

pub(crate) mod columns;
pub(crate) mod cycle;
pub(crate) mod excerpt;
pub(crate) mod finding;
pub(crate) mod graph;
pub(crate) mod names;
#[cfg(test)]
pub(crate) mod samples;
pub(crate) mod verdict;
