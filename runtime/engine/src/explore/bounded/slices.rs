//! The units of the explorer `bounded`: what is left of a search, packed so that another one can take it up.
//!
//! A depth-first search that is under way is its last path, whose *open* decisions have alternatives left. It is cut
//! at open decisions: what is below the deeper ones stands for itself, and comes first. Only one thing flows from
//! below to above in a search: that an iteration of a wait loop which begins at a decision had no effect
//! ([`DecisionNode`], `waited`). So there is a cut above a decision only if all iterations that began above it have ended
//! there, one way or the other: another thread has performed an event since.

use super::super::Counts;
use super::super::frontier::Chunk;
use super::super::packed::{Corrupt, Reader, write};
use super::super::slice::Unit;
use super::decision::{Cost, DecisionNode, Verify};

/// The content of a unit.
#[derive(Debug)]
pub(super) enum Task {
    Subtree(Subtree),
    Entries(Entries),
}

/// A depth-first search that has not begun or is under way.
#[derive(Debug)]
pub(super) struct Subtree {
    pub(super) round: u32,
    pub(super) begins: Begins,
    pub(super) counts: Counts,
    pub(super) repeating: Option<usize>,
    pub(super) fixed: usize,
    pub(super) weight: f64,
    pub(super) unverified: Option<Verify>,
    pub(super) nodes: Vec<DecisionNode>,
}

/// The way in which a search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Begins {
    /// The execution with the search's decisions is to be run.
    Running,
    /// The execution with the search's decisions has been run: the search goes on with the alternatives of its last decision.
    Stepping,
}

/// Prefixes that wait for their round.
/// Entries of the frontier that wait for their round.
#[derive(Debug)]
pub(super) struct Entries {
    pub(super) round: u32,
    pub(super) first: First,
    pub(super) chunk: Chunk,
}

/// The part of the first entry that is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct First {
    /// The first alternative at the entry's last point.
    pub(super) choice: u32,
    /// Whether the entry's digest is that of the events before this point.
    pub(super) digest: Digest,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Digest {
    Known,
    Unknown,
}

impl First {
    pub(super) const WHOLE: Self = Self { choice: 1, digest: Digest::Known };
}

impl Task {
    /// Returns the whole search.
    pub(super) fn whole() -> Self {
        Self::Subtree(Subtree {
            round: 0,
            begins: Begins::Running,
            counts: Counts::Once,
            repeating: None,
            fixed: 0,
            weight: 1.0,
            unverified: None,
            nodes: Vec::new(),
        })
    }

    pub(super) fn weight(&self, bound: Option<u32>) -> f64 {
        match self {
            Self::Subtree(subtree) => weight_left(bound, subtree),
            Self::Entries(entries) => approximate(entries.chunk.prefixes - u64::from(entries.first.choice - 1)),
        }
    }

    pub(super) fn pack(&self, weight: f64) -> Unit {
        let mut bytes = Vec::new();
        match self {
            Self::Subtree(subtree) => subtree.write(&mut bytes),
            Self::Entries(Entries { round, first, chunk }) => {
                bytes.push(1);
                write(&mut bytes, (*round).into());
                write(&mut bytes, u64::from(first.choice) << 1 | u64::from(first.digest == Digest::Unknown));
                bytes.extend_from_slice(&chunk.bytes);
            }
        }
        Unit { weight, prefixes: bytes }
    }

    pub(super) fn unpack(unit: &Unit) -> Result<Self, Corrupt> {
        let mut reader = Reader::new(&unit.prefixes);
        if reader.below(2)? == 0 {
            let subtree = Subtree::read(&mut reader)?;
            return if reader.left() == 0 { Ok(Self::Subtree(subtree)) } else { Err(Corrupt) };
        }
        let (round, first) = (reader.narrow()?, reader.number()?);
        let digest = if first & 1 == 0 { Digest::Known } else { Digest::Unknown };
        let first = First { choice: u32::try_from(first >> 1).map_err(|_| Corrupt)?, digest };
        let chunk = Chunk::check(reader.bytes(reader.left())?)?;
        if first.choice == 0 || u64::from(first.choice) > chunk.prefixes {
            return Err(Corrupt);
        }
        Ok(Self::Entries(Entries { round, first, chunk }))
    }
}

impl Subtree {
    fn write(&self, into: &mut Vec<u8>) {
        into.push(0);
        write(into, self.round.into());
        write(into, u64::from(self.begins == Begins::Stepping));
        write(into, u64::from(self.counts == Counts::AsAnother));
        write(into, self.repeating.map_or(0, |first| first as u64 + 1));
        write(into, self.fixed as u64);
        into.extend_from_slice(&self.weight.to_bits().to_le_bytes());
        write(into, self.unverified.map_or(0, |verify| verify.decision as u64 + 1));
        write(into, self.unverified.map_or(0, |verify| verify.digest.into()));
        write(into, self.nodes.len() as u64);
        for node in &self.nodes {
            let cost = match node.cost {
                Cost::Free => 0,
                Cost::Preemption => 1,
                Cost::Value => 2,
            };
            write(into, u64::from(node.event));
            write(into, u64::from(node.choice));
            write(into, u64::from(node.count) << 3 | cost << 1 | u64::from(node.waited));
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Corrupt> {
        let round = from.narrow()?;
        let begins = if from.below(2)? == 0 { Begins::Running } else { Begins::Stepping };
        let counts = if from.below(2)? == 0 { Counts::Once } else { Counts::AsAnother };
        let repeating = (from.narrow()? as usize).checked_sub(1);
        let fixed = from.narrow()? as usize;
        let weight = f64::from_bits(u64::from_le_bytes(from.bytes(8)?.try_into().map_err(|_| Corrupt)?));
        let decision = (from.narrow()? as usize).checked_sub(1);
        let digest = from.narrow()?;
        let unverified = decision.map(|decision| Verify { decision, digest });
        let nodes = (0..from.count()?).map(|_| read_node(from)).collect::<Result<Vec<DecisionNode>, Corrupt>>()?;
        let steps = nodes.len() > fixed && nodes.last().is_some_and(|last| last.choice + 1 < last.count);
        if fixed > nodes.len() || (begins == Begins::Stepping && !steps) {
            return Err(Corrupt);
        }
        Ok(Self { round, begins, counts, repeating, fixed, weight, unverified, nodes })
    }
}

fn read_node(from: &mut Reader<'_>) -> Result<DecisionNode, Corrupt> {
    let (event, choice, shape) = (from.narrow()?, from.narrow()?, from.number()?);
    let cost = match shape >> 1 & 3 {
        0 => Cost::Free,
        1 => Cost::Preemption,
        2 => Cost::Value,
        _ => return Err(Corrupt),
    };
    let count = u32::try_from(shape >> 3).map_err(|_| Corrupt)?;
    Ok(DecisionNode { event, choice, count, cost, waited: shape & 1 == 1 })
}

/// Returns into how many parts these decisions cut a tree.
pub(super) fn alternatives(bound: Option<u32>, nodes: &[DecisionNode]) -> f64 {
    let varied = nodes.iter().filter(|node| bound.is_none() || node.cost != Cost::Preemption);
    varied.map(|node| f64::from(node.count.max(1))).product()
}

/// Returns the weight of what is left of a search.
fn weight_left(bound: Option<u32>, subtree: &Subtree) -> f64 {
    let (mut weight, mut left) = (subtree.weight, 0.0);
    for node in &subtree.nodes[subtree.fixed..] {
        let count = alternatives(bound, std::slice::from_ref(node));
        weight /= count;
        if count > 1.0 {
            left += weight * f64::from(node.count - node.choice - 1);
        }
    }
    if subtree.begins == Begins::Running { left + weight } else { left }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(super) const fn approximate(count: u64) -> f64 {
    count as f64
}
