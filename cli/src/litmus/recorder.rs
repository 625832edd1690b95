//! The counting of what the monitors report on the interleavings of a test.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use engine::execution::Execution;
use engine::monitor::{Coverage, Cycle, Report};
use litmus::TextPosition;
use litmus::schedules::Happened;
use protocol::{
    BoundCount, FailureKind, FirstReport, MemoryModel, MonitorCount, MonitorName, Role, SiteUse, Violation,
};

use super::executions::{operation, place, schedule};
use super::target::TestFile;
use crate::report::names::full_place;

/// The interleavings of a litmus test that monitors get to see: all, or all within a bound, are run.
pub(super) const COVERAGE: Coverage = Coverage::Interleavings;

/// The reports of one monitor.
#[derive(Default)]
struct Reported {
    executions: u64,
    first: Option<FirstReport>,
    /// The number of the violation of each pair (e′, e) of places.
    pairs: BTreeMap<(TextPosition, TextPosition), usize>,
    triples: BTreeSet<(TextPosition, TextPosition, TextPosition)>,
}

/// A counter of interleavings and reports.
pub(super) struct Recorder<'t> {
    target: &'t TestFile,
    started: Instant,
    monitors: Vec<(MonitorName, Reported)>,
    /// The events of the present execution.
    pub(super) events_now: Vec<Happened>,
    pub(super) executions: u64,
    pub(super) events: u64,
    pub(super) by_bound: Vec<BoundCount>,
    pub(super) violations: Vec<Violation>,
    pub(super) violation_executions: Vec<u64>,
}

impl<'t> Recorder<'t> {
    /// Makes a recorder that has counted nothing, of a search that starts now.
    pub(super) fn new(target: &'t TestFile, monitors: &[MonitorName], started: Instant) -> Self {
        Self {
            target,
            started,
            monitors: monitors.iter().map(|&name| (name, Reported::default())).collect(),
            events_now: Vec::new(),
            executions: 0,
            events: 0,
            by_bound: Vec::new(),
            violations: Vec::new(),
            violation_executions: Vec::new(),
        }
    }

    /// Begins a new execution.
    pub(super) fn begin(&mut self) {
        self.events_now.clear();
    }

    /// Takes the next event of the execution.
    pub(super) fn event(&mut self, happened: &Happened) {
        self.events_now.push(*happened);
    }

    /// Ends the execution, on which monitors have made these reports.
    pub(super) fn end(&mut self, execution: &Execution, reports: &[Report]) {
        self.executions += 1;
        self.events += u64::from(execution.history.length());
        if let Some(preemptions) = execution.history.preemptions() {
            let known = self.by_bound.last().is_some_and(|last| last.preemptions == preemptions);
            if !known {
                self.by_bound.push(BoundCount { preemptions, executions: 0, reporting: BTreeMap::new() });
            }
            if let Some(last) = self.by_bound.last_mut() {
                last.executions += 1;
            }
        }
        for monitor in 0..self.monitors.len() {
            self.reported(monitor, reports);
        }
    }

    fn reported(&mut self, monitor: usize, reports: &[Report]) {
        let name = self.monitors[monitor].0;
        let mine: Vec<Cycle> = reports
            .iter()
            .filter_map(|report| match *report {
                Report::Cycle(cycle) if cycle.monitor == name.method(COVERAGE) => Some(cycle),
                _ => None,
            })
            .collect();
        if mine.is_empty() {
            return;
        }
        let counts = &mut self.monitors[monitor].1;
        counts.executions += 1;
        let now = FirstReport { executions: self.executions, seconds: self.started.elapsed().as_secs_f64() };
        counts.first.get_or_insert(now);
        if let Some(last) = self.by_bound.last_mut() {
            *last.reporting.entry(name).or_default() += 1;
        }
        let mut shown = BTreeSet::new();
        for report in mine {
            let indices = [report.delayed, report.previous, report.overtaking];
            let [delayed, previous, overtaking] = indices.map(|index| self.position(index));
            self.monitors[monitor].1.triples.insert((delayed, previous, overtaking));
            let next = self.violations.len();
            let number = *self.monitors[monitor].1.pairs.entry((delayed, overtaking)).or_insert(next);
            if number == next {
                self.violations.push(self.violation(name, &report));
                self.violation_executions.push(0);
            }
            shown.insert(number);
        }
        for number in shown {
            self.violation_executions[number] += 1;
        }
    }

    fn position(&self, event: u32) -> TextPosition {
        let site = self.events_now[event as usize].event.site;
        self.target
            .test
            .at_site(site)
            .map_or(TextPosition { line: 0, column: 0 }, |(_, instruction)| instruction.position)
    }

    fn violation(&self, monitor: MonitorName, report: &Cycle) -> Violation {
        let roles =
            [(Role::Delayed, report.delayed), (Role::Previous, report.previous), (Role::Overtaking, report.overtaking)];
        let sites: Vec<SiteUse> = roles.into_iter().filter_map(|(role, event)| self.site(role, event)).collect();
        let at = |site: &SiteUse| full_place(&site.place);
        let message = format!(
            "under {} the {} at {} can take effect before the store at {}, which no sequentially consistent execution \
             explains",
            monitor.model().map_or("", MemoryModel::title),
            sites[2].operation,
            at(&sites[2]),
            at(&sites[0])
        );
        Violation {
            kind: FailureKind::ScViolation,
            monitor: Some(monitor),
            message,
            subject: String::new(),
            sites,
            events: Some([report.delayed, report.previous, report.overtaking].map(u64::from)),
            program_counter: None,
            schedule: schedule(self.target, &self.events_now),
        }
    }

    fn site(&self, role: Role, event: u32) -> Option<SiteUse> {
        let event = self.events_now[event as usize].event;
        let (thread, instruction) = self.target.test.at_site(event.site)?;
        Some(SiteUse {
            role,
            thread: u32::try_from(thread).ok()?,
            place: place(self.target, instruction.position),
            function: format!("P{thread}"),
            operation: operation(instruction, event.kind),
            expression: instruction.text.clone(),
        })
    }

    /// Returns the counts of the monitors.
    pub(super) fn monitor_counts(&self) -> Vec<MonitorCount> {
        let count = |(monitor, reported): &(MonitorName, Reported)| MonitorCount {
            monitor: *monitor,
            reporting: reported.executions,
            distinct: reported.pairs.len() as u64,
            distinct_triples: reported.triples.len() as u64,
            first: reported.first.clone(),
        };
        self.monitors.iter().map(count).collect()
    }
}
