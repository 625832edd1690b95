//! The search for execution graphs against brute force: on random programs without data in their control flow, every
//! pair of rf and co that the axioms allow is found, once, and nothing else.
//!
//! The oracle shares no code with the engine: it lists all candidates, and evaluates the axioms as they are written.
//!
//! Under the models that forward stores, ARMv8 and RISC-V, what is missed with read-modify-writes is what no order of
//! commits has in which their two parts are committed at once, and that is rare.

mod axioms;
mod machines;
mod repairs;

use axioms::engine::{Random, compare, found, random};
use axioms::{Kind, Program};
use litmus::graphs::MemoryModel;
use machines::c11;
use machines::random::{Mix, any, forwarding};
use machines::{Compared, Machine};

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
