//! Repairs: which fences, or stronger orders, make a program right under relaxed models.
//!
//! [`trials`] searches (by implicit hitting sets, `engine::repair`), [`advisor`] for all that `fencehound fences` tells, which
//! is its [`answer`]; [`spare`] for fences that the program does not need; [`universe`] holds what is known of the places where something could stand, [`told`] says it to
//! people, [`help`] with a finding of `fencehound check`, [`report`] as JSON;
//! [`patched`] writes it into the source.

pub(crate) mod advisor;
pub(crate) mod answer;
pub(crate) mod help;
pub(crate) mod patched;
pub(crate) mod report;
pub(crate) mod spare;
pub(crate) mod told;
pub(crate) mod trials;
pub(crate) mod universe;
