//! Programs of loads, stores and barriers on a few bytes, and the machines TSO and PSO as the models' definitions have them.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

pub(crate) const BYTES: usize = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    Load(usize, usize),
    Store(usize, usize),
    /// Reads and writes, and waits for all stores before it if it releases.
    Update {
        at: usize,
        width: usize,
        releases: bool,
    },
    Fence,
    StoreStore,
    /// The next operation is performed only if the last read returned something else than 0.
    If,
}

pub(crate) type Program = Vec<Vec<Operation>>;

/// What each read of each thread returned, and the memory in the end.
pub(crate) type Outcome = (Vec<Vec<Vec<u8>>>, [u8; BYTES]);

/// What a thread's operation writes: no two write the same.
pub(crate) fn written(thread: usize, index: usize, width: usize) -> Vec<u8> {
    vec![(16 * (thread + 1) + index) as u8; width]
}

/// Whether the last of these reads returned something else than 0.
pub(crate) fn has_read(read: &[Vec<u8>]) -> bool {
    read.last().is_some_and(|last| last.iter().any(|&byte| byte != 0))
}

/// The machine as the models' definitions have it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Plain {
    next: Vec<usize>,
    memory: [u8; BYTES],
    /// Of each thread: first byte, bytes, how many store–store barriers came before.
    waiting: Vec<Vec<(usize, Vec<u8>, usize)>>,
    barriers: Vec<usize>,
    read: Vec<Vec<Vec<u8>>>,
}

impl Plain {
    fn sees(&self, thread: usize, bytes: Range<usize>) -> Vec<u8> {
        let byte = |address: usize| {
            let own =
                self.waiting[thread].iter().rev().find(|(at, bytes, _)| (*at..at + bytes.len()).contains(&address));
            own.map_or(self.memory[address], |(at, bytes, _)| bytes[address - at])
        };
        bytes.map(byte).collect()
    }

    fn may_commit(&self, pso: bool, thread: usize, index: usize) -> bool {
        let (at, bytes, barriers) = &self.waiting[thread][index];
        self.waiting[thread][..index].iter().all(|(other, others, before)| {
            pso && *before == *barriers && (other + others.len() <= *at || at + bytes.len() <= *other)
        })
    }

    fn is_free(&self, pso: bool, thread: usize, operation: Operation) -> bool {
        match operation {
            Operation::Load(..) | Operation::Store(..) | Operation::StoreStore | Operation::If => true,
            Operation::Fence => self.waiting[thread].is_empty(),
            Operation::Update { releases, .. } if releases || !pso => self.waiting[thread].is_empty(),
            Operation::Update { at, width, .. } => self.waiting[thread].iter().all(|(other, bytes, before)| {
                *before == self.barriers[thread] && (other + bytes.len() <= at || at + width <= *other)
            }),
        }
    }

    fn perform(&mut self, thread: usize, operation: Operation) {
        let index = self.next[thread];
        self.next[thread] += 1;
        match operation {
            Operation::Load(at, width) => {
                let read = self.sees(thread, at..at + width);
                self.read[thread].push(read);
            }
            Operation::Store(at, width) => {
                let barriers = self.barriers[thread];
                self.waiting[thread].push((at, written(thread, index, width), barriers));
            }
            Operation::Update { at, width, .. } => {
                let read = self.sees(thread, at..at + width);
                self.read[thread].push(read);
                self.memory[at..at + width].copy_from_slice(&written(thread, index, width));
            }
            Operation::Fence => {}
            Operation::StoreStore => self.barriers[thread] += 1,
            Operation::If => self.next[thread] += usize::from(!has_read(&self.read[thread])),
        }
    }
}

pub(crate) fn plain(program: &Program, pso: bool) -> BTreeSet<Outcome> {
    let threads = program.len();
    let start = Plain {
        next: vec![0; threads],
        memory: [0; BYTES],
        waiting: vec![Vec::new(); threads],
        barriers: vec![0; threads],
        read: vec![Vec::new(); threads],
    };
    let (mut seen, mut unvisited, mut outcomes) = (HashSet::new(), vec![start], BTreeSet::new());
    while let Some(state) = unvisited.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let mut ends = true;
        for (thread, operations) in program.iter().enumerate() {
            for index in 0..state.waiting[thread].len() {
                ends = false;
                if state.may_commit(pso, thread, index) {
                    let mut next = state.clone();
                    let (at, bytes, _) = next.waiting[thread].remove(index);
                    next.memory[at..at + bytes.len()].copy_from_slice(&bytes);
                    unvisited.push(next);
                }
            }
            if let Some(&operation) = operations.get(state.next[thread]) {
                ends = false;
                if state.is_free(pso, thread, operation) {
                    let mut next = state.clone();
                    next.perform(thread, operation);
                    unvisited.push(next);
                }
            }
        }
        if ends {
            outcomes.insert((state.read.clone(), state.memory));
        }
    }
    outcomes
}

/// Numbers that follow from a seed.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

pub(crate) fn random(numbers: &mut Numbers) -> Program {
    let threads = 2 + numbers.below(2);
    let longest = if threads == 2 { 4 } else { 3 };
    (0..threads).map(|_| (0..1 + numbers.below(longest)).map(|_| operation(numbers)).collect()).collect()
}

fn operation(numbers: &mut Numbers) -> Operation {
    let width = 1 + numbers.below(2);
    let at = numbers.below(BYTES - width + 1);
    match numbers.below(13) {
        0..4 => Operation::Load(at, width),
        4..9 => Operation::Store(at, width),
        9 => Operation::Update { at, width, releases: numbers.below(2) == 0 },
        10 => Operation::Fence,
        11 => Operation::If,
        _ => Operation::StoreStore,
    }
}
