//! Execution graphs of the program: each thread is run by itself, from its beginning, as far as the values that its
//! reads return are known. Shared memory lives in the graph.
//!
//! The engine's search ([`engine::explore::rsmc`]) asks what a thread does if its reads return these values
//! ([`crate::search::graphs`]). The thread's fiber is run for that with the same hooks as under the schedule explorers,
//! and alone:
//!
//! 1. Before an access its hook asks for its turn, and comes here ([`accesses::prepare`]): the value that the graph has
//!    for the read is put into real memory.
//! 2. The hook performs the access on real memory, and reports it. It is recorded here ([`accesses::record`]), and
//!    memory gets its initial value back: between accesses, all shared memory is as it is before the program begins.
//! 3. A thread whose read has not returned yet is *parked*: its fiber is left and forgotten. Once the read returns, the
//!    thread is run from its beginning again.
//!
//! An operation that is not modelled in graphs is refused where the program performs it ([`crate::world::refuse`]).

pub(crate) mod accesses;
pub(crate) mod dependencies;
pub(crate) mod futexes;
pub(crate) mod initialisers;
pub(crate) mod lifetimes;
pub(crate) mod loops;
pub(crate) mod mutexes;
pub(crate) mod objects;
pub(crate) mod stops;
pub(crate) mod synchronising;
pub(crate) mod threads;
pub(crate) mod transactions;
