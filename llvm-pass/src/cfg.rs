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
        let dominators = Dominators::of(self);
        self.back_edges()
            .into_iter()
            .map(|(header, sources)| {
                let reducible = sources.iter().all(|&source| dominators.dominates(header, source));
                let body = self.body(header, &sources, &dominators);
                Loop { header, sources, body, reducible }
            })
            .collect()
    }

    /// Returns the blocks that the entry reaches, each before those that are only reached through it.
    pub(crate) fn reverse_postorder(&self) -> Vec<usize> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::new();
        let mut path = vec![(0, 0)];
        seen[0] = true;
        while let Some((block, next)) = path.last_mut() {
            if let Some(&successor) = self.successors[*block].get(*next) {
                *next += 1;
                if !std::mem::replace(&mut seen[successor], true) {
                    path.push((successor, 0));
                }
            } else {
                order.push(*block);
                path.pop();
            }
        }
        order.reverse();
        order
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

    /// Returns the blocks that reach the sources without passing the header.
    fn body(&self, header: usize, sources: &BTreeSet<usize>, dominators: &Dominators) -> BTreeSet<usize> {
        let mut body = BTreeSet::from([header]);
        let mut open: Vec<usize> = sources.iter().copied().collect();
        while let Some(block) = open.pop() {
            if dominators.is_reachable(block) && body.insert(block) {
                open.extend(&self.predecessors[block]);
            }
        }
        body
    }
}

/// The dominator tree of a graph: what comes before a block on every path from the entry (Cooper, Harvey and Kennedy, "A simple,
/// fast dominance algorithm").
struct Dominators {
    /// For each block, when a walk of the tree enters it and leaves it; none if the entry does not reach the block.
    spans: Vec<Option<(usize, usize)>>,
}

impl Dominators {
    fn of(graph: &FlowGraph) -> Self {
        let order = graph.reverse_postorder();
        let mut ranks = vec![None; graph.blocks.len()];
        order.iter().zip(0..).for_each(|(&block, rank)| ranks[block] = Some(rank));
        // By ranks; the entry is its own dominator.
        let mut nearest: Vec<Option<usize>> = vec![None; order.len()];
        nearest[0] = Some(0);
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (rank, &block) in order.iter().enumerate().skip(1) {
                let known = graph.predecessors(block).iter().filter_map(|&from| ranks[from]);
                let found =
                    known.filter(|&from| nearest[from].is_some()).reduce(|one, other| common(&nearest, one, other));
                changed |= found != std::mem::replace(&mut nearest[rank], found);
            }
        }
        Self { spans: spans(&nearest, &ranks) }
    }

    /// Whether the entry reaches a block.
    fn is_reachable(&self, block: usize) -> bool {
        self.spans[block].is_some()
    }

    /// Whether every path from the entry to `other`, which the entry reaches, goes through `block`.
    fn dominates(&self, block: usize, other: usize) -> bool {
        let (Some(outer), Some(inner)) = (self.spans[block], self.spans[other]) else { return false };
        outer.0 <= inner.0 && inner.1 <= outer.1
    }
}

/// Returns the nearest block that dominates two others, by the nearest dominators as far as they are known.
fn common(nearest: &[Option<usize>], mut one: usize, mut other: usize) -> usize {
    while one != other {
        let later = if one > other { &mut one } else { &mut other };
        *later = nearest[*later].unwrap_or(0);
    }
    one
}

/// Returns when a walk of the tree enters and leaves each block. Nearest dominators have lower ranks, so that a pass from the
/// last rank to the first counts what is below each.
fn spans(nearest: &[Option<usize>], ranks: &[Option<usize>]) -> Vec<Option<(usize, usize)>> {
    let mut below = vec![1; nearest.len()];
    for rank in (1..nearest.len()).rev() {
        below[nearest[rank].unwrap_or(0)] += below[rank];
    }
    let mut begins = vec![0; nearest.len()];
    let mut next: Vec<usize> = vec![1; nearest.len()];
    for rank in 1..nearest.len() {
        let above = nearest[rank].unwrap_or(0);
        begins[rank] = next[above];
        next[above] += below[rank];
        next[rank] = begins[rank] + 1;
    }
    ranks.iter().map(|rank| rank.map(|rank| (begins[rank], begins[rank] + below[rank]))).collect()
}
