//! One execution, as the threads that perform its events in order, or as an execution graph.

use engine::mapping::machines::Code;
use engine::model::MemoryModel;
use serde::{Deserialize, Serialize};

use crate::explore::{Explorer, Machine};
use crate::operation::Operation;
use crate::place::Place;

/// A schedule: the threads that perform events, in order, each step tied to the source so that a changed program is
/// noticed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Schedule {
    /// The creation path of each thread by its number: `[]` is main, `[0]` the first thread main created, `[0, 1]`
    /// the second that one created.
    pub threads: Vec<Vec<u32>>,
    /// Runs of consecutive events of one thread.
    pub segments: Vec<Segment>,
    /// The values that `fh_choose` and the like gave, and the stores that committed, in order.
    pub choices: Vec<u64>,
    /// Whether threads could go on behind the last event, in executions that the search has left to others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// The machine with store buffers on which the schedule was run; `None` if memory was sequentially consistent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
    /// The explorer by whose rules the schedule was run; `None` if it is the one of the search, or of the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explorer: Option<Explorer>,
    /// The execution graph that takes the place of segments and choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<Graph>,
}

/// Consecutive events of one thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Segment {
    /// The thread's number.
    pub thread: u32,
    /// The number of events, at least 1.
    pub events: u64,
    /// The place in the source of the last event.
    pub last: Place,
    /// The number of times that the thread has performed an event at that place, this one included.
    pub nth: u64,
}

/// An execution under a memory model, as an execution graph.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Graph {
    /// The memory model.
    pub model: MemoryModel,
    /// What is known of the code that a compiler makes, and of the language.
    #[serde(default)]
    pub code: Code,
    /// The events in an order in which each comes after what must be known before it, which is not one of time.
    pub events: Vec<GraphEvent>,
    /// The end of something, and what may take effect behind it, if that is what is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<GraphEnd>,
}

/// The end of something that an execution graph uses, which is no event: it stands between two events of its thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GraphEnd {
    /// The thread's number.
    pub thread: u32,
    /// The number of events of the thread that come before the end in program order.
    pub index: u32,
    /// The place in the source.
    pub place: Place,
    /// The function in whose source the end stands.
    pub function: String,
    /// The operation that ends it.
    pub operation: Operation,
    /// The index, among the events, of one that nothing orders before the end.
    pub late: u64,
}

impl Graph {
    /// Returns the choice with which each event was committed, in their order: for a choice, its number; for a write,
    /// its place among the writes to its location that were committed before it; for a read, the rank, at the time, of
    /// the write that it reads from.
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

/// An event of an execution graph.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GraphEvent {
    /// The thread's number.
    pub thread: u32,
    /// The number of events of the thread that come before this one in program order.
    pub index: u32,
    /// The place in the source.
    pub place: Place,
    /// The function in whose source the event stands.
    pub function: String,
    /// The operation; the beginning and the end of a thread are events, too.
    pub operation: Operation,
    /// The variable if known, else an address in hexadecimal, or the mutex or thread.
    pub target: String,
    /// The address of the first byte of the access, or of the object; 0 if there is none.
    pub address: u64,
    /// The width of the access in bytes; 0 if the event is no access to memory.
    pub width: u32,
    /// The value read, if the event reads.
    pub read: Option<u64>,
    /// The value written, if the event writes.
    pub written: Option<u64>,
    /// The object that the value read points to, if it is the address of something that has a name: `&pool[1]`; else
    /// empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub read_pointee: String,
    /// The object that the value written points to, in the form of `read_pointee`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub written_pointee: String,
    /// The number of the accessed location, by which events are to the same one; the first event's is 0.
    pub location: u32,
    /// The index, among the events, of the write that is read from; `None` for the initial value.
    pub source: Option<u64>,
    /// The place of the write in the coherence order of its location, from 1; 0 if the event does not write.
    pub rank: u32,
    /// The earlier events of the thread, by their [`Self::index`], that this one may overtake: the model does not keep
    /// the two in order for everybody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overtakes: Vec<u32>,
    /// The earlier read-modify-writes of the thread whose write this event, or its read, may overtake, though not their read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes_writes: Vec<u32>,
}
