//! The process that the program runs in: its memory, its stacks, its signals. Nothing here knows what an execution is.

pub(crate) mod faults;
pub(crate) mod fiber;
pub(crate) mod foreign;
pub(crate) mod layout;
pub(crate) mod scratch;
pub(crate) mod sites;
pub(crate) mod uncontrolled;
pub(crate) mod undefined;
