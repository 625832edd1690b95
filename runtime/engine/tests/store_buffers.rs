//! Commits that are put off until they make a difference ([`engine::buffers::Batch`]) lead where commits at any time do: on random
//! programs, the same registers and the same memory in the end as on the plain machine, which is written anew in `buffered`.

mod buffered;

use std::collections::BTreeSet;
use std::ops::Range;

use buffered::{BYTES, Numbers, Operation, Outcome, Program, has_read, plain, random, written};
use engine::buffers::{Batch, Demand, StoreBuffers, StoreEntry};
use engine::event::Thread;
use engine::model::MemoryModel;

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
            Operation::Store(..) | Operation::StoreStore | Operation::If => None,
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
            Operation::If => self.next[index] += usize::from(!has_read(&self.read[index])),
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
