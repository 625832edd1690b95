//! The command `fencehound monitor` on event logs: recorded executions, without a program.
//!
//! [`log`] is the file; [`threads`] checks what an execution does; [`places`] knows which bytes accesses touch; [`watch`] runs
//! the monitors; [`history`] knows where past events are; [`violations`] makes violations of what was found. The lines of a log
//! are defined in [`protocol::log`].

mod history;
pub(crate) mod log;
mod places;
pub(crate) mod threads;
mod transactions;
pub(crate) mod violations;
pub(crate) mod watch;
