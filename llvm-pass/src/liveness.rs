//! The bytes of private variables that may still be read, at the beginning of each block: the usual backward analysis, by bytes.
//! What a loop leaves in bytes that are written before they are read again is no difference between two of its iterations.

use std::collections::HashMap;

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

/// The bytes of variables that are live at the beginning of each block.
pub(crate) struct Liveness {
    live: HashMap<Value, Vec<Bytes>>,
}

impl Liveness {
    /// Computes the live bytes of these variables, none of which is larger than [`LARGEST`].
    pub(crate) fn of(
        graph: &FlowGraph,
        variables: &[Value],
        effects: &Effects,
        privacy: &Privacy,
        layout: Layout,
    ) -> Self {
        let mut summaries: HashMap<Value, Vec<Summary>> =
            variables.iter().map(|&variable| (variable, vec![Summary::default(); graph.blocks.len()])).collect();
        for (number, block) in graph.blocks.iter().enumerate() {
            for instruction in block.instructions().into_iter().rev() {
                let touched = effects.of(instruction);
                if touched.is_empty() {
                    continue;
                }
                for &variable in variables {
                    let one = summary(variable, &touched, privacy, layout);
                    if let Some(summaries) = summaries.get_mut(&variable) {
                        summaries[number].precede(one);
                    }
                }
            }
        }
        let live = variables.iter().map(|&variable| (variable, solve(graph, &summaries[&variable]))).collect();
        Self { live }
    }

    /// Returns the live bytes of a variable at the beginning of a block.
    pub(crate) fn at(&self, block: usize, variable: Value) -> Bytes {
        self.live.get(&variable).map_or(Bytes::default(), |blocks| blocks[block])
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

/// Returns the least solution of: live in = read ∪ (live out − written).
fn solve(graph: &FlowGraph, summaries: &[Summary]) -> Vec<Bytes> {
    let mut live: Vec<Bytes> = summaries.iter().map(|summary| summary.read).collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for block in (0..graph.blocks.len()).rev() {
            let out = graph.successors(block).iter().fold(Bytes::default(), |sum, &next| sum.union(live[next]));
            let now = summaries[block].read.union(out.without(summaries[block].written));
            changed |= now != std::mem::replace(&mut live[block], now);
        }
    }
    live
}
