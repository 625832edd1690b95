//! Random search: the same seed gives the same executions, every interleaving is found, and PCT finds a bug of depth 3
//! at no less than its guaranteed rate.

mod programs;

use std::collections::{BTreeMap, BTreeSet};

use engine::explore::Strategy;
use engine::explore::pct::Pct;
use engine::explore::random::Uniform;
use engine::explore::sampler::Sampler;
use engine::explore::urw::Urw;
use programs::{Decision, Op, Program, Run, explore, some};

/// Main creates two threads of so many stores each, to different locations, and joins them.
fn two_threads(stores: u8) -> Program {
    let thread = |location| (1..=stores).map(|value| Op::Store(location, value)).collect();
    vec![vec![Op::Create(1), Op::Create(2), Op::Join(1), Op::Join(2)], thread(0), thread(1)]
}

fn strategies(seed: u64) -> [Box<dyn Strategy>; 3] {
    [
        Box::new(Sampler::new(seed, Uniform)),
        Box::new(Sampler::new(seed, Pct::new(3, 1))),
        Box::new(Sampler::new(seed, Urw::default())),
    ]
}

fn schedules(runs: &[Run]) -> Vec<&[Decision]> {
    runs.iter().map(|run| run.schedule.as_slice()).collect()
}

#[test]
fn the_same_seed_gives_the_same_executions_and_another_seed_others() {
    let program = two_threads(3);
    let runs = |seed| strategies(seed).map(|strategy| some(&program, strategy, 30));
    let (one, again, other) = (runs(1), runs(1), runs(2));
    for index in 0..3 {
        assert_eq!(schedules(&one[index]), schedules(&again[index]));
        assert_ne!(schedules(&one[index]), schedules(&other[index]));
    }
}

#[test]
fn every_interleaving_is_drawn() {
    let program = two_threads(3);
    let all = explore(&program, None);
    assert_eq!(all.len(), 69);
    let expected: BTreeSet<_> = schedules(&all).into_iter().collect();
    let [uniform, _, urw] = strategies(5);
    for strategy in [uniform, urw] {
        let drawn = some(&program, strategy, 5000);
        assert_eq!(schedules(&drawn).into_iter().collect::<BTreeSet<_>>(), expected);
    }
}

/// Three orderings: the first store of thread 1 before that of thread 2, that before the second one of thread 1, and
/// that before the second one of thread 2.
fn alternates(run: &Run) -> bool {
    let thread = |decision: &Decision| match decision {
        Decision::Event(thread) if *thread > 0 => Some(*thread),
        _ => None,
    };
    run.schedule.iter().filter_map(thread).eq([1, 2, 1, 2])
}

/// Two creations, two joins, four stores; three threads; a bug of depth 3.
const GUARANTEED: f64 = 1.0 / (3.0 * 8.0 * 8.0);

#[test]
fn pct_finds_a_bug_of_depth_three_at_its_guaranteed_rate() {
    let program = two_threads(2);
    let found = |known: u32, before: usize| {
        let finds = |&seed: &u64| {
            let runs = some(&program, Box::new(Sampler::new(seed, Pct::new(3, known))), before + 1);
            alternates(&runs[before])
        };
        (0..1000).filter(finds).count()
    };
    // The length is given, or has been learned from the executions before: from one, and from all that are learned from.
    for (known, before) in [(8, 0), (1, 1), (1, 120)] {
        let found = found(known, before);
        assert!(found as f64 >= 1000.0 * GUARANTEED, "{found} of 1000 with {before} executions before");
    }
    // Nothing is known of the first execution but that it has an event: both points are before it.
    assert_eq!(found(1, 0), 0);
}

/// Main creates a thread, and both perform so many stores; nobody waits for anybody.
#[test]
fn urw_draws_interleavings_evenly() {
    let stores = |location| (1..=4).map(move |value| Op::Store(location, value));
    let program = vec![std::iter::once(Op::Create(1)).chain(stores(0)).collect(), stores(1).collect()];
    let drawn = some(&program, Box::new(Sampler::new(3, Urw::default())), 70_001);
    let mut counts: BTreeMap<&[Decision], i32> = BTreeMap::new();
    // Of the first one nothing is known.
    schedules(&drawn[1..]).into_iter().for_each(|schedule| *counts.entry(schedule).or_default() += 1);
    // C(8, 4) interleavings, a thousand each; six standard deviations of a binomial count.
    assert_eq!(counts.len(), 70);
    assert!(counts.values().all(|count| (count - 1000).abs() < 190), "{counts:?}");
}
