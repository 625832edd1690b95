//! `fencehound monitor`: runs the monitors on recorded executions, without a program.
//!
//! [`log`] is the file, [`threads`] what an execution may do, [`places`] which bytes accesses touch, [`watch`] runs the
//! monitors, and [`history`] knows where past events are. What a line may say is [`protocol::log`].

mod history;
mod log;
mod places;
mod threads;
mod transactions;
mod watch;

use std::path::{Path, PathBuf};

use engine::event::Thread;
use protocol::log::{Event, Line, Op};
use protocol::{FailureKind, MemoryModel, MonitorName, Operation, Place, Role, Schedule, SiteUse, Summary, Violation};

use self::log::{Continue, Log, Position};
use self::threads::{Commits, Misuse};
use self::watch::{Found, Watched, watch};
use crate::check::{complain_about, prepare_json, print_verdict, write_json};
use crate::exit::{Failure, Status};
use crate::findings::{group_name, identify};
use crate::json::{self, Entry, Outcome};
use crate::plan::MonitorPlan;
use crate::report::excerpt::Sources;
use crate::report::verdict::{Facts, Issues, Open, Verdict, counted, judge, nothing_explored};
use crate::report::{self, Detail, Subject, Threads, printable};
use crate::screen::Screen;

/// So many violations of one monitor or kind are shown with their source.
const SHOWN: usize = 3;
/// So many violations of a log are shown.
const LISTED: usize = 50;

/// A log and what was found in it.
struct Judged {
    name: String,
    /// The model that it is an execution of.
    model: &'static str,
    summary: Summary,
    violations: Vec<Violation>,
    verdict: Verdict,
}

/// Runs the command.
pub(crate) fn run(plan: &MonitorPlan) -> Status {
    judge_all(plan).unwrap_or_else(|failure| {
        crate::screen::complain(&failure);
        failure.status
    })
}

/// Nothing is said of any log before all of them are read.
fn judge_all(plan: &MonitorPlan) -> Result<Status, Failure> {
    prepare_json(&plan.json)?;
    let judged = plan.logs.iter().map(|name| judge_one(plan, name)).collect::<Result<Vec<_>, _>>()?;
    let screen = plan.screen();
    for one in &judged {
        one.show(plan, screen, judged.len());
    }
    let ids: Vec<Vec<String>> = judged.iter().map(|one| identify(&one.violations)).collect();
    let entries: Vec<Vec<Entry<'_>>> = judged.iter().zip(&ids).map(|(one, ids)| one.entries(ids)).collect();
    let outcomes = judged.iter().zip(&entries).map(|(one, entries)| one.outcome(plan, entries));
    let written = write_json(&plan.json, &json::results(outcomes));
    let status = judged.iter().map(|one| one.verdict.status).fold(Status::Clean, Status::and);
    print_verdict(screen, &verdict_line(&judged, status));
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
        unroll: None,
        monitors: &plan.monitors,
        open: Open::Budget,
        issues,
        given_up: "at an assumption",
        time: None,
        budget: None,
        interrupted_by: "",
        max_events: u64::MAX,
        memory: u64::MAX,
        local_seconds: u64::MAX,
        summary: &summary,
        violations: &violations,
        unsupported: &[],
    });
    Ok(Judged { name: name.to_string(), model, summary, violations, verdict })
}

fn summary(watched: Watched) -> Summary {
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
        ..nothing_explored()
    }
}

impl Judged {
    fn entries<'a>(&'a self, ids: &'a [String]) -> Vec<Entry<'a>> {
        let all = self.violations.iter().zip(ids).zip(&self.summary.violation_executions);
        all.map(|((violation, id), &executions)| Entry { id, finding: None, violation, executions, consequence: None })
            .collect()
    }

    fn outcome<'a>(&'a self, plan: &'a MonitorPlan, entries: &'a [Entry<'a>]) -> Outcome<'a> {
        Outcome {
            target: &self.name,
            model: self.model,
            explorer: "log",
            preemptions: None,
            unroll: None,
            monitors: &plan.monitors,
            verdict: self.verdict.word,
            stopped_by: None,
            summary: &self.summary,
            violations: entries,
            unsupported: Vec::new(),
            litmus: None,
        }
    }

    /// The violations, as many of them and as much of each as a reader can take.
    fn show(&self, plan: &MonitorPlan, screen: Screen, logs: usize) {
        let beside = Path::new(&self.name).parent().map(Path::to_path_buf);
        let mut sources = Sources::within([PathBuf::new()].into_iter().chain(beside), plan.roots.clone());
        let mut before: Vec<&str> = Vec::new();
        for (id, violation) in identify(&self.violations).iter().zip(&self.violations).take(LISTED) {
            let subject = Subject {
                id,
                violation,
                trace: None,
                monitors: &plan.monitors,
                folder: "",
                repeated: &[],
                threads: Threads::Created,
            };
            let group = group_name(violation);
            let shown = before.iter().filter(|other| **other == group).count();
            before.push(group);
            screen.print(&if shown < SHOWN {
                report::finding(&subject, Detail::Excerpts, screen.width(), &mut sources) + "\n"
            } else {
                report::line(&subject)
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

/// The last line: that of the log, or what several come to.
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

/// What was found, with its places.
fn violation(log: &Log, found: &Found) -> Result<Violation, Failure> {
    let base = Violation {
        kind: FailureKind::Misuse,
        monitor: None,
        message: String::new(),
        sites: Vec::new(),
        events: None,
        program_counter: None,
        schedule: Schedule::default(),
    };
    match found {
        &Found::Misuse(Misuse::NotBegun { thread, at }) => {
            let message = format!("thread {thread} ends a transaction that it did not begin");
            Ok(Violation { message, sites: vec![site(log, Role::At, at)?], ..base })
        }
        &Found::Misuse(Misuse::NotEnded { thread, at }) => {
            let message = format!("thread {thread} does not end the transaction that it begins");
            Ok(Violation { message, sites: vec![site(log, Role::At, at)?], ..base })
        }
        Found::Transactions { monitor, at } => {
            let sites = at.iter().map(|&(role, at)| site(log, role, at));
            let sites = sites.collect::<Result<Vec<_>, _>>()?;
            let kind =
                if *monitor == MonitorName::ScEquivalence { FailureKind::ScViolation } else { FailureKind::Atomicity };
            let message = protocol::cycle_in_words(*monitor, &sites);
            Ok(Violation { kind, monitor: Some(*monitor), message, sites, ..base })
        }
        &Found::Cycle { monitor, events, at } => {
            let roles = [Role::Delayed, Role::Previous, Role::Overtaking];
            let sites = roles.into_iter().zip(at).map(|(role, at)| site(log, role, at));
            let sites = sites.collect::<Result<Vec<_>, _>>()?;
            let message = cycle_in_words(monitor, &sites);
            let events = Some(events.map(u64::from));
            Ok(Violation { kind: FailureKind::ScViolation, monitor: Some(monitor), message, sites, events, ..base })
        }
    }
}

fn cycle_in_words(monitor: MonitorName, sites: &[SiteUse]) -> String {
    let machine = monitor.model().map_or("", MemoryModel::title);
    let at = |site: &SiteUse| report::short_place(&site.place);
    let (delayed, overtaking) = (&sites[0], &sites[2]);
    format!(
        "under {machine} the {} at {} can take effect before the store at {}, which no sequentially consistent execution \
         explains",
        overtaking.operation,
        at(overtaking),
        at(delayed)
    )
}

/// The event in a line of the log.
fn site(log: &Log, role: Role, at: Position) -> Result<SiteUse, Failure> {
    let mut found = None;
    log.read(at, |_, line| match line {
        Line::Event(event) => {
            found = Some(site_use(log, role, at, &event));
            Ok(Continue::No)
        }
        Line::Header(_) => Err("the log has changed while it was read".to_string()),
    })?;
    found.ok_or_else(|| log.refusal(at.line, "the log has changed while it was read"))
}

fn site_use(log: &Log, role: Role, at: Position, event: &Event<'_>) -> SiteUse {
    let place = match event.loc.as_deref().and_then(protocol::log::place) {
        Some((file, line, column)) => {
            let stack = event.stack.iter().filter_map(|entry| protocol::log::frame(entry)).collect();
            Place { stack, ..Place::new(file.to_string(), line, column) }
        }
        None => Place::new(log.name.clone(), at.line, 0),
    };
    let expression = match (&event.name, &event.a, event.child) {
        (Some(name), _, _) | (None, Some(protocol::log::Address::Name(name)), _) => name.to_string(),
        (None, Some(protocol::log::Address::Number(number)), _) => format!("{number:#x}"),
        (None, None, Some(child)) => format!("T{child}"),
        (None, None, None) => String::new(),
    };
    let operation = operation(event);
    SiteUse { role, thread: event.t, place, function: String::new(), operation, expression }
}

/// What the event in a line does, in the words of reports.
fn operation(event: &Event<'_>) -> Operation {
    let other = Thread(event.child.and_then(|child| u8::try_from(child).ok()).unwrap_or_default());
    match event.op {
        Op::Ld => Operation::Load,
        Op::St => Operation::Store,
        Op::Rmw => Operation::Exchange,
        Op::Cas | Op::CasFail => Operation::CompareExchange,
        Op::Await => Operation::Lock,
        Op::Fence => Operation::Fence,
        Op::Stbar => Operation::StoreBarrier,
        Op::Begin => Operation::BeginTransaction,
        Op::End => Operation::EndTransaction,
        Op::Fork => Operation::Create(other),
        Op::Join => Operation::Join(other),
        Op::Commit => Operation::Commit,
    }
}
