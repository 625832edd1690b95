//! What is sure to take effect before an end under POWER, compared with the axioms on the program that has a store in its place.

use std::collections::BTreeSet;

use engine::explore::rsmc::{self, Continue};
use engine::graph::lifetime::Moment;
use engine::graph::{EventId, Fences};
use engine::model::power::Power;
use litmus::graphs::{MemoryModel, Threads};
use litmus::parse::parse;

use crate::axioms::engine::{Random, random};
use crate::axioms::{Candidate, Fence, Kind, Name, Op, Oracle, Program};

/// Returns a random program, and the thread at whose end something ends.
pub(crate) fn program(source: &mut Random) -> (Program, usize) {
    let mut program = random(source, 2);
    let thread = source.below(program.threads.len() as u64);
    let length = source.below(program.threads[thread].len() as u64 + 1);
    program.threads[thread].truncate(length);
    (program, thread)
}

/// Returns the accesses of other threads that some execution has behind the end.
pub(crate) fn found(program: &Program, thread: usize) -> BTreeSet<Name> {
    let text = program.text();
    let test = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let threads = Threads { test: &test, model: MemoryModel::Power, accesses: 64 };
    let accesses = u16::try_from(program.threads[thread].len()).expect("few accesses");
    let end = Moment { thread: u16::try_from(thread).expect("few threads"), accesses, fences: Fences::default() };
    let mut late = BTreeSet::new();
    let mut visit = |execution: &rsmc::CompleteTrace<'_, 1>| {
        let lifetimes = execution.lifetimes(&[end]);
        late.extend(
            others(program, thread).filter(|&(thread, index)| !lifetimes.precedes(EventId::new(thread, index), end)),
        );
        Continue::Yes
    };
    let (_, result) = rsmc::explore::<1, Power<1>, _>(&threads, &mut visit);
    assert_eq!(result, Ok(()), "{text}");
    late
}

/// Returns the accesses that some execution has behind a store to their location that takes the place of the end, behind a `sync`.
pub(crate) fn expected(program: &Program, thread: usize) -> BTreeSet<Name> {
    let mut late = BTreeSet::new();
    for location in 0..2 {
        let mut with_store = program.clone();
        let store = (thread, program.threads[thread].len());
        let end = Op { kind: Kind::Store, location, dependency: None, fence: Some(Fence::Sync) };
        with_store.threads[thread].push(end);
        let oracle = Oracle::new(&with_store);
        for candidate in oracle.candidates().iter().filter(|candidate| oracle.power(candidate)) {
            let at = |&(thread, index): &Name| program.threads[thread][index].location == location;
            late.extend(others(program, thread).filter(at).filter(|&access| is_behind(candidate, access, store)));
        }
    }
    late
}

/// Returns the accesses of all threads but one.
fn others(program: &Program, but: usize) -> impl Iterator<Item = Name> {
    let threads = program.threads.iter().enumerate().filter(move |&(thread, _)| thread != but);
    threads.flat_map(|(thread, ops)| (0..ops.len()).map(move |index| (thread, index)))
}

/// Whether an access reads from this store, or follows it in coherence order.
fn is_behind(candidate: &Candidate, access: Name, store: Name) -> bool {
    let follows = |writes: &Vec<Name>| writes.iter().skip_while(|&&write| write != store).any(|&write| write == access);
    candidate.reads_from.contains(&(access, Some(store))) || candidate.coherence.iter().any(follows)
}
