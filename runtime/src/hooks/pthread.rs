//! Threads, as `pthread.h` and `threads.h` have them, and their ends.

pub(crate) mod barriers;
pub(crate) mod c11;
pub(crate) mod cancellation;
pub(crate) mod conditions;
pub(crate) mod ends;
pub(crate) mod futexes;
pub(crate) mod keys;
pub(crate) mod mutexes;
pub(crate) mod names;
pub(crate) mod once;
pub(crate) mod read_write_locks;
pub(crate) mod semaphores;
pub(crate) mod sleeping;
pub(crate) mod threads;
