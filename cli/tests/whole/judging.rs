//! What SC violations are worth: what the program does in relaxed executions against what it does in sequentially
//! consistent ones.

use serde_json::{Value, json};

use crate::bench::Bench;

/// Two threads, what they share, and what main does when both have ended. `ST` and `LD` are relaxed, `FENCE` is full.
fn program(shared: &str, left: &str, right: &str, end: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         #include <fencehound.h>\n\
         #define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)\n\
         #define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)\n\
         #define FENCE() atomic_thread_fence(memory_order_seq_cst)\n\
         static atomic_int x, y;\n{shared}\n\
         static void *left(void *unused) {{ {left} return unused; }}\n\
         static void *right(void *unused) {{ {right} return unused; }}\n\
         int main(void) {{\n    pthread_t a, b;\n    pthread_create(&a, NULL, left, NULL);\n\
         pthread_create(&b, NULL, right, NULL);\n    pthread_join(a, NULL);\n    pthread_join(b, NULL);\n    {end}\n\
         return 0;\n}}\n"
    )
}

/// The exit status, the last line, and the result of a check.
fn checked(program: &str, options: &str) -> (i32, String, Value) {
    let bench = Bench::new(&[("a.c", program)]);
    let ran = bench.run(&format!("check a.c {options} --json result.json"));
    let result = serde_json::from_str(&bench.read("result.json")).unwrap_or_else(|_| panic!("{ran:?}"));
    (ran.status, ran.output.lines().last().unwrap_or_default().to_string(), result)
}

fn store_buffering(shared: &str, end: &str) -> String {
    program(shared, "ST(x, 1); int seen = LD(y); LEFT;", "ST(y, 1); int seen = LD(x); RIGHT;", end)
}

/// The judgement under TSO.
fn judgement(program: &str, options: &str) -> String {
    let (_, line, result) = checked(program, &format!("--monitor tso {options}"));
    let models = result["models"].as_object().unwrap_or_else(|| panic!("{line}"));
    models["tso"]["judgement"].as_str().unwrap().to_string()
}

#[test]
fn an_outcome_that_no_sc_execution_has_is_named() {
    let program = store_buffering("static int r1, r2;\n#define LEFT r1 = seen\n#define RIGHT r2 = seen", "");
    let (status, line, result) = checked(&program, "");
    assert_eq!(status, 1);
    assert!(line.starts_with("x86 (TSO): shows r1 = 0 and r2 = 0, as no SC execution does; PSO: shows"), "{line}");
    assert_eq!(result["verdict"], "violations");
    let tso = &result["models"]["tso"];
    assert_eq!(tso["difference"], json!([{"name": "r1", "value": "0"}, {"name": "r2", "value": "0"}]));
    // Both loads read 1, or one of them does; TSO adds that none does.
    assert_eq!([&tso["outcomes"], &tso["sc"]["outcomes"]], [4, 3]);
    assert!(result["violations"].as_array().unwrap().iter().all(|one| one["judgement"] == "shows"));
}

#[test]
fn threads_have_one_name_in_reports_and_in_what_is_shown() {
    let program = store_buffering("#define LEFT fh_observe(seen)\n#define RIGHT fh_observe(seen)", "");
    let (_, line, result) = checked(&program, "--monitor tso");
    let both = "x86 (TSO): shows what T1 observes = 0 and what T2 observes = 0, as no SC execution does";
    assert!(line.contains(both), "{line}");
    assert_eq!(result["models"]["tso"]["difference"][0]["name"], "what T1 observes");
}

#[test]
fn a_failure_that_no_sc_execution_has_is_a_finding() {
    let shared = "static int r1, r2;\n#define LEFT r1 = seen\n#define RIGHT r2 = seen";
    let program = store_buffering(shared, "assert(r1 || r2);");
    let bench = Bench::new(&[("a.c", &program)]);
    let ran = bench.run("check a.c --out out --json result.json");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.output.lines().last().unwrap().starts_with("x86 (TSO): breaks, assertion at a.c:"), "{}", ran.output);
    let result: Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    let failure = &result["models"]["tso"]["failure"];
    assert_eq!((&failure["kind"], &failure["finding"]), (&json!("assertion"), &json!("out/tso-assertion-1/")));
    let listed = result["violations"]
        .as_array()
        .unwrap()
        .iter()
        .any(|one| one["id"] == "tso-assertion-1" && one["kind"] == "assertion" && one["model"] == "tso");
    assert!(listed, "{result}");
    assert_eq!(bench.run("replay out/tso-assertion-1").status, 1);
}

#[test]
fn what_nobody_sees_is_harmless_and_listed_in_a_note() {
    let program = store_buffering("#define LEFT (void)seen\n#define RIGHT (void)seen", "");
    let bench = Bench::new(&[("a.c", &program)]);
    let ran = bench.run("check a.c --json result.json");
    assert_eq!(ran.status, 0, "{ran:?}");
    let harmless = "x86 (TSO): clean, 2 SC violations are harmless; PSO: clean, 2 SC violations are harmless; SC: all ";
    assert!(ran.output.lines().last().unwrap().starts_with(harmless), "{}", ran.output);
    assert!(ran.output.starts_with("note: 2 harmless SC violations"), "{}", ran.output);
    assert!(ran.output.lines().count() < 6, "{}", ran.output);
    let result: Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    assert_eq!(result["verdict"], "clean");
    assert_eq!(result["models"]["pso"]["verdict"], "clean");
    // SC-robustness itself.
    for options in ["--strict", "--no-judge"] {
        let ran = bench.run(&format!("check a.c {options}"));
        let word = "violations: 2 distinct SC violations under TSO, 2 under PSO";
        assert!(ran.output.lines().last().unwrap().starts_with(word), "{}", ran.output);
        assert_eq!(ran.status, 1, "{options}");
    }
    assert_eq!(checked(&program, "--strict").2["models"]["tso"]["judgement"], "harmless");
    assert_eq!(checked(&program, "--no-judge").2["models"], Value::Null);
}

#[test]
fn a_program_that_is_written_for_x86_is_judged_for_x86() {
    let stored = "x = 1; __asm__ volatile(\"\" ::: \"memory\"); y = 1;";
    let seen = "int one = LD(y); __asm__ volatile(\"\" ::: \"memory\"); int two = LD(x); assert(!one || two);";
    let of = |left: &str| program("", left, seen, "").replace("static atomic_int x, y;", "static int volatile x, y;");
    let plain = of(stored).replace("LD(y)", "y").replace("LD(x)", "x");
    let (status, line, result) = checked(&plain, "");
    assert_eq!((status, &result["monitors"]), (0, &json!(["tso"])), "{line}");
    assert!(line.ends_with("no SC violation under TSO; PSO not watched: written for x86"), "{line}");
    assert!(result["assumptions"][0].as_str().unwrap().starts_with("the program is written for x86: "), "{result}");
    for options in ["--monitor tso,pso", "--model sc,pso"] {
        let (status, line, _) = checked(&plain, options);
        assert!(status == 1 && line.contains("PSO: breaks") && !line.contains("written for x86"), "{line}");
    }
}

#[test]
fn a_model_that_is_not_asked_for_does_not_change_the_exit_status() {
    let program = program("", "ST(x, 1); ST(y, 1);", "int one = LD(y); int two = LD(x); assert(!one || two);", "");
    let (status, line, result) = checked(&program, "--model sc,tso");
    assert_eq!((status, &result[0]["verdict"]), (0, &json!("clean")), "{line}");
    assert!(line.contains("PSO: breaks, assertion at a.c:13, as in no SC execution (not asked for)"), "{line}");
    assert_eq!(result[0]["models"]["pso"]["asked"], false);
    assert_eq!(checked(&program, "--monitor tso").0, 0);
    assert_eq!(checked(&program, "--model sc,pso").0, 1);
    assert_eq!(checked(&program, "").0, 1);
}

#[test]
fn the_result_of_a_model_beside_that_of_sc_says_what_the_model_shows() {
    let seen = "static int r1, r2;\n#define LEFT r1 = seen\n#define RIGHT r2 = seen";
    let (status, line, both) = checked(&store_buffering(seen, ""), "--model sc,tso");
    assert!(status == 1 && line.starts_with("x86 (TSO): shows r1 = 0 and r2 = 0, as no SC execution does; "), "{line}");
    let (_, _, alone) = checked(&store_buffering(seen, ""), "--model tso");
    for key in ["model", "verdict", "executions"] {
        assert_eq!(both[1][key], alone[key], "{key}");
    }
    assert_eq!((&both[1]["verdict"], &both[1]["models"]["tso"]["judgement"]), (&json!("violations"), &json!("shows")));
    // Either load alone may read 0 or 1, in any order.
    let (_, _, harmless) = checked(&store_buffering(&seen.replace("r1 = seen", "(void)seen"), ""), "--model sc,tso");
    assert_eq!([&harmless[0]["verdict"], &harmless[1]["verdict"]], [&json!("clean"), &json!("clean")], "{harmless}");
}

const WEAK: [(&str, &str); 4] = [("armv8", "ARMv8"), ("riscv", "RISC-V"), ("power", "POWER"), ("c11", "C11")];

#[test]
fn machines_that_are_asked_for_are_judged() {
    let seen = "static int r1, r2;\n#define LEFT r1 = seen\n#define RIGHT r2 = seen";
    for (model, title) in WEAK {
        let option = format!("--model {model}");
        let (status, line, result) = checked(&store_buffering(seen, ""), &option);
        let shows = "violations: shows r1 = 0 and r2 = 0, as no SC execution does; all 4 executions; ";
        assert!(status == 1 && line.starts_with(shows) && line.ends_with(&format!(" ({title})")), "{line}");
        let judged = &result["models"][model];
        assert_eq!(
            (&judged["judgement"], &judged["by"], &judged["asked"]),
            (&json!("shows"), &json!("graphs"), &json!(true))
        );
        // Both loads read 1, or one of them does; without order none may.
        assert_eq!([&judged["outcomes"], &judged["sc"]["outcomes"]], [4, 3]);

        let (status, line, result) = checked(&store_buffering(seen, "assert(r1 || r2);"), &option);
        let breaks = "violations: breaks, assertion at a.c:22, as in no SC execution; 1 assertion in 4 executions";
        assert!(status == 1 && line.starts_with(breaks), "{line}");
        assert_eq!(result["models"][model]["failure"]["finding"], format!("fencehound-out/{model}-assertion-1/"));

        let unseen = store_buffering("#define LEFT (void)seen\n#define RIGHT (void)seen", "");
        let (status, line, result) = checked(&unseen, &option);
        assert!(status == 0 && line.contains("; all end as under SC (") && line.starts_with("clean: all 4 "), "{line}");
        assert_eq!(result["models"][model]["judgement"], "harmless");
        assert_eq!(line.contains("no data race, assertion failure"), model == "c11", "{line}");
        assert_eq!(checked(&unseen, &format!("{option} --strict")).0, 0);

        // What SC executions do, too.
        let (status, line, _) = checked(&store_buffering("#define LEFT\n#define RIGHT", "assert(x != 1);"), &option);
        let known = "violations: 1 assertion in 4 executions, as under SC (";
        assert!(status == 1 && line.starts_with(known), "{line}");
        // Nothing is compared.
        for more in ["--no-judge", "--unroll 3"] {
            let (status, line, result) = checked(&store_buffering(seen, ""), &format!("{option} {more}"));
            assert!(status == 0 && result["models"] == Value::Null, "{line}");
        }
    }
}

#[test]
fn a_data_race_breaks_a_program_under_c11() {
    let plain = program("static int data;\n", "data = 1; ST(x, 1);", "if (LD(x)) (void)*(volatile int *)&data;", "");
    let (status, line, result) = checked(&plain, "--model c11");
    assert!(status == 1 && line.starts_with("violations: breaks, race at a.c:13; 1 data race in "), "{line}");
    assert_eq!(result["models"]["c11"]["failure"]["kind"], "race");
}

#[test]
fn what_is_known_of_a_machine_is_accepted() {
    let seen = "static int r1, r2;\n#define LEFT r1 = seen\n#define RIGHT r2 = seen";
    for (end, said) in [("", "r1 = 0 and r2 = 0 accepted"), ("assert(r1 || r2);", "1 accepted finding")] {
        let bench = Bench::new(&[("a.c", &store_buffering(seen, end))]);
        assert_eq!(bench.run("check a.c --model armv8").status, 1);
        assert_eq!(bench.run("check a.c --model armv8 --baseline known.json --write-baseline").status, 0);
        let ran = bench.run("check a.c --model armv8 --baseline known.json");
        assert!(ran.status == 0 && ran.output.lines().last().unwrap().contains(said), "{ran:?}");
    }
}

#[test]
fn each_part_of_an_end_counts() {
    let printed = "#define LEFT printf(\"%d\", seen)\n#define RIGHT putchar('0' + seen)";
    let observed = "#define LEFT fh_observe(seen)\n#define RIGHT fh_observe(seen)";
    let returned = "#define LEFT return (void *)(long)seen\n#define RIGHT return (void *)(long)seen";
    let reached = "struct node { int value; struct node *next; };\nstatic struct node *_Atomic first;\nstatic int r;\n\
                   #define LEFT r = seen\n\
                   #define RIGHT struct node *node = malloc(sizeof *node); node->value = seen; first = node";
    for shared in [printed, observed, returned, reached] {
        assert_eq!(judgement(&store_buffering(shared, ""), ""), "shows", "{shared}");
    }
    // A block that nothing leads to in the end, a local variable, a thread-local one.
    let lost = reached.replace("first = node", "first = node; first = NULL");
    let freed = reached.replace("first = node", "free(node)");
    let local = "static _Thread_local int r;\n#define LEFT r = seen\n#define RIGHT int mine[2] = {seen}; (void)mine";
    for shared in [&lost, &freed, local] {
        assert_eq!(judgement(&store_buffering(shared, ""), ""), "harmless", "{shared}");
    }
    let status =
        store_buffering("static int r1, r2;\n#define LEFT r1 = seen\n#define RIGHT r2 = seen", "return r1 + r2 == 0;");
    assert_eq!(judgement(&status, "--exit-status ignore --outcome exit"), "shows");
    assert_eq!(judgement(&status, ""), "breaks");
}

#[test]
fn less_of_an_end_is_compared_if_that_is_asked_for() {
    let shared = "static int r1, r2;\n#define LEFT r1 = seen\n#define RIGHT r2 = seen";
    let program = store_buffering(shared, "");
    assert_eq!(judgement(&program, "--outcome observed"), "harmless");
    let ignored = store_buffering(shared, "fh_ignore(&r1, sizeof r1);");
    assert_eq!(judgement(&ignored, ""), "harmless");
    let printed = store_buffering("#define LEFT printf(\"%d\", seen)\n#define RIGHT printf(\"%d\", seen)", "");
    assert_eq!(judgement(&printed, "--outcome observed"), "shows");
    assert_eq!(judgement(&printed, "--outcome exit"), "harmless");
}

#[test]
fn the_state_of_objects_counts() {
    let shared = "static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;\n\
                  #define LEFT if (!seen) pthread_mutex_lock(&one)\n#define RIGHT if (!seen) pthread_mutex_lock(&other)";
    let (_, line, _) = checked(&store_buffering(shared, ""), "--monitor tso");
    assert!(line.contains("shows the state of one = held by main.0 and the state of other = held by main.1"), "{line}");
}

/// What the threads of store buffering have seen matters in the end, or not.
const SEEN: &str = "static int r1, r2;\n#define LEFT r1 = seen\n#define RIGHT r2 = seen\n";
const UNSEEN: &str = "#define LEFT (void)seen\n#define RIGHT (void)seen\n";
/// Futexes as execution graphs know them, and with bit sets, which they refuse.
const FUTEX: &str = "#include <linux/futex.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n\
                     #define FUTEX(at, what, number) syscall(SYS_futex, &(at), what, number, NULL, NULL, 0)\n\
                     #define BITS(at, what, number) syscall(SYS_futex, &(at), what##_BITSET, number, NULL, NULL, 1)\n";

/// The judgements under both models, each by interleavings with store buffers.
fn by_machines(program: &str, options: &str) -> [String; 2] {
    let (_, line, result) = checked(program, options);
    ["tso", "pso"].map(|model| {
        let judged = &result["models"][model];
        assert_eq!(judged["by"], "machines", "{line}");
        judged["judgement"].as_str().unwrap().to_string()
    })
}

#[test]
fn what_graphs_refuse_is_judged_by_interleavings_with_store_buffers() {
    // Mixed widths.
    let half = "#undef LD\n#define LD(at) atomic_load_explicit((_Atomic short *)&(at), memory_order_relaxed)\n";
    // Sixteen bytes.
    let wide = "struct pair { long low, high; };\nstatic _Atomic struct pair box;\n\
                static long taken(void) { struct pair now = box; return now.low + now.high; }\n";
    // A futex with a bit set.
    let wakes = format!("{FUTEX}static int queue;\n");
    for (kind, shared, end) in [
        ("mixed widths", half, ""),
        ("sixteen bytes", wide, "struct pair mine = {1, 2}; box = mine; assert(taken() == 3);"),
        ("futex", &wakes, "BITS(queue, FUTEX_WAKE, 1);"),
    ] {
        let judged = |seen: &str, more: &str| {
            by_machines(&store_buffering(&format!("{seen}{shared}"), &format!("{end} {more}")), "")
        };
        assert_eq!(judged(UNSEEN, ""), ["harmless"; 2], "{kind}");
        assert_eq!(judged(SEEN, ""), ["shows"; 2], "{kind}");
        assert_eq!(judged(SEEN, "assert(r1 || r2);"), ["breaks"; 2], "{kind}");
        let passed = "ST(x, 1); ST(y, 1);";
        let stale = "int one = LD(y); int two = LD(x); assert(!one || two);";
        let (_, line, result) = checked(&program(shared, passed, stale, end), "");
        assert_eq!(result["models"]["tso"], Value::Null, "{kind}: {line}");
        assert_eq!(result["models"]["pso"]["judgement"], "breaks", "{kind}: {line}");
    }
}

#[test]
fn a_wake_up_that_store_buffers_lose_breaks_the_program() {
    // x says that somebody waits, y that he need not.
    let wait = |call: &str, fence: &str| format!("ST(x, 1); {fence} while (!LD(y)) {call}(y, FUTEX_WAIT, 0);");
    let wake = |call: &str, fence: &str| format!("ST(y, 1); {fence} if (LD(x)) {call}(y, FUTEX_WAKE, 1);");
    for (call, how) in [("BITS", ", by interleavings with store buffers"), ("FUTEX", "")] {
        let broken = program(FUTEX, &wait(call, ""), &wake(call, ""), "");
        let (status, line, result) = checked(&broken, "");
        assert_eq!(status, 1);
        let judged = ["tso", "pso"].map(|model| result["models"][model]["judgement"].as_str().unwrap_or_default());
        assert_eq!(judged, ["breaks"; 2], "{line}");
        let said = format!("as in no SC execution{how}; PSO");
        assert!(line.starts_with("x86 (TSO): breaks, lost-wakeup at a.c:") && line.contains(&said), "{line}");
        let listed = result["violations"].as_array().unwrap().iter().any(|one| one["id"] == "tso-lost-wakeup-1");
        assert!(listed, "{result}");
        let fenced = program(FUTEX, &wait(call, "FENCE();"), &wake(call, "FENCE();"), "");
        assert_eq!(checked(&fenced, "").0, 0);
    }
    // Who waits sees it in any case: that the store which is not fenced comes late does no harm.
    let unconditional = program(FUTEX, &wait("FUTEX", ""), "ST(y, 1); FUTEX(y, FUTEX_WAKE, 1); (void)LD(x);", "");
    let (status, line, result) = checked(&unconditional, "");
    assert_eq!(status, 0, "{line}");
    assert!(result["models"].as_object().is_none_or(|models| !models.is_empty()), "{line}");
}

#[test]
fn options_that_graphs_do_not_know_are_judged_by_interleavings_with_store_buffers() {
    let options = ["--spurious-wakeups --explorer bounded", "--weak-cas-fails 1", "--leaks"];
    for option in options {
        assert_eq!(by_machines(&store_buffering(UNSEEN, ""), option), ["harmless"; 2], "{option}");
        assert_eq!(by_machines(&store_buffering(SEEN, ""), option), ["shows"; 2], "{option}");
    }
    // Whether a block is lost is told as a failure.
    let lost =
        store_buffering(&format!("{SEEN}static void *kept;\n"), "kept = malloc(8); if (!r1 && !r2) kept = NULL;");
    assert_eq!(by_machines(&lost, "--leaks"), ["breaks"; 2]);
    // Blocks have other addresses in other executions.
    assert_eq!(judgement(&store_buffering(UNSEEN, ""), "--heap-reuse"), "open");
    assert_eq!(judgement(&store_buffering(SEEN, "assert(r1 || r2);"), "--heap-reuse"), "breaks");
}

#[test]
fn what_neither_world_runs_is_open() {
    let blocks = "void __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\nstatic int queue;\n";
    let end = "__VERIFIER_atomic_begin(); queue = 1; __VERIFIER_atomic_end(); BITS(queue, FUTEX_WAKE, 1);";
    let program = store_buffering(&format!("{UNSEEN}{FUTEX}{blocks}"), end);
    let (status, line, result) = checked(&program, "");
    assert_eq!((status, &result["verdict"]), (3, &json!("incomplete")), "{line}");
    let said = "x86 (TSO): open, 2 SC violations: interleavings with store buffers do not support an atomic block";
    assert!(line.starts_with(said), "{line}");
    assert!(result["models"]["tso"]["why"].as_str().unwrap().contains("a.c:"), "{result}");
    assert_eq!(checked(&program, "--strict").0, 1);
    assert_eq!(judgement(&store_buffering(UNSEEN, ""), "--uninitialised"), "open");
}

#[test]
fn a_failure_of_sc_executions_beyond_the_bound_is_told() {
    let shared = "static int r1, r2;\n#define LEFT ST(x, 2); r1 = seen * 10 + LD(y)\n#define RIGHT ST(y, 2); r2 = seen * 10 + LD(x)";
    // x is 1, then 2, to the right, and y to the left: a switch after each step.
    let program = store_buffering(shared, "assert(!(r1 == 12 && r2 == 12));");
    let (status, line, result) = checked(&program, "--preemptions 0 --explorer bounded");
    assert_eq!(status, 1, "{line}");
    assert!(line.starts_with("violations: 1 assertion in "), "{line}");
    let listed = result["violations"].as_array().unwrap().iter().any(|one| one["id"] == "sc-assertion-1");
    assert!(listed, "{result}");
}

#[test]
fn a_failure_of_sc_does_not_leave_the_rest_open() {
    let shared = "static int r1, r2;\n#define LEFT r1 = seen\n#define RIGHT r2 = seen";
    let program = store_buffering(shared, "assert(r1 + r2 < 2);");
    let (status, line, result) = checked(&program, "");
    assert_eq!(status, 1);
    assert!(line.starts_with("violations: 1 assertion in "), "{line}");
    assert_eq!(result["models"]["tso"]["judgement"], "shows", "{line}");
}
