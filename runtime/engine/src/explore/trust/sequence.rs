//! One order in which the events of an execution graph can be performed.

use super::numbers::Stamp;

/// How an event that reads something older has split the order of the events before it: for each of these, whether it
/// comes after the event now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Split {
    pub(super) event: Stamp,
    pub(super) follows: Vec<bool>,
}

impl Split {
    /// The parts of the order before and after the event, without what was added later.
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

    /// Makes the order what it was, without the event. `after` is kept for its memory.
    pub(super) fn undo(&self, order: &mut Vec<Stamp>, after: &mut Vec<Stamp>) {
        order.retain(|&event| event <= self.event);
        let at = order.iter().position(|&event| event == self.event).expect("it stands between the parts");
        after.clear();
        after.extend(order.drain(at..).skip(1));
        let mut before = order.len();
        order.resize(self.follows.len(), Stamp::FIRST);
        for (to, &follows) in self.follows.iter().enumerate().rev() {
            if after.is_empty() {
                // What comes before them all stands where it did.
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

/// The order, and how it came to be.
#[derive(Default, Debug)]
pub(super) struct Sequence {
    /// The events in an order in which they can be performed. Events that are no more may be left over.
    pub(super) order: Vec<Stamp>,
    /// Of the events that read something older, in the order in which they were added.
    pub(super) splits: Vec<Split>,
    /// Events kept for their memory.
    parted: Vec<Stamp>,
}

impl Sequence {
    /// How many bytes of memory it takes.
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

    /// The order of the events before this one is again what it was before this one, which is the last, read something
    /// older: so that it does not depend on what has been run since.
    #[inline]
    pub(super) fn restore(&mut self, event: Stamp) {
        if let Some(split) = self.splits.pop_if(|split| split.event == event) {
            split.undo(&mut self.order, &mut self.parted);
        }
    }

    /// The order of the events before this one, as it was when this one was added.
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

    /// Forgets the events from this one on that are left over.
    pub(super) fn tidy(&mut self, end: Stamp) {
        self.order.retain(|&event| event < end);
    }
}
