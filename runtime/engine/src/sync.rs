//! Synchronisation objects: one pure state machine for each kind, after POSIX.1-2017. Each says when a call would return, and
//! what the call does when it returns; which thread waits for which object is the business of [`crate::execution`].
//!
//! Spin locks and the mutexes of C11 are mutexes. Where POSIX leaves a call undefined, the state machine has no state for it: the
//! call is refused as [`mutex::Refusal::Undefined`] and its like, which the runtime reports as misuse.

pub mod barrier;
pub mod line;
pub mod machine;
pub mod mutex;
pub mod once;
pub mod read_write_lock;
pub mod semaphore;
pub mod sleepers;
