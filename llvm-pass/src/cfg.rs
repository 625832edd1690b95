//! The control-flow graph of a function and its loops.
//!
//! A loop is found by a depth-first search from the entry: each edge to a block that is still being visited is a back
//! edge, its target a header; the body is what reaches the back edges' sources without passing the header. For a
//! graph that ends are reducible this gives the natural loops. Where a back edge's source is not dominated by the
//! header (a `goto` into a loop), the loop is marked irreducible.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::ir::{Block, Function, Value};

/// The blocks of a function by number, 0 the entry, and their edges.
pub(crate) struct FlowGraph {
    pub(crate) blocks: Vec<Block>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
}

/// A loop of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Loop {
    pub(crate) header: usize,
    /// The blocks that the back edges come from.
    pub(crate) sources: BTreeSet<usize>,
    pub(crate) body: BTreeSet<usize>,
    /// Whether the header dominates the body.
    pub(crate) reducible: bool,
}

impl FlowGraph {
    /// Returns the graph of a function with a body.
    pub(crate) fn of(function: Value) -> Self {
        let blocks = Function(function).blocks();
        let numbers: HashMap<Block, usize> = blocks.iter().copied().zip(0..).collect();
        let successors: Vec<Vec<usize>> = blocks
            .iter()
            .map(|block| block.successors().iter().map(|successor| numbers[successor]).collect())
            .collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (from, targets) in successors.iter().enumerate() {
            for &to in targets {
                predecessors[to].push(from);
            }
        }
        Self { blocks, successors, predecessors }
    }

    /// Returns the blocks that control may come from, once for each edge.
    pub(crate) fn predecessors(&self, block: usize) -> &[usize] {
        &self.predecessors[block]
    }

    /// Returns the blocks that control may go to, once for each edge.
    pub(crate) fn successors(&self, block: usize) -> &[usize] {
        &self.successors[block]
    }

    /// Returns all loops, in the order of their headers.
    pub(crate) fn loops(&self) -> Vec<Loop> {
        let reachable = self.reached_without(None);
        self.back_edges()
            .into_iter()
            .map(|(header, sources)| {
                let around = self.reached_without(Some(header));
                let reducible = sources.iter().all(|&source| source == header || !around[source]);
                let body = self.body(header, &sources, &reachable);
                Loop { header, sources, body, reducible }
            })
            .collect()
    }

    /// Returns the sources of the back edges to each header.
    fn back_edges(&self) -> BTreeMap<usize, BTreeSet<usize>> {
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let mut edges: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut state = vec![NEW; self.blocks.len()];
        let mut path = vec![(0, 0)];
        state[0] = OPEN;
        while let Some((block, next)) = path.last_mut() {
            let Some(&target) = self.successors[*block].get(*next) else {
                state[*block] = DONE;
                path.pop();
                continue;
            };
            *next += 1;
            match state[target] {
                NEW => {
                    state[target] = OPEN;
                    path.push((target, 0));
                }
                OPEN => {
                    edges.entry(target).or_default().insert(*block);
                }
                _ => {}
            }
        }
        edges
    }

    /// Returns which blocks the entry reaches without going through the block `avoided`.
    fn reached_without(&self, avoided: Option<usize>) -> Vec<bool> {
        let mut reached = vec![false; self.blocks.len()];
        let mut open = vec![0];
        while let Some(block) = open.pop() {
            if Some(block) != avoided && !std::mem::replace(&mut reached[block], true) {
                open.extend(&self.successors[block]);
            }
        }
        reached
    }

    /// Returns the blocks that reach the sources without passing the header.
    fn body(&self, header: usize, sources: &BTreeSet<usize>, reachable: &[bool]) -> BTreeSet<usize> {
        let mut body = BTreeSet::from([header]);
        let mut open: Vec<usize> = sources.iter().copied().collect();
        while let Some(block) = open.pop() {
            if reachable[block] && body.insert(block) {
                open.extend(&self.predecessors[block]);
            }
        }
        body
    }
}
