//! The explorer `bounded` in slices: what is left is handed out, and taken up by another.
//!
//! A depth-first search that is under way is its last path, whose *open* decisions have alternatives left. It is cut
//! at open decisions: what is below the deeper ones stands for itself, and comes first. Only one thing flows from
//! below to above in a search: that an iteration of a wait loop which begins at a decision had no effect
//! ([`super::Node`], `waited`). So there is a cut above a decision only if all iterations that began above it have ended
//! there, one way or the other: another thread has performed an event since.

use std::collections::VecDeque;

use super::super::Counts;
use super::super::frontier::{Chunk, Entry, Frontier};
use super::super::packed::{Corrupt, Reader, write};
use super::super::slice::{Leftover, Unit};
use super::{Bounded, Cost, Node, Rounds, State, Verify, digest};
use crate::execution::Step;
use crate::explore::Finish;

/// A search is cut at so many of its shallowest open decisions: behind the deeper ones is little.
const CUTS: usize = 16;

/// What a unit holds.
#[derive(Debug)]
pub(super) enum Task {
    Subtree(Subtree),
    Entries(Entries),
}

/// A depth-first search, not begun or under way.
#[derive(Debug)]
pub(super) struct Subtree {
    round: u32,
    begins: Begins,
    counts: Counts,
    repeating: Option<usize>,
    fixed: usize,
    weight: f64,
    unverified: Option<Verify>,
    nodes: Vec<Node>,
}

/// How a search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Begins {
    /// The execution with its decisions is to be run.
    Running,
    /// It has been run: with the alternatives of its last decision.
    Stepping,
}

/// Prefixes that wait for their round.
#[derive(Debug)]
pub(super) struct Entries {
    round: u32,
    first: First,
    chunk: Chunk,
}

/// What is left of the first entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct First {
    /// The first alternative at its last point.
    choice: u32,
    /// Whether its digest is that of the events before this point.
    digest: Digest,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Digest {
    Known,
    Unknown,
}

impl First {
    const WHOLE: Self = Self { choice: 1, digest: Digest::Known };
}

impl Task {
    /// The whole search.
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

    fn weight(&self, bound: Option<u32>) -> f64 {
        match self {
            Self::Subtree(subtree) => weight_left(bound, subtree),
            Self::Entries(entries) => approximate(entries.chunk.prefixes - u64::from(entries.first.choice - 1)),
        }
    }

    fn pack(&self, weight: f64) -> Unit {
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

    fn unpack(unit: &Unit) -> Result<Self, Corrupt> {
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
        let nodes = (0..from.count()?).map(|_| read_node(from)).collect::<Result<Vec<Node>, Corrupt>>()?;
        let steps = nodes.len() > fixed && nodes.last().is_some_and(|last| last.choice + 1 < last.count);
        if fixed > nodes.len() || (begins == Begins::Stepping && !steps) {
            return Err(Corrupt);
        }
        Ok(Self { round, begins, counts, repeating, fixed, weight, unverified, nodes })
    }
}

fn read_node(from: &mut Reader<'_>) -> Result<Node, Corrupt> {
    let (event, choice, shape) = (from.narrow()?, from.narrow()?, from.number()?);
    let cost = match shape >> 1 & 3 {
        0 => Cost::Free,
        1 => Cost::Preemption,
        2 => Cost::Value,
        _ => return Err(Corrupt),
    };
    let count = u32::try_from(shape >> 3).map_err(|_| Corrupt)?;
    Ok(Node { event, choice, count, cost, waited: shape & 1 == 1 })
}

impl Bounded {
    /// An explorer of the first slice of a search.
    #[must_use]
    pub fn first_slice(preemptions: Option<u32>) -> Self {
        Self::of([Task::whole()].into(), preemptions, Rounds::Elsewhere)
    }

    /// The unit of a whole search.
    #[must_use]
    pub fn whole() -> Unit {
        Task::whole().pack(1.0)
    }

    /// An explorer of these units, which are of one round, and of nothing else: what they give for the next round is
    /// handed out by [`super::Strategy::leave`].
    ///
    /// # Errors
    /// [`Corrupt`].
    pub fn slice(preemptions: Option<u32>, units: &[Unit]) -> Result<Self, Corrupt> {
        let tasks = units.iter().map(Task::unpack).collect::<Result<VecDeque<Task>, Corrupt>>()?;
        Ok(Self::of(tasks, preemptions, Rounds::Elsewhere))
    }

    /// Goes on with a search; it has no event in common with the execution before.
    pub(super) fn enter(&mut self, subtree: Subtree) -> Option<u32> {
        let Subtree { round, begins, counts, repeating, fixed, weight, unverified, nodes } = subtree;
        self.round = round;
        (self.counts, self.repeating, self.nodes) = (counts, repeating, nodes);
        (self.fixed, self.weight, self.unverified) = (fixed, weight, unverified);
        if begins == Begins::Stepping {
            self.backtrack()?;
        }
        Some(0)
    }

    /// Goes on with the first of the entries.
    pub(super) fn take(&mut self, entries: Entries) {
        self.round = entries.round;
        self.now = Frontier::from(entries.chunk);
        assert!(self.now.pop(&mut self.entry), "entries are at least one");
        self.begin_entry();
        self.choice = entries.first.choice;
        if entries.first.digest == Digest::Unknown {
            self.unverified = None;
        }
    }

    /// All that is still to be run.
    pub(super) fn hand_out(&mut self, steps: &[Step]) -> Leftover {
        let mut now = Vec::new();
        let entry = self.rest_of_entry(steps);
        match self.state {
            State::Running => panic!("an execution ends before the search does"),
            State::Unstarted => {}
            State::Ended(Finish::Again) => now.push(self.again()),
            State::Ended(Finish::Done) => self.cut(steps, &mut now),
        }
        now.extend(entry);
        let round = self.round;
        let waiting = |round: u32, chunk: Chunk| {
            let weight = approximate(chunk.prefixes);
            Task::Entries(Entries { round, first: First::WHOLE, chunk }).pack(weight)
        };
        now.extend(self.now.drain().map(|chunk| waiting(round, chunk)));
        now.extend(self.tasks.drain(..).map(|task| task.pack(task.weight(self.bound))));
        let next = self.next.drain().map(|chunk| waiting(round + 1, chunk)).collect();
        Leftover { now, next }
    }

    /// The execution that has to be run again, and what is open beside it.
    fn again(&self) -> Unit {
        let subtree = Subtree {
            round: self.round,
            begins: Begins::Running,
            counts: self.counts,
            repeating: self.repeating,
            fixed: self.fixed,
            weight: self.weight,
            unverified: self.unverified,
            nodes: self.nodes.clone(),
        };
        let again = Task::Subtree(subtree);
        again.pack(again.weight(self.bound))
    }

    /// Cuts the search that is under way, from its deep end on.
    fn cut(&mut self, steps: &[Step], into: &mut Vec<Unit>) {
        let open: Vec<usize> = (self.fixed..self.nodes.len()).filter(|&index| self.is_open(index)).collect();
        self.drop_from(open.last().map_or(self.fixed, |index| index + 1));
        let mut end = open.len();
        while end > 0 {
            let mut begin = end - 1;
            while begin > 0 && (begin > CUTS || !self.is_cut_above(open[begin - 1], open[begin], steps)) {
                begin -= 1;
            }
            let fixed = if begin == 0 { self.fixed } else { open[begin - 1] + 1 };
            let last = open[end - 1];
            let nodes = self.nodes[..=last].to_vec();
            let event = nodes[last].event as usize;
            let subtree = Subtree {
                round: self.round,
                begins: Begins::Stepping,
                counts: self.counts,
                repeating: self.repeating.filter(|&first| first <= last),
                fixed,
                weight: self.weight / alternatives(self.bound, &self.nodes[self.fixed..fixed]),
                unverified: Some(Verify { decision: last, digest: digest(&steps[..event]) }),
                nodes,
            };
            let part = Task::Subtree(subtree);
            into.push(part.pack(part.weight(self.bound)));
            end = begin;
        }
    }

    /// Whether what is below the open decision `lower` tells nothing to those from `upper` on upwards.
    fn is_cut_above(&self, upper: usize, lower: usize, steps: &[Step]) -> bool {
        let stays = |node: &&Node| node.cost == Cost::Preemption && node.choice == 0;
        let Some(last) = self.nodes[self.fixed..=upper].iter().rev().find(stays) else { return true };
        let since = &steps[last.event as usize..self.nodes[lower].event as usize];
        since.iter().any(|step| step.thread != since[0].thread)
    }

    /// What is left of the entry at hand. The digest of the events before its last point is known if the last execution
    /// came there.
    fn rest_of_entry(&self, steps: &[Step]) -> Option<Unit> {
        let points = &self.entry.points[..self.points];
        let last = points.last()?.decision as usize;
        let event = self.nodes.get(last).filter(|node| node.count > 0).map(|node| node.event as usize);
        let before = event.and_then(|event| steps.get(..event));
        let entry = Entry {
            decisions: self.entry.decisions.iter().copied().filter(|&(index, _)| (index as usize) < last).collect(),
            points: points.to_vec(),
            digest: before.map_or(0, digest),
        };
        let digest = if before.is_some() { Digest::Known } else { Digest::Unknown };
        let mut chunk = Chunk { bytes: Vec::new(), prefixes: entry.prefixes() };
        entry.write(&mut chunk.bytes);
        let rest = Task::Entries(Entries { round: self.round, first: First { choice: self.choice, digest }, chunk });
        Some(rest.pack(rest.weight(self.bound)))
    }
}

/// In how many parts these decisions cut a tree.
fn alternatives(bound: Option<u32>, nodes: &[Node]) -> f64 {
    let varied = nodes.iter().filter(|node| bound.is_none() || node.cost != Cost::Preemption);
    varied.map(|node| f64::from(node.count.max(1))).product()
}

/// The weight of what is left of a search.
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
const fn approximate(count: u64) -> f64 {
    count as f64
}
