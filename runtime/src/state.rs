//! What one execution of the program has: variables, blocks, records of what has happened.

pub(crate) mod files;
pub(crate) mod globals;
pub(crate) mod heap;
pub(crate) mod locals;
pub(crate) mod memory;
pub(crate) mod naming;
pub(crate) mod recorder;
pub(crate) mod recording;
pub(crate) mod shadow;
pub(crate) mod unwritten;
