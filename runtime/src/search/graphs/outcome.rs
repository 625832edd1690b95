//! The end of an execution graph, as judging compares it ([`crate::search::outcome`]).
//!
//! Of memory, those bytes count that variables with static storage hold, and blocks of the heap that can be reached
//! from them; of these only the bytes that differ from the beginning, so that it does not matter which locations they
//! are divided into. Objects count by their state. Memory that hooks have not seen written is as at the beginning.

use std::collections::{BTreeMap, BTreeSet};

use engine::event::{Location, Thread};
use engine::explore::rsmc::CompleteTrace;
use engine::graph::Value;
use protocol::{Compared, Operation};

use crate::process::layout;
use crate::run::{Runtime, with};
use crate::search::graphs::runs::{Broken, run_each};
use crate::search::outcome::{self, Left, Outcome, Word, Words, ignore, is_static, name_of, pointer, state_in_words};
use crate::state::exited::seen;
use crate::state::graph::milestones::Change;
use crate::state::graph::places::{Bytes, Thing};
use crate::state::graph::states::ObjectState;
use crate::state::heap::Block;
use crate::state::memory::{initial, peek};

/// Takes the end of the execution, which does not fail, into the outcomes, if they are compared; returns its digest.
pub(crate) fn take<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<Option<String>, Broken> {
    let compared = with(|runtime| runtime.recorder.tallied.compared).flatten();
    let Some(compared) = compared else { return Ok(None) };
    let (left, freed) = left(execution)?;
    let digest = with(|runtime| {
        let mut outcome = Outcome::of(&left, compared);
        if compared >= Compared::Memory && !left.has_exited {
            add_results(&mut outcome, runtime, execution);
            add_memory(&mut outcome, runtime, execution, (&left, &freed));
        }
        let digest = outcome.digest().to_string();
        runtime.recorder.tallied.take_final(&digest, execution.causality(), outcome.named());
        digest
    });
    Ok(digest)
}

/// Runs each thread as in this execution, and returns what it leaves behind and which blocks it frees; leaves the heap
/// as it is in the end.
fn left<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<(Left, BTreeSet<usize>), Broken> {
    let (mut left, mut freed) = (Left::default(), BTreeSet::new());
    run_each(execution, |graph| {
        let thread = graph.run.thread;
        let path = graph.paths.get(thread.index()).cloned().unwrap_or_default();
        let ending = &mut graph.run.ending;
        if !ending.printed.is_empty() {
            left.printed.insert(path, std::mem::take(&mut ending.printed));
        }
        left.ignored.append(&mut ending.ignored);
        if let Some(exit) = ending.exit {
            left.statuses.insert(seen(exit.status));
            left.has_exited |= exit.operation != Operation::Return;
        }
        let frees = graph.run.milestones.iter().filter_map(|milestone| match milestone.change {
            Change::Frees(address, _) => Some(address),
            _ => None,
        });
        freed.extend(frees);
    })?;
    with(|runtime| {
        for thread in 0..execution.labels.len() {
            let text = runtime.threads.of(Thread::from_index(thread)).observed.text();
            if !execution.labels[thread].is_empty() && !text.is_empty() {
                left.observed.insert(runtime.graph_mut().paths[thread].clone(), text);
            }
        }
    });
    Ok((left, freed))
}

/// Adds the results of threads.
fn add_results<const W: usize>(outcome: &mut Outcome, runtime: &mut Runtime, execution: &CompleteTrace<'_, W>) {
    let graph = runtime.graph_mut();
    for (thing, location) in graph.places.things() {
        let Thing::End(thread) = thing else { continue };
        let Some(result) = last(execution, location).filter(|&result| result != 0) else { continue };
        outcome.add_result(&graph.paths[thread.index()], result.cast_unsigned());
    }
}

/// Adds the contents of memory, and the states of objects in it.
fn add_memory<const W: usize>(
    outcome: &mut Outcome,
    runtime: &mut Runtime,
    execution: &CompleteTrace<'_, W>,
    (left, freed): (&Left, &BTreeSet<usize>),
) {
    let mut pieces: Vec<(Location, Bytes)> = runtime.graph_mut().places.memory().collect();
    pieces.sort_unstable_by_key(|(_, bytes)| bytes.address);
    let mut words = words(&pieces, execution);
    ignore(&mut words, &left.ignored);
    let blocks = reachable(runtime, &words, freed);
    let counts = |address: usize| is_static(address) || blocks.iter().any(|block| block.bytes().contains(&address));
    for (&address, word) in words.iter().filter(|(address, word)| word.first != word.last && counts(**address)) {
        outcome.add_word(address, word);
    }
    for &(location, Bytes { address, width, .. }) in pieces.iter().filter(|(_, bytes)| counts(bytes.address)) {
        if last(execution, location).is_some() {
            let part = (address & 7)..(address & 7) + width;
            outcome.name_bytes(|| name_of(runtime, address, &blocks), &words[&(address & !7)], part);
        }
    }
    add_objects(outcome, runtime, execution, &blocks, counts);
}

/// Adds the states of objects.
fn add_objects<const W: usize>(
    outcome: &mut Outcome,
    runtime: &mut Runtime,
    execution: &CompleteTrace<'_, W>,
    blocks: &[Block],
    counts: impl Fn(usize) -> bool,
) {
    for (thing, location) in runtime.graph_mut().places.things().collect::<Vec<_>>() {
        let (Thing::Mutex(address) | Thing::Object(address)) = thing else { continue };
        let Some(value) = last(execution, location).filter(|_| counts(address)) else { continue };
        let graph = runtime.graph_mut();
        let path = |thread: Thread| graph.paths.get(thread.index()).cloned().unwrap_or_default();
        let state = match thing {
            Thing::Mutex(_) => {
                let owner = usize::try_from(value - 1).ok().map(Thread::from_index);
                outcome::held_by(owner.into_iter().map(path))
            }
            _ => match graph.states.get(value) {
                Some(ObjectState::Other(machine)) => state_in_words(machine, path),
                _ => None,
            },
        };
        if let Some(state) = state {
            outcome.add_state(&name_of(runtime, address, blocks), &state);
        }
    }
}

/// Returns the value of the last write to a location, in coherence order.
fn last<const W: usize>(execution: &CompleteTrace<'_, W>, location: Location) -> Option<Value> {
    let trace = execution.trace;
    (location.index() < trace.locations())
        .then(|| trace.coherence(location).next_back())
        .flatten()
        .map(|node| trace.node(node).value)
}

/// Returns the memory that was accessed, by eight aligned bytes.
fn words<const W: usize>(pieces: &[(Location, Bytes)], execution: &CompleteTrace<'_, W>) -> Words {
    let mut words = Words::new();
    for &(location, Bytes { address, width, first }) in pieces {
        let at = address & !7;
        let word = words.entry(at).or_insert_with(|| {
            let now = if is_static(at) || layout::is_heap(at) { peek(at, 8) } else { 0 };
            let before = initial(at, 8, now).to_le_bytes();
            Word { first: before, last: before }
        });
        let part = (address & 7)..(address & 7) + width;
        word.first[part.clone()].copy_from_slice(&first.to_le_bytes()[..width]);
        let end = last(execution, location).unwrap_or(first);
        word.last[part].copy_from_slice(&end.to_le_bytes()[..width]);
    }
    words
}

/// Returns the living blocks that variables with static storage lead to.
fn reachable(runtime: &Runtime, words: &Words, freed: &BTreeSet<usize>) -> Vec<Block> {
    let mut found: BTreeMap<usize, Block> = BTreeMap::new();
    let mut open: Vec<usize> = words.iter().filter(|(at, _)| is_static(**at)).map(|(_, word)| pointer(word)).collect();
    while let Some(address) = open.pop() {
        let Some(block) = runtime.memory.heap.block_at(address) else { continue };
        if freed.contains(&block.address) || found.insert(block.address, block).is_some() {
            continue;
        }
        open.extend(words.range(block.bytes()).map(|(_, word)| pointer(word)));
    }
    found.into_values().collect()
}
