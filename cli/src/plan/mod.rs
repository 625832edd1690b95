//! The meaning of the command line.

pub(crate) mod check;
mod code;
pub(crate) mod compiler;
pub(crate) mod costs;
mod enumeration;
pub(crate) mod explorer;
pub(crate) mod fences;
mod fits;
mod foreign;
pub(crate) mod judge;
pub(crate) mod limit;
pub(crate) mod monitor;
mod monitors;
pub(crate) mod relax;
pub(crate) mod replay;
pub(crate) mod target;
