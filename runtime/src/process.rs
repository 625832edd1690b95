//! The process that the program runs in: its memory, its stacks, its signals. Nothing here knows what an execution is.

pub(crate) mod arguments;
pub(crate) mod bits;
pub(crate) mod busy;
pub(crate) mod channel;
pub(crate) mod debugger;
pub(crate) mod faults;
pub(crate) mod fiber;
pub(crate) mod foreign;
pub(crate) mod layout;
pub(crate) mod scratch;
pub(crate) mod sections;
pub(crate) mod sites;
pub(crate) mod sources;
pub(crate) mod ticks;
pub(crate) mod uncontrolled;
pub(crate) mod undefined;
