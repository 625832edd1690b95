//! The pure part of Fencehound. No I/O, no clock, no unsafe code, no randomness without a seed.
//!
//! Layers, each depending only on those before it: [`event`], [`mapping`], [`location`], [`thread_set`] ← [`clock`] ←
//! [`monitor`]; [`event`], [`thread_set`] ← [`step`], [`sync`], [`progress`] ← [`explore`] ← [`execution`]; [`visits`] by itself;
//! [`graph`], [`monitor`] ← [`atomicity`]; [`event`], [`model`] ← [`buffers`]; [`mapping`], [`model`] ← [`repair`] ← [`explore`].
#![forbid(unsafe_code)]

pub mod atomicity;
pub mod buffers;
pub mod clock;
pub mod event;
pub mod execution;
pub mod explore;
pub mod graph;
pub mod location;
pub mod mapping;
pub mod model;
pub mod monitor;
pub mod per_thread;
pub mod progress;
pub mod repair;
pub mod step;
pub mod sync;
pub mod thread_set;
pub mod visits;
