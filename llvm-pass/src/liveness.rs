//! The bytes of private variables that may still be read, at the beginning of each block: the usual backward analysis, by bytes.
//! What a loop leaves in bytes that are written before they are read again is no difference between two of its iterations.

use std::collections::{HashMap, HashSet};

use crate::cfg::FlowGraph;
use crate::effects::{Effect, Effects};
use crate::escape::Privacy;
use crate::ir::{Layout, Value};
use crate::objects::{LARGEST, constant_offset};

/// A set of the bytes of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Bytes([u64; 4]);

impl Bytes {
    /// Returns the set of `length` bytes from `from` on.
    pub(crate) fn range(from: u64, length: u64) -> Self {
        let mut set = Self::default();
        for byte in from..from.saturating_add(length).min(LARGEST) {
            set.0[usize::try_from(byte / 64).unwrap_or(0)] |= 1 << (byte % 64);
        }
        set
    }

    /// Whether a byte is in the set.
    pub(crate) fn contains(self, byte: u64) -> bool {
        self.0.get(usize::try_from(byte / 64).unwrap_or(4)).is_some_and(|word| word >> (byte % 64) & 1 == 1)
    }

    fn union(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }
}

/// The effect of a block's instructions on a variable, from the end backwards: what they read before writing it, and what they
/// write.
#[derive(Clone, Copy, Default)]
struct Summary {
    read: Bytes,
    written: Bytes,
}

impl Summary {
    /// Adds an instruction before those that are summed up already.
    fn precede(&mut self, instruction: Self) {
        self.read = self.read.without(instruction.written).union(instruction.read);
        self.written = self.written.union(instruction.written);
    }
}

/// The effects of those blocks on a variable that have any, by their numbers.
type Summaries = HashMap<usize, Summary>;

/// The bytes of variables that are live at the beginnings of blocks.
pub(crate) struct Liveness {
    live: HashMap<Value, HashMap<usize, Bytes>>,
}

impl Liveness {
    /// Computes the live bytes of these variables, none of which is larger than [`LARGEST`], at these blocks.
    pub(crate) fn of(
        graph: &FlowGraph,
        blocks: &HashMap<Value, Vec<usize>>,
        effects: &Effects,
        privacy: &Privacy,
        layout: Layout,
    ) -> Self {
        let mut summaries: HashMap<Value, Summaries> =
            blocks.keys().map(|&variable| (variable, Summaries::default())).collect();
        for (number, block) in graph.blocks.iter().enumerate() {
            for instruction in block.instructions().into_iter().rev() {
                let touched = effects.of(instruction);
                let variables = touched.iter().filter_map(|effect| privacy.variables(effect.pointer)).flatten();
                let mut seen = HashSet::new();
                for variable in variables.filter(|&variable| seen.insert(variable)) {
                    if let Some(summaries) = summaries.get_mut(&variable) {
                        let one = summary(variable, &touched, privacy, layout);
                        summaries.entry(number).or_default().precede(one);
                    }
                }
            }
        }
        let order = FlowOrder::of(graph);
        let solved = |(&variable, blocks): (&Value, &Vec<usize>)| {
            let first = blocks.iter().filter_map(|&block| order.sections[block]).min();
            (variable, solve(graph, &summaries[&variable], |block| first.is_some() && order.sections[block] >= first))
        };
        Self { live: blocks.iter().map(solved).collect() }
    }

    /// Returns the live bytes of a variable at the beginning of a block, one of those for which they were computed.
    pub(crate) fn at(&self, block: usize, variable: Value) -> Bytes {
        self.live.get(&variable).and_then(|blocks| blocks.get(&block)).copied().unwrap_or_default()
    }
}

/// The sections of a function, by which it is seen that control never goes from one block to another.
struct FlowOrder {
    /// The number of the section that each block is in; none if the entry does not reach it. Control never goes to an earlier
    /// section.
    sections: Vec<Option<usize>>,
}

impl FlowOrder {
    fn of(graph: &FlowGraph) -> Self {
        let order = graph.reverse_postorder();
        let mut sections = vec![None; graph.blocks.len()];
        order.iter().zip(0..).for_each(|(&block, rank)| sections[block] = Some(rank));
        // A section begins where no edge goes back to what stands before.
        let mut earliest: Vec<usize> = (0..order.len()).collect();
        for (rank, &block) in order.iter().enumerate() {
            let targets = graph.successors(block).iter().filter_map(|&next| sections[next]);
            earliest[rank] = targets.fold(rank, usize::min);
        }
        for rank in (1..order.len()).rev() {
            earliest[rank - 1] = earliest[rank - 1].min(earliest[rank]);
        }
        let mut section = 0;
        for (rank, &block) in order.iter().enumerate() {
            section += usize::from(earliest[rank] == rank);
            sections[block] = Some(section);
        }
        Self { sections }
    }
}

/// Returns the effect of an instruction on a variable.
fn summary(variable: Value, touched: &[Effect], privacy: &Privacy, layout: Layout) -> Summary {
    let mut sum = Summary::default();
    for effect in touched {
        let Some(variables) = privacy.variables(effect.pointer) else { continue };
        if !variables.contains(&variable) {
            continue;
        }
        let (base, offset) = constant_offset(layout, effect.pointer);
        let exact = offset.filter(|_| base == variable).and_then(|offset| u64::try_from(offset).ok());
        let bytes = exact.zip(effect.length).map(|(offset, length)| Bytes::range(offset, length));
        if effect.reads {
            sum.read = sum.read.union(bytes.unwrap_or_else(|| Bytes::range(0, LARGEST)));
        }
        if effect.writes {
            sum.written = sum.written.union(bytes.unwrap_or_default());
        }
    }
    sum
}

/// Returns the least solution of: live in = read ∪ (live out − written), in those of the blocks that count. What follows a block
/// that counts counts as well.
fn solve(graph: &FlowGraph, summaries: &Summaries, counts: impl Fn(usize) -> bool) -> HashMap<usize, Bytes> {
    let reads = summaries.iter().filter(|&(&block, summary)| summary.read != Bytes::default() && counts(block));
    let mut live: HashMap<usize, Bytes> = reads.map(|(&block, summary)| (block, summary.read)).collect();
    let mut open: Vec<usize> = live.keys().copied().collect();
    while let Some(block) = open.pop() {
        let after = live[&block];
        for &before in graph.predecessors(block).iter().filter(|&&before| counts(before)) {
            let written = summaries.get(&before).map(|summary| summary.written).unwrap_or_default();
            let known = live.entry(before).or_default();
            let now = known.union(after.without(written));
            if now != std::mem::replace(known, now) {
                open.push(before);
            }
        }
    }
    live
}
