//! What the program answers.

use serde::{Deserialize, Serialize};

use crate::slice::Harvest;
use crate::trace::Trace;

/// One line from the program under test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// The end of a slice.
    Harvest(Box<Harvest>),
    /// The end of a replay.
    Replayed(Box<Trace>),
    /// The schedule of a replay does not fit the program: what differs, in words.
    Diverged(String),
    /// An error inside the runtime, in words. Nothing follows.
    Internal(String),
}
