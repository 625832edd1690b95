//! The violations that were found in a log, with their places.

use engine::event::Thread;
use protocol::log::{Address, Event, Line, Op, frame, place};
use protocol::{FailureKind, MemoryModel, MonitorName, Operation, Place, Role, Schedule, SiteUse, Violation};

use super::log::{Continue, Log, Position};
use super::threads::Misuse;
use super::watch::LogFinding;
use crate::exit::Failure;
use crate::report::names::short_place;

/// Returns the violation that a finding is.
pub(crate) fn violation(log: &Log, found: &LogFinding) -> Result<Violation, Failure> {
    let base = Violation {
        kind: FailureKind::Misuse,
        monitor: None,
        message: String::new(),
        subject: String::new(),
        sites: Vec::new(),
        events: None,
        program_counter: None,
        schedule: Schedule::default(),
    };
    match found {
        &LogFinding::Misuse(Misuse::NotBegun { thread, at }) => {
            let message = format!("thread {thread} ends a transaction that it did not begin");
            Ok(Violation { message, sites: vec![site(log, Role::At, at)?], ..base })
        }
        &LogFinding::Misuse(Misuse::NotEnded { thread, at }) => {
            let message = format!("thread {thread} does not end the transaction that it begins");
            Ok(Violation { message, sites: vec![site(log, Role::At, at)?], ..base })
        }
        LogFinding::Transactions { monitor, at } => {
            let sites = at.iter().map(|&(role, at)| site(log, role, at));
            let sites = sites.collect::<Result<Vec<_>, _>>()?;
            let kind =
                if *monitor == MonitorName::ScEquivalence { FailureKind::ScViolation } else { FailureKind::Atomicity };
            let message = protocol::cycle_in_words(*monitor, &sites);
            Ok(Violation { kind, monitor: Some(*monitor), message, sites, ..base })
        }
        &LogFinding::Cycle { monitor, events, at } => {
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
    let at = |site: &SiteUse| short_place(&site.place);
    let (delayed, overtaking) = (&sites[0], &sites[2]);
    format!(
        "under {machine} the {} at {} can take effect before the store at {}, which no sequentially consistent execution \
         explains",
        overtaking.operation,
        at(overtaking),
        at(delayed)
    )
}

/// Returns the event that stands in a line of the log.
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
    let place = match event.loc.as_deref().and_then(place) {
        Some((file, line, column)) => {
            let stack = event.stack.iter().filter_map(|entry| frame(entry)).collect();
            Place { stack, ..Place::new(file.to_string(), line, column) }
        }
        None => Place::new(log.name.clone(), at.line, 0),
    };
    let expression = match (&event.name, &event.a, event.child) {
        (Some(name), _, _) | (None, Some(Address::Name(name)), _) => name.to_string(),
        (None, Some(Address::Number(number)), _) => format!("{number:#x}"),
        (None, None, Some(child)) => format!("T{child}"),
        (None, None, None) => String::new(),
    };
    let operation = operation(event);
    SiteUse { role, thread: event.t, place, function: String::new(), operation, expression }
}

/// Returns the operation of the event in a line, in the words of reports.
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
