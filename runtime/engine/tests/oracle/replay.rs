//! The bridge from the oracle to the engine: a run of a little program, as events for a monitor.

use engine::event::{self, Event, Kind, Location, Object, Site, Thread};
use engine::monitor::{Monitor, MonitorName, Report};

use super::definition;
use super::machine::Step;
use super::program::{Access, Action, Addresses, Barrier};

const fn barrier(barrier: Barrier) -> event::Barrier {
    match barrier {
        Barrier::None => event::Barrier::None,
        Barrier::StoreStore => event::Barrier::StoreStore,
        Barrier::Full => event::Barrier::Full,
    }
}

/// The locations of an access: one an address.
pub(crate) fn locations(addresses: Addresses, buffer: &mut [Location; 8]) -> &[Location] {
    let mut count = 0;
    for address in addresses.iter() {
        buffer[count] = Location(address as u32);
        count += 1;
    }
    &buffer[..count]
}

/// A step as an event of the engine.
pub(crate) fn event(step: &Step) -> Event {
    let kind = match step.action {
        Action::Access { access: Access::Load, .. } => Kind::Load,
        Action::Access { access: Access::Store(_), .. } => Kind::Store,
        Action::Access { access: Access::Exchange(_), .. } => Kind::Rmw,
        Action::Access { .. } if step.wrote => Kind::CompareAndSwap,
        Action::Access { .. } => Kind::FailedRmw,
        Action::Fence(_) => Kind::Fence,
        Action::Lock(mutex) | Action::Unlock(mutex) => Kind::Lock(Object(mutex as u32)),
        Action::Spawn(thread) => Kind::Create(Thread::from_index(thread)),
        Action::Join(thread) => Kind::Join(Thread::from_index(thread)),
    };
    let (before, after) = match step.action {
        // That these are full fences, the engine knows by itself.
        Action::Lock(_) | Action::Unlock(_) | Action::Spawn(_) | Action::Join(_) => (Barrier::None, Barrier::None),
        action => action.barriers(),
    };
    Event {
        thread: Thread::from_index(step.thread),
        site: Site(step.op as u32),
        kind,
        before: barrier(before),
        after: barrier(after),
        order: None,
    }
}

/// Gives one event to a monitor.
pub(crate) fn give(monitor: &mut (impl Monitor + ?Sized), step: &Step, reports: &mut Vec<Report>) {
    monitor.event(&event(step), locations(step.action.addresses(), &mut [Location(0); 8]), reports);
}

/// Gives a whole run to a monitor; `reports` then holds its reports and nothing else.
pub(crate) fn run(monitor: &mut (impl Monitor + ?Sized), run: &[Step], reports: &mut Vec<Report>) {
    reports.clear();
    monitor.begin();
    for step in run {
        give(monitor, step, reports);
    }
}

/// The reports of the monitor of the TACAS'11 paper for one model, as the definition writes them.
pub(crate) fn of_model(reports: &[Report], model: definition::Relaxed) -> Vec<definition::Report> {
    of_monitor(reports, burnim(model))
}

/// The reports of one monitor, as the definition writes them.
pub(crate) fn of_monitor(reports: &[Report], monitor: MonitorName) -> Vec<definition::Report> {
    let plain = |report: &Report| match report {
        Report::Cycle(cycle) if cycle.monitor == monitor => Some(definition::Report {
            delayed: cycle.delayed as usize,
            previous: cycle.previous as usize,
            overtaking: cycle.overtaking as usize,
        }),
        _ => None,
    };
    reports.iter().filter_map(plain).collect()
}

pub(crate) const fn burnim(model: definition::Relaxed) -> MonitorName {
    match model {
        definition::Relaxed::Tso => MonitorName::BurnimTso,
        definition::Relaxed::Pso => MonitorName::BurnimPso,
    }
}

pub(crate) const fn prefix(model: definition::Relaxed) -> MonitorName {
    match model {
        definition::Relaxed::Tso => MonitorName::PrefixTso,
        definition::Relaxed::Pso => MonitorName::PrefixPso,
    }
}
