//! Accesses to memory, and the memory that is allocated.

pub(crate) mod access;
pub(crate) mod allocation;
pub(crate) mod mappings;
pub(crate) mod wide;
