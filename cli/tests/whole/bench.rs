//! A folder to work in, with the tool as it is installed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use crate::installed;

/// Seconds that one run may take, on a machine that has much else to do.
const DEADLINE: &str = "300";

/// The status of a run that took too long, as `timeout` says it.
pub(crate) const TOO_LONG: i32 = 124;

/// A folder to work in.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// The tool.
pub(crate) fn tool() -> &'static Path {
    static TOOL: OnceLock<PathBuf> = OnceLock::new();
    TOOL.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("whole");
        drop(fs::remove_dir_all(&folder));
        installed::install(&folder)
    })
}

impl Bench {
    /// A folder with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Bench {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        for (name, text) in files {
            fs::create_dir_all(bench.path(name).parent().unwrap()).unwrap();
            fs::write(bench.path(name), text).unwrap();
        }
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// A command in this folder, with a deadline.
    pub(crate) fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", DEADLINE]).arg(program).args(arguments).current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the tool with arguments that blanks separate.
    pub(crate) fn run(&self, line: &str) -> Ran {
        self.run_all(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs the tool in a folder below.
    pub(crate) fn run_in(&self, folder: &str, line: &str) -> Ran {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        ran(&self.command(tool(), &arguments).current_dir(self.path(folder)).output().unwrap())
    }

    /// Runs the tool.
    pub(crate) fn run_all(&self, arguments: &[&str]) -> Ran {
        ran(&self.command(tool(), arguments).output().unwrap())
    }

    /// Runs the tool, which must succeed and say nothing.
    pub(crate) fn quietly(&self, line: &str) {
        let ran = self.run(line);
        assert_eq!((ran.status, ran.output.as_str(), ran.errors.as_str()), (0, "", ""), "{line}");
    }

    /// Runs the tool with this on its standard input.
    pub(crate) fn run_with(&self, line: &str, input: &str) -> Ran {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        let mut child = self.command(tool(), &arguments).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        ran(&child.wait_with_output().unwrap())
    }

    /// Checks an executable or sources; the result.
    pub(crate) fn check(&self, line: &str) -> serde_json::Value {
        let ran = self.run(&format!("check {line} --json -"));
        serde_json::from_str(&ran.output).unwrap_or_else(|error| panic!("{line}: {error}: {ran:?}"))
    }
}

pub(crate) fn ran(output: &Output) -> Ran {
    Ran {
        status: output.status.code().unwrap_or(-1),
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
        errors: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Ran {
    /// The last line.
    pub(crate) fn verdict(&self) -> &str {
        self.output.lines().last().unwrap_or_default()
    }
}
