//! The hooks: functions that instrumented code calls and nothing else does, in a file for each part of the C library or
//! of the hook ABI.

pub(crate) mod checker;
pub(crate) mod library;
pub(crate) mod memory;
pub(crate) mod process;
pub(crate) mod pthread;
