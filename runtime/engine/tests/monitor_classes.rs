//! The monitors that do not depend on the order of events without conflict: they report the same on all runs of a
//! class. `prefix_tso` and `prefix_pso` report over one run of each class what the TACAS'11 monitors report over all
//! runs, so they are sound and complete as those are (`monitor_random.rs`, `monitor_exhaustive.rs`). `exact_tso` and
//! `sober` report on some class iff the machine has an execution that is not sequentially consistent.

mod oracle;

use std::collections::{BTreeSet, HashMap};

use engine::atomicity::Fencing;
use engine::model::MemoryModel;
use engine::monitor::burnim::Burnim;
use engine::monitor::{self, MonitorName, Report};
use oracle::definition::{self, Class};
use oracle::machine::{self, Machine, Step};
use oracle::program::Program;
use oracle::random::{self, Ingredients, Random, Widths};
use oracle::replay;
use oracle::sober::Sober;

const MODELS: [MemoryModel; 2] = [MemoryModel::Tso, MemoryModel::Pso];
const BURNIM: [MonitorName; 2] = [MonitorName::BurnimTso, MonitorName::BurnimPso];
const BY_CLASS: [MonitorName; 4] =
    [MonitorName::PrefixTso, MonitorName::PrefixPso, MonitorName::ExactTso, MonitorName::Sober];

const PLAIN: Ingredients = Ingredients { ops: 8, ..Ingredients::PLAIN };

/// An event by its thread and operation.
type Event = (usize, usize);

/// e′, prev, e.
type Triple = [Event; 3];

fn triples(reports: &[Report], monitor: MonitorName, run: &[Step]) -> BTreeSet<Triple> {
    let event = |place: usize| (run[place].thread, run[place].op);
    let triple = |report: definition::Report| [report.delayed, report.previous, report.overtaking].map(event);
    replay::of_monitor(reports, monitor).into_iter().map(triple).collect()
}

/// What the monitors say of all runs of a program.
#[derive(Default)]
struct Seen {
    classes: HashMap<Class, [BTreeSet<Triple>; 4]>,
    burnim: [BTreeSet<Triple>; 2],
}

fn watch(program: &Program) -> Seen {
    let (mut burnim, mut by_class) = (Burnim::new(&MODELS), monitor::by_name::monitors(&BY_CLASS, Fencing::Unproved));
    let mut seen = Seen::default();
    let (mut reports, mut of_one) = (Vec::new(), Vec::new());
    Machine::new(program, machine::Model::Sc).interleavings(&mut |run, _| {
        replay::run(&mut burnim, run, &mut reports);
        for (all, name) in seen.burnim.iter_mut().zip(BURNIM) {
            all.extend(triples(&reports, name, run));
        }
        reports.clear();
        for monitor in &mut by_class {
            replay::run(monitor.as_mut(), run, &mut of_one);
            reports.append(&mut of_one);
        }
        let now = BY_CLASS.map(|name| triples(&reports, name, run));
        let [prefix, _, exact, sober] = &now;
        assert!(exact.is_superset(prefix) && exact.is_superset(sober), "exact reports what others do: {program}");
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
        let [prefix_tso, prefix_pso, exact, sober] = [0, 1, 2, 3].map(|monitor| -> BTreeSet<Triple> {
            seen.classes.values().flat_map(|reports| reports[monitor].clone()).collect()
        });
        assert_eq!(prefix_tso, seen.burnim[0], "TSO, {program}");
        assert_eq!(prefix_pso, seen.burnim[1], "PSO, {program}");
        let broken = !Machine::new(&program, machine::Model::Tso).is_robust();
        if with.widths != Widths::MixedSwaps {
            assert_eq!((!exact.is_empty(), !sober.is_empty()), (broken, broken), "{program}");
        }
        assert!(broken || exact.is_empty() && sober.is_empty(), "{program}");
        by_broken_models[seen.burnim.iter().filter(|reports| !reports.is_empty()).count()] += 1;
    }
    assert!(by_broken_models.iter().all(|&programs| programs >= 5), "too one-sided: {by_broken_models:?}");
}

/// SOBER as printed takes a load of an own store to come after a store that the own one has overwritten (erratum S2).
#[test]
fn sober_as_printed_is_not_complete() {
    let program = Program::parse(&["st a=1; st b=2", "st b=3; ld b; ld a"]);
    let mut printed = false;
    Machine::new(&program, machine::Model::Sc).interleavings(&mut |run, _| {
        printed |= Sober::first_report(run, &definition::pasts(run), 2).is_some();
    });
    assert!(!printed);
    let seen = watch(&program);
    let sober: BTreeSet<Triple> = seen.classes.values().flat_map(|reports| reports[3].clone()).collect();
    assert_eq!(sober, BTreeSet::from([[(0, 0), (1, 1), (1, 2)]]));
}

/// Figures 6 and 7 of the report to TACAS 2011 (002): SOBER as printed reports nothing on any interleaving, `monitor_TSO`
/// does on that of figure 7.
#[test]
fn figure_6_is_missed_by_sober_as_printed() {
    let program = Program::parse(&["st a=1; ld a; [r1!=0] ld b", "st b=1; st a=2; xchg c=5; ld a"]);
    let mut printed = false;
    Machine::new(&program, machine::Model::Sc).interleavings(&mut |run, _| {
        printed |= Sober::first_report(run, &definition::pasts(run), 2).is_some();
    });
    assert!(!printed);
    let [tso, _] = on_run(&program, &[0, 0, 0, 1, 1, 1, 1]).burnim;
    assert_eq!(tso, BTreeSet::from([[(0, 0), (1, 0), (1, 1)]]));
}

/// Figure 8 of the same report: on this run SOBER as printed reports, and `monitor_TSO` does not, but on another run.
#[test]
fn figure_8_is_seen_earlier_by_sober() {
    let program = Program::parse(&["st a=1; ld b", "st a=2", "st b=3; ld a"]);
    let seen = on_run(&program, &[0, 0, 1, 2, 2]);
    assert_eq!(seen.printed, Some([(0, 0), (2, 0), (2, 1)]));
    assert_eq!(seen.burnim[0], BTreeSet::new());
    assert!(watch(&program).burnim[0].contains(&[(0, 0), (2, 0), (2, 1)]));
}

/// What `monitor_TSO` and `monitor_PSO` say of one run, and SOBER as printed.
struct OnRun {
    burnim: [BTreeSet<Triple>; 2],
    printed: Option<Triple>,
}

/// The run in which the threads take turns like that.
fn on_run(program: &Program, turns: &[usize]) -> OnRun {
    let (mut burnim, mut reports) = (Burnim::new(&MODELS), Vec::new());
    let mut seen = None;
    Machine::new(program, machine::Model::Sc).interleavings(&mut |run, _| {
        if run.iter().map(|step| step.thread).eq(turns.iter().copied()) {
            reports.clear();
            replay::run(&mut burnim, run, &mut reports);
            let event = |place: usize| (run[place].thread, run[place].op);
            let printed = Sober::first_report(run, &definition::pasts(run), 3).map(|triple| triple.map(event));
            seen = Some(OnRun { burnim: BURNIM.map(|name| triples(&reports, name, run)), printed });
        }
    });
    seen.expect("there is such a run")
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
