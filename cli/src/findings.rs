//! The findings directory: one folder for each finding, with `finding.json` (all that is needed to run it again) and
//! `report.txt`; of an execution graph also `graph.dot`, for Graphviz.
//!
//! Only what this file wrote is ever deleted: a `finding.json` that says what it is, and the report beside it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use protocol::{Finding, MonitorName, VERSION, Violation};
use serde_json::Value;

use crate::exit::Failure;
use crate::report::graph;
use crate::report::names::Threads;
use crate::text::reason;
use crate::whole::write_whole;

const FINDING: &str = "finding.json";
const REPORT: &str = "report.txt";
const GRAPH: &str = "graph.dot";

/// The value of the key `fencehound` in a finding.
pub(crate) const MARK: &str = "finding";

/// A findings directory, open for one run. Where nothing was stored and it did not exist before, it vanishes again.
#[derive(Debug)]
pub(crate) struct Findings {
    folder: PathBuf,
    /// Folders that this run made, outermost first.
    created: Vec<PathBuf>,
    /// The folder itself, open and locked as long as this run writes to it.
    lock: Option<File>,
}

impl Findings {
    /// Makes the folder if need be, checks that it can be written, and keeps other runs out of it.
    pub(crate) fn prepare(folder: &Path) -> Result<Findings, Failure> {
        let mut created: Vec<PathBuf> = Vec::new();
        for ancestor in folder.ancestors() {
            if ancestor.as_os_str().is_empty() || ancestor.exists() {
                break;
            }
            created.insert(0, ancestor.to_path_buf());
        }
        let mut findings = Findings { folder: folder.to_path_buf(), created, lock: None };
        make(folder).map_err(|error| findings.cannot(&error))?;
        let lock = File::open(folder).map_err(|error| findings.cannot(&error))?;
        if is_taken(&lock) {
            findings.created.clear();
            return Err(Failure::usage(
                format!("{}: another search writes its findings there", folder.display()),
                "wait for its end, or name another folder with --out, such as --out fencehound-out/{target}",
            ));
        }
        findings.lock = Some(lock);
        let probe = || {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(&[0; 4096])?;
            file.close()
        };
        probe().map_err(|error| findings.cannot(&error))?;
        Ok(findings)
    }

    /// Removes the findings of an earlier run.
    pub(crate) fn clear(&self) -> Result<(), Failure> {
        let mut folders: Vec<PathBuf> = fs::read_dir(&self.folder)
            .map_err(|error| self.cannot(&error))?
            .flatten()
            .map(|entry| entry.path())
            .collect();
        folders.sort();
        for folder in folders.iter().filter(|folder| is_ours(folder)) {
            fs::remove_file(folder.join(FINDING)).map_err(|error| self.cannot(&error))?;
            drop(fs::remove_file(folder.join(REPORT)));
            drop(fs::remove_file(folder.join(GRAPH)));
            // This fails where somebody keeps other files in it, as it should.
            drop(fs::remove_dir(folder));
        }
        Ok(())
    }

    /// Writes one finding.
    pub(crate) fn store(&self, finding: &Finding, report: &str) -> Result<(), Failure> {
        let folder = self.folder.join(&finding.id);
        let write = || {
            fs::create_dir_all(&folder)?;
            if folder.join(FINDING).exists() && !is_ours(&folder) {
                return Err(io::Error::other(format!("{}/{FINDING} exists and is not a finding", finding.id)));
            }
            let mut json = serde_json::to_string_pretty(finding)?;
            json.push('\n');
            // This file comes first: by it a later run knows that the folder is ours.
            write_whole(&folder.join(FINDING), &json)?;
            if let Some(graph) = &finding.violation.schedule.graph {
                write_whole(&folder.join(GRAPH), &graph::dot(graph, Threads::of(&finding.program)))?;
            }
            write_whole(&folder.join(REPORT), report)
        };
        write().map_err(|error| {
            if is_ours(&folder) {
                drop(fs::remove_file(folder.join(FINDING)));
            }
            drop(fs::remove_dir(&folder));
            self.cannot(&error)
        })
    }

    /// Returns the path of a finding's folder as results name it, with a slash at its end.
    pub(crate) fn path(&self, id: &str) -> String {
        format!("{}/", self.folder.join(id).display())
    }

    fn cannot(&self, error: &io::Error) -> Failure {
        Failure::usage(
            format!("{}: findings cannot be written: {}", self.folder.display(), reason(error)),
            "name another folder with --out",
        )
    }
}

impl Drop for Findings {
    fn drop(&mut self) {
        for folder in self.created.iter().rev() {
            // This fails where there are findings in it, as it should.
            drop(fs::remove_dir(folder));
        }
    }
}

/// Makes a folder. A search that ends may remove an empty one above it at the same time.
fn make(folder: &Path) -> io::Result<()> {
    const TRIALS: u32 = 100;
    let mut made = fs::create_dir_all(folder);
    for _ in 0..TRIALS {
        match &made {
            Err(error) if error.kind() == io::ErrorKind::NotFound => made = fs::create_dir_all(folder),
            _ => break,
        }
    }
    made
}

/// Locks a folder, and returns whether another process has locked it before. A file system without locks lets everybody in.
fn is_taken(folder: &File) -> bool {
    // SAFETY: takes numbers: of a descriptor that is open, and of what is to be done.
    let status = unsafe { libc::flock(folder.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
    status != 0 && io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock
}

fn is_ours(folder: &Path) -> bool {
    let value = fs::read(folder.join(FINDING)).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    value.is_some_and(|value| value["fencehound"] == MARK)
}

/// Names the violations: `tso-1`, `assertion-1`, numbered by monitor or kind in the order of discovery.
pub(crate) fn identify(violations: &[Violation]) -> Vec<String> {
    let mut names = Names::default();
    violations.iter().map(|violation| names.next("", violation)).collect()
}

/// The names of violations that have been given so far.
#[derive(Default, Debug)]
pub(crate) struct Names {
    numbers: BTreeMap<String, u32>,
}

impl Names {
    /// Returns the name of the next violation, which begins with `prefix`.
    pub(crate) fn next(&mut self, prefix: &str, violation: &Violation) -> String {
        let name = format!("{prefix}{}", group_name(violation));
        let number = self.numbers.entry(name.clone()).or_default();
        *number += 1;
        format!("{name}-{number}")
    }
}

/// Returns the name of the group that a violation is counted in: its monitor, or else its kind.
pub(crate) fn group_name(violation: &Violation) -> &'static str {
    violation.monitor.map_or_else(|| violation.kind.name(), MonitorName::name)
}

/// Reads a finding from its folder or its file, which may hold anything.
pub(crate) fn load(path: &Path) -> Result<Finding, Failure> {
    const HELP: &str = "name a folder that `fencehound check` wrote, such as fencehound-out/tso-1";
    let file = if path.is_dir() { path.join(FINDING) } else { path.to_path_buf() };
    let name = file.display();
    let unreadable = |error: io::Error| Failure::usage(format!("{name}: {}", reason(&error)), HELP);
    // A device or a pipe may have no end.
    if !fs::metadata(&file).map_err(unreadable)?.is_file() {
        return Err(Failure::usage(format!("{name}: not a file"), HELP));
    }
    let text = fs::read(&file).map_err(unreadable)?;
    let value: Value = serde_json::from_slice(&text)
        .map_err(|error| Failure::usage(format!("{name}: not a finding, or a corrupt one: {error}"), HELP))?;
    if value["fencehound"] != MARK {
        return Err(Failure::usage(format!("{name}: not a finding of fencehound"), HELP));
    }
    if value["version"] != VERSION {
        let message = format!("{name}: format version {}, where this fencehound has {VERSION}", value["version"]);
        return Err(Failure::usage(message, "check the program again with this version"));
    }
    let corrupt = |why: String| Failure::usage(format!("{name}: a corrupt finding: {why}"), HELP);
    let finding: Finding = serde_json::from_value(value).map_err(|error| corrupt(error.to_string()))?;
    finding.validate().map_err(corrupt)?;
    Ok(finding)
}

#[cfg(test)]
pub(crate) mod tests {
    use protocol::{
        ExitStatus, Explorer, FailureKind, Finding, Heap, Limits, MonitorName, Program, Schedule, VERSION, Violation,
        Wakeups,
    };

    use super::{Findings, MARK, identify, load};

    fn violation(kind: FailureKind, monitor: Option<MonitorName>) -> Violation {
        let schedule = Schedule { threads: vec![Vec::new()], ..Schedule::default() };
        Violation {
            kind,
            monitor,
            message: String::new(),
            subject: String::new(),
            sites: Vec::new(),
            events: None,
            program_counter: None,
            schedule,
        }
    }

    fn finding() -> Finding {
        Finding {
            fencehound: MARK.to_string(),
            version: VERSION,
            id: "crash-1".to_string(),
            fingerprint: "0123456789abcdef".to_string(),
            program: Program {
                directory: "/".to_string(),
                target: vec!["a.c".to_string()],
                compile_options: Vec::new(),
                files: vec![("a.c".to_string(), "sha256:0".to_string())],
            },
            arguments: Vec::new(),
            explorer: Explorer::Bounded,
            monitors: vec![MonitorName::Tso],
            limits: Limits {
                max_events: 1,
                memory: 1,
                local_seconds: 1,
                weak_failures: 0,
                wakeups: Wakeups::Signalled,
                exit_status: ExitStatus::default(),
            },
            heap: Heap::default(),
            violation: violation(FailureKind::Crash, None),
            original: None,
            help: Vec::new(),
        }
    }

    #[test]
    fn ids_number_each_group() {
        let sc = |monitor| violation(FailureKind::ScViolation, Some(monitor));
        let found = [
            sc(MonitorName::Tso),
            sc(MonitorName::Pso),
            violation(FailureKind::UseAfterFree, None),
            sc(MonitorName::Tso),
            violation(FailureKind::UseAfterFree, None),
        ];
        assert_eq!(identify(&found), ["tso-1", "pso-1", "use-after-free-1", "tso-2", "use-after-free-2"]);
    }

    #[test]
    fn what_is_stored_is_loaded_and_cleared() {
        let parent = tempfile::tempdir().unwrap();
        let out = parent.path().join("a/b");
        let findings = Findings::prepare(&out).unwrap();
        findings.store(&finding(), "text").unwrap();
        drop(findings);
        assert_eq!(load(&out.join("crash-1")).unwrap(), finding());
        std::fs::create_dir(out.join("mine")).unwrap();
        std::fs::write(out.join("mine/finding.json"), "{}").unwrap();
        std::fs::write(out.join("crash-1/notes"), "").unwrap();
        Findings::prepare(&out).unwrap().clear().unwrap();
        assert!(!out.join("crash-1/finding.json").exists());
        assert!(out.join("crash-1/notes").exists());
        assert!(out.join("mine/finding.json").exists());
    }

    #[test]
    fn a_folder_without_findings_is_not_left_behind() {
        let parent = tempfile::tempdir().unwrap();
        drop(Findings::prepare(&parent.path().join("a/b")).unwrap());
        assert!(!parent.path().join("a").exists());
        drop(Findings::prepare(parent.path()).unwrap());
        assert!(parent.path().exists());
    }

    #[test]
    fn a_folder_below_a_file_cannot_be_made() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let failure = Findings::prepare(&file.path().join("out")).unwrap_err();
        assert!(failure.message.ends_with("findings cannot be written: not a directory"), "{failure}");
    }
}
