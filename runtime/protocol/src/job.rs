//! What the tool asks of the program.

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
    /// Get ready to explore executions.
    Explore(Explore),
    /// Explore some.
    Slice(Box<Slice>),
    /// Run one schedule again and describe every event.
    Replay(Replay),
}

/// Run one schedule again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Replay {
    /// [`crate::VERSION`].
    pub version: u32,
    /// The schedule.
    pub schedule: Schedule,
    /// How the execution was chosen.
    #[serde(default)]
    pub explorer: Explorer,
    /// What watches the execution.
    pub monitors: Vec<MonitorName>,
    /// How far the execution may go.
    pub limits: Limits,
    /// How the heap behaves.
    #[serde(default)]
    pub heap: Heap,
    /// What the schedule ends in.
    #[serde(default)]
    pub end: ScheduleEnd,
    /// Let the program's own output through.
    pub output: bool,
}
