//! The engine's search on random programs, compared with the oracle.

use std::collections::BTreeSet;

use engine::atomicity::{Happening, linearization};
use engine::explore::rsmc::{self, CompleteTrace, Continue};
use engine::graph::EventId;
use engine::graph::trace::Relations;
use engine::model::armv8::Armv8;
use engine::model::c11::C11;
use engine::model::power::Power;
use engine::model::pso::Pso;
use engine::model::riscv::Riscv;
use engine::model::sc::Sc;
use engine::model::tso::Tso;
use litmus::graphs::{MemoryModel, Threads};
use litmus::parse::parse;

use super::{Candidate, Dependency, Fence, Kind, Op, Oracle, Program, op};

pub(crate) fn relations_as_candidate(relations: &Relations) -> Candidate {
    let name = |event: EventId| (usize::from(event.thread), usize::from(event.index));
    Candidate {
        reads_from: relations.reads_from.iter().map(|&(read, source)| (name(read), source.map(name))).collect(),
        coherence: relations.coherence.iter().map(|writes| writes.iter().copied().map(name).collect()).collect(),
    }
}

/// Checks that a TSO machine that makes these steps has the execution's trace.
fn check_linearization(execution: &CompleteTrace<'_, 1>) {
    let happenings = linearization(execution.trace, |_| false).expect("TSO allows it");
    let expected = execution.trace.relations();
    let location = |event: EventId| execution.trace.node(execution.trace.nodes_of(event).start).location;
    let mut memory: Vec<Vec<EventId>> = vec![Vec::new(); expected.coherence.len()];
    let mut waiting: Vec<EventId> = Vec::new();
    let mut issued: Vec<EventId> = Vec::new();
    for happening in happenings {
        match happening {
            Happening::Issue(event) => {
                let earlier = issued.iter().filter(|other| other.thread == event.thread).count();
                assert_eq!(usize::from(event.index), earlier, "program order");
                issued.push(event);
                let place = location(event);
                if let Ok(read) = expected.reads_from.binary_search_by_key(&event, |&(read, _)| read) {
                    let own = |store: &&EventId| store.thread == event.thread && location(**store) == place;
                    let seen = waiting.iter().rfind(own).or(memory[place.index()].last()).copied();
                    assert_eq!(seen, expected.reads_from[read].1, "what {event:?} reads");
                    if execution.trace.write_of(event).is_some() {
                        assert!(waiting.iter().all(|store| store.thread != event.thread), "the buffer is empty");
                        memory[place.index()].push(event);
                    }
                } else {
                    waiting.push(event);
                }
                let fences = execution.trace.node(execution.trace.nodes_of(event).start).fences.full;
                let own = waiting.iter().filter(|store| store.thread == event.thread);
                let full = |store: &EventId| execution.trace.node(execution.trace.nodes_of(*store).start).fences.full;
                assert!(own.copied().all(|store| full(&store) == fences), "the buffer is empty at a fence");
            }
            Happening::Commit(event) => {
                let first = waiting.iter().position(|store| store.thread == event.thread);
                assert_eq!(waiting.remove(first.expect("it waits")), event, "first in, first out");
                memory[location(event).index()].push(event);
            }
        }
    }
    assert!(waiting.is_empty());
    assert_eq!(memory, expected.coherence);
}

/// All executions that the engine finds, each once.
pub(crate) fn found(text: &str, model: MemoryModel) -> BTreeSet<Candidate> {
    let test = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let threads = Threads { test: &test, model, accesses: 64 };
    let mut all = BTreeSet::new();
    let mut visit = |execution: &CompleteTrace<'_, 1>| {
        if model == MemoryModel::Tso {
            check_linearization(execution);
        }
        assert!(
            all.insert(relations_as_candidate(&execution.trace.relations())),
            "an execution twice under {model:?}\n{text}"
        );
        Continue::Yes
    };
    let (_, result) = match model {
        MemoryModel::Sc => rsmc::explore::<1, Sc<1>, _>(&threads, &mut visit),
        MemoryModel::Tso => rsmc::explore::<1, Tso<1>, _>(&threads, &mut visit),
        MemoryModel::Pso => rsmc::explore::<1, Pso<1>, _>(&threads, &mut visit),
        MemoryModel::Power => rsmc::explore::<1, Power<1>, _>(&threads, &mut visit),
        MemoryModel::Armv8 => rsmc::explore::<1, Armv8<1>, _>(&threads, &mut visit),
        MemoryModel::Riscv => rsmc::explore::<1, Riscv<1>, _>(&threads, &mut visit),
        MemoryModel::C11 => rsmc::explore::<1, C11<1>, _>(&threads, &mut visit),
    };
    assert_eq!(result, Ok(()), "{text}");
    all
}

/// A linear congruential generator (Knuth's MMIX constants): no test needs better.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit).expect("small")
    }
}

/// A program of two or three threads; of its operations, `updates` out of 6 + `updates` are read-modify-writes.
pub(crate) fn random(random: &mut Random, updates: u64) -> Program {
    let shapes: [&[usize]; 4] = [&[3, 3], &[2, 2, 1], &[1, 2, 2], &[4, 2]];
    let mut program = Program::default();
    for &length in shapes[random.below(4)] {
        let mut thread = Vec::new();
        for _ in 0..length {
            let kind = match random.below(6 + updates) {
                0..3 => Kind::Load,
                3..6 => Kind::Store,
                6 => Kind::Exchange,
                _ => Kind::Add,
            };
            let reads: Vec<usize> =
                (0..thread.len()).filter(|&index: &usize| op(&thread, index).kind != Kind::Store).collect();
            let dependency = (!reads.is_empty()).then(|| {
                let from = reads[random.below(reads.len() as u64)];
                match random.below(6) {
                    0 => Some(Dependency::Address(from)),
                    1 if kind == Kind::Store => Some(Dependency::Data(from)),
                    2 => Some(Dependency::Control(from)),
                    3 => Some(Dependency::Synchronized(from)),
                    _ => None,
                }
            });
            let fence = match random.below(9) {
                0 => Some(Fence::Sync),
                1 => Some(Fence::Lwsync),
                2 => Some(Fence::Eieio),
                _ => None,
            };
            thread.push(Op { kind, location: random.below(2), dependency: dependency.flatten(), fence });
        }
        program.threads.push(thread);
    }
    program
}

/// Compares all executions under each model; how many there are under POWER.
pub(crate) fn compare(program: &Program) -> usize {
    let mut count = 0;
    let text = program.text();
    let oracle = Oracle::new(program);
    let candidates = oracle.candidates();
    for (model, allows) in [
        (MemoryModel::Sc, Oracle::sc as fn(&Oracle, &Candidate) -> bool),
        (MemoryModel::Tso, Oracle::tso),
        (MemoryModel::Pso, Oracle::pso),
        (MemoryModel::Power, Oracle::power),
    ] {
        let expected: BTreeSet<Candidate> =
            candidates.iter().filter(|candidate| allows(&oracle, candidate)).cloned().collect();
        let found = found(&text, model);
        assert_eq!(found.len(), expected.len(), "under {model:?}\n{text}");
        assert_eq!(found, expected, "under {model:?}\n{text}");
        count = found.len();
    }
    count
}
