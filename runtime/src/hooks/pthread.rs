//! Threads, as `pthread.h` and `threads.h` have them, and their ends.

pub(crate) mod c11;
pub(crate) mod ends;
pub(crate) mod keys;
pub(crate) mod names;
pub(crate) mod sleeping;
pub(crate) mod threads;
