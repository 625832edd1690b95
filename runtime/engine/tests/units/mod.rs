//! Searches for execution graphs that are cut at random moments into units, which are run in any order by several processes that
//! share nothing but what goes home.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use engine::explore::rsmc::units::{Left, frames};
use engine::explore::rsmc::{CompleteTrace, Continue, Counts, Course, Memory, explore_units};
use engine::graph::Program;
use engine::model::Model;

/// Where units wait, and the continuations of the frames that they share.
#[derive(Default)]
struct Home {
    units: Vec<Vec<u8>>,
    known: BTreeMap<Vec<u8>, BTreeSet<Vec<u8>>>,
}

impl Home {
    fn take(&mut self, left: Left) {
        for news in &left.news {
            let known = self.known.entry(news.frame.clone()).or_default();
            known.extend(news.done.iter().cloned());
        }
        for unit in &left.units {
            assert!(frames(unit).unwrap().iter().all(|&name| self.known.contains_key(name)), "nobody knows a frame");
        }
        self.units.extend(left.units);
        for news in left.news {
            let known = self.known.get_mut(&news.frame).expect("it went home with the units that share it");
            for continuation in news.found {
                let unit = [news.frame.clone(), continuation.clone()].concat();
                if known.insert(continuation) {
                    self.units.push(unit);
                }
            }
        }
    }
}

/// The numbers by which a search is cut.
pub(crate) struct Cuts(pub(crate) u64);

impl Cuts {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

/// Explores all traces of a program in slices by three processes, and returns the counts of all and the number of slices.
pub(crate) fn in_units<M: Model<1>, P: Program<1>>(
    program: &P,
    cuts: &mut Cuts,
    visit: &mut dyn FnMut(&CompleteTrace<'_, 1>),
) -> (Counts, usize)
where
    P::Fault: std::fmt::Debug,
{
    let mut home = Home { units: vec![Vec::new()], ..Home::default() };
    let mut processes = [Memory::default(), Memory::default(), Memory::default()];
    let (mut all, mut slices) = (Counts::default(), 0);
    while !home.units.is_empty() {
        let mut units = Vec::new();
        for _ in 0..=cuts.below(3) {
            if !home.units.is_empty() {
                units.push(home.units.swap_remove(cuts.below(home.units.len())));
            }
        }
        let left = Cell::new(cuts.below(12));
        let pauses = || left.replace(left.get().saturating_sub(1)) == 0;
        let mut executions = cuts.below(9);
        let mut visit = |execution: &CompleteTrace<'_, 1>| {
            visit(execution);
            executions = executions.saturating_sub(1);
            if executions == 0 { Continue::Pause } else { Continue::Yes }
        };
        let course = Course { visit: &mut visit, pauses: &pauses };
        let process = &mut processes[cuts.below(3)];
        let (counts, left) = explore_units::<1, M, P>(program, &units, course, process);
        home.take(left.unwrap());
        all.executions += counts.executions;
        all.events += counts.events;
        all.blocked += counts.blocked;
        slices += 1;
    }
    (all, slices)
}
