//! What the tool says of values that were never written, and of undefined behaviour that clang checks.

use serde_json::json;

use crate::bench::Bench;

/// A field of a block is read that nobody wrote; an index that is too large, with checks.
const PROGRAM: &str = "#include <stdlib.h>
struct pair { int first, second; };
static volatile int five = 5;
int main(void) {
    struct pair *pair = malloc(sizeof *pair);
    int numbers[4] = {0};
    pair->first = 1;
    if (INDEX)
        return numbers[five];
    return pair->second ? 0 : pair->first;
}
";

const UNDEFINED: &str = "-DINDEX=1 --cflags=-fsanitize=undefined --cflags=-fsanitize-trap=all";

#[test]
fn a_value_that_was_never_written_is_named_with_its_bytes_and_replayed() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    let result = bench.check("a.c --uninitialised -DINDEX=0");
    let violation = &result["violations"][0];
    let facts = [&violation["kind"], &violation["id"], &violation["sites"][0]["line"], &violation["sites"][1]["line"]];
    assert_eq!(facts, [&json!("uninitialised"), &json!("uninitialised-1"), &json!(10), &json!(5)], "{result}");
    let message = violation["message"].as_str().unwrap();
    assert_eq!(message, "a value that was never written is used: bytes 4 to 7 of a block of 8 bytes");
    let again = bench.run("replay fencehound-out/uninitialised-1");
    assert_eq!(again.status, 1, "{again:?}");
    assert!(again.output.contains(message), "{again:?}");
    assert_eq!(bench.check("a.c -DINDEX=0")["verdict"], "clean");
}

#[test]
fn an_executable_that_follows_what_was_never_written_needs_no_option() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    bench.quietly("cc --uninitialised -DINDEX=0 a.c -o program");
    assert_eq!(bench.check("program")["violations"][0]["kind"], "uninitialised");
    let ran = bench.run("check program --uninitialised");
    assert_eq!((ran.status, ran.errors.contains("help: name the .c files")), (2, true), "{ran:?}");
    let ran = bench.run("check a.c -DINDEX=0 --uninitialised --model tso");
    assert_eq!((ran.status, ran.errors.contains("--uninitialised does not fit")), (2, true), "{ran:?}");
}

#[test]
fn undefined_behaviour_that_clang_checks_is_named() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    let result = bench.check(&format!("a.c {UNDEFINED}"));
    let violation = &result["violations"][0];
    assert_eq!(violation["kind"], "crash", "{result}");
    assert_eq!(violation["message"], "undefined behaviour: an index is out of bounds", "{result}");
    let site = &violation["sites"][0];
    assert_eq!((&site["line"], &site["function"]), (&json!(9), &json!("main")), "{result}");
}
