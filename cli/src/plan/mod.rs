//! The meaning of the command line.

mod arm;
pub(crate) mod check;
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
