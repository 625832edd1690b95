//! The messages between the `fencehound` tool and a program under test.
//!
//! The tool starts the program with one end of a socket (its number in [`CONTROL`]), writes [`Job`]s, a line of JSON
//! each, and reads [`Message`]s, a line of JSON each. A replay is one job with one answer. A search is a
//! [`Job::Explore`], which has no answer, and then [`Job::Slice`]s, each answered by a [`Message::Harvest`] before the
//! next, until the tool closes its end. A program that ends without an answer that is due has failed inside: the tool
//! never reads that as clean.
//!
//! The same types make up the finding file ([`finding`]). [`log`] is the format of recorded executions.

pub mod build;
pub mod explore;
pub mod failure;
pub mod finals;
pub mod finding;
pub mod grounds;
pub mod identity;
pub mod job;
pub mod log;
pub mod message;
pub mod operation;
pub mod ordered;
pub mod outcomes;
pub mod packed;
pub mod place;
pub mod repair;
pub mod schedule;
pub mod slice;
pub mod summary;
pub mod tally;
pub mod trace;
pub mod violation;

pub use build::{BUILD, BUILD_SECTION, VERSION};
pub use engine::explore::Rounds;
pub use engine::graph::causality::Causality;
pub use engine::mapping::machines::Code;
pub use engine::mapping::machines::armv8::{AcquireLoads, Updates};
pub use engine::mapping::machines::c11::ReleaseSequences;
pub use engine::mapping::{Order, Strength};
pub use engine::model::MemoryModel;
pub use engine::monitor::MonitorName;
pub use explore::{
    Cycles, ExitStatus, Explore, Explorer, Graphs, Heap, IDLE_ROUNDS, Leaks, Limits, Machine, Recorded, Reuse, Wakeups,
};
pub use failure::FailureKind;
pub use finals::{Compared, Digest, Finals, Named};
pub use finding::{Finding, Program};
pub use grounds::{Grounds, Weak};
pub use identity::{Identity, Part};
pub use job::{Job, Replay};
pub use message::Message;
pub use operation::Operation;
pub use ordered::{Atomic, Ordered, Orders};
pub use outcomes::Outcomes;
pub use packed::Packed;
pub use place::{Frame, Place};
pub use repair::{Obstacle, Override, Performed, Point, Repair, Way, Wrong};
pub use schedule::{Graph, GraphEnd, GraphEvent, Schedule, Segment};
pub use slice::{Division, Harvest, Located, Manner, News, Prefixes, Sighting, Slice, SliceEnd, Telling, Unit};
pub use summary::{
    BoundCount, BusyLoop, Containment, Failed, FirstReport, LeftWaiting, MonitorCount, Silence, StoppedBy, Summary,
};
pub use tally::{BoundTally, Example, MonitorTally, Tally};
pub use trace::{Trace, TraceEvent};
pub use violation::{Role, ScheduleEnd, SiteUse, Violation, cycle_in_words};

/// The environment variable in which the tool tells the program the number of the socket's file descriptor. The runtime
/// removes it before the program's own code runs.
pub const CONTROL: &str = "FENCEHOUND_CONTROL";
