//! `fencehound monitor`: runs the monitors on recorded executions, without a program.

use std::path::{Path, PathBuf};

use protocol::{Summary, Violation};

use crate::exit::{Failure, Status};
use crate::findings::{group_name, identify};
use crate::json::{self, CountsAs, Entry, Outcome};
use crate::logs::log::Log;
use crate::logs::threads::Commits;
use crate::logs::violations::violation;
use crate::logs::watch::{LogResult, watch};
use crate::plan::monitor::MonitorPlan;
use crate::report::excerpt::Sources;
use crate::report::finding::{self, Detail, Subject};
use crate::report::names::Threads;
use crate::report::verdict::{Facts, Issues, Open, Races, Verdict, judge};
use crate::screen::{Screen, complain_about};
use crate::text::{counted, printable};

/// The number of violations of one monitor or kind that are shown with their source.
const SHOWN: usize = 3;
/// The most violations of a log that are shown.
const LISTED: usize = 50;

/// A log, and what was found in it.
struct Judged {
    name: String,
    /// The model that the log is an execution of.
    model: &'static str,
    summary: Summary,
    violations: Vec<Violation>,
    verdict: Verdict,
}

/// Runs the command.
///
/// Nothing is printed about any log before all of them have been read.
pub(crate) fn run(plan: &MonitorPlan) -> Result<Status, Failure> {
    plan.json.prepare()?;
    let judged = plan.logs.iter().map(|name| judge_one(plan, name)).collect::<Result<Vec<_>, _>>()?;
    let screen = plan.screen();
    for one in &judged {
        one.show(plan, screen, judged.len());
    }
    let ids: Vec<Vec<String>> = judged.iter().map(|one| identify(&one.violations)).collect();
    let entries: Vec<Vec<Entry<'_>>> = judged.iter().zip(&ids).map(|(one, ids)| one.entries(ids, plan)).collect();
    let outcomes: Vec<Outcome<'_>> =
        judged.iter().zip(&entries).map(|(one, entries)| one.outcome(plan, entries)).collect();
    let written = plan.json.write(&json::results(&outcomes));
    let status = judged.iter().map(|one| one.verdict.status).fold(Status::Clean, Status::and);
    screen.print_verdict(&verdict_line(&judged, status));
    Ok(status.and(complain_about(written)))
}

fn judge_one(plan: &MonitorPlan, name: &str) -> Result<Judged, Failure> {
    let log = Log::open(name)?;
    let watched = watch(&log, plan)?;
    let found = watched.found.iter().map(|(found, _)| violation(&log, found));
    let violations = found.collect::<Result<Vec<_>, _>>()?;
    let (model, issues) = match watched.commits {
        Commits::Logged => ("tso", Issues::All),
        Commits::Implied => ("sc", Issues::Recorded),
    };
    let summary = summary(watched);
    let verdict = judge(&Facts {
        preemptions: None,
        delays: None,
        unroll: None,
        monitors: &plan.monitors,
        open: Open::Budget,
        issues,
        races: Races::Unwatched,
        given_up: "at an assumption",
        time: None,
        budget: None,
        interrupted_by: "",
        max_events: u64::MAX,
        memory: u64::MAX,
        local_seconds: u64::MAX,
        whole: None,
        summary: &summary,
        accepted: 0,
        violations: &violations,
        unsupported: &[],
    });
    Ok(Judged { name: name.to_string(), model, summary, violations, verdict })
}

fn summary(watched: LogResult) -> Summary {
    Summary {
        complete: true,
        stopped_by: None,
        executions: watched.executions,
        runs: watched.runs,
        events: watched.events,
        undecided: watched.undecided,
        seconds: watched.seconds,
        monitors: watched.monitors,
        violation_executions: watched.found.iter().map(|(_, executions)| *executions).collect(),
        ..Summary::nothing()
    }
}

fn subject<'a>(id: &'a str, violation: &'a Violation, plan: &'a MonitorPlan) -> Subject<'a> {
    let (monitors, threads) = (plan.monitors.as_slice(), Threads::Created);
    Subject { id, violation, trace: None, monitors, folder: "", help: &[], again: &[], threads }
}

impl Judged {
    fn entries<'a>(&'a self, ids: &'a [String], plan: &'a MonitorPlan) -> Vec<Entry<'a>> {
        let all = self.violations.iter().zip(ids).zip(&self.summary.violation_executions);
        all.map(|((violation, id), &executions)| Entry {
            subject: subject(id, violation, plan),
            finding: None,
            fingerprint: None,
            accepted: None,
            executions,
            circular: false,
            consequence: None,
            judgement: None,
            help: None,
            counts: CountsAs::Violation,
        })
        .collect()
    }

    fn outcome<'a>(&'a self, plan: &'a MonitorPlan, entries: &'a [Entry<'a>]) -> Outcome<'a> {
        Outcome {
            target: &self.name,
            model: self.model,
            explorer: "log",
            preemptions: None,
            delays: None,
            unroll: None,
            monitors: &plan.monitors,
            verdict: self.verdict.word,
            sentence: self.verdict.line.clone(),
            stopped_by: None,
            whole: None,
            summary: &self.summary,
            violations: entries,
            unsupported: Vec::new(),
            models: Vec::new(),
            unmatched: &[],
            litmus: None,
        }
    }

    /// Shows the violations, as many of them and as much of each as a reader can take.
    fn show(&self, plan: &MonitorPlan, screen: Screen, logs: usize) {
        let beside = Path::new(&self.name).parent().map(Path::to_path_buf);
        let mut sources = Sources::within([PathBuf::new()].into_iter().chain(beside), plan.roots.clone());
        let mut before: Vec<&str> = Vec::new();
        for (id, violation) in identify(&self.violations).iter().zip(&self.violations).take(LISTED) {
            let subject = subject(id, violation, plan);
            let group = group_name(violation);
            let shown = before.iter().filter(|other| **other == group).count();
            before.push(group);
            screen.print(&if shown < SHOWN {
                finding::full(&subject, Detail::Excerpts, screen.width(), &mut sources) + "\n"
            } else {
                finding::line(&subject)
            });
        }
        if let Some(more) = self.violations.len().checked_sub(LISTED).filter(|&more| more > 0) {
            screen.print(&format!("… and {more} more\n"));
        }
        if logs > 1 {
            screen.print(&format!("{}: {}\n", printable(&self.name), self.verdict.line));
        }
    }
}

/// Returns the last line: that of the only log, or what several logs come to together.
fn verdict_line(judged: &[Judged], status: Status) -> String {
    if let [only] = judged {
        return only.verdict.line.clone();
    }
    let executions = counted(judged.iter().map(|one| one.summary.executions).sum(), "execution", "executions");
    let logs = counted(judged.len() as u64, "log", "logs");
    match judged.iter().filter(|one| one.verdict.status == Status::Found).count() {
        0 => format!("{}: {executions} of {logs}", if status == Status::Clean { "clean" } else { "incomplete" }),
        found => format!("violations: {found} of {logs} with violations; {executions}"),
    }
}
