//! Repairs: which fences, or stronger orders, make a program right under relaxed models.
//!
//! [`advisor`] searches (by implicit hitting sets, `engine::repair`), [`answer`] is what it finds, [`universe`] holds what is
//! known of the places where something could stand, and [`told`] says it to people.

pub(crate) mod advisor;
pub(crate) mod answer;
pub(crate) mod told;
pub(crate) mod universe;
