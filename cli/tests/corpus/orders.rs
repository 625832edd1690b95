//! Every memory order, in every spelling, in the classic litmus shapes: one generated program, in which `fh_choose`
//! picks the shape and the spelling, and what TSO and PSO make of each, by the mapping table.
//!
//! Why the verdicts are what they are: each shape has one critical cycle (Shasha and Snir), which alternates between
//! conflicts and pairs of accesses in program order. An execution that goes round it is possible under a model exactly
//! if the model relaxes one of these pairs. TSO relaxes a store before a load, PSO also a store before a store, where
//! no barrier stands between them; neither relaxes what comes after a load. A read-modify-write waits in no buffer, so
//! nothing overtakes it. All interleavings are run, so the monitors decide (TACAS'11, theorem 1).

use std::fmt::Write as _;
use std::fs;

use libtest_mimic::Failed;
use serde_json::Value;

use crate::installation::{Installation, Scratch};

/// An access of a litmus test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Store(usize),
    Load(usize),
}
use Access::{Load, Store};

/// The shapes: their names and threads, over the variables 0 and 1.
const SHAPES: [(&str, &[&[Access]]); 8] = [
    ("SB", &[&[Store(0), Load(1)], &[Store(1), Load(0)]]),
    ("MP", &[&[Store(0), Store(1)], &[Load(1), Load(0)]]),
    ("LB", &[&[Load(0), Store(1)], &[Load(1), Store(0)]]),
    ("S", &[&[Store(0), Store(1)], &[Load(1), Store(0)]]),
    ("R", &[&[Store(0), Store(1)], &[Store(1), Load(0)]]),
    ("2+2W", &[&[Store(0), Store(1)], &[Store(1), Store(0)]]),
    ("IRIW", &[&[Store(0)], &[Store(1)], &[Load(0), Load(1)], &[Load(1), Load(0)]]),
    ("WRC", &[&[Store(0)], &[Load(0), Store(1)], &[Load(1), Load(0)]]),
];

/// What stands between two accesses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Barrier {
    Nothing,
    /// Orders stores.
    Stores,
    Full,
}
use Barrier::{Full, Nothing, Stores};

/// A way to write the accesses. `V` is the variable, `N` the value.
struct Spelling {
    store: &'static str,
    /// What the table has before a store, and after it.
    around_store: [Barrier; 2],
    load: &'static str,
    before_load: Barrier,
    between: &'static str,
    barrier: Barrier,
}

const fn accesses(
    store: &'static str,
    around_store: [Barrier; 2],
    load: &'static str,
    before_load: Barrier,
) -> Spelling {
    Spelling { store, around_store, load, before_load, between: "", barrier: Nothing }
}

/// Plain accesses with this in between.
const fn between(between: &'static str, barrier: Barrier) -> Spelling {
    Spelling { between, barrier, ..accesses("V = N;", [Nothing, Nothing], "r = V;", Nothing) }
}

const ASM_LOAD: &str = r#"__asm__ volatile("movl %1, %0" : "=r"(r) : "m"(V));"#;

/// The spellings, with what the mapping table (docs/power.md, section 5; `runtime/engine/src/mapping.rs`) makes of
/// them. That nothing overtakes a read-modify-write, as a full barrier on both sides has it, makes no difference to a
/// relaxed one here: in these shapes all stores are, or none.
const SPELLINGS: [Spelling; 33] = [
    between("", Nothing),
    accesses(
        "atomic_store_explicit(&aV, N, memory_order_relaxed);",
        [Nothing, Nothing],
        "r = atomic_load_explicit(&aV, memory_order_relaxed);",
        Nothing,
    ),
    accesses(
        "atomic_store_explicit(&aV, N, memory_order_release);",
        [Stores, Nothing],
        "r = atomic_load_explicit(&aV, memory_order_acquire);",
        Nothing,
    ),
    accesses(
        "atomic_store_explicit(&aV, N, memory_order_release);",
        [Stores, Nothing],
        "r = atomic_load_explicit(&aV, memory_order_consume);",
        Nothing,
    ),
    accesses("atomic_store(&aV, N);", [Stores, Full], "r = atomic_load(&aV);", Nothing),
    accesses("aV = N;", [Stores, Full], "r = aV;", Nothing),
    accesses(
        "__atomic_store_n(&V, N, __ATOMIC_RELAXED);",
        [Nothing, Nothing],
        "r = __atomic_load_n(&V, __ATOMIC_RELAXED);",
        Nothing,
    ),
    accesses(
        "__atomic_store_n(&V, N, __ATOMIC_RELEASE);",
        [Stores, Nothing],
        "r = __atomic_load_n(&V, __ATOMIC_ACQUIRE);",
        Nothing,
    ),
    accesses(
        "__atomic_store_n(&V, N, __ATOMIC_SEQ_CST);",
        [Stores, Full],
        "r = __atomic_load_n(&V, __ATOMIC_SEQ_CST);",
        Nothing,
    ),
    accesses("atomic_exchange_explicit(&aV, N, memory_order_relaxed);", [Full, Full], "r = aV;", Nothing),
    accesses("atomic_exchange_explicit(&aV, N, memory_order_acq_rel);", [Full, Full], "r = aV;", Nothing),
    accesses("atomic_exchange(&aV, N);", [Full, Full], "r = aV;", Nothing),
    accesses("__atomic_exchange_n(&V, N, __ATOMIC_RELEASE);", [Full, Full], "r = V;", Nothing),
    accesses("__sync_lock_test_and_set(&V, N);", [Full, Full], "r = V;", Nothing),
    accesses("V = N;", [Nothing, Nothing], "r = __sync_fetch_and_add(&V, 0);", Full),
    accesses(r#"__asm__ volatile("movl %1, %0" : "=m"(V) : "ir"(N));"#, [Nothing, Nothing], ASM_LOAD, Nothing),
    accesses(r#"r = N; __asm__ volatile("xchgl %0, %1" : "+r"(r), "+m"(V));"#, [Full, Full], ASM_LOAD, Nothing),
    accesses(
        "V = N;",
        [Nothing, Nothing],
        r#"r = 0; __asm__ volatile("lock; xaddl %0, %1" : "+r"(r), "+m"(V));"#,
        Full,
    ),
    between("atomic_thread_fence(memory_order_relaxed);", Nothing),
    between("atomic_thread_fence(memory_order_acquire);", Nothing),
    between("atomic_thread_fence(memory_order_release);", Stores),
    between("atomic_thread_fence(memory_order_acq_rel);", Stores),
    between("atomic_thread_fence(memory_order_seq_cst);", Full),
    between("atomic_signal_fence(memory_order_seq_cst);", Nothing),
    between("__sync_synchronize();", Full),
    between(r#"__asm__ volatile("mfence" ::: "memory");"#, Full),
    between(r#"__asm__ volatile("sfence" ::: "memory");"#, Stores),
    between(r#"__asm__ volatile("lfence" ::: "memory");"#, Nothing),
    between(r#"__asm__ volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc");"#, Full),
    between(r#"__asm__ volatile("lwsync" ::: "memory");"#, Stores),
    between(r#"__asm__ volatile("dmb ish" ::: "memory");"#, Full),
    between(r#"__asm__ volatile("dmb ishst" ::: "memory");"#, Stores),
    between(r#"__asm__ volatile("dmb ishld" ::: "memory");"#, Nothing),
];

/// Whether the models relax a pair of accesses in program order: TSO, PSO.
fn relaxed(spelling: &Spelling, first: Access, second: Access) -> [bool; 2] {
    let before = match second {
        Store(_) => spelling.around_store[0],
        Load(_) => spelling.before_load,
    };
    let barrier = before.max(spelling.around_store[1]).max(spelling.barrier);
    match (first, second) {
        (Store(_), Load(_)) => [barrier < Full; 2],
        (Store(_), Store(_)) => [false, barrier < Stores],
        (Load(_), _) => [false; 2],
    }
}

/// Whether there are executions under TSO and PSO that are not sequentially consistent.
fn expected(threads: &[&[Access]], spelling: &Spelling) -> [bool; 2] {
    let pairs = threads.iter().flat_map(|thread| thread.windows(2));
    pairs.fold([false; 2], |[tso, pso], pair| {
        let [by_tso, by_pso] = relaxed(spelling, pair[0], pair[1]);
        [tso || by_tso, pso || by_pso]
    })
}

/// The program, and for each shape and spelling the first and last line of its threads.
fn program() -> (String, Vec<[u64; 2]>) {
    let mut text = String::from(
        "#include <fencehound.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         volatile int x, y;\n_Atomic int ax, ay;\n",
    );
    let mut line = 6;
    let mut lines = Vec::new();
    let mut cases = String::new();
    for (shape, (_, threads)) in SHAPES.iter().enumerate() {
        for (number, spelling) in SPELLINGS.iter().enumerate() {
            let case = shape * SPELLINGS.len() + number;
            let first = line;
            for (thread, accesses) in threads.iter().enumerate() {
                writeln!(text, "static void *f{case}_{thread}(void *u) {{ int r = 0;").expect("a string takes text");
                line += 1;
                for (index, access) in accesses.iter().enumerate() {
                    let fence = if index > 0 { spelling.between } else { "" };
                    let (statement, variable) = match access {
                        Store(variable) => (spelling.store, variable),
                        Load(variable) => (spelling.load, variable),
                    };
                    let statement =
                        statement.replace('V', ["x", "y"][*variable]).replace('N', &(thread + 1).to_string());
                    writeln!(text, "{fence}\n{statement}").expect("a string takes text");
                    line += 2;
                }
                text += "(void)r; return u; }\n";
                line += 1;
            }
            lines.push([first, line - 1]);
            let functions: Vec<String> = (0..threads.len()).map(|thread| format!("f{case}_{thread}")).collect();
            writeln!(cases, "{{{}}},", functions.join(", ")).expect("a string takes text");
        }
    }
    write!(
        text,
        "static void *(*const cases[][4])(void *) = {{\n{cases}}};\n\
         int main(void) {{\npthread_t t[4];\nint n = 0;\n\
         void *(*const *fs)(void *) = cases[fh_choose(sizeof cases / sizeof *cases)];\n\
         for (; n < 4 && fs[n]; n++) pthread_create(&t[n], 0, fs[n], 0);\n\
         while (n > 0) pthread_join(t[--n], 0);\nreturn 0;\n}}\n"
    )
    .expect("a string takes text");
    (text, lines)
}

/// Checks the program, and compares what is reported for each shape and spelling.
pub(crate) fn test(installation: &Installation) -> Result<(), Failed> {
    let scratch = Scratch::new();
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("orders.c");
    let (text, lines) = program();
    fs::write(&file, text).map_err(|error| error.to_string())?;
    let options =
        ["--preemptions", "none", "-O0", "--cflags=-w", "--no-judge", "--explorer", "bounded"].map(str::to_string);
    let check = installation.check(&scratch, &file.to_string_lossy(), &options)?;
    if check.json["complete"] != true {
        return Err(format!("not complete:\n{}", check.text).into());
    }
    let reported = |[first, last]: [u64; 2], model: &str| {
        let violations = check.json["violations"].as_array().into_iter().flatten();
        let mut delayed =
            violations.filter(|one| one["model"] == model).filter_map(|one| one["sites"][0]["line"].as_u64());
        Value::Bool(delayed.any(|line| (first..=last).contains(&line)))
    };
    let mut problems = String::new();
    let mut lines = lines.into_iter();
    for (shape, threads) in SHAPES {
        for spelling in &SPELLINGS {
            let place = lines.next().ok_or("a case without lines")?;
            for (model, wanted) in ["tso", "pso"].into_iter().zip(expected(threads, spelling)) {
                if reported(place, model) != Value::Bool(wanted) {
                    let Spelling { store, load, between, .. } = spelling;
                    writeln!(
                        problems,
                        "{shape} under {model}: violation expected: {wanted}: {store} {between} {load}"
                    )?;
                }
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.into()) }
}
