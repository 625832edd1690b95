//! The queue of what is still to be run of a search, and the order in which results are joined.
//!
//! A round is a list of parts in the order in which one process would run them. A slice takes units from a part that
//! waits, and leaves, in its place, its result and what is left of it. Results are joined from the front of the list
//! only, so the order of everything is that of a search in one process, whoever ran what when. A result that turns out
//! not to be what one process would have got there is taken back, with all that was run of what it left.

use std::collections::VecDeque;

use protocol::{Harvest, Unit};
use serde::{Deserialize, Serialize, Serializer};

/// The number of a slice that has been handed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Ticket(u64);

/// A slice that has been run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Done {
    ticket: Ticket,
    /// The units that were run.
    pub(crate) units: Vec<Unit>,
    /// The number of executions that the slice was allowed.
    pub(crate) budget: Option<u64>,
    /// The number of seconds from the start of the search to the start of the slice.
    pub(crate) started: f64,
    /// The results of the slice, without the units that are left.
    pub(crate) harvest: Box<Harvest>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum UnitState {
    Pending(VecDeque<Unit>),
    #[serde(skip)]
    Running(Ticket, Vec<Unit>),
    Done(Done),
}

/// Writes the state of units; what runs when a search is saved will have to be run again.
impl Serialize for UnitState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            UnitState::Pending(units) => serializer.serialize_newtype_variant("UnitState", 0, "pending", units),
            UnitState::Running(_, units) => serializer.serialize_newtype_variant("UnitState", 0, "pending", units),
            UnitState::Done(done) => serializer.serialize_newtype_variant("UnitState", 2, "done", done),
        }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Part {
    state: UnitState,
    /// The slices, not joined yet, that left this part.
    left_of: Vec<Ticket>,
}

/// The queue of a search: the parts of this round, and what is known of the next one.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Queue {
    parts: VecDeque<Part>,
    next: VecDeque<Unit>,
    round: u32,
    tickets: u64,
}

fn weight<'a>(units: impl IntoIterator<Item = &'a Unit>) -> f64 {
    units.into_iter().map(|unit| unit.weight).sum()
}

impl Queue {
    /// Makes the queue of a search of which nothing has been run.
    pub(crate) fn new(whole: Unit) -> Queue {
        let first = Part { state: UnitState::Pending([whole].into()), left_of: Vec::new() };
        Queue { parts: [first].into(), ..Queue::default() }
    }

    /// Returns the number of the round, from 0.
    pub(crate) fn round(&self) -> u32 {
        self.round
    }

    /// Returns how many units wait in this round.
    pub(crate) fn pending(&self) -> usize {
        self.parts.iter().map(|part| if let UnitState::Pending(units) = &part.state { units.len() } else { 0 }).sum()
    }

    /// Returns the weight of what waits or runs in this round, and of what is known of the next.
    pub(crate) fn weights(&self) -> (f64, f64) {
        let mut ahead = (0.0, weight(&self.next));
        for part in &self.parts {
            match &part.state {
                UnitState::Pending(units) => ahead.0 += weight(units),
                UnitState::Running(_, units) => ahead.0 += weight(units),
                UnitState::Done(done) => ahead.1 += weight(&done.harvest.next),
            }
        }
        ahead
    }

    /// Whether nothing is left, of this round or the next.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.next.is_empty()
    }

    /// Takes the first units that wait, at most `count`; returns none if nothing waits.
    pub(crate) fn take(&mut self, count: usize) -> Option<(Ticket, Vec<Unit>)> {
        let at = self.parts.iter().position(|part| matches!(part.state, UnitState::Pending(_)))?;
        let Part { state: UnitState::Pending(units), left_of } = &mut self.parts[at] else { return None };
        let taken: Vec<Unit> = units.drain(..count.min(units.len())).collect();
        let (left_of, spent) = (left_of.clone(), units.is_empty());
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        let running = Part { state: UnitState::Running(ticket, taken.clone()), left_of };
        if spent {
            self.parts[at] = running;
        } else {
            self.parts.insert(at, running);
        }
        Some((ticket, taken))
    }

    fn running(&mut self, ticket: Ticket) -> Option<usize> {
        self.parts.iter().position(|part| matches!(part.state, UnitState::Running(running, _) if running == ticket))
    }

    /// Takes the result of a slice that has been run. A result that is no longer wanted is dropped.
    pub(crate) fn finish(&mut self, ticket: Ticket, budget: Option<u64>, started: f64, mut harvest: Box<Harvest>) {
        let Some(at) = self.running(ticket) else { return };
        let part = &mut self.parts[at];
        let left: VecDeque<Unit> = std::mem::take(&mut harvest.left).into();
        let mut left_of = part.left_of.clone();
        left_of.push(ticket);
        let UnitState::Running(_, units) = &mut part.state else { unreachable!("it runs") };
        let units = std::mem::take(units);
        part.state = UnitState::Done(Done { ticket, units, budget, started, harvest });
        if !left.is_empty() {
            self.parts.insert(at + 1, Part { state: UnitState::Pending(left), left_of });
        }
    }

    /// Puts the units of a slice back, since the process that took it will not run it.
    pub(crate) fn give_back(&mut self, ticket: Ticket) {
        let Some(at) = self.running(ticket) else { return };
        let UnitState::Running(_, units) = &mut self.parts[at].state else { unreachable!("it runs") };
        self.parts[at].state = UnitState::Pending(std::mem::take(units).into());
    }

    /// Returns the first part, if it has been run.
    pub(crate) fn first(&self) -> Option<&Done> {
        match &self.parts.front()?.state {
            UnitState::Done(done) => Some(done),
            _ => None,
        }
    }

    /// Takes the first part, if it has been run, for joining; what it gave for the next round is kept.
    pub(crate) fn join(&mut self) -> Option<Done> {
        self.first()?;
        let Some(Part { state: UnitState::Done(mut done), .. }) = self.parts.pop_front() else { return None };
        self.parts.iter_mut().for_each(|part| part.left_of.retain(|&ticket| ticket != done.ticket));
        self.next.extend(std::mem::take(&mut done.harvest.next));
        self.begin_next_round();
        Some(done)
    }

    fn begin_next_round(&mut self) {
        if self.parts.is_empty() && !self.next.is_empty() {
            let units = std::mem::take(&mut self.next);
            self.parts.push_back(Part { state: UnitState::Pending(units), left_of: Vec::new() });
            self.round += 1;
        }
    }

    /// Makes the first part, which has been run, wait to be run again.
    pub(crate) fn take_back(&mut self) {
        let Some(Part { state: UnitState::Done(done), left_of }) = self.parts.pop_front() else { return };
        self.parts.retain(|part| !part.left_of.contains(&done.ticket));
        self.parts.push_front(Part { state: UnitState::Pending(done.units.into()), left_of });
    }

    /// Returns the units of this round that wait or run.
    pub(crate) fn units(&self) -> impl Iterator<Item = &Unit> {
        self.parts.iter().flat_map(|part| {
            let (waiting, running): (Option<&VecDeque<Unit>>, &[Unit]) = match &part.state {
                UnitState::Pending(units) => (Some(units), &[]),
                UnitState::Running(_, units) => (None, units),
                UnitState::Done(_) => (None, &[]),
            };
            waiting.into_iter().flatten().chain(running)
        })
    }

    /// Returns what has been run and waits to be joined, in order.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Done> {
        self.parts.iter().filter_map(|part| match &part.state {
            UnitState::Done(done) => Some(done),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use protocol::{Harvest, Packed, Prefixes, SliceEnd, Tally, Unit};

    use super::Queue;

    fn unit(name: u8) -> Unit {
        Unit { weight: 1.0, prefixes: Prefixes::Packed(Packed(vec![name])) }
    }

    fn harvest(left: &[u8], next: &[u8]) -> Box<Harvest> {
        let units = |names: &[u8]| names.iter().copied().map(unit).collect();
        Box::new(Harvest {
            end: SliceEnd::Open,
            left: units(left),
            next: units(next),
            threads: Vec::new(),
            tally: Tally::default(),
            found: Vec::new(),
            recorded: String::new(),
            divisions: Vec::new(),
            news: Vec::new(),
            located: Vec::new(),
            facts: Vec::new(),
        })
    }

    fn names(units: &[Unit]) -> Vec<u8> {
        let name = |unit: &Unit| match &unit.prefixes {
            Prefixes::Packed(Packed(bytes)) => bytes[0],
            Prefixes::Whole | Prefixes::Rest => unreachable!("not made by `unit`"),
        };
        units.iter().map(name).collect()
    }

    #[test]
    fn results_are_joined_in_order() {
        let mut queue = Queue::new(unit(0));
        let (whole, _) = queue.take(9).unwrap();
        queue.finish(whole, None, 0.0, harvest(&[1, 2, 3], &[10]));
        assert_eq!(names(&queue.join().unwrap().units), [0]);
        let (first, units) = queue.take(2).unwrap();
        assert_eq!(names(&units), [1, 2]);
        let (second, units) = queue.take(2).unwrap();
        assert_eq!(names(&units), [3]);
        assert!(queue.take(1).is_none());
        queue.finish(second, None, 0.0, harvest(&[], &[12]));
        assert!(queue.first().is_none(), "the first still runs");
        queue.finish(first, None, 0.0, harvest(&[4], &[11]));
        assert_eq!(names(&queue.join().unwrap().units), [1, 2]);
        assert!(queue.first().is_none(), "what is left of it comes before the second");
        let (left, _) = queue.take(1).unwrap();
        queue.finish(left, None, 0.0, harvest(&[], &[]));
        assert_eq!(names(&queue.join().unwrap().units), [4]);
        assert_eq!((queue.round(), names(&queue.join().unwrap().units)), (0, vec![3]));
        assert_eq!((queue.round(), queue.pending()), (1, 3));
        assert_eq!(names(&queue.take(9).unwrap().1), [10, 11, 12]);
    }

    #[test]
    fn what_is_taken_back_takes_what_it_left_along() {
        let mut queue = Queue::new(unit(0));
        let (whole, _) = queue.take(1).unwrap();
        queue.finish(whole, None, 0.0, harvest(&[1, 2], &[10]));
        let (left, _) = queue.take(1).unwrap();
        queue.finish(left, None, 0.0, harvest(&[3], &[11]));
        let (late, _) = queue.take(1).unwrap();
        queue.take_back();
        queue.finish(late, None, 0.0, harvest(&[], &[]));
        assert_eq!((queue.pending(), queue.waiting().count()), (1, 0));
        assert_eq!(names(&queue.take(1).unwrap().1), [0]);
    }

    #[test]
    fn what_runs_is_saved_as_waiting() {
        let mut queue = Queue::new(unit(0));
        let (whole, _) = queue.take(1).unwrap();
        queue.finish(whole, None, 0.0, harvest(&[1, 2], &[10]));
        let before = serde_json::to_string(&queue).unwrap();
        let (ticket, _) = queue.take(2).unwrap();
        let saved: Queue = serde_json::from_str(&serde_json::to_string(&queue).unwrap()).unwrap();
        assert_eq!((saved.pending(), saved.waiting().count()), (2, 1));
        queue.give_back(ticket);
        let after: Queue = serde_json::from_str(&before).unwrap();
        assert_eq!((queue.pending(), after.pending()), (2, 2));
    }
}
