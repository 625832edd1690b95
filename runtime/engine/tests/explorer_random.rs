//! Random search: the same seed gives the same executions, every interleaving is found, and PCT finds a bug of depth 3
//! at no less than its guaranteed rate.

mod programs;

use std::collections::{BTreeMap, BTreeSet};

use engine::execution::Execution;
use engine::explore::census::Census;
use engine::explore::estimate::{Drawn, Estimate};
use engine::explore::pct::Pct;
use engine::explore::random::Uniform;
use engine::explore::sampler::Sampler;
use engine::explore::urw::Urw;
use engine::explore::{Finish, Strategy};
use programs::{Decision, Interpreter, Op, Program, Run, explore, explore_classes, some};

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

/// Returns what the drawn executions of a program say of the number of its classes.
fn estimate(program: &Program, executions: usize) -> Option<Estimate> {
    let mut execution = Execution::new(Box::new(Sampler::new(11, Census::default())));
    let mut drawn = Drawn::default();
    for _ in 0..executions {
        assert!(execution.begin());
        Interpreter::run(program, &mut execution);
        execution.strategy().stands_for().into_iter().for_each(|classes| drawn.add(classes));
        execution.finish(Finish::Done);
    }
    drawn.all()
}

/// Main creates so many threads with this code and waits for none.
fn threads(count: u8, code: impl Fn(u8) -> Vec<Op>) -> Program {
    let main = (1..=count).map(Op::Create).collect();
    std::iter::once(main).chain((1..=count).map(code)).collect()
}

#[test]
fn classes_are_counted_by_drawing_a_tenth_of_them() {
    let all = |program: &Program| explore_classes(program).len() as f64;
    // n threads write one variable: n! orders, which each drawing says if the threads are there from the beginning.
    let writers = threads(7, |value| vec![Op::Store(0, value)]);
    let thrice = threads(3, |value| vec![Op::Store(0, value); 3]);
    // k readers of a variable with n writes: each reads one of n + 1 values, whatever the others read.
    let mut readers = threads(5, |_| vec![Op::Load(0)]);
    readers.push((1..=4).map(|value| Op::Store(0, value)).collect());
    readers[0].push(Op::Create(6));
    // A mutex that three threads take three times: 9! / 3!³ orders.
    let locks = threads(3, |_| [Op::Lock(0), Op::Unlock(0)].repeat(3));
    for (program, total) in [(writers, 5040.0), (thrice, 1680.0), (readers, 3125.0), (locks, 1680.0)] {
        assert_eq!(all(&program), total);
        let Estimate { executions, error } = estimate(&program, (total / 10.0) as usize).unwrap();
        assert!((total / 2.0..total * 2.0).contains(&executions), "{executions} ± {error} instead of {total}");
        assert!(error < 0.5 * total, "{executions} ± {error} instead of {total}");
    }
}

#[test]
fn independent_threads_and_readers_are_one_class() {
    let apart = two_threads(3);
    let reading = threads(4, |_| vec![Op::Load(0), Op::Load(1)]);
    for program in [apart, reading] {
        let Estimate { executions, error } = estimate(&program, 100).unwrap();
        assert!((executions - 1.0).abs() < 0.1 && error < 0.1, "{executions} ± {error}");
    }
}

#[test]
fn of_random_programs_as_many_classes_are_estimated_as_there_are() {
    let mut random = programs::random::Random(31);
    let mut programs = 0;
    while programs < 150 {
        let program = programs::random::plain(&mut random);
        let total = explore_classes(&program).len() as f64;
        let Some(Estimate { executions, error }) = estimate(&program, 500) else { continue };
        programs += 1;
        assert!(
            (executions - total).abs() < 6.0 * error + 0.01 * total,
            "{executions} ± {error}, not {total}: {program:?}"
        );
    }
}
