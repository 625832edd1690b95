//! The keeping of litmus tests' findings: each execution is run again, and stored in a folder.

use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;

use protocol::{Explorer as Interleavings, Finding, MonitorName, Program, Trace, VERSION, Violation};

use super::again::again;
use super::searched::Searched;
use super::target::TestFile;
use crate::exit::Failure;
use crate::findings::{Findings, MARK, Names, group_name};
use crate::hash::hash_file;
use crate::plan::check::CheckPlan;
use crate::plan::explorer::Explorer;
use crate::report::excerpt::Sources;
use crate::report::finding::{self, Detail, Subject};
use crate::report::names::Threads;
use crate::screen::{Width, plain};
use crate::text::reason;
use crate::trust;

/// The keeper of findings.
pub(super) struct Keeper<'p> {
    plan: &'p CheckPlan,
    findings: &'p Findings,
    directory: PathBuf,
    sources: Sources,
    names: Names,
    /// Whether there is only one test, so that there is room for pictures.
    alone: bool,
    unwritten: Option<Failure>,
}

/// A violation that is kept in a folder.
pub(super) struct KeptFinding {
    pub(super) id: String,
    pub(super) folder: String,
    trace: Trace,
    /// What the user adds to the command that runs it again.
    again: Vec<String>,
    /// What is shown of it at once, if there is room.
    pub(super) text: Option<String>,
}

impl KeptFinding {
    /// All that can be shown of the violation that it keeps.
    pub(super) fn subject<'a>(&'a self, violation: &'a Violation, monitors: &'a [MonitorName]) -> Subject<'a> {
        Subject {
            id: &self.id,
            violation,
            trace: Some(&self.trace),
            monitors,
            folder: &self.folder,
            help: &[],
            again: &self.again,
            threads: Threads::Declared,
        }
    }
}

/// The parts of a result that are kept.
pub(super) struct Kept {
    /// The violations, and behind them the witness, if it is kept.
    all: Vec<KeptFinding>,
    violations: usize,
}

impl Kept {
    /// Returns the violations, in their order.
    pub(super) fn found(&self) -> &[KeptFinding] {
        &self.all[..self.violations]
    }

    /// Returns the folder of the execution that answers the test's question, if it is kept.
    pub(super) fn witness(&self) -> Option<&str> {
        self.all.get(self.violations).map(|kept| kept.folder.as_str())
    }

    /// Returns the texts that are shown at once.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.all.iter().filter_map(|kept| kept.text.as_deref())
    }
}

impl<'p> Keeper<'p> {
    /// Makes a keeper of the findings of this many tests.
    pub(super) fn new(plan: &'p CheckPlan, findings: &'p Findings, tests: usize) -> Result<Keeper<'p>, Failure> {
        let directory = env::current_dir().map_err(|error| {
            Failure::usage(format!("no current folder: {}", reason(&error)), "change to another folder")
        })?;
        let sources = Sources::new([directory.clone()]);
        let (names, alone) = (Names::default(), tests == 1);
        Ok(Keeper { plan, findings, directory, sources, names, alone, unwritten: None })
    }

    /// Checks that everything could be written.
    pub(super) fn unwritten(self) -> Result<(), Failure> {
        self.unwritten.map_or(Ok(()), Err)
    }

    /// Runs the executions that a search has found again, and keeps them.
    ///
    /// # Errors
    /// If an execution that is run again does not show what it showed before.
    pub(super) fn keep(&mut self, searched: &Searched<'_>) -> Result<Kept, Failure> {
        let witness = searched.witness.iter().filter(|_| self.plan.keeps_witnesses);
        let mut all = Vec::new();
        let mut groups = BTreeSet::new();
        for violation in searched.violations.iter().chain(witness) {
            let mut kept = self.keep_one(searched, violation)?;
            // Only the first one of each group is shown.
            kept.text = kept.text.filter(|_| groups.insert(group_name(violation)));
            all.push(kept);
        }
        Ok(Kept { all, violations: searched.violations.len() })
    }

    fn keep_one(&mut self, searched: &Searched<'_>, violation: &Violation) -> Result<KeptFinding, Failure> {
        let prefix = match searched.explorer {
            Explorer::Rsmc => format!("{}-", searched.model.name()),
            Explorer::Interleavings(_) | Explorer::Auto(_) => String::new(),
        };
        let id = self.names.next(&prefix, violation);
        let limit = self.plan.explore.limits.max_events;
        let trace = again(searched.target, &violation.schedule, &searched.monitors, limit);
        let trace = trace.and_then(|trace| {
            if trace.shows(violation) { Ok(trace) } else { Err("the execution does not show it".to_string()) }
        });
        let trace = trace.map_err(|why| Failure::internal(format!("finding {id} did not replay: {why}")))?;
        let folder = self.findings.path(&id);
        let files = [(searched.target.file.clone(), String::new())];
        let again = trust::arguments(&self.directory, &files, &[]);
        let subject = Subject {
            id: &id,
            violation,
            trace: Some(&trace),
            monitors: &searched.monitors,
            folder: &folder,
            help: &[],
            again: &again,
            threads: Threads::Declared,
        };
        self.store(searched, &subject);
        let shown = self.alone.then(|| {
            let width = self.plan.screen().width();
            finding::full(&subject, Detail::Execution, width, &mut self.sources)
        });
        Ok(KeptFinding { text: shown, folder, id, trace, again })
    }

    fn store(&mut self, searched: &Searched<'_>, subject: &Subject<'_>) {
        if self.unwritten.is_some() {
            // If one finding cannot be written, the others cannot be either.
            return;
        }
        let text = finding::full(subject, Detail::Everything, Width::Unlimited, &mut self.sources);
        let written = self.finding(searched, subject).and_then(|finding| self.findings.store(&finding, &plain(&text)));
        self.unwritten = written.err();
    }

    fn finding(&self, searched: &Searched<'_>, subject: &Subject<'_>) -> Result<Finding, Failure> {
        Ok(Finding {
            fencehound: MARK.to_string(),
            version: VERSION,
            id: subject.id.to_string(),
            fingerprint: String::new(),
            program: self.program(searched.target)?,
            arguments: Vec::new(),
            explorer: Interleavings::Bounded,
            monitors: searched.monitors.clone(),
            limits: self.plan.explore.limits.clone(),
            heap: self.plan.explore.heap,
            violation: subject.violation.clone(),
            original: None,
            help: Vec::new(),
        })
    }

    fn program(&self, target: &TestFile) -> Result<Program, Failure> {
        let file = self.directory.join(&target.path);
        let hash = hash_file(&file)
            .map_err(|error| Failure::usage(format!("{}: {}", target.file, reason(&error)), "make it readable"))?;
        Ok(Program {
            directory: self.directory.to_string_lossy().into_owned(),
            target: vec![target.file.clone()],
            compile_options: Vec::new(),
            files: vec![(target.file.clone(), hash)],
        })
    }
}
