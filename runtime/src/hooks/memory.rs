//! Accesses to memory, and the memory that is allocated.

pub(crate) mod access;
pub(crate) mod allocation;
pub(crate) mod frames;
pub(crate) mod mappings;
pub(crate) mod unwritten;
pub(crate) mod wide;
