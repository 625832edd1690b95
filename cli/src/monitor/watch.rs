//! The executions of a log under its monitors, and what they report.

use std::time::Instant;

use engine::event::{Barrier, Event as EngineEvent, Kind, Location, Site as EngineSite, Thread};
use engine::monitor::{self, Cycle, EventIndex, Monitor, Name, Report};
use protocol::log::{Event, Header, Line, Operation};
use protocol::{FirstReport, MonitorCount, MonitorName};
use rustc_hash::{FxHashMap, FxHashSet};

use super::history::{History, Seat, Site, Sites, is_event};
use super::log::{Continue, Log, Position};
use super::places::Places;
use super::threads::{Commits, Misuse, Threads};
use crate::exit::Failure;
use crate::plan::monitor_name;

/// The engine's monitor behind a name. `tso` and `pso` are those whose reports do not depend on the order of events that
/// do not conflict: a log is one execution, and stands for its class.
const fn monitor_of(name: MonitorName) -> Option<Name> {
    match name {
        MonitorName::Tso | MonitorName::PrefixTso => Some(Name::PrefixTso),
        MonitorName::Pso | MonitorName::PrefixPso => Some(Name::PrefixPso),
        MonitorName::BurnimTso => Some(Name::BurnimTso),
        MonitorName::BurnimPso => Some(Name::BurnimPso),
        MonitorName::ExactTso => Some(Name::ExactTso),
        MonitorName::Sober => Some(Name::Sober),
        MonitorName::Race | MonitorName::ScAtomicity | MonitorName::TsoAtomicity => None,
    }
}

/// What was found, by the places in the log of the events that take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// e′, prev and e of a cycle that this monitor saw.
    Cycle { monitor: MonitorName, events: [EventIndex; 3], at: [Position; 3] },
    /// A wrong use of transactions.
    Misuse(Misuse),
}

/// What a monitor has reported.
#[derive(Default)]
struct Count {
    reporting: u64,
    distinct: u64,
    triples: FxHashSet<[Site; 3]>,
    /// The number of the finding of each pair.
    pairs: FxHashMap<[Site; 2], usize>,
    first: Option<FirstReport>,
    /// The execution in which it last reported, by number of the run, from 1.
    last: u64,
}

/// How often something was found.
#[derive(Clone, Copy, Default)]
struct Shown {
    executions: u64,
    last: u64,
}

/// What a log gave.
pub(super) struct Watched {
    pub(super) executions: u64,
    pub(super) runs: u64,
    pub(super) events: u64,
    pub(super) seconds: f64,
    pub(super) monitors: Vec<MonitorCount>,
    /// In the order of discovery, each with its number of executions.
    pub(super) found: Vec<(Found, u64)>,
}

/// The monitors at work on a log.
struct Watch<'l> {
    log: &'l Log,
    names: Vec<(MonitorName, Name)>,
    monitors: Vec<Box<dyn Monitor>>,
    counts: Vec<Count>,
    reports: Vec<Report>,
    history: History,
    sites: Sites,
    found: Vec<(Found, Shown)>,
    started: Instant,
    /// Whether the present execution counts.
    repeats: bool,
    runs: u64,
    executions: u64,
    events: u64,
}

/// Runs the monitors on a log.
pub(super) fn watch(log: &Log, names: &[MonitorName]) -> Result<Watched, Failure> {
    let started = Instant::now();
    let mut places = Places::default();
    let mut commits = Commits::Implied;
    loop {
        places.read_again();
        let watch = Watch::new(log, names, started);
        match read(log, watch, &mut places, commits)? {
            Read::Whole(watched) => return Ok(watched),
            Read::HasCommits(at) => {
                if let Some(name) = names.first() {
                    return Err(watches_sc(log, *name, at));
                }
                commits = Commits::Logged;
            }
            Read::Stale => {}
        }
    }
}

/// Refuses a monitor of SC executions.
fn watches_sc(log: &Log, name: MonitorName, at: Position) -> Failure {
    let name = monitor_name(name);
    let words = format!("with commits it is an execution of TSO, and monitor `{name}` watches those of SC");
    Failure::usage(format!("{}:{}: {words}", log.name, at.line), "leave the monitor out, or the commits")
}

/// How a reading ended.
enum Read {
    Whole(Watched),
    /// It has commits, the first one here, which was not known.
    HasCommits(Position),
    /// Some access was located otherwise than it is now.
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
                if begun {
                    watch.end(&threads);
                }
                threads = Threads::new(commits, header.threads);
                watch.begin(header);
                Ok(())
            }
            Line::Event(event) => {
                if !begun {
                    watch.begin(Header { threads: None, log: 1, repeats: false });
                }
                if event.op == Operation::Commit && commits == Commits::Implied {
                    commit = Some(at);
                    return Ok(Continue::No);
                }
                watch.line(&event, at, &mut threads, places)
            }
        };
        begun = true;
        match taken {
            Ok(()) => Ok(Continue::Yes),
            Err(Stop::Refused(words)) => Err(words),
            Err(Stop::Failed(other)) => {
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
    watch.end(&threads);
    Ok(Read::Whole(watch.watched()))
}

/// Why a line is not taken.
enum Stop {
    /// It is wrong.
    Refused(String),
    /// Something else.
    Failed(Failure),
}

impl From<String> for Stop {
    fn from(words: String) -> Self {
        Self::Refused(words)
    }
}

impl<'l> Watch<'l> {
    fn new(log: &'l Log, names: &[MonitorName], started: Instant) -> Self {
        let names: Vec<_> = names.iter().filter_map(|&name| Some((name, monitor_of(name)?))).collect();
        Self {
            log,
            monitors: monitor::monitors(&names.iter().map(|&(_, name)| name).collect::<Vec<_>>()),
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
    }

    /// The execution has ended.
    fn end(&mut self, threads: &Threads) {
        for misuse in threads.unfinished() {
            self.misuse(misuse);
        }
        if !self.repeats {
            self.events += u64::from(self.history.length());
        }
    }

    fn misuse(&mut self, misuse: Misuse) {
        self.found.push((Found::Misuse(misuse), Shown { executions: 1, last: self.runs }));
    }

    /// Takes the line of an event.
    fn line(&mut self, line: &Event<'_>, at: Position, threads: &mut Threads, places: &mut Places) -> Result<(), Stop> {
        let start = line.a.as_ref().map(|address| places.start(address));
        let (thread, child) = threads.step(line, start, at)?;
        if matches!(line.op, Operation::Begin | Operation::End)
            && let Err(misuse) = threads.transaction(line, thread, at)
        {
            self.misuse(misuse);
        }
        let located = start.map(|start| places.locate(start, line.w)).transpose()?;
        // What monitors have seen is wrong then: the rest is read for the places alone.
        if !is_event(line.op) || places.is_stale() {
            return Ok(());
        }
        let locations = located.map_or(&[][..], |located| places.locations(located));
        if self.history.length() == EventIndex::MAX {
            return Err(format!("an execution of more than {} events", EventIndex::MAX).into());
        }
        let site = self.sites.number(line.loc.as_deref(), at);
        self.history.push(Seat { at, site });
        self.event(&engine_event(line.op, thread, child), locations).map_err(Stop::Failed)
    }

    fn event(&mut self, event: &EngineEvent, locations: &[Location]) -> Result<(), Failure> {
        for monitor in &mut self.monitors {
            monitor.event(event, locations, &mut self.reports);
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
            if name != cycle.monitor {
                continue;
            }
            let counts = !self.repeats;
            let count = &mut self.counts[index];
            count.reporting += u64::from(counts && count.last != self.runs);
            count.last = if counts { self.runs } else { count.last };
            let now =
                || FirstReport { executions: self.executions.max(1), seconds: self.started.elapsed().as_secs_f64() };
            count.first.get_or_insert_with(now);
            count.triples.insert(sites);
            let next = self.found.len();
            let number = *count.pairs.entry([sites[0], sites[2]]).or_insert(next);
            if number == next {
                count.distinct += 1;
                let at = seats.map(|seat| seat.at);
                self.found.push((Found::Cycle { monitor, events, at }, Shown::default()));
            }
            let shown = &mut self.found[number].1;
            shown.executions += u64::from(counts && shown.last != self.runs);
            shown.last = if counts { self.runs } else { shown.last };
        }
        Ok(())
    }

    /// What is seen only in executions that do not count belongs to some execution that does.
    fn watched(self) -> Watched {
        let monitors = self.names.iter().zip(self.counts).map(|(&(monitor, _), count)| MonitorCount {
            monitor,
            reporting: count.reporting.max(u64::from(count.first.is_some())),
            distinct: count.distinct,
            distinct_triples: count.triples.len() as u64,
            first: count.first,
        });
        Watched {
            executions: self.executions,
            runs: self.runs,
            events: self.events,
            seconds: self.started.elapsed().as_secs_f64(),
            monitors: monitors.collect(),
            found: self.found.into_iter().map(|(found, shown)| (found, shown.executions.max(1))).collect(),
        }
    }
}

/// A line as the monitors see it.
fn engine_event(operation: Operation, thread: Thread, child: Option<Thread>) -> EngineEvent {
    let kind = match (operation, child) {
        (Operation::Ld, _) => Kind::Load,
        (Operation::St, _) => Kind::Store,
        (Operation::Rmw, _) => Kind::Rmw,
        (Operation::Cas, _) => Kind::CompareAndSwap,
        (Operation::CasFail, _) => Kind::FailedRmw,
        (Operation::Fork, Some(child)) => Kind::Create(child),
        (Operation::Join, Some(child)) => Kind::Join(child),
        _ => Kind::Fence,
    };
    let before = match operation {
        Operation::Fence => Barrier::Full,
        Operation::Stbar => Barrier::StoreStore,
        _ => Barrier::None,
    };
    EngineEvent { thread, site: EngineSite(0), kind, before, after: Barrier::None, order: None }
}
