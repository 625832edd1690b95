//! An order in which the events of an execution graph can be performed.

use super::numbers::Stamp;

/// The split of the order of events by an event that reads something older: for each event before it, whether that comes after it
/// now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Split {
    pub(super) event: Stamp,
    pub(super) follows: Vec<bool>,
}

impl Split {
    /// Returns the parts of the order before and after the event, without what was added later.
    fn parts(&self, order: &[Stamp]) -> Option<[Vec<Stamp>; 2]> {
        let at = order.iter().position(|&event| event == self.event)?;
        let part = |part: &[Stamp]| part.iter().copied().filter(|&event| event < self.event).collect();
        Some([part(&order[..at]), part(&order[at + 1..])])
    }

    /// Whether the order can be what the event has made of another one.
    pub(super) fn fits(&self, order: &[Stamp]) -> bool {
        let after = self.follows.iter().filter(|&&follows| follows).count();
        self.parts(order)
            .is_some_and(|[before, behind]| before.len() + after == self.follows.len() && behind.len() == after)
    }

    /// Makes the order what it was without the event. `after` is a list that is kept for its memory.
    pub(super) fn undo(&self, order: &mut Vec<Stamp>, after: &mut Vec<Stamp>) {
        order.retain(|&event| event <= self.event);
        let at = order.iter().position(|&event| event == self.event).expect("it stands between the parts");
        after.clear();
        after.extend(order.drain(at..).skip(1));
        let mut before = order.len();
        order.resize(self.follows.len(), Stamp::FIRST);
        for (to, &follows) in self.follows.iter().enumerate().rev() {
            if after.is_empty() {
                // The events before all of these stand where they did.
                break;
            }
            order[to] = if follows {
                after.pop().expect("it is not empty")
            } else {
                before -= 1;
                order[before]
            };
        }
    }
}

/// The order of events, and the splits that made it.
#[derive(Default, Debug)]
pub(super) struct Sequence {
    /// The events in an order in which they can be performed. Events that have been removed may be left over.
    pub(super) order: Vec<Stamp>,
    /// The splits by events that read something older, in the order in which these were added.
    pub(super) splits: Vec<Split>,
    /// A list of events that is kept for its memory.
    parted: Vec<Stamp>,
}

impl Sequence {
    /// Returns how many bytes of memory the sequence takes.
    pub(super) fn bytes(&self) -> usize {
        let splits = self.splits.iter().map(|split| split.follows.capacity()).sum::<usize>();
        (self.order.capacity() + self.parted.capacity()) * size_of::<Stamp>()
            + self.splits.capacity() * size_of::<Split>()
            + splits
    }

    /// Forgets all events.
    pub(super) fn clear(&mut self) {
        self.order.clear();
        self.splits.clear();
    }

    /// Makes the order of the events before this one, which is the last, again what it was before this one read something older,
    /// so that the order does not depend on what has been run since.
    #[inline]
    pub(super) fn restore(&mut self, event: Stamp) {
        if let Some(split) = self.splits.pop_if(|split| split.event == event) {
            split.undo(&mut self.order, &mut self.parted);
        }
    }

    /// Returns the order of the events before this one, as it was when this one was added.
    pub(super) fn before(&self, event: Stamp) -> Vec<Stamp> {
        let mut order = self.order.clone();
        self.splits
            .iter()
            .rev()
            .take_while(|split| split.event >= event)
            .for_each(|split| split.undo(&mut order, &mut Vec::new()));
        order.retain(|&other| other < event);
        order
    }

    /// Forgets the events from this one on, as far as they are left over.
    pub(super) fn tidy(&mut self, end: Stamp) {
        self.order.retain(|&event| event < end);
    }
}
