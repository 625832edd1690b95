//! Cheapest repairs by implicit hitting sets against brute force over all sets of fences, on random programs: the oracle
//! evaluates the axioms as they are written, and shares no code with the engine.

use std::collections::BTreeSet;

use engine::event::Location;
use engine::explore::rsmc::{self, CompleteTrace, Continue};
use engine::graph::{self, EventId, Label, Labels, Reached, Value};
use engine::mapping::graphs::{Around, FULL, LIGHTWEIGHT};
use engine::model::Model;
use engine::model::power::Power;
use engine::model::pso::Pso;
use engine::model::tso::Tso;
use engine::repair::{Candidate, clauses, hitting_set, strengthen};
use litmus::graphs::{MemoryModel, Threads};
use litmus::parse::parse;

use crate::axioms::engine::{Random, random};
use crate::axioms::{Candidate as Execution, Fence, Oracle, Program};

/// A fence before an operation, and what it costs.
#[derive(Clone, Copy, Debug)]
struct Place {
    event: (usize, usize),
    fence: Fence,
}

impl Place {
    fn around(self) -> Around {
        let before = if self.fence == Fence::Sync { FULL } else { LIGHTWEIGHT };
        Around { before, ..Around::default() }
    }

    fn cost(self) -> u64 {
        if self.fence == Fence::Sync { 5 } else { 2 }
    }
}

/// All places between operations of a thread.
fn places(program: &Program) -> Vec<Place> {
    let events =
        program.threads.iter().enumerate().flat_map(|(thread, ops)| (1..ops.len()).map(move |at| (thread, at)));
    events.flat_map(|event| [Fence::Sync, Fence::Lwsync].map(|fence| Place { event, fence })).collect()
}

/// The least cost of fences under which all executions that the model allows are sequentially consistent, by trying all
/// sets.
fn by_force(program: &Program, allows: fn(&Oracle, &Execution) -> bool) -> u64 {
    let places = places(program);
    let sets = (0..1_usize << places.len())
        .map(|bits| (0..places.len()).filter(move |at| bits >> at & 1 == 1).map(|at| places[at]).collect::<Vec<_>>());
    let is_repaired = |set: &Vec<Place>| {
        let mut fenced = program.clone();
        for place in set {
            let fence = &mut fenced.threads[place.event.0][place.event.1].fence;
            // A full fence is a light one, too.
            *fence = Some(fence.map_or(place.fence, |other| other.min(place.fence)));
        }
        let oracle = Oracle::new(&fenced);
        oracle.candidates().iter().all(|one| !allows(&oracle, one) || oracle.sc(one))
    };
    sets.filter(is_repaired).map(|set| set.iter().map(|place| place.cost()).sum()).min().unwrap_or(u64::MAX)
}

/// A test whose accesses are strengthened.
struct Strengthened<'t> {
    threads: Threads<'t>,
    around: Vec<(EventId, Around)>,
}

impl graph::Program<1> for Strengthened<'_> {
    type Fault = <Threads<'static> as graph::Program<1>>::Fault;

    fn threads(&self) -> usize {
        graph::Program::<1>::threads(&self.threads)
    }

    fn locations(&self) -> usize {
        graph::Program::<1>::locations(&self.threads)
    }

    fn initial(&self, location: Location) -> Value {
        graph::Program::<1>::initial(&self.threads, location)
    }

    fn fetch(&self, thread: usize, origin: u32, reads: &[Option<Value>]) -> Result<(Labels<1>, Reached), Self::Fault> {
        let (labels, reached) = self.threads.fetch(thread, origin, reads)?;
        let mut labels: Vec<Label<1>> = labels.to_vec();
        for &(event, around) in self.around.iter().filter(|(event, _)| usize::from(event.thread) == thread) {
            if usize::from(event.index) < labels.len() {
                strengthen(&mut labels, event.index.into(), around);
            }
        }
        Ok((labels.into(), reached))
    }
}

/// The same by implicit hitting sets.
fn by_hitting_sets<M: Model<1>>(program: &Program, model: MemoryModel) -> u64 {
    let text = program.text();
    let test = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let places = places(program);
    let costs: Vec<u64> = places.iter().map(|place| place.cost()).collect();
    let event = |place: &Place| EventId::new(place.event.0, place.event.1);
    let candidates: Vec<Candidate> =
        places.iter().map(|place| Candidate { around: vec![(event(place), place.around())] }).collect();
    let mut known: Vec<Vec<usize>> = Vec::new();
    loop {
        let sets = hitting_set::cheapest(&costs, &known, 1);
        let Some(set) = sets.first() else { return u64::MAX };
        let around = set.iter().map(|&at| (event(&places[at]), places[at].around())).collect();
        let strengthened = Strengthened { threads: Threads { test: &test, model, accesses: 64 }, around };
        let mut found: Option<Vec<Vec<usize>>> = None;
        let mut visit = |execution: &CompleteTrace<'_, 1>| {
            assert!(execution.is_allowed_with(execution.labels), "{text}");
            if execution.is_sequentially_consistent() {
                return Continue::Yes;
            }
            let allows = |labels: &[Labels<1>]| execution.is_allowed_with(labels);
            found = Some(clauses(execution.labels, &candidates, 4, &allows));
            Continue::Stop
        };
        drop(rsmc::explore::<1, M, _>(&strengthened, &mut visit));
        match found {
            None => return hitting_set::cost(&costs, set),
            Some(clauses) => {
                let is_new = |clause: &Vec<usize>| !clause.iter().any(|at| set.contains(at));
                assert!(clauses.iter().all(is_new), "what was tried is in no clause");
                known.extend(clauses);
            }
        }
    }
}

#[test]
fn the_cheapest_repair_is_that_of_brute_force() {
    let mut numbers = Random(17);
    let mut seen = [(); 3].map(|()| BTreeSet::new());
    for _ in 0..50 {
        let mut program = random(&mut numbers, 1);
        program.threads.iter_mut().flatten().for_each(|op| op.fence = None);
        let found = [
            (by_hitting_sets::<Tso<1>>(&program, MemoryModel::Tso), by_force(&program, Oracle::tso)),
            (by_hitting_sets::<Pso<1>>(&program, MemoryModel::Pso), by_force(&program, Oracle::pso)),
            (by_hitting_sets::<Power<1>>(&program, MemoryModel::Power), by_force(&program, Oracle::power)),
        ];
        for ((by_sets, by_force), seen) in found.into_iter().zip(&mut seen) {
            assert_eq!(by_sets, by_force, "{}", program.text());
            seen.insert(by_sets);
        }
    }
    assert!(seen.iter().all(|costs| costs.len() >= 3), "too one-sided: {seen:?}");
}
