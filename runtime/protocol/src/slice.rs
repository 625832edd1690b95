//! Slices of a search: the parts that the tool hands out, and the results that come back.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::grounds::Grounds;
use crate::identity::Identity;
use crate::place::Place;
use crate::summary::{BusyLoop, Silence, StoppedBy};
use crate::tally::Tally;
use crate::violation::Violation;

/// Bytes, in JSON as base 64 text: four letters for three bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Packed(pub Vec<u8>);

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&data_encoding::BASE64.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Packed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(PackedVisitor)
    }
}

/// The reader of [`Packed`] bytes.
struct PackedVisitor;

impl Visitor<'_> for PackedVisitor {
    type Value = Packed;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("bytes in base 64")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Packed, E> {
        data_encoding::BASE64.decode(text.as_bytes()).map(Packed).map_err(E::custom)
    }
}

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
    /// The seconds after which the slice stops.
    pub seconds: f64,
    /// The violations found in executions that come before, which need not be described again.
    pub known: Vec<Identity>,
    /// The places where memory is divided within accesses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub divisions: Vec<Division>,
}

/// Eight aligned bytes that are divided because some access is to a part of what another one is to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Division {
    /// The address of the first of the bytes; within the variables of the program, relative to the first of these.
    pub address: u64,
    /// The bytes before which a location ends, as bits: bit 0 is the first byte.
    pub bounds: u8,
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
}

#[cfg(test)]
mod tests {
    use super::Packed;

    #[test]
    fn bytes_come_back() {
        let packed = Packed((0..=255).collect());
        let text = serde_json::to_string(&packed).unwrap();
        assert_eq!(serde_json::from_str::<Packed>(&text).unwrap(), packed);
        assert!(serde_json::from_str::<Packed>("\"AB\"").is_err());
    }
}
