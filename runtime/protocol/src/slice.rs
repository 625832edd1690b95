//! Slices of a search: the parts that the tool hands out, and the results that come back.

use serde::{Deserialize, Serialize};

use crate::grounds::Grounds;
use crate::identity::Identity;
use crate::packed::Packed;
use crate::place::Place;
use crate::summary::{BusyLoop, Silence, StoppedBy};
use crate::tally::Tally;
use crate::violation::Violation;

/// Executions that are still to be run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Unit {
    /// The share of the round that these executions are, in the explorer's measure.
    pub weight: f64,
    /// The executions, as the prefixes that lead to them.
    pub prefixes: Prefixes,
}

/// The executions of a unit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prefixes {
    /// The whole search.
    Whole,
    /// The part of the search that the process which was given the whole has not run yet: its explorer cannot hand it
    /// out.
    Rest,
    /// Prefixes that only the explorer in the program can read.
    Packed(Packed),
}

/// The order to run some executions. The first job of a process is the [`crate::Explore`] that the slices are of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Slice {
    /// The executions to run, in order.
    pub units: Vec<Unit>,
    /// The creation paths of the threads that have numbers, by number.
    pub threads: Vec<Vec<u32>>,
    /// The number of executions that count after which the slice stops, at least 1.
    pub executions: Option<u64>,
    /// The seconds after which the slice stops; `None` if it goes on to its end.
    pub seconds: Option<f64>,
    /// The violations found in executions that come before, which need not be described again.
    pub known: Vec<Identity>,
    /// The places where memory is divided within accesses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub divisions: Vec<Division>,
    /// The manner in which execution graphs are searched for.
    #[serde(default)]
    pub manner: Manner,
    /// What the first slice of a search for execution graphs has learned of the program, as [`Harvest::facts`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<u64>,
    /// What the harvest of a search for execution graphs leaves out.
    #[serde(default)]
    pub telling: Telling,
}

/// What the harvest of a search for execution graphs says again of what earlier slices of the process have come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Telling {
    /// The harvest says nothing again: the tool has all earlier ones.
    #[default]
    News,
    /// The harvest says all, since earlier ones may have been lost on their way.
    Everything,
}

/// The manner in which execution graphs are searched for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Manner {
    /// A slice hands out what it leaves, and counts and findings do not depend on who runs what when.
    #[default]
    HandsOut,
    /// One process runs all in one slice, in an order on which the result may depend.
    InSequence,
}

/// What is known of the continuations of a frame that units of a search for execution graphs share. A continuation that nobody has
/// come to before is to become a unit: its bytes behind those of the frame.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct News {
    /// The name of the frame.
    pub frame: Packed,
    /// The continuations that are done, or units already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<Packed>,
    /// The continuations that the slice has come to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<Packed>,
}

/// Eight aligned bytes that are divided because some access is to a part of what another one is to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Division {
    /// The address of the first of the bytes; within the variables of the program, relative to the first of these.
    pub address: u64,
    /// The bytes before which a location ends, as bits: bit 0 is the first byte.
    pub bounds: u8,
}

/// Bytes that execution graphs have as one location: all accesses to one of them are to the same ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Located {
    /// The address of the first byte.
    pub address: u64,
    /// The number of bytes, at most eight.
    pub width: u8,
}

/// The results of a slice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Harvest {
    /// The reason why the slice ended.
    pub end: SliceEnd,
    /// The units of the slice that were not run, in order.
    pub left: Vec<Unit>,
    /// The units that the slice yielded for the next round, in order.
    pub next: Vec<Unit>,
    /// The creation paths of the threads that have numbers now, by number.
    pub threads: Vec<Vec<u32>>,
    /// The counts of the slice.
    pub tally: Tally,
    /// The violations of the slice, in the order of their discovery.
    pub found: Vec<Sighting>,
    /// The executions as an event log ([`crate::log`]), if they are recorded; each begins with its header.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recorded: String,
    /// The places where memory is divided within accesses, if the explorer depends on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub divisions: Vec<Division>,
    /// What is known of frames that units of a search for execution graphs share.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub news: Vec<News>,
    /// The memory that the process has accessed in a search for execution graphs and of which it has not told before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub located: Vec<Located>,
    /// What the first slice of a search for execution graphs has learned of the program over many runs, which others have to know, as
    /// hashes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<u64>,
}

/// The reason why a slice ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SliceEnd {
    /// All was run, a budget is used up, or somebody interrupted: the search goes on with what is left.
    Open,
    /// Memory has been divided where it was not when the search began, on which what is left depends: the search has to
    /// begin anew.
    Divided,
    /// What comes next depends on what comes first: the search has to begin anew, in sequence ([`Manner::InSequence`]).
    Ordered,
    /// The slice ended at its first violation, or at one after which going on makes no sense.
    Found,
    /// An execution reached a limit of length, or the process one of memory.
    Limit {
        /// The limit that was reached.
        by: StoppedBy,
        /// The loop that went round most often in the last execution, if one did.
        busiest: Option<BusyLoop>,
    },
    /// A thread performed no visible operation for as long as it may.
    Silent(Silence),
    /// The program did something that cannot be run under control.
    Unsupported {
        /// The action of the program that cannot be run under control, in words.
        what: String,
        /// The place in the source where it happened.
        place: Place,
    },
}

/// A violation in a slice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sighting {
    /// The identity of the violation.
    pub identity: Identity,
    /// The number of executions that count and show the violation: 0 if only others do.
    pub executions: u64,
    /// What all executions that show the violation have in common.
    #[serde(default)]
    pub grounds: Grounds,
    /// The violation as it was seen first; `None` if the tool knows it already.
    pub violation: Option<Box<Violation>>,
    /// The rank of the violation's execution by its bytes, where the least execution stands for all that show the violation, and not
    /// the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<Packed>,
}

impl Sighting {
    /// Adds what other executions show of the same violation.
    pub fn join(&mut self, other: &Self) {
        self.executions += other.executions;
        self.grounds.join(&other.grounds);
        let is_less = other.rank.is_some() && self.rank.as_ref().is_none_or(|rank| other.rank.as_ref() < Some(rank));
        if is_less && other.violation.is_some() {
            (self.violation, self.rank) = (other.violation.clone(), other.rank.clone());
        }
    }
}
