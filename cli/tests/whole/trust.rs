//! Findings and event logs of somebody else's: they are data, and neither run nor write nor show what they name.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::bench::{Bench, Ran, ran, tool};

/// An assertion fails in each execution of it.
const PROGRAM: &str = "#include <assert.h>\nint main(int argc, char **argv) { assert(argc == 7); }\n";

/// What nobody is to see.
const SECRET: &str = "the secret";

fn finding_of(bench: &Bench) -> Value {
    assert_eq!(bench.check("a.c")["verdict"], "violations");
    serde_json::from_str(&bench.read("fencehound-out/assertion-1/finding.json")).unwrap()
}

fn replay(bench: &Bench, finding: &Value, options: &str) -> Ran {
    fs::write(bench.path("finding.json"), finding.to_string()).unwrap();
    bench.run(&format!("replay finding.json {options}"))
}

/// Replays the finding of the bench in another folder.
fn replay_in(folder: &Path, bench: &Bench, options: &[&str]) -> Ran {
    let mut command = Command::new("timeout");
    command.arg("60").arg(tool()).arg("replay").arg(bench.path("finding.json"));
    ran(&command.args(options).current_dir(folder).output().unwrap())
}

#[test]
fn a_finding_compiles_with_harmless_options_alone() {
    let plugin = "#include <stdio.h>\n__attribute__((constructor)) void run(void) { fclose(fopen(\"ran\", \"w\")); }\n";
    let bench = Bench::new(&[("a.c", PROGRAM), ("plugin.c", plugin), ("mine", "mine\n")]);
    let mut clang = Command::new("clang-19");
    clang.args(["-shared", "-fPIC", "plugin.c", "-o", "plugin.so"]).current_dir(bench.path(""));
    assert!(clang.status().unwrap().success());
    let mut finding = finding_of(&bench);
    finding["program"]["compile_options"] = json!(["-O1", "-fplugin=./plugin.so"]);
    let refused = replay(&bench, &finding, "");
    assert_eq!(refused.status, 2, "{refused:?}");
    assert!(refused.errors.contains("`-fplugin=./plugin.so`, which may run code or write files"), "{refused:?}");
    assert!(refused.errors.contains("add --cflags \"-fplugin=./plugin.so\""), "{refused:?}");
    assert!(!bench.path("ran").exists(), "nothing was run");
    finding["program"]["compile_options"] = json!(["-O1", "-MMD", "-MF", "mine"]);
    assert_eq!(replay(&bench, &finding, "").status, 2);
    assert_eq!(bench.read("mine"), "mine\n");
    // Who trusts it says so, and the option is obeyed.
    finding["program"]["compile_options"] = json!(["-O1", "-fplugin=./plugin.so"]);
    replay(&bench, &finding, "--cflags -fplugin=./plugin.so");
    assert!(bench.path("ran").exists());
}

#[test]
fn a_program_is_run_only_if_its_hash_is_that_of_the_finding() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    bench.quietly("cc a.c -o program");
    assert_eq!(bench.check("program")["verdict"], "violations");
    let finding: Value = serde_json::from_str(&bench.read("fencehound-out/assertion-1/finding.json")).unwrap();
    assert_eq!(replay(&bench, &finding, "").status, 1);
    let mut without = finding.clone();
    without["program"]["files"] = json!([]);
    let refused = replay(&bench, &without, "");
    assert_eq!(refused.status, 2, "{refused:?}");
    assert!(!refused.output.contains("assertion"), "{refused:?}");
    let mut another = finding;
    let hash = another["program"]["files"][0][1].clone();
    another["program"]["files"] = json!([["a.c", hash]]);
    assert_eq!(replay(&bench, &another, "").status, 2);
}

#[test]
fn a_replay_from_elsewhere_names_the_folder_of_the_program() {
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    let finding = finding_of(&bench);
    assert_eq!(replay(&bench, &finding, "").status, 1);
    let elsewhere = tempfile::tempdir().unwrap();
    let refused = replay_in(elsewhere.path(), &bench, &[]);
    let folder = fs::canonicalize(bench.path("")).unwrap();
    assert_eq!(refused.status, 2, "{refused:?}");
    assert!(refused.errors.contains(&format!("add --source {}", folder.display())), "{refused:?}");
    let allowed = replay_in(elsewhere.path(), &bench, &["--source", folder.to_str().unwrap()]);
    assert_eq!(allowed.status, 1, "{allowed:?}");
    // From a folder above it, nothing has to be said.
    assert_eq!(replay_in(folder.parent().unwrap(), &bench, &[]).status, 1);
}

#[test]
fn only_sources_below_the_users_folders_are_quoted() {
    let secrets = tempfile::tempdir().unwrap();
    let secret = secrets.path().join("secret");
    fs::write(&secret, format!("{SECRET}\n")).unwrap();
    let bench = Bench::new(&[("a.c", PROGRAM)]);
    let mut finding = finding_of(&bench);
    finding["violation"]["sites"][0]["place"] = json!({"file": secret, "line": 1, "column": 1});
    let shown = replay(&bench, &finding, "");
    assert!(!shown.output.contains(SECRET), "{shown:?}");
    let line = |event: &str| format!("{{{event},\"loc\":\"{}:1\"}}\n", secret.display());
    let events = ["\"t\":1,\"op\":\"st\",\"a\":\"x\"", "\"t\":1,\"op\":\"ld\",\"a\":\"y\""];
    let others = ["\"t\":2,\"op\":\"st\",\"a\":\"y\"", "\"t\":2,\"op\":\"ld\",\"a\":\"x\""];
    let log: String = events.iter().chain(&others).map(|event| line(event)).collect();
    fs::write(bench.path("a.log"), format!("{{\"threads\":2,\"log\":1}}\n{log}")).unwrap();
    let watched = bench.run("monitor a.log");
    assert_eq!(watched.status, 1, "{watched:?}");
    assert!(!watched.output.contains(SECRET), "{watched:?}");
    let folder = secrets.path().to_str().unwrap();
    let named = bench.run(&format!("monitor a.log --source {folder}"));
    assert!(named.output.contains(SECRET), "{named:?}");
    // A link is what it leads to.
    std::os::unix::fs::symlink(&secret, bench.path("link")).unwrap();
    fs::write(bench.path("b.log"), bench.read("a.log").replace(&*secret.to_string_lossy(), "link")).unwrap();
    let linked = bench.run("monitor b.log");
    assert!(linked.status == 1 && !linked.output.contains(SECRET), "{linked:?}");
}

#[test]
fn the_line_that_a_report_prints_replays_the_finding_as_it_stands() {
    let bench = Bench::new(&[("source dir/a.c", PROGRAM), ("headers/own.h", ""), ("build/here", "")]);
    let options = "-O1 -Wl,--as-needed -I../headers";
    let in_build = |line: &str| {
        let mut command = Command::new("bash");
        command.arg("-c").arg(line.replacen("fencehound", &tool().display().to_string(), 1));
        ran(&command.current_dir(bench.path("build")).output().unwrap())
    };
    let checked = in_build(&format!("fencehound check '../source dir/a.c' --cflags \"{options}\""));
    assert_eq!(checked.status, 1, "{checked:?}");
    let line = checked.output.lines().find_map(|line| line.trim().strip_prefix("replay: ")).unwrap();
    let parts = ["--source '../source dir'", "/headers", "--cflags \"'-Wl,--as-needed'\""];
    assert!(parts.iter().all(|part| line.contains(part)), "{line}");
    let replayed = in_build(line);
    assert_eq!(replayed.status, 1, "{replayed:?}");
}
