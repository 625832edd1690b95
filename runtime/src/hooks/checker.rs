//! The functions of `fencehound.h` and of SV-COMP: choices, observations, transactions.

pub(crate) mod choices;
pub(crate) mod observations;
pub(crate) mod transactions;
