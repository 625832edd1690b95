//! The monitors that do not depend on the order of events without conflict: they report the same on all runs of a
//! class, and over one run of each class what the TACAS'11 monitors report over all runs. So they are sound and
//! complete as those are (`monitor_random.rs`, `monitor_exhaustive.rs`), if one run of each class is watched.

mod oracle;

use std::collections::{BTreeSet, HashMap};

use engine::monitor::burnim::Burnim;
use engine::monitor::prefix::Prefix;
use engine::monitor::{Model, Name, Report};
use oracle::definition::{self, Class};
use oracle::machine::{self, Machine, Step};
use oracle::program::Program;
use oracle::random::{self, Ingredients, Random, Widths};
use oracle::replay;

const MODELS: [Model; 2] = [Model::Tso, Model::Pso];
const BURNIM: [Name; 2] = [Name::BurnimTso, Name::BurnimPso];
const PREFIX: [Name; 2] = [Name::PrefixTso, Name::PrefixPso];

const PLAIN: Ingredients = Ingredients {
    threads: 3,
    ops: 8,
    addresses: 2,
    widths: Widths::One,
    ordered: false,
    guards: false,
    mutexes: 0,
    spawns: false,
};

/// An event by its thread and operation.
type Event = (usize, usize);

/// e′, prev, e.
type Triple = [Event; 3];

fn triples(reports: &[Report], monitor: Name, run: &[Step]) -> BTreeSet<Triple> {
    let event = |place: usize| (run[place].thread, run[place].op);
    let triple = |report: definition::Report| [report.delayed, report.previous, report.overtaking].map(event);
    replay::of_monitor(reports, monitor).into_iter().map(triple).collect()
}

/// What the monitors say of all runs of a program.
#[derive(Default)]
struct Seen {
    classes: HashMap<Class, [BTreeSet<Triple>; 2]>,
    burnim: [BTreeSet<Triple>; 2],
}

fn watch(program: &Program) -> Seen {
    let (mut burnim, mut prefix) = (Burnim::new(&MODELS), Prefix::new(&MODELS));
    let mut seen = Seen::default();
    let mut reports = Vec::new();
    Machine::new(program, machine::Model::Sc).interleavings(&mut |run, _| {
        replay::run(&mut burnim, run, &mut reports);
        for (all, name) in seen.burnim.iter_mut().zip(BURNIM) {
            all.extend(triples(&reports, name, run));
        }
        replay::run(&mut prefix, run, &mut reports);
        let now = PREFIX.map(|name| triples(&reports, name, run));
        let before = seen.classes.entry(definition::class(run)).or_insert_with(|| now.clone());
        assert_eq!(*before, now, "the same in all runs of a class: {program}");
    });
    seen
}

/// Checks this many programs. Among them must be some that only PSO breaks, and some that both models break.
fn check_programs(count: u64, with: Ingredients) {
    let mut by_broken_models = [0; 3];
    for seed in 0..count {
        let program = random::program(&mut Random::new(seed), with);
        let seen = watch(&program);
        for model in 0..2 {
            let reported: BTreeSet<Triple> = seen.classes.values().flat_map(|both| both[model].clone()).collect();
            assert_eq!(reported, seen.burnim[model], "{:?}, {program}", MODELS[model]);
        }
        by_broken_models[seen.burnim.iter().filter(|reports| !reports.is_empty()).count()] += 1;
    }
    assert!(by_broken_models.iter().all(|&programs| programs >= 5), "too one-sided: {by_broken_models:?}");
}

#[test]
fn straight_line_programs() {
    check_programs(1000, PLAIN);
    check_programs(1000, Ingredients { threads: 2, ops: 10, addresses: 3, ..PLAIN });
}

#[test]
fn programs_of_all_ingredients() {
    check_programs(1000, Ingredients { ordered: true, guards: true, ..PLAIN });
    check_programs(1000, Ingredients { mutexes: 2, ops: 9, ..PLAIN });
    check_programs(1000, Ingredients { spawns: true, ..PLAIN });
    check_programs(1000, Ingredients { ordered: true, guards: true, mutexes: 1, spawns: true, ops: 9, ..PLAIN });
}

#[test]
fn accesses_of_several_locations() {
    let mixed = Ingredients { widths: Widths::Mixed, addresses: 3, ..PLAIN };
    check_programs(1000, mixed);
    check_programs(1000, Ingredients { ordered: true, ..mixed });
    check_programs(1000, Ingredients { widths: Widths::MixedSwaps, ordered: true, guards: true, ..mixed });
    check_programs(1000, Ingredients { ordered: true, mutexes: 1, spawns: true, ops: 9, ..mixed });
}
