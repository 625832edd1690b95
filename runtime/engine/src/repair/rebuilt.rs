//! The check of whether a model allows a known execution, whose trace is built up again, access by access.

use crate::graph::lifetime::{Lifetimes, Moment};
use crate::graph::set::Set;
use crate::graph::trace::{Node, Part, Trace};
use crate::graph::{Access, EventId, Labels, Link, own_store};
use crate::model::Model;

/// Whether the model allows the execution in which reads read and writes are ordered as in this trace, if its accesses are these,
/// which may differ from those of the trace only in what orders them.
#[must_use]
pub fn allows<const W: usize, M: Model<W>>(trace: &Trace<W>, labels: &[Labels<W>]) -> bool {
    rebuild::<W, M>(trace, labels).is_some()
}

/// Returns the pairs of accesses that race ([`Model::races`]) if the accesses are these, as [`allows`] has them; none if the model
/// does not allow the execution then.
#[must_use]
pub fn races<const W: usize, M: Model<W>>(trace: &Trace<W>, labels: &[Labels<W>]) -> Vec<(EventId, EventId)> {
    rebuild::<W, M>(trace, labels).map(|rebuilt| rebuilt.model.races(&rebuilt.again)).unwrap_or_default()
}

/// Shows the order of accesses and of these ends ([`Model::lifetimes`]) if the accesses are these, as [`allows`] has them; nothing if
/// the model does not allow the execution then.
pub fn lifetimes<const W: usize, M: Model<W>>(
    trace: &Trace<W>,
    labels: &[Labels<W>],
    ends: &[Moment],
    show: &mut dyn FnMut(&Lifetimes<'_, W>),
) {
    if let Some(rebuilt) = rebuild::<W, M>(trace, labels) {
        show(&rebuilt.model.lifetimes(&rebuilt.again, ends));
    }
}

/// Builds the trace up again; none if the model does not allow it with these accesses.
fn rebuild<'t, const W: usize, M: Model<W>>(trace: &'t Trace<W>, labels: &'t [Labels<W>]) -> Option<Rebuilt<'t, W, M>> {
    let mut left: Vec<EventId> = trace.nodes().iter().map(|node| node.event).collect();
    left.dedup();
    let again = Trace::new(labels.len(), trace.locations());
    let mut rebuilt = Rebuilt::<W, M> { trace, labels, again, model: M::default() };
    while !left.is_empty() {
        // What is commit-before another access, or read by it, is committed before it.
        let next = left.iter().position(|&event| rebuilt.is_ready(event))?;
        if !rebuilt.commit(left.remove(next)) {
            return None;
        }
    }
    Some(rebuilt)
}

struct Rebuilt<'t, const W: usize, M> {
    trace: &'t Trace<W>,
    labels: &'t [Labels<W>],
    again: Trace<W>,
    model: M,
}

impl<const W: usize, M: Model<W>> Rebuilt<'_, W, M> {
    /// Returns the write that an event reads from; none if that is the initial one, or the event does not read.
    fn source(&self, event: EventId) -> Option<EventId> {
        let node = self.trace.node(self.trace.nodes_of(event).start);
        match node.part {
            Part::Read(source) => source.map(|source| self.trace.node(source).event),
            _ => None,
        }
    }

    /// Returns the store of its own thread that a load comes behind, if the model forwards that store and it is not committed.
    fn waits_for_own(&self, event: EventId) -> Option<EventId> {
        let labels = &self.labels[usize::from(event.thread)];
        let label = &labels[usize::from(event.index)];
        if !M::FORWARDS || label.access != Access::Load || label.link != Link::None {
            return None;
        }
        let own = EventId::new(event.thread.into(), own_store(labels, event.index.into())?);
        (!self.again.is_committed(own)).then_some(own)
    }

    fn is_ready(&self, event: EventId) -> bool {
        let thread = usize::from(event.thread);
        let awaited = M::awaits(&self.labels[thread], event.index.into());
        if !awaited.is_some_and(|awaited| awaited.is_within(self.again.committed_of(thread))) {
            return false;
        }
        let source = self.source(event);
        match self.waits_for_own(event) {
            Some(own) => source == Some(own),
            None => source.is_none_or(|source| self.again.is_committed(source)),
        }
    }

    /// Commits an event that is ready, and returns whether the model allows that.
    fn commit(&mut self, event: EventId) -> bool {
        let fences = self.labels[usize::from(event.thread)][usize::from(event.index)].fences;
        for number in self.trace.nodes_of(event) {
            let part = Node { fences, ..*self.trace.node(number) };
            if part.writes() {
                self.write(part);
            } else {
                self.read(part);
            }
            if !self.model.admits(&self.again, &self.labels[usize::from(event.thread)]) {
                return false;
            }
        }
        true
    }

    fn read(&mut self, node: Node) {
        if let Some(own) = self.waits_for_own(node.event) {
            self.again.forward(Node { part: Part::Read(None), rank: 0, ..node }, Set::EMPTY, own);
            return;
        }
        let source = self.source(node.event).and_then(|source| self.again.write_of(source));
        let rank = source.map_or(0, |source| self.again.node(source).rank);
        self.again.commit(Node { part: Part::Read(source), rank, ..node }, Set::EMPTY);
    }

    fn write(&mut self, node: Node) {
        let rank = |write: usize| {
            let event = self.again.node(write).event;
            self.trace.write_of(event).map(|write| self.trace.node(write).rank)
        };
        let place = self.again.coherence(node.location).filter(|&write| rank(write) < Some(node.rank)).count();
        let rank = u16::try_from(place + 1).expect("fewer than 65536 writes");
        self.again.commit(Node { rank, ..node }, Set::EMPTY);
    }
}
