//! What the `fencehound` tool and a program under test say to each other.
//!
//! The tool starts the program with one end of a socket (its number in [`CONTROL`]), writes one [`Job`] as a line of
//! JSON, and reads [`Message`]s, a line of JSON each, until the program closes its end. A program that ends without a
//! [`Message::Summary`] (or [`Message::Replayed`]) has failed inside: the tool never reads that as clean.
//!
//! The same types make up the finding file ([`finding`]). [`log`] is the format of recorded executions.

pub mod build;
pub mod finding;
pub mod job;
pub mod log;
pub mod message;

pub use build::{BUILD, BUILD_SECTION};
pub use finding::{Finding, Program};
pub use job::{Explore, Heap, Job, Leaks, Limits, MonitorName, Recorded, Replay, Reuse, Schedule, Segment, Wakeups};
pub use message::{
    BoundCount, BusyLoop, FirstReport, Kind, Message, MonitorCount, Place, Role, SiteUse, StoppedBy, Summary, Trace,
    TraceEvent, Violation,
};

/// The version of the messages and of the finding file. A program and a tool of different versions refuse each other.
pub const VERSION: u32 = 1;

/// The environment variable in which the tool tells the program the number of the socket's file descriptor. The
/// runtime removes it before the program's own code runs.
pub const CONTROL: &str = "FENCEHOUND_CONTROL";
