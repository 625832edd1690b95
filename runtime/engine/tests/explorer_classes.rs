//! The explorer `dpor`: exactly one execution of each Mazurkiewicz class, against all executions.

mod between;
mod programs;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use between::{Behind, Between};
use engine::execution::Ending;
use engine::explore::trust::Trust;
use engine::explore::{Counts, Rounds, Start, Strategy};
use programs::mazurkiewicz::{Class, class, reduced};
use programs::random::{self, Random};
use programs::{Op, Program, Run, Until, explore, explore_classes, explore_classes_within, run_all};

/// Compares the sets of classes; their number.
fn check(program: &Program) -> usize {
    let mut seen: BTreeMap<Class, Run> = BTreeMap::new();
    for run in explore_classes(program) {
        let class = class(program, &run);
        if let Some(before) = seen.get(&class) {
            panic!("a class twice: {program:?}\n{:?}\n{:?}", before.schedule, run.schedule);
        }
        seen.insert(class, run);
    }
    let all: BTreeMap<Class, Run> = explore(program, None).into_iter().map(|run| (class(program, &run), run)).collect();
    for (class, run) in &all {
        assert!(seen.contains_key(class), "a class is missing: {program:?}\n{:?}", run.schedule);
        assert_eq!(seen[class].ending, run.ending, "{program:?}\n{:?}", run.schedule);
    }
    assert_eq!(seen.len(), all.len(), "not a class: {program:?}");
    all.len()
}

/// Compares the classes that count with those of all executions with at most so many preemptions; how many executions
/// were run, and how many classes there are.
fn check_within(program: &Program, preemptions: u32) -> (usize, usize) {
    let runs = explore_classes_within(program, Some(preemptions));
    let mut counted = BTreeSet::new();
    for run in runs.iter().filter(|run| run.counts == Counts::Once) {
        assert!(counted.insert(class(program, run)), "a class twice: {program:?}\n{:?}", run.schedule);
    }
    let all = explore(program, Some(preemptions));
    for run in &all {
        let class = class(program, run);
        assert!(counted.contains(&class), "missing at {preemptions}: {program:?}\n{:?}", run.schedule);
    }
    let all: BTreeSet<Class> = all.iter().map(|run| class(program, run)).collect();
    let beyond = runs.iter().find(|run| run.counts == Counts::Once && !all.contains(&class(program, run)));
    assert!(beyond.is_none(), "not within {preemptions}: {program:?}\n{beyond:?}");
    (runs.len(), all.len())
}

#[test]
fn random_programs_within_a_bound_on_preemptions() {
    let mut random = Random(5);
    let mut programs = 0;
    while programs < 500 {
        let program = random::plain(&mut random);
        if programs::oracle::executions(&program, None, 3000).is_none() {
            continue;
        }
        programs += 1;
        let counts: Vec<usize> = (0..4).map(|bound| check_within(&program, bound).1).collect();
        assert!(counts.is_sorted(), "{program:?} {counts:?}");
    }
}

/// With wait loops: every class within the bound is run, and of those that differ only in iterations without effect one
/// counts at most: that without them, if it is within the bound itself.
#[test]
fn random_programs_with_wait_loops_within_a_bound_on_preemptions() {
    let mut random = Random(6);
    let mut programs = 0;
    while programs < 1000 {
        let program = random::waiting(&mut random);
        if program.iter().map(Vec::len).sum::<usize>() > 12 {
            continue;
        }
        programs += 1;
        for bound in 0..3 {
            let runs = explore_classes_within(&program, Some(bound));
            let all = explore(&program, Some(bound));
            let ran: BTreeSet<Class> = runs.iter().map(|run| class(&program, run)).collect();
            for run in &all {
                assert!(ran.contains(&class(&program, run)), "missing at {bound}: {program:?}\n{:?}", run.schedule);
            }
            let expected: BTreeSet<Class> = all.iter().map(|run| reduced(&program, run)).collect();
            let mut counted = BTreeSet::new();
            for run in runs.iter().filter(|run| run.counts == Counts::Once) {
                assert!(counted.insert(reduced(&program, run)), "counted twice: {program:?}\n{:?}", run.schedule);
            }
            assert!(counted.is_subset(&expected), "not within {bound}: {program:?}");
        }
    }
}

/// Where iterations change something in passing, not every class of them is run; the bound takes none away.
#[test]
fn random_programs_that_poll_within_a_bound_on_preemptions() {
    let mut random = Random(7);
    let mut programs = 0;
    while programs < 500 {
        let program = random::polling(&mut random);
        if program.iter().map(Vec::len).sum::<usize>() > 12 {
            continue;
        }
        programs += 1;
        let without: BTreeSet<Class> = explore_classes(&program).iter().map(|run| class(&program, run)).collect();
        for bound in 0..3 {
            let runs = explore_classes_within(&program, Some(bound));
            let ran: BTreeSet<Class> = runs.iter().map(|run| class(&program, run)).collect();
            for run in explore(&program, Some(bound)) {
                let class = class(&program, &run);
                let taken = without.contains(&class) && !ran.contains(&class);
                assert!(!taken, "missing at {bound}: {program:?}\n{:?}", run.schedule);
            }
        }
    }
}

/// What lies beyond the bound is not run, but for little.
#[test]
fn a_bound_on_preemptions_saves_executions() {
    for (bound, most) in [(0, 100), (1, 500), (2, 2000)] {
        let (ran, classes) = check_within(&sbloop(5), bound);
        assert!(classes < ran && ran < most, "{ran} for {classes}");
    }
}

fn created(threads: &[Vec<Op>]) -> Program {
    let numbers = 1..=u8::try_from(threads.len()).expect("few threads");
    let main = numbers.clone().map(Op::Create).chain(numbers.map(Op::Join)).collect();
    std::iter::once(main).chain(threads.iter().cloned()).collect()
}

#[test]
fn families_of_known_size() {
    for n in 1..=5 {
        let factorial: usize = (1..=n).product();
        let to_one: Vec<_> = (0..n).map(|_| vec![Op::Store(0, 1)]).collect();
        assert_eq!(explore_classes(&created(&to_one)).len(), factorial);
        let readers: Vec<_> = (0..n).map(|_| vec![Op::Load(0)]).chain([vec![Op::Store(0, 1)]]).collect();
        assert_eq!(explore_classes(&created(&readers)).len(), 1 << n);
    }
}

#[test]
fn three_critical_sections() {
    let section = vec![Op::Lock(0), Op::Unlock(0)];
    assert_eq!(check(&created(&vec![section.clone(); 3])), 6);
}

#[test]
fn random_programs_have_the_classes_of_all_executions() {
    let mut random = Random(3);
    let (mut programs, mut classes) = (0, 0);
    while programs < 800 {
        let program = random::plain(&mut random);
        if programs::oracle::executions(&program, None, 3000).is_none() {
            continue;
        }
        programs += 1;
        classes += check(&program);
    }
    println!("{classes}");
}

fn sbloop(n: u8) -> Program {
    let thread = |own, other| (1..=n).flat_map(|i| [Op::Store(own, i), Op::Load(other)]).collect();
    created(&[thread(0, 1), thread(1, 0)])
}

#[test]
fn store_buffering_in_a_loop() {
    for (n, classes) in [(4, 1107), (5, 8953)] {
        let runs = explore_classes(&sbloop(n));
        assert_eq!(runs.len(), classes);
        let distinct: BTreeSet<_> = runs.iter().map(|run| class(&sbloop(n), run)).collect();
        assert_eq!(distinct.len(), classes);
    }
}

/// With wait loops: every class is run, and of those that differ only in iterations without effect one counts. The
/// number of those that count.
fn check_waiting(program: &Program) -> usize {
    let runs = explore_classes(program);
    let all = explore(program, None);
    let ran: BTreeSet<Class> = runs.iter().map(|run| class(program, run)).collect();
    for run in &all {
        assert!(ran.contains(&class(program, run)), "a class is missing: {program:?}\n{:?}", run.schedule);
    }
    let expected: BTreeSet<Class> = all.iter().map(|run| reduced(program, run)).collect();
    let mut counted = BTreeSet::new();
    for run in runs.iter().filter(|run| run.counts == Counts::Once) {
        assert!(counted.insert(reduced(program, run)), "counted twice: {program:?}\n{:?}", run.schedule);
    }
    for run in &all {
        let class = reduced(program, run);
        assert!(
            counted.contains(&class),
            "not counted: {program:?}\n{:?}\n{:?}",
            run.schedule,
            runs.iter().filter(|run| reduced(program, run) == class).map(|run| &run.schedule).collect::<Vec<_>>()
        );
    }
    assert_eq!(counted, expected, "{program:?}");
    counted.len()
}

#[test]
fn random_programs_with_wait_loops() {
    let mut random = Random(4);
    let (mut programs, mut classes) = (0, 0);
    while programs < 800 {
        let program = random::waiting(&mut random);
        if program.iter().map(Vec::len).sum::<usize>() > 12 {
            continue;
        }
        programs += 1;
        classes += check_waiting(&program);
    }
    println!("{classes}");
}

/// Where iterations without effect are taken back: all that counts is run, once, with the same end. How many executions
/// were run, and how many count.
fn check_taken_back(program: &Program) -> (usize, usize) {
    let runs = run_all(program, Box::new(Trust::new().behind(Rounds::Passing)), || false);
    let all = explore_classes(program);
    let mut counted: BTreeMap<Class, Ending> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.counts == Counts::Once && run.ending != Ending::Abandoned) {
        assert_ne!(run.ending, Ending::Blocked, "{program:?}\n{:?}", run.schedule);
        let before = counted.insert(reduced(program, run), run.ending);
        assert!(before.is_none(), "counted twice: {program:?}\n{:?}", run.schedule);
    }
    let counts = all.iter().filter(|run| run.counts == Counts::Once);
    let expected: BTreeMap<Class, Ending> = counts.map(|run| (reduced(program, run), run.ending)).collect();
    for (class, ending) in &expected {
        assert_eq!(counted.get(class), Some(ending), "not counted: {program:?}\n{class:?}");
    }
    assert_eq!(counted.len(), expected.len(), "{program:?}");
    (runs.len(), counted.len())
}

#[test]
fn iterations_without_effect_are_taken_back() {
    let mut random = Random(8);
    let (mut programs, mut ran, mut classes) = (0, 0, 0);
    let most: usize = std::env::var("FENCEHOUND_ROUNDS").ok().and_then(|most| most.parse().ok()).unwrap_or(1500);
    while programs < most {
        let program = if random.below(4) == 0 { random::polling(&mut random) } else { random::waiting(&mut random) };
        if program.iter().map(Vec::len).sum::<usize>() > 13 {
            continue;
        }
        programs += 1;
        let (runs, counted) = check_taken_back(&program);
        (ran, classes) = (ran + runs, classes + counted);
    }
    println!("{ran} {classes}");
}

/// Within a bound: the same classes count, and of the others that an execution within the bound comes to behind iterations
/// without effect, all are run.
fn check_taken_back_within(program: &Program, preemptions: u32) -> (usize, usize) {
    let explorer = Trust::within(Some(preemptions)).behind(Rounds::Passing);
    let runs = run_all(program, Box::new(explorer), || false);
    let all = explore_classes_within(program, Some(preemptions));
    let of = |runs: &[Run], which: fn(&Run) -> bool| -> BTreeSet<Class> {
        let chosen = runs.iter().filter(|run| !matches!(run.ending, Ending::Abandoned | Ending::Blocked) && which(run));
        chosen.map(|run| reduced(program, run)).collect()
    };
    let counted = |run: &Run| run.counts == Counts::Once;
    assert_eq!(of(&runs, counted), of(&all, counted), "at {preemptions}: {program:?}");
    assert_eq!(runs.iter().filter(|run| counted(run)).count(), of(&runs, counted).len(), "twice: {program:?}");
    let ran = of(&runs, |run| run.counts != Counts::BeyondBound);
    for run in explore(program, Some(preemptions)) {
        let class = reduced(program, &run);
        assert!(ran.contains(&class), "missing at {preemptions}: {program:?}\n{:?}", run.schedule);
    }
    (runs.len(), all.len())
}

/// A thread that waits, in an execution in which it goes on later: it stands where it stood among its thread's events.
#[test]
fn what_a_waiting_thread_would_do_stands_before_what_it_does_later() {
    let waits = vec![Op::Create(1), Op::Load(0), Op::Back(1, Until::Is(1))];
    let sets = vec![Op::Create(2), Op::Store(1, 2), Op::Store(0, 1), Op::StoreRegister(0), Op::Join(2)];
    let polls = vec![Op::Store(1, 1), Op::Load(0), Op::Load(1), Op::Back(2, Until::AllSet), Op::Store(0, 1)];
    check_taken_back_within(&vec![waits, sets, polls], 1);
}

#[test]
fn iterations_without_effect_are_taken_back_within_a_bound_on_preemptions() {
    let mut random = Random(9);
    let (mut programs, mut ran, mut before) = (0, 0, 0);
    let most: usize = std::env::var("FENCEHOUND_ROUNDS").ok().and_then(|most| most.parse().ok()).unwrap_or(800);
    while programs < most {
        let program = random::waiting(&mut random);
        if program.iter().map(Vec::len).sum::<usize>() > 13 {
            continue;
        }
        programs += 1;
        for bound in 0..3 {
            let (runs, all) = check_taken_back_within(&program, bound);
            (ran, before) = (ran + runs, before + all);
        }
    }
    println!("{ran} {before}");
}

/// The most execution graphs that the explorer has kept at a time.
struct Measured {
    most: Rc<Cell<usize>>,
}

impl Between for Measured {
    fn begin(&mut self, explorer: &mut Trust) -> Option<Start> {
        let start = explorer.begin();
        self.most.set(self.most.get().max(explorer.graphs()));
        start
    }
}

/// Of ever more classes: an execution has 4 events of main and 4 of each round.
#[test]
fn it_keeps_fewer_graphs_than_an_execution_has_events() {
    for (n, classes, events) in [(3, 141, 16), (4, 1107, 20), (5, 8953, 24)] {
        let most = Rc::new(Cell::new(0));
        let measured = Behind { between: Measured { most: Rc::clone(&most) }, explorer: Trust::new() };
        assert_eq!(run_all(&sbloop(n), Box::new(measured), || false).len(), classes);
        assert!(most.get() <= events, "{} graphs for executions of {events} events", most.get());
    }
}
