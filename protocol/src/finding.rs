//! The finding file: one failing schedule, with all that is needed to run it again.

use serde::{Deserialize, Serialize};

use crate::job::{Heap, Limits, MonitorName};
use crate::message::Violation;

/// A finding, as `finding.json` in its folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// Always `"finding"`: tells the file from any other JSON.
    pub fencehound: String,
    /// [`crate::VERSION`].
    pub version: u32,
    /// The id, as in the JSON report: `tso-1`.
    pub id: String,
    /// The program.
    pub program: Program,
    /// The arguments given to the program.
    pub arguments: Vec<String>,
    /// The monitors that watched.
    pub monitors: Vec<MonitorName>,
    /// The limits of an execution.
    pub limits: Limits,
    /// How the heap behaved.
    #[serde(default)]
    pub heap: Heap,
    /// What was found, and the schedule.
    pub violation: Violation,
}

/// Which program, and how to get it again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Program {
    /// The folder from which the tool was run, absolute.
    pub directory: String,
    /// The `.c` files, or the one executable, as the user named them.
    pub target: Vec<String>,
    /// What the user asked of the compiler beside the files.
    pub compile_options: Vec<String>,
    /// Files that the program was made of (sources and headers, or the executable) and a hash of each one's content,
    /// sorted.
    pub files: Vec<(String, String)>,
}
