//! The prefixes that wait for the next preemption bound, packed: about one byte for each execution to come.
//!
//! An entry stands for one execution and holds its decisions once, with the points at which a preemption is still to
//! be tried, and a digest of its events up to the last of them. All numbers are LEB128; indices are differences to the
//! one before.

use std::collections::VecDeque;

use super::Counts;
use super::packed::{Corrupt, Reader, write};

/// The number of bytes up to which entries are kept together: what one slice of the search takes at least.
const CHUNK: usize = 1 << 10;

/// A point of an execution at which a preemption is still to be tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Point {
    /// The index of the point among the decisions.
    pub(super) decision: u32,
    /// The number of alternatives to choice 0.
    pub(super) alternatives: u32,
    /// Whether executions that take one of the alternatives count.
    pub(super) counts: Counts,
}

/// An execution's decisions and the points of it that are still to be varied.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The decisions that are not 0: (index, choice), ascending.
    pub(super) decisions: Vec<(u32, u32)>,
    /// The points, ascending; at least one.
    pub(super) points: Vec<Point>,
    /// The digest of the events before the last point.
    pub(super) digest: u32,
}

/// Entries that are packed one after the other.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    /// The number of prefixes in the chunk: the alternatives at all points of its entries.
    pub(super) prefixes: u64,
}

/// A queue of entries.
#[derive(Default, Debug)]
pub(super) struct Frontier {
    chunks: VecDeque<Chunk>,
    /// The number of bytes of all chunks together.
    bytes: usize,
    /// The place in the first chunk where the next entry begins.
    read: usize,
}

impl Frontier {
    /// Appends an entry.
    pub(super) fn push(&mut self, entry: &Entry) {
        if self.chunks.back().is_none_or(|chunk| chunk.bytes.len() >= CHUNK) {
            if let Some(full) = self.chunks.back_mut() {
                full.bytes.shrink_to_fit();
            }
            self.chunks.push_back(Chunk::default());
        }
        let Some(chunk) = self.chunks.back_mut() else { unreachable!("a chunk was just added") };
        chunk.prefixes += entry.prefixes();
        let before = chunk.bytes.len();
        entry.write(&mut chunk.bytes);
        self.bytes += chunk.bytes.len() - before;
    }

    /// Returns how many bytes the chunks have.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the oldest entry into `entry`; returns false if there is none.
    pub(super) fn pop(&mut self, entry: &mut Entry) -> bool {
        while let Some(chunk) = self.chunks.front_mut() {
            if self.read < chunk.bytes.len() {
                let mut reader = Reader::new(&chunk.bytes[self.read..]);
                entry.read(&mut reader).expect("entries were written by `push`, or checked");
                self.read = chunk.bytes.len() - reader.left();
                chunk.prefixes -= entry.prefixes();
                return true;
            }
            self.bytes -= chunk.bytes.len();
            self.chunks.pop_front();
            self.read = 0;
        }
        false
    }

    /// Takes all entries that are left, in order.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Chunk> {
        if let Some(first) = self.chunks.front_mut() {
            first.bytes.drain(..std::mem::take(&mut self.read));
        }
        self.bytes = 0;
        std::mem::take(&mut self.chunks).into_iter().filter(|chunk| !chunk.bytes.is_empty())
    }
}

impl Chunk {
    /// Checks that these bytes hold entries, and returns them as a chunk.
    ///
    /// # Errors
    /// [`Corrupt`], if the bytes hold none, or something else.
    pub(super) fn check(bytes: &[u8]) -> Result<Self, Corrupt> {
        let (mut reader, mut entry, mut prefixes) = (Reader::new(bytes), Entry::default(), 0);
        while reader.left() > 0 {
            entry.read(&mut reader)?;
            prefixes += entry.prefixes();
        }
        if prefixes == 0 { Err(Corrupt) } else { Ok(Self { bytes: bytes.to_vec(), prefixes }) }
    }
}

impl From<Chunk> for Frontier {
    fn from(chunk: Chunk) -> Self {
        Self { bytes: chunk.bytes.len(), chunks: [chunk].into(), read: 0 }
    }
}

impl Entry {
    /// Returns how many prefixes the entry stands for.
    pub(super) fn prefixes(&self) -> u64 {
        self.points.iter().map(|point| u64::from(point.alternatives)).sum()
    }

    pub(super) fn write(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.digest.to_le_bytes());
        write(into, self.decisions.len() as u64);
        let mut last = 0;
        for &(index, choice) in &self.decisions {
            write(into, u64::from(index - last));
            write(into, u64::from(choice));
            last = index;
        }
        write(into, self.points.len() as u64);
        last = 0;
        for point in &self.points {
            // One byte is enough for the common point: the next decision but few, one alternative, counted.
            let shape = if point.alternatives == 1 && point.counts == Counts::Once { 0 } else { 1 };
            write(into, u64::from(point.decision - last) << 1 | shape);
            if shape == 1 {
                write(into, u64::from(point.alternatives) << 1 | u64::from(point.counts == Counts::AsAnother));
            }
            last = point.decision;
        }
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), Corrupt> {
        self.decisions.clear();
        self.points.clear();
        let digest = from.bytes(4)?.try_into().map_err(|_| Corrupt)?;
        self.digest = u32::from_le_bytes(digest);
        let mut index: u32 = 0;
        for _ in 0..from.count()? {
            index = index.checked_add(from.narrow()?).ok_or(Corrupt)?;
            self.decisions.push((index, from.narrow()?));
        }
        let mut decision: u32 = 0;
        for _ in 0..from.count()? {
            let head = from.number()?;
            decision = u32::try_from(head >> 1).ok().and_then(|step| decision.checked_add(step)).ok_or(Corrupt)?;
            let mut point = Point { decision, alternatives: 1, counts: Counts::Once };
            if head & 1 == 1 {
                let tail = from.number()?;
                point.alternatives = u32::try_from(tail >> 1).map_err(|_| Corrupt)?;
                point.counts = if tail & 1 == 1 { Counts::AsAnother } else { Counts::Once };
            }
            self.points.push(point);
        }
        if self.points.is_empty() || self.points.iter().any(|point| point.alternatives == 0) {
            return Err(Corrupt);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: u32) -> Entry {
        Entry {
            decisions: vec![(n % 300, 1), (n % 300 + 1000, 200)],
            points: (0..=n % 50)
                .map(|i| Point {
                    decision: i * 3,
                    alternatives: 1 + i % 3,
                    counts: if i % 5 == 0 { Counts::AsAnother } else { Counts::Once },
                })
                .collect(),
            digest: n.wrapping_mul(0x9e37_79b9),
        }
    }

    #[test]
    fn entries_come_back_in_order_across_chunks() {
        let mut frontier = Frontier::default();
        (0..60_000).for_each(|n| frontier.push(&entry(n)));
        assert!(frontier.chunks.len() > 1);
        let mut got = Entry::default();
        for n in 0..60_000 {
            assert!(frontier.pop(&mut got));
            assert_eq!(got, entry(n));
        }
        assert!(!frontier.pop(&mut got));
    }

    #[test]
    fn what_is_left_is_drained_and_counted() {
        let mut frontier = Frontier::default();
        (0..1000).for_each(|n| frontier.push(&entry(n)));
        let mut got = Entry::default();
        (0..77).for_each(|_| assert!(frontier.pop(&mut got)));
        let mut next = 77;
        for chunk in frontier.drain() {
            let checked = Chunk::check(&chunk.bytes).expect("it was just written");
            assert_eq!(checked, chunk);
            let mut part = Frontier::from(chunk);
            while part.pop(&mut got) {
                assert_eq!(got, entry(next));
                next += 1;
            }
        }
        assert_eq!(next, 1000);
    }

    #[test]
    fn cut_and_changed_bytes_are_corrupt_or_entries() {
        let mut bytes = Vec::new();
        entry(33).write(&mut bytes);
        (0..bytes.len()).for_each(|length| assert_eq!(Chunk::check(&bytes[..length]), Err(Corrupt)));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x81;
            // Nothing but that it must not panic: some changes give other entries.
            drop(Chunk::check(&changed));
        }
    }
}
