//! Instrumented programs compute what uninstrumented ones do, and call the same hooks at each optimisation level. A
//! runtime that does at once what each hook stands for (`tests/stub_runtime.c`) is linked in.
//!
//! Each C file in `tests/run` is a program, each folder there a program of several files; they print what they
//! compute. A comment `//> visits E C S` at the line of a loop gives the visits that its hook must be told of:
//! entered, changed, the same. `//> refused WHAT` says that the program ends there, after it printed `reached`.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use support::{LEVELS, c_files, folder, plugin, run, stem};

fn main() {
    let arguments = Arguments::from_args();
    let plugin = plugin();
    let home = tempfile::tempdir().expect("a folder for temporary files");
    let stub = home.path().join("stub.o");
    let mut clang = Command::new("clang-19");
    run(clang.args(["-c", "-pthread", "-O1"]).arg(folder("stub_runtime.c")).arg("-o").arg(&stub));
    let mut trials = Vec::new();
    for (name, sources) in programs() {
        let (plugin, stub) = (plugin.clone(), stub.clone());
        trials.push(Trial::test(name, move || check(&plugin, &stub, &sources)));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    drop(home);
    conclusion.exit();
}

/// The programs: their names and source files.
fn programs() -> Vec<(String, Vec<PathBuf>)> {
    let home = folder("run");
    let mut programs: Vec<(String, Vec<PathBuf>)> =
        c_files(&home).into_iter().map(|file| (stem(&file), vec![file])).collect();
    let folders = fs::read_dir(&home).expect("the folder of the tests can be read");
    for entry in folders.map(|entry| entry.expect("its entries can be read").path()).filter(|path| path.is_dir()) {
        programs.push((stem(&entry), c_files(&entry)));
    }
    programs.sort();
    programs
}

/// What a program printed, and its exit status.
#[derive(PartialEq, Eq, Debug)]
struct Outcome {
    status: Option<i32>,
    output: String,
}

/// Compares a program with its uninstrumented self, and all levels with each other.
fn check(plugin: &Path, stub: &Path, sources: &[PathBuf]) -> Result<(), Failed> {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let plain = folder.path().join("plain");
    let mut clang = Command::new("clang-19");
    run(clang.args(["-w", "-O0", "-pthread"]).args(sources).args(["-lm", "-latomic", "-o"]).arg(&plain));
    let wanted = refusal(&sources[0]).unwrap_or_else(|| outcome(&plain, &folder.path().join("none")));
    let mut logs = Vec::new();
    for level in LEVELS {
        let program = build(plugin, stub, sources, level, folder.path());
        let log = folder.path().join("log");
        let found = outcome(&program, &log);
        if found != wanted {
            return Err(format!("{level}: expected {wanted:#?}\nfound {found:#?}").into());
        }
        let log = fs::read_to_string(&log).map_err(|error| format!("the log: {error}"))?;
        compare_visits(&sources[0], &log, level)?;
        let mut log: Vec<String> = log.lines().map(str::to_owned).collect();
        log.sort();
        logs.push((level, log));
    }
    for (level, log) in &logs {
        if log != &logs[0].1 {
            return Err(format!("the hooks at -O0: {:#?}\nat {level}: {log:#?}", logs[0].1).into());
        }
    }
    Ok(())
}

/// How a program ends that says where it is refused: `//> refused what it is`.
fn refusal(source: &Path) -> Option<Outcome> {
    let source = fs::read_to_string(source).ok()?;
    let (number, what) = (1..)
        .zip(source.lines())
        .find_map(|(number, line): (u32, _)| Some((number, line.split_once("//> refused ")?.1)))?;
    Some(Outcome { status: Some(4), output: format!("reached\nunsupported: {what} in line {number}\n") })
}

/// Compiles a program with the plugin, file by file, and links the stub runtime in.
fn build(plugin: &Path, stub: &Path, sources: &[PathBuf], level: &str, folder: &Path) -> PathBuf {
    let mut objects = Vec::new();
    for source in sources {
        let object = folder.join(format!("{}{level}.o", stem(source)));
        let mut clang = Command::new("clang-19");
        clang.arg(format!("-fpass-plugin={}", plugin.display())).args(["-g", "-w", "-c", level]);
        run(clang.arg(source).arg("-o").arg(&object));
        objects.push(object);
    }
    let program = folder.join(format!("program{level}"));
    let mut clang = Command::new("clang-19");
    run(clang.arg("-pthread").args(&objects).arg(stub).arg("-lm").arg("-o").arg(&program));
    program
}

/// Runs a program.
fn outcome(program: &Path, log: &Path) -> Outcome {
    let output = Command::new(program).env("FH_LOG", log).output().expect("the program can be run");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    Outcome { status: output.status.code(), output: text.into_owned() }
}

/// Compares the visits of loops with those that the source asks for.
fn compare_visits(source: &Path, log: &str, level: &str) -> Result<(), Failed> {
    let source = fs::read_to_string(source).map_err(|error| error.to_string())?;
    for (number, line) in (1..).zip(source.lines()) {
        let Some((_, wanted)) = line.split_once("//> visits ") else { continue };
        let begin = format!("visits {number} ");
        let found = log.lines().find_map(|line| line.strip_prefix(&begin)).unwrap_or("none");
        if found != wanted.trim() {
            return Err(format!("{level}: line {number}: expected visits {wanted}, found {found}").into());
        }
    }
    Ok(())
}
