//! What C11's orders become on the machines, by random programs in C: no machine does what C11 itself does not allow, but
//! for executions with a cycle of program order and reads-from, which C11 has not; and what one machine does, each weaker
//! one does.
//!
//! With `FENCEHOUND_PROGRAMS=5000` so many programs are compared.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use engine::explore::rsmc::Continue;
use litmus::condition::State;
use litmus::graphs::{MemoryModel, Outcome, Performed, explore};
use litmus::parse::parse;

/// Knuth's linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).expect("small")
    }

    fn pick(&mut self, all: &[&'static str]) -> &'static str {
        all[self.below(all.len())]
    }
}

/// How the accesses of a program are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Strength {
    Relaxed,
    ReleaseAcquire,
    Consistent,
    Fenced,
    /// Each access by an order of its own.
    Mixed,
}
use Strength::{Consistent, Fenced, Mixed, Relaxed, ReleaseAcquire};

impl Strength {
    fn orders(self, random: &mut Random) -> [&'static str; 3] {
        match self {
            Relaxed | Fenced => ["relaxed"; 3],
            ReleaseAcquire => ["acquire", "release", "acq_rel"],
            Consistent => ["seq_cst"; 3],
            Mixed => [
                random.pick(&["relaxed", "relaxed", "acquire", "seq_cst"]),
                random.pick(&["relaxed", "relaxed", "release", "seq_cst"]),
                random.pick(&["relaxed", "acquire", "release", "acq_rel", "seq_cst"]),
            ],
        }
    }

    /// The orders of a compare-and-exchange, the second one for a failure: no order that releases, which C does not have there.
    fn exchange(self, random: &mut Random) -> [&'static str; 2] {
        match self {
            Relaxed | Fenced => ["relaxed"; 2],
            ReleaseAcquire => ["acq_rel", "acquire"],
            Consistent => ["seq_cst"; 2],
            Mixed => [
                random.pick(&["relaxed", "acquire", "release", "acq_rel", "seq_cst"]),
                random.pick(&["relaxed", "relaxed", "acquire", "seq_cst"]),
            ],
        }
    }

    fn fence(self, random: &mut Random) -> &'static str {
        match self {
            Relaxed | ReleaseAcquire | Consistent => "",
            Fenced => "seq_cst",
            Mixed => random.pick(&["", "", "", "acquire", "release", "acq_rel", "seq_cst"]),
        }
    }
}

/// A program in C; all accesses are atomic, and all results are used.
fn program(random: &mut Random, strength: Strength) -> String {
    let mut text = String::from("C random\n{ }\n");
    let lengths: &[usize] = [&[3, 3][..], &[2, 2, 2], &[1, 3, 2], &[2, 3], &[1, 1, 2, 2]][random.below(5)];
    let variables = &["x", "y", "z"][..2 + random.below(2)];
    for (thread, &length) in lengths.iter().enumerate() {
        writeln!(text, "P{thread} (atomic_int* x, atomic_int* y, atomic_int* z) {{").expect("a string takes text");
        let mut reads = Vec::new();
        for step in 0..length {
            let [load, store, update] = strength.orders(random);
            let fence = if step > 0 { strength.fence(random) } else { "" };
            if !fence.is_empty() {
                writeln!(text, "atomic_thread_fence(memory_order_{fence});").expect("a string takes text");
            }
            let variable = random.pick(variables);
            let value = if reads.is_empty() || random.below(3) > 0 {
                (1 + random.below(2)).to_string()
            } else {
                format!("r{}", reads[random.below(reads.len())])
            };
            let statement = match random.below(10) {
                0..3 => format!("int r{step} = atomic_load_explicit({variable}, memory_order_{load});"),
                3..6 => format!("atomic_store_explicit({variable}, {value}, memory_order_{store});"),
                6 => format!("int r{step} = atomic_exchange_explicit({variable}, {value}, memory_order_{update});"),
                7 => format!("int r{step} = atomic_fetch_add_explicit({variable}, {value}, memory_order_{update});"),
                _ => compare_exchange(random, strength, step, variable, &value),
            };
            if statement.starts_with("int") {
                reads.push(step);
            }
            writeln!(text, "{statement}").expect("a string takes text");
        }
        text += "}\n";
    }
    text + "exists (x=0 /\\ y=0 /\\ z=0)\n"
}

/// A compare-and-exchange that expects what is there at first, or what is written. What it finds, or expected, is in the
/// variable of its step, and whether it succeeded in one of its own. As in the whole tool, a weak one fails only where a strong
/// one would.
fn compare_exchange(random: &mut Random, strength: Strength, step: usize, variable: &str, value: &str) -> String {
    let expected = random.below(2);
    let form = random.pick(&["strong", "weak"]);
    let [success, failure] = strength.exchange(random);
    format!(
        "int r{step} = {expected}; int s{step} = atomic_compare_exchange_{form}_explicit({variable}, &r{step}, {value}, \
         memory_order_{success}, memory_order_{failure});"
    )
}

/// Whether program order and reads-from have no cycle.
fn is_in_order(accesses: &[Performed]) -> bool {
    let mut left: Vec<usize> = (0..accesses.len()).collect();
    loop {
        let is_last = |&one: &usize| {
            !left.iter().any(|&other| {
                let (before, after) = (&accesses[one].event, &accesses[other].event);
                let in_program = before.thread == after.thread && before.index < after.index;
                other != one && (in_program || accesses[other].source == Some(one))
            })
        };
        let (gone, rest): (Vec<usize>, Vec<usize>) = left.iter().partition(|one| is_last(one));
        if gone.is_empty() {
            return rest.is_empty();
        }
        left = rest;
    }
}

/// The final states under a model: all of them, and those of executions in order.
fn states(text: &str, model: MemoryModel) -> [BTreeSet<State>; 2] {
    let test = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut found = [BTreeSet::new(), BTreeSet::new()];
    let (_, result) = explore(&test, model, 1000, &mut |finished| {
        if is_in_order(&finished.accesses()) {
            let Outcome::Final(state) = &finished.outcome else { panic!("a loop without an access") };
            found[1].insert(state.clone());
        }
        let Outcome::Final(state) = finished.outcome else { panic!("a loop without an access") };
        found[0].insert(state);
        Continue::Yes
    });
    assert_eq!(result, Ok(()), "{text}");
    found
}

fn count() -> usize {
    std::env::var("FENCEHOUND_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(200)
}

const MACHINES: [MemoryModel; 6] =
    [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso, MemoryModel::Power, MemoryModel::Armv8, MemoryModel::Riscv];

#[test]
fn no_machine_does_what_c11_does_not_allow() {
    let mut random = Random(11);
    let mut weaker = [0; MACHINES.len()];
    for _ in 0..count() {
        let text = program(&mut random, Mixed);
        let [allowed, _] = states(&text, MemoryModel::C11);
        for (model, weaker) in MACHINES.into_iter().zip(&mut weaker) {
            let [_, found] = states(&text, model);
            assert!(found.is_subset(&allowed), "{model:?} does more than C11 in\n{text}");
            *weaker += usize::from(found.len() < allowed.len());
        }
    }
    assert!(weaker.iter().all(|&weaker| weaker > 0), "the machines are not told from C11: {weaker:?}");
}

#[test]
fn what_one_machine_does_each_weaker_one_does() {
    let mut random = Random(12);
    let weak = [MemoryModel::Power, MemoryModel::Armv8, MemoryModel::Riscv];
    for nth in 0..count() {
        let text = program(&mut random, [Relaxed, ReleaseAcquire, Consistent, Fenced][nth % 4]);
        let of = |model| {
            let [all, _] = states(&text, model);
            all
        };
        let [sc, tso, pso] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso].map(of);
        assert!(sc.is_subset(&tso) && tso.is_subset(&pso), "SC, TSO, PSO in\n{text}");
        for model in weak {
            assert!(pso.is_subset(&of(model)), "{model:?} does less than PSO in\n{text}");
        }
        assert!(sc.is_subset(&of(MemoryModel::C11)), "C11 does less than SC in\n{text}");
    }
}
