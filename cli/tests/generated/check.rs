//! Checks of generated programs: the tool is run, and its result read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::Value;

use crate::program::{Program, file, native_file};

/// Seconds that one run may take.
const DEADLINE: &str = "120";

/// How much the compiler does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Optimised {
    Not,
    Much,
}

/// Programs, compiled.
pub(crate) struct Batch {
    folder: tempfile::TempDir,
    tool: PathBuf,
    /// The lines of the file.
    pub(crate) source: Vec<String>,
}

/// How far a check came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// To its end.
    Complete,
    /// A budget ended it.
    Cut,
    /// The program does what is refused, as the result names it.
    Refused(String),
    /// The tool did not do what it should, whatever the program does.
    Broken(String),
}

/// What a check gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Checked {
    pub(crate) extent: Extent,
    pub(crate) executions: u64,
    pub(crate) outcomes: BTreeSet<String>,
    /// What fails: kind and places.
    pub(crate) failures: BTreeSet<String>,
    /// Pairs of places of SC violations, by model.
    pub(crate) tso: BTreeSet<String>,
    pub(crate) pso: BTreeSet<String>,
}

impl Checked {
    /// Whether it came to its end.
    pub(crate) fn is_complete(&self) -> bool {
        self.extent == Extent::Complete
    }

    fn broken(why: String) -> Self {
        let none = BTreeSet::new;
        let extent = Extent::Broken(why);
        Self { extent, executions: 0, outcomes: none(), failures: none(), tso: none(), pso: none() }
    }
}

fn compile(mut compiler: Command) -> Result<(), String> {
    let output = compiler.output().map_err(|error| format!("{compiler:?}: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(errors.lines().take(20).collect::<Vec<_>>().join("\n")) }
}

impl Batch {
    /// Compiles these programs for the tool.
    ///
    /// # Errors
    /// What the compiler says.
    pub(crate) fn compile(tool: &Path, programs: &[Program], levels: &[Optimised]) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let text = file(programs);
        fs::write(folder.path().join("batch.c"), &text).map_err(|error| error.to_string())?;
        let batch = Self { folder, tool: tool.to_path_buf(), source: text.lines().map(str::to_owned).collect() };
        for &level in levels {
            let (option, name) = names(level);
            let mut compiler = Command::new(&batch.tool);
            compiler.args(["cc", "-w", "-pthread", option, "-o", name, "batch.c"]).current_dir(batch.folder.path());
            compile(compiler)?;
        }
        Ok(batch)
    }

    /// Compiles those programs that run natively, each under its number here, without the tool.
    ///
    /// # Errors
    /// What the compiler says.
    pub(crate) fn compile_native(&self, programs: &[Program]) -> Result<(), String> {
        fs::write(self.folder.path().join("native.c"), native_file(programs)).map_err(|error| error.to_string())?;
        let mut compiler = Command::new("clang-19");
        compiler.args(["-w", "-pthread", "-O1", "-o", "native", "native.c"]).current_dir(self.folder.path());
        compile(compiler)
    }

    /// The outcomes of a program, run so many times on the machine itself; none if it does not end.
    pub(crate) fn run_natively(&self, number: usize, rounds: u64) -> Option<BTreeSet<String>> {
        let mut command = Command::new("timeout");
        command.args(["60", "./native", &number.to_string(), &rounds.to_string()]).current_dir(self.folder.path());
        let output = command.stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Some(text.lines().filter_map(|line| line.split_once(' ')).map(|(_, outcome)| outcome.to_owned()).collect())
    }

    /// Checks one of the programs, which have numbers from 1.
    pub(crate) fn check(&self, number: usize, level: Optimised, options: &[&str]) -> Checked {
        let result = self.folder.path().join(format!("result-{number}.json"));
        drop(fs::remove_file(&result));
        let mut command = Command::new("timeout");
        command.arg(DEADLINE).arg(&self.tool).args(["check", names(level).1, "--color", "never"]).args(options);
        command.arg("--json").arg(&result).arg("--out").arg(format!("found-{number}")).arg("--");
        command.args(vec!["x"; number]).current_dir(self.folder.path());
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => return Checked::broken(error.to_string()),
        };
        let parsed = fs::read_to_string(&result).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let status = output.status.code().unwrap_or(-1);
        match parsed {
            Some(value) if matches!(status, 0 | 1 | 3 | 4) => self.read(&value),
            _ => {
                let errors = String::from_utf8_lossy(&output.stderr);
                Checked::broken(format!("status {status}: {}", errors.trim()))
            }
        }
    }

    fn read(&self, value: &Value) -> Checked {
        let list = |key: &str| value[key].as_array().cloned().unwrap_or_default();
        let mut checked = Checked {
            extent: Self::extent(value),
            executions: value["executions"].as_u64().unwrap_or(0),
            outcomes: list("outcomes").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            failures: BTreeSet::new(),
            tso: BTreeSet::new(),
            pso: BTreeSet::new(),
        };
        for violation in list("violations") {
            let text = self.violation(&violation);
            match violation["model"].as_str() {
                _ if violation["kind"] != "sc-violation" => checked.failures.insert(text),
                Some("tso") => checked.tso.insert(text),
                _ => checked.pso.insert(text),
            };
        }
        checked
    }

    fn extent(value: &Value) -> Extent {
        if value["verdict"] == "unsupported" {
            let what = |one: &Value| one["what"].as_str().unwrap_or("?").to_owned();
            let named: Vec<String> = value["unsupported"].as_array().into_iter().flatten().map(what).collect();
            return Extent::Refused(if named.is_empty() { "nondeterministic".to_owned() } else { named.join(", ") });
        }
        if value["complete"] == true { Extent::Complete } else { Extent::Cut }
    }

    /// A violation as what does not depend on who found it.
    fn violation(&self, violation: &Value) -> String {
        let kind = violation["kind"].as_str().unwrap_or("?");
        let mut places = BTreeSet::new();
        for site in violation["sites"].as_array().into_iter().flatten() {
            let role = site["role"].as_str().unwrap_or("?");
            if kind == "sc-violation" && role == "previous" {
                continue;
            }
            let line = site["line"].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or(0);
            let text = self.source.get(line.wrapping_sub(1)).map_or("", |line| line.trim());
            places.insert(format!("{role} {line}:{} `{text}`", site["column"]));
        }
        format!("{kind}: {}", places.into_iter().collect::<Vec<_>>().join(", "))
    }
}

const fn names(level: Optimised) -> (&'static str, &'static str) {
    match level {
        Optimised::Not => ("-O0", "batch-0"),
        Optimised::Much => ("-O2", "batch-2"),
    }
}

/// The tool, built and put together.
pub(crate) fn tool() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    drop(fs::remove_dir_all(&folder));
    crate::installed::install(&folder)
}
