//! The search for execution graphs against brute force: on random programs without data in their control flow, every
//! pair of rf and co that the axioms allow is found, once, and nothing else.
//!
//! The oracle shares no code with the engine: it lists all candidates, and evaluates the axioms as they are written.

mod axioms;

use axioms::engine::{Random, compare, found, random};
use axioms::{Kind, Program};
use litmus::graphs::MemoryModel;

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
