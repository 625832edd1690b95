//! Commits as steps ([`engine::buffers::Steps`]) under the explorer of classes: on random programs, the same registers and the
//! same memory in the end as on the plain machine, in which each commit may come at any time.

mod buffered;

use std::collections::BTreeSet;
use std::ops::Range;

use buffered::{BYTES, Numbers, Operation, Outcome, Program, has_read, plain, random, written};
use engine::buffers::{Steps, StoreBuffers, StoreEntry};
use engine::event::{Kind, Location, Site, Thread};
use engine::execution::{Ending, Execution, Next, Pending, commits};
use engine::explore::trust::Trust;
use engine::explore::{Finish, Notice, Strategy, Values};
use engine::model::MemoryModel;
use engine::step::Step;

/// A program on the machine, under an explorer: main creates its threads.
struct Machine<'a> {
    program: &'a Program,
    execution: Execution,
    next: Vec<usize>,
    memory: [u8; BYTES],
    buffers: StoreBuffers,
    steps: Steps,
    read: Vec<Vec<Vec<u8>>>,
}

/// The number of a thread of the program, by its index.
fn number(index: usize) -> Thread {
    Thread::from_index(index + 1)
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program, model: MemoryModel, strategy: Box<dyn Strategy>) -> Self {
        Self {
            program,
            execution: Execution::new(strategy),
            next: Vec::new(),
            memory: [0; BYTES],
            buffers: StoreBuffers::of(model).expect("it has store buffers"),
            steps: Steps::default(),
            read: Vec::new(),
        }
    }

    /// The next execution, if there is one.
    fn run(&mut self) -> Option<Outcome> {
        if !self.execution.begin() {
            return None;
        }
        let threads = self.program.len();
        (self.next, self.memory, self.read) = (vec![0; threads], [0; BYTES], vec![Vec::new(); threads]);
        self.buffers.begin();
        self.steps.begin();
        let mut created = 0;
        self.execution.state.arrive(Thread::MAIN, Pending::Access);
        loop {
            match self.execution.choose() {
                Next::Run(Thread::MAIN) => {
                    let child = self.execution.state.create().expect("few threads");
                    assert_eq!(child, number(created));
                    self.tell(Thread::MAIN, Kind::Create(child), &[]);
                    self.arrive(created);
                    created += 1;
                    if created < threads {
                        self.execution.state.arrive(Thread::MAIN, Pending::Access);
                    } else {
                        self.execution.state.end_thread(Thread::MAIN);
                    }
                }
                Next::Run(thread) if thread < Thread::FIRST_COMMITTER => self.perform(thread.index() - 1),
                Next::Run(committer) => self.commit(committer),
                Next::End(ending) => {
                    assert_eq!(ending, Ending::Complete, "{:?}", self.program);
                    break;
                }
            }
        }
        self.execution.finish(Finish::Done);
        assert!(self.buffers.is_empty(), "all has committed");
        Some((self.read.clone(), self.memory))
    }

    fn tell(&mut self, thread: Thread, kind: Kind, bytes: &[usize]) {
        let locations: Vec<Location> = bytes.iter().map(|&byte| Location(byte as u32)).collect();
        let step = Step { thread, site: Site(0), kind, target: 0 };
        self.execution.performed(step, &locations, Values::Unknown).expect("the program is deterministic");
    }

    /// The thread runs on to its next operation.
    fn arrive(&mut self, index: usize) {
        let thread = number(index);
        while let Some(Operation::If) = self.program[index].get(self.next[index]) {
            self.next[index] += 1 + usize::from(!has_read(&self.read[index]));
        }
        match self.program[index].get(self.next[index]) {
            None => return self.execution.state.end_thread(thread),
            Some(Operation::Fence) => self.steps.await_all(thread),
            Some(&Operation::Update { at, width, releases }) => {
                if releases {
                    self.buffers.separate(thread);
                }
                self.steps.await_for(&self.buffers, thread, &(at..at + width));
            }
            Some(_) => {}
        }
        self.execution.state.arrive(thread, Pending::Access);
        commits::hold(&mut self.execution.state, thread);
        self.let_go(thread);
    }

    fn let_go(&mut self, thread: Thread) {
        if !self.steps.is_held(thread) {
            commits::let_go(&mut self.execution.state, thread);
            for event in self.steps.awaited(&self.buffers, thread) {
                self.execution.notify(Notice::After { thread, event });
            }
        }
    }

    fn offer(&mut self, thread: Thread) {
        let (now, before) = self.steps.offers(&self.buffers, thread);
        before.iter().for_each(|committer| commits::withdraw(&mut self.execution.state, committer));
        now.iter().for_each(|committer| commits::offer(&mut self.execution.state, committer));
    }

    fn sees(&self, thread: Thread, bytes: Range<usize>) -> Vec<u8> {
        let byte = |address: usize| {
            let own = self.buffers.entries(thread).iter().rev().find(|entry| entry.range().contains(&address));
            own.map_or(self.memory[address], |entry| entry.bytes[address - entry.address])
        };
        bytes.map(byte).collect()
    }

    fn perform(&mut self, index: usize) {
        let (thread, at) = (number(index), self.next[index]);
        self.next[index] += 1;
        match self.program[index][at] {
            Operation::Load(at, width) => {
                let read = self.sees(thread, at..at + width);
                self.read[index].push(read);
                self.tell(thread, Kind::Load, &(at..at + width).collect::<Vec<_>>());
            }
            Operation::Store(address, width) => {
                let event = self.execution.history.length();
                self.tell(thread, Kind::Store, &[]);
                self.buffers.store(thread, StoreEntry::new(event, address, written(index, at, width)));
                self.steps.stored(&self.buffers, thread, Vec::new()).expect("few places");
                self.offer(thread);
            }
            Operation::Update { at: address, width, .. } => {
                let read = self.sees(thread, address..address + width);
                self.read[index].push(read);
                self.memory[address..address + width].copy_from_slice(&written(index, at, width));
                self.tell(thread, Kind::Rmw, &(address..address + width).collect::<Vec<_>>());
            }
            Operation::Fence | Operation::StoreStore => {
                self.tell(thread, Kind::Fence, &[]);
                if matches!(self.program[index][at], Operation::StoreStore) {
                    self.buffers.separate(thread);
                }
            }
            Operation::If => unreachable!("it is no event"),
        }
        self.arrive(index);
    }

    fn commit(&mut self, committer: Thread) {
        let which = self.steps.next(&self.buffers, committer).expect("it was offered");
        let event = self.execution.history.length();
        for earlier in self.steps.commit(&self.buffers, which, event) {
            self.execution.notify(Notice::After { thread: committer, event: earlier });
        }
        let entry = self.buffers.commit(which);
        self.memory[entry.range()].copy_from_slice(&entry.bytes);
        self.tell(committer, Kind::Store, &entry.range().collect::<Vec<_>>());
        self.offer(which.thread);
        self.let_go(which.thread);
    }
}

/// The outcomes by the explorer of classes, and how many executions it runs.
fn by_classes(program: &Program, model: MemoryModel) -> (BTreeSet<Outcome>, usize) {
    let mut machine = Machine::new(program, model, Box::new(Trust::new()));
    let outcomes: Vec<Outcome> = std::iter::from_fn(|| machine.run()).collect();
    let executions = outcomes.len();
    (outcomes.into_iter().collect(), executions)
}

#[test]
fn classes_of_commits_lead_where_the_machine_does() {
    let mut numbers = Numbers(7);
    let mut relaxed = 0;
    for _ in 0..3000 {
        let program = random(&mut numbers);
        let (tso, pso) = (plain(&program, false), plain(&program, true));
        let (found, _) = by_classes(&program, MemoryModel::Tso);
        assert_eq!(found, tso, "TSO: {program:?}");
        let (found, _) = by_classes(&program, MemoryModel::Pso);
        assert_eq!(found, pso, "PSO: {program:?}");
        relaxed += usize::from(pso != tso);
    }
    assert!(relaxed > 100, "only {relaxed} programs tell TSO and PSO apart");
}
