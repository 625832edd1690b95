//! The explorer `bounded` on programs without wait loops: which schedules it runs, against an independent enumeration.

mod programs;

use std::collections::{BTreeMap, BTreeSet};

use engine::event::Thread;
use engine::execution::Ending;
use engine::explore::Counts;
use programs::oracle::{self, Outcome};
use programs::random::{self, Random};
use programs::{Decision, Op, Program, Run, explore};

const BOUNDS: [Option<u32>; 5] = [None, Some(0), Some(1), Some(2), Some(3)];

/// Main creates one thread of `theirs` accesses, does `ours` itself and joins.
fn two_threads(ours: usize, theirs: usize) -> Program {
    let mut main = vec![Op::Create(1)];
    main.extend((0..ours).map(|_| Op::Load(0)));
    main.push(Op::Join(1));
    vec![main, vec![Op::Store(0, 1); theirs]]
}

fn two_created(accesses: usize) -> Program {
    let created = vec![Op::Store(0, 1); accesses];
    vec![vec![Op::Create(1), Op::Create(2), Op::Join(1), Op::Join(2)], created.clone(), created]
}

fn choose(n: usize, k: usize) -> usize {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

fn counted(runs: &[Run]) -> usize {
    runs.iter().filter(|run| run.counts == Counts::Once).count()
}

/// The runs are exactly the executions of the oracle, fewer preemptions first.
fn assert_same(program: &Program, bound: Option<u32>, runs: &[Run], expected: &BTreeMap<Vec<Decision>, Outcome>) {
    let mut seen = BTreeSet::new();
    let mut last = 0;
    for run in runs {
        assert!(seen.insert(&run.schedule), "run twice under {bound:?}: {program:?} {:?}", run.schedule);
        let Some(outcome) = expected.get(&run.schedule) else {
            panic!("not an execution under {bound:?}: {program:?} {:?}", run.schedule);
        };
        assert_eq!((run.ending, run.memory), (outcome.ending, outcome.memory), "{program:?} {:?}", run.schedule);
        assert_eq!(run.preemptions, bound.map(|_| outcome.preemptions), "{program:?} {:?}", run.schedule);
        assert_eq!(run.counts, Counts::Once);
        if bound.is_some() {
            assert!(last <= outcome.preemptions, "rounds out of order: {program:?}");
            last = outcome.preemptions;
        }
    }
    let missing: Vec<_> = expected.keys().filter(|schedule| !seen.contains(schedule)).collect();
    assert!(missing.is_empty(), "not run under {bound:?}: {program:?} {missing:?}");
}

fn within(all: &BTreeMap<Vec<Decision>, Outcome>, bound: Option<u32>) -> BTreeMap<Vec<Decision>, Outcome> {
    let fits = |outcome: &Outcome| bound.is_none_or(|bound| outcome.preemptions <= bound);
    all.iter()
        .filter(|(_, outcome)| fits(outcome))
        .map(|(schedule, outcome)| (schedule.clone(), outcome.clone()))
        .collect()
}

#[test]
fn one_created_thread_gives_binomial_counts() {
    for ours in 0..=5 {
        for theirs in 0..=5 {
            let program = two_threads(ours, theirs);
            let runs = explore(&program, None);
            assert_eq!(counted(&runs), choose(ours + theirs, theirs), "{ours} and {theirs} accesses");
            let expected = oracle::executions(&program, None, usize::MAX).expect("no limit");
            assert_same(&program, None, &runs, &expected);
        }
    }
}

#[test]
fn two_created_threads_give_5_19_69() {
    for (accesses, count) in [(1, 5), (2, 19), (3, 69)] {
        let program = two_created(accesses);
        let expected = oracle::executions(&program, None, usize::MAX).expect("no limit");
        assert_eq!(expected.len(), count, "the oracle");
        assert_eq!(counted(&explore(&program, None)), count);
    }
}

#[test]
fn random_programs_have_the_schedules_of_the_enumeration() {
    let (mut programs, mut executions, mut deadlocks) = (0, 0, 0);
    let mut random = Random(1);
    while programs < 300 {
        let program = random::plain(&mut random);
        let Some(all) = oracle::executions(&program, None, 1500) else {
            // Too many without a bound; the first bounds will do.
            for bound in [0, 1] {
                if let Some(expected) = oracle::executions(&program, Some(bound), 1500) {
                    assert_same(&program, Some(bound), &explore(&program, Some(bound)), &expected);
                }
            }
            continue;
        };
        programs += 1;
        executions += all.len();
        deadlocks += all.values().filter(|outcome| outcome.ending == Ending::Deadlock).count();
        for bound in BOUNDS {
            assert_same(&program, bound, &explore(&program, bound), &within(&all, bound));
        }
    }
    assert!(executions > 30_000 && deadlocks > 300, "too easy: {executions} executions, {deadlocks} deadlocks");
}

#[test]
fn locks_in_opposite_order_deadlock_at_one_preemption() {
    let body = |first, second| vec![Op::Lock(first), Op::Lock(second), Op::Unlock(second), Op::Unlock(first)];
    let program = vec![vec![Op::Create(1), Op::Create(2), Op::Join(1), Op::Join(2)], body(0, 1), body(1, 0)];
    let deadlocks = |bound| {
        let runs = explore(&program, bound);
        runs.iter().filter(|run| run.ending == Ending::Deadlock).map(|run| run.preemptions).collect::<Vec<_>>()
    };
    assert_eq!(deadlocks(Some(0)), []);
    let at_one = deadlocks(Some(1));
    assert!(!at_one.is_empty() && at_one.iter().all(|&preemptions| preemptions == Some(1)));
    assert!(!deadlocks(None).is_empty());
}

#[test]
fn yielding_is_free_and_only_until_the_next_event() {
    let yields = vec![vec![Op::Create(1), Op::Yield, Op::Store(0, 1), Op::Store(0, 1)], vec![Op::Load(0)]];
    let outcomes: Vec<_> = explore(&yields, Some(0)).into_iter().map(|run| run.schedule).collect();
    let events = |threads: &[usize]| threads.iter().map(|&thread| Decision::Event(thread)).collect::<Vec<_>>();
    assert_eq!(outcomes.len(), 2);
    assert!(outcomes.contains(&events(&[0, 0, 0, 1])) && outcomes.contains(&events(&[0, 1, 0, 0])));
}

/// How many executions with exactly 0, 1, … `bound` preemptions three threads have: main creates two of `accesses`,
/// does as many itself and joins both. By counting paths through the states, not by enumerating them.
fn count_paths(accesses: usize, bound: usize) -> Vec<u64> {
    type State = ([usize; 3], usize);
    let ends = [accesses + 4, accesses, accesses];
    let can = |at: [usize; 3], thread: usize| match thread {
        0 if at[0] == accesses + 2 => at[1] == ends[1],
        0 if at[0] == accesses + 3 => at[2] == ends[2],
        0 => at[0] < ends[0],
        _ => at[0] >= thread && at[thread] < ends[thread],
    };
    let mut layer: BTreeMap<State, Vec<u64>> = BTreeMap::new();
    layer.entry(([0; 3], 0)).or_insert_with(|| vec![0; bound + 1])[0] = 1;
    for _ in 0..ends.iter().sum() {
        let mut after: BTreeMap<State, Vec<u64>> = BTreeMap::new();
        for ((at, current), counts) in &layer {
            for thread in (0..3).filter(|&thread| can(*at, thread)) {
                let preempts = usize::from(thread != *current && can(*at, *current));
                let mut at = *at;
                at[thread] += 1;
                let into = after.entry((at, thread)).or_insert_with(|| vec![0; bound + 1]);
                for k in 0..=bound - preempts {
                    into[k + preempts] += counts[k];
                }
            }
        }
        layer = after;
    }
    (0..=bound).map(|k| layer.values().map(|counts| counts[k]).sum()).collect()
}

#[test]
fn three_threads_of_six_accesses_at_bound_three_are_as_many_as_paths() {
    let mut main = vec![Op::Create(1), Op::Create(2)];
    main.extend([Op::Store(0, 1); 6]);
    main.extend([Op::Join(1), Op::Join(2)]);
    let program = vec![main, vec![Op::Load(0); 6], vec![Op::Exchange(0, 2); 6]];
    let expected = count_paths(6, 3);
    let runs = explore(&program, Some(3));
    for (k, &count) in (0..).zip(&expected) {
        assert_eq!(runs.iter().filter(|run| run.preemptions == Some(k)).count() as u64, count, "{k} preemptions");
    }
    assert_eq!(counted(&runs) as u64, expected.iter().sum::<u64>());
    let distinct: BTreeSet<&[Thread]> = runs.iter().map(|run| run.threads.as_slice()).collect();
    assert_eq!(distinct.len(), runs.len());
    assert!(runs.len() > 4000);
}

#[test]
fn path_counting_agrees_with_the_enumeration() {
    let program = |accesses: usize| {
        let own = vec![Op::Load(0); accesses];
        let main = [vec![Op::Create(1), Op::Create(2)], own.clone(), vec![Op::Join(1), Op::Join(2)]].concat();
        vec![main, own.clone(), own]
    };
    for accesses in 1..=2 {
        let all = oracle::executions(&program(accesses), None, usize::MAX).expect("no limit");
        for (k, &count) in (0..).zip(&count_paths(accesses, 4)) {
            assert_eq!(all.values().filter(|outcome| outcome.preemptions == k).count() as u64, count);
        }
    }
}
