//! What the units of a search for execution graphs share: the continuations of frames, and what the first slice has learned.
//!
//! A continuation that units in several processes come to is one unit. So each slice says what it has come to, and here it is seen
//! whether that is new. A frame is forgotten when no unit is left below it.

use std::collections::{BTreeMap, BTreeSet};

use engine::explore::rsmc::units::frames;
use protocol::{Located, Manner, News, Packed, Prefixes, Unit};
use serde::{Deserialize, Serialize};

/// What units share.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Shared {
    /// The manner in which execution graphs are searched for.
    pub(super) manner: Manner,
    /// What the first slice has learned of the program.
    pub(super) facts: Vec<u64>,
    /// The continuations of each frame that have been seen to.
    frames: BTreeMap<Packed, BTreeSet<Packed>>,
    /// The number of frames of which some were forgotten the last time.
    kept: usize,
    /// The width of each location of memory that some process has accessed, by its address.
    memory: BTreeMap<u64, u8>,
}

/// The number of frames up to which none is forgotten.
const FRAMES: usize = 1 << 10;

impl Shared {
    /// Makes what is shared by the units of a search that has not begun.
    pub(super) fn new(manner: Manner) -> Shared {
        Shared { manner, ..Shared::default() }
    }

    /// Takes in the memory that a process has accessed; returns whether no other one has accessed bytes of it otherwise. One process
    /// alone would refuse that, or divide the memory.
    pub(super) fn agrees(&mut self, located: &[Located]) -> bool {
        located.iter().all(|&Located { address, width }| {
            let before = self.memory.range(..=address).next_back();
            let is_known = before == Some((&address, &width));
            let is_apart = before.is_none_or(|(&first, &bytes)| first + u64::from(bytes) <= address)
                && self.memory.range(address..address + u64::from(width)).next().is_none();
            if is_apart {
                self.memory.insert(address, width);
            }
            is_known || is_apart
        })
    }

    /// Takes in what a slice has come to, and returns the units that are new.
    pub(super) fn take(&mut self, all: Vec<News>) -> Vec<Unit> {
        for news in &all {
            self.frames.entry(news.frame.clone()).or_default().extend(news.done.iter().cloned());
        }
        let mut units = Vec::new();
        for News { frame, found, .. } in all {
            let known = self.frames.entry(frame.clone()).or_default();
            for continuation in found {
                let bytes = [frame.0.as_slice(), &continuation.0].concat();
                if known.insert(continuation) {
                    units.push(Unit { weight: 0.0, prefixes: Prefixes::Packed(Packed(bytes)) });
                }
            }
        }
        units
    }

    /// Forgets the frames that none of these units is below, all that are left of the search, if there are many.
    pub(super) fn forget<'a>(&mut self, units: impl Iterator<Item = &'a Unit>) {
        if self.frames.len() < FRAMES.max(2 * self.kept) {
            return;
        }
        let mut needed: BTreeSet<Packed> = BTreeSet::new();
        for unit in units {
            if let Prefixes::Packed(Packed(bytes)) = &unit.prefixes {
                let names = frames(bytes).unwrap_or_default();
                needed.extend(names.into_iter().map(|name| Packed(name.to_vec())));
            }
        }
        self.frames.retain(|frame, _| needed.contains(frame));
        self.kept = self.frames.len();
    }
}

/// Returns the units, of which the smallest come first, so that each of this many parts has some of every size.
pub(super) fn dealt(units: Vec<Unit>, parts: usize) -> Vec<Unit> {
    let mut dealt: Vec<Vec<Unit>> = vec![Vec::new(); parts];
    for (number, unit) in units.into_iter().enumerate() {
        dealt[number % parts].push(unit);
    }
    dealt.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use protocol::{Located, News, Packed, Prefixes, Unit};

    use super::{FRAMES, Shared, dealt};

    /// A frame whose read is the first access of the search, and one further down, by their bytes (`rsmc/units.rs`).
    const FRAME: &[u8] = &[0];
    const DEEPER: &[u8] = &[0, 3, 0, 0, 0, 0];

    fn news(frame: &[u8], done: &[u8], found: &[u8]) -> News {
        let all = |names: &[u8]| names.iter().map(|&name| Packed(vec![4, name])).collect();
        News { frame: Packed(frame.to_vec()), done: all(done), found: all(found) }
    }

    fn unit(bytes: &[u8]) -> Unit {
        Unit { weight: 0.0, prefixes: Prefixes::Packed(Packed(bytes.to_vec())) }
    }

    #[test]
    fn what_several_come_to_is_one_unit() {
        let mut shared = Shared::default();
        assert_eq!(shared.take(vec![news(FRAME, &[1, 2], &[])]), []);
        assert_eq!(shared.take(vec![news(FRAME, &[], &[2, 3])]), [unit(&[0, 4, 3])]);
        assert_eq!(
            shared.take(vec![news(DEEPER, &[], &[2]), news(FRAME, &[], &[3, 1])]),
            [unit(&[0, 3, 0, 0, 0, 0, 4, 2])]
        );
    }

    #[test]
    fn what_is_done_is_no_unit_whatever_comes_first_in_the_news() {
        let mut shared = Shared::default();
        assert_eq!(shared.take(vec![news(FRAME, &[], &[1]), news(FRAME, &[1], &[])]), []);
    }

    #[test]
    fn frames_without_units_are_forgotten_and_others_are_not() {
        let mut shared = Shared::default();
        shared.take(vec![news(FRAME, &[1], &[]), news(DEEPER, &[1], &[])]);
        let others = (0..=u8::MAX).flat_map(|one| (0..=7).map(move |other| [2 + 9, one, other, 0]));
        shared.take(others.map(|frame| news(&frame, &[1], &[])).collect());
        assert!(shared.frames.len() > FRAMES);
        shared.forget([unit(&[0, 3, 0, 0, 0, 1])].iter());
        assert_eq!(shared.frames.keys().collect::<Vec<_>>(), [&Packed(FRAME.to_vec())]);
        assert_eq!(shared.take(vec![news(FRAME, &[], &[1])]), []);
    }

    #[test]
    fn memory_that_two_access_otherwise_is_seen() {
        let located = |all: &[(u64, u8)]| -> Vec<Located> {
            all.iter().map(|&(address, width)| Located { address, width }).collect()
        };
        let mut shared = Shared::default();
        assert!(shared.agrees(&located(&[(0x1000, 4), (0x1008, 8), (0x1004, 2)])));
        assert!(shared.agrees(&located(&[(0x1004, 2), (0x1006, 2), (0x1000, 4)])));
        for other in [(0x1000, 8), (0x1002, 2), (0x1000, 2), (0x100c, 4), (0x1006, 1), (0x1007, 1)] {
            assert!(!shared.agrees(&located(&[other])), "{other:?}");
        }
    }

    #[test]
    fn each_part_has_units_of_every_size() {
        let units: Vec<Unit> = (0..5).map(|number| unit(&[number])).collect();
        let expected: Vec<Unit> = [0, 2, 4, 1, 3].map(|number| unit(&[number])).into();
        assert_eq!(dealt(units, 2), expected);
    }
}
