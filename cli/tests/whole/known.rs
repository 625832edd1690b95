//! Findings that are known: fingerprints, the baseline, and annotations in the source.

use serde_json::{Value, json};

use crate::bench::Bench;

/// Store buffering, in which a third finding is a store that is read by nobody but main.
const PROGRAM: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
static atomic_int x, y;
#ifdef SEEN
static int r1, r2;
#define SEE(r, at) r = LD(at)
#else
#define SEE(r, at) (void)LD(at)
#endif
static void *left(void *unused) {
    ST(x, 1); // left
    SEE(r1, y);
    return unused;
}
static void *right(void *unused) {
    ST(y, 1); // right
    SEE(r2, x);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef ASSERTED
    assert(r1 || r2);
#endif
#ifdef FALSE
    assert(x == 2);
#endif
    return 0;
}
";

/// A check of `a.c`: the exit status, what it prints, its result.
fn check(bench: &Bench, options: &str) -> (i32, String, Value) {
    let ran = bench.run(&format!("check a.c {options} --json result.json"));
    let result = serde_json::from_str(&bench.read("result.json")).unwrap_or_else(|_| panic!("{ran:?}"));
    (ran.status, ran.output, result)
}

/// The kinds, models, functions of the first place, and fingerprints of what is found, sorted.
fn fingerprints(result: &Value) -> Vec<[String; 4]> {
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let violations = result["violations"].as_array().unwrap();
    let mut all: Vec<[String; 4]> = violations
        .iter()
        .map(|one| {
            let function = &one["sites"][0]["function"];
            [text(&one["kind"]), text(&one["model"]), text(function), text(&one["fingerprint"])]
        })
        .collect();
    all.sort();
    all
}

fn last(output: &str) -> &str {
    output.lines().last().unwrap_or_default()
}

#[test]
fn a_finding_has_one_fingerprint_however_it_is_found() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    let options = "-DSEEN -DASSERTED -DFALSE";
    let first = fingerprints(&check(&bench, options).2);
    // Two violations under each model, the assertion that always fails, and that of each relaxed model.
    assert_eq!(first.len(), 7, "{first:?}");
    let ways = [
        "--explorer bounded",
        "--explorer dpor",
        "--explorer random --executions 200",
        "-j 2 --slice-executions 1 --explorer bounded",
        "-O2",
        "-O0",
    ];
    for way in ways {
        assert_eq!(fingerprints(&check(&bench, &format!("{options} {way}")).2), first, "{way}");
    }
    bench.write("a.c", &format!("/* some\nlines\nabove */\n{}", PROGRAM.replace("    ST(y", "\tST( y")));
    assert_eq!(fingerprints(&check(&bench, options).2), first);
    bench.write("a.c", &PROGRAM.replace("ST(y, 1); // right", "ST(y, 2); // right"));
    let changed = fingerprints(&check(&bench, options).2);
    // The stores of y, and their counterparts, are other ones now.
    assert_eq!(changed.iter().filter(|one| first.contains(one)).count(), 7 - 2, "{changed:?}");
    let kept: Value = serde_json::from_str(&bench.read("fencehound-out/tso-1/finding.json")).unwrap();
    assert!(changed.iter().any(|one| kept["fingerprint"] == one[3].as_str()));
}

#[test]
fn of_two_lines_that_are_alike_the_second_has_a_number() {
    let twice = PROGRAM.replace("    SEE(r1, y);\n", "    SEE(r1, y);\n    ST(x, 1); // left\n    SEE(r1, y);\n");
    let bench = Bench::new(&[("a.c", &twice)]);
    let of_left = |above: &str| -> Vec<(u64, String)> {
        bench.write("a.c", &format!("{above}{twice}"));
        let (_, _, result) = check(&bench, "--monitor tso --no-judge");
        let violations = result["violations"].as_array().unwrap().iter();
        let of_left = violations.filter(|one| one["sites"][0]["function"] == "left");
        let mut all: Vec<(u64, String)> = of_left
            .map(|one| {
                let line = one["sites"][0]["line"].as_u64().unwrap() - above.lines().count() as u64;
                (line, one["fingerprint"].as_str().unwrap().to_string())
            })
            .collect();
        all.sort();
        all
    };
    let found = of_left("");
    let [(one, first), (other, second)] = found.as_slice() else { panic!("{found:?}") };
    assert!(one < other);
    assert_eq!(*second, format!("{first}-2"));
    assert_eq!(of_left("\n\n"), found);
}

#[test]
fn what_the_baseline_knows_is_listed_and_does_not_fail() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    let options = "-DFALSE --no-judge --baseline known.json";
    let (status, output, _) = check(&bench, &format!("{options} --write-baseline"));
    assert_eq!(status, 0, "{output}");
    assert!(output.contains("note: known.json: 5 findings of a.c written\n"), "{output}");
    bench.write("a.c", &format!("\n{PROGRAM}"));
    let (status, output, result) = check(&bench, options);
    assert_eq!((status, &result["verdict"]), (0, &json!("clean")), "{output}");
    assert!(output.starts_with("note: 5 accepted findings\n"), "{output}");
    assert!(last(&output).ends_with("no SC violation under TSO or PSO but 5 accepted findings"), "{output}");
    let violations = result["violations"].as_array().unwrap();
    assert!(violations.iter().all(|one| one["accepted"] == json!({"by": "baseline"})), "{result}");
    assert_eq!((violations.len(), &result["unmatched"]), (5, &Value::Null));
    // A line is changed: what is there now fails, and what was there is known in vain.
    bench.write("a.c", &PROGRAM.replace("ST(x, 1)", "ST(x, 3)"));
    let (status, output, result) = check(&bench, options);
    assert_eq!(status, 1, "{output}");
    assert!(
        output
            .contains("known.json: no finding is the one that was known as: SC violation under TSO: store x at a.c:14")
    );
    assert_eq!(result["unmatched"].as_array().unwrap().len(), 2, "{result}");
    assert!(
        last(&output).starts_with("violations: 1 distinct SC violation under TSO, 1 under PSO, 3 accepted findings in")
    );
    // Another program with the same findings has none that is known.
    bench.write("b.c", PROGRAM);
    assert_eq!(bench.run("check b.c -DFALSE --no-judge --baseline known.json").status, 1);
}

#[test]
fn what_breaks_is_accepted_by_the_baseline_alone_and_said() {
    let bench = Bench::new(&[("a.c", &PROGRAM.replace("// left", "// fencehound: harmless (a guess)"))]);
    for (options, words) in [("-DSEEN -DASSERTED", "breaks, assertion at a.c:"), ("-DSEEN", "shows r1 = 0 and r2 = 0")]
    {
        let (status, output, _) = check(&bench, options);
        assert_eq!(status, 1, "{output}");
        let denied = format!("note: a.c:14 is annotated as harmless, but under TSO the program {words}");
        assert!(output.contains(&denied), "{output}");
        assert!(!output.contains("accepted"), "{output}");
        let with_baseline = format!("{options} --baseline known.json");
        assert_eq!(check(&bench, &format!("{with_baseline} --write-baseline")).0, 0);
        let (status, output, result) = check(&bench, &with_baseline);
        assert_eq!((status, &result["verdict"]), (0, &json!("clean")), "{output}");
        let tso = &result["models"]["tso"];
        let word = words.split([' ', ',']).next().unwrap();
        assert_eq!([&tso["judgement"], &tso["verdict"], &tso["accepted"][0]], [word, "clean", word], "{result}");
        assert!(last(&output).contains("x86 (TSO): clean, ") && last(&output).contains(" accepted; PSO: "), "{output}");
    }
    // What else comes to be seen is new.
    bench.write(
        "a.c",
        &PROGRAM.replace("SEE(r2, x);", "SEE(r2, x); if (LD(y)) { ST(y, 2); static int r3; r3 = LD(x); (void)r3; }"),
    );
    let (status, output, _) = check(&bench, "-DSEEN --baseline known.json");
    assert!(status == 1 || status == 3, "{output}");
}

#[test]
fn an_annotation_accepts_sc_violations_and_no_failure() {
    let annotated = PROGRAM
        .replace("// left", "// fencehound: harmless (x is a hint)")
        .replace("// right", "/* fencehound: harmless (so is y) */")
        .replace("return 0;", "return 0; // fencehound: harmless (nothing)");
    let bench = Bench::new(&[("a.c", &annotated)]);
    for options in ["", "--strict", "--no-judge", "--leaks"] {
        let (status, output, result) = check(&bench, options);
        assert_eq!((status, &result["verdict"]), (0, &json!("clean")), "{options}: {output}");
        let violations = result["violations"].as_array().unwrap();
        assert_eq!(violations.len(), 4);
        let reasons = violations.iter().map(|one| one["accepted"]["reason"].as_str().unwrap_or_default());
        assert!(reasons.into_iter().all(|reason| ["x is a hint", "so is y"].contains(&reason)), "{result}");
        assert!(output.contains("note: a.c:35: no SC violation under TSO or PSO has an access here\n"), "{output}");
        assert_eq!(result["unmatched"].as_array().unwrap().len(), 1);
    }
    assert_eq!(check(&bench, "-DFALSE").0, 1);
    bench.write("a.c", &annotated.replace("harmless (so is y)", "harmless"));
    let (status, output, _) = check(&bench, "--no-judge");
    assert_eq!(status, 1);
    assert!(
        output.contains("note: a.c:19: `fencehound: harmless` is not understood: write `harmless (reason)`"),
        "{output}"
    );
    // An executable's line table names its sources.
    bench.write("a.c", &annotated);
    assert_eq!(bench.run("cc -o a a.c").status, 0);
    let ran = bench.run("check ./a --no-judge");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.output.contains("note: a.c:35: no SC violation under TSO or PSO has an access here\n"), "{ran:?}");
}

#[test]
fn a_baseline_that_is_none_is_refused() {
    let bench = Bench::new(&[("a.c", PROGRAM), ("bad.json", "{\"fencehound\": \"finding\"}"), ("a.litmus", "")]);
    let said = |options: &str| {
        let ran = bench.run(&format!("check a.c {options}"));
        assert_eq!(ran.status, 2, "{ran:?}");
        ran.errors
    };
    assert!(said("--baseline no.json").contains("--baseline no.json: no such file or directory\nhelp: write it"));
    assert!(
        said("--baseline bad.json").contains("--baseline bad.json: not a baseline of fencehound\nhelp: name a file")
    );
    assert!(said("--baseline bad.json --write-baseline").contains("not a baseline of fencehound"));
    assert!(said("--baseline no/such/folder --write-baseline").contains("no such file or directory"));
    assert!(said("--write-baseline").contains("help: name it: --baseline FILE --write-baseline"));
    assert!(said("--baseline bad.json --stop-at-first").contains("--stop-at-first does not fit --baseline"));
    let litmus = bench.run("check a.litmus --baseline bad.json");
    assert!(litmus.errors.contains("--baseline does not fit litmus files"), "{litmus:?}");
}
