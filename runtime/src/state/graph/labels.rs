//! Dependency labels: sets of a thread's reads, as numbers. Instrumented code carries the number of such a set beside
//! each value (`llvm-pass/src/labels.rs`), and gives it to hooks, and gets it from them, through [`Record`]. Private
//! memory has a label for each byte, kept here.
//!
//! Sets are hash-consed: equal ones have equal numbers, and 0 is the empty one. They are kept through the whole search,
//! as they are of numbers in program order, whatever the thread.

use std::cell::UnsafeCell;

use engine::graph::set::Set;
use rustc_hash::FxHashMap;

/// The number of a set of reads. A read is in it as what a value is computed from, or as what *picks* it among others.
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
pub(crate) struct Record {
    /// Of the address of the access that the next hook makes.
    address: Label,
    /// Of the value that it stores.
    stored: Label,
    /// Of the value that it expects, if it is a compare-and-exchange.
    expected: Label,
    /// 1 if nobody uses what it reads, and it is a read-modify-write.
    unused: u32,
    /// Of what it has loaded.
    loaded: Label,
    /// Of the arguments of the next call.
    arguments: [Label; ARGUMENTS],
    /// Of the elements of the last call's result.
    results: [Label; RESULTS],
}

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

/// The record: nobody keeps what this gives.
pub(crate) fn record() -> &'static mut Record {
    // SAFETY: one OS thread; instrumented code and this crate touch the record in turn.
    unsafe { &mut *RECORD.0.get() }
}

/// What the next access depends on: its address, and what it stores.
pub(crate) fn given() -> (Label, Label) {
    let record = record();
    (std::mem::take(&mut record.address), std::mem::take(&mut record.stored))
}

/// What the value depends on that the next access expects, and whether nobody uses what it reads.
pub(crate) fn given_of_update() -> (Label, bool) {
    let record = record();
    (std::mem::take(&mut record.expected), std::mem::take(&mut record.unused) != 0)
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
    (record.expected, record.unused) = (Label::NONE, 0);
    record.arguments.fill(Label::NONE);
    record.results.fill(Label::NONE);
}

/// Of a member, that it only picks.
const PICKS: u16 = 1 << 15;

/// Which members of a set are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Members {
    /// What the value is computed from.
    Computing,
    /// What picks it.
    Picking,
}

/// The sets.
pub(crate) struct Sets {
    /// The members of each, ascending, those that only pick with [`PICKS`].
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
        self.number(vec![u16::try_from(read).ok().filter(|read| read & PICKS == 0).expect("fewer than 32768 reads")])
    }

    /// The same reads, as what picks.
    pub(crate) fn picking(&mut self, label: Label) -> Label {
        if label == Label::NONE {
            return label;
        }
        let mut members: Vec<u16> = self.members[label.0 as usize].iter().map(|read| read | PICKS).collect();
        members.sort_unstable();
        members.dedup();
        self.number(members)
    }

    /// The set of the members that are meant, as what something is computed from.
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

    /// The reads of a set.
    pub(crate) fn members(&self, label: Label) -> impl Iterator<Item = usize> {
        self.members[label.0 as usize].iter().map(|&read| usize::from(read & !PICKS))
    }

    /// The set as the engine has it.
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

/// The labels of private memory, by byte: those that are not empty.
#[derive(Default)]
pub(crate) struct Private(pub(crate) FxHashMap<usize, Label>);

impl Private {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

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
