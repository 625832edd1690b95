//! Cycles of happens-before in execution graphs: where an access overtakes a store, and whether executions fail then.
//!
//! A monitor reports on an SC execution that a relaxed one near it has a cycle; here are the relaxed executions
//! themselves.

use std::collections::BTreeMap;

use engine::event::Thread;
use engine::explore::rsmc::CompleteTrace;
use engine::graph::EventId;
use engine::graph::overtaking::{Overtaking, overtakings};
use protocol::{Place, Role, Schedule, SiteUse};
use rustc_hash::FxHashMap;

use crate::process::sites::Record;
use crate::run::with;
use crate::search::graphs::runs::{Broken, Notes, notes, rank, schedule};
use crate::state::failure::{Failure, site_use};
use crate::state::graph::Recorded;
use crate::state::recorder::InGraph;

/// Looks for cycles in an execution in which these failures show, if they are counted or reported.
pub(crate) fn watch<const W: usize>(execution: &CompleteTrace<'_, W>, failures: &[Failure]) -> Result<(), Broken> {
    if with(|runtime| runtime.recorder.watches_cycles()) != Some(true) {
        return Ok(());
    }
    let found = in_memory(execution);
    if found.is_empty() {
        return Ok(());
    }
    let notes = notes(execution)?;
    let mut all: BTreeMap<[u32; 2], [Place; 2]> = BTreeMap::new();
    for one in &found {
        for &delayed in &one.delayed {
            let pair = [delayed, one.overtaking];
            let place = |event| Record::behind(recorded(&notes, event).note.site).place();
            all.insert(sites(&notes, pair), pair.map(place));
        }
    }
    let rank = rank(execution);
    with(|runtime| {
        for (pair, places) in all {
            runtime.recorder.contains(pair, places, failures, &rank);
        }
    });
    if with(|runtime| runtime.recorder.reports_cycles()) == Some(true) {
        for one in &found {
            report(execution, one, &notes)?;
        }
    }
    Ok(())
}

/// Returns the overtakings of an execution that are accesses to memory.
fn in_memory<const W: usize>(execution: &CompleteTrace<'_, W>) -> Vec<Overtaking> {
    let is_in_memory = |event: EventId| {
        let node = execution.trace.node(execution.trace.nodes_of(event).start);
        with(|runtime| runtime.graph_mut().places.is_memory(node.location)) == Some(true)
    };
    let mut found = overtakings(execution.trace);
    found.retain(|one| is_in_memory(one.overtaking));
    found
}

/// Whether an access at the second of these places overtakes a store at the first one.
pub(crate) fn contains<const W: usize>(execution: &CompleteTrace<'_, W>, places: &[Place; 2]) -> Result<bool, Broken> {
    let found = in_memory(execution);
    if found.is_empty() {
        return Ok(false);
    }
    let notes = notes(execution)?;
    let is_at = |event: EventId, place: &Place| Record::behind(recorded(&notes, event).note.site).place() == *place;
    let mut pairs = found.iter().flat_map(|one| one.delayed.iter().map(|&delayed| [delayed, one.overtaking]));
    Ok(pairs.any(|pair| pair.into_iter().zip(places).all(|(event, place)| is_at(event, place))))
}

/// Returns the record of an event.
fn recorded(notes: &Notes, event: EventId) -> &Recorded {
    &notes[usize::from(event.thread)][usize::from(event.index)]
}

/// Returns the numbers of the places of two accesses.
fn sites(notes: &Notes, events: [EventId; 2]) -> [u32; 2] {
    let site = |event| with(|runtime| runtime.sites.site(recorded(notes, event).note.site).0);
    events.map(|event| site(event).expect("there is a runtime"))
}

/// Reports the last of the stores that an access overtakes, as a monitor would.
fn report<const W: usize>(execution: &CompleteTrace<'_, W>, one: &Overtaking, notes: &Notes) -> Result<(), Broken> {
    let &delayed = one.delayed.last().expect("an access overtakes some store");
    let events = [delayed, one.previous, one.overtaking];
    let [from, to] = sites(notes, [delayed, one.overtaking]);
    let [previous, _] = sites(notes, [one.previous, one.overtaking]);
    let is_new = with(|runtime| runtime.recorder.is_new_pair(from, to)) == Some(true);
    let schedule = if is_new { schedule(execution)? } else { Schedule::default() };
    let numbers = numbers(execution);
    let roles = [Role::Delayed, Role::Previous, Role::Overtaking];
    let site = |(role, event): (Role, EventId)| -> SiteUse {
        let note = recorded(notes, event).note;
        site_use(role, Thread::from_index(event.thread.into()), note.site, note.operation)
    };
    let seen = InGraph {
        triple: [from, previous, to],
        sites: roles.into_iter().zip(events).map(site).collect(),
        events: events.map(|event| numbers[&event]),
        schedule,
    };
    with(|runtime| runtime.recorder.cycle_of_graph(seen));
    Ok(())
}

/// Returns the numbers of the events in the order in which a graph is stored.
fn numbers<const W: usize>(execution: &CompleteTrace<'_, W>) -> FxHashMap<EventId, u64> {
    let mut events: Vec<EventId> = execution.trace.nodes().iter().map(|node| node.event).collect();
    events.dedup();
    events.into_iter().zip(0..).collect()
}
