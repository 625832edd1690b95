//! The store buffers of the machines TSO and PSO: what waits in them, and which of it may commit.
//!
//! A store goes into the buffer of its thread as one entry, and commits whole. Under TSO the oldest entry of a thread commits;
//! under PSO an entry may, unless it overlaps an older one or a store–store barrier stands between it and an older one. A load
//! looks into its own thread's buffer first, byte by byte, which is done by the owner of memory: this module only knows which
//! bytes wait.
//!
//! When entries commit is decided as late as it makes a difference: see [`Batch`].

mod batch;
mod steps;
mod waiting;

pub use batch::{Batch, Demand, Offers};
pub use steps::{Steps, TooManyPlaces, owner_of};
pub use waiting::{StoreBuffers, StoreEntry, Which, overlap};

#[cfg(test)]
mod tests;
