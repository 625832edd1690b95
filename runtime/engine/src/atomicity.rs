//! Atomicity: is each transaction as if it ran alone? (001-enea-tacas16; docs/monitors.md, section 6.)
//!
//! A *transaction* is what a thread does between two marks; an event outside all marks is a transaction of its own. An
//! execution is *conflict serializable* iff the conflict graph of its transactions has no cycle. What conflicts depends
//! on the memory model, so there are several questions, and one monitor for each:
//!
//! | question | monitor |
//! |---|---|
//! | Is this SC execution serializable under SC? | [`Serializability`] with [`Criterion::Sc`] |
//! | Is this SC execution serializable under TSO? | [`Serializability`] with [`Criterion::TsoAtOnce`] |
//! | Is this TSO execution, commits included, serializable under TSO? | [`Serializability`] with [`Criterion::Tso`] |
//! | Is this TSO execution equivalent to one of SC? | [`Serializability`] with [`Criterion::ScEquivalence`] |
//! | Are *all* TSO executions with this order of issues serializable? | [`TraceCheck`] |
//! | What do SC executions say of a program? | [`Decision`] |
//!
//! A TSO execution of an explorer of execution graphs is given its commits by [`linearization()`].
//!
//! # How to use them
//!
//! Every monitor is told an execution step by step, and counts its events from 0 as all monitors do:
//!
//! ```
//! use engine::atomicity::{Criterion, Mark, Serializability};
//! use engine::event::{Barrier, Event, Kind, Location, Site, Thread};
//!
//! let access = |thread, kind| Event {
//!     thread: Thread(thread), site: Site(0), kind, before: Barrier::None, after: Barrier::None, order: None,
//! };
//! let mut monitor = Serializability::new(Criterion::Sc);
//! let mut violations = Vec::new();
//! monitor.begin();
//! monitor.mark(Thread(0), Mark::Begin).unwrap();
//! monitor.event(&access(0, Kind::Load), &[Location(0)], &mut violations);
//! monitor.event(&access(1, Kind::Store), &[Location(0)], &mut violations);
//! monitor.event(&access(0, Kind::Store), &[Location(0)], &mut violations);
//! monitor.mark(Thread(0), Mark::End).unwrap();
//! monitor.end(&mut violations).unwrap();
//! assert_eq!(violations.len(), 1);
//! assert_eq!(violations[0].edges.len(), 2);
//! ```
//!
//! Stores commit as [`Criterion`] says: at once, or when [`Serializability::commit`] is called.
//!
//! # What synchronisation means inside a transaction
//!
//! - A read-modify-write reads, writes and commits in one step, and is a full fence; one that fails reads, and is a
//!   full fence.
//! - A fence belongs to the transaction it stands in. One between stores is nothing under SC and TSO.
//! - An operation on a lock or another synchronisation object is a full fence, and conflicts with each other one on the
//!   same object, as if it exchanged a value there ([`Kind::Share`](crate::event::Kind::Share): as if it read one, and
//!   if it does not drain, that is all). A spin lock is a location: it is released by a store. So a transaction that
//!   releases a lock and takes it again is not atomic if another thread took it in between.
//! - A wait on a condition variable is an operation on it and on its mutex: a transaction that sleeps while another
//!   thread takes the mutex is not atomic. To mark what follows the wait, begin the transaction after the wait loop.
//! - A creation comes before all that the new thread does, a join after all that the ended one did. A transaction that
//!   creates a thread and joins it is not atomic, unless the thread did nothing.

mod conflict_graph;
pub mod decision;
pub mod linearization;
mod program_order;
pub mod serializability;
pub mod trace_check;
pub mod transactions;
mod violation;

pub use decision::{Decision, Fencing, Verdict};
pub use linearization::{Happening, linearization};
pub use serializability::{Criterion, Serializability};
pub use trace_check::{CheckBudget, Outcome, TraceCheck};
pub(crate) use transactions::Transactions;
pub use transactions::{Mark, Unbalanced};
pub use violation::{Delay, Edge, Transaction, Violation};
