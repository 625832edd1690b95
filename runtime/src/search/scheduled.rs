//! The end of an execution under the scheduler, as judging compares it ([`crate::search::outcome`]).
//!
//! Memory is what it is when all stores have committed: variables with static storage, and the blocks of the heap that
//! can be reached from them. Of both only bytes that differ from the beginning count; a block begins as `malloc`
//! returns it.

use engine::event::{Object, Thread};
use engine::execution::Status;
use engine::graph::causality::Causality;
use protocol::Compared;

use crate::run::Runtime;
use crate::search::outcome::{Left, Outcome, Word, Words, ignore, is_static, name_of, pointer, state_in_words};
use crate::state::heap::Block;
use crate::state::memory::{PATTERN, peek};
use crate::state::objects::Life;

/// Takes the end of the execution, which is complete and does not fail, into the outcomes, if they are compared.
pub(crate) fn take(runtime: &mut Runtime) {
    let Some(compared) = runtime.recorder.tallied.compared else { return };
    let left = left(runtime);
    let mut outcome = Outcome::of(&left, compared);
    if compared >= Compared::Memory && !left.has_exited {
        add_results(&mut outcome, runtime);
        add_memory(&mut outcome, runtime, &left);
    }
    runtime.recorder.tallied.counts.finals.insert(outcome.digest().to_string(), Causality::Causal, outcome.named());
}

/// Returns the threads of the execution, with their creation paths.
fn threads(runtime: &Runtime) -> impl Iterator<Item = (Thread, &[u32])> {
    let paths = runtime.execution.state.threads.paths().take(runtime.threads.len());
    paths.enumerate().map(|(index, path)| (Thread::from_index(index), path))
}

/// Returns what the threads leave behind beside memory.
fn left(runtime: &Runtime) -> Left {
    let exited = &runtime.conclusion.exited;
    let mut left = Left { has_exited: exited.is_called, ..Left::default() };
    left.statuses.extend(exited.status());
    for (thread, path) in threads(runtime) {
        let state = runtime.threads.of(thread);
        if !state.printed.is_empty() {
            left.printed.insert(path.to_vec(), state.printed.clone());
        }
        let observed = state.observed.text();
        if !observed.is_empty() {
            left.observed.insert(path.to_vec(), observed);
        }
        left.ignored.extend(state.ignored.iter().cloned());
    }
    left
}

/// Adds the results of threads.
fn add_results(outcome: &mut Outcome, runtime: &Runtime) {
    for (thread, path) in threads(runtime).filter(|&(thread, _)| thread != Thread::MAIN) {
        let has_ended = runtime.execution.state.threads.status(thread) == Status::Ended;
        let result = runtime.threads.of(thread).result as u64;
        if has_ended && result != 0 {
            outcome.add_result(path, result);
        }
    }
}

/// Adds the contents of memory, and the states of objects in it.
fn add_memory(outcome: &mut Outcome, runtime: &mut Runtime, left: &Left) {
    let mut words = Words::new();
    runtime.memory.globals.changed(|address, first, last| {
        words.insert(address, Word { first, last });
    });
    ignore(&mut words, &left.ignored);
    let blocks = reach(runtime, &mut words, left);
    for (&address, word) in words.iter().filter(|(_, word)| word.first != word.last) {
        outcome.add_word(address, word);
        let mut pieces = runtime.memory.shadow.pieces(address);
        if pieces.is_empty() {
            pieces.push(0..8);
        }
        for piece in pieces {
            outcome.name_bytes(|| name_of(runtime, address + piece.start, &blocks), word, piece.clone());
        }
    }
    add_objects(outcome, runtime, &blocks);
}

/// Returns the living blocks that the words lead to, and adds their words.
fn reach(runtime: &Runtime, words: &mut Words, left: &Left) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Vec<usize> = words.values().map(pointer).collect();
    while let Some(address) = open.pop() {
        let Some(block) = runtime.memory.heap.block_at(address) else { continue };
        if found.iter().any(|known| known.address == block.address) {
            continue;
        }
        let mut within = words_of(&block);
        ignore(&mut within, &left.ignored);
        open.extend(within.values().map(pointer));
        words.append(&mut within);
        found.push(block);
    }
    found
}

/// Returns the words of the block that are not as `malloc` returns them.
fn words_of(block: &Block) -> Words {
    let first = PATTERN.to_le_bytes();
    let word = |address: usize| {
        let mut last = first;
        let width = (block.address + block.size - address).min(8);
        last[..width].copy_from_slice(&peek(address, width).to_le_bytes()[..width]);
        (address, Word { first, last })
    };
    let words = block.bytes().step_by(8).map(word);
    words.filter(|(_, word)| word.first != word.last).collect()
}

/// Adds the states of objects.
fn add_objects(outcome: &mut Outcome, runtime: &Runtime, blocks: &[Block]) {
    let path = |thread: Thread| {
        runtime.execution.state.threads.paths().nth(thread.index()).map_or_else(Vec::new, <[u32]>::to_vec)
    };
    let counts = |address: usize| is_static(address) || blocks.iter().any(|block| block.bytes().contains(&address));
    for (number, known) in (0..).zip(&runtime.objects.known) {
        let is_memory = known.class.size() > 0 && counts(known.address());
        let Some(state) = runtime.execution.state.objects.get(Object(number)).filter(|_| is_memory) else { continue };
        if let (Life::Alive, Some(words)) = (known.life, state_in_words(state, path)) {
            outcome.add_state(&name_of(runtime, known.address(), blocks), &words);
        }
    }
}
