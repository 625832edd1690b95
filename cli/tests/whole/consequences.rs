//! What comes of SC violations of programs with wait loops, whose rounds without effect execution graphs leave out.

use serde_json::Value;

use crate::bench::Bench;

const LOCK_FREE: &str = include_str!("../../../c-tests/models/lock-free.c");

/// What comes of the SC violations that interleavings show, with the model under which: of one of the lock-free
/// programs.
fn consequences(options: &str) -> Vec<(String, String)> {
    let bench = Bench::new(&[("lock-free.c", LOCK_FREE)]);
    let ran = bench.run(&format!("check lock-free.c {options} --model sc,tso,pso --json result.json"));
    assert!(ran.status < 2, "{options}: {ran:?}");
    let results: Value = serde_json::from_str(&bench.read("result.json")).unwrap();
    let interleavings = results.as_array().unwrap()[0]["violations"].as_array().unwrap().clone();
    let of = |violation: &Value| {
        let word = |key: &str| violation["consequence"][key].as_str().unwrap_or_default().to_string();
        (word("model"), word("verdict"))
    };
    interleavings.iter().map(of).collect()
}

#[test]
fn nothing_comes_of_the_sc_violations_of_programs_that_are_right() {
    let mut all = Vec::new();
    for program in ["RING", "SEQUENCE", "TICKET", "TURNS", "MESSAGES", "PETERSON", "QUEUE"] {
        let these = consequences(&format!("-D{program}"));
        assert!(these.iter().all(|(_, verdict)| verdict == "none"), "{program}: {these:?}");
        all.extend(these);
    }
    // The ring lets a store of its tail wait while the head is read, and so do the messages: there is something to judge.
    assert!(all.iter().filter(|(model, _)| model == "tso").count() >= 2, "{all:?}");
}

#[test]
fn something_comes_of_those_of_programs_that_lack_an_order() {
    let broken = [
        ("RING", "pso"),
        ("SEQUENCE", "pso"),
        ("TICKET", "pso"),
        ("TURNS", "pso"),
        ("MESSAGES", "pso"),
        ("PETERSON", "tso"),
        ("QUEUE", "pso"),
    ];
    for (program, model) in broken {
        let these = consequences(&format!("-D{program} -DBROKEN"));
        let fails = (model.to_string(), "fails".to_string());
        assert!(these.contains(&fails), "{program}: {these:?}");
        // TSO keeps stores in order: only Peterson's lock needs more there.
        let harmless = these.iter().filter(|(other, _)| other == "tso" && model == "pso");
        assert!(harmless.clone().all(|(_, verdict)| verdict == "none"), "{program}: {these:?}");
    }
}
