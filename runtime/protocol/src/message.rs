//! Messages: the answers of the program to the tool.

use serde::{Deserialize, Serialize};

use crate::slice::Harvest;
use crate::trace::Trace;

/// One line from the program under test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// The result of a slice.
    Harvest(Box<Harvest>),
    /// The result of a replay.
    Replayed(Box<Trace>),
    /// The schedule of a replay does not fit the program; the text says what differs.
    Diverged(String),
    /// An error inside the runtime, in words. No message follows it.
    Internal(String),
}
