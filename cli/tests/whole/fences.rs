//! `fencehound fences`: the cheapest fences with which a program is right, and what is said of them.

use crate::bench::{Bench, Ran};

/// Two threads, and what they share; `ST` and `LD` are relaxed.
fn program(shared: &str, left: &str, right: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         #define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)\n\
         #define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)\n\
         static atomic_int x, y;\n{shared}\n\
         static void *left(void *unused) {{\n{left}\nreturn unused;\n}}\n\
         static void *right(void *unused) {{\n{right}\nreturn unused;\n}}\n\
         int main(void) {{\n    pthread_t a, b;\n    pthread_create(&a, 0, left, 0);\n    \
         pthread_create(&b, 0, right, 0);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n    return 0;\n}}\n"
    )
}

fn advised(program: &str, options: &str) -> Ran {
    Bench::new(&[("a.c", program)]).run(&format!("fences a.c {options}"))
}

fn last(ran: &Ran) -> &str {
    ran.output.lines().last().unwrap_or_default()
}

fn store_buffering() -> String {
    program("volatile int p, q;\nint r1, r2;", "p = 1;\nr1 = q;", "q = 1;\nr2 = p;")
}

#[test]
fn store_buffering_needs_a_fence_in_each_thread() {
    let ran = advised(&store_buffering(), "");
    assert_eq!(ran.status, 1, "{ran:?}");
    let without = "without it x86 (TSO) shows r1 = 0 and r2 = 0, as no SC execution does";
    assert_eq!(ran.output.matches(without).count(), 2, "{}", ran.output);
    for words in
        ["1. full fence between a.c:10 (store p) and a.c:11 (load q), cost 33", "(store q) and a.c:16 (load p)"]
    {
        assert!(ran.output.contains(words), "{}", ran.output);
    }
    let verdict = "repaired: 2 full fences make it right under x86 (TSO), cost 66: all 3 TSO executions ";
    assert!(last(&ran).starts_with(verdict), "{}", ran.output);
}

/// Of atomic accesses an exchange is cheaper than a fence, if the file of costs does not say otherwise.
#[test]
fn costs_decide_between_fences_and_orders() {
    let program = program("int r1, r2;", "ST(x, 1);\nr1 = LD(y);", "ST(y, 1);\nr2 = LD(x);");
    let ran = advised(&program, "");
    assert!(last(&ran).starts_with("repaired: 2 stronger orders make it right under x86 (TSO), cost 40"), "{ran:?}");
    assert!(ran.output.contains("memory_order_seq_cst at a.c:9 (store x), cost 20"), "{ran:?}");
    let bench = Bench::new(&[("a.c", &program), ("costs", "mfence 7\n")]);
    let ran = bench.run("fences a.c --cost costs");
    assert!(last(&ran).starts_with("repaired: 2 full fences make it right under x86 (TSO), cost 14"), "{ran:?}");
}

/// Under PSO the data of a message may be overtaken by its flag, under TSO not; under POWER the loads may, too.
#[test]
fn message_passing_needs_what_the_model_needs() {
    let program = program("int data, seen = 1;", "data = 1;\nST(x, 1);", "if (LD(x))\nseen = data;");
    let ran = advised(&program, "");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(last(&ran).starts_with("clean: right as it is under x86 (TSO): all 2 TSO executions "), "{ran:?}");
    let ran = advised(&program, "--model pso");
    assert!(last(&ran).starts_with("repaired: 1 release fence makes it right under PSO, cost 10"), "{ran:?}");
    assert!(ran.output.contains("  or memory_order_release at a.c:10 (store x)\n"), "{ran:?}");
    let ran = advised(&program, "--model power");
    assert!(last(&ran).starts_with("repaired: "), "{ran:?}");
    assert!(ran.output.contains("memory_order_acquire at a.c:14 (load x), cost 8"), "{ran:?}");
}

/// ARM has one fence for what C11 calls release, acquire-release and full: it is named by the strongest of them. RISC-V has more.
#[test]
fn fences_for_arm_and_riscv_are_those_of_the_machine() {
    let program = program("volatile int p, q;\nint seen = 1;", "p = 1;\nq = 1;", "if (q)\nseen = p;");
    let ran = advised(&program, "--model armv8");
    assert!(last(&ran).starts_with("repaired: 2 full fences make it right under ARMv8, cost 40: "), "{ran:?}");
    let ran = advised(&program, "--model riscv");
    assert!(
        last(&ran).starts_with("repaired: 2 acquire-release fences make it right under RISC-V, cost 20: "),
        "{ran:?}"
    );
    let bench = Bench::new(&[("a.c", &program), ("costs", "fence.tso 70\n")]);
    let ran = bench.run("fences a.c --model riscv --cost costs");
    assert!(last(&ran).starts_with("repaired: 2 full fences make it right under RISC-V, cost 40: "), "{ran:?}");
}

/// On x86 the exchange of a sequentially consistent store is enough for store buffering; in C11 the loads would have to be as well.
#[test]
fn orders_that_are_enough_for_machines_alone_are_told_so() {
    let flags = program("int r1, r2;", "ST(x, 1);\nr1 = LD(y);", "ST(y, 1);\nr2 = LD(x);");
    let ran = advised(&flags, "");
    let note = "by the letter of C11 it is not, where C11 shows r1 = 0 and r2 = 0, as no SC execution does\n";
    assert!(ran.output.contains(note), "{}", ran.output);
    let message = program("int data, seen = 1;", "data = 1;\nST(x, 1);", "if (atomic_load(&x))\nseen = data;");
    let bench = Bench::new(&[("a.c", &message), ("costs", "lwsync 1\nsync 300\n")]);
    let ran = bench.run("fences a.c --model pso,power");
    assert!(ran.output.contains("memory_order_release at a.c:10 (store x)"), "{}", ran.output);
    assert!(!ran.output.contains("letter of C11"), "{}", ran.output);
}

/// One fence in a function that both threads run is one candidate.
#[test]
fn what_both_threads_run_gets_one_fence() {
    let both = "static void *both(void *argument) {\n    int me = argument != 0;\n    flag[me] = 1;\n    \
                seen[me] = flag[1 - me];\n    return 0;\n}\n";
    let program = format!(
        "#include <pthread.h>\nvolatile int flag[2];\nint seen[2];\n{both}int main(void) {{\n    pthread_t a;\n    \
         pthread_create(&a, 0, both, &a);\n    both(0);\n    pthread_join(a, 0);\n    return 0;\n}}\n"
    );
    let ran = advised(&program, "");
    assert!(last(&ran).starts_with("repaired: 1 full fence makes it right under x86 (TSO), cost 66"), "{ran:?}");
    assert!(ran.output.contains("cost 66 (33 each of 2 times)"), "{ran:?}");
}

#[test]
fn what_sc_executions_have_no_fence_repairs() {
    let program = program("int data;", "ST(x, 1);", "assert(LD(x));");
    let ran = advised(&program, "");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(
        ran.output.starts_with("no fence repairs this, which SC executions have, too: assertion at a.c:13"),
        "{ran:?}"
    );
    assert!(last(&ran).starts_with("clean: right as it is under x86 (TSO), but for what SC executions "), "{ran:?}");
}

/// A harmless violation is none unless sequential consistency itself is wanted.
#[test]
fn until_sc_forbids_what_nobody_sees() {
    let program = program("", "ST(x, 1);\n(void)LD(y);", "ST(y, 1);\n(void)LD(x);");
    assert_eq!(advised(&program, "").status, 0);
    let ran = advised(&program, "--until sc");
    assert!(ran.output.contains("without it x86 (TSO) has an execution that no interleaving is like"), "{ran:?}");
    assert!(last(&ran).ends_with("all 3 TSO executions are like interleavings"), "{ran:?}");
}

/// Algorithms of the literature, whose fences under TSO are known: where a thread raises its flag and then looks at the
/// others' (in Lamport's fast mutex twice), and in the parker between the store to its counter and the look at it.
#[test]
fn known_algorithms_get_their_known_fences_under_tso() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../c-tests/");
    for (name, fences) in [
        ("mutual-exclusion/dekker.c", "1 full fence makes"),
        ("mutual-exclusion/peterson.c", "1 full fence makes"),
        ("papers/lamport.c", "2 full fences make"),
        ("papers/parker.c", "1 full fence makes"),
        ("papers/szymanski.c", "2 full fences make"),
    ] {
        let text = std::fs::read_to_string(format!("{root}{name}")).unwrap();
        let ran = Bench::new(&[("a.c", &text)]).run("fences a.c");
        assert!(last(&ran).starts_with(&format!("repaired: {fences} it right under x86 (TSO)")), "{name}: {ran:?}");
    }
}

/// Under TSO the fences between store and load are needed, those behind the load and between two stores are not; under POWER both of
/// these order something, but as lwsync.
#[test]
fn fences_that_are_not_needed_are_named_with_their_cost() {
    let program = "#include <pthread.h>\nvolatile int p, q, data;\nint r1, r2, r3;\n\
        static void *left(void *unused) {\n    p = 1;\n    __asm__ volatile(\"mfence\" ::: \"memory\");\n    r1 = q;\n    \
        __sync_synchronize();\n    r3 = data;\n    return unused;\n}\n\
        static void *right(void *unused) {\n    data = 1;\n    __asm__ volatile(\"mfence\" ::: \"memory\");\n    q = 1;\n    \
        __sync_synchronize();\n    r2 = p;\n    return unused;\n}\n\
        int main(void) {\n    pthread_t a, b;\n    pthread_create(&a, 0, left, 0);\n    \
        pthread_create(&b, 0, right, 0);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n    return 0;\n}\n";
    let ran = advised(program, "");
    assert_eq!(ran.status, 1, "{ran:?}");
    let named =
        "  not needed here: full fence at a.c:8:5, cost 33\n  not needed here: full fence at a.c:14:5, cost 33\nnote: ";
    assert!(ran.output.starts_with(named), "{}", ran.output);
    assert!(last(&ran).starts_with("redundant: 2 fences are not needed here under x86 (TSO), cost 66: "), "{ran:?}");
    let ran = advised(program, "--model power --json -");
    let json: serde_json::Value = serde_json::from_str(&ran.output).unwrap();
    let redundant: Vec<_> = json["redundant"].as_array().unwrap().iter().collect();
    let lines: Vec<_> = redundant.iter().map(|one| (&one["at"]["line"], &one["enough"], &one["cost"])).collect();
    let light = serde_json::json!("memory_order_acq_rel");
    assert_eq!(json["verdict"], "redundant");
    assert_eq!(lines, [(&8.into(), &light, &30.into()), (&14.into(), &light, &30.into())]);
}

/// SPARC keeps loads in order by itself: an acquire fence is no instruction there, and nothing is saved without it.
#[test]
fn what_is_no_instruction_is_not_redundant() {
    let right = "int first = LD(x);\natomic_thread_fence(memory_order_acquire);\nseen = first - LD(y);";
    let ran = advised(
        &program("int seen;", "ST(y, 1);\natomic_thread_fence(memory_order_release);\nST(x, 1);", right),
        "--model pso",
    );
    assert_eq!(ran.status, 0, "{ran:?}");
}

/// To ARM stores of both orders are `stlr`: what C11 makes of the stronger one is no other advice.
#[test]
fn orders_that_are_one_instruction_are_told_once() {
    let stores = program("", "ST(x, 1);\nST(y, 1);", "ST(y, 2);\nST(x, 2);");
    let ran = advised(&stores, "--model armv8");
    assert!(last(&ran).starts_with("repaired: 2 stronger orders make it right under ARMv8, cost 10: "), "{ran:?}");
    assert!(ran.output.contains("memory_order_release at a.c:10 (store y), cost 5"), "{}", ran.output);
    assert!(!ran.output.contains("memory_order_seq_cst at"), "{}", ran.output);
}

/// What is missing and what is too much is told together: here the fence stands behind the load.
#[test]
fn a_fence_in_the_wrong_place_is_missing_in_one_and_not_needed_in_the_other() {
    let shared = "volatile int p, q;\nint r1, r2;";
    let ran = advised(&program(shared, "p = 1;\nr1 = q;\n__sync_synchronize();", "q = 1;\nr2 = p;"), "");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.output.contains("\n  not needed here: full fence at a.c:12:1, cost 33\n"), "{}", ran.output);
    assert!(last(&ran).starts_with("repaired: 2 full fences make it right under x86 (TSO), cost 66: "), "{ran:?}");
}

/// Message passing needs a release and an acquire by the standard, and no machine of the table needs more. A release store costs an
/// `lwsync` (20) on POWER, `fence rw,w` (10) on RISC-V, and an acquire load an `isync` with its branch (8) and `fence r,rw` (10);
/// `stlr` and `ldapr` are 5 each, and x86 has both for nothing.
#[test]
fn orders_are_found_for_all_machines_and_the_standard_at_once() {
    let text = program("", "ST(x, 1);\nST(y, 1);", "if (LD(y)) assert(LD(x));");
    for (models, title, cost) in [
        ("all", "x86 (TSO), ARMv8, RISC-V, POWER and C11", 58),
        ("c11,riscv", "C11 and RISC-V", 20),
        ("c11", "C11", 28),
    ] {
        let ran = advised(&text, &format!("--model {models}"));
        assert_eq!(ran.status, 1, "{ran:?}");
        assert!(ran.output.contains("memory_order_release") && ran.output.contains("memory_order_acquire"), "{ran:?}");
        let wanted = format!("repaired: 2 stronger orders make it right under {title}, cost {cost}: ");
        assert!(last(&ran).starts_with(&wanted), "{ran:?}");
    }
    let ran = Bench::new(&[("a.c", &text)]).run("check a.c --model all");
    assert!(ran.output.contains("\n  cost in an execution: x86 (TSO) 0, ARMv8 10, RISC-V 20, POWER 28\n"), "{ran:?}");
}

#[test]
fn bad_input_is_said_with_what_to_do() {
    let bench = Bench::new(&[("a.c", &store_buffering()), ("costs", "lfence 3\n"), ("sb.litmus", "X86 sb\n")]);
    for (line, message) in [
        ("fences a.c --model sc", "error: under model `sc` no fence is missing\nhelp: name relaxed models"),
        ("fences a.c --cost costs", "error: --cost costs:1: unknown instruction `lfence`\nhelp: a line is a name"),
        ("fences a.c --cost none", "error: --cost none: no such file or directory\nhelp: name a file of costs"),
        ("fences a.c --unroll 3", "error: --unroll does not go with `fences`\nhelp: all executions"),
        ("fences a.c --preemptions 2", "error: --preemptions does not go with `fences`\nhelp: all executions"),
        ("fences a.c --baseline known", "error: --baseline does not go with `fences`\nhelp: all executions"),
        ("fences a.c --write-baseline", "error: --write-baseline does not go with `fences`\nhelp: all executions"),
        ("fences a.c --until never", "invalid value 'never'"),
        ("fences sb.litmus", "error: fences are not looked for in litmus tests\nhelp: name the .c files"),
        ("fences", "`fencehound fences --help` lists what may be typed"),
    ] {
        let ran = bench.run(line);
        assert_eq!(ran.status, 2, "{line}: {ran:?}");
        assert!(ran.errors.contains(message), "{line}: {}", ran.errors);
    }
}

/// Threads of plain accesses, a statement each; with these fences in the gaps between them, counted over all threads.
fn threads_with(threads: &[&[&str]], fences: &[&str]) -> String {
    let mut text = "#include <pthread.h>\nvolatile int x, y, z;\n".to_string();
    let mut fences = fences.iter();
    for (number, statements) in threads.iter().enumerate() {
        text += &format!("static void *f{number}(void *unused) {{\n{}\n", statements[0]);
        for statement in &statements[1..] {
            text += &format!("{}{statement}\n", fences.next().unwrap());
        }
        text += "return unused;\n}\n";
    }
    text += &format!("int main(void) {{\npthread_t t[{}];\n", threads.len());
    for number in 0..threads.len() {
        text += &format!("pthread_create(&t[{number}], 0, f{number}, 0);\n");
    }
    text + &format!("for (int i = 0; i < {}; i++)\npthread_join(t[i], 0);\nreturn 0;\n}}\n", threads.len())
}

/// The least cost of fences in the gaps with which the monitor of a model reports nothing, by trying all of them, of these
/// kinds with their costs.
fn least_cost(threads: &[&[&str]], model: &str, kinds: &[(&str, u64)]) -> u64 {
    let gaps = threads.iter().map(|statements| statements.len() - 1).sum::<usize>();
    let bench = Bench::new(&[]);
    let mut least = u64::MAX;
    for set in 0..kinds.len().pow(gaps.try_into().unwrap()) {
        let chosen: Vec<(&str, u64)> =
            (0..gaps).map(|gap| kinds[set / kinds.len().pow(gap.try_into().unwrap()) % kinds.len()]).collect();
        let cost = chosen.iter().map(|(_, cost)| cost).sum();
        if cost < least {
            let fences: Vec<&str> = chosen.iter().map(|(fence, _)| *fence).collect();
            bench.write("a.c", &threads_with(threads, &fences));
            let ran = bench.run(&format!("check a.c --monitor {model} --no-judge --no-advice"));
            assert!(ran.status < 2, "{ran:?}");
            if ran.status == 0 {
                least = cost;
            }
        }
    }
    least
}

/// Programs of a few gaps: what execution graphs prove to be cheapest, monitors on interleavings know to be so, of all sets.
#[test]
fn no_set_is_cheaper_by_brute_force() {
    const FULL: (&str, u64) = ("__sync_synchronize();\n", 33);
    const RELEASE: (&str, u64) = ("__atomic_thread_fence(__ATOMIC_RELEASE);\n", 10);
    let programs: [&[&[&str]]; 4] = [
        &[&["x = 1;", "(void)y;", "(void)z;"], &["y = 1;", "z = 1;", "(void)x;"]],
        &[&["x = 1;", "(void)y;"], &["y = 1;", "(void)z;"], &["z = 1;", "(void)x;"]],
        &[&["x = 1;", "z = 1;", "(void)y;"], &["y = 1;", "z = 2;", "(void)x;"]],
        &[&["x = 1;", "y = 1;"], &["(void)y;", "x = 2;", "(void)x;"]],
    ];
    for threads in programs {
        let gaps = threads.iter().map(|statements| statements.len() - 1).sum::<usize>();
        for (model, kinds) in [("tso", &[("", 0), FULL][..]), ("pso", &[("", 0), RELEASE, FULL][..])] {
            // Of two kinds of fences there are 81 sets in four gaps.
            if gaps > 3 && kinds.len() > 2 {
                continue;
            }
            let none = vec![""; threads.iter().map(|statements| statements.len()).sum()];
            let text = threads_with(threads, &none);
            let ran = Bench::new(&[("a.c", &text)]).run(&format!("fences a.c --until sc --model {model} --json -"));
            let json: serde_json::Value = serde_json::from_str(&ran.output).unwrap_or_else(|_| panic!("{ran:?}"));
            let found = json["cost"].as_u64().unwrap_or(0);
            assert_eq!(found, least_cost(threads, model, kinds), "{model}: {json}\n{text}");
        }
    }
}
