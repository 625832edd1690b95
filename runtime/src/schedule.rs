//! The operations of threads under the scheduler: on synchronisation objects, waits, and the reports of executions in
//! which no thread can go on.

pub(crate) mod barriers;
pub(crate) mod cancellation;
pub(crate) mod commits;
pub(crate) mod committers;
pub(crate) mod conditions;
pub(crate) mod diverging;
pub(crate) mod ends;
pub(crate) mod events;
pub(crate) mod exits;
pub(crate) mod frames;
pub(crate) mod futexes;
pub(crate) mod idle_rounds;
pub(crate) mod leaks;
pub(crate) mod library;
pub(crate) mod loops;
pub(crate) mod mutexes;
pub(crate) mod objects;
pub(crate) mod once;
pub(crate) mod read_write_locks;
pub(crate) mod semaphores;
pub(crate) mod steps;
pub(crate) mod stuck;
pub(crate) mod threads;
pub(crate) mod timed;
pub(crate) mod turns;
pub(crate) mod waits;
pub(crate) mod wakes;
