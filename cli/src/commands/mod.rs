//! The commands, one file for each.

pub(crate) mod cc;
pub(crate) mod check;
pub(crate) mod doctor;
pub(crate) mod fences;
pub(crate) mod monitor;
pub(crate) mod relax;
pub(crate) mod replay;
