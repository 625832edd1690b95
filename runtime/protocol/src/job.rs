//! Jobs: the orders of the tool to the program.

use engine::monitor::MonitorName;
use serde::{Deserialize, Serialize};

use crate::explore::{Explore, Explorer, Heap, Limits};
use crate::schedule::Schedule;
use crate::slice::Slice;
use crate::violation::ScheduleEnd;

/// One order to the program under test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Job {
    /// Prepares the exploration of executions.
    Explore(Explore),
    /// Explores some executions.
    Slice(Box<Slice>),
    /// Runs one schedule again and describes every event.
    Replay(Replay),
}

/// The order to run one schedule again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Replay {
    /// The version of the protocol, [`crate::VERSION`].
    pub version: u32,
    /// The schedule to follow.
    pub schedule: Schedule,
    /// The explorer that chose the execution.
    #[serde(default)]
    pub explorer: Explorer,
    /// The monitors that watch the execution.
    pub monitors: Vec<MonitorName>,
    /// The limits of the execution.
    pub limits: Limits,
    /// The behaviour of the heap.
    #[serde(default)]
    pub heap: Heap,
    /// The end of the schedule.
    #[serde(default)]
    pub end: ScheduleEnd,
    /// Whether the program's own output is let through.
    pub output: bool,
}
