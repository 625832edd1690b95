//! Commits that are put off until they make a difference ([`engine::buffers::Batch`]) lead where commits at any time do: on random
//! programs, the same registers and the same memory in the end as on the plain machine, which is written here anew.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use engine::buffers::{Batch, Demand, StoreBuffers, StoreEntry};
use engine::event::Thread;
use engine::model::MemoryModel;

const BYTES: usize = 4;

#[derive(Clone, Copy, Debug)]
enum Operation {
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
}

type Program = Vec<Vec<Operation>>;

/// What each read of each thread returned, and the memory in the end.
type Outcome = (Vec<Vec<Vec<u8>>>, [u8; BYTES]);

/// What a thread's operation writes: no two write the same.
fn written(thread: usize, index: usize, width: usize) -> Vec<u8> {
    vec![(16 * (thread + 1) + index) as u8; width]
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
            Operation::Load(..) | Operation::Store(..) | Operation::StoreStore => true,
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
        }
    }
}

fn plain(program: &Program, pso: bool) -> BTreeSet<Outcome> {
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

/// The machine whose commits are put off.
#[derive(Clone)]
struct PutOff {
    next: Vec<usize>,
    memory: [u8; BYTES],
    buffers: StoreBuffers,
    read: Vec<Vec<Vec<u8>>>,
}

impl PutOff {
    fn sees(&self, thread: Thread, bytes: Range<usize>) -> Vec<u8> {
        let byte = |address: usize| {
            let own = self.buffers.entries(thread).iter().rev().find(|entry| entry.range().contains(&address));
            own.map_or(self.memory[address], |entry| entry.bytes[address - entry.address])
        };
        bytes.map(byte).collect()
    }

    /// Gets ready for the operation: what it depends on.
    fn demands(&mut self, thread: Thread, operation: Operation) -> Demand {
        let bytes: Option<Range<usize>> = match operation {
            Operation::Load(at, width) => Some(at..at + width),
            Operation::Update { at, width, releases } => {
                if releases {
                    self.buffers.separate(thread);
                }
                self.buffers.drain_for(thread, &(at..at + width));
                Some(at..at + width)
            }
            Operation::Fence => {
                self.buffers.drain(thread);
                None
            }
            Operation::Store(..) | Operation::StoreStore => None,
        };
        Demand { thread: Some(thread), bytes: bytes.into_iter().collect(), awaits: false }
    }

    fn perform(&mut self, index: usize, operation: Operation) {
        let (thread, number) = (Thread::from_index(index), self.next[index]);
        self.next[index] += 1;
        match operation {
            Operation::Load(at, width) => {
                let read = self.sees(thread, at..at + width);
                self.read[index].push(read);
            }
            Operation::Store(at, width) => {
                let event = self.next.iter().sum::<usize>() as u32;
                self.buffers.store(thread, StoreEntry::new(event, at, written(index, number, width)));
            }
            Operation::Update { at, width, .. } => {
                let read = self.sees(thread, at..at + width);
                self.read[index].push(read);
                self.memory[at..at + width].copy_from_slice(&written(index, number, width));
            }
            Operation::Fence => {}
            Operation::StoreStore => self.buffers.separate(thread),
        }
    }

    /// All ways to commit before an operation.
    fn commits(self, batch: &Batch, then: &mut dyn FnMut(Self)) {
        let offers = batch.offers(&self.buffers);
        assert!(offers.performs || !offers.commits.is_empty(), "something can always be done");
        for which in offers.commits {
            let (mut next, mut batch) = (self.clone(), batch.clone());
            let entry = batch.commit(&mut next.buffers, which);
            next.memory[entry.range()].copy_from_slice(&entry.bytes);
            next.commits(&batch, then);
        }
        if offers.performs {
            then(self);
        }
    }
}

fn put_off(program: &Program, model: MemoryModel) -> BTreeSet<Outcome> {
    let threads = program.len();
    let buffers = StoreBuffers::of(model).expect("it has store buffers");
    let start = PutOff { next: vec![0; threads], memory: [0; BYTES], buffers, read: vec![Vec::new(); threads] };
    let (mut unvisited, mut outcomes) = (vec![start], BTreeSet::new());
    while let Some(state) = unvisited.pop() {
        let mut ends = true;
        for (thread, operations) in program.iter().enumerate() {
            let Some(&operation) = operations.get(state.next[thread]) else { continue };
            ends = false;
            let mut next = state.clone();
            let demand = next.demands(Thread::from_index(thread), operation);
            next.commits(&Batch::before(demand), &mut |mut state| {
                state.perform(thread, operation);
                unvisited.push(state);
            });
        }
        if ends {
            let mut last = state;
            (0..threads).for_each(|thread| last.buffers.drain(Thread::from_index(thread)));
            let end = Demand { thread: None, bytes: Vec::new(), awaits: false };
            last.commits(&Batch::before(end), &mut |state| {
                outcomes.insert((state.read, state.memory));
            });
        }
    }
    outcomes
}

/// Numbers that follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

fn random(numbers: &mut Numbers) -> Program {
    let threads = 2 + numbers.below(2);
    let longest = if threads == 2 { 4 } else { 3 };
    (0..threads).map(|_| (0..1 + numbers.below(longest)).map(|_| operation(numbers)).collect()).collect()
}

fn operation(numbers: &mut Numbers) -> Operation {
    let width = 1 + numbers.below(2);
    let at = numbers.below(BYTES - width + 1);
    match numbers.below(12) {
        0..4 => Operation::Load(at, width),
        4..9 => Operation::Store(at, width),
        9 => Operation::Update { at, width, releases: numbers.below(2) == 0 },
        10 => Operation::Fence,
        _ => Operation::StoreStore,
    }
}

#[test]
fn commits_that_are_put_off_lead_where_the_machine_does() {
    let mut numbers = Numbers(1);
    let mut relaxed = 0;
    for _ in 0..400 {
        let program = random(&mut numbers);
        let tso = plain(&program, false);
        assert_eq!(put_off(&program, MemoryModel::Tso), tso, "TSO: {program:?}");
        let pso = plain(&program, true);
        assert_eq!(put_off(&program, MemoryModel::Pso), pso, "PSO: {program:?}");
        relaxed += usize::from(pso != tso);
    }
    assert!(relaxed > 20, "only {relaxed} programs tell TSO and PSO apart");
}

#[test]
fn store_buffering_and_message_passing() {
    let (x, y) = (0, 1);
    let buffering =
        vec![vec![Operation::Store(x, 1), Operation::Load(y, 1)], vec![Operation::Store(y, 1), Operation::Load(x, 1)]];
    let both_zero = |outcomes: &BTreeSet<Outcome>| outcomes.iter().any(|(read, _)| read == &[[[0]], [[0]]]);
    assert!(both_zero(&put_off(&buffering, MemoryModel::Tso)));
    let mut passing =
        vec![vec![Operation::Store(x, 1), Operation::Store(y, 1)], vec![Operation::Load(y, 1), Operation::Load(x, 1)]];
    let stale = |outcomes: &BTreeSet<Outcome>| outcomes.iter().any(|(read, _)| read[1] == [vec![17], vec![0]]);
    assert!(!stale(&put_off(&passing, MemoryModel::Tso)));
    assert!(stale(&put_off(&passing, MemoryModel::Pso)));
    passing[0].insert(1, Operation::StoreStore);
    assert!(put_off(&passing, MemoryModel::Pso).iter().all(|(read, _)| read[1] != [vec![18], vec![0]]));
}
