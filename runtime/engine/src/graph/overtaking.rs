//! The stores of a trace that accesses overtake: the cycles of happens-before that no sequentially consistent execution has, in
//! the form in which monitors report them ([`crate::monitor::Cycle`]).
//!
//! Happens-before is po ∪ rf ∪ co ∪ fr, those at synchronisation objects included.

use super::EventId;
use super::set::Set;
use super::trace::{Part, Trace};

/// The cycles e′ →hb\* prev →po e →c e′ of one access e.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overtaking {
    /// The stores e′ in coherence order: each is one of another thread, and no read-modify-write. Monitors report the last one.
    pub delayed: Vec<EventId>,
    /// The access prev, which comes before `overtaking` in its thread.
    pub previous: EventId,
    /// The access e, which comes before each e′ in coherence order, or reads from a write that does.
    pub overtaking: EventId,
}

/// Returns all such cycles of a trace, in an element for each e; nothing if the trace is sequentially consistent.
#[must_use]
pub fn overtakings<const W: usize>(trace: &Trace<W>) -> Vec<Overtaking> {
    let nodes = 0..trace.nodes().len();
    let direct: Vec<Set<W>> =
        nodes.clone().map(|node| trace.program_before(node).or(&trace.communicating_with(node))).collect();
    if is_acyclic(&direct) {
        return Vec::new();
    }
    let before = closure(direct);
    let mut events: Vec<EventId> = trace.nodes().iter().map(|node| node.event).collect();
    events.dedup();
    events.into_iter().filter_map(|event| overtaken_by(trace, &before, event)).collect()
}

/// Returns the stores that an access overtakes, given what comes before each node.
fn overtaken_by<const W: usize>(trace: &Trace<W>, before: &[Set<W>], overtaking: EventId) -> Option<Overtaking> {
    let previous = EventId { index: overtaking.index.checked_sub(1)?, ..overtaking };
    let last = trace.nodes_of(previous).last()?;
    let comes_before = |store: usize| {
        let mut parts = trace.nodes_of(overtaking).map(|part| trace.node(part));
        parts.any(|part| part.location == trace.node(store).location && part.rank < trace.node(store).rank)
    };
    let is_delayed = |&store: &usize| {
        let node = trace.node(store);
        node.part == Part::Write && node.event.thread != overtaking.thread && comes_before(store)
    };
    let mut delayed: Vec<usize> = before[last].and(trace.writes()).iter().filter(is_delayed).collect();
    delayed.sort_by_key(|&store| trace.node(store).rank);
    let delayed: Vec<EventId> = delayed.into_iter().map(|store| trace.node(store).event).collect();
    (!delayed.is_empty()).then_some(Overtaking { delayed, previous, overtaking })
}

/// Whether no node is before itself, given what is directly before each.
pub(super) fn is_acyclic<const W: usize>(direct: &[Set<W>]) -> bool {
    let mut left: Set<W> = (0..direct.len()).collect();
    loop {
        let mut progress = false;
        for node in left.iter() {
            if !direct[node].meets(&left) {
                left.remove(node);
                progress = true;
            }
        }
        if !progress {
            return left.is_empty();
        }
    }
}

/// Returns what comes before each node by paths (Warshall's algorithm).
pub(super) fn closure<const W: usize>(mut before: Vec<Set<W>>) -> Vec<Set<W>> {
    for middle in 0..before.len() {
        let through = before[middle];
        for reached in &mut before {
            if reached.contains(middle) {
                reached.add(&through);
            }
        }
    }
    before
}
