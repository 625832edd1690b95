//! The explorer `dpor` on programs with blocks, between whose operations nothing of another thread comes: its classes are
//! those of all interleavings, each run once. Blocks are ordered, all of them; an access in a block is ordered with
//! every other one to its location; whatever comes before or after one event of a block, so it does with all of it.

mod oracle;

use std::collections::BTreeSet;
use std::ops::Range;

use engine::execution::Execution;
use engine::explore::trust::Trust;
use oracle::classes;
use oracle::machine::{self, Machine, Step};
use oracle::program::{Access, Action, Addresses, Blocks, Op, Program};
use oracle::random::{self, Ingredients, Random, Widths};

/// A step that is no part of a block, or a block: its thread and its operations.
type Name = (usize, Vec<usize>);

/// Of each of them those that come before.
type Class = BTreeSet<(Name, BTreeSet<Name>)>;

fn class(run: &[Step], blocks: &Blocks) -> Class {
    let mut groups: Vec<&[Step]> = Vec::new();
    let mut rest = run;
    while let Some(&Step { thread, op, .. }) = rest.first() {
        let joins = |step: &&Step| step.thread == thread && blocks.join(thread, op, step.op);
        let (group, others) = rest.split_at(rest.iter().take_while(joins).count().max(1));
        groups.push(group);
        rest = others;
    }
    let name = |group: &[Step]| (group[0].thread, group.iter().map(|step| step.op).collect::<Vec<_>>());
    let mut before: Vec<BTreeSet<usize>> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let direct = (0..at).filter(|&earlier| is_directly_before(groups[earlier], group, blocks));
        let past = direct.flat_map(|earlier| before[earlier].iter().copied().chain([earlier])).collect();
        before.push(past);
    }
    let named = |at: usize| (name(groups[at]), before[at].iter().map(|&earlier| name(groups[earlier])).collect());
    (0..groups.len()).map(named).collect()
}

fn is_directly_before(earlier: &[Step], later: &[Step], blocks: &Blocks) -> bool {
    let in_block = |group: &[Step]| blocks.of(group[0].thread, group[0].op).is_some();
    let blocked = in_block(earlier) || in_block(later);
    let mutex = |step: &Step| match step.action {
        Action::Lock(mutex) | Action::Unlock(mutex) => Some(mutex),
        _ => None,
    };
    in_block(earlier) && in_block(later)
        || earlier.iter().any(|x| {
            later.iter().any(|y| {
                x.thread == y.thread
                    || x.action == Action::Spawn(y.thread)
                    || y.action == Action::Join(x.thread)
                    || x.action.addresses().meets(y.action.addresses()) && (x.wrote || y.wrote || blocked)
                    || mutex(x).is_some() && mutex(x) == mutex(y)
            })
        })
}

fn classes_within(program: &Program, blocks: &Blocks, preemptions: usize) -> BTreeSet<Class> {
    let mut classes = BTreeSet::new();
    Machine::new(program, machine::Model::Sc).interleavings_of_blocks(blocks, &mut |run, needed| {
        if needed <= preemptions {
            classes.insert(class(run, blocks));
        }
    });
    classes
}

/// Checks one program; the number of its classes.
fn check(program: &Program, blocks: &Blocks, bound: Option<u32>) -> usize {
    let mut seen = BTreeSet::new();
    let mut execution = Execution::new(Box::new(Trust::within(bound)));
    classes::run_blocks(program, blocks, &mut execution, usize::MAX, &mut |run| {
        assert!(seen.insert(class(run, blocks)), "a class twice: {program} {blocks:?}\n{run:?}");
    });
    let all = classes_within(program, blocks, bound.map_or(usize::MAX, |bound| bound as usize));
    let missing = all.difference(&seen).next();
    assert_eq!(missing, None, "{} of {} classes: {program} {blocks:?}", seen.len(), all.len());
    assert_eq!(seen.len(), all.len(), "not a class: {program} {blocks:?}");
    all.len()
}

const PLAIN: Ingredients = Ingredients { ops: 7, ordered: true, guards: true, ..Ingredients::PLAIN };

/// A program, and blocks of neighbouring accesses and fences in it.
fn with_blocks(seed: u64, with: Ingredients) -> (Program, Blocks) {
    let mut random = Random::new(seed);
    let program = random::program(&mut random, with);
    let mut blocks = Blocks { threads: vec![Vec::new(); program.threads.len()] };
    for (thread, ops) in program.threads.iter().enumerate() {
        let mut at = 0;
        while at < ops.len() {
            let plain = |op: &&Op| matches!(op.action, Action::Access { .. } | Action::Fence(_));
            let most = ops[at..].iter().take_while(plain).count().min(3);
            if most == 0 || random.chance(3) {
                at += 1;
                continue;
            }
            let length = 1 + random.below(most);
            blocks.threads[thread].push(at..at + length);
            at += length;
        }
    }
    (program, blocks)
}

fn check_random(programs: u64, with: Ingredients, bounds: &[Option<u32>]) -> usize {
    let one = |seed| {
        let (program, blocks) = with_blocks(seed, with);
        bounds.iter().map(|&bound| check(&program, &blocks, bound)).sum::<usize>()
    };
    (0..programs).map(one).sum()
}

#[test]
fn random_programs() {
    let classes = check_random(6000, PLAIN, &[None]);
    assert!(classes > 50_000, "too easy: {classes}");
}

#[test]
fn random_programs_of_four_threads() {
    let classes = check_random(3000, Ingredients { threads: 4, addresses: 3, ..PLAIN }, &[None]);
    assert!(classes > 50_000, "too easy: {classes}");
}

#[test]
fn random_programs_with_wide_accesses() {
    let classes = check_random(6000, Ingredients { widths: Widths::MixedSwaps, addresses: 3, ..PLAIN }, &[None]);
    assert!(classes > 50_000, "too easy: {classes}");
}

#[test]
fn random_programs_with_mutexes_and_threads_that_are_created() {
    let classes = check_random(6000, Ingredients { mutexes: 1, spawns: true, ..PLAIN }, &[None]);
    assert!(classes > 15_000, "too easy: {classes}");
}

/// The classes that have an interleaving of few enough preemptions count under a bound, each once.
#[test]
fn preemptions_are_bounded() {
    let classes = check_random(1500, PLAIN, &[Some(0), Some(1), Some(2)]);
    assert!(classes > 5000, "too easy: {classes}");
    let classes = check_random(1500, Ingredients { mutexes: 1, ops: 8, spawns: true, ..PLAIN }, &[Some(0), Some(1)]);
    assert!(classes > 5000, "too easy: {classes}");
}

/// All programs of three threads of up to two operations on two addresses, each operation alone, in a block or with the
/// other one in a block.
#[test]
fn all_small_programs() {
    let accesses = [Access::Load, Access::Store(1), Access::CompareAndSwap { expected: 0, new: 2 }];
    let ops: Vec<Op> = (1..=2)
        .flat_map(|address| {
            accesses.map(|access| Op { guard: None, action: Action::plain(access, Addresses(address)) })
        })
        .collect();
    let mut codes: Vec<(Vec<Op>, Vec<Range<usize>>)> = Vec::new();
    for &one in &ops {
        codes.push((vec![one], Vec::new()));
        for &other in &ops {
            let alone = (vec![one, other], Vec::new());
            let blocks = [0..1, 1..2, 0..2].map(|block| (vec![one, other], Vec::from([block])));
            codes.extend(std::iter::once(alone).chain(blocks));
        }
    }
    assert_eq!(codes.len(), 6 + 36 * 4);
    let mut programs = 0;
    for (first, (one, one_blocks)) in codes.iter().enumerate() {
        for (second, (two, two_blocks)) in codes.iter().enumerate().skip(first) {
            for (three, three_blocks) in codes.iter().skip(second + (first + second) % 31).step_by(31) {
                let program = Program { threads: vec![one.clone(), two.clone(), three.clone()] };
                let blocks = Blocks { threads: vec![one_blocks.clone(), two_blocks.clone(), three_blocks.clone()] };
                check(&program, &blocks, None);
                programs += 1;
            }
        }
    }
    assert!(programs > 15_000, "{programs}");
}

/// All classes, searched in slices that are cut anywhere and run from the front: as many slices as there were, too.
#[test]
fn any_slicing_gives_the_same_executions_in_the_same_order() {
    let mut random = Random::new(5);
    let (mut executions, mut slices) = (0, 0);
    for seed in 0..600 {
        let (program, blocks) = with_blocks(seed, Ingredients { widths: Widths::MixedSwaps, addresses: 3, ..PLAIN });
        let mut whole = Execution::new(Box::new(Trust::new()));
        let mut runs = Vec::new();
        classes::run_blocks(&program, &blocks, &mut whole, usize::MAX, &mut |run| runs.push(run.to_vec()));
        let paths: Vec<_> = whole.state.threads.paths().map(<[u32]>::to_vec).collect();
        let mut units = vec![Trust::whole()];
        let mut cut = Vec::new();
        while !units.is_empty() {
            let rest = units.split_off(1 + random.below(units.len()));
            let slice = Trust::slice(None, &units).expect("units that were handed out");
            let mut execution = Execution::new(Box::new(slice));
            execution.state.threads.number(&paths).expect("a numbering");
            let count = 1 + random.below(4);
            classes::run_blocks(&program, &blocks, &mut execution, count, &mut |run| cut.push(run.to_vec()));
            assert_eq!(execution.strategy().omits().lacks, None, "{program}");
            units = execution.leave().expect("it can be cut").now;
            units.extend(rest);
            slices += 1;
        }
        assert_eq!(cut, runs, "{program} {blocks:?}");
        executions += runs.len();
    }
    assert!(executions > 5000 && slices > 3000, "too easy: {executions} executions, {slices} slices");
}
