//! The reports of monitors, in the words of findings.

use engine::atomicity::Violation as Transactions;
use engine::event::EventIndex;
use engine::execution::Execution;
use engine::model::MemoryModel;
use engine::monitor::{Cycle, MonitorName};
use protocol::{FailureKind, Role, Schedule, SiteUse, Violation};

use crate::state::trail::Trail;

/// Returns a site as `file:line`.
fn line(site: &SiteUse) -> String {
    format!("{}:{}", site.place.file, site.place.line)
}

/// Makes the violation of a cycle that a monitor reports on an SC execution.
pub(crate) fn sc_violation(trail: &Trail, monitor: MonitorName, cycle: Cycle, execution: &Execution) -> Violation {
    let indices = [cycle.delayed, cycle.previous, cycle.overtaking];
    let roles = [Role::Delayed, Role::Previous, Role::Overtaking];
    let sites: Vec<SiteUse> =
        indices.into_iter().zip(roles).map(|(index, role)| trail.site(role, index, execution)).collect();
    cycle_at_places(monitor, sites, indices.map(u64::from), trail.schedule(execution))
}

/// Makes the violation of a cycle of happens-before at these places.
pub(crate) fn cycle_at_places(
    monitor: MonitorName,
    sites: Vec<SiteUse>,
    events: [u64; 3],
    schedule: Schedule,
) -> Violation {
    let machine = monitor.model().map_or("", MemoryModel::title);
    let message = format!(
        "under {machine} the {} at {} can take effect before the store at {}, which no sequentially consistent \
         execution explains",
        sites[2].operation,
        line(&sites[2]),
        line(&sites[0])
    );
    Violation {
        kind: FailureKind::ScViolation,
        monitor: Some(monitor),
        message,
        subject: String::new(),
        sites,
        events: Some(events),
        program_counter: None,
        schedule,
    }
}

/// Makes the violation of a cycle of transactions of an SC execution.
pub(crate) fn not_serializable(
    trail: &Trail,
    monitor: MonitorName,
    cycle: &Transactions,
    execution: &Execution,
) -> Violation {
    let parts = parts(cycle);
    let sites = parts.map(|(role, event)| trail.site(role, event, execution)).collect();
    unserializable(monitor, sites, trail.schedule(execution))
}

/// Makes the violation of a cycle of transactions at these places.
pub(crate) fn unserializable(monitor: MonitorName, sites: Vec<SiteUse>, schedule: Schedule) -> Violation {
    let message = protocol::cycle_in_words(monitor, &sites);
    let (events, program_counter) = (None, None);
    Violation {
        kind: FailureKind::Atomicity,
        monitor: Some(monitor),
        message,
        subject: String::new(),
        sites,
        events,
        program_counter,
        schedule,
    }
}

/// Makes the violation of a race between two accesses.
pub(crate) fn data_race(
    trail: &Trail,
    monitor: MonitorName,
    earlier: u32,
    later: u32,
    execution: &Execution,
) -> Violation {
    let sites = vec![trail.site(Role::First, earlier, execution), trail.site(Role::Second, later, execution)];
    let message = race_in_words(&sites[0], &sites[1]);
    Violation {
        kind: FailureKind::Race,
        monitor: Some(monitor),
        message,
        subject: String::new(),
        sites,
        events: None,
        program_counter: None,
        schedule: trail.schedule(execution),
    }
}

/// Returns the sentence of a data race between these two accesses.
pub(crate) fn race_in_words(one: &SiteUse, other: &SiteUse) -> String {
    format!(
        "the {} at {} and the {} at {} are not ordered, and not both are atomic",
        one.operation,
        line(one),
        other.operation,
        line(other)
    )
}

/// Returns the events of a cycle of transactions, each with the part that it plays.
pub(crate) fn parts(cycle: &Transactions) -> impl Iterator<Item = (Role, EventIndex)> {
    let edges = cycle.edges.iter().flat_map(|edge| {
        let to = if edge.is_reordered() { Role::Overtaken } else { Role::To };
        [(Role::From, edge.from), (to, edge.to)]
    });
    edges.chain(cycle.delays.iter().flat_map(|delay| [(Role::Delayed, delay.store), (Role::Until, delay.after)]))
}
