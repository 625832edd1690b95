//! The executions of a log under its monitors, and the reports on them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use engine::atomicity::{Fencing, Mark};
use engine::event::{Barrier, Event as EngineEvent, EventIndex, Kind, Location, Object, Site as EngineSite, Thread};
use engine::monitor::{self, Coverage, Cycle, Monitor, Report};
use protocol::log::{Event, Header, Line, Op};
use protocol::{FirstReport, MonitorCount, MonitorName, Role};
use rustc_hash::{FxHashMap, FxHashSet};

use super::history::{History, Seat, Site, Sites, is_event};
use super::log::{Continue, Log, Position};
use super::places::Places;
use super::threads::{Commits, Misuse, Threads};
use super::transactions::{Answer, Watcher, edges, fits, parts};
use crate::exit::Failure;
use crate::plan::monitor::MonitorPlan;

/// Returns the engine's monitor that watches for cycles under this name, if one does. A log is one execution, and stands for its
/// class.
const fn method_of(name: MonitorName) -> Option<MonitorName> {
    match name {
        MonitorName::Race | MonitorName::ScAtomicity | MonitorName::TsoAtomicity | MonitorName::ScEquivalence => None,
        name => Some(name.method(Coverage::Classes)),
    }
}

/// A finding, by the positions in the log of the events that take part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LogFinding {
    /// e′, prev and e of a cycle that this monitor saw.
    Cycle { monitor: MonitorName, events: [EventIndex; 3], at: [Position; 3] },
    /// The events of a cycle of transactions that this monitor saw, with the part that each one plays.
    Transactions { monitor: MonitorName, at: Vec<(Role, Position)> },
    /// A wrong use of transactions.
    Misuse(Misuse),
}

/// The reports that a monitor has made.
#[derive(Default)]
struct Count {
    reporting: u64,
    distinct: u64,
    triples: FxHashSet<[Site; 3]>,
    /// The number of the finding of each pair.
    pairs: FxHashMap<[Site; 2], usize>,
    /// The number of the finding of each set of edges.
    cycles: BTreeMap<BTreeSet<[Site; 2]>, usize>,
    first: Option<FirstReport>,
    /// The number of the run in which the monitor last reported, from 1.
    last: u64,
}

/// The number of executions that show a finding, and the last run that does.
#[derive(Clone, Copy, Default)]
struct Shown {
    executions: u64,
    last: u64,
}

/// The result of a log.
pub(crate) struct LogResult {
    pub(crate) executions: u64,
    pub(crate) runs: u64,
    pub(crate) events: u64,
    pub(crate) seconds: f64,
    /// The number of executions of which some monitor does not know the answer.
    pub(crate) undecided: u64,
    pub(crate) commits: Commits,
    pub(crate) monitors: Vec<MonitorCount>,
    /// The findings in the order of discovery, each with its number of executions.
    pub(crate) found: Vec<(LogFinding, u64)>,
}

/// The monitors at work on a log.
struct Watch<'l> {
    log: &'l Log,
    names: Vec<(MonitorName, Option<MonitorName>)>,
    monitors: Vec<Box<dyn Monitor>>,
    /// The monitors that watch transactions, each with its place among the names.
    watchers: Vec<(usize, Watcher)>,
    commits: Commits,
    undecided: u64,
    counts: Vec<Count>,
    reports: Vec<Report>,
    history: History,
    sites: Sites,
    found: Vec<(LogFinding, Shown)>,
    started: Instant,
    /// Whether the present execution only repeats another one, and so does not count.
    repeats: bool,
    runs: u64,
    executions: u64,
    events: u64,
}

/// Runs the monitors on a log.
pub(crate) fn watch(log: &Log, plan: &MonitorPlan) -> Result<LogResult, Failure> {
    let names = plan.monitors.as_slice();
    let started = Instant::now();
    let mut places = Places::default();
    let mut commits = Commits::Implied;
    loop {
        places.read_again();
        let watch = Watch::new(log, plan, commits, started);
        match read(log, watch, &mut places, commits)? {
            Read::Whole(_) if names.iter().any(|&name| !fits(name, commits)) => {
                let message =
                    format!("{}: without commits it is an execution of SC, which is equivalent to itself", log.name);
                return Err(Failure::usage(message, "monitor `sc-equivalence` watches logs with commits"));
            }
            Read::Whole(watched) => return Ok(watched),
            Read::HasCommits(at) => {
                if let Some(name) = names.iter().find(|&&name| !fits(name, Commits::Logged)) {
                    return Err(watches_sc(log, *name, at));
                }
                commits = Commits::Logged;
            }
            Read::Stale => {}
        }
    }
}

/// Returns the refusal of a monitor of SC executions.
fn watches_sc(log: &Log, name: MonitorName, at: Position) -> Failure {
    let name = name.name();
    let words = format!("with commits it is an execution of TSO, and monitor `{name}` watches those of SC");
    Failure::usage(format!("{}:{}: {words}", log.name, at.line), "leave the monitor out, or the commits")
}

/// The way in which a reading ended.
enum Read {
    Whole(LogResult),
    /// The log has commits, of which nothing was known; the position is that of the first one.
    HasCommits(Position),
    /// Some access was located in another way than it is now.
    Stale,
}

/// Reads the log once. When an access turns out to have been located wrongly, the rest is read for the places alone.
fn read(log: &Log, mut watch: Watch<'_>, places: &mut Places, commits: Commits) -> Result<Read, Failure> {
    let mut threads = Threads::new(commits, None);
    let mut commit = None;
    let mut begun = false;
    let mut failure = None;
    log.read(Log::START, |at, line| {
        let taken = match line {
            Line::Header(header) => {
                let ended = if begun { watch.end(&threads) } else { Ok(()) };
                threads = Threads::new(commits, header.threads);
                watch.begin(header);
                ended.map_err(Untaken::Failed)
            }
            Line::Event(event) => {
                if !begun {
                    watch.begin(Header { threads: None, log: 1, repeats: false });
                }
                if event.op == Op::Commit && commits == Commits::Implied {
                    commit = Some(at);
                    return Ok(Continue::No);
                }
                watch.line(&event, at, &mut threads, places)
            }
        };
        begun = true;
        match taken {
            Ok(()) => Ok(Continue::Yes),
            Err(Untaken::Refused(words)) => Err(words),
            Err(Untaken::Failed(other)) => {
                failure = Some(other);
                Ok(Continue::No)
            }
        }
    })?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    if let Some(at) = commit {
        return Ok(Read::HasCommits(at));
    }
    if !begun {
        return Err(Failure::usage(format!("{}: is empty", log.name), "an event log has at least one line"));
    }
    if places.is_stale() {
        return Ok(Read::Stale);
    }
    watch.end(&threads)?;
    Ok(Read::Whole(watch.watched()))
}

/// The reason why a line is not taken.
enum Untaken {
    /// The line is wrong.
    Refused(String),
    /// Something failed that has nothing to do with the line.
    Failed(Failure),
}

impl From<String> for Untaken {
    fn from(words: String) -> Self {
        Self::Refused(words)
    }
}

impl<'l> Watch<'l> {
    fn new(log: &'l Log, plan: &MonitorPlan, commits: Commits, started: Instant) -> Self {
        let names = plan.monitors.as_slice();
        let watcher = |(index, &name)| Some((index, Watcher::new(name, commits, plan.search_steps)?));
        let watchers = names.iter().enumerate().filter_map(watcher);
        let watchers = watchers.collect();
        let names: Vec<_> = names.iter().map(|&name| (name, method_of(name))).collect();
        let methods: Vec<MonitorName> = names.iter().filter_map(|&(_, method)| method).collect();
        Self {
            log,
            monitors: monitor::by_name::monitors(&methods, Fencing::Unproved),
            watchers,
            commits,
            undecided: 0,
            counts: names.iter().map(|_| Count::default()).collect(),
            names,
            reports: Vec::new(),
            history: History::default(),
            sites: Sites::default(),
            found: Vec::new(),
            started,
            repeats: false,
            runs: 0,
            executions: 0,
            events: 0,
        }
    }

    fn begin(&mut self, header: Header) {
        self.repeats = header.repeats;
        self.runs += 1;
        self.executions += u64::from(!header.repeats);
        self.history.begin();
        self.monitors.iter_mut().for_each(|monitor| monitor.begin());
        self.watchers.iter_mut().for_each(|(_, watcher)| watcher.begin());
    }

    /// Ends the execution.
    fn end(&mut self, threads: &Threads) -> Result<(), Failure> {
        for misuse in threads.unfinished() {
            self.misuse(misuse);
        }
        let mut ends = self.watchers.iter_mut().map(|(_, watcher)| watcher.end());
        self.undecided += u64::from(ends.by_ref().fold(false, |open, end| open | (end == Answer::Undecided)));
        self.take_transactions()?;
        if !self.repeats {
            self.events += u64::from(self.history.length());
        }
        Ok(())
    }

    fn misuse(&mut self, misuse: Misuse) {
        self.found.push((LogFinding::Misuse(misuse), Shown { executions: 1, last: self.runs }));
    }

    /// Takes the line of an event.
    fn line(
        &mut self,
        line: &Event<'_>,
        at: Position,
        threads: &mut Threads,
        places: &mut Places,
    ) -> Result<(), Untaken> {
        let start = line.a.as_ref().map(|address| places.start(address));
        let (thread, child) = threads.step(line, start, at)?;
        if let Some(mark) = mark(line.op) {
            match threads.transaction(line, thread, at) {
                Ok(_) => self.watchers.iter_mut().for_each(|(_, watcher)| watcher.mark(thread, mark)),
                Err(misuse) => self.misuse(misuse),
            }
        }
        let located = start.map(|start| places.locate(start, line.w)).transpose()?;
        // The monitors have seen wrong locations then: the rest is read for the places alone.
        if places.is_stale() {
            return Ok(());
        }
        if line.op == Op::Commit {
            self.watchers.iter_mut().for_each(|(_, watcher)| watcher.commit(thread));
            return self.take_transactions().map_err(Untaken::Failed);
        }
        if !is_event(line.op) {
            return Ok(());
        }
        let locations = located.map_or(&[][..], |located| places.locations(located));
        if self.history.length() == EventIndex::MAX {
            return Err(format!("an execution of more than {} events", EventIndex::MAX).into());
        }
        let site = self.sites.number(line, at);
        self.history.push(Seat { at, site });
        self.event(&engine_event(line.op, thread, child), locations).map_err(Untaken::Failed)
    }

    fn event(&mut self, event: &EngineEvent, locations: &[Location]) -> Result<(), Failure> {
        for monitor in &mut self.monitors {
            monitor.event(event, locations, &mut self.reports);
        }
        if !self.watchers.is_empty() {
            self.watchers.iter_mut().for_each(|(_, watcher)| watcher.event(event, locations));
            self.take_transactions()?;
        }
        if self.reports.is_empty() {
            return Ok(());
        }
        for report in std::mem::take(&mut self.reports) {
            if let Report::Cycle(cycle) = report {
                self.cycle(&cycle)?;
            }
        }
        Ok(())
    }

    fn cycle(&mut self, cycle: &Cycle) -> Result<(), Failure> {
        let events = [cycle.delayed, cycle.previous, cycle.overtaking];
        let mut seats = [Seat::default(); 3];
        for (seat, event) in seats.iter_mut().zip(events) {
            *seat = self.history.seat(event, self.log, &mut self.sites)?;
        }
        let sites = seats.map(|seat| seat.site);
        for index in 0..self.names.len() {
            let (monitor, name) = self.names[index];
            if name != Some(cycle.monitor) {
                continue;
            }
            self.reporting(index);
            let count = &mut self.counts[index];
            count.triples.insert(sites);
            let next = self.found.len();
            let number = *count.pairs.entry([sites[0], sites[2]]).or_insert(next);
            if number == next {
                count.distinct += 1;
                let at = seats.map(|seat| seat.at);
                self.found.push((LogFinding::Cycle { monitor, events, at }, Shown::default()));
            }
            self.seen(number);
        }
        Ok(())
    }

    /// Takes over what the monitors of transactions have found.
    fn take_transactions(&mut self) -> Result<(), Failure> {
        for place in 0..self.watchers.len() {
            let (index, watcher) = &mut self.watchers[place];
            if !watcher.has_found() {
                continue;
            }
            let index = *index;
            for violation in watcher.take() {
                self.transactions(index, &parts(&violation))?;
            }
        }
        Ok(())
    }

    /// Takes a cycle of transactions that the monitor with this place among the names has found.
    fn transactions(&mut self, index: usize, parts: &[(Role, EventIndex)]) -> Result<(), Failure> {
        let mut seats = Vec::with_capacity(parts.len());
        for &(role, event) in parts {
            seats.push((role, self.history.seat(event, self.log, &mut self.sites)?));
        }
        let sites: Vec<(Role, Site)> = seats.iter().map(|(role, seat)| (*role, seat.site)).collect();
        self.reporting(index);
        let (next, count) = (self.found.len(), &mut self.counts[index]);
        let number = *count.cycles.entry(edges(&sites)).or_insert(next);
        if number == next {
            count.distinct += 1;
            let at = seats.iter().map(|(role, seat)| (*role, seat.at)).collect();
            self.found.push((LogFinding::Transactions { monitor: self.names[index].0, at }, Shown::default()));
        }
        self.seen(number);
        Ok(())
    }

    /// Notes that the monitor with this place among the names has reported in the present execution.
    fn reporting(&mut self, index: usize) {
        let counts = !self.repeats;
        let count = &mut self.counts[index];
        count.reporting += u64::from(counts && count.last != self.runs);
        count.last = if counts { self.runs } else { count.last };
        let now = || FirstReport { executions: self.executions.max(1), seconds: self.started.elapsed().as_secs_f64() };
        count.first.get_or_insert_with(now);
    }

    /// Notes that the present execution shows the finding of this number.
    fn seen(&mut self, number: usize) {
        let counts = !self.repeats;
        let shown = &mut self.found[number].1;
        shown.executions += u64::from(counts && shown.last != self.runs);
        shown.last = if counts { self.runs } else { shown.last };
    }

    /// Returns the result. What is seen only in executions that do not count belongs to some execution that does.
    fn watched(self) -> LogResult {
        let monitors = self.names.iter().zip(self.counts).map(|(&(monitor, _), count)| MonitorCount {
            monitor,
            reporting: count.reporting.max(u64::from(count.first.is_some())),
            distinct: count.distinct,
            distinct_triples: (count.triples.len() + count.cycles.len()) as u64,
            first: count.first,
        });
        LogResult {
            executions: self.executions,
            runs: self.runs,
            events: self.events,
            seconds: self.started.elapsed().as_secs_f64(),
            undecided: self.undecided,
            commits: self.commits,
            monitors: monitors.collect(),
            found: self.found.into_iter().map(|(found, shown)| (found, shown.executions.max(1))).collect(),
        }
    }
}

/// Returns which end of a transaction a line is, if it is one.
const fn mark(operation: Op) -> Option<Mark> {
    match operation {
        Op::Begin => Some(Mark::Begin),
        Op::End => Some(Mark::End),
        _ => None,
    }
}

/// Returns the event that a line is to the monitors.
fn engine_event(operation: Op, thread: Thread, child: Option<Thread>) -> EngineEvent {
    let kind = match (operation, child) {
        (Op::Ld, _) => Kind::Load,
        (Op::St, _) => Kind::Store,
        (Op::Rmw, _) => Kind::Rmw,
        (Op::Cas, _) => Kind::CompareAndSwap,
        (Op::CasFail, _) => Kind::FailedRmw,
        (Op::Await, _) => Kind::Await(Object(0)),
        (Op::Fork, Some(child)) => Kind::Create(child),
        (Op::Join, Some(child)) => Kind::Join(child),
        _ => Kind::Fence,
    };
    let before = match operation {
        Op::Fence => Barrier::Full,
        Op::Stbar => Barrier::StoreStore,
        _ => Barrier::None,
    };
    EngineEvent { thread, site: EngineSite(0), kind, before, after: Barrier::None, order: None }
}
