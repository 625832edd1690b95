//! The outcome of an execution, as judging compares it: exit status, prints, observations, results of threads, and
//! memory. It is made from an execution graph (`graphs/outcome.rs`) or from a run under the scheduler (`scheduled.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use engine::event::Thread;
use engine::sync::machine::Machine;
use engine::sync::once::Once;
use protocol::{Compared, Digest, Named};

use crate::process::{layout, sections};
use crate::run::Runtime;
use crate::state::heap::Block;

/// The traces that the threads of an execution leave beside memory.
#[derive(Default)]
pub(crate) struct Left {
    /// The bytes that each thread has printed, by its creation path.
    pub(crate) printed: BTreeMap<Vec<u32>, Vec<u8>>,
    /// What each thread has observed, by its creation path.
    pub(crate) observed: BTreeMap<Vec<u32>, String>,
    /// The exit statuses of the threads that have ended the process.
    pub(crate) statuses: BTreeSet<u8>,
    /// Whether a thread has called `exit` or one of its sisters.
    pub(crate) has_exited: bool,
    /// The memory that is not compared.
    pub(crate) ignored: Vec<Range<usize>>,
}

/// Eight aligned bytes of memory, at the beginning and in the end.
#[derive(Clone, Copy)]
pub(crate) struct Word {
    pub(crate) first: [u8; 8],
    pub(crate) last: [u8; 8],
}

/// Words of memory, by the addresses of eight aligned bytes.
pub(crate) type Words = BTreeMap<usize, Word>;

/// The parts of an outcome, each with the bytes by which outcomes are compared, and with a name and values for people.
pub(crate) struct Outcome {
    parts: BTreeMap<Vec<u8>, Vec<u8>>,
    last: Named,
    first: Named,
}

impl Outcome {
    /// Makes an outcome of what the threads leave behind, as far as it is compared.
    pub(crate) fn of(left: &Left, compared: Compared) -> Self {
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
        outcome
    }

    /// Returns the 128 bits that stand for the outcome.
    pub(crate) fn digest(&self) -> Digest {
        let mut digest = Digest::EMPTY;
        for (key, value) in &self.parts {
            for bytes in [key, value] {
                digest.add(&(bytes.len() as u64).to_le_bytes());
                digest.add(bytes);
            }
        }
        digest
    }

    /// Returns the names for people, with their values in the end and at the beginning.
    pub(crate) fn named(self) -> (Named, Named) {
        (self.last, self.first)
    }

    /// Adds a part of the outcome, by which it is compared.
    fn add(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.parts.insert(key, value);
    }

    /// Adds a name for people, with its values at the beginning and in the end.
    fn name(&mut self, name: String, first: &str, last: &str) {
        self.first.insert(name.clone(), first.to_owned());
        self.last.insert(name, last.to_owned());
    }

    /// Adds a part that is compared as it is shown.
    pub(crate) fn say(&mut self, name: &str, first: &str, last: &str) {
        self.add(name.as_bytes().to_vec(), last.as_bytes().to_vec());
        self.name(name.to_owned(), first, last);
    }

    /// Adds the result, other than 0, of the thread with this creation path.
    pub(crate) fn add_result(&mut self, path: &[u32], result: u64) {
        let name = format!("what {} returns", thread_name(path));
        self.say(&name, "0", &shown(result, 8));
    }

    /// Adds a word that is not as it was.
    pub(crate) fn add_word(&mut self, address: usize, word: &Word) {
        self.add((address as u64).to_be_bytes().to_vec(), word.last.to_vec());
    }

    /// Names these bytes, which lie within a word, if they are not as they were.
    pub(crate) fn name_bytes(&mut self, name: impl FnOnce() -> String, word: &Word, bytes: Range<usize>) {
        let width = bytes.len();
        let [first, last] = [word.first, word.last].map(|word| number(&word[bytes.clone()]));
        if first != last {
            self.name(name(), &shown(first, width), &shown(last, width));
        }
    }

    /// Adds the state of an object.
    pub(crate) fn add_state(&mut self, name: &str, state: &str) {
        self.say(&format!("the state of {name}"), "as it was", state);
    }
}

/// Describes the state of an object for an outcome: which threads hold a lock, the value of a semaphore, whether a
/// function has run once. Returns `None` if it is as at the beginning.
pub(crate) fn state_in_words(state: &Machine, path: impl Fn(Thread) -> Vec<u32>) -> Option<String> {
    let holders: Vec<Thread> = match state {
        Machine::Semaphore(semaphore) => return Some(semaphore.value().to_string()),
        Machine::Once(Once::Done) => return Some("done".to_owned()),
        Machine::Once(Once::Running(thread)) => vec![*thread],
        Machine::ReadWriteLock(lock) => lock.writer().iter().chain(lock.readers()).copied().collect(),
        Machine::Mutex(mutex) => mutex.owner().into_iter().collect(),
        Machine::Once(Once::Fresh) | Machine::Sleepers(_) | Machine::Barrier(_) => Vec::new(),
    };
    held_by(holders.into_iter().map(path))
}

/// Describes that threads with these creation paths hold an object; returns `None` if there are none.
pub(crate) fn held_by(holders: impl Iterator<Item = Vec<u32>>) -> Option<String> {
    let names: BTreeSet<String> = holders.map(|path| thread_name(&path)).collect();
    let names: Vec<String> = names.into_iter().collect();
    (!names.is_empty()).then(|| format!("held by {}", names.join(", ")))
}

/// Excludes what these bytes hold in the end.
pub(crate) fn ignore(words: &mut Words, ignored: &[Range<usize>]) {
    for range in ignored {
        for (&at, word) in words.range_mut(range.start.saturating_sub(7)..range.end) {
            for byte in (0..8).filter(|byte| range.contains(&(at + byte))) {
                word.last[byte] = word.first[byte];
            }
        }
    }
}

/// Returns the address that a word holds, if it holds one. The upper bits of a pointer, and its lowest ones, may be
/// used for something else.
pub(crate) fn pointer(word: &Word) -> usize {
    u64::from_le_bytes(word.last) as usize & 0xffff_ffff_ffff
}

/// Whether one of the eight aligned bytes around the address is in a variable with static storage: the first and the
/// last of all variables need not begin and end at such.
pub(crate) fn is_static(address: usize) -> bool {
    let at = address & !7;
    (at..at + 8).any(sections::is_variable)
}

/// Returns the little-endian number that these bytes hold.
fn number(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

/// Returns a value of `width` bytes as a reader wants it.
fn shown(value: u64, width: usize) -> String {
    let bits = 64 - 8 * u32::try_from(width.clamp(1, 8)).unwrap_or(8);
    let signed = (value << bits).cast_signed() >> bits;
    if layout::is_heap(value as usize) || is_static(value as usize) || layout::is_stack(value as usize) {
        format!("{value:#x}")
    } else {
        signed.to_string()
    }
}

/// Returns the name of the thread with this creation path.
fn thread_name(path: &[u32]) -> String {
    path.iter().fold("main".to_owned(), |name, child| format!("{name}.{child}"))
}

/// Returns the name of memory: that of the variable, or of the block by where it was allocated.
pub(crate) fn name_of(runtime: &Runtime, address: usize, blocks: &[Block]) -> String {
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

/// Returns the name of the byte at an offset into something that has a name.
fn behind(name: String, offset: usize) -> String {
    if offset == 0 { name } else { format!("{name}+{offset}") }
}
