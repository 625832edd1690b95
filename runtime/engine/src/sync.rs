//! Synchronisation objects: one pure state machine a kind, after POSIX.

pub mod mutex;
