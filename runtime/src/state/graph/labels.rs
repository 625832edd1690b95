//! Dependency labels: sets of a thread's reads, as numbers. Instrumented code carries the number of such a set beside
//! each value (`llvm-pass/src/labels.rs`), and passes it to hooks, and gets it from them, through [`Record`]. Private
//! memory has a label for each byte, kept here.
//!
//! Sets are hash-consed: equal ones have equal numbers, and 0 is the empty one. They are kept through the whole search,
//! as their members are indices of reads in program order, whatever the thread.

use std::cell::UnsafeCell;

use engine::graph::set::Set;
use rustc_hash::FxHashMap;

/// The number of a set of reads. A read is in the set because a value is computed from it, or because it *picks* the
/// value among others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[repr(transparent)]
pub(crate) struct Label(u32);

impl Label {
    /// The empty set.
    pub(crate) const NONE: Self = Self(0);
}

/// The number of a call's arguments that have labels.
const ARGUMENTS: usize = 64;
/// The number of a result's elements that have labels.
const RESULTS: usize = 16;

/// The labels that hooks and functions are passed and return: `struct fh_labels` of the hook ABI.
#[repr(C)]
pub(crate) struct Record {
    /// The label of the address of the access that the next hook makes.
    address: Label,
    /// The label of the value that the access stores.
    stored: Label,
    /// The label of the value that the access expects, if it is a compare-and-exchange.
    expected: Label,
    /// 1 if nobody uses what the access reads, and it is a read-modify-write; else 0.
    unused: u32,
    /// The label of the value that the access has loaded.
    loaded: Label,
    /// The labels of the arguments of the next call.
    arguments: [Label; ARGUMENTS],
    /// The labels of the elements of the last call's result.
    results: [Label; RESULTS],
}

/// The record, as a global variable.
#[repr(transparent)]
pub(crate) struct Shared(UnsafeCell<Record>);

// SAFETY: the program runs on one OS thread.
unsafe impl Sync for Shared {}

#[unsafe(export_name = "__fh_labels")]
static RECORD: Shared = Shared(UnsafeCell::new(Record {
    address: Label::NONE,
    stored: Label::NONE,
    expected: Label::NONE,
    unused: 0,
    loaded: Label::NONE,
    arguments: [Label::NONE; ARGUMENTS],
    results: [Label::NONE; RESULTS],
}));

/// Returns the record; callers do not keep the reference over a call.
pub(crate) fn record() -> &'static mut Record {
    // SAFETY: one OS thread; instrumented code and this crate touch the record in turn.
    unsafe { &mut *RECORD.0.get() }
}

/// Takes the labels of the next access's address and of the value that it stores.
pub(crate) fn given() -> (Label, Label) {
    let record = record();
    (std::mem::take(&mut record.address), std::mem::take(&mut record.stored))
}

/// Takes the label of the value that the next access expects, and whether nobody uses what it reads.
pub(crate) fn given_of_update() -> (Label, bool) {
    let record = record();
    (std::mem::take(&mut record.expected), std::mem::take(&mut record.unused) != 0)
}

/// Passes the labels of its address and of the value that it stores to the next access.
pub(crate) fn give(address: Label, stored: Label) {
    let record = record();
    (record.address, record.stored) = (address, stored);
}

/// Returns the label of the next access's address.
pub(crate) fn of_address() -> Label {
    record().address
}

/// Returns the label of what the last load has loaded.
pub(crate) fn loaded() -> Label {
    record().loaded
}

/// Sets the label of what the access that has just been made has loaded.
pub(crate) fn gives(label: Label) {
    record().loaded = label;
}

/// Returns the label of the last call's result; of its first element, if it has several.
pub(crate) fn of_result() -> Label {
    record().results[0]
}

/// Sets the label of the result of the call that is about to return.
pub(crate) fn returns(label: Label) {
    record().results[0] = label;
}

/// Sets the label of the first argument of the call that is about to be made.
pub(crate) fn passes(label: Label) {
    record().arguments[0] = label;
}

/// Empties the record before instrumented code begins.
pub(crate) fn reset() {
    let record = record();
    (record.address, record.stored, record.loaded) = (Label::NONE, Label::NONE, Label::NONE);
    (record.expected, record.unused) = (Label::NONE, 0);
    record.arguments.fill(Label::NONE);
    record.results.fill(Label::NONE);
}

/// The mark of a member that only picks.
const PICKS: u16 = 1 << 15;

/// The members of a set that are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Members {
    /// The reads that the value is computed from.
    Computing,
    /// The reads that pick the value.
    Picking,
}

/// The sets that labels are numbers of.
pub(crate) struct Sets {
    /// The members of each set, ascending; those that only pick are marked with [`PICKS`].
    members: Vec<Vec<u16>>,
    /// The label of each set, by its members.
    numbers: FxHashMap<Vec<u16>, Label>,
    /// The labels of unions that were made before.
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
    /// Returns the label of a set with these members.
    fn number(&mut self, members: Vec<u16>) -> Label {
        if let Some(&known) = self.numbers.get(&members) {
            return known;
        }
        let label = Label(u32::try_from(self.members.len()).expect("fewer than 2^32 sets"));
        self.members.push(members.clone());
        self.numbers.insert(members, label);
        label
    }

    /// Returns the set of this read alone.
    pub(crate) fn of(&mut self, read: usize) -> Label {
        self.number(vec![u16::try_from(read).ok().filter(|read| read & PICKS == 0).expect("fewer than 32768 reads")])
    }

    /// Returns the set of the same reads, as reads that pick.
    pub(crate) fn picking(&mut self, label: Label) -> Label {
        if label == Label::NONE {
            return label;
        }
        let mut members: Vec<u16> = self.members[label.0 as usize].iter().map(|read| read | PICKS).collect();
        members.sort_unstable();
        members.dedup();
        self.number(members)
    }

    /// Returns the set of the members that are meant, as reads that something is computed from.
    pub(crate) fn of_members(&mut self, label: Label, meant: Members) -> Label {
        let members = &self.members[label.0 as usize];
        let is_meant = |read: &&u16| (**read & PICKS != 0) == (meant == Members::Picking);
        match members.iter().filter(is_meant).count() {
            0 => Label::NONE,
            all if all == members.len() && meant == Members::Computing => label,
            _ => {
                let members = members.iter().filter(is_meant).map(|read| read & !PICKS).collect();
                self.number(members)
            }
        }
    }

    /// Returns the union of two sets.
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

    /// Returns the reads of a set.
    pub(crate) fn members(&self, label: Label) -> impl Iterator<Item = usize> {
        self.members[label.0 as usize].iter().map(|&read| usize::from(read & !PICKS))
    }

    /// Returns the set in the engine's form.
    pub(crate) fn set<const W: usize>(&self, label: Label) -> Set<W> {
        self.members(label).collect()
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

/// The labels of private memory, by byte, where they are not empty.
#[derive(Default)]
pub(crate) struct Private(pub(crate) FxHashMap<usize, Label>);

impl Private {
    /// Forgets all labels.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Sets the label of these bytes.
    pub(crate) fn put(&mut self, address: usize, length: usize, label: Label) {
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

    /// Returns the label of a byte.
    pub(crate) fn at(&self, address: usize) -> Label {
        self.0.get(&address).copied().unwrap_or_default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Label, Members, Private, Sets};

    #[test]
    fn equal_sets_have_equal_numbers() {
        let mut sets = Sets::default();
        let (one, two) = (sets.of(1), sets.of(2));
        let both = sets.union(one, two);
        assert_eq!(sets.union(two, one), both);
        assert_eq!(sets.union(both, one), both);
        assert_eq!(sets.union(Label::NONE, two), two);
        assert_eq!(sets.members(both).collect::<Vec<_>>(), [1, 2]);
        assert_ne!(one, two);
    }

    #[test]
    fn what_picks_is_told_from_what_a_value_is_computed_from() {
        let mut sets = Sets::default();
        let (one, two) = (sets.of(1), sets.of(2));
        let picks_two = sets.picking(two);
        let both = sets.union(one, picks_two);
        assert_eq!(sets.of_members(both, Members::Computing), one);
        assert_eq!(sets.of_members(both, Members::Picking), two);
        assert_eq!(sets.of_members(one, Members::Picking), Label::NONE);
        assert_eq!(sets.members(both).collect::<Vec<_>>(), [1, 2]);
        let picks_one = sets.picking(one);
        assert_eq!(sets.picking(both), sets.union(picks_one, picks_two));
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

crate::abi::same_record!(fh_labels, Record, address, stored, expected, unused, loaded, arguments, results);

impl crate::abi::Passed for Label {
    const KIND: crate::abi::Kind = <u32 as crate::abi::Passed>::KIND;
}
