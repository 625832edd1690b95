//! What SC executions say of a program's TSO-serializability, against all executions of the machine.

mod oracle;

use engine::atomicity::{Criterion, Decision, Fencing, Serializability, Transaction, Verdict, Violation};
use engine::monitor::atomicity::Atomicity;
use engine::monitor::{self, Monitor, MonitorName, Report};
use oracle::atomicity::{self, Conflicts, Execution, Happening, Numbers};
use oracle::machine::{self, Machine};
use oracle::program::{Access, Action, Barrier, Op, Program};
use oracle::random::{self, Ingredients, Random};
use oracle::{replay, watch};

const PLAIN: Ingredients = Ingredients { ops: 4, ..Ingredients::PLAIN };

/// What the engine says of a program: one execution of each class.
struct Explorer {
    robustness: Box<dyn Monitor>,
    serializability: [Serializability; 2],
    reports: Vec<Report>,
    violations: Vec<Violation>,
}

impl Explorer {
    fn new() -> Self {
        let robustness = monitor::by_name::monitors(&[MonitorName::PrefixTso], Fencing::Unproved).remove(0);
        let serializability = [Criterion::Sc, Criterion::TsoAtOnce].map(Serializability::new);
        Self { robustness, serializability, reports: Vec::new(), violations: Vec::new() }
    }

    fn watch(&mut self, happenings: &[Happening], numbers: &Numbers, decision: &mut Decision) {
        let run = Execution::new(happenings).run;
        replay::run(self.robustness.as_mut(), &run, &mut self.reports);
        decision.not_robust += u64::from(!self.reports.is_empty());
        let monitor = &mut self.serializability[usize::from(decision.fencing == Fencing::Unproved)];
        monitor.begin();
        self.violations.clear();
        let names = watch::give(monitor, happenings, numbers, &mut self.violations);
        decision.not_serializable += u64::from(!self.violations.is_empty());
        let conflicts = watch::conflicts(decision.fencing.criterion());
        for violation in &self.violations {
            watch::check(violation, &Execution::at_once(&run), &names, conflicts);
        }
    }

    fn decide(&mut self, program: &Program, numbers: &Numbers, fencing: Fencing) -> Decision {
        let mut decision = Decision::new(fencing);
        Machine::new(program, machine::Model::Sc).representatives(&mut |happenings| {
            self.watch(happenings, numbers, &mut decision);
        });
        decision
    }
}

/// A random program and its transactions.
fn random_program(random: &mut Random, with: Ingredients) -> (Program, Numbers) {
    let program = random::program(random, with);
    let numbers = watch::numbers(random, program.threads.iter().map(Vec::len));
    (program, numbers)
}

/// The program with a full fence at the end of each transaction.
fn fence(program: &Program, numbers: &Numbers) -> (Program, Numbers) {
    let mut fenced = Program { threads: vec![Vec::new(); program.threads.len()] };
    let mut fenced_numbers: Numbers = vec![Vec::new(); numbers.len()];
    for (thread, ops) in program.threads.iter().enumerate() {
        let mut moved = Vec::new();
        for (op, &(mut operation)) in ops.iter().enumerate() {
            moved.push(fenced.threads[thread].len());
            if let Some(guard) = &mut operation.guard {
                guard.op = moved[guard.op];
            }
            fenced.threads[thread].push(operation);
            fenced_numbers[thread].push(numbers[thread][op]);
            if numbers[thread].get(op + 1) != Some(&numbers[thread][op]) {
                fenced.threads[thread].push(Op { guard: None, action: Action::Fence(Barrier::Full) });
                fenced_numbers[thread].push(numbers[thread][op]);
            }
        }
    }
    (fenced, fenced_numbers)
}

/// The program with as few full fences as the compiler asks for to call it fenced: behind the last store of a
/// transaction, and outside of transactions between a store and what is read, or a transaction, behind it.
fn fence_sparsely(program: &Program, numbers: &Numbers) -> (Program, Numbers) {
    let fence = Op { guard: None, action: Action::Fence(Barrier::Full) };
    let mut fenced = Program { threads: vec![Vec::new(); program.threads.len()] };
    let mut fenced_numbers: Numbers = vec![Vec::new(); numbers.len()];
    for (thread, ops) in program.threads.iter().enumerate() {
        let (fenced, fenced_numbers) = (&mut fenced.threads[thread], &mut fenced_numbers[thread]);
        let (mut moved, mut next, mut waits) = (Vec::new(), 0, false);
        let of = &numbers[thread];
        for (op, &(mut operation)) in ops.iter().enumerate() {
            let same = |other: Option<usize>| other.and_then(|other| of.get(other)) == Some(&of[op]);
            let (is_first, is_last) = (!same(op.checked_sub(1)), !same(Some(op + 1)));
            let is_store = |at: usize| matches!(ops[at].action, Action::Access { access: Access::Store(_), .. });
            if is_first && waits && !(is_last && is_store(op)) {
                fenced.push(fence);
                fenced_numbers.push(next);
                (next, waits) = (next + 1, false);
            }
            moved.push(fenced.len());
            if let Some(guard) = &mut operation.guard {
                guard.op = moved[guard.op];
            }
            fenced.push(operation);
            fenced_numbers.push(next);
            waits |= is_store(op);
            let is_last_store = is_store(op) && (op + 1..ops.len()).all(|at| of[at] != of[op] || !is_store(at));
            if !(is_first && is_last) && is_last_store {
                fenced.push(fence);
                fenced_numbers.push(next);
                waits = false;
            }
            next += usize::from(is_last);
        }
    }
    (fenced, fenced_numbers)
}

/// What the compiler asks for is enough, and each violation is a cycle of transactions.
#[test]
fn programs_that_are_fenced_sparsely_are_decided_by_one_execution_a_class() {
    let mut monitor = Atomicity::new(&[MonitorName::TsoAtomicity], Fencing::Proved);
    let mut seen = [0_u32; 2];
    for seed in 0..6000 {
        let random = &mut Random::new(seed);
        let mixes = [
            Ingredients { ops: 5, threads: 2, ..PLAIN },
            Ingredients { guards: true, ops: 5, threads: 2, ..PLAIN },
            PLAIN,
        ];
        let (program, numbers) = random_program(random, mixes[seed as usize % mixes.len()]);
        let (program, numbers) = fence_sparsely(&program, &numbers);
        let is_serializable = is_serializable_by_executions(&program, &numbers);
        let mut violations = Vec::new();
        Machine::new(&program, machine::Model::Sc).representatives(&mut |happenings| {
            monitor.begin();
            let known = violations.len();
            let names = watch::give(&mut monitor, happenings, &numbers, &mut violations);
            violations[known..].iter().for_each(|violation| is_a_cycle(violation, &names));
        });
        assert_eq!(violations.is_empty(), is_serializable, "{program} {numbers:?}");
        seen[usize::from(is_serializable)] += 1;
    }
    assert!(seen.iter().all(|&programs| programs > 500), "too one-sided: {seen:?}");
}

/// Whether the edges lead from each transaction to the next one, and each is there once.
fn is_a_cycle(violation: &Violation, names: &[Transaction]) {
    let Violation { transactions, edges, .. } = violation;
    assert!(transactions.len() > 1 && transactions.len() == edges.len(), "{violation:?}");
    for (place, (transaction, edge)) in transactions.iter().zip(edges).enumerate() {
        assert!(!transactions[..place].contains(transaction), "{violation:?}");
        assert_eq!(names[edge.from as usize], *transaction, "{violation:?}");
        assert_eq!(names[edge.to as usize], transactions[(place + 1) % edges.len()], "{violation:?}");
    }
}

/// Theorems 2 and 3 (001-enea-tacas16), by all executions of random programs; and for fenced ones the verdict of one
/// execution of each class.
#[test]
fn the_theorems_hold_and_fenced_programs_are_decided_by_one_execution_a_class() {
    let mut explorer = Explorer::new();
    let mut seen = [[0_u32; 2]; 2];
    for seed in 0..10_000 {
        let random = &mut Random::new(seed);
        let with = [PLAIN, Ingredients { threads: 2, ops: 5, ..PLAIN }][seed as usize % 2];
        let (program, numbers) = random_program(random, with);
        let (fenced, fenced_numbers) = fence(&program, &numbers);
        for (program, numbers, fencing) in
            [(&program, &numbers, Fencing::Unproved), (&fenced, &fenced_numbers, Fencing::Proved)]
        {
            let is_robust = Machine::new(program, machine::Model::Tso).is_robust();
            let is_sc_serializable = atomicity::is_sc_serializable(program, numbers);
            let is_serializable = atomicity::is_tso_serializable(program, numbers);
            assert!(!(is_robust && is_sc_serializable) || is_serializable, "theorem 2: {program} {numbers:?}");
            seen[usize::from(fencing == Fencing::Proved)][usize::from(is_serializable)] += 1;
            if fencing == Fencing::Unproved {
                continue;
            }
            assert_eq!(is_robust && is_sc_serializable, is_serializable, "theorem 3: {program} {numbers:?}");
            let decision = explorer.decide(program, numbers, fencing);
            let expected = if is_serializable { Verdict::Serializable } else { Verdict::Violated };
            assert_eq!(decision.verdict(), expected, "{program} {numbers:?}");
            assert_eq!((decision.not_robust, decision.not_serializable) == (0, 0), is_serializable);
        }
    }
    assert!(seen.as_flattened().iter().all(|&programs| programs > 500), "too one-sided: {seen:?}");
}

/// Programs with branches: no false alarm, and no silence where there is a violation.
#[test]
fn programs_with_branches_are_decided_or_undecided() {
    let mut explorer = Explorer::new();
    let mut seen = [[0_u32; 2]; 3];
    for seed in 0..6000 {
        let random = &mut Random::new(seed);
        let mixes = [
            Ingredients { guards: true, ops: 6, ..PLAIN },
            Ingredients { guards: true, threads: 2, ops: 8, ..PLAIN },
            Ingredients { guards: true, spawns: true, ..PLAIN },
        ];
        let (program, numbers) = random_program(random, mixes[seed as usize % mixes.len()]);
        let (fenced, fenced_numbers) = fence(&program, &numbers);
        for (program, numbers, fencing) in
            [(&program, &numbers, Fencing::Unproved), (&fenced, &fenced_numbers, Fencing::Proved)]
        {
            let is_serializable = is_serializable_by_executions(program, numbers);
            let verdict = explorer.decide(program, numbers, fencing).verdict();
            let place = match verdict {
                Verdict::Serializable => {
                    assert!(is_serializable, "missed: {program} {numbers:?}");
                    0
                }
                Verdict::Violated => {
                    assert!(!is_serializable, "false alarm: {program} {numbers:?}");
                    1
                }
                Verdict::NeedsTsoExecutions => {
                    assert_eq!(fencing, Fencing::Unproved);
                    assert!(!Machine::new(program, machine::Model::Tso).is_robust(), "{program}");
                    2
                }
            };
            seen[place][usize::from(is_serializable)] += 1;
        }
    }
    // Undecided programs are of both kinds.
    assert!(seen[0][1] > 300 && seen[1][0] > 300 && seen[2].iter().all(|&programs| programs >= 5), "{seen:?}");
}

/// By one TSO execution of each trace.
fn is_serializable_by_executions(program: &Program, numbers: &Numbers) -> bool {
    let mut is_serializable = true;
    Machine::new(program, machine::Model::Tso).representatives(&mut |happenings| {
        is_serializable &= !Execution::new(happenings).is_cyclic(numbers, Conflicts::Tso);
    });
    is_serializable
}

/// Whether all TSO executions are serializable, by the definition; the engine must agree on each of them.
fn all_executions(program: &Program, numbers: &Numbers) -> bool {
    let machine = Machine::new(program, machine::Model::Tso);
    let mut monitor = Serializability::new(Criterion::Tso);
    let mut is_serializable = true;
    let mut violations = Vec::new();
    machine.executions(&mut |happenings| {
        let is_cyclic = Execution::new(happenings).is_cyclic(numbers, Conflicts::Tso);
        is_serializable &= !is_cyclic;
        monitor.begin();
        violations.clear();
        watch::give(&mut monitor, happenings, numbers, &mut violations);
        assert_eq!(!violations.is_empty(), is_cyclic, "{happenings:?} {numbers:?}");
    });
    is_serializable
}

/// That the conflict graph is a function of the trace, and that the engine says of each TSO execution what the
/// definition says.
#[test]
fn every_tso_execution_is_measured_as_its_trace() {
    let mut serializable = 0;
    for seed in 0..600 {
        let with = Ingredients { guards: true, ops: 3, threads: 2, ..PLAIN };
        let (program, numbers) = random_program(&mut Random::new(seed), with);
        let is_serializable = all_executions(&program, &numbers);
        assert_eq!(is_serializable, atomicity::is_tso_serializable(&program, &numbers), "{program} {numbers:?}");
        serializable += u32::from(is_serializable);
    }
    assert!((100..595).contains(&serializable), "too one-sided: {serializable}");
}

/// The programs of section 4.2: serializable under TSO though one is not robust, and the other not SC-serializable.
#[test]
fn the_examples_of_the_paper() {
    let left = Program::parse(&["st a=1; ld b", "ld a; st b=1"]);
    let buffering = Program::parse(&["st a=1; ld b", "st b=1; ld a"]);
    for (program, numbers, expected) in [
        (&buffering, vec![vec![0, 1], vec![0, 1]], [false, true, true]),
        (&left, vec![vec![0, 1], vec![0, 0]], [true, false, true]),
    ] {
        let found = [
            Machine::new(program, machine::Model::Tso).is_robust(),
            atomicity::is_sc_serializable(program, &numbers),
            atomicity::is_tso_serializable(program, &numbers),
        ];
        assert_eq!(found, expected, "{program}");
    }
    let mut explorer = Explorer::new();
    let verdict = explorer.decide(&left, &vec![vec![0, 1], vec![0, 0]], Fencing::Unproved).verdict();
    assert_eq!(verdict, Verdict::Serializable);
    let verdict = explorer.decide(&buffering, &vec![vec![0, 1], vec![0, 1]], Fencing::Unproved).verdict();
    assert_eq!(verdict, Verdict::NeedsTsoExecutions);
}
