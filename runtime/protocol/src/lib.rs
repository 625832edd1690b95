//! What the `fencehound` tool and a program under test say to each other.
//!
//! The tool starts the program with one end of a socket (its number in [`CONTROL`]), writes [`Job`]s, a line of JSON
//! each, and reads [`Message`]s, a line of JSON each. A replay is one job with one answer. A search is a
//! [`Job::Explore`], which has no answer, and then [`Job::Slice`]s, each answered by a [`Message::Harvest`] before the
//! next, until the tool closes its end. A program that ends without an answer that is due has failed inside: the tool
//! never reads that as clean.
//!
//! The same types make up the finding file ([`finding`]). [`log`] is the format of recorded executions.

pub mod build;
pub mod finding;
pub mod job;
pub mod log;
pub mod message;
pub mod outcomes;
pub mod slice;

pub use build::{BUILD, BUILD_SECTION};
pub use finding::{Finding, Program};
pub use job::{
    CHOOSE, Cycles, ExitStatus, Explore, Explorer, Graph, GraphEvent, GraphModel, Graphs, Heap, IDLE_ROUNDS, Job,
    Leaks, Limits, MonitorName, Recorded, Replay, Reuse, Schedule, ScheduleEnd, Segment, Wakeups,
};
pub use message::{
    BoundCount, BusyLoop, Containment, Failed, FirstReport, Frame, Kind, LeftWaiting, Message, MonitorCount, Place,
    Role, Silence, SiteUse, StoppedBy, Summary, Trace, TraceEvent, Violation,
};
pub use outcomes::Outcomes;
pub use slice::{
    BoundTally, Division, Harvest, Identity, MonitorTally, Packed, Prefixes, Sighting, Slice, SliceEnd, Tally, Unit,
};

/// The version of the messages and of the finding file. A program and a tool of different versions refuse each other.
pub const VERSION: u32 = 2;

/// The environment variable in which the tool tells the program the number of the socket's file descriptor. The
/// runtime removes it before the program's own code runs.
pub const CONTROL: &str = "FENCEHOUND_CONTROL";
