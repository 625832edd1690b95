//! Running executions again: nondeterminism is noticed, an execution that is repeated is not counted twice, a schedule
//! can be replayed.

mod programs;

use std::collections::BTreeSet;

use engine::execution::{Ending, Execution, NotANumbering};
use engine::explore::bounded::Bounded;
use engine::explore::replay::Replay;
use engine::explore::{Counts, Finish};
use programs::random::{self, Random};
use programs::{Decision, Interpreter, Op, Program, Run, Until, explore, run_all};

/// All executions, the one with the index `changed` of the second program; whether a divergence was noticed, up to
/// which the runs are.
fn explore_changing(usual: &Program, other: &Program, changed: usize, bound: Option<u32>) -> (Vec<Run>, bool) {
    let mut execution = Execution::new(Box::new(Bounded::new(bound)));
    let mut runs = Vec::new();
    while execution.begin() {
        let program = if runs.len() == changed { other } else { usual };
        let run = Interpreter::run(program, &mut execution);
        let diverged = run.ending == Ending::Diverged;
        assert_eq!(diverged, execution.history.divergence().is_some());
        let noticed = diverged || execution.strayed().is_some();
        execution.finish(Finish::Done);
        runs.push(run);
        if noticed {
            return (runs, true);
        }
    }
    (runs, false)
}

fn three_threads() -> Program {
    vec![
        vec![Op::Create(1), Op::Create(2), Op::Load(0), Op::Join(1), Op::Join(2)],
        vec![Op::Store(0, 1), Op::Choose(2), Op::StoreRegister(1)],
        vec![Op::Lock(0), Op::Exchange(0, 2), Op::Unlock(0)],
    ]
}

/// The program with something else in one place.
fn changes(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for thread in 0..program.len() {
        for at in 0..program[thread].len() {
            let mut change = |edit: &dyn Fn(&mut Vec<Op>)| {
                let mut changed = program.clone();
                edit(&mut changed[thread]);
                all.push(changed);
            };
            change(&|code| code.insert(at, Op::Load(3)));
            match program[thread][at] {
                Op::Create(_) | Op::Join(_) | Op::Lock(_) | Op::Unlock(_) => {}
                Op::Choose(_) => change(&|code| code[at] = Op::Choose(3)),
                _ => {
                    change(&|code| code[at] = Op::Load(2));
                    change(&|code| {
                        code.remove(at);
                    });
                }
            }
        }
    }
    all
}

fn same_until(one: &[Decision], other: &[Decision]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// What the engine can know: who did which operation, and what it chose.
fn seen(program: &Program, run: &Run, length: usize) -> Vec<(Decision, Option<Op>)> {
    let mut next = vec![0; program.len()];
    let mut seen = Vec::new();
    for &decision in run.schedule.iter().take(length) {
        let op = match decision {
            Decision::Value(_) => None,
            Decision::Event(thread) => {
                while matches!(program[thread][next[thread]], Op::Choose(_)) {
                    next[thread] += 1;
                }
                next[thread] += 1;
                Some(program[thread][next[thread] - 1])
            }
        };
        seen.push((decision, op));
    }
    seen
}

#[test]
fn another_operation_at_the_start_of_the_third_execution_is_noticed() {
    let usual = three_threads();
    let mut other = usual.clone();
    other[0].insert(0, Op::Load(3));
    for bound in [None, Some(0), Some(1), Some(2)] {
        let (runs, noticed) = explore_changing(&usual, &other, 2, bound);
        assert!(noticed && runs.len() == 3, "under {bound:?}");
    }
}

#[test]
fn a_decision_that_is_not_to_be_made_again_is_noticed() {
    let usual = vec![vec![Op::Create(1), Op::Load(0)], vec![Op::Store(0, 1)]];
    let other = vec![vec![Op::Create(1), Op::Load(0)], vec![]];
    // In round 1 it is not known before the end where the decision was to be made.
    for (bound, index) in [(None, 1), (Some(1), 2)] {
        let mut execution = Execution::new(Box::new(Bounded::new(bound)));
        assert!(execution.begin());
        assert_eq!(Interpreter::run(&usual, &mut execution).ending, Ending::Complete);
        execution.finish(Finish::Done);
        assert!(execution.begin());
        assert_eq!(Interpreter::run(&other, &mut execution).ending, Ending::Diverged);
        assert_eq!(execution.history.divergence().map(|(index, _)| index), Some(index), "under {bound:?}");
    }
}

#[test]
fn what_differs_before_the_first_new_decision_is_noticed() {
    let usual = three_threads();
    let (mut noticed_at_once, mut missed) = (0, 0);
    for bound in [None, Some(0), Some(1), Some(2)] {
        let expected = explore(&usual, bound);
        for other in changes(&usual) {
            for changed in 1..expected.len().min(40) {
                let (before, after) = (&expected[changed - 1], &expected[changed]);
                let shared = same_until(&before.schedule, &after.schedule);
                let (runs, noticed) = explore_changing(&usual, &other, changed, bound);
                if noticed && runs.len() == changed + 1 {
                    noticed_at_once += 1;
                    continue;
                }
                let run = &runs[changed];
                assert_eq!(
                    seen(&other, run, shared),
                    seen(&usual, after, shared),
                    "not noticed under {bound:?}: {other:?} {run:?}"
                );
                if run.schedule.get(shared) != after.schedule.get(shared) {
                    missed += 1;
                }
            }
        }
    }
    assert!(noticed_at_once > 500, "too easy: {noticed_at_once}");
    assert_eq!(missed, 0, "the new decision was not taken, unnoticed");
}

#[test]
fn repeated_executions_are_neither_lost_nor_counted_twice() {
    let mut random = Random(3);
    let mut executions = 0;
    for number in 0..200 {
        let program = if number % 2 == 0 { random::waiting(&mut random) } else { random::plain(&mut random) };
        for bound in [Some(0), Some(1), Some(2)] {
            let expected = explore(&program, bound);
            if expected.len() > 500 {
                break;
            }
            let got = run_all(&program, Box::new(Bounded::new(bound)), || random.below(3) == 0);
            let what = |runs: &[Run]| {
                runs.iter().map(|run| (run.schedule.clone(), run.counts, run.preemptions)).collect::<Vec<_>>()
            };
            assert_eq!(what(&got), what(&expected), "{program:?}");
            executions += expected.len();
        }
    }
    assert!(executions > 5000, "too easy: {executions}");
}

/// The execution with this schedule, threads numbered as given.
fn replay(program: &Program, run: &Run, paths: &[Vec<u32>]) -> Run {
    let mut execution = Execution::new(Box::new(Replay::new(run.threads.clone(), run.choices.clone())));
    execution.state.threads.number(paths).expect("as another execution numbered them");
    assert!(execution.begin());
    let again = Interpreter::run(program, &mut execution);
    execution.finish(Finish::Done);
    assert!(!execution.begin(), "one execution only");
    again
}

fn explore_with_paths(program: &Program, bound: Option<u32>) -> (Vec<Run>, Vec<Vec<u32>>) {
    let mut execution = Execution::new(Box::new(Bounded::new(bound)));
    let mut runs = Vec::new();
    while execution.begin() {
        runs.push(Interpreter::run(program, &mut execution));
        execution.finish(Finish::Done);
    }
    (runs, execution.state.threads.paths().map(<[u32]>::to_vec).collect())
}

#[test]
fn each_schedule_is_replayed() {
    let nested = vec![
        vec![Op::Create(1), Op::Create(3), Op::Join(1)],
        vec![Op::Create(2), Op::Store(0, 1), Op::Choose(3), Op::StoreRegister(1), Op::Join(2)],
        vec![Op::Load(0), Op::Back(1, Until::Is(1)), Op::Yield, Op::Load(1)],
        vec![Op::Create(4), Op::Lock(0), Op::Unlock(0)],
        vec![Op::Lock(0), Op::Store(1, 1), Op::Unlock(0)],
    ];
    let mut random = Random(4);
    let mut all = vec![nested, three_threads()];
    all.extend((0..40).map(|_| random::waiting(&mut random)));
    all.extend((0..40).map(|_| random::plain(&mut random)));
    let mut replayed = 0;
    for program in &all {
        let (runs, paths) = explore_with_paths(program, Some(1));
        for run in runs.iter().take(200) {
            let again = replay(program, run, &paths);
            assert_eq!(again.schedule, run.schedule, "{program:?}");
            assert_eq!((again.ending, again.memory), (run.ending, run.memory), "{program:?}");
            assert_eq!((&again.threads, &again.choices), (&run.threads, &run.choices), "{program:?}");
            replayed += 1;
        }
    }
    assert!(replayed > 1000, "too easy: {replayed}");
}

#[test]
fn a_replay_may_run_again() {
    let program = three_threads();
    let (runs, _) = explore_with_paths(&program, Some(1));
    for run in &runs {
        let mut repeats = [true, true, false].into_iter();
        let strategy = Box::new(Replay::new(run.threads.clone(), run.choices.clone()));
        let again = run_all(&program, strategy, || repeats.next().expect("it ends"));
        assert_eq!(again.len(), 1);
        assert_eq!(again[0].schedule, run.schedule);
    }
}

#[test]
fn a_schedule_that_does_not_fit_diverges() {
    let program = three_threads();
    let (runs, paths) = explore_with_paths(&program, Some(1));
    let schedules: BTreeSet<_> = explore(&program, None).into_iter().map(|run| (run.threads, run.choices)).collect();
    let (mut diverged, mut other) = (0, 0);
    for run in &runs {
        for at in 1..run.threads.len() {
            let mut wrong = run.clone();
            wrong.threads.swap(at - 1, at);
            let again = replay(&program, &wrong, &paths);
            if schedules.contains(&(wrong.threads.clone(), wrong.choices.clone())) {
                assert_eq!((again.ending, again.threads), (Ending::Complete, wrong.threads));
                other += 1;
            } else {
                assert_eq!(again.ending, Ending::Diverged, "{wrong:?} became {again:?}");
                diverged += 1;
            }
        }
        let mut wrong = run.clone();
        wrong.choices = vec![2];
        assert_eq!(replay(&program, &wrong, &paths).ending, Ending::Diverged);
    }
    assert!(diverged > 20 && other > 20, "too easy: {diverged} {other}");
}

#[test]
fn numbers_of_threads_are_kept() {
    let program = vec![
        vec![Op::Create(1), Op::Create(2), Op::Join(1), Op::Join(2)],
        vec![Op::Create(3), Op::Load(0)],
        vec![Op::Create(4), Op::Load(0)],
        vec![Op::Store(0, 1)],
        vec![Op::Store(0, 2)],
    ];
    let (runs, paths) = explore_with_paths(&program, Some(2));
    // The same thread of the program has the same number in each execution.
    let mut numbers = vec![BTreeSet::new(); program.len()];
    for run in &runs {
        let threads = run.schedule.iter().map(|decision| match decision {
            Decision::Event(thread) => *thread,
            Decision::Value(_) => unreachable!("no choices"),
        });
        for (thread, number) in threads.zip(&run.threads) {
            numbers[thread].insert(number.index());
        }
    }
    assert!(numbers.iter().all(|numbers| numbers.len() == 1));
    let mut sorted = paths.clone();
    sorted.sort();
    assert_eq!(sorted, [vec![], vec![0], vec![0, 0], vec![1], vec![1, 0]]);
    // Whoever is created first, the numbers are those given.
    let given = [vec![], vec![0], vec![1], vec![1, 0], vec![0, 0]];
    let mut execution = Execution::new(Box::new(Bounded::new(Some(1))));
    execution.state.threads.number(&given).expect("a numbering");
    while execution.begin() {
        Interpreter::run(&program, &mut execution);
        execution.finish(Finish::Done);
    }
    assert_eq!(execution.state.threads.paths().collect::<Vec<_>>(), given);
    for wrong in [vec![], vec![vec![0]], vec![vec![], vec![1]], vec![vec![], vec![0, 0]], vec![vec![], vec![]]] {
        let mut execution = Execution::new(Box::new(Bounded::new(None)));
        assert_eq!(execution.state.threads.number(&wrong), Err(NotANumbering), "{wrong:?}");
    }
}

#[test]
fn what_does_not_count_is_run_all_the_same() {
    let program =
        vec![vec![Op::Create(1), Op::Load(0), Op::Back(1, Until::Is(1))], vec![Op::Store(0, 1), Op::Store(1, 1)]];
    let runs = explore(&program, None);
    assert!(runs.iter().any(|run| run.counts == Counts::AsAnother));
}
