//! The program as a process: its beginning, its ends, its signals, its jumps, its calls of functions outside.

pub(crate) mod descriptors;
pub(crate) mod exits;
pub(crate) mod externals;
pub(crate) mod jumps;
pub(crate) mod lending;
pub(crate) mod program;
pub(crate) mod signals;
