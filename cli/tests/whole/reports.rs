//! Results for CI servers and editors: SARIF, held against its schema, `JUnit`, the form of gcc's warnings, and how much is
//! shown.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::bench::{Bench, Ran, ran, tool};

/// Two flags: each store may be overtaken by the load after it, and both threads then see 0.
const FLAGS: &str = "\
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
    ST(x, 1);
    SEE(r1, y); // fencehound: harmless (nobody looks at it)
    return unused;
}
static void *right(void *unused) {
    ST(y, 1);
    SEE(r2, x);
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

/// A lost update, which an assertion finds under SC.
const COUNTER: &str = "\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int count;
static void *work(void *unused) {
    /* ä */ atomic_store(&count, atomic_load(&count) + 1);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    assert(count == 2);
    return 0;
}
";

/// Fails unless a log is as the schema of SARIF 2.1.0 has it.
fn assert_valid(log: &Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sarif/sarif-schema-2.1.0.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.enable_format_assertions();
    compiler.add_resource("sarif.json", schema).unwrap();
    let index = compiler.compile("sarif.json", &mut schemas).unwrap();
    if let Err(error) = schemas.validate(log, index) {
        panic!("{error:#}\n{log:#}");
    }
}

/// A check of `a.c`, and its only run in SARIF.
fn check(bench: &Bench, options: &str) -> (Ran, Value) {
    let ran = bench.run(&format!("check a.c {options} --sarif a.sarif"));
    let log: Value = serde_json::from_str(&bench.read("a.sarif")).unwrap_or_else(|_| panic!("{ran:?}"));
    assert_valid(&log);
    assert_eq!(log["runs"].as_array().unwrap().len(), 1);
    (ran, log["runs"][0].clone())
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn texts(values: &[Value], key: &str) -> Vec<String> {
    values.iter().map(|value| value[key].as_str().unwrap_or_default().to_string()).collect()
}

#[test]
fn what_sarif_says_is_what_json_says() {
    let bench = Bench::new(&[("a.c", FLAGS)]);
    let (ran, run) = check(&bench, "-DSEEN --json a.json");
    assert_eq!(ran.status, 1);
    let json: Value = serde_json::from_str(&bench.read("a.json")).unwrap();
    let (results, violations) = (array(&run["results"]), array(&json["violations"]));
    assert_eq!(results.len(), 4);
    for (result, violation) in results.iter().zip(violations) {
        assert_eq!(result["partialFingerprints"]["fencehound/v1"], violation["fingerprint"]);
        let rule = format!("sc-violation/{}", violation["model"].as_str().unwrap());
        assert_eq!(result["ruleId"], rule);
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], rule);
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!(region["startLine"], violation["sites"][0]["line"]);
        assert_eq!(result["locations"][0]["logicalLocations"][0]["name"], violation["sites"][0]["function"]);
        // An annotation calls one of them harmless; but the program shows something, so it counts for nothing.
        assert_eq!((result["level"].as_str(), array(&result["suppressions"]).len()), (Some("error"), 0));
    }
    let rules: BTreeSet<String> = texts(array(&run["tool"]["driver"]["rules"]), "id").into_iter().collect();
    assert_eq!(rules.into_iter().collect::<Vec<_>>(), ["sc-violation/pso", "sc-violation/tso"]);
    assert_eq!(
        (run["invocations"][0]["exitCode"].as_i64(), &run["automationDetails"]["id"]),
        (Some(1), &"fencehound/a.c/".into())
    );
}

#[test]
fn an_execution_is_a_flow_for_each_thread_with_one_order_for_all() {
    let bench = Bench::new(&[("a.c", FLAGS)]);
    let (_, run) = check(&bench, "-DSEEN");
    let flows = array(&run["results"][0]["codeFlows"][0]["threadFlows"]);
    assert_eq!(texts(flows, "id"), ["main", "T1", "T2"]);
    let mut order: Vec<u64> = Vec::new();
    for flow in flows {
        let steps = array(&flow["locations"]);
        let own: Vec<u64> = steps.iter().map(|step| step["executionOrder"].as_u64().unwrap()).collect();
        assert!(own.is_sorted(), "{own:?}");
        order.extend(own);
    }
    order.sort_unstable();
    // Two creations, the stores and loads of both threads, what they do with what they have read, and a join.
    assert!(order.len() >= 7 && order.windows(2).all(|two| two[0] < two[1]), "{order:?}");
    let essential = flows.iter().flat_map(|flow| array(&flow["locations"]));
    let essential: Vec<&str> = essential
        .filter(|step| step["importance"] == "essential")
        .map(|step| step["location"]["message"]["text"].as_str().unwrap())
        .collect();
    assert_eq!(essential.len(), 3, "{essential:?}");
}

#[test]
fn what_is_accepted_is_suppressed_and_what_is_harmless_is_a_note() {
    let bench = Bench::new(&[("a.c", FLAGS)]);
    let (ran, run) = check(&bench, "");
    let results = array(&run["results"]);
    assert_eq!((ran.status, results.len()), (0, 4));
    assert!(results.iter().all(|result| result["level"] == "note"), "{results:#?}");
    // Under each model the access on the line of the annotation takes part in one violation.
    let suppressions: Vec<&Value> = results.iter().flat_map(|result| array(&result["suppressions"])).collect();
    assert_eq!(suppressions.len(), 2);
    for one in suppressions {
        assert_eq!((&one["kind"], &one["justification"]), (&"inSource".into(), &"nobody looks at it".into()));
    }
    assert_eq!(bench.run("check a.c -DSEEN --baseline known.json --write-baseline").status, 0);
    let (ran, run) = check(&bench, "-DSEEN --baseline known.json");
    assert_eq!(ran.status, 0);
    let kinds = |result: &Value| texts(array(&result["suppressions"]), "kind");
    assert!(array(&run["results"]).iter().all(|result| kinds(result) == ["external"]), "{run:#}");
}

#[test]
fn failures_and_columns_are_where_they_are() {
    let bench = Bench::new(&[("src/a.c", COUNTER), (".git/HEAD", ""), ("build/x", "")]);
    let mut command = bench.command(tool(), &["check", "../src/a.c", "--sarif", "../a.sarif"]);
    let ran = ran(&command.current_dir(bench.path("build")).output().unwrap());
    let log: Value = serde_json::from_str(&bench.read("a.sarif")).unwrap();
    assert_valid(&log);
    assert_eq!(ran.status, 1);
    let results = array(&log["runs"][0]["results"]);
    let assertion = results.iter().find(|result| result["ruleId"] == "assertion/sc").unwrap();
    let place = &assertion["locations"][0]["physicalLocation"];
    // Files are named from the repository, whichever folder the user is in.
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"src/a.c".into(), &14.into()));
    let steps = array(&assertion["codeFlows"][0]["threadFlows"]).iter().flat_map(|flow| array(&flow["locations"]));
    let regions = steps.map(|step| &step["location"]["physicalLocation"]["region"]);
    let columns: BTreeSet<u64> = regions
        .filter(|region| region["startLine"] == 6)
        .map(|region| region["startColumn"].as_u64().unwrap())
        .collect();
    // Behind `    /* ä */ `, twelve characters of thirteen bytes, begins the store; its load has its own column.
    assert_eq!(columns.first(), Some(&13), "{columns:?}");
}

#[test]
fn runs_that_fail_or_do_not_end_are_no_clean_ones() {
    let bench = Bench::new(&[("a.c", "int main(void) { return x; }\n")]);
    let ran = bench.run("check a.c --sarif a.sarif --junit a.xml");
    let log: Value = serde_json::from_str(&bench.read("a.sarif")).unwrap();
    assert_valid(&log);
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(
        (ran.status, &invocation["exitCode"], &invocation["executionSuccessful"]),
        (5, &5.into(), &false.into())
    );
    assert!(bench.read("a.xml").contains("errors=\"1\"") && bench.read("a.xml").contains("a.c did not compile"));

    bench.write("a.c", COUNTER);
    let options = "--explorer bounded --executions 1 --monitor none --junit a.xml --json a.json";
    let (ran, run) = check(&bench, options);
    let invocation = &run["invocations"][0];
    let notification = &invocation["toolExecutionNotifications"][0];
    assert_eq!((ran.status, &notification["level"]), (3, &"warning".into()));
    let said = notification["message"]["text"].as_str().unwrap().to_string();
    assert!(said.starts_with("incomplete: 1 execution") && ran.output.ends_with(&format!("{said}\n")), "{said}");
    assert!(bench.read("a.xml").contains("errors=\"1\""), "an incomplete search is no success");
}

#[test]
fn an_incomplete_search_says_how_far_it_has_come() {
    let bench = Bench::new(&[("a.c", COUNTER)]);
    let program =
        COUNTER.replace("work(0);", "for (int i = 0; i < 6; i++) work(0);").replace("count == 2", "count > 0");
    bench.write("a.c", &program);
    // In slices of ten executions, so that there is something to estimate from.
    let line = "check a.c --explorer bounded --preemptions 3 --monitor none -j 1 --json a.json";
    let whole = bench.run(line);
    assert_eq!(whole.status, 0, "{whole:?}");
    let all = serde_json::from_str::<Value>(&bench.read("a.json")).unwrap()["executions"].as_f64().unwrap();
    let ran = bench.run(&format!("{line} --slice-executions 10 --executions {}", (all / 2.0).round()));
    let json: Value = serde_json::from_str(&bench.read("a.json")).unwrap();
    let (share, executions) = (json["progress"]["share"].as_f64(), json["progress"]["executions"].as_f64());
    let (share, executions) = (share.unwrap(), executions.unwrap_or_else(|| panic!("{json:#}")));
    assert_eq!(ran.status, 3);
    assert!((0.0..=1.0).contains(&share) && executions > all / 4.0 && executions < all * 4.0, "{json:#}");
    let verdict = ran.output.lines().last().unwrap();
    assert!(verdict.contains(" executions of about ") && verdict.contains("stopped by --executions"), "{verdict}");
}

/// Nothing is watched under a model that is asked for: what it ends with is no finding of a monitor's, and has to be told all the same.
#[test]
fn an_end_that_no_sc_execution_has_is_in_each_report() {
    let bench = Bench::new(&[("a.c", FLAGS)]);
    let (ran, run) = check(&bench, "-DSEEN --model tso --junit a.xml");
    let help = "`fencehound fences a.c --model tso` finds the fences that forbid this";
    assert!(ran.status == 1 && ran.output.starts_with(&format!("help: {help}")), "{ran:?}");
    let end = "under TSO the program can end with r1 = 0 and r2 = 0, as no sequentially consistent execution does";
    let [result] = array(&run["results"]) else { panic!("{run:#}") };
    assert_eq!((result["ruleId"].as_str(), result["level"].as_str()), (Some("outcome/tso"), Some("error")));
    assert!(result["message"]["text"].as_str().unwrap().starts_with(&format!("{end}\n{help}")), "{result:#}");
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "outcome/tso");
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a.c");
    let xml = bench.read("a.xml");
    assert!(xml.contains(&format!("fencehound: warning: {end} [tso]\nfencehound: note: help: {help}")), "{xml}");
    let gcc = bench.run("check a.c -DSEEN --model tso --format gcc");
    let warning =
        "fencehound: warning: shows r1 = 0 and r2 = 0, as no SC execution does [tso]\nfencehound: note: help: ";
    assert!(gcc.output.starts_with(warning), "{gcc:?}");
    // Without the variables the program ends as under SC.
    let (ran, run) = check(&bench, "--model tso");
    assert_eq!((ran.status, array(&run["results"])), (0, &[][..]));
}

#[test]
fn junit_has_a_suite_for_each_model_and_a_case_for_each_target() {
    let bench = Bench::new(&[("a.c", FLAGS)]);
    let ran = bench.run("check a.c -DSEEN --model sc,tso --no-judge --junit a.xml");
    assert_eq!(ran.status, 1);
    let xml = bench.read("a.xml");
    for part in [
        "<testsuites name=\"fencehound\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\"",
        "<testsuite name=\"fencehound.sc\" tests=\"1\" failures=\"1\"",
        "<testsuite name=\"fencehound.tso\" tests=\"1\" failures=\"0\"",
        "<testcase classname=\"fencehound.sc\" name=\"a.c\"",
        "<failure type=\"violations\" message=\"violations: ",
        "a.c:13:5: warning: SC violation: under TSO ",
    ] {
        assert!(xml.contains(part), "{part} is not in\n{xml}");
    }
}

#[test]
fn warnings_as_gcc_has_them() {
    let bench = Bench::new(&[("a.c", COUNTER)]);
    let ran = bench.run("check a.c --format gcc --monitor none");
    let expected = "\
a.c:14:5: warning: assertion `count == 2` failed [sc]
a.c:14:5: note: replay: fencehound replay fencehound-out/assertion-1
violations: 1 assertion in 4 executions
";
    assert_eq!((ran.status, ran.output.as_str()), (1, expected));
}

#[test]
fn quiet_is_the_verdict_alone_and_verbose_all_that_there_is() {
    let bench = Bench::new(&[("a.c", FLAGS)]);
    let usual = bench.run("check a.c");
    let [quiet, verbose] = ["-q", "-v"].map(|option| bench.run(&format!("check a.c {option}")));
    let verdict = usual.output.lines().last().unwrap();
    assert_eq!((quiet.status, quiet.output.as_str(), quiet.errors.as_str()), (0, format!("{verdict}\n").as_str(), ""));
    // What is harmless is a note, usually; and which of two is meant, the last one says.
    assert!(!usual.output.contains("tso-1: SC violation") && verbose.output.contains("tso-2: SC violation"));
    assert_eq!(bench.run("check a.c -v -q").output, quiet.output);
}

#[test]
fn results_go_where_they_are_wanted_or_nowhere() {
    let bench = Bench::new(&[("a.c", FLAGS)]);
    let ran = bench.run("check a.c -q --sarif -");
    assert_valid(&serde_json::from_str(&ran.output).unwrap());
    assert_eq!((ran.status, ran.errors.lines().count()), (0, 1));
    for (options, message) in [
        ("--sarif - --json -", "error: --json and --sarif go to the same place\nhelp: name a file for each\n"),
        ("--sarif x --junit x", "error: --sarif and --junit go to the same place\nhelp: name a file for each\n"),
        (
            "--junit no/x",
            "error: no/x: cannot be written: no such file or directory\nhelp: name another file with --junit\n",
        ),
    ] {
        let ran = bench.run(&format!("check a.c {options}"));
        assert_eq!((ran.status, ran.errors.as_str()), (2, message), "{options}");
    }
    let full = bench.run("check a.c --junit /dev/full");
    assert_eq!(full.status, 2);
    assert!(full.output.lines().last().unwrap().contains("clean"), "{full:?}");
    assert!(full.errors.contains("/dev/full: cannot be written: no space left on device"), "{full:?}");
    // What is there is replaced in one step, by a file that others may read as before.
    bench.write("a.xml", "old");
    assert_eq!(bench.run("check a.c --junit a.xml").status, 0);
    assert!(bench.read("a.xml").starts_with("<?xml"));
}

#[test]
fn each_target_can_have_a_folder_of_its_own() {
    let bench = Bench::new(&[("a.c", COUNTER), ("b.c", COUNTER)]);
    for name in ["a.c", "b.c"] {
        assert_eq!(bench.run(&format!("check {name} -q --monitor none --out found/{{target}}")).status, 1);
    }
    for name in ["a", "b"] {
        assert!(bench.path(&format!("found/{name}/assertion-1/finding.json")).exists());
    }
}

#[test]
fn litmus_tests_are_reported_too() {
    let test = "X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
    let bench = Bench::new(&[("sb.litmus", test)]);
    let ran = bench.run("check sb.litmus --format gcc --sarif a.sarif --junit a.xml");
    assert_valid(&serde_json::from_str(&bench.read("a.sarif")).unwrap());
    assert_eq!(ran.status, 1);
    assert!(ran.output.contains("sb.litmus:4:") && ran.output.contains(": warning: SC violation: "), "{}", ran.output);
    assert!(bench.read("a.xml").contains("name=\"sb.litmus\""));
}

#[test]
fn a_search_for_classes_or_graphs_that_is_stopped_says_how_many_there_are() {
    // Eight threads write a variable: 8! orders.
    let source = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stddef.h>\nstatic atomic_int x;\n\
        static void *body(void *unused) { x = 1; return unused; }\n\
        int main(void) {\n    pthread_t all[8];\n    for (int i = 0; i < 8; i++) pthread_create(&all[i], NULL, body, NULL);\n    \
        for (int i = 0; i < 8; i++) pthread_join(all[i], NULL);\n    return 0;\n}\n";
    let bench = Bench::new(&[("a.c", source)]);
    for options in ["--explorer auto", "--explorer dpor", "--model tso", "--model armv8"] {
        let ran = bench.run(&format!("check a.c {options} --no-judge --executions 4032 --monitor none --json r.json"));
        let result: Value = serde_json::from_str(&bench.read("r.json")).unwrap();
        let (whole, share) = (&result["progress"]["executions"], &result["progress"]["share"]);
        let (whole, share) = (whole.as_f64().unwrap(), share.as_f64().unwrap());
        assert!((20160.0..80640.0).contains(&whole) && (0.05..0.2).contains(&share), "{result}");
        assert!(ran.verdict().starts_with("incomplete: 4032 executions of about "), "{ran:?}");
        assert!(
            options.contains("explorer") || (whole - 40320.0).abs() < 1.0,
            "each drawing of a graph says 8!: {result}"
        );
    }
    bench.run("check a.c --explorer random --executions 100 --monitor none --json r.json");
    let drawn: Value = serde_json::from_str(&bench.read("r.json")).unwrap();
    assert!(drawn.get("progress").is_none(), "{drawn}");
}
