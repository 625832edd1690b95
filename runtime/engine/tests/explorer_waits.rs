//! The explorer `bounded` on programs with wait loops: executions that differ only in iterations without effect count
//! once, against an independent search for the reduced executions.

mod programs;

use std::collections::{BTreeMap, BTreeSet};

use engine::execution::Ending;
use engine::explore::Counts;
use programs::oracle::{Class, Reduced, classes};
use programs::random::{self, Random};
use programs::{Op, Program, Run, Until, explore};

/// Each reduced execution with at most `bound` preemptions has exactly one representative that counts, no other has
/// one. The number of classes. (Where an iteration can block in its middle, a class may be counted under a higher bound
/// than that of its cheapest member.)
fn check(program: &Program, bound: Option<u32>, all: &BTreeMap<Reduced, Class>) -> usize {
    let mut seen: BTreeMap<Reduced, &Run> = BTreeMap::new();
    let runs = explore(program, bound);
    let exact = bound.is_none() || !locks_within(program);
    let context = |run: &Run| format!("under {bound:?}: {program:?}\n{:?}\n{run:?}", run.schedule);
    for run in &runs {
        let class = Reduced::of(run);
        let Some(&expected) = all.get(&class) else { panic!("not an execution {}", context(run)) };
        assert_eq!(run.ending, expected.ending, "{}", context(run));
        if run.counts == Counts::AsAnother {
            continue;
        }
        assert!(expected.counts, "begins while waiting {}", context(run));
        if let Some(preemptions) = run.preemptions.filter(|_| exact) {
            assert_eq!(preemptions, expected.preemptions, "not its cheapest {}", context(run));
        }
        if let Some(before) = seen.insert(class, run) {
            panic!("counted twice {}\nand\n{}", context(run), context(before));
        }
    }
    let to_count = |class: &Class| class.counts && bound.is_none_or(|bound| class.preemptions <= bound);
    if bound.is_none() {
        let run: BTreeSet<Reduced> = runs.iter().map(Reduced::of).collect();
        let missed = all.keys().find(|class| !run.contains(class));
        assert_eq!(missed, None, "no member is run: {program:?}");
    }
    for (reduced, class) in all {
        let member = || runs.iter().find(|run| Reduced::of(run) == *reduced);
        let seen = seen.contains_key(reduced);
        assert!(
            if exact { seen == to_count(class) } else { !seen || to_count(class) },
            "{class:?} under {bound:?}: {program:?}\n{reduced:?}\n{:?}",
            member()
        );
    }
    all.values().filter(|class| to_count(class)).count()
}

/// Whether a wait loop locks a mutex after another event of its iteration.
fn locks_within(program: &Program) -> bool {
    program.iter().any(|code| {
        code.iter().enumerate().any(|(end, op)| match op {
            Op::Back(length, _) => code[end - length + 1..end].iter().any(|op| matches!(op, Op::Lock(_))),
            _ => false,
        })
    })
}

/// The number of reduced executions without a bound.
fn check_all(program: &Program) -> usize {
    let all = classes(program);
    for bound in 0..=3 {
        check(program, Some(bound), &all);
    }
    check(program, None, &all)
}

fn created(threads: &[&[Op]]) -> Program {
    let numbers = 1..=u8::try_from(threads.len()).expect("few threads");
    let main = numbers.clone().map(Op::Create).chain(numbers.map(Op::Join)).collect();
    std::iter::once(main).chain(threads.iter().map(|code| code.to_vec())).collect()
}

fn until(location: u8, value: u8) -> [Op; 2] {
    [Op::Load(location), Op::Back(1, Until::Is(value))]
}

const BOTH_SET: [Op; 3] = [Op::Load(0), Op::Load(1), Op::Back(2, Until::AllSet)];

#[test]
fn a_flag_is_waited_for_once() {
    // Main waits itself: create, the store, the load that succeeds.
    let main = [&[Op::Create(1)][..], &until(0, 1), &[Op::Join(1)]].concat();
    assert_eq!(check_all(&vec![main, vec![Op::Store(0, 1)]]), 1);
    // With an event after the store, it falls before or after the load.
    let main = [&[Op::Create(1)][..], &until(0, 1)].concat();
    assert_eq!(check_all(&vec![main, vec![Op::Store(0, 1), Op::Load(1)]]), 2);
    // Set and taken back: between the two, or waiting for ever.
    let main = [&[Op::Create(1)][..], &until(0, 1)].concat();
    assert_eq!(check_all(&vec![main, vec![Op::Store(0, 1), Op::Store(0, 0)]]), 2);
}

#[test]
fn two_waiters_and_hand_shakes() {
    check_all(&created(&[&until(0, 1), &until(0, 1), &[Op::Store(1, 1), Op::Store(0, 1)]]));
    let ping = [&[Op::Store(0, 1)][..], &until(1, 1), &[Op::Store(0, 2)]].concat();
    let pong = [&until(0, 1)[..], &[Op::Store(1, 1)], &until(0, 2)].concat();
    check_all(&created(&[&ping, &pong]));
    // Woken by a value that is not the one waited for.
    let counts = [Op::Store(0, 1), Op::Store(0, 2), Op::Store(1, 1)];
    check_all(&created(&[&[&[Op::Load(1)][..], &until(0, 2)].concat(), &counts]));
    check_all(&created(&[&until(0, 2), &until(0, 1), &counts]));
}

#[test]
fn locks_out_of_wait_loops() {
    let test_and_set = [Op::Exchange(0, 1), Op::Back(1, Until::Is(0)), Op::Load(1), Op::Store(1, 1), Op::Store(0, 0)];
    let ticket =
        [Op::Increment(0), Op::Load(1), Op::Back(1, Until::IsRegister), Op::Load(2), Op::Store(2, 1), Op::Increment(1)];
    // In either order.
    assert!(check_all(&created(&[&test_and_set, &test_and_set])) >= 2);
    assert!(check_all(&created(&[&ticket, &ticket])) >= 2);
    let three = created(&[&ticket[..3], &ticket, &ticket]);
    check(&three, Some(1), &classes(&three));
    let three = created(&[&test_and_set[..2], &test_and_set, &test_and_set]);
    check(&three, Some(1), &classes(&three));
}

#[test]
fn loops_over_two_variables() {
    let sets = [Op::Store(0, 1), Op::Store(1, 1)];
    let main = [&[Op::Create(1)][..], &BOTH_SET].concat();
    // a=1 before the load of a, b=1 before the load of b: a b ra rb, a ra b rb.
    assert_eq!(check_all(&vec![main, sets.to_vec()]), 2);
    check_all(&created(&[&BOTH_SET, &sets]));
    check_all(&created(&[&BOTH_SET, &[Op::Store(1, 1), Op::Store(0, 1), Op::Store(1, 0), Op::Store(1, 1)]]));
    let same = [Op::Load(2), Op::Load(0), Op::Load(1), Op::Back(2, Until::Same)];
    check_all(&created(&[&same, &sets]));
    check_all(&created(&[&BOTH_SET, &sets, &[Op::Load(0)]]));
}

#[test]
fn a_wait_that_never_ends_is_a_livelock_and_counts_once() {
    let forever = created(&[&until(0, 1), &[Op::Store(1, 1), Op::Store(1, 2)]]);
    let runs = explore(&forever, None);
    assert!(runs.iter().all(|run| run.ending == Ending::Livelock));
    check_all(&forever);
    check_all(&created(&[&until(0, 1), &until(0, 1), &[Op::Store(1, 1)]]));
    // Woken once more, to wait for ever.
    check_all(&created(&[&until(0, 2), &[Op::Store(0, 1), Op::Store(1, 2)]]));
    check_all(&created(&[&[&[Op::Load(1)][..], &until(0, 2)].concat(), &[Op::Store(0, 1), Op::Load(1)]]));
    check_all(&created(&[&BOTH_SET, &BOTH_SET, &[Op::Store(0, 1)]]));
}

#[test]
fn yields_around_wait_loops() {
    let after = [Op::Load(1), Op::Load(0), Op::Yield, Op::Back(2, Until::Is(1))];
    let before = [Op::Load(1), Op::Yield, Op::Load(0), Op::Back(1, Until::Is(1))];
    let within = [Op::Load(2), Op::Load(0), Op::Yield, Op::Load(1), Op::Back(3, Until::AllSet)];
    let twice = [Op::Load(2), Op::Yield, Op::Load(0), Op::Yield, Op::Load(1), Op::Back(3, Until::AllSet)];
    for code in [&after[..], &before, &within, &twice] {
        check_all(&created(&[code, &[Op::Store(0, 1), Op::Store(1, 1)]]));
        check_all(&created(&[code, &[Op::Store(1, 1)]]));
    }
}

const LOCKED_FLAG: [Op; 4] = [Op::Lock(0), Op::Load(0), Op::Unlock(0), Op::Back(3, Until::Is(1))];

#[test]
fn loops_that_lock_and_unlock_or_try_to() {
    let set = [Op::Lock(0), Op::Store(0, 1), Op::Unlock(0)];
    // Main sets the flag before the waiter's first event.
    let program = created(&[&LOCKED_FLAG]);
    let sets = |program: &Program| [&program[0][..1], &set, &program[0][1..]].concat();
    // The three events of the one before, or after, those of the other that succeed, whatever failed: and the event
    // of the waiter before all that, which main's may all come before.
    assert_eq!(check_all(&vec![sets(&program), program[1].clone()]), 1);
    check_all(&created(&[&LOCKED_FLAG, &set]));
    check_all(&created(&[&LOCKED_FLAG, &LOCKED_FLAG, &set]));
    check_all(&created(&[&LOCKED_FLAG, &[&set[..], &[Op::TryLock(0)]].concat()]));
    check_all(&created(&[&LOCKED_FLAG, &[Op::Store(1, 1)]]));
    // The holder looks for the flag while it holds the mutex.
    check_all(&created(&[&LOCKED_FLAG, &[&[Op::TryLock(0), Op::SkipIf(0, 2)][..], &set[1..]].concat()]));
    let tries = [Op::TryLock(0), Op::Back(1, Until::Is(1)), Op::Load(1), Op::Unlock(0)];
    check_all(&created(&[&tries, &[Op::Lock(0), Op::Store(1, 1), Op::Unlock(0)]]));
    check_all(&created(&[&tries, &tries]));
    check_all(&created(&[&tries, &[Op::Lock(0), Op::Store(1, 1)]]));
}

#[test]
fn loops_that_change_something_back() {
    let backs_off = [Op::Store(3, 1), Op::Load(0), Op::LeaveIf(1, 2), Op::Store(3, 0), Op::Back(4, Until::Is(9))];
    check_all(&created(&[&backs_off, &[Op::Store(0, 1)]]));
    check_all(&created(&[&backs_off, &[Op::Store(0, 1), Op::Load(3)]]));
    check_all(&created(&[&backs_off, &[Op::Load(3), Op::Store(0, 1)]]));
    check_all(&created(&[&backs_off, &[Op::Store(3, 2), Op::Store(0, 1)]]));
    check_all(&created(&[&backs_off, &[Op::Store(1, 2)]]));
}

#[test]
fn loops_that_come_back_after_several_rounds() {
    let toggles = [Op::Load(0), Op::LeaveIf(1, 2), Op::Load(1), Op::Back(3, Until::Is(1))];
    let sets = [Op::Store(0, 1), Op::Store(1, 1)];
    check_all(&created(&[&toggles, &sets]));
    check_all(&created(&[&toggles, &sets[1..]]));
    check_all(&created(&[&toggles, &toggles, &sets[..1]]));
    check_all(&created(&[&toggles, &[Op::Store(2, 1)]]));
    let thrice =
        [&[Op::Load(0), Op::LeaveIf(1, 5), Op::Yield][..], &toggles[..3], &[Op::Back(6, Until::Is(1))]].concat();
    check_all(&created(&[&thrice, &sets]));
}

#[test]
fn random_programs_that_poll_count_each_reduced_execution_once() {
    let mut random = Random(3);
    let (mut programs, mut reduced) = (0, 0);
    while programs < 500 {
        let program = random::polling(&mut random);
        let events: usize = program.iter().map(Vec::len).sum();
        if events > 15 || look_at_passing_changes(&program) {
            continue;
        }
        programs += 1;
        reduced += check_all(&program);
    }
    assert!(reduced > 10_000, "too easy: {reduced} reduced executions");
}

/// Whether a wait loop looks at what another one changes in passing.
fn look_at_passing_changes(program: &Program) -> bool {
    let loops = |code: &[Op]| -> Vec<Op> {
        let backs = code.iter().enumerate().filter_map(|(end, op)| match op {
            Op::Back(length, _) => Some(&code[end - length..end]),
            _ => None,
        });
        backs.flatten().copied().collect()
    };
    let all: Vec<Vec<Op>> = program.iter().map(|code| loops(code)).collect();
    all.iter().enumerate().any(|(one, changing)| {
        let others = all.iter().enumerate().filter(|&(other, _)| other != one).flat_map(|(_, ops)| ops);
        others.into_iter().any(|other| {
            changing.iter().any(|op| match (*op, *other) {
                (Op::Lock(a) | Op::TryLock(a), Op::TryLock(b))
                | (Op::Store(a, _), Op::Load(b) | Op::Store(b, _) | Op::Exchange(b, _)) => a == b,
                _ => false,
            })
        })
    })
}

#[test]
fn random_programs_count_each_reduced_execution_once() {
    let mut random = Random(2);
    let (mut programs, mut reduced) = (0, 0);
    while programs < 2500 {
        let program = random::waiting(&mut random);
        let events: usize = program.iter().map(Vec::len).sum();
        if events > 13 {
            continue;
        }
        programs += 1;
        reduced += check_all(&program);
    }
    assert!(reduced > 40_000, "too easy: {reduced} reduced executions");
}
