//! What a strategy is told that wants to be told of every event: what the event's thread had waited for, and what it did
//! to the states of objects.

use super::{Execution, Pending, Status, Step};
use crate::event::{self, Kind, Location, Object, Thread};
use crate::explore::{Effect, Need, Performed, Touched, Values};
use crate::sync::machine::{Machine, Until, Wish};
use crate::sync::mutex::Mutex;
use crate::thread_set::ThreadSet;

/// What is known of the operation at hand.
#[derive(Default)]
pub(super) struct AtHand {
    need: Option<Need>,
    /// The objects whose states it has changed, or looked at, with what the state meant before.
    before: Vec<(Object, Option<u64>)>,
    /// An object that the kind of the event does not name.
    other: Option<Object>,
    /// More of them, for which nobody waits.
    aside: Vec<Object>,
    touched: Vec<Touched>,
    /// The rounds of barriers that have no state of their own, and the barriers.
    rounds: Vec<(Object, Object)>,
}

impl AtHand {
    pub(super) fn clear(&mut self) {
        self.need = None;
        self.before.clear();
        self.other = None;
        self.aside.clear();
        self.rounds.clear();
    }
}

impl Execution {
    /// The chosen thread performs the operation that it stands before.
    pub(super) fn note_need(&mut self, thread: Thread) {
        self.at_hand.need = match self.threads[thread.index()].status {
            Status::Arrived(pending) | Status::Waiting(pending) => need(pending),
            Status::Absent | Status::Running | Status::Ended => None,
        };
    }

    /// The operation at hand is about to change the state of the object.
    pub(super) fn note_object(&mut self, object: Object) {
        if self.observed && self.at_hand.before.iter().all(|&(known, _)| known != object) {
            let state = self.meaning(object);
            self.at_hand.before.push((object, state));
        }
    }

    /// The operation at hand is one on this object, too, which its kind does not name.
    pub fn touches(&mut self, object: Object) {
        if self.observed {
            self.at_hand.other = Some(object);
        }
    }

    /// The operation at hand, of no kind of its own, concerns whoever operates on these objects.
    pub fn concerns(&mut self, objects: &[Object]) {
        if self.observed {
            self.at_hand.aside.extend_from_slice(objects);
        }
    }

    /// The object stands for every other round of the barrier. To the strategy all rounds are one object, since who
    /// arrives for which round depends on who has arrived before.
    pub fn is_round_of(&mut self, round: Object, barrier: Object) {
        if self.observed && self.at_hand.rounds.iter().all(|&(known, _)| known != round) {
            self.at_hand.rounds.push((round, barrier));
        }
    }

    /// What the state of the object means to those who wait for it, as [`Need`]s are held against it.
    fn meaning(&self, object: Object) -> Option<u64> {
        let number = |thread: Thread| u64::from(thread.0) + 1;
        match self.machine(object) {
            None => Some(self.mutex(object).and_then(Mutex::owner).map_or(0, number)),
            Some(Machine::Semaphore(semaphore)) => Some(semaphore.value().into()),
            Some(Machine::Once(once)) => Some((!once.would_enter()).into()),
            Some(Machine::ReadWriteLock(lock)) => {
                Some(lock.writer().map_or(0, number) | (lock.readers().len() as u64) << 8)
            }
            Some(Machine::Sleepers(sleepers)) => bits(sleepers.woken()),
            Some(Machine::Barrier(barrier)) => bits(barrier.released()),
        }
    }

    /// Tells the strategy of an event.
    ///
    /// # Panics
    /// If a location is there twice: what comes before an event at a place, and what after it, would be the event itself.
    #[inline]
    pub(super) fn tell(&mut self, step: Step, locations: &[Location], values: Values) {
        let Step { thread, kind, .. } = step;
        assert!(locations.len() < 2 || event::are_distinct(locations), "an event touches a location once");
        let plain = matches!(kind, Kind::Load | Kind::Store | Kind::Rmw | Kind::CompareAndSwap | Kind::FailedRmw);
        if plain && self.at_hand.other.is_none() {
            self.strategy.performed(&Performed { thread, kind, locations, values, objects: &[], need: None });
        } else {
            self.tell_of_objects(step, locations, values);
        }
    }

    #[inline(never)]
    fn tell_of_objects(&mut self, Step { thread, kind, .. }: Step, locations: &[Location], values: Values) {
        let mut touched = std::mem::take(&mut self.at_hand.touched);
        touched.clear();
        let (first, second) = match kind {
            Kind::Lock(object) | Kind::Share(object) | Kind::Await(object) => (Some(object), None),
            Kind::Wait { condition, mutex } => (Some(condition), Some(mutex)),
            _ => (None, None),
        };
        let other = self.at_hand.other.take();
        let aside = std::mem::take(&mut self.at_hand.aside);
        let named = [first, second, other].into_iter().flatten().map(|object| self.touched(object, kind));
        let beside = aside.iter().map(|&object| Touched { effect: Effect::Aside, ..self.touched(object, kind) });
        for operated in named.chain(beside) {
            // An object that the operation is about and concerns as well is one that it is about.
            if touched.iter().all(|known| known.object != operated.object) {
                touched.push(operated);
            }
        }
        self.at_hand.before.clear();
        let need = self.at_hand.need.take();
        self.strategy.performed(&Performed { thread, kind, locations, values, objects: &touched, need });
        self.at_hand.touched = touched;
    }

    fn touched(&self, object: Object, kind: Kind) -> Touched {
        let round = self.at_hand.rounds.iter().find(|&&(round, _)| round == object);
        let object = round.map_or(object, |&(_, barrier)| barrier);
        let after = self.meaning(object);
        let noted = self.at_hand.before.iter().find(|&&(known, _)| known == object);
        let before = noted.map_or(after, |&(_, before)| before);
        // Readers of a lock make each other no difference, but all the difference to a writer, and who finds a function
        // to have run might have had to run it. Only leaving a barrier is nothing to anybody.
        let leaves = matches!(kind, Kind::Share(_)) && matches!(self.machine(object), Some(Machine::Barrier(_)));
        let effect = if leaves { Effect::Unseen } else { Effect::Seen };
        Touched { object, states: before.zip(after), effect }
    }

    /// What the strategy would have to take into account and does not, so that its search would not be complete.
    #[must_use]
    pub fn lacks(&self) -> Option<&'static str> {
        self.strategy.lacks()
    }

    /// The location, which the next event is to touch, perhaps with others, begins at this address, the same in every process.
    pub fn lies(&mut self, location: Location, address: u64) {
        if self.observed {
            self.strategy.lies(location, address);
        }
    }

    /// The state of the object has become another one, by a choice that is a part of the last event.
    pub fn becomes(&mut self, object: Object) {
        if self.observed {
            self.at_hand.before.clear();
            let state = self.meaning(object);
            self.strategy.becomes(object, state);
        }
    }

    /// Tells the strategy who waits for what, now that nobody can go on.
    pub(super) fn tell_blocked(&mut self) {
        for (index, state) in self.threads.iter().enumerate() {
            let thread = Thread::from_index(index);
            if let Status::Arrived(pending) = state.status
                && let Some(need) = need(pending)
                && !self.patient.contains(thread)
            {
                self.strategy.blocked(thread, need);
            }
        }
    }
}

/// What a thread needs to perform an operation that it stands before, if it may have to wait for that.
fn need(pending: Pending) -> Option<Need> {
    match pending {
        Pending::Lock(object) => Some(Need { wish: Wish::Lock(object), until: Until::Granted }),
        Pending::Wait(wish, until) => {
            // A wait that runs out can be performed at any time, but while its thread is awake and waits for a mutex.
            let waits = until == Until::Granted || matches!(wish, Wish::Wake { .. });
            waits.then_some(Need { wish, until })
        }
        Pending::Access | Pending::Join(_) => None,
    }
}

/// The threads as bits, if there are not too many.
fn bits(threads: &ThreadSet) -> Option<u64> {
    threads.iter().try_fold(0, |bits, thread| Some(bits | 1_u64.checked_shl(thread.0.into())?))
}
