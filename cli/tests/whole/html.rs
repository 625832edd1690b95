//! The page that `--html` writes: what it holds, and that no text of the program gets out of it. In a browser it is tried by
//! `scripts/html-in-a-browser`.

use std::path::Path;

use serde_json::Value;

use crate::bench::Bench;

/// Text that would end the data, if it was taken for a part of the page.
const EVIL: &str = "</script><script>document.title = 1</script><!-- <img src=x onerror=alert(1)>";

fn example(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)).unwrap()
}

/// The data of a page.
fn data(page: &str) -> Value {
    let (_, data) = page.split_once("<script type=\"application/json\" id=\"data\">").expect("there is data");
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

fn strings(values: &Value) -> Vec<&str> {
    values.as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

#[test]
fn a_page_has_verdict_findings_execution_cycle_and_ends() {
    let bench = Bench::new(&[("flags.c", &example("flags.c"))]);
    let ran = bench.run("check flags.c --html page.html");
    assert_eq!(ran.status, 1, "{ran:?}");
    let data = data(&bench.read("page.html"));
    let result = &data["results"][0];
    assert_eq!(result["sentence"], ran.verdict());
    let finding = &result["findings"][0];
    assert_eq!((&finding["id"], &finding["counts"]), (&"tso-1".into(), &"violation".into()));
    assert!(strings(&finding["help"])[0].contains("full fences"), "{finding}");
    assert_eq!(finding["replay"], "fencehound replay fencehound-out/tso-1");

    // As docs/guide.md has it: three events of T1 and one of T2 go by while the flag waits, until T2 has read.
    let execution = &finding["execution"];
    let events = execution["events"].as_array().unwrap();
    let waiting: Vec<usize> =
        (0..events.len()).filter(|&at| !events[at]["waiting"].as_array().unwrap().is_empty()).collect();
    assert_eq!(waiting, [2, 3, 4, 5, 6, 7]);
    assert_eq!(events[2]["waiting"], serde_json::json!([["T1", "flag0=1"]]));
    let marks: Vec<&str> =
        events.iter().filter_map(|event| event["mark"].as_str()).filter(|mark| !mark.is_empty()).collect();
    assert_eq!(marks, ["e′", "prev", "e"]);

    // The cycle is closed, in two threads, and one of its edges is not kept.
    let cycle = execution["cycle"].as_array().unwrap();
    let relations: Vec<&str> = cycle.iter().filter_map(|edge| edge["relation"].as_str()).collect();
    assert_eq!(relations, ["po", "fr", "po", "fr"]);
    for (index, edge) in cycle.iter().enumerate() {
        assert_eq!(edge["to"], cycle[(index + 1) % cycle.len()]["from"]);
    }
    // As it was run the load reads the 1: only if the store waits does it read what the store overwrites.
    let kept: Vec<&str> = cycle.iter().filter_map(|edge| edge["kept"].as_str()).collect();
    assert_eq!(kept, ["no", "yes", "yes", "if-delayed"]);

    // Both can be alone, or one after the other; under TSO both can be in.
    let ends = result["models"][0]["ends"].as_array().unwrap();
    let shared = |end: &Value| {
        let values = end["values"].as_array().unwrap();
        values.iter().find(|value| value[0] == "shared").unwrap()[1].as_str().unwrap().to_string()
    };
    let mut told: Vec<(String, bool)> = ends.iter().map(|end| (shared(end), end["sc"] == true)).collect();
    told.sort();
    assert_eq!(told, [("0".to_string(), true), ("1".to_string(), true), ("2".to_string(), false)]);

    let lines = strings(&data["sources"]["flags.c"]["lines"]);
    assert!(lines.iter().any(|line| line.contains("atomic_store_explicit(&flag0")), "{lines:?}");
}

#[test]
fn a_graph_has_a_cycle_and_a_machine_has_buffers() {
    let bench = Bench::new(&[("ring.c", &example("ring.c"))]);
    assert_eq!(bench.run("check ring.c --model pso --html graph.html").status, 1);
    let page = data(&bench.read("graph.html"));
    let execution = &page["results"][0]["findings"][0]["execution"];
    assert_eq!(execution["graph"], true);
    let cycle = execution["cycle"].as_array().unwrap();
    // One store overtakes the other; the load that reads it is followed by one that reads the old value.
    let told: Vec<(&str, bool)> =
        cycle.iter().map(|edge| (edge["relation"].as_str().unwrap(), edge["kept"] == "no")).collect();
    assert_eq!(told, [("po", true), ("rf", false), ("po", false), ("fr", false)]);

    assert_eq!(bench.run("check ring.c --model pso --explorer bounded --html machine.html").status, 1);
    let page = data(&bench.read("machine.html"));
    let execution = &page["results"][0]["findings"][0]["execution"];
    assert_eq!(execution["machine"], "store buffers (PSO)");
    let waits = |event: &Value| !event["waiting"].as_array().unwrap().is_empty();
    assert!(execution["events"].as_array().unwrap().iter().any(waits), "{execution}");
}

#[test]
fn no_text_of_the_program_gets_out_of_the_data() {
    let program = format!(
        "#include <assert.h>\n#include <string.h>\nstatic const char *const text = \"{EVIL}\";\n\
         int main(void) {{\n    assert(strlen(text) == 0 && \"{EVIL}\");\n    return 0;\n}}\n"
    );
    let bench = Bench::new(&[("evil.c", &program), ("bad.c", "int main(void) { return \"</script>\" }\n")]);
    assert_eq!(bench.run("check evil.c --html page.html").status, 1);
    let page = bench.read("page.html");
    assert!(!page.contains(EVIL) && !page.contains("<img"), "{page}");
    assert_eq!(
        (page.matches("<script").count(), page.matches("</script").count(), page.matches("<!--").count()),
        (2, 2, 0)
    );
    let read = data(&page);
    assert!(strings(&read["sources"]["evil.c"]["lines"]).iter().any(|line| line.contains(EVIL)), "{read}");
    // What does not come to a result has a page, too.
    assert_eq!(bench.run("check bad.c --html bad.html").status, 5);
    assert_eq!(data(&bench.read("bad.html"))["results"][0]["verdict"], "error");
}

#[test]
fn a_clean_program_and_a_litmus_test_have_pages() {
    let sb = "C SB\n{}\nP0(atomic_int *x, atomic_int *y) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  \
              int a = atomic_load_explicit(y, memory_order_relaxed);\n}\nP1(atomic_int *x, atomic_int *y) {\n  \
              atomic_store_explicit(y, 1, memory_order_relaxed);\n  int a = atomic_load_explicit(x, memory_order_relaxed);\n}\n\
              exists (0:a=0 /\\ 1:a=0)\n";
    let bench = Bench::new(&[("fine.c", "int main(void) { return 0; }\n"), ("sb.litmus", sb)]);
    assert_eq!(bench.run("check fine.c --html page.html").status, 0);
    let result = data(&bench.read("page.html"))["results"][0].clone();
    assert_eq!((&result["verdict"], &result["findings"]), (&"clean".into(), &serde_json::json!([])));
    bench.run("check sb.litmus --model tso --html litmus.html");
    // Two loads of 0 or 1 each: all four, since TSO lets both stores wait.
    assert_eq!(data(&bench.read("litmus.html"))["results"][0]["states"].as_array().unwrap().len(), 4);
}
