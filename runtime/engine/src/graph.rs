//! Execution graphs.

pub mod set;
