//! Weaker orders: which of a program's atomic accesses and fences order more than it needs.
//!
//! [`ladder`] knows which orders are weaker than others, [`weakening`] tries them, and [`told`] puts the result into words.

pub(crate) mod ladder;
pub(crate) mod told;
pub(crate) mod weakening;
