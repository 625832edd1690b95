//! Memory that a thread which is run alone lends to a function that is not instrumented: for the time of the call real
//! memory holds what the thread reads there.

use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::ops::Range;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::state::graph::places::Places;
use crate::state::memory::{peek, poke};

/// Some bytes that are lent.
struct Piece {
    address: usize,
    /// What memory holds between the thread's accesses.
    resting: Vec<u8>,
    /// What the thread has read there.
    found: Vec<u8>,
}

impl Piece {
    /// Returns the addresses of the bytes.
    fn bytes(&self) -> Range<usize> {
        self.address..self.address + self.found.len()
    }
}

/// A location that the function has changed.
#[derive(Clone, Copy, Hash)]
pub(crate) struct Change {
    pub(crate) address: usize,
    pub(crate) width: usize,
    pub(crate) value: u64,
}

/// The memory that the running thread lends.
#[derive(Default)]
pub(crate) struct Lent {
    pieces: Vec<Piece>,
    /// The addresses that the function may know, and that were not looked at yet.
    open: Vec<usize>,
    /// The locations that the function has changed, in descending order, as far as the thread has not stored to them
    /// yet.
    changes: Vec<Change>,
    /// Whether the function may follow the pointers that lent memory holds.
    pub(crate) follows: bool,
    /// Whether the thread is reading what it lends, so that the function does not run yet.
    reads: bool,
}

/// Writes bytes on behalf of the program.
fn put(address: usize, bytes: &[u8]) {
    for (offset, &byte) in bytes.iter().enumerate() {
        poke(address + offset, 1, byte.into());
    }
}

/// Reads bytes on behalf of the program.
fn taken(bytes: Range<usize>) -> Vec<u8> {
    bytes.map(|address| peek(address, 1) as u8).collect()
}

impl Lent {
    /// Forgets what a run that was left has lent.
    pub(crate) fn abandon(&mut self) {
        self.pieces.drain(..).for_each(|piece| put(piece.address, &piece.resting));
        self.open.clear();
        self.changes.clear();
        (self.follows, self.reads) = (false, false);
    }

    /// Whether a function runs that memory is lent to.
    pub(crate) const fn is_out(&self) -> bool {
        !self.pieces.is_empty() && !self.reads
    }

    /// Notes that the function may access what is at this address.
    pub(crate) fn ask(&mut self, address: usize) {
        self.open.push(address);
    }

    /// Returns the bytes that are to be lent next, if there are any; `left` returns how many bytes of an object that
    /// others may know lie behind an address.
    pub(crate) fn next(&mut self, left: impl Fn(usize) -> Option<usize>) -> Option<Range<usize>> {
        while let Some(address) = self.open.pop() {
            let end = left(address).map_or(address, |left| address + left);
            let covers = |piece: &Piece| piece.bytes().end > address && piece.address < end;
            let covered = self.pieces.iter().filter(|piece| covers(piece)).map(|piece| piece.address).min();
            let end = covered.map_or(end, |covered| end.min(covered));
            if address < end {
                self.reads = true;
                return Some(address..end);
            }
        }
        self.reads = false;
        None
    }

    /// Lends these bytes, which the thread has read.
    pub(crate) fn lend(&mut self, address: usize, found: &[u8]) {
        let resting = taken(address..address + found.len());
        put(address, found);
        if self.follows {
            let first = address.next_multiple_of(8);
            let words = (first..).step_by(8).take_while(|word| word + 8 <= address + found.len());
            self.open.extend(words.map(|word| peek(word, 8) as usize));
        }
        self.pieces.push(Piece { address, resting, found: found.to_vec() });
    }

    /// Ends the call: memory is again as between accesses, and what the function has changed is noted.
    pub(crate) fn take_back(&mut self, places: &Places) {
        let mut changed = BTreeSet::new();
        for piece in &self.pieces {
            let now = taken(piece.bytes());
            let differ = (0..now.len()).filter(|&at| now[at] != piece.found[at]);
            changed.extend(differ.map(|at| places.at(piece.address + at)));
        }
        let change = |location| {
            let place = places.bytes(location);
            Change { address: place.address, width: place.width, value: peek(place.address, place.width) }
        };
        self.changes = changed.into_iter().map(change).collect();
        self.changes.sort_unstable_by_key(|change| std::cmp::Reverse(change.address));
        self.pieces.drain(..).for_each(|piece| put(piece.address, &piece.resting));
    }

    /// Returns a number that stands for what the function has changed.
    pub(crate) fn digest(&self) -> u64 {
        FxBuildHasher.hash_one(&self.changes)
    }

    /// Returns the next location that the function has changed.
    pub(crate) fn next_change(&mut self) -> Option<Change> {
        self.changes.pop()
    }
}

/// What functions have changed in lent memory, in all runs of a search: by a number for the run up to the call, one
/// for the changes.
#[derive(Default)]
pub(crate) struct Results(FxHashMap<u64, u64>);

impl Results {
    /// Notes these changes; returns whether the function did the same in each run that was the same up to the call.
    pub(crate) fn repeat(&mut self, run: u64, changes: u64) -> bool {
        *self.0.entry(run).or_insert(changes) == changes
    }
}

/// The local variables that threads have lent while there were others, and the memory that threads have accessed on the
/// stacks of others, in all runs of a search.
#[derive(Default)]
pub(crate) struct Strangers {
    lent: Vec<Range<usize>>,
    accessed: BTreeSet<usize>,
}

impl Strangers {
    /// Notes that a thread lends these bytes of its own; returns whether others access them.
    pub(crate) fn lends(&mut self, bytes: &Range<usize>) -> bool {
        if !self.lent.contains(bytes) {
            self.lent.push(bytes.clone());
        }
        self.accessed.range(bytes.clone()).next().is_some()
    }

    /// Shows all that is known.
    pub(crate) fn facts(&self, mut show: impl FnMut((usize, usize))) {
        self.lent.iter().for_each(|bytes| show((bytes.start, bytes.end)));
        self.accessed.iter().for_each(|&byte| show((byte, 0)));
    }

    /// Notes that a thread accesses these bytes of another one; returns whether that one lends them.
    pub(crate) fn accesses(&mut self, bytes: Range<usize>) -> bool {
        let lent = self.lent.iter().any(|lent| lent.start < bytes.end && bytes.start < lent.end);
        self.accessed.extend(bytes);
        lent
    }
}
