//! The default search: within 0, 1, 2, … preemptions, one bound after the other.

use serde_json::{Value, json};

use crate::bench::Bench;

const PROGRAM: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stddef.h>\nstatic atomic_int x, y;\n\
    static void *body(void *unused) { for (int i = 0; i < 3; i++) { x++; y++; } return unused; }\n\
    int main(void) {\n    pthread_t a, b;\n    pthread_create(&a, NULL, body, NULL);\n\
    pthread_create(&b, NULL, body, NULL);\n    pthread_join(a, NULL);\n    pthread_join(b, NULL);\n    return 0;\n}\n";

fn result(bench: &Bench, options: &str) -> (i32, Value) {
    let ran = bench.run(&format!("check a.c {options} --json result.json"));
    (ran.status, serde_json::from_str(&bench.read("result.json")).unwrap_or_else(|_| panic!("{ran:?}")))
}

#[test]
fn each_class_counts_once_at_its_cheapest_bound() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    let (_, classes) = result(&bench, "--explorer dpor");
    let (status, all) = result(&bench, "");
    assert_eq!((status, &all["explorer"], &all["complete"]), (0, &json!("auto"), &json!(true)));
    assert_eq!((&all["executions"], &all["bound"]["preemptions"]), (&classes["executions"], &Value::Null));
    let rows = all["by_bound"].as_array().unwrap();
    let sum: u64 = rows.iter().map(|row| row["executions"].as_u64().unwrap()).sum();
    assert_eq!(all["executions"], sum);
    for bound in [0, 1, 2] {
        let (_, within) = result(&bench, &format!("--preemptions {bound}"));
        let (_, classes) = result(&bench, &format!("--explorer dpor --preemptions {bound}"));
        assert_eq!((&within["executions"], &within["bound"]), (&classes["executions"], &classes["bound"]), "{bound}");
        assert_eq!(within["by_bound"].as_array().unwrap()[..], rows[..=bound], "{bound}");
    }
}

#[test]
fn where_classes_do_not_fit_all_interleavings_are_run_and_that_is_said() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    let (status, all) = result(&bench, "--spurious-wakeups --preemptions 2");
    let (_, bounded) = result(&bench, "--spurious-wakeups --explorer bounded");
    assert_eq!((status, &all["executions"]), (0, &bounded["executions"]));
    assert!(all["assumptions"][0].as_str().unwrap().ends_with("it does not go with --spurious-wakeups"), "{all}");
}

#[test]
fn where_hardly_any_class_is_within_a_bound_the_interleavings_within_it_are_run() {
    let threads = "static void *body(void *unused) { for (int i = 0; i < 24; i++) { x = i; y = x; } return unused; }";
    let contending = format!(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stddef.h>\nstatic atomic_int x; static int y;\n{threads}\n\
         int main(void) {{\n    pthread_t all[4];\n    for (int i = 0; i < 4; i++) pthread_create(&all[i], NULL, body, NULL);\n    \
         for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);\n    return 0;\n}}\n"
    );
    let bench = Bench::new(&[("a.c", &contending)]);
    let (status, cut) = result(&bench, "--time 6s --no-judge --monitor none");
    assert_eq!((status, &cut["verdict"], &cut["stopped_by"]), (3, &json!("incomplete"), &json!("time")), "{cut}");
    let note = cut["assumptions"][0].as_str().unwrap();
    assert!(note.starts_with("all interleavings were run") && note.ends_with("with 0 preemptions"), "{note}");
    // Four threads, each run to its end before the next: 4! orders, with main's creations and joins more.
    let none = &cut["by_bound"][0];
    assert!(none["preemptions"] == 0 && none["executions"].as_u64().unwrap() >= 24, "{cut}");
    assert!(cut["executions"].as_u64() > none["executions"].as_u64(), "{cut}");
}

#[test]
fn what_classes_have_found_is_shown_where_interleavings_take_their_place() {
    // A free is an event to the one explorer and none to the other: neither can follow what the other one ran.
    let threads = "static void *body(void *unused) {\n    for (int i = 0; i < 24; i++) { free(malloc(8)); x = i; y = x; }\n    \
                   return unused;\n}";
    let contending = format!(
        "#include <pthread.h>\n#include <stdlib.h>\nstatic volatile int x, y;\n{threads}\n\
         int main(void) {{\n    pthread_t all[4];\n    for (int i = 0; i < 4; i++) pthread_create(&all[i], NULL, body, NULL);\n    \
         for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);\n    return 0;\n}}\n"
    );
    let bench = Bench::new(&[("a.c", &contending)]);
    let (status, cut) = result(&bench, "--time 6s --no-judge --no-advice");
    assert_eq!((status, &cut["verdict"]), (1, &json!("violations")), "{cut}");
    assert!(cut["assumptions"][0].as_str().unwrap().starts_with("all interleavings were run"), "{cut}");
}

#[test]
fn a_budget_that_ends_before_two_preemptions_leaves_it_incomplete() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    let (status, cut) = result(&bench, "--executions 3");
    assert_eq!((status, &cut["verdict"], &cut["stopped_by"]), (3, &json!("incomplete"), &json!("executions")));
    let (_, two) = result(&bench, "--preemptions 2");
    let enough = two["executions"].as_u64().unwrap() + 1;
    let (status, within) = result(&bench, &format!("--executions {enough}"));
    assert_eq!((status, &within["verdict"], &within["stopped_by"]), (0, &json!("clean"), &json!("executions")));
    assert_eq!((&within["bound"]["preemptions"], &within["executions"]), (&json!(2), &two["executions"]));
}
