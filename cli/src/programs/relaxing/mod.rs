//! Weaker orders: which of a program's atomic accesses and fences order more than it needs.
//!
//! [`ladder`] says which orders are weaker than others, [`weakening`] tries them, and [`told`] says what came of it.

pub(crate) mod ladder;
pub(crate) mod told;
pub(crate) mod weakening;
