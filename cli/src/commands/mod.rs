//! The commands, one file for each; [`failed`] ends those that come to no result.

pub(crate) mod cc;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod doctor;
mod failed;
pub(crate) mod fences;
pub(crate) mod man;
pub(crate) mod monitor;
pub(crate) mod relax;
pub(crate) mod replay;
pub(crate) mod worker;
