//! One execution as who performs what in order, or as an execution graph.

use engine::model::MemoryModel;
use serde::{Deserialize, Serialize};

use crate::explore::Machine;
use crate::operation::Operation;
use crate::place::Place;

/// A schedule: who performs events, in order, each step tied to the source so that a changed program is noticed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Schedule {
    /// The creation path of each thread by its number: `[]` is main, `[0]` the first thread main created, `[0, 1]`
    /// the second that one created.
    pub threads: Vec<Vec<u32>>,
    /// Runs of consecutive events of one thread.
    pub segments: Vec<Segment>,
    /// The values that `fh_choose` and the like gave, and which stores committed, in order.
    pub choices: Vec<u64>,
    /// The machine with store buffers that it was run on; none: memory was sequentially consistent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
    /// An execution graph, which takes the place of segments and choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<Graph>,
}

/// Consecutive events of one thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Segment {
    /// The thread's number.
    pub thread: u32,
    /// How many events, at least 1.
    pub events: u64,
    /// Where the last of them is in the source.
    pub last: Place,
    /// How many times that thread has performed an event there, this one included.
    pub nth: u64,
}

/// An execution under a memory model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Graph {
    /// The model.
    pub model: MemoryModel,
    /// The accesses in an order in which each comes after what must be known before it: not one of time.
    pub events: Vec<GraphEvent>,
}

impl Graph {
    /// What each event was committed with, in their order: what it chose; of a write its place among the writes to its
    /// location that were committed before it; of a read the rank, at the time, of the write that it reads from.
    #[must_use]
    pub fn commits(&self) -> Vec<usize> {
        let commit = |(number, event): (usize, &GraphEvent)| {
            let below = |rank: u32| {
                let earlier = self.events[..number].iter().filter(|other| other.location == event.location);
                earlier.filter(|other| (1..rank).contains(&other.rank)).count()
            };
            let source = event.source.and_then(|source| self.events.get(usize::try_from(source).ok()?));
            match (event.read, source) {
                (Some(chosen), None) if event.operation == Operation::Choose => {
                    usize::try_from(chosen).unwrap_or(usize::MAX)
                }
                (None, _) => below(event.rank),
                (Some(_), None) => 0,
                (Some(_), Some(source)) => below(source.rank + 1),
            }
        };
        self.events.iter().enumerate().map(commit).collect()
    }
}

/// An access of an execution graph.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GraphEvent {
    /// The thread's number.
    pub thread: u32,
    /// How many accesses of the thread come before it in program order.
    pub index: u32,
    /// Where it is in the source.
    pub place: Place,
    /// The function in whose source it stands.
    pub function: String,
    /// What it does; the beginning and the end of a thread are events, too.
    pub operation: Operation,
    /// The variable if known, else an address in hexadecimal, or the mutex or thread.
    pub target: String,
    /// First byte of the access, or of the object; 0 if there is none.
    pub address: u64,
    /// Its width in bytes; 0 if it is no access to memory.
    pub width: u32,
    /// The value read, if it reads.
    pub read: Option<u64>,
    /// The value written, if it writes.
    pub written: Option<u64>,
    /// What the value read points to, if it is the address of something that has a name: `&pool[1]`; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub read_pointee: String,
    /// What the value written points to; as `read_pointee`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub written_pointee: String,
    /// Accesses to the same location have the same number here, those of the first event 0.
    pub location: u32,
    /// The index among the events of the write that it reads from; none for the initial value.
    pub source: Option<u64>,
    /// The place of its write in the coherence order of its location, from 1; 0 if it does not write.
    pub rank: u32,
    /// The accesses before it in its thread, by their [`Self::index`], that it may overtake: the model does not keep
    /// the two in order for everybody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overtakes: Vec<u32>,
}
