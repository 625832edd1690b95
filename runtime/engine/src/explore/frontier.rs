//! The prefixes that wait for the next preemption bound, packed: about one byte for each execution to come.
//!
//! An entry stands for one execution and holds its decisions once, with the points at which a preemption is still to
//! be tried, and a digest of its events up to the last of them. All numbers are LEB128; indices are differences to the one before.

use std::collections::VecDeque;

use super::Counts;

const CHUNK: usize = 1 << 20;

/// A point of an execution at which a preemption is still to be tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Point {
    /// Its index among the decisions.
    pub(super) decision: u32,
    /// How many alternatives to choice 0.
    pub(super) alternatives: u32,
    /// Whether executions that take one of them count.
    pub(super) counts: Counts,
}

/// An execution's decisions and the points of it that are still to be varied.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The decisions that are not 0: (index, choice), ascending.
    pub(super) decisions: Vec<(u32, u32)>,
    /// Ascending.
    pub(super) points: Vec<Point>,
    /// Of the events before the last point.
    pub(super) digest: u32,
}

/// A queue of entries.
#[derive(Default, Debug)]
pub(super) struct Frontier {
    chunks: VecDeque<Vec<u8>>,
    /// Where the next entry begins in the first chunk.
    read: usize,
}

impl Frontier {
    /// Appends an entry.
    pub(super) fn push(&mut self, entry: &Entry) {
        if self.chunks.back().is_none_or(|chunk| chunk.len() >= CHUNK) {
            self.chunks.push_back(Vec::new());
        }
        let Some(chunk) = self.chunks.back_mut() else { unreachable!("a chunk was just added") };
        chunk.extend_from_slice(&entry.digest.to_le_bytes());
        write(chunk, entry.decisions.len() as u64);
        let mut last = 0;
        for &(index, choice) in &entry.decisions {
            write(chunk, u64::from(index - last));
            write(chunk, u64::from(choice));
            last = index;
        }
        write(chunk, entry.points.len() as u64);
        last = 0;
        for point in &entry.points {
            // One byte for the common point: the next decision but few, one alternative, counted.
            let shape = if point.alternatives == 1 && point.counts == Counts::Once { 0 } else { 1 };
            write(chunk, u64::from(point.decision - last) << 1 | shape);
            if shape == 1 {
                write(chunk, u64::from(point.alternatives) << 1 | u64::from(point.counts == Counts::AsAnother));
            }
            last = point.decision;
        }
    }

    /// Takes the oldest entry into `entry`; false if there is none.
    pub(super) fn pop(&mut self, entry: &mut Entry) -> bool {
        while let Some(chunk) = self.chunks.front() {
            if self.read < chunk.len() {
                let mut from = self.read;
                read_entry(chunk, &mut from, entry);
                self.read = from;
                return true;
            }
            self.chunks.pop_front();
            self.read = 0;
        }
        false
    }
}

fn read_entry(chunk: &[u8], from: &mut usize, entry: &mut Entry) {
    entry.decisions.clear();
    entry.points.clear();
    entry.digest = (0..4).map(|byte| u32::from(chunk[*from + byte]) << (8 * byte)).sum();
    *from += 4;
    let mut index = 0;
    for _ in 0..read(chunk, from) {
        index += narrow(read(chunk, from));
        entry.decisions.push((index, narrow(read(chunk, from))));
    }
    let mut decision = 0;
    for _ in 0..read(chunk, from) {
        let head = read(chunk, from);
        decision += narrow(head >> 1);
        let mut point = Point { decision, alternatives: 1, counts: Counts::Once };
        if head & 1 == 1 {
            let tail = read(chunk, from);
            point.alternatives = narrow(tail >> 1);
            point.counts = if tail & 1 == 1 { Counts::AsAnother } else { Counts::Once };
        }
        entry.points.push(point);
    }
}

fn narrow(value: u64) -> u32 {
    u32::try_from(value).expect("only 32-bit numbers and counts of them are written")
}

fn write(into: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        into.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    into.push((value & 0x7f) as u8);
}

fn read(chunk: &[u8], from: &mut usize) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = chunk[*from];
        *from += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return value;
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_in_order_across_chunks() {
        let entry = |n: u32| Entry {
            decisions: vec![(n % 300, 1), (n % 300 + 1000, 200)],
            points: (0..n % 50)
                .map(|i| Point {
                    decision: i * 3,
                    alternatives: 1 + i % 3,
                    counts: if i % 5 == 0 { Counts::AsAnother } else { Counts::Once },
                })
                .collect(),
            digest: n.wrapping_mul(0x9e37_79b9),
        };
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
}
