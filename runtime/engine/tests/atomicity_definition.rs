//! The monitors of atomicity against the definitions: executions with all their commits, and all pairs of events.

mod oracle;

use engine::atomicity::{CheckBudget, Criterion, Delay, Mark, Outcome, Serializability, TraceCheck, Violation};
use engine::event::Thread;
use oracle::atomicity::{self, Conflicts, Execution, Happening, Numbers};
use oracle::machine::{Machine, Model, Step};
use oracle::program::{Action, Barrier, Program};
use oracle::random::{self, Ingredients, Random};
use oracle::watch;

const PLAIN: Ingredients = Ingredients { ops: 7, ..Ingredients::PLAIN };

/// A random run of a program.
fn random_run(random: &mut Random, program: &Program) -> Vec<Step> {
    let machine = Machine::new(program, Model::Sc);
    let mut state = machine.initial();
    let mut run = Vec::new();
    loop {
        let enabled: Vec<usize> =
            (0..program.threads.len()).filter(|&thread| machine.is_enabled(&state, thread)).collect();
        if enabled.is_empty() {
            return run;
        }
        run.push(machine.execute(&mut state, enabled[random.below(enabled.len())]));
    }
}

/// A random trace and its transactions.
fn random_trace(random: &mut Random, with: Ingredients) -> (Vec<Step>, Numbers) {
    let program = random::program(random, with);
    let numbers = watch::numbers(random, program.threads.iter().map(Vec::len));
    (random_run(random, &program), numbers)
}

/// Checks definition 3 on a trace; whether it is serializable.
fn check_trace(check: &mut TraceCheck, run: &[Step], numbers: &Numbers) -> bool {
    let mut is_serializable = true;
    atomicity::executions(run, &mut |happenings| {
        let execution = Execution::new(happenings);
        is_serializable &= !execution.is_cyclic(numbers, Conflicts::Tso);
    });
    let mut violations = Vec::new();
    check.begin();
    let names = watch::give(check, &watch::issues(run), numbers, &mut violations);
    let expected = if is_serializable { Outcome::Serializable } else { Outcome::Violated };
    assert_eq!(check.outcome(), expected, "{run:?} {numbers:?}");
    assert_eq!(violations.is_empty(), is_serializable);
    for violation in &violations {
        watch::check(violation, &watch::delayed(run, &violation.delays), &names, Conflicts::Tso);
    }
    is_serializable
}

fn check_traces(count: u64, with: Ingredients) {
    let mut check = TraceCheck::new(CheckBudget::default());
    let mut serializable = 0;
    for seed in 0..count {
        let (run, numbers) = random_trace(&mut Random::new(seed), with);
        serializable += u64::from(check_trace(&mut check, &run, &numbers));
    }
    assert!(serializable > count / 10 && serializable < count * 9 / 10, "too one-sided: {serializable} of {count}");
}

/// Definition 3, by all commit placements of traces of at most 9 events.
#[test]
fn the_check_of_traces_is_exact() {
    check_traces(8000, PLAIN);
    check_traces(6000, Ingredients { threads: 2, ..PLAIN });
    check_traces(4000, Ingredients { addresses: 3, ..PLAIN });
    check_traces(2000, Ingredients { threads: 2, addresses: 3, ..PLAIN });
}

#[test]
fn the_check_of_traces_knows_all_ingredients() {
    check_traces(1000, Ingredients { mutexes: 2, ..PLAIN });
    check_traces(1000, Ingredients { spawns: true, ops: 6, ..PLAIN });
}

/// The same run and transactions, with the full fences before and after accesses as events of their own.
fn with_fences_apart(run: &[Step], numbers: &Numbers) -> (Vec<Step>, Numbers) {
    let mut apart = Vec::new();
    let mut numbers_apart: Numbers = vec![Vec::new(); numbers.len()];
    for step in run {
        let fence = |barrier| (barrier == Barrier::Full).then_some(Action::Fence(Barrier::Full));
        let (before, after) = step.action.barriers();
        let access = match step.action {
            Action::Access { access, addresses, .. } => Action::plain(access, addresses),
            action => action,
        };
        let fences = if access == step.action { [None; 2] } else { [fence(before), fence(after)] };
        for action in [fences[0], Some(access), fences[1]].into_iter().flatten() {
            let ops = &mut numbers_apart[step.thread];
            apart.push(Step { thread: step.thread, op: ops.len(), action, wrote: step.wrote && action == access });
            ops.push(numbers[step.thread][step.op]);
        }
    }
    (apart, numbers_apart)
}

/// Accesses with fences, and compare-and-swaps.
#[test]
fn fences_of_accesses_are_fences() {
    let with = Ingredients { ordered: true, ops: 5, ..PLAIN };
    let mut check = TraceCheck::new(CheckBudget::default());
    let mut monitors = [Criterion::Sc, Criterion::TsoAtOnce].map(Serializability::new);
    let mut violations = Vec::new();
    for seed in 0..3000 {
        let random = &mut Random::new(seed);
        let (run, numbers) = random_trace(random, with);
        let (apart, numbers_apart) = with_fences_apart(&run, &numbers);
        let is_serializable = check_trace(&mut check, &apart, &numbers_apart);
        check.begin();
        watch::give(&mut check, &watch::issues(&run), &numbers, &mut violations);
        assert_eq!(check.outcome() == Outcome::Serializable, is_serializable, "{run:?} {numbers:?}");
        for monitor in &mut monitors {
            violations.clear();
            monitor.begin();
            watch::give(monitor, &watch::issues(&run), &numbers, &mut violations);
            let is_cyclic = !violations.is_empty();
            violations.clear();
            monitor.begin();
            watch::give(monitor, &watch::issues(&apart), &numbers_apart, &mut violations);
            assert_eq!(!violations.is_empty(), is_cyclic, "{run:?} {numbers:?}");
        }
    }
}

/// Errata F4 to F6 of 001-enea-tacas16: traces on which the printed theorem 5 or figures 3 and 4 are wrong.
#[test]
fn traces_on_which_the_paper_is_wrong() {
    // The threads; the transaction of each operation; the order of issues; whether all executions are serializable.
    for (threads, transactions, order, is_serializable) in [
        ("st a=1 || st a=2; ld a", "0 00", "110", true),
        ("ld b; st a=1 || st b=2 || ld b; st a=3", "01 0 00", "10202", true),
        ("st b=1; ld a || st a=2", "00 0", "010", true),
        ("mfence; st b=1; ld a; st a=2 || st a=3; st b=4", "0012 01", "000101", false),
        ("ld a; ld a || st a=1; st a=2", "01 00", "0110", false),
        ("st a=1; st a=2 || ld a; ld a", "01 00", "0110", false),
    ] {
        let threads: Vec<&str> = threads.split(" || ").collect();
        let program = Program::parse(&threads);
        let machine = Machine::new(&program, Model::Sc);
        let mut state = machine.initial();
        let digit = |digit: u8| usize::from(digit - b'0');
        let run: Vec<Step> = order.bytes().map(|thread| machine.execute(&mut state, digit(thread))).collect();
        let numbers: Numbers = transactions.split(' ').map(|numbers| numbers.bytes().map(digit).collect()).collect();
        let found = check_trace(&mut TraceCheck::new(CheckBudget::default()), &run, &numbers);
        assert_eq!(found, is_serializable, "{program}");
    }
}

/// A budget of nothing decides nothing, unless every execution has the cycle.
#[test]
fn the_end_of_the_budget_is_no_verdict() {
    let mut check = TraceCheck::new(CheckBudget { steps: 0, accesses: 100 });
    let program = Program::parse(&["st a=1; ld b", "st b=1; ld a"]);
    let machine = Machine::new(&program, Model::Sc);
    let mut state = machine.initial();
    let run: Vec<Step> = [0, 1, 0, 1].map(|thread| machine.execute(&mut state, thread)).to_vec();
    let mut violations = Vec::new();
    watch::give(&mut check, &watch::issues(&run), &vec![vec![0, 0], vec![0, 0]], &mut violations);
    assert_eq!((check.outcome(), violations), (Outcome::Undecided, vec![]));
}

/// A random execution of a random trace.
fn random_execution(random: &mut Random, run: &[Step]) -> Vec<Happening> {
    let mut waiting: Vec<usize> = Vec::new();
    let mut happenings = Vec::new();
    let mut issued = 0;
    let eager = 2 + random.below(4);
    while issued < run.len() || !waiting.is_empty() {
        let step = run.get(issued);
        let first =
            |store: &usize| waiting.iter().find(|&&other| run[other].thread == run[*store].thread) == Some(store);
        let oldest: Vec<usize> = waiting.iter().copied().filter(first).collect();
        let must = |step: &Step| {
            oldest.iter().copied().find(|&store| {
                let ended = Action::Join(run[store].thread);
                atomicity::is_drain(step) && (run[store].thread == step.thread || step.action == ended)
            })
        };
        let any = (!oldest.is_empty() && (step.is_none() || random.chance(eager)))
            .then(|| oldest[random.below(oldest.len())]);
        if let Some(store) = step.and_then(must).or(any) {
            waiting.retain(|&other| other != store);
            happenings.push(Happening::Commit(store));
        } else if let Some(&step) = step {
            happenings.push(Happening::Issue(step));
            if atomicity::is_store(&step) {
                waiting.push(issued);
            }
            issued += 1;
        }
    }
    happenings
}

fn check_execution(
    monitor: &mut Serializability,
    criterion: Criterion,
    run: &[Step],
    random: &mut Random,
    numbers: &Numbers,
) -> bool {
    let commits = matches!(criterion, Criterion::Tso | Criterion::ScEquivalence);
    let happenings = if commits { random_execution(random, run) } else { watch::issues(run) };
    let execution = if commits { Execution::new(&happenings) } else { Execution::at_once(run) };
    let conflicts = watch::conflicts(criterion);
    let mut violations: Vec<Violation> = Vec::new();
    monitor.begin();
    let mut names = watch::give(monitor, &happenings, numbers, &mut violations);
    if criterion == Criterion::ScEquivalence {
        (0..).zip(&mut names).for_each(|(event, name)| name.number = event);
    }
    let is_cyclic = execution.is_cyclic(numbers, conflicts);
    assert_eq!(!violations.is_empty(), is_cyclic, "{criterion:?} {happenings:?} {numbers:?}");
    for violation in &violations {
        watch::check(violation, &execution, &names, conflicts);
        if commits {
            watch::check(violation, &watch::delayed(run, &violation.delays), &names, conflicts);
        } else {
            assert!(violation.delays.is_empty());
        }
    }
    is_cyclic
}

#[test]
fn executions_are_measured_by_all_pairs_of_their_events() {
    let mixes = [
        PLAIN,
        Ingredients { threads: 2, ..PLAIN },
        Ingredients { ops: 12, ..PLAIN },
        Ingredients { ops: 12, threads: 4, addresses: 3, ..PLAIN },
        Ingredients { ops: 11, mutexes: 2, ..PLAIN },
        Ingredients { ops: 11, spawns: true, ..PLAIN },
    ];
    for criterion in [Criterion::Sc, Criterion::TsoAtOnce, Criterion::Tso, Criterion::ScEquivalence] {
        let mut monitor = Serializability::new(criterion);
        let mut cyclic = 0;
        for seed in 0..24_000 {
            let random = &mut Random::new(seed);
            let (run, numbers) = random_trace(random, mixes[seed as usize % mixes.len()]);
            cyclic += u64::from(check_execution(&mut monitor, criterion, &run, random, &numbers));
        }
        assert!((100..22_000).contains(&cyclic), "{criterion:?}: too one-sided: {cyclic}");
    }
}

/// A store that waits while twenty thousand other events go by, and the transaction that it breaks: the trace is
/// examined in windows, and what matters is kept. With a fence behind the store nothing is wrong, and nothing is kept.
#[test]
fn cycles_are_found_across_windows() {
    for is_fenced in [false, true] {
        let step = |thread, text: &str| {
            let action = Action::parse(text);
            Step { thread, op: 0, action, wrote: text.starts_with("st ") }
        };
        let mut check = TraceCheck::new(CheckBudget { steps: 1_000_000, accesses: 10_000 });
        let (mut violations, mut most) = (Vec::new(), 0);
        let mut tell = |check: &mut TraceCheck, thread, texts: &[&str]| {
            watch::Watch::mark(check, Thread::from_index(thread), Mark::Begin);
            texts.iter().for_each(|text| watch::Watch::event(check, &step(thread, text), &mut violations));
            watch::Watch::mark(check, Thread::from_index(thread), Mark::End);
            most = most.max(check.accesses());
        };
        tell(&mut check, 0, if is_fenced { &["st a=1", "ld b", "mfence"] } else { &["st a=1", "ld b"] });
        for _ in 0..5000 {
            tell(&mut check, 2, &["st c=1", "mfence"]);
            tell(&mut check, 3, &["ld c", "ld d", "mfence"]);
        }
        tell(&mut check, 1, &["st b=1", "mfence", "ld a"]);
        check.end(&mut violations).expect("balanced");
        assert!(most < 9000, "{most} accesses were kept");
        if is_fenced {
            assert_eq!((check.outcome(), violations), (Outcome::Serializable, vec![]));
            continue;
        }
        assert_eq!(check.outcome(), Outcome::Violated);
        let [violation] = violations.as_slice() else { panic!("one cycle: {violations:?}") };
        let edges: Vec<(u32, u32)> = violation.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        // ld b before st b, and ld a before st a, which a buffer made possible.
        let (store, load) = (25_002, 25_004);
        assert!(edges == [(1, store), (load, 0)] || edges == [(load, 0), (1, store)], "{edges:?}");
        assert_eq!(violation.delays, [Delay { store: 0, after: load }]);
        assert!(violation.edges.iter().filter(|edge| edge.is_reordered()).count() == 1);
    }
}
