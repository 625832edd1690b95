//! The search for execution graphs against brute force: on random programs without data in their control flow, every
//! pair of rf and co that the axioms allow is found, once, and nothing else.
//!
//! The oracle shares no code with the engine: it lists all candidates, and evaluates the axioms as they are written.
//!
//! Under the models that forward stores, ARMv8 and RISC-V, what is missed with read-modify-writes is what no order of
//! commits has in which their two parts are committed at once, and that is rare.

mod axioms;
mod ends;
mod machines;
mod repairs;
mod units;

use std::collections::BTreeSet;

use axioms::engine::{Random, compare, found, random};
use axioms::{Kind, Program};
use engine::explore::estimate::{Drawn, Estimate};
use engine::explore::rsmc::census::{Worth, draw};
use engine::explore::rsmc::{Continue, explore};
use engine::model::Model;
use engine::model::armv8::Armv8;
use engine::model::c11::C11;
use engine::model::power::Power;
use engine::model::pso::Pso;
use engine::model::riscv::Riscv;
use engine::model::sc::Sc;
use engine::model::tso::Tso;
use litmus::graphs::{MemoryModel, Threads};
use litmus::parse::parse;
use machines::c11;
use machines::random::{Mix, any, forwarding};
use machines::{Compared, Machine};
use units::{Cuts, in_units};

#[test]
fn loads_stores_dependencies_and_fences() {
    let mut numbers = Random(1);
    for _ in 0..250 {
        compare(&random(&mut numbers, 0));
    }
}

#[test]
fn read_modify_writes() {
    let mut numbers = Random(2);
    for _ in 0..250 {
        compare(&random(&mut numbers, 4));
    }
}

/// Three updates of one location by three threads: one after the other in any order, 3!.
#[test]
fn under_power_something_is_used_behind_its_end_where_it_could_be_behind_a_store() {
    let mut random = Random(2211);
    let mut late = 0;
    for _ in 0..400 {
        let (program, thread) = ends::program(&mut random);
        let expected = ends::expected(&program, thread);
        assert_eq!(ends::found(&program, thread), expected, "behind the end of thread {thread}\n{}", program.text());
        late += expected.len();
    }
    assert!(late > 400, "{late}");
}

#[test]
fn updates_of_one_location_come_in_any_order() {
    for kind in [Kind::Add, Kind::Exchange] {
        let thread = || vec![axioms::Op { kind, location: 0, dependency: None, fence: None }];
        let program = Program { threads: vec![thread(), thread(), thread()] };
        for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso, MemoryModel::Power] {
            assert_eq!(found(&program.text(), model).len(), 6);
        }
    }
}

/// Every other program is of those that a store is forwarded in.
fn check_machine(seed: u64, count: usize, mix: Mix) -> Compared {
    let mut numbers = Random(seed);
    let mut all = Compared::default();
    for number in 0..count {
        let program = if number % 2 == 0 { any(&mut numbers, mix) } else { forwarding(&mut numbers, mix) };
        let Compared { allowed, out_of_reach } = machines::compare(mix.machine, &program);
        all.allowed += allowed;
        all.out_of_reach += out_of_reach;
    }
    all
}

#[test]
fn armv8() {
    let all = check_machine(1, 400, Mix { machine: Machine::Arm, updates: 0, picks: false });
    assert_eq!(all.out_of_reach, 0);
}

#[test]
fn riscv() {
    let all = check_machine(2, 400, Mix { machine: Machine::Riscv, updates: 0, picks: false });
    assert_eq!(all.out_of_reach, 0);
}

#[test]
fn armv8_with_selections() {
    let all = check_machine(3, 400, Mix { machine: Machine::Arm, updates: 0, picks: true });
    assert_eq!(all.out_of_reach, 0);
}

#[test]
fn armv8_with_read_modify_writes() {
    let all = check_machine(4, 400, Mix { machine: Machine::Arm, updates: 4, picks: true });
    assert!(all.out_of_reach * 100 < all.allowed, "{all:?}");
}

#[test]
fn riscv_with_read_modify_writes() {
    let all = check_machine(5, 400, Mix { machine: Machine::Riscv, updates: 4, picks: false });
    assert!(all.out_of_reach * 100 < all.allowed, "{all:?}");
}

/// Under C11 also whether an execution has a data race.
#[test]
fn c11() {
    let mut numbers = Random(6);
    let mut all = 0;
    for number in 0..1200 {
        all += c11::compare(&c11::any(&mut numbers, number));
    }
    assert!(all > 2000, "{all}");
}

/// Explores a program in one go and cut into units: the same executions, each once, and the same counts. Returns the number of slices.
fn check_units<M: Model<1>>(text: &str, model: MemoryModel, seed: u32) -> usize {
    let test = parse(text).unwrap();
    let threads = Threads { test: &test, model, accesses: 64 };
    let mut expected = BTreeSet::new();
    let (counts, result) = explore::<1, M, _>(&threads, &mut |execution| {
        assert!(expected.insert(execution.trace.relations()), "twice under {model:?}: {text}");
        Continue::Yes
    });
    result.unwrap();
    let mut found = BTreeSet::new();
    let (in_units, slices) = in_units::<M, _>(&threads, &mut Cuts(seed.into()), &mut |execution| {
        assert!(found.insert(execution.trace.relations()), "twice in units under {model:?}: {text}");
    });
    assert_eq!((in_units, found), (counts, expected), "{model:?}: {text}");
    slices
}

#[test]
fn units_that_are_run_in_any_order_have_the_same_executions_and_counts() {
    let mut numbers = Random(8);
    let mut slices = 0;
    for seed in 0..200_u32 {
        let text = random(&mut numbers, u64::from(4 * (seed % 2))).text();
        slices += check_units::<Sc<1>>(&text, MemoryModel::Sc, seed);
        slices += check_units::<Tso<1>>(&text, MemoryModel::Tso, seed);
        slices += check_units::<Pso<1>>(&text, MemoryModel::Pso, seed);
        slices += check_units::<Power<1>>(&text, MemoryModel::Power, seed);
        let mix = Mix { machine: Machine::Arm, updates: u64::from(seed % 3), picks: true };
        slices +=
            check_units::<Armv8<1>>(&machines::armv8::text(&forwarding(&mut numbers, mix)), MemoryModel::Armv8, seed);
        let mix = Mix { machine: Machine::Riscv, updates: u64::from(seed % 3), picks: false };
        slices +=
            check_units::<Riscv<1>>(&machines::riscv::text(&forwarding(&mut numbers, mix)), MemoryModel::Riscv, seed);
        slices += check_units::<C11<1>>(&c11::any(&mut numbers, seed).text(), MemoryModel::C11, seed);
    }
    assert!(slices > 4 * 7 * 200, "hardly anything is cut: {slices}");
}

/// Returns an estimate of how many executions there are, from so many that are drawn.
fn estimate(text: &str, model: MemoryModel, drawings: u64) -> Estimate {
    fn drawn<M: Model<1>>(threads: &Threads<'_>, drawings: u64) -> Drawn {
        let mut drawn = Drawn::default();
        for number in 0..drawings {
            drawn.add(draw::<1, M, _>(threads, number, &mut |_| Worth::Counts).unwrap());
        }
        drawn
    }
    let test = parse(text).unwrap();
    let threads = Threads { test: &test, model, accesses: 64 };
    let drawn = match model {
        MemoryModel::Sc => drawn::<Sc<1>>(&threads, drawings),
        MemoryModel::Tso => drawn::<Tso<1>>(&threads, drawings),
        MemoryModel::Pso => drawn::<Pso<1>>(&threads, drawings),
        _ => drawn::<Power<1>>(&threads, drawings),
    };
    drawn.all().unwrap()
}

#[test]
fn of_random_programs_as_many_executions_are_estimated_as_there_are() {
    let mut numbers = Random(7);
    for number in 0..120 {
        let text = random(&mut numbers, 2 * (number % 2)).text();
        for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso, MemoryModel::Power] {
            let total = found(&text, model).len() as f64;
            let Estimate { executions, error } = estimate(&text, model, 400);
            assert!(
                (executions - total).abs() < 6.0 * error + 0.01 * total,
                "{executions} ± {error}, not {total}: {text}"
            );
        }
    }
}

#[test]
fn a_tenth_of_the_executions_says_how_many_there_are() {
    let thread = |kind| vec![axioms::Op { kind, location: 0, dependency: None, fence: None }];
    // n updates of one location: n! orders. n stores and k loads of it: n! (n + 1)^k.
    let updates = Program { threads: vec![thread(Kind::Add); 6] };
    let mut mixed = Program { threads: vec![thread(Kind::Store); 4] };
    mixed.threads.extend(vec![thread(Kind::Load); 2]);
    for (program, total) in [(updates, 720.0), (mixed, 600.0)] {
        for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso, MemoryModel::Power] {
            assert_eq!(found(&program.text(), model).len() as f64, total);
            let Estimate { executions, error } = estimate(&program.text(), model, total as u64 / 10);
            assert!((total / 2.0..total * 2.0).contains(&executions), "{executions} ± {error}, not {total}");
        }
    }
}
