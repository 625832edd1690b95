//! The C corpus: checks each program of `c-tests/` as its header says, and holds the result against what the header
//! expects.
//!
//! How to read: [`header`] is the grammar of the headers, [`installation`] builds the tool and runs it, [`judge`]
//! compares, [`counts`] recomputes the numbers of executions that `c-tests/counts` states, [`explorers`] compares `dpor` with `bounded`, [`worlds`] compares execution graphs with machines with store buffers, [`shapes`] makes a program of the classic shapes under each model, [`rows`] one of the mapping tables for each machine, [`orders`] one of
//! its own. This file makes the tests: one for each run of each program.
//!
//! Nothing is ever written into `c-tests/`: an expectation is a person's, with a reason, or it is none.

mod counts;
mod explorers;
mod header;
mod installation;
#[path = "../installed/mod.rs"]
mod installed;
mod judge;
mod orders;
mod rows;
mod shapes;
mod worlds;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

use crate::header::{Run, parse};
use crate::installation::{Check, Contents, Installation, Scratch};

/// The folder of the C programs.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../c-tests").canonicalize().expect("c-tests/ is beside cli/")
}

/// All C files below a folder, sorted, as paths from `root`.
fn programs(root: &Path, folder: &Path, found: &mut Vec<String>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder can be read").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            programs(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            let name = path.strip_prefix(root).expect("a file is below its folder");
            found.push(name.to_str().expect("names in c-tests/ are ASCII").to_string());
        }
    }
}

fn main() {
    let arguments = Arguments::from_args();
    let root = folder();
    let mut names = Vec::new();
    programs(&root, &root, &mut names);
    let mut trials = header::trials();
    let installation = Arc::new(Installation::new(&root));
    for name in names {
        let text = fs::read_to_string(root.join(&name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        match parse(&text) {
            Ok(runs) => trials.extend(tests_of(&name, runs, &installation)),
            Err(why) => trials.push(Trial::test(name, move || Err(Failed::from(why)))),
        }
    }
    let tool = Arc::clone(&installation);
    trials.push(Trial::test("orders in all spellings", move || orders::test(&tool)));
    let tool = Arc::clone(&installation);
    trials.push(Trial::test("shapes under each model", move || shapes::test(&tool)));
    let tool = Arc::clone(&installation);
    trials.push(Trial::test("rows of the mapping tables", move || rows::test(&tool)));
    if !arguments.list {
        installation.build();
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    installation.remove();
    let is_whole = !arguments.list && arguments.filter.is_none() && arguments.skip.is_empty();
    if is_whole && !conclusion.has_failed() && !worlds::are_enough() {
        eprintln!("too few programs were compared in both worlds");
        std::process::exit(1);
    }
    conclusion.exit();
}

/// The tests of one program.
fn tests_of(name: &str, runs: Vec<Run>, installation: &Arc<Installation>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (index, run) in runs.into_iter().enumerate() {
        let title = format!("{name}: {}", run.options.join(" "));
        if name.starts_with("counts/") {
            let run = run.clone();
            trials.push(Trial::test(format!("{title} (recomputed)"), move || Ok(counts::recompute(&run)?)));
        }
        if index == 0 && explorers::concerns(name, &run) {
            let (run, installation, name) = (run.clone(), Arc::clone(installation), name.to_string());
            let compare = move || Ok(explorers::compare(&installation, &name, &run)?);
            trials.push(Trial::test(format!("{title} (dpor as bounded)"), compare));
        }
        if index == 0 && worlds::concerns(name, &run) {
            let (run, installation, name) = (run.clone(), Arc::clone(installation), name.to_string());
            let compare = move || Ok(worlds::compare(&installation, &name, &run)?);
            trials.push(Trial::test(format!("{title} (machines as graphs)"), compare));
        }
        // What ends by a limit takes its time, and may end at another event each time.
        let long = index == 0 && !name.starts_with("bad-input/");
        let (installation, name) = (Arc::clone(installation), name.to_string());
        trials.push(Trial::test(title, move || test(&installation, &name, &run, long)));
    }
    trials
}

/// The check gives what the header says, and each of its findings replays. The first run of a program, in a longer
/// test, also gives the same executions at other levels of optimisation, and, as a sample, where it finds violations the
/// same bytes again.
fn test(installation: &Installation, name: &str, run: &Run, long: bool) -> Result<(), Failed> {
    let scratch = Scratch::new();
    let check = installation.check(&scratch, name, &run.arguments())?;
    let mut problems = judge::differences(&check, run);
    problems.extend(unreplayed(installation, &scratch, &check.json));
    if long {
        if run.verdict == "violations" {
            problems.extend(differs_again(installation, &scratch, name, run, &check)?);
        }
        problems.extend(differs_at_levels(installation, &scratch, name, run, &check)?);
    }
    report(&check, problems)
}

/// Replays all findings; what went wrong.
fn unreplayed(installation: &Installation, scratch: &Scratch, json: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let mut stated: Vec<&str> = Vec::new();
    for violation in json["violations"].as_array().into_iter().flatten() {
        let id = violation["id"].as_str().unwrap_or_default();
        stated.push(id);
        // That a program does not repeat itself cannot be repeated.
        if violation["kind"] != "nondeterministic" {
            problems.extend(installation.replay(scratch, id).err());
        }
    }
    stated.sort_unstable();
    let stored = scratch.findings();
    if stored != stated {
        problems.push(format!("the findings stored are {stored:?}, those of the result {stated:?}"));
    }
    problems
}

/// A second check gives the same bytes, times aside. Where a busy machine left one of them no time for advice, both are done
/// again with more.
fn differs_again(
    installation: &Installation,
    scratch: &Scratch,
    name: &str,
    run: &Run,
    first: &Check,
) -> Result<Vec<String>, String> {
    let mut options = run.arguments();
    let stored = scratch.contents();
    let second = installation.check(scratch, name, &options)?;
    if ![first, &second].into_iter().any(is_without_advice) {
        return Ok(differences_of_two((first, &stored), (&second, &scratch.contents())));
    }
    options.splice(0..0, ["--advice-time", "5m"].map(str::to_string));
    let first = installation.check(scratch, name, &options)?;
    let stored = scratch.contents();
    let second = installation.check(scratch, name, &options)?;
    Ok(differences_of_two((&first, &stored), (&second, &scratch.contents())))
}

/// Whether a check was stopped while it looked for what forbids its findings.
fn is_without_advice(check: &Check) -> bool {
    check.text.contains("stopped by --advice-time") || check.json.to_string().contains("stopped by --advice-time")
}

/// Returns how two checks of the same program differ, each with the findings that it stored.
fn differences_of_two(first: (&Check, &Contents), second: (&Check, &Contents)) -> Vec<String> {
    let mut problems = Vec::new();
    let timeless = |check: &Check| judge::without_times(check.json.clone()).to_string();
    if timeless(first.0) != timeless(second.0) {
        problems.push(format!("a second check gives another result:\n{}\n{}", timeless(first.0), timeless(second.0)));
    }
    if first.0.text != second.0.text {
        problems.push(format!("a second check says something else:\n{}", second.0.text));
    }
    if first.1 != second.1 {
        problems.push("a second check stores other findings".to_string());
    }
    problems
}

/// The same executions, and what is found in them, at other levels of optimisation than -O1.
fn differs_at_levels(
    installation: &Installation,
    scratch: &Scratch,
    name: &str,
    run: &Run,
    first: &Check,
) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for level in ["-O0", "-O2"] {
        let options = [vec![level.to_string()], run.arguments()].concat();
        let other = installation.check(scratch, name, &options)?;
        let differences = judge::differences(&other, run);
        problems.extend(differences.into_iter().map(|difference| format!("at {level}: {difference}")));
        for count in ["executions", "events", "distinct_triples"] {
            if first.json[count] != other.json[count] {
                problems.push(format!("{count}: {} at -O1, {} at {level}", first.json[count], other.json[count]));
            }
        }
    }
    Ok(problems)
}

/// The problems, if any, with all that helps to understand them.
fn report(check: &Check, problems: Vec<String>) -> Result<(), Failed> {
    if problems.is_empty() {
        return Ok(());
    }
    let problems: Vec<String> = problems.into_iter().map(|problem| format!("* {problem}")).collect();
    Err(Failed::from(format!("{}\n\n$ {}\n{}", problems.join("\n"), check.command, check.text)))
}
