//! The classic litmus shapes at four strengths under each model: one generated C program, in which `fh_choose` picks the
//! shape and how it is written.
//!
//! Why the verdicts are what they are: each shape has one outcome that no interleaving explains. Whether a model allows it
//! is known from the literature ("Herding Cats", TOPLAS 2014, for POWER; "Simplifying ARM Concurrency", POPL 2018; the
//! manual of RISC-V; "Repairing Sequential Consistency in C/C++11", PLDI 2017), for the code that compilers make of the
//! C11 orders on each machine. (`docs/power.md`, section 5, has that code.)

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use libtest_mimic::Failed;
use serde_json::Value;

use crate::installation::{Installation, Scratch};

/// An access of a litmus test: of a variable, and the value of a store.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Store(char, u32),
    Load(char),
}
use Access::{Load as R, Store as W};

/// A shape: its name, its threads, its outcome in terms of what its loads read, in their order, and of what its variables
/// hold in the end; and whether each model allows that, at each strength.
struct Shape {
    name: &'static str,
    threads: &'static [&'static [Access]],
    outcome: &'static str,
    /// In the order of [`MODELS`]: `A` allowed, `-` forbidden. In the order of [`Strength`].
    allowed: [&'static str; 4],
}

const MODELS: [&str; 7] = ["sc", "tso", "pso", "power", "armv8", "riscv", "c11"];

/// How the accesses are ordered.
#[derive(Clone, Copy)]
enum Strength {
    /// Not at all.
    Relaxed,
    /// Stores release, loads acquire.
    ReleaseAcquire,
    /// Accesses are sequentially consistent.
    Consistent,
    /// Accesses are relaxed, with sequentially consistent fences between them.
    Fenced,
}

const FORBIDDEN: &str = "-------";

const SHAPES: [Shape; 15] = [
    Shape {
        name: "SB",
        threads: &[&[W('x', 1), R('y')], &[W('y', 1), R('x')]],
        outcome: "r[0] == 0 && r[1] == 0",
        allowed: ["-AAAAAA", "-AAAAAA", FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "MP",
        threads: &[&[W('x', 1), W('y', 1)], &[R('y'), R('x')]],
        outcome: "r[0] == 1 && r[1] == 0",
        allowed: ["--AAAAA", FORBIDDEN, FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "LB",
        threads: &[&[R('x'), W('y', 1)], &[R('y'), W('x', 1)]],
        outcome: "r[0] == 1 && r[1] == 1",
        allowed: ["---AAA-", FORBIDDEN, FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "2+2W",
        threads: &[&[W('x', 1), W('y', 2)], &[W('y', 1), W('x', 2)]],
        outcome: "x == 1 && y == 1",
        allowed: ["--AAAAA", "------A", FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "S",
        threads: &[&[W('x', 2), W('y', 1)], &[R('y'), W('x', 1)]],
        outcome: "r[0] == 1 && x == 2",
        allowed: ["--AAAAA", FORBIDDEN, FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "R",
        threads: &[&[W('x', 1), W('y', 1)], &[W('y', 2), R('x')]],
        outcome: "r[0] == 0 && y == 2",
        allowed: ["-AAAAAA", "-AAAAAA", FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "WRC",
        threads: &[&[W('x', 1)], &[R('x'), W('y', 1)], &[R('y'), R('x')]],
        outcome: "r[0] == 1 && r[1] == 1 && r[2] == 0",
        allowed: ["---AAAA", FORBIDDEN, FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "RWC",
        threads: &[&[W('x', 1)], &[R('x'), R('y')], &[W('y', 1), R('x')]],
        outcome: "r[0] == 1 && r[1] == 0 && r[2] == 0",
        allowed: ["-AAAAAA", "-AAAAAA", FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "ISA2",
        threads: &[&[W('x', 1), W('y', 1)], &[R('y'), W('z', 1)], &[R('z'), R('x')]],
        outcome: "r[0] == 1 && r[1] == 1 && r[2] == 0",
        allowed: ["--AAAAA", FORBIDDEN, FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "W+RWC",
        threads: &[&[W('x', 1), W('y', 1)], &[R('y'), R('z')], &[W('z', 1), R('x')]],
        outcome: "r[0] == 1 && r[1] == 0 && r[2] == 0",
        allowed: ["-AAAAAA", "-AAAAAA", FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "IRIW",
        threads: &[&[W('x', 1)], &[W('y', 1)], &[R('x'), R('y')], &[R('y'), R('x')]],
        outcome: "r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0",
        allowed: ["---AAAA", "---A--A", FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "Z6.3",
        threads: &[&[W('x', 1), W('y', 1)], &[W('y', 2), W('z', 1)], &[R('z'), R('x')]],
        outcome: "r[0] == 1 && r[1] == 0 && y == 2",
        allowed: ["--AAAAA", "---A--A", FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "3.SB",
        threads: &[&[W('x', 1), R('y')], &[W('y', 1), R('z')], &[W('z', 1), R('x')]],
        outcome: "r[0] == 0 && r[1] == 0 && r[2] == 0",
        allowed: ["-AAAAAA", "-AAAAAA", FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "3.LB",
        threads: &[&[R('x'), W('y', 1)], &[R('y'), W('z', 1)], &[R('z'), W('x', 1)]],
        outcome: "r[0] == 1 && r[1] == 1 && r[2] == 1",
        allowed: ["---AAA-", FORBIDDEN, FORBIDDEN, FORBIDDEN],
    },
    Shape {
        name: "CoRR",
        threads: &[&[W('x', 1)], &[R('x'), R('x')]],
        outcome: "r[0] == 1 && r[1] == 0",
        allowed: [FORBIDDEN; 4],
    },
];

/// A way to write the accesses; `V` is the variable, `N` the value. What is not atomic counts as relaxed.
struct Spelling {
    strength: Strength,
    store: &'static str,
    load: &'static str,
    between: &'static str,
}

const SPELLINGS: [Spelling; 7] = [
    Spelling {
        strength: Strength::Relaxed,
        store: "atomic_store_explicit(&V, N, memory_order_relaxed);",
        load: "atomic_load_explicit(&V, memory_order_relaxed);",
        between: "",
    },
    Spelling { strength: Strength::Relaxed, store: "plain(V) = N;", load: "plain(V);", between: "" },
    Spelling {
        strength: Strength::Relaxed,
        store: "*(volatile int *)&plain(V) = N;",
        load: "*(volatile int *)&plain(V);",
        between: "",
    },
    Spelling {
        strength: Strength::ReleaseAcquire,
        store: "atomic_store_explicit(&V, N, memory_order_release);",
        load: "atomic_load_explicit(&V, memory_order_acquire);",
        between: "",
    },
    Spelling { strength: Strength::Consistent, store: "V = N;", load: "V;", between: "" },
    Spelling {
        strength: Strength::Fenced,
        store: "atomic_store_explicit(&V, N, memory_order_relaxed);",
        load: "atomic_load_explicit(&V, memory_order_relaxed);",
        between: "atomic_thread_fence(memory_order_seq_cst);",
    },
    Spelling {
        strength: Strength::Fenced,
        store: "plain(V) = N;",
        load: "plain(V);",
        between: r#"__asm__ volatile("dmb ish" ::: "memory");"#,
    },
];

fn program() -> Result<String, std::fmt::Error> {
    let mut text = String::from(
        "#include <fencehound.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#define plain(v) (*(int *)&v)\n\
         _Atomic int x, y, z;\nint r[4];\n",
    );
    let (mut functions, mut outcomes) = (String::new(), String::new());
    for (shape, Shape { threads, outcome, .. }) in SHAPES.iter().enumerate() {
        for (number, spelling) in SPELLINGS.iter().enumerate() {
            let case = shape * SPELLINGS.len() + number;
            let mut loads = 0;
            for (thread, accesses) in threads.iter().enumerate() {
                writeln!(text, "static void *f{case}_{thread}(void *u) {{")?;
                let mut results = String::new();
                for (index, access) in accesses.iter().enumerate() {
                    let fence = if index > 0 { spelling.between } else { "" };
                    match *access {
                        W(variable, value) => {
                            let store = spelling.store.replace('V', &variable.to_string());
                            writeln!(text, "{fence} {}", store.replace('N', &value.to_string()))?;
                        }
                        R(variable) => {
                            let load = spelling.load.replace('V', &variable.to_string());
                            writeln!(text, "{fence} int r{loads} = {load}")?;
                            write!(results, "r[{loads}] = r{loads}; ")?;
                            loads += 1;
                        }
                    }
                }
                writeln!(text, "{results}return u; }}")?;
            }
            let all: Vec<String> = (0..threads.len()).map(|thread| format!("f{case}_{thread}")).collect();
            writeln!(functions, "{{{}}},", all.join(", "))?;
            writeln!(outcomes, "case {case}: return {outcome};")?;
        }
    }
    write!(
        text,
        "static void *(*const all[][4])(void *) = {{\n{functions}}};\n\
         static int is_weak(int shape, int x, int y) {{ switch (shape) {{\n{outcomes}default: return 0; }} }}\n\
         int main(void) {{\npthread_t t[4];\nint n = 0, shape = fh_choose(sizeof all / sizeof *all);\n\
         for (; n < 4 && all[shape][n]; n++) pthread_create(&t[n], 0, all[shape][n], 0);\n\
         while (n > 0) pthread_join(t[--n], 0);\n\
         if (is_weak(shape, plain(x), plain(y))) fh_observe(shape);\nreturn 0;\n}}\n"
    )?;
    Ok(text)
}

/// The cases of which the model allows the outcome. What is not atomic races under C11, and then has none.
fn allowed(model: usize) -> BTreeSet<usize> {
    let mut cases = BTreeSet::new();
    for (shape, Shape { allowed, .. }) in SHAPES.iter().enumerate() {
        for (number, spelling) in SPELLINGS.iter().enumerate() {
            let races = MODELS[model] == "c11" && spelling.store.contains("plain(V)");
            if !races && allowed[spelling.strength as usize].as_bytes()[model] == b'A' {
                cases.insert(shape * SPELLINGS.len() + number);
            }
        }
    }
    cases
}

/// Checks the program under each model, and compares which outcomes it has.
pub(crate) fn test(installation: &Installation) -> Result<(), Failed> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("shapes.c");
    fs::write(&file, program()?).map_err(|error| error.to_string())?;
    let mut problems = String::new();
    for (index, model) in MODELS.into_iter().enumerate() {
        let options = ["--model", model, "--explorer", "rsmc", "-O0", "--cflags=-w", "--no-judge"].map(str::to_string);
        let check = installation.check(&Scratch::new(), &file.to_string_lossy(), &options)?;
        if check.json["complete"] != true {
            return Err(format!("not complete:\n{}", check.text).into());
        }
        let outcomes = check.json["outcomes"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let found: BTreeSet<usize> =
            outcomes.filter_map(|outcome| outcome.strip_prefix("main: ")?.parse().ok()).collect();
        for &case in found.symmetric_difference(&allowed(index)) {
            let (shape, spelling) = (&SHAPES[case / SPELLINGS.len()], &SPELLINGS[case % SPELLINGS.len()]);
            let is = if found.contains(&case) { "allowed" } else { "forbidden" };
            writeln!(
                problems,
                "{} under {model} is {is}: {}",
                shape.name,
                [spelling.store, spelling.between].join(" ")
            )?;
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.into()) }
}
