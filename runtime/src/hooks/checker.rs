//! The functions of `fencehound.h` and of SV-COMP: choices, observations, transactions, atomic blocks, loops.

pub(crate) mod atomic_blocks;
pub(crate) mod choices;
pub(crate) mod loops;
pub(crate) mod observations;
pub(crate) mod transactions;
