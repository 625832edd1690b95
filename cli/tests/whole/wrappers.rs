//! Places in functions that only wrap an access: who called, in results, reports, logs and replays.

use serde_json::{Value, json};

use crate::bench::Bench;

/// Store buffering through two levels of wrappers, the inner one in a header.
const FILES: [(&str, &str); 2] = [
    ("inner.h", "static inline int inner_load(volatile int *from)\n{\n    return *from;\n}\n"),
    (
        "sb.c",
        "#include <pthread.h>
#include \"inner.h\"
static int load(volatile int *from) { return inner_load(from); }
static inline __attribute__((always_inline)) void store_twice(volatile int *to)
{
    to[0] = 1;
    to[1] = 1;
}
volatile int x[2], y[2];
static void *body(void *unused)
{
    store_twice(x);
    return load(y) ? unused : 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, body, 0);
    y[0] = 1;
    int seen = load(x);
    pthread_join(thread, 0);
    return seen & 0;
}
",
    ),
];

/// The site with a role of a violation.
fn site<'a>(violation: &'a Value, role: &str) -> &'a Value {
    let sites = violation["sites"].as_array().expect("violations have sites");
    sites.iter().find(|site| site["role"] == role).expect("the site is there")
}

/// The violation under TSO whose delayed store is at a line.
fn delayed_at(result: &Value, line: u64) -> Value {
    let violations = result["violations"].as_array().expect("a result has violations").iter();
    let mut found = violations.filter(|one| one["model"] == "tso" && site(one, "delayed")["line"] == line);
    found.next().expect("the violation is there").clone()
}

#[test]
fn a_result_has_the_calls_that_lead_to_each_access_innermost_first() {
    let bench = Bench::new(&FILES);
    let result = bench.check("sb.c --out out");
    // In `store_twice`, which is more than a wrapper, the line is its own; who called it is behind it.
    let violation = delayed_at(&result, 6);
    let delayed = site(&violation, "delayed");
    assert_eq!(
        (&delayed["file"], &delayed["column"], &delayed["function"]),
        (&json!("sb.c"), &json!(11), &json!("store_twice"))
    );
    let stack = json!([
        {"function": "store_twice", "file": "sb.c", "line": 6, "column": 11},
        {"function": "body", "file": "sb.c", "line": 12, "column": 5},
    ]);
    assert_eq!(delayed["stack"], stack);
    // `load` and `inner_load` do nothing but load: the line is that of the call.
    let overtaking = site(&violation, "overtaking");
    assert_eq!(
        (&overtaking["line"], &overtaking["function"], &overtaking["expression"]),
        (&json!(20), &json!("main"), &json!("x[0]"))
    );
    let stack = json!([
        {"function": "inner_load", "file": "./inner.h", "line": 3, "column": 12},
        {"function": "load", "file": "sb.c", "line": 3, "column": 46},
        {"function": "main", "file": "sb.c", "line": 20, "column": 16},
    ]);
    assert_eq!(overtaking["stack"], stack);
    // Where nothing was inlined, there is no stack.
    let violation = delayed_at(&result, 19);
    assert_eq!(site(&violation, "delayed").get("stack"), None);
}

#[test]
fn a_report_and_a_replay_quote_the_callers_line_and_name_the_wrappers_below_it() {
    let bench = Bench::new(&FILES);
    let ran = bench.run("check sb.c --strict --out out");
    let chain = "   20 |     int seen = load(x);\n      |                ^\n        in load, sb.c:3\n        in inner_load, ./inner.h:3\n";
    assert!(ran.output.contains(chain), "{}", ran.output);
    assert!(ran.output.contains("        called in body, sb.c:12\n"), "{}", ran.output);
    let replayed = bench.run("replay out/tso-1");
    assert_eq!(replayed.status, 1, "{replayed:?}");
    assert!(replayed.output.contains("        in inner_load, ./inner.h:3\n"), "{}", replayed.output);
}

#[test]
fn a_log_has_the_calls_and_its_monitors_tell_places_apart_by_them() {
    let bench = Bench::new(&FILES);
    bench.run("check sb.c --monitor none --record log --out out");
    let log = bench.read("log");
    let stack =
        r#""loc":"sb.c:20:16","stack":["inner_load at ./inner.h:3:12","load at sb.c:3:46","main at sb.c:20:16"]"#;
    assert!(log.contains(stack), "{log}");
    let monitored = bench.run("monitor log --monitor exact_tso --json -");
    let result: Value = serde_json::from_str(&monitored.output).expect("a result");
    let violations = result["violations"].as_array().expect("a result has violations");
    assert!(violations.iter().any(|one| site(one, "overtaking")["stack"].is_array()), "{result}");
}
