//! The recorder of a slice: the present execution, what was found, what was counted.

use std::collections::{BTreeMap, BTreeSet};

use engine::atomicity::{Mark, Violation as Transactions};
use engine::event::{EventIndex, Thread};
use engine::execution::Execution;
use engine::explore::Counts;
use engine::monitor::{Cycle, Monitor, MonitorName, Report};
use protocol::{Containment, Failed, Grounds, Identity, Packed, Place, Role, Schedule, SiteUse, Tally};

use crate::process::sites::RecordPointer;
use crate::state::failure::{Extent, Failure, site_use};
use crate::state::findings::{Findings, Reporter, Seen};
use crate::state::operation::Note;
use crate::state::tallied::Tallied;
use crate::state::trail::Trail;
use crate::state::violations::{self, parts};

/// A cycle of happens-before in an execution graph: e′, prev and e, as numbers of places, as sites, and as events of
/// the graph. The schedule is not looked at if the places of e′ and e are known.
pub(crate) struct InGraph {
    pub(crate) triple: [u32; 3],
    pub(crate) sites: Vec<SiteUse>,
    pub(crate) events: [u64; 3],
    pub(crate) schedule: Schedule,
}

/// The records of a slice: all that is counted and kept.
pub(crate) struct Recorder {
    pub(crate) trail: Trail,
    pub(crate) findings: Findings,
    pub(crate) tallied: Tallied,
    /// The monitors, each by its name and by the method behind it.
    monitors: Vec<(MonitorName, MonitorName)>,
    /// The places through which execution graphs have cycles of happens-before, if that is counted.
    containments: Option<BTreeMap<[u32; 2], Containment>>,
}

impl Recorder {
    /// Makes the records of a slice that starts now. Each monitor is given by its name and the method behind it.
    pub(crate) fn new(monitors: Vec<(MonitorName, MonitorName)>) -> Self {
        let trail = Trail::new(monitors.iter().map(|&(_, method)| method).collect());
        Self {
            trail,
            findings: Findings::default(),
            containments: None,
            tallied: Tallied::new(monitors.len()),
            monitors,
        }
    }

    /// Clears the records for another slice, whose first execution may begin like the last one.
    pub(crate) fn restart(&mut self, known: &[Identity]) {
        self.trail.restart();
        self.findings.restart(known);
        self.containments = self.containments.take().map(|_| BTreeMap::new());
        self.tallied.restart();
    }

    /// Notes that a transaction of the thread begins or ends here.
    pub(crate) fn mark(&mut self, thread: Thread, mark: Mark, site: RecordPointer) {
        self.tallied.left_out.has_marks = true;
        self.trail.mark(thread, mark, site);
    }

    /// Returns a monitor as one that reports.
    fn reporter(&self, index: usize) -> Reporter {
        Reporter { index, name: self.monitors[index].0 }
    }

    /// Returns the present run, in which something is seen.
    pub(crate) const fn seen(&self, counts: bool) -> Seen {
        Seen { run: self.tallied.counts.runs, counts }
    }

    /// Counts an execution that has ended, with what monitors reported of it.
    pub(crate) fn count(&mut self, execution: &Execution, reports: &[Report], monitors: &[Box<dyn Monitor>]) {
        self.tallied.counts.runs += 1;
        if let Some(log) = self.trail.log(execution) {
            self.tallied.recorded.push_str(&log);
        }
        let counts = execution.history.counts() == Counts::Once;
        if counts {
            self.tallied.counts.executions += 1;
            self.tallied.counts.events += u64::from(execution.history.length());
        }
        let preemptions = execution.history.preemptions();
        if let Some(preemptions) = preemptions {
            self.tallied.counts.by_bound.entry(preemptions).or_default().executions += u64::from(counts);
        }
        for report in reports {
            for index in 0..self.monitors.len() {
                if self.monitors[index].1 == report.monitor() {
                    self.report(index, report, monitors, execution, counts);
                }
            }
        }
    }

    /// Adds a report of a monitor.
    fn report(
        &mut self,
        monitor: usize,
        report: &Report,
        monitors: &[Box<dyn Monitor>],
        execution: &Execution,
        counts: bool,
    ) {
        match *report {
            Report::Cycle(cycle) => self.cycle(monitor, cycle, execution, counts),
            Report::Race { earlier, later } => self.race(monitor, earlier, later, execution, counts),
            Report::Transactions { violation, .. } => {
                let violation = monitors.iter().find_map(|monitor| monitor.violation(violation));
                self.transactions(monitor, violation.expect("a monitor reported it"), execution, counts);
            }
            Report::Open(_) => {
                self.tallied.counts.is_open = true;
                self.tallied.counts.undecided += u64::from(counts);
            }
        }
    }

    /// Adds a report of a cycle of happens-before.
    fn cycle(&mut self, monitor: usize, cycle: Cycle, execution: &Execution, counts: bool) {
        let Cycle { delayed, previous, overtaking, .. } = cycle;
        let [delayed, previous, overtaking] =
            [delayed, previous, overtaking].map(|index| execution.history.steps()[index as usize].site.0);
        let (monitor, seen) = (self.reporter(monitor), self.seen(counts));
        let triple = Some((delayed, previous, overtaking));
        self.tallied.reporting(monitor, triple, execution.history.preemptions(), counts);
        self.findings.pair(monitor, (delayed, overtaking), seen, || {
            violations::sc_violation(&self.trail, monitor.name, cycle, execution)
        });
    }

    /// Adds a report of a race.
    fn race(&mut self, monitor: usize, earlier: u32, later: u32, execution: &Execution, counts: bool) {
        let [first, second] = [earlier, later].map(|index| execution.history.steps()[index as usize].site.0);
        let (monitor, seen) = (self.reporter(monitor), self.seen(counts));
        self.tallied.reporting(monitor, Some((first, first, second)), execution.history.preemptions(), counts);
        // The race is the same whichever access comes first.
        self.findings.pair(monitor, (first.min(second), first.max(second)), seen, || {
            violations::data_race(&self.trail, monitor.name, earlier, later, execution)
        });
    }

    /// Adds a report of a cycle of transactions, which is a new one only if its edges are at other places.
    fn transactions(&mut self, monitor: usize, cycle: &Transactions, execution: &Execution, counts: bool) {
        let (monitor, seen) = (self.reporter(monitor), self.seen(counts));
        self.tallied.reporting(monitor, None, execution.history.preemptions(), counts);
        let site = |index: u32| execution.history.steps()[index as usize].site.0;
        let edges = cycle.edges.iter().map(|edge| [site(edge.from), site(edge.to)]);
        self.findings.cycle_at(monitor, edges.collect(), seen, || {
            violations::not_serializable(&self.trail, monitor.name, cycle, execution)
        });
    }

    /// Counts a failed execution.
    pub(crate) fn fail(&mut self, failure: Failure, execution: &Execution) {
        self.fail_at(failure, execution, Extent::of(execution));
    }

    /// Counts a failed execution that had this extent when it failed.
    pub(crate) fn fail_at(&mut self, failure: Failure, execution: &Execution, extent: Extent) {
        let known = self.findings.is_known(&failure);
        let schedule = if known { Schedule::default() } else { self.trail.schedule_to(execution, extent) };
        self.fail_as(failure, schedule, &Grounds::default(), execution.history.counts());
    }

    /// Whether a cycle that is looked for, and was not found, may go through what is left out of execution graphs.
    fn may_miss_a_cycle(&self) -> bool {
        let of_transactions = self.tallied.left_out.has_marks && self.watches_transactions();
        let of_accesses = self.reports_cycles() && self.findings.has_no_pair();
        self.tallied.left_out.has_rounds && (of_transactions || of_accesses)
    }

    /// Whether a monitor watches transactions.
    pub(crate) fn watches_transactions(&self) -> bool {
        self.monitors.iter().any(|(name, _)| name.watches_transactions())
    }

    /// Lets cycles of happens-before in execution graphs be counted from now on.
    pub(crate) fn count_cycles(&mut self) {
        self.containments = Some(BTreeMap::new());
    }

    /// Whether cycles of happens-before in execution graphs are counted or reported.
    pub(crate) fn watches_cycles(&self) -> bool {
        self.containments.is_some() || self.reports_cycles()
    }

    /// Whether a monitor reports cycles of happens-before in execution graphs.
    pub(crate) fn reports_cycles(&self) -> bool {
        monitor_of_cycles(&self.monitors).is_some()
    }

    /// Adds a cycle of happens-before in the present execution graph.
    pub(crate) fn cycle_of_graph(&mut self, seen: InGraph) {
        let Some(monitor) = monitor_of_cycles(&self.monitors) else { return };
        let InGraph { triple, sites, events, schedule } = seen;
        let [delayed, previous, overtaking] = triple;
        let (monitor, seen) = (self.reporter(monitor), self.seen(true));
        self.tallied.reporting(monitor, Some((delayed, previous, overtaking)), None, true);
        self.findings.pair(monitor, (delayed, overtaking), seen, || {
            violations::cycle_at_places(monitor.name, sites, events, schedule)
        });
    }

    /// Counts a cycle of the present execution graph, which has this rank, through these two places, and the graph's failures.
    pub(crate) fn contains(&mut self, sites: [u32; 2], places: [Place; 2], failures: &[Failure], rank: &Packed) {
        let Some(containments) = &mut self.containments else { return };
        let [delayed, overtaking] = places;
        let new = Containment { sites, delayed, overtaking, executions: 0, failing: 0, failure: None, rank: None };
        let containment = containments.entry(sites).or_insert(new);
        containment.executions += 1;
        if let Some(Failure { kind, message, subject, sites, .. }) = failures.first() {
            containment.failing += 1;
            let place = || sites.first().map(|site| site.place.clone()).unwrap_or_default();
            containment.fail(rank, || Failed {
                kind: *kind,
                message: message.clone(),
                subject: subject.clone(),
                place: place(),
            });
        }
    }

    /// Adds a cycle of transactions in the present execution graph, with edges between these places. The schedule is
    /// not looked at if the cycle is known.
    pub(crate) fn cycle_in_graph(
        &mut self,
        cycle: &Transactions,
        edges: BTreeSet<[u32; 2]>,
        events: &[(Thread, Note)],
        schedule: Schedule,
    ) {
        let monitor = monitor_of_transactions(&self.monitors);
        let (monitor, seen) = (self.reporter(monitor), self.seen(true));
        self.tallied.reporting(monitor, None, None, true);
        self.findings.cycle_at(monitor, edges, seen, || {
            let site = |(role, event): (Role, EventIndex)| {
                let (thread, note) = events[event as usize];
                site_use(role, thread, note.site, note.operation)
            };
            violations::unserializable(monitor.name, parts(cycle).map(site).collect(), schedule)
        });
    }

    /// Returns what was counted.
    pub(crate) fn tally(&self) -> Tally {
        let mut tally = self.tallied.tally();
        tally.is_open |= self.may_miss_a_cycle();
        tally.containments = self.containments.iter().flat_map(BTreeMap::values).cloned().collect();
        tally
    }

    /// Counts a failed execution with this schedule, which is not looked at if the failure is known.
    pub(crate) fn fail_as(&mut self, failure: Failure, schedule: Schedule, grounds: &Grounds, counts: Counts) {
        self.findings.fail_as(failure, schedule, grounds, self.seen(counts == Counts::Once));
    }

    /// Whether no execution graph so far had a cycle through a store and an access that overtakes it at these places.
    pub(crate) fn is_new_pair(&self, delayed: u32, overtaking: u32) -> bool {
        self.findings.is_new_pair(monitor_of_cycles(&self.monitors).unwrap_or_default(), delayed, overtaking)
    }

    /// Whether a cycle of transactions in an execution graph, with edges between these places, is a new one.
    ///
    /// Only one monitor of transactions watches graphs.
    pub(crate) fn is_new_cycle(&self, edges: &BTreeSet<[u32; 2]>) -> bool {
        self.findings.is_new_cycle(monitor_of_transactions(&self.monitors), edges)
    }
}

/// Returns the index of the monitor that reports cycles of happens-before in execution graphs.
fn monitor_of_cycles(monitors: &[(MonitorName, MonitorName)]) -> Option<usize> {
    monitors.iter().position(|(name, _)| name.model().is_some())
}

/// Returns the index of the monitor that reports cycles of transactions in execution graphs.
fn monitor_of_transactions(monitors: &[(MonitorName, MonitorName)]) -> usize {
    monitors.iter().position(|(name, _)| name.watches_transactions()).unwrap_or_default()
}
