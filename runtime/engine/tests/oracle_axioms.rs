//! The operational machines of the oracle have exactly the traces that the axioms of their models allow, for accesses of
//! one and of several addresses.

mod oracle;

use std::collections::BTreeSet;

use oracle::axioms::{self, Axioms};
use oracle::machine::{Machine, Model, Trace};
use oracle::program::{Access, Action, Program};
use oracle::random::{self, Ingredients, Random, Widths};

const MIXED: Ingredients = Ingredients {
    threads: 2,
    ops: 6,
    addresses: 3,
    widths: Widths::Mixed,
    ordered: true,
    guards: false,
    mutexes: 0,
    spawns: false,
};

/// A program of these ingredients without compare-and-swap.
fn program(seed: u64, with: Ingredients) -> Program {
    let mut program = random::program(&mut Random::new(seed), with);
    for op in program.threads.iter_mut().flatten() {
        if let Action::Access { access, .. } = &mut op.action
            && let Access::CompareAndSwap { new, .. } = *access
        {
            *access = Access::Exchange(new);
        }
    }
    program
}

/// Checks this many programs; how many traces they have in all under both models.
fn check_programs(count: u64, with: Ingredients) -> usize {
    let mut all = 0;
    for seed in 0..count {
        let program = program(seed, with);
        for (model, axioms) in [(Model::Tso, Axioms::Tso), (Model::Pso, Axioms::Pso)] {
            let machine = Machine::new(&program, model);
            let traces: BTreeSet<Trace> = machine.traces().iter().map(|state| machine.trace(state)).collect();
            assert_eq!(traces, axioms::traces(&program, axioms), "{axioms:?}, {program}");
            all += traces.len();
        }
    }
    all
}

#[test]
fn the_machines_are_their_axioms() {
    let traces = [
        check_programs(1000, MIXED),
        check_programs(1000, Ingredients { widths: Widths::One, addresses: 2, ..MIXED }),
        check_programs(500, Ingredients { threads: 3, addresses: 2, ..MIXED }),
    ];
    assert!(traces.iter().all(|&traces| traces > 3000), "{traces:?}");
}
