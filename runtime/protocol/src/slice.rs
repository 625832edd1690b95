//! Slices of a search: what the tool hands out, and what comes back.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::identity::Identity;
use crate::place::Place;
use crate::summary::{BusyLoop, Silence, StoppedBy};
use crate::tally::Tally;
use crate::violation::Violation;

/// Bytes, in JSON as text: four letters for three bytes.
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
    /// Its part of the round, in the explorer's measure.
    pub weight: f64,
    /// What to run.
    pub prefixes: Prefixes,
}

/// What to run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prefixes {
    /// The whole search.
    Whole,
    /// What the process that was given the whole search has not run of it yet: its explorer cannot hand that out.
    Rest,
    /// What only the explorer in the program can read.
    Packed(Packed),
}

/// Run some executions. The first job of a process is the [`crate::Explore`] that the slices are of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Slice {
    /// What to run, in order.
    pub units: Vec<Unit>,
    /// The creation paths of the threads that have numbers.
    pub threads: Vec<Vec<u32>>,
    /// Stop after so many executions that count, at least 1.
    pub executions: Option<u64>,
    /// Stop after so many seconds.
    pub seconds: f64,
    /// Violations found in executions that come before: they need not be described again.
    pub known: Vec<Identity>,
    /// Where memory is divided within accesses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub divisions: Vec<Division>,
}

/// Where eight aligned bytes are divided because some access is to a part of what another one is to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Division {
    /// The address of the first of them; within the variables of the program, relative to these.
    pub address: u64,
    /// The bytes before which something ends, as bits.
    pub bounds: u8,
}

/// What became of a slice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Harvest {
    /// Why it ended.
    pub end: SliceEnd,
    /// What is left of it, in order.
    pub left: Vec<Unit>,
    /// What it gave for the next round, in order.
    pub next: Vec<Unit>,
    /// The creation paths of the threads that have numbers now.
    pub threads: Vec<Vec<u32>>,
    /// What it counted.
    pub tally: Tally,
    /// What it found, in the order of discovery.
    pub found: Vec<Sighting>,
    /// Its executions, if they are wanted, as an event log ([`crate::log`]); each begins with its header.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recorded: String,
    /// Where memory is divided within accesses, if the explorer depends on that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub divisions: Vec<Division>,
}

/// Why a slice ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SliceEnd {
    /// All was run, or a budget is used up, or somebody interrupted: the search goes on with what is left.
    Open,
    /// Memory has been divided where it was not as the search began, on which what is left depends: the search has to
    /// begin anew.
    Divided,
    /// At the first violation, or at one after which going on makes no sense.
    Found,
    /// Executions reached a limit of length or memory.
    Limit {
        /// Which one.
        by: StoppedBy,
        /// The loop that went round most often in the last of them, if one did.
        busiest: Option<BusyLoop>,
    },
    /// A thread performed no visible operation for as long as it may.
    Silent(Silence),
    /// The program did something that cannot be run under control.
    Unsupported {
        /// What, in words.
        what: String,
        /// Where.
        place: Place,
    },
}

/// A violation in a slice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sighting {
    /// What makes it the same as others.
    pub identity: Identity,
    /// How many executions that count show it: 0 if only others do.
    pub executions: u64,
    /// The violation as it was seen first; none if the tool knows it already.
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
