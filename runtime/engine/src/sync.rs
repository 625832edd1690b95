//! Synchronisation objects: one pure state machine a kind, after POSIX.1-2017. Each says when a call would return, and
//! what it does when it does; who waits for which of them is the business of [`crate::execution`].
//!
//! Spin locks and the mutexes of C11 are mutexes. Kinds that a program may leave undefined have no state for it: the
//! call is refused as [`mutex::Refusal::Undefined`] and its like, which the runtime reports as misuse.

pub mod barrier;
pub mod line;
pub mod machine;
pub mod mutex;
pub mod once;
pub mod read_write_lock;
pub mod semaphore;
pub mod sleepers;
