//! The order of accesses and the ends of things that the program uses: of a block that is freed, of a mutex that is destroyed.
//!
//! Such an end is no access: it stands between two accesses of a thread, behind all that comes before it there. An access
//! of another thread is sure to take effect before the end only if a path leads from it to one of those: along what the
//! model keeps of program order, what reads of other threads' writes read from, coherence and from-read. If none does,
//! the accesses from which a path leads to what is before the end are an execution by themselves: the end may come right
//! behind it, and the access after that.
//!
//! That is so where all threads see what one of them keeps in order in the same order. Other models say themselves what is sure to
//! come before an end.

use std::collections::BTreeMap;

use super::set::Set;
use super::trace::Trace;
use super::{EventId, Fences};

/// A point between two accesses of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Moment {
    /// The thread.
    pub thread: u16,
    /// The number of the thread's accesses that come before the point.
    pub accesses: u16,
    /// The fences of the thread before the point.
    pub fences: Fences,
}

/// The order in which the accesses and moments of a trace are sure to take effect.
#[derive(Debug)]
pub struct Lifetimes<'t, const W: usize> {
    trace: &'t Trace<W>,
    /// The nodes from which a path leads to each node.
    before: Vec<Set<W>>,
    /// The nodes that are sure to take effect before moments, where these are not known from paths.
    before_ends: BTreeMap<Moment, Set<W>>,
}

impl<'t, const W: usize> Lifetimes<'t, W> {
    /// Makes the order of a trace of a model that keeps these pairs of a thread's accesses in program order.
    #[must_use]
    pub fn new(trace: &'t Trace<W>, keeps: impl Fn(EventId, EventId) -> bool) -> Self {
        let direct = |node: usize| {
            let (this, own) = (trace.node(node), trace.program_before(node));
            let kept = own.iter().filter(|&other| {
                let earlier = trace.node(other).event;
                earlier == this.event || keeps(earlier, this.event)
            });
            let mut before: Set<W> = kept.collect();
            if this.writes() {
                let earlier = trace.at(this.location).iter().filter(|&other| {
                    let other = trace.node(other);
                    other.rank < this.rank
                });
                before = before.or(&earlier.collect());
            }
            before.or(&trace.external_source(node).into_iter().collect())
        };
        Self::ordered(trace, super::overtaking::closure((0..trace.nodes().len()).map(direct).collect()))
    }

    /// Makes the order of a trace of a model that says itself which nodes come before each node.
    #[must_use]
    pub const fn ordered(trace: &'t Trace<W>, before: Vec<Set<W>>) -> Self {
        Self { trace, before, before_ends: BTreeMap::new() }
    }

    /// Says which nodes are sure to take effect before each of these moments, whatever paths there are.
    #[must_use]
    pub fn with_ends(self, ends: &[Moment], before: impl Fn(Moment) -> Set<W>) -> Self {
        Self { before_ends: ends.iter().map(|&end| (end, before(end))).collect(), ..self }
    }

    /// Whether an access is sure to take effect before this moment.
    #[must_use]
    pub fn precedes(&self, access: EventId, moment: Moment) -> bool {
        let is_before = |event: EventId| event.thread == moment.thread && event.index < moment.accesses;
        is_before(access)
            || match self.before_ends.get(&moment) {
                Some(before) => self.trace.nodes_of(access).any(|node| before.contains(node)),
                None => self.leads(access, is_before),
            }
    }

    /// Whether an access is sure to take effect after this moment.
    #[must_use]
    pub fn follows(&self, access: EventId, moment: Moment) -> bool {
        access.thread == moment.thread && access.index >= moment.accesses
            || self.behind(moment).any(|event| self.leads(event, |other| other == access))
    }

    /// Whether a moment is sure to come before another one.
    #[must_use]
    pub fn comes_before(&self, first: Moment, second: Moment) -> bool {
        first.thread == second.thread && first.accesses < second.accesses
            || first.thread != second.thread && self.behind(first).any(|event| self.precedes(event, second))
    }

    /// Returns the accesses of a moment's thread that come after the moment.
    fn behind(&self, moment: Moment) -> impl Iterator<Item = EventId> {
        let indices = self.trace.committed_of(moment.thread.into()).iter();
        let later = indices.filter(move |&index| index >= usize::from(moment.accesses));
        later.map(move |index| EventId::new(moment.thread.into(), index))
    }

    /// Whether a path leads from an access to one of those for which `to` holds.
    fn leads(&self, from: EventId, to: impl Fn(EventId) -> bool) -> bool {
        let from: Set<W> = self.trace.nodes_of(from).collect();
        let mut nodes = self.trace.nodes().iter().zip(&self.before);
        nodes.any(|(node, before)| to(node.event) && before.meets(&from))
    }
}

#[cfg(test)]
mod tests {
    use super::{Lifetimes, Moment};
    use crate::event::Location;
    use crate::graph::set::Set;
    use crate::graph::trace::{Node, Part, Trace};
    use crate::graph::{EventId, Fences};

    const DATA: Location = Location(0);
    const FLAG: Location = Location(1);
    const USE: EventId = EventId { thread: 0, index: 0 };
    const RELEASE: EventId = EventId { thread: 0, index: 1 };
    const LOOK: EventId = EventId { thread: 1, index: 0 };
    /// Thread 1 frees the data once it has looked at the flag.
    const FREE: Moment = moment(1, 1);

    const fn moment(thread: u16, accesses: u16) -> Moment {
        let fences = Fences { full: 0, read_read: 0, read_write: 0, write_read: 0, write_write: 0 };
        Moment { thread, accesses, fences }
    }

    /// Thread 0 writes the data and then the flag; thread 1 reads the flag, what was written or not.
    fn message(seen: bool) -> Trace<1> {
        let mut trace = Trace::new(2, 2);
        let node =
            |event, part, location, rank| Node { event, part, location, value: 1, rank, fences: Fences::default() };
        trace.commit(node(USE, Part::Write, DATA, 1), Set::EMPTY);
        trace.commit(node(RELEASE, Part::Write, FLAG, 1), Set::EMPTY);
        let source = seen.then_some(1);
        trace.commit(node(LOOK, Part::Read(source), FLAG, u16::from(seen)), Set::EMPTY);
        trace
    }

    #[test]
    fn what_is_seen_to_have_been_done_precedes() {
        let trace = message(true);
        let consistent = Lifetimes::new(&trace, |_, _| true);
        assert!(
            consistent.precedes(USE, FREE) && consistent.precedes(RELEASE, FREE) && consistent.precedes(LOOK, FREE)
        );
        assert!(!consistent.precedes(USE, moment(1, 0)));
        assert!(!consistent.follows(USE, FREE));
        // A use that the flag may overtake is not seen by it.
        let weak = Lifetimes::new(&trace, |_, _| false);
        assert!(!weak.precedes(USE, FREE) && weak.precedes(RELEASE, FREE));
    }

    #[test]
    fn what_is_not_seen_does_not_precede() {
        let trace = message(false);
        let lifetimes = Lifetimes::new(&trace, |_, _| true);
        assert!(!lifetimes.precedes(USE, FREE) && !lifetimes.precedes(RELEASE, FREE));
        // The flag is written after it was looked at, but the data need not be.
        assert!(lifetimes.follows(RELEASE, moment(1, 0)));
        assert!(!lifetimes.follows(USE, moment(1, 0)));
    }

    #[test]
    fn moments_are_in_order_where_accesses_between_them_are() {
        let trace = message(true);
        let lifetimes = Lifetimes::new(&trace, |_, _| true);
        let early = moment(0, 1);
        assert!(lifetimes.comes_before(early, FREE) && !lifetimes.comes_before(FREE, early));
        let late = moment(0, 2);
        assert!(!lifetimes.comes_before(late, FREE) && !lifetimes.comes_before(FREE, late));
        assert!(lifetimes.comes_before(early, late));
    }
}
