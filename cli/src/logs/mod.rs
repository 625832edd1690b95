//! What `fencehound monitor` does with event logs: recorded executions, without a program.
//!
//! [`log`] is the file, [`threads`] what an execution may do, [`places`] which bytes accesses touch, [`watch`] runs the
//! monitors, [`history`] knows where past events are, and [`violations`] says what was found. What a line may say is
//! [`protocol::log`].

mod history;
pub(crate) mod log;
mod places;
pub(crate) mod threads;
mod transactions;
pub(crate) mod violations;
pub(crate) mod watch;
