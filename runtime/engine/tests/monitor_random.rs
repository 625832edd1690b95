//! Random programs and runs: the monitors agree with their definition event for event, and report on some interleaving
//! of a program iff the operational machine of the model has an execution that is not sequentially consistent.

mod oracle;

use engine::model::MemoryModel;
use engine::monitor::burnim::Burnim;
use engine::monitor::{Monitor, MonitorName, Report};
use oracle::definition::{self, Relaxed};
use oracle::machine::{self, Machine, Step};
use oracle::program::Program;
use oracle::random::{self, Ingredients, Random, Widths};
use oracle::replay;

const MODELS: [Relaxed; 2] = [Relaxed::Tso, Relaxed::Pso];
const BURNIM: [MonitorName; 2] = [MonitorName::BurnimTso, MonitorName::BurnimPso];

/// Straight-line programs of loads, stores, exchanges and both fences.
const PLAIN: Ingredients = Ingredients { ops: 8, ..Ingredients::PLAIN };

/// Runs one execution through a monitor and the definition, and compares all reports and, after each event, all
/// pending stores. Which models reported.
fn compare(monitor: &mut Burnim, run: &[Step], context: &impl std::fmt::Display) -> [bool; 2] {
    let mut definitions = MODELS.map(definition::Monitor::new);
    let mut reports: Vec<Report> = Vec::new();
    let mut expected = MODELS.map(|_| Vec::new());
    monitor.begin();
    for step in run {
        replay::give(monitor, step, &mut reports);
        for ((&model, definition), expected) in MODELS.iter().zip(&mut definitions).zip(&mut expected) {
            expected.extend(definition.event(*step));
            let pending: Vec<usize> =
                monitor.pending(replay::burnim(model), usize::MAX).into_iter().map(|event| event as usize).collect();
            assert_eq!(pending, definition.pending(), "{model:?}, {context}");
        }
    }
    for (&model, expected) in MODELS.iter().zip(&expected) {
        assert_eq!(&replay::of_model(&reports, model), expected, "{model:?}, {context}");
    }
    expected.map(|expected| !expected.is_empty())
}

/// Checks one program on all its interleavings; on which models the monitors reported.
fn check(program: &Program, monitor: &mut Burnim) -> [bool; 2] {
    let mut reported = [false; 2];
    Machine::new(program, machine::Model::Sc).interleavings(&mut |run, _| {
        let now = compare(monitor, run, program);
        reported = [reported[0] || now[0], reported[1] || now[1]];
    });
    reported
}

/// Checks this many programs. Among them must be some that only PSO breaks, some that both models break and many that
/// none does: otherwise they would show little.
fn check_programs(count: u64, with: Ingredients) {
    let mut monitor = Burnim::new(&[MemoryModel::Tso, MemoryModel::Pso]);
    let mut by_broken_models = [0; 3];
    for seed in 0..count {
        let program = random::program(&mut Random::new(seed), with);
        let broken = [machine::Model::Tso, machine::Model::Pso].map(|model| !Machine::new(&program, model).is_robust());
        let reported = check(&program, &mut monitor);
        if with.widths == Widths::MixedSwaps {
            let false_alarm = reported.iter().zip(&broken).any(|(reported, broken)| *reported && !broken);
            assert!(!false_alarm, "[TSO, PSO] report {reported:?}, {program}");
        } else {
            assert_eq!(reported, broken, "[TSO, PSO], {program}");
        }
        by_broken_models[broken.into_iter().filter(|&broken| broken).count()] += 1;
    }
    assert!(by_broken_models.iter().all(|&programs| programs >= 10), "too one-sided: {by_broken_models:?}");
}

#[test]
fn straight_line_programs() {
    check_programs(1000, PLAIN);
    check_programs(1000, Ingredients { threads: 2, ops: 10, addresses: 3, ..PLAIN });
}

#[test]
fn compare_and_swap_and_accesses_with_barriers() {
    check_programs(1000, Ingredients { ordered: true, ..PLAIN });
}

#[test]
fn programs_with_guards() {
    check_programs(1000, Ingredients { guards: true, ordered: true, ..PLAIN });
}

#[test]
fn programs_with_locks() {
    check_programs(1000, Ingredients { mutexes: 2, ops: 9, ..PLAIN });
}

#[test]
fn programs_that_create_and_join() {
    check_programs(1000, Ingredients { spawns: true, ..PLAIN });
}

#[test]
fn programs_of_all_ingredients() {
    check_programs(4000, Ingredients { ordered: true, guards: true, mutexes: 1, spawns: true, ops: 9, ..PLAIN });
}

#[test]
fn accesses_of_several_locations() {
    let mixed = Ingredients { widths: Widths::Mixed, addresses: 3, ..PLAIN };
    check_programs(1000, mixed);
    check_programs(1000, Ingredients { ordered: true, guards: true, ..mixed });
    check_programs(1000, Ingredients { ordered: true, mutexes: 1, spawns: true, ops: 9, ..mixed });
    check_programs(1000, Ingredients { threads: 2, ops: 10, addresses: 4, ordered: true, ..mixed });
}

/// Sound, but not complete: a compare-and-swap that fails in every consistent execution may succeed where it overtakes
/// a store, and then come after a load of a part of its locations.
#[test]
fn compare_and_swap_of_several_locations() {
    check_programs(
        2000,
        Ingredients { widths: Widths::MixedSwaps, addresses: 3, ordered: true, guards: true, ..PLAIN },
    );
}

#[test]
fn long_runs_of_many_threads() {
    let mut monitor = Burnim::new(&[MemoryModel::Tso, MemoryModel::Pso]);
    let mut reported = [0; 2];
    for seed in 0..3000 {
        let random = &mut Random::new(seed);
        let threads = 2 + random.below(12);
        let addresses = 2 + random.below(4);
        let length = 20 + random.below(100);
        let run = random::run(random, threads, addresses, length);
        if seed % 500 == 0 {
            // So that tables grow in the middle of executions again and again.
            monitor = Burnim::new(&[MemoryModel::Tso, MemoryModel::Pso]);
        }
        let now = compare(&mut monitor, &run, &format!("seed {seed}"));
        reported = [reported[0] + usize::from(now[0]), reported[1] + usize::from(now[1])];
    }
    assert!(reported[0] > 200 && reported[1] > 300, "too few runs with reports: {reported:?}");
}

#[test]
fn the_newest_stores_that_wait_are_the_last_of_all() {
    let mut monitors =
        [Burnim::new(&[MemoryModel::Tso, MemoryModel::Pso]), Burnim::new(&[MemoryModel::Tso, MemoryModel::Pso])];
    let mut reports = Vec::new();
    let mut many = 0;
    for seed in 0..500 {
        let random = &mut Random::new(seed);
        let run = random::run(random, 4, 8, 80);
        monitors.iter_mut().for_each(Burnim::begin);
        for step in &run {
            let [each, sometimes] = &mut monitors;
            replay::give(each, step, &mut reports);
            replay::give(sometimes, step, &mut reports);
            let (name, at_most) = (BURNIM[random.below(2)], random.below(4));
            let all = each.pending(name, usize::MAX);
            let newest = &all[all.len().saturating_sub(at_most)..];
            assert_eq!(each.pending(name, at_most), newest, "seed {seed}");
            // One that is not asked after each event says the same.
            if random.chance(5) {
                assert_eq!(sometimes.pending(name, at_most), newest, "seed {seed}");
                many += usize::from(all.len() > at_most);
            }
        }
    }
    assert!(many > 1000, "too few stores wait: {many}");
}

#[test]
fn one_model_alone_reports_what_it_reports_beside_the_other() {
    let (mut both, mut alone) = (
        Burnim::new(&[MemoryModel::Tso, MemoryModel::Pso]),
        [MemoryModel::Tso, MemoryModel::Pso].map(|model| Burnim::new(&[model])),
    );
    let (mut of_both, mut of_one) = (Vec::new(), Vec::new());
    for seed in 0..500 {
        let run = random::run(&mut Random::new(seed), 4, 3, 60);
        replay::run(&mut both, &run, &mut of_both);
        for (model, alone) in [MemoryModel::Tso, MemoryModel::Pso].into_iter().zip(&mut alone) {
            replay::run(alone, &run, &mut of_one);
            let name = if model == MemoryModel::Tso { MonitorName::BurnimTso } else { MonitorName::BurnimPso };
            let of_model: Vec<Report> = of_both.iter().filter(|report| report.monitor() == name).copied().collect();
            assert_eq!(of_one, of_model, "seed {seed}");
            assert_eq!(alone.pending(name, usize::MAX), both.pending(name, usize::MAX), "seed {seed}");
        }
    }
}
