//! What an execution graph ends with, as judging compares it: exit status, prints, observations, results of threads, and
//! memory.
//!
//! Of memory those bytes count that variables with static storage hold, and blocks of the heap that can be reached from
//! them; of these only what differs from the beginning, so that it does not matter which locations bytes are divided into.
//! Objects count by their state. Memory that hooks have not seen written is as at the beginning.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use engine::event::{Location, Thread};
use engine::explore::rsmc::CompleteTrace;
use engine::graph::Value;
use engine::sync::machine::Machine;
use engine::sync::once::Once;
use protocol::{Compared, Digest, Named, Operation};

use crate::process::{layout, sections};
use crate::run::{Runtime, with};
use crate::search::graphs::runs::{Broken, run_each};
use crate::state::exited::seen;
use crate::state::graph::milestones::Change;
use crate::state::graph::places::{Bytes, Thing};
use crate::state::graph::states::State;
use crate::state::heap::Block;
use crate::state::memory::{initial, peek};

/// What the threads of an execution leave behind.
#[derive(Default)]
struct Left {
    /// By path of creation.
    printed: BTreeMap<Vec<u32>, Vec<u8>>,
    observed: BTreeMap<Vec<u32>, String>,
    statuses: BTreeSet<u8>,
    /// A thread has called `exit` or one of its sisters.
    has_exited: bool,
    ignored: Vec<Range<usize>>,
    freed: BTreeSet<usize>,
}

/// Eight aligned bytes: at the beginning, and in the end.
#[derive(Clone, Copy)]
struct Word {
    first: [u8; 8],
    last: [u8; 8],
}

/// Takes what the execution ends with, which does not fail, into the outcomes, if they are compared.
pub(crate) fn take<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<(), Broken> {
    let compared = with(|runtime| runtime.recorder.tallied.compared).flatten();
    let Some(compared) = compared else { return Ok(()) };
    let left = left(execution)?;
    with(|runtime| {
        let outcome = Outcome::of(runtime, execution, &left, compared);
        runtime.recorder.tallied.counts.finals.insert(outcome.digest().to_string(), || outcome.named());
    });
    Ok(())
}

/// Runs each thread as in this execution, for what it leaves behind; the heap is as it is in the end then.
fn left<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<Left, Broken> {
    let mut left = Left::default();
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
        left.freed.extend(frees);
    })?;
    with(|runtime| {
        for thread in 0..execution.labels.len() {
            let text = runtime.threads.of(Thread::from_index(thread)).observed.text();
            if !execution.labels[thread].is_empty() && !text.is_empty() {
                left.observed.insert(runtime.graph_mut().paths[thread].clone(), text);
            }
        }
    });
    Ok(left)
}

/// The parts of an outcome, each with the bytes that make it the same as others and with a name and values for people.
struct Outcome {
    parts: BTreeMap<Vec<u8>, Vec<u8>>,
    last: Named,
    first: Named,
}

impl Outcome {
    fn of<const W: usize>(
        runtime: &mut Runtime,
        execution: &CompleteTrace<'_, W>,
        left: &Left,
        compared: Compared,
    ) -> Self {
        let mut outcome = Self { parts: BTreeMap::new(), last: Named::new(), first: Named::new() };
        let statuses: Vec<String> = left.statuses.iter().map(ToString::to_string).collect();
        outcome.say("the exit status", "0", &statuses.join(" or "));
        if compared >= Compared::Observed {
            for (path, printed) in &left.printed {
                let text = String::from_utf8_lossy(printed);
                outcome.add(format!("prints {path:?}").into_bytes(), printed.clone());
                outcome.name(format!("what {} prints", thread_name(path)), "nothing", &format!("{text:?}"));
            }
            for (path, observed) in &left.observed {
                outcome.say(&format!("what {} observes", thread_name(path)), "nothing", observed.trim_start());
            }
        }
        if compared >= Compared::Memory && !left.has_exited {
            outcome.add_results(runtime, execution);
            outcome.add_memory(runtime, execution, left);
        }
        outcome
    }

    fn digest(&self) -> Digest {
        let mut digest = Digest::EMPTY;
        for (key, value) in &self.parts {
            for bytes in [key, value] {
                digest.add(&(bytes.len() as u64).to_le_bytes());
                digest.add(bytes);
            }
        }
        digest
    }

    fn named(self) -> (Named, Named) {
        (self.last, self.first)
    }

    fn add(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.parts.insert(key, value);
    }

    fn name(&mut self, name: String, first: &str, last: &str) {
        self.first.insert(name.clone(), first.to_owned());
        self.last.insert(name, last.to_owned());
    }

    /// Adds what is compared as it is shown.
    fn say(&mut self, name: &str, first: &str, last: &str) {
        self.add(name.as_bytes().to_vec(), last.as_bytes().to_vec());
        self.name(name.to_owned(), first, last);
    }

    /// Adds what threads return.
    fn add_results<const W: usize>(&mut self, runtime: &mut Runtime, execution: &CompleteTrace<'_, W>) {
        let graph = runtime.graph_mut();
        for (thing, location) in graph.places.things() {
            let Thing::End(thread) = thing else { continue };
            let Some(result) = last(execution, location).filter(|&result| result != 0) else { continue };
            let name = format!("what {} returns", thread_name(&graph.paths[thread.index()]));
            self.say(&name, "0", &shown(result.cast_unsigned(), 8));
        }
    }

    /// Adds what memory holds, and the states of objects in it.
    fn add_memory<const W: usize>(&mut self, runtime: &mut Runtime, execution: &CompleteTrace<'_, W>, left: &Left) {
        let pieces: Vec<(Location, Bytes)> = runtime.graph_mut().places.memory().collect();
        let mut words = words(&pieces, execution);
        ignore(&mut words, &left.ignored);
        let blocks = reachable(runtime, &words, &left.freed);
        let counts = |address: usize| is_static(address) || blocks.iter().any(|block| block.bytes().contains(&address));
        for (&address, word) in words.iter().filter(|(address, word)| word.first != word.last && counts(**address)) {
            self.add((address as u64).to_be_bytes().to_vec(), word.last.to_vec());
        }
        for &(location, Bytes { address, width, .. }) in pieces.iter().filter(|(_, bytes)| counts(bytes.address)) {
            let word = words[&(address & !7)];
            let part = (address & 7)..(address & 7) + width;
            let [first, end] = [word.first, word.last].map(|bytes| number(&bytes[part.clone()]));
            if first != end && last(execution, location).is_some() {
                let name = name_of(runtime, address, &blocks);
                self.name(name, &shown(first, width), &shown(end, width));
            }
        }
        self.add_objects(runtime, execution, &blocks, counts);
    }

    /// Adds the states of objects: who holds a lock, the value of a semaphore, whether a function has run once.
    fn add_objects<const W: usize>(
        &mut self,
        runtime: &mut Runtime,
        execution: &CompleteTrace<'_, W>,
        blocks: &[Block],
        counts: impl Fn(usize) -> bool,
    ) {
        for (thing, location) in runtime.graph_mut().places.things().collect::<Vec<_>>() {
            let (Thing::Mutex(address) | Thing::Object(address)) = thing else { continue };
            let Some(value) = last(execution, location).filter(|_| counts(address)) else { continue };
            let graph = runtime.graph_mut();
            let thread = |index: usize| graph.paths.get(index).map_or_else(String::new, |path| thread_name(path));
            let state = match thing {
                Thing::Mutex(_) => usize::try_from(value - 1).ok().map(|owner| format!("held by {}", thread(owner))),
                _ => match graph.states.get(value) {
                    Some(State::Other(Machine::Semaphore(semaphore))) => Some(semaphore.value().to_string()),
                    Some(State::Other(Machine::Once(Once::Done))) => Some("done".to_owned()),
                    Some(state) => {
                        let holders: BTreeSet<String> = state.holders().iter().map(|one| thread(one.index())).collect();
                        let holders: Vec<String> = holders.into_iter().collect();
                        (!holders.is_empty()).then(|| format!("held by {}", holders.join(", ")))
                    }
                    None => None,
                },
            };
            if let Some(state) = state {
                let name = format!("the state of {}", name_of(runtime, address, blocks));
                self.say(&name, "as it was", &state);
            }
        }
    }
}

/// The value of the last write to a location, in coherence order.
fn last<const W: usize>(execution: &CompleteTrace<'_, W>, location: Location) -> Option<Value> {
    let trace = execution.trace;
    (location.index() < trace.locations())
        .then(|| trace.coherence(location).next_back())
        .flatten()
        .map(|node| trace.node(node).value)
}

/// The memory that was accessed, by eight aligned bytes.
fn words<const W: usize>(pieces: &[(Location, Bytes)], execution: &CompleteTrace<'_, W>) -> BTreeMap<usize, Word> {
    let mut words = BTreeMap::new();
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

/// What these bytes hold in the end does not count.
fn ignore(words: &mut BTreeMap<usize, Word>, ignored: &[Range<usize>]) {
    for range in ignored {
        for (&at, word) in words.range_mut(range.start.saturating_sub(7)..range.end) {
            for byte in (0..8).filter(|byte| range.contains(&(at + byte))) {
                word.last[byte] = word.first[byte];
            }
        }
    }
}

/// The living blocks that variables with static storage lead to. The upper bits of a pointer, and its lowest ones, may be
/// used for something else.
fn reachable(runtime: &Runtime, words: &BTreeMap<usize, Word>, freed: &BTreeSet<usize>) -> Vec<Block> {
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

fn pointer(word: &Word) -> usize {
    u64::from_le_bytes(word.last) as usize & 0xffff_ffff_ffff
}

/// Whether one of eight aligned bytes is in a variable with static storage: the first of all variables, and the last one,
/// need not begin and end at such.
fn is_static(address: usize) -> bool {
    let at = address & !7;
    (at..at + 8).any(sections::is_variable)
}

fn number(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

/// A value of so many bytes, as a reader wants it.
fn shown(value: u64, width: usize) -> String {
    let bits = 64 - 8 * u32::try_from(width.clamp(1, 8)).unwrap_or(8);
    let signed = (value << bits).cast_signed() >> bits;
    if layout::is_heap(value as usize) || is_static(value as usize) || layout::is_stack(value as usize) {
        format!("{value:#x}")
    } else {
        signed.to_string()
    }
}

fn thread_name(path: &[u32]) -> String {
    path.iter().fold("main".to_owned(), |name, child| format!("{name}.{child}"))
}

/// The name of memory: of the variable, or of the block by where it was allocated.
fn name_of(runtime: &Runtime, address: usize, blocks: &[Block]) -> String {
    let globals = &runtime.memory.globals;
    if let Some(variable) = globals.variable(address) {
        let member = globals.named(address as u64, 1);
        return member.unwrap_or_else(|| behind(variable.name.clone(), address - variable.bytes.start));
    }
    match blocks.iter().find(|block| block.bytes().contains(&address)) {
        Some(block) => {
            let (thread, record) = block.allocated;
            let place = record.place();
            let nth = (block.address - layout::arena(thread)) / 16;
            behind(format!("block {nth} of {}:{}", place.file, place.line), address - block.address)
        }
        None => format!("{address:#x}"),
    }
}

fn behind(name: String, offset: usize) -> String {
    if offset == 0 { name } else { format!("{name}+{offset}") }
}
