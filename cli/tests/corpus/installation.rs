//! The tool as it is installed, and its runs: built, copied together into one folder, and run with a deadline.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::installed;

/// The texts of files, by their paths.
pub(crate) type Contents = BTreeMap<PathBuf, String>;

/// So long may one run take.
const DEADLINE: Duration = Duration::from_secs(600);

/// A folder with `bin/`, `lib/fencehound/` and `include/`.
pub(crate) struct Installation {
    folder: TempDir,
    /// Where checks are run: `c-tests/`.
    programs: PathBuf,
}

/// A folder for one test.
pub(crate) struct Scratch {
    folder: TempDir,
}

/// What a check gave.
pub(crate) struct Check {
    /// The command, as one would type it.
    pub(crate) command: String,
    /// The exit status.
    pub(crate) status: Option<i32>,
    /// The machine-readable result.
    pub(crate) json: Value,
    /// What it said to people.
    pub(crate) text: String,
}

/// How a run ended, and what it wrote.
struct Ending {
    status: ExitStatus,
    output: String,
    errors: String,
}

impl Installation {
    /// A place for the tool, which [`Installation::build`] fills.
    pub(crate) fn new(programs: &Path) -> Installation {
        Installation { folder: temporary(), programs: programs.to_path_buf() }
    }

    /// Builds the tool into it.
    pub(crate) fn build(&self) {
        installed::install(self.folder.path());
    }

    fn tool(&self) -> PathBuf {
        self.folder.path().join("bin/fencehound")
    }

    /// Removes the installation.
    pub(crate) fn remove(&self) {
        drop(fs::remove_dir_all(self.folder.path()));
    }

    /// Checks a program.
    ///
    /// # Errors
    /// If it takes too long, or does not give one JSON object.
    pub(crate) fn check(&self, scratch: &Scratch, name: &str, options: &[String]) -> Result<Check, String> {
        let command = format!("cd c-tests; fencehound check {name} {}", options.join(" "));
        let arguments = ["check", name, "--json", "-", "--out", scratch.out()].map(str::to_string);
        let arguments = [arguments.to_vec(), options.to_vec()].concat();
        let ending = self.run(scratch, &arguments, &self.programs).map_err(|why| format!("$ {command}\n{why}"))?;
        let json = serde_json::from_str(&ending.output).map_err(|error| {
            format!("$ {command}\nthe result is not JSON: {error}\n{}\n{}", ending.output, ending.errors)
        })?;
        Ok(Check { command, status: ending.status.code(), json, text: ending.errors })
    }

    /// Replays a finding, from another folder than it was found from.
    ///
    /// # Errors
    /// If it is not reproduced with the report that the check wrote.
    pub(crate) fn replay(&self, scratch: &Scratch, id: &str) -> Result<(), String> {
        let finding = Path::new(scratch.out()).join(id);
        let report = fs::read_to_string(finding.join("report.txt")).map_err(|error| format!("{id}: {error}"))?;
        let (report, command) =
            report.rsplit_once("\n  replay: ").ok_or_else(|| format!("the report of {id}: {report}"))?;
        let mut words = shlex::split(command).ok_or_else(|| format!("the replay of {id}: {command}"))?;
        words.push(format!("--source={}", self.programs.display()));
        let ending = self.run(scratch, &words[1..], scratch.folder.path())?;
        let said = || format!("{}{}", ending.output, ending.errors);
        if ending.status.code() != Some(1) {
            return Err(format!("the replay of {id} ends with {}:\n{}", ending.status, said()));
        }
        if report.trim().is_empty() || !ending.output.contains(report) {
            return Err(format!("the replay of {id} shows\n{}instead of\n{report}", said()));
        }
        Ok(())
    }

    fn run(&self, scratch: &Scratch, arguments: &[String], folder: &Path) -> Result<Ending, String> {
        let broken = |error: io::Error| format!("the tool cannot be run: {error}");
        let (output, errors) = (scratch.folder.path().join("output"), scratch.folder.path().join("errors"));
        let mut command = Command::new(self.tool());
        command.args(arguments).current_dir(folder).env("NO_COLOR", "1").stdin(Stdio::null());
        command.stdout(File::create(&output).map_err(broken)?).stderr(File::create(&errors).map_err(broken)?);
        let mut child = command.spawn().map_err(broken)?;
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(broken)? {
                break status;
            }
            if begin.elapsed() > DEADLINE {
                child.kill().map_err(broken)?;
                child.wait().map_err(broken)?;
                return Err(format!("no end after {} seconds: fencehound {}", DEADLINE.as_secs(), arguments.join(" ")));
            }
            thread::sleep(Duration::from_millis(2));
        };
        let read = |file| fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(broken);
        Ok(Ending { status, output: read(&output)?, errors: read(&errors)? })
    }
}

impl Scratch {
    /// An empty folder.
    pub(crate) fn new() -> Scratch {
        Scratch { folder: temporary() }
    }

    /// The findings directory.
    fn out(&self) -> &str {
        self.folder.path().to_str().expect("temporary folders have names in UTF-8")
    }

    /// The ids of the findings stored, sorted.
    pub(crate) fn findings(&self) -> Vec<String> {
        let entries = fs::read_dir(self.out()).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.path().is_dir());
        let mut names: Vec<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort_unstable();
        names
    }

    /// The files of the findings stored.
    pub(crate) fn contents(&self) -> Contents {
        let mut contents = BTreeMap::new();
        for id in self.findings() {
            for file in ["finding.json", "report.txt"] {
                let path = Path::new(self.out()).join(&id).join(file);
                let text = fs::read_to_string(&path).unwrap_or_else(|error| error.to_string());
                contents.insert(path, text);
            }
        }
        contents
    }
}

fn temporary() -> TempDir {
    TempDir::with_prefix("fencehound-corpus-").expect("a temporary folder can be made")
}
