//! Dependency labels: sets of a thread's reads, as numbers. Instrumented code carries the number of such a set beside
//! each value (`llvm-pass/src/labels.rs`), and gives it to hooks, and gets it from them, through [`Record`]. Private
//! memory has a label for each byte, kept here.
//!
//! Sets are hash-consed: equal ones have equal numbers, and 0 is the empty one. They are kept through the whole search,
//! as they are of numbers in program order, whatever the thread.

use std::cell::UnsafeCell;
use std::ffi::{c_char, c_void};

use engine::graph::Reached;
use engine::graph::set::Set;
use engine::model::MemoryModel;
use rustc_hash::FxHashMap;

use super::{Graph, Stop, park, refuse};
use crate::process::sites::{RecordPointer, text};
use crate::run::with;

/// The number of a set of reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[repr(transparent)]
pub(crate) struct Label(u32);

impl Label {
    /// The set of no read.
    pub(crate) const NONE: Self = Self(0);
}

/// Arguments of calls that have labels.
const ARGUMENTS: usize = 64;
/// Elements of a result that have labels.
const RESULTS: usize = 16;

/// `struct fh_labels` of the hook ABI: how labels come to hooks and functions, and back.
#[repr(C)]
struct Record {
    /// Of the address of the access that the next hook makes.
    address: Label,
    /// Of the value that it stores.
    stored: Label,
    /// Of what it has loaded.
    loaded: Label,
    /// Of the arguments of the next call.
    arguments: [Label; ARGUMENTS],
    /// Of the elements of the last call's result.
    results: [Label; RESULTS],
}

#[repr(transparent)]
struct Shared(UnsafeCell<Record>);

// SAFETY: the program runs on one OS thread.
unsafe impl Sync for Shared {}

#[unsafe(export_name = "__fh_labels")]
static RECORD: Shared = Shared(UnsafeCell::new(Record {
    address: Label::NONE,
    stored: Label::NONE,
    loaded: Label::NONE,
    arguments: [Label::NONE; ARGUMENTS],
    results: [Label::NONE; RESULTS],
}));

/// The record: nobody keeps what this gives.
fn record() -> &'static mut Record {
    // SAFETY: one OS thread; instrumented code and this crate touch the record in turn.
    unsafe { &mut *RECORD.0.get() }
}

/// What the next access depends on: its address, and what it stores.
pub(crate) fn given() -> (Label, Label) {
    let record = record();
    (std::mem::take(&mut record.address), std::mem::take(&mut record.stored))
}

/// Gives this to the next access.
pub(crate) fn give(address: Label, stored: Label) {
    let record = record();
    (record.address, record.stored) = (address, stored);
}

/// What the address of the next access depends on.
pub(crate) fn of_address() -> Label {
    record().address
}

/// What the last access has loaded decides what comes now.
pub(crate) fn branch_on_loaded() {
    let loaded = loaded();
    if loaded != Label::NONE {
        __fh_label_branch(loaded);
    }
}

/// What the success of the last compare-and-exchange depends on.
pub(crate) fn of_success() -> Label {
    let compared = with(|runtime| runtime.graph.as_ref().map(|graph| graph.run.compared)).flatten();
    union(loaded(), compared.unwrap_or_default())
}

/// The union of two labels.
pub(crate) fn union(one: Label, other: Label) -> Label {
    if other == Label::NONE { one } else { __fh_label_union(one, other) }
}

/// What the last access that loads has loaded.
pub(crate) fn loaded() -> Label {
    record().loaded
}

/// What the access that has just been made has loaded.
pub(crate) fn gives(label: Label) {
    record().loaded = label;
}

/// Instrumented code begins: nothing is given.
pub(crate) fn reset() {
    let record = record();
    (record.address, record.stored, record.loaded) = (Label::NONE, Label::NONE, Label::NONE);
    record.arguments.fill(Label::NONE);
    record.results.fill(Label::NONE);
}

/// The sets.
pub(crate) struct Sets {
    /// The members of each, ascending.
    members: Vec<Vec<u16>>,
    numbers: FxHashMap<Vec<u16>, Label>,
    unions: FxHashMap<(Label, Label), Label>,
}

impl Default for Sets {
    fn default() -> Self {
        let empty = Vec::new();
        Self {
            members: vec![empty.clone()],
            numbers: [(empty, Label::NONE)].into_iter().collect(),
            unions: FxHashMap::default(),
        }
    }
}

impl Sets {
    fn number(&mut self, members: Vec<u16>) -> Label {
        if let Some(&known) = self.numbers.get(&members) {
            return known;
        }
        let label = Label(u32::try_from(self.members.len()).expect("fewer than 2^32 sets"));
        self.members.push(members.clone());
        self.numbers.insert(members, label);
        label
    }

    /// The set of this read alone.
    pub(crate) fn of(&mut self, read: usize) -> Label {
        self.number(vec![u16::try_from(read).expect("fewer than 65536 reads")])
    }

    /// The reads of either.
    pub(crate) fn union(&mut self, one: Label, other: Label) -> Label {
        let (one, other) = (one.min(other), one.max(other));
        if one == other || one == Label::NONE {
            return other;
        }
        if let Some(&known) = self.unions.get(&(one, other)) {
            return known;
        }
        let mut members = [&self.members[one.0 as usize][..], &self.members[other.0 as usize][..]].concat();
        members.sort_unstable();
        members.dedup();
        let union = self.number(members);
        self.unions.insert((one, other), union);
        union
    }

    /// The reads of a set, ascending.
    pub(crate) fn members(&self, label: Label) -> &[u16] {
        &self.members[label.0 as usize]
    }

    /// The set as the engine has it.
    pub(crate) fn set<const W: usize>(&self, label: Label) -> Set<W> {
        self.members(label).iter().map(|&read| usize::from(read)).collect()
    }
}

impl Label {
    fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
}

/// The labels of private memory, by byte: those that are not empty.
#[derive(Default)]
pub(crate) struct Private(FxHashMap<usize, Label>);

impl Private {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    fn put(&mut self, address: usize, length: usize, label: Label) {
        if label == Label::NONE && self.0.is_empty() {
            return;
        }
        if label == Label::NONE && length > self.0.len() {
            return self.0.retain(|&byte, _| !(address..address + length).contains(&byte));
        }
        for byte in address..address + length {
            if label == Label::NONE {
                self.0.remove(&byte);
            } else {
                self.0.insert(byte, label);
            }
        }
    }

    fn at(&self, address: usize) -> Label {
        self.0.get(&address).copied().unwrap_or_default()
    }
}

impl Graph {
    /// Whether all reads of the set have returned.
    pub(crate) fn is_known(&self, label: Label) -> bool {
        let returned = |&read: &u16| self.run.reads.get(usize::from(read)).copied().flatten().is_some();
        self.sets.members(label).iter().all(returned)
    }

    /// Whether what is in private memory is known.
    pub(crate) fn is_private_known(&self, address: usize, length: usize) -> bool {
        self.run.private.0.is_empty()
            || (address..address + length).all(|byte| self.is_known(self.run.private.at(byte)))
    }

    /// Sets the labels of private memory.
    pub(crate) fn put_private(&mut self, address: usize, length: usize, label: Label) {
        self.run.private.put(address, length, label);
    }
}

/// Parks the thread unless all reads of the set have returned.
pub(crate) fn know(label: Label) {
    if label != Label::NONE
        && with(|runtime| runtime.graph.as_ref().is_none_or(|graph| graph.is_known(label))) == Some(false)
    {
        park(Stop::Reached(Reached::Branch));
    }
}

/// From now on a value with this label is in private memory.
pub(crate) fn put(address: usize, length: usize, label: Label) {
    with(|runtime| {
        if let Some(graph) = runtime.graph.as_deref_mut() {
            graph.put_private(address, length, label);
        }
    });
}

/// The label of so many bytes of private memory: all loads on which one of them depends. On POWER, where a dependency
/// orders, they have to depend on the same ones.
pub(crate) fn get(address: usize, length: usize) -> Label {
    let found = with(|runtime| {
        let graph = runtime.graph.as_deref_mut().filter(|graph| !graph.run.private.0.is_empty());
        let Some(graph) = graph else { return Some(Label::NONE) };
        let first = graph.run.private.at(address);
        let mut all = first;
        for byte in address + 1..address + length {
            let label = graph.run.private.at(byte);
            if label != first && graph.model == MemoryModel::Power {
                return None;
            }
            all = graph.sets.union(all, label);
        }
        Some(all)
    });
    match found {
        Some(None) => {
            refuse("a value of whose bytes each depends on other loads", stands_at());
            Label::NONE
        }
        Some(Some(label)) => label,
        None => Label::NONE,
    }
}

fn stands_at() -> RecordPointer {
    with(|runtime| runtime.threads.stands_at(runtime.running)).unwrap_or(std::ptr::null())
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_union(one: Label, other: Label) -> Label {
    with(|runtime| runtime.graph.as_deref_mut().map(|graph| graph.sets.union(one, other))).flatten().unwrap_or_default()
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_know(label: Label) {
    know(label);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_branch(label: Label) {
    know(label);
    with(|runtime| {
        if let Some(graph) = runtime.graph.as_deref_mut() {
            graph.run.branches = graph.sets.union(graph.run.branches, label);
        }
    });
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_get(address: *const c_void, length: u64) -> Label {
    get(address as usize, length as usize)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_put(address: *const c_void, length: u64, label: Label) {
    put(address as usize, length as usize, label);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_copy(to: *const c_void, from: *const c_void, length: u64) {
    let (to, from, length) = (to as usize, from as usize, length as usize);
    with(|runtime| {
        let Some(graph) = runtime.graph.as_deref_mut() else { return };
        let labels: Vec<Label> = (from..from + length).map(|byte| graph.run.private.at(byte)).collect();
        graph.put_private(to, length, Label::NONE);
        for (byte, label) in labels.into_iter().enumerate().filter(|&(_, label)| label != Label::NONE) {
            graph.put_private(to + byte, 1, label);
        }
    });
}

/// # Safety
/// `what` ends with a zero byte.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_label_refuse(what: *const c_char) {
    refuse(&text(what), stands_at());
}

crate::abi::same_hooks!(
    __fh_label_branch,
    __fh_label_copy,
    __fh_label_get,
    __fh_label_know,
    __fh_label_put,
    __fh_label_refuse,
    __fh_label_union
);

crate::abi::same_record!(fh_labels, Record, address, stored, loaded, arguments, results);

impl crate::abi::Passed for Label {
    const KIND: crate::abi::Kind = <u32 as crate::abi::Passed>::KIND;
}

#[cfg(test)]
mod tests {
    use super::{Label, Private, Sets};

    #[test]
    fn equal_sets_have_equal_numbers() {
        let mut sets = Sets::default();
        let (one, two) = (sets.of(1), sets.of(2));
        let both = sets.union(one, two);
        assert_eq!(sets.union(two, one), both);
        assert_eq!(sets.union(both, one), both);
        assert_eq!(sets.union(Label::NONE, two), two);
        assert_eq!(sets.members(both), [1, 2]);
        assert_ne!(one, two);
    }

    #[test]
    fn memory_has_a_label_for_each_byte() {
        let (mut sets, mut memory) = (Sets::default(), Private::default());
        let one = sets.of(1);
        memory.put(0x1000, 8, one);
        memory.put(0x1004, 2, Label::NONE);
        assert_eq!([memory.at(0x1003), memory.at(0x1004), memory.at(0x1006)], [one, Label::NONE, one]);
        memory.put(0x0, 0x10000, Label::NONE);
        assert_eq!(memory.at(0x1000), Label::NONE);
    }
}
