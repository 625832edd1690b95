//! The order of accesses and the ends of things that the program uses: of a block that is freed, of a mutex that is destroyed.
//!
//! Such an end is no access: it stands between two accesses of a thread, behind all that comes before it there. An access
//! of another thread is sure to take effect before the end only if a path leads from it to one of those: along what the
//! model keeps of program order, what reads of other threads' writes read from, coherence and from-read. If none does,
//! the accesses from which a path leads to what is before the end are an execution by themselves: the end may come right
//! behind it, and the access after that.
//!
//! That is so where all threads see what one of them keeps in order in the same order. Other models say themselves what is sure to
//! come before an end; and C11 orders more than accesses: what comes before a release fence is before who sees a store behind it,
//! though that store need not be.

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

/// What is sure to take effect before a moment, and what after it.
#[derive(Clone, Copy, Debug)]
pub struct Sides<const W: usize> {
    /// The points that come before it.
    pub before: Set<W>,
    /// The points of its thread that come after it in program order: what one of them is before is after the moment, too.
    pub after: Set<W>,
}

/// The order in which the accesses and moments of a trace are sure to take effect.
///
/// It is an order of *points*: the nodes of the trace, unless a model says that it orders more than these.
#[derive(Debug)]
pub struct Lifetimes<'t, const W: usize> {
    trace: &'t Trace<W>,
    /// The point of each node.
    points: Vec<usize>,
    /// The points from which a path leads to each point.
    before: Vec<Set<W>>,
    moments: BTreeMap<Moment, Sides<W>>,
}

impl<'t, const W: usize> Lifetimes<'t, W> {
    /// Makes the order of a trace and of these moments, for a model that keeps these pairs of a thread's accesses in program order.
    #[must_use]
    pub fn new(trace: &'t Trace<W>, moments: &[Moment], keeps: impl Fn(EventId, EventId) -> bool) -> Self {
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
        let count = trace.nodes().len();
        let before = super::overtaking::closure((0..count).map(direct).collect());
        let sides = |moment: Moment| {
            let own = *trace.of_thread(moment.thread);
            let is_before = |&node: &usize| trace.node(node).event.index < moment.accesses;
            let early: Set<W> = own.iter().filter(is_before).collect();
            let before_it = early.iter().fold(early, |all, node| all.or(&before[node]));
            Sides { before: before_it, after: own.without(&early) }
        };
        let moments = moments.iter().map(|&moment| (moment, sides(moment))).collect();
        let points = (0..count).collect();
        Self { trace, points, before, moments }
    }

    /// Makes the order of a trace and of these moments, for a model that says itself what the point of each node is, which points
    /// come before each point, and what is on the two sides of a moment.
    #[must_use]
    pub fn ordered(
        trace: &'t Trace<W>,
        points: Vec<usize>,
        before: Vec<Set<W>>,
        moments: &[Moment],
        sides: impl Fn(Moment) -> Sides<W>,
    ) -> Self {
        Self { trace, points, before, moments: moments.iter().map(|&moment| (moment, sides(moment))).collect() }
    }

    /// Says which nodes are sure to take effect before each moment, whatever paths there are.
    #[must_use]
    pub fn with_ends(mut self, before: impl Fn(Moment) -> Set<W>) -> Self {
        for (&moment, sides) in &mut self.moments {
            sides.before = before(moment);
        }
        self
    }

    /// Whether an access is sure to take effect before this moment.
    #[must_use]
    pub fn precedes(&self, access: EventId, moment: Moment) -> bool {
        access.thread == moment.thread && access.index < moment.accesses
            || self.points_of(access).any(|point| self.moments[&moment].before.contains(point))
    }

    /// Whether an access is sure to take effect after this moment.
    #[must_use]
    pub fn follows(&self, access: EventId, moment: Moment) -> bool {
        let after = &self.moments[&moment].after;
        access.thread == moment.thread && access.index >= moment.accesses
            || self.points_of(access).any(|point| self.before[point].meets(after))
    }

    /// Whether an access is sure to take effect after a store to its location: it is behind it there, and a path leads to it.
    #[must_use]
    pub fn follows_store(&self, access: EventId, store: EventId) -> bool {
        let from: Set<W> = self.points_of(store).collect();
        let rank = |event: EventId| self.trace.node(self.trace.nodes_of(event).start).rank;
        rank(access) >= rank(store) && self.points_of(access).any(|point| self.before[point].meets(&from))
    }

    /// Whether a moment is sure to come before another one.
    #[must_use]
    pub fn comes_before(&self, first: Moment, second: Moment) -> bool {
        if first.thread == second.thread {
            return first.accesses < second.accesses;
        }
        self.moments[&first].after.meets(&self.moments[&second].before)
    }

    fn points_of(&self, access: EventId) -> impl Iterator<Item = usize> {
        self.trace.nodes_of(access).map(|node| self.points[node])
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
    const MOMENTS: [Moment; 4] = [FREE, moment(1, 0), moment(0, 1), moment(0, 2)];

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
        let consistent = Lifetimes::new(&trace, &MOMENTS, |_, _| true);
        assert!(
            consistent.precedes(USE, FREE) && consistent.precedes(RELEASE, FREE) && consistent.precedes(LOOK, FREE)
        );
        assert!(!consistent.precedes(USE, moment(1, 0)));
        assert!(!consistent.follows(USE, FREE));
        // A use that the flag may overtake is not seen by it.
        let weak = Lifetimes::new(&trace, &MOMENTS, |_, _| false);
        assert!(!weak.precedes(USE, FREE) && weak.precedes(RELEASE, FREE));
    }

    #[test]
    fn what_is_not_seen_does_not_precede() {
        let trace = message(false);
        let lifetimes = Lifetimes::new(&trace, &MOMENTS, |_, _| true);
        assert!(!lifetimes.precedes(USE, FREE) && !lifetimes.precedes(RELEASE, FREE));
        // The flag is written after it was looked at, but the data need not be.
        assert!(lifetimes.follows(RELEASE, moment(1, 0)));
        assert!(!lifetimes.follows(USE, moment(1, 0)));
    }

    #[test]
    fn moments_are_in_order_where_accesses_between_them_are() {
        let trace = message(true);
        let lifetimes = Lifetimes::new(&trace, &MOMENTS, |_, _| true);
        let early = moment(0, 1);
        assert!(lifetimes.comes_before(early, FREE) && !lifetimes.comes_before(FREE, early));
        let late = moment(0, 2);
        assert!(!lifetimes.comes_before(late, FREE) && !lifetimes.comes_before(FREE, late));
        assert!(lifetimes.comes_before(early, late));
    }
}
