//! The operation at hand, as an observer is told of it: what its thread had waited for, and what it did to the states of objects.

use super::objects::Objects;
use super::state::ProgramState;
use super::threads::{Pending, Status};
use crate::event::{self, Kind, Location, Object, Thread};
use crate::explore::{Effect, Need, Notice, Performed, Strategy, Touched, Values};
use crate::step::Step;
use crate::sync::machine::{Machine, Until, Wish};
use crate::thread_set::ThreadSet;

/// The operation at hand, as far as it is known.
#[derive(Debug, Default)]
pub struct AtHand {
    /// Whether the strategy observes. Nothing is kept for one that does not.
    pub(super) observed: bool,
    need: Option<Need>,
    /// The threads whose next operation may begin an iteration of a wait loop.
    at_headers: ThreadSet,
    /// The objects whose states the operation has changed or looked at, with what each state meant before.
    before: Vec<(Object, Option<u64>)>,
    /// An object that the operation is on and that the kind of its event does not name.
    other: Option<Object>,
    /// Further objects that the operation concerns, for which no thread waits.
    aside: Vec<Object>,
    touched: Vec<Touched>,
    /// The rounds of barriers that have no state of their own, each with its barrier.
    rounds: Vec<(Object, Object)>,
}

impl AtHand {
    pub(super) fn new(strategy: &dyn Strategy) -> Self {
        Self { observed: strategy.observes(), ..Self::default() }
    }

    /// Forgets the last execution.
    pub(super) fn begin(&mut self) {
        self.need = None;
        self.at_headers = ThreadSet::EMPTY;
        self.before.clear();
        self.other = None;
        self.aside.clear();
        self.rounds.clear();
    }

    /// Notes that the thread is at the header of a loop that may be a wait loop.
    #[inline]
    pub const fn is_at_header(&mut self, thread: Thread) {
        if self.observed {
            self.at_headers.insert(thread);
        }
    }

    /// Notes that a thread with this status is about to perform its operation.
    #[inline]
    pub(super) fn note_need(&mut self, status: Status) {
        self.need = match status {
            Status::Arrived(pending) | Status::Waiting(pending) => need(pending),
            Status::Absent | Status::Running | Status::Ended => None,
        };
    }

    /// Notes that the operation at hand is about to change the state of the object.
    #[inline]
    pub(super) fn note_object(&mut self, object: Object, objects: &Objects) {
        if self.observed && self.before.iter().all(|&(known, _)| known != object) {
            self.before.push((object, objects.meaning(object)));
        }
    }

    /// Forgets what was noted of the states of objects, which is out of date.
    pub(super) fn forget_objects(&mut self) {
        self.before.clear();
    }

    /// Notes that the operation at hand is one on this object, too, which its kind does not name.
    pub const fn touches(&mut self, object: Object) {
        if self.observed {
            self.other = Some(object);
        }
    }

    /// Notes that the operation at hand, which has no kind of its own, concerns whoever operates on these objects.
    pub fn concerns(&mut self, objects: &[Object]) {
        if self.observed {
            self.aside.extend_from_slice(objects);
        }
    }

    /// Notes that the object stands for every other round of the barrier. To the strategy all rounds are one object, since it
    /// depends on earlier arrivals which threads arrive for which round.
    pub fn is_round_of(&mut self, round: Object, barrier: Object) {
        if self.observed && self.rounds.iter().all(|&(known, _)| known != round) {
            self.rounds.push((round, barrier));
        }
    }

    /// Tells the strategy of an event.
    ///
    /// # Panics
    /// If a location is there twice: what comes before an event at a place, and what after it, would be the event itself.
    #[inline]
    pub(super) fn tell(
        &mut self,
        strategy: &mut dyn Strategy,
        objects: &Objects,
        step: Step,
        locations: &[Location],
        values: Values,
    ) {
        let Step { thread, kind, .. } = step;
        assert!(locations.len() < 2 || event::are_distinct(locations), "an event touches a location once");
        let plain = matches!(kind, Kind::Load | Kind::Store | Kind::Rmw | Kind::CompareAndSwap | Kind::FailedRmw);
        let begins_round = self.at_headers.contains(thread);
        if begins_round {
            self.at_headers.remove(thread);
        }
        let event = Performed { thread, kind, locations, values, objects: &[], need: None, begins_round };
        if plain && self.other.is_none() {
            strategy.performed(&event);
        } else {
            self.tell_of_objects(strategy, objects, event);
        }
    }

    #[inline(never)]
    fn tell_of_objects(&mut self, strategy: &mut dyn Strategy, objects: &Objects, event: Performed<'_>) {
        let kind = event.kind;
        let mut touched = std::mem::take(&mut self.touched);
        touched.clear();
        let (first, second) = match kind {
            Kind::Lock(object) | Kind::Share(object) | Kind::Await(object) => (Some(object), None),
            Kind::Wait { condition, mutex } => (Some(condition), Some(mutex)),
            _ => (None, None),
        };
        let other = self.other.take();
        let aside = std::mem::take(&mut self.aside);
        let named = [first, second, other].into_iter().flatten().map(|object| self.touched(object, kind, objects));
        let beside =
            aside.iter().map(|&object| Touched { effect: Effect::Aside, ..self.touched(object, kind, objects) });
        for operated in named.chain(beside) {
            // An object that the operation is on and concerns as well counts as one that it is on.
            if touched.iter().all(|known| known.object != operated.object) {
                touched.push(operated);
            }
        }
        self.before.clear();
        let need = self.need.take();
        strategy.performed(&Performed { objects: &touched, need, ..event });
        self.touched = touched;
    }

    fn touched(&self, object: Object, kind: Kind, objects: &Objects) -> Touched {
        let round = self.rounds.iter().find(|&&(round, _)| round == object);
        let object = round.map_or(object, |&(_, barrier)| barrier);
        let after = objects.meaning(object);
        let noted = self.before.iter().find(|&&(known, _)| known == object);
        let before = noted.map_or(after, |&(_, before)| before);
        // Readers of a lock make no difference to each other, but they do to a writer, and a thread that finds a function to have
        // run might have had to run it. Only leaving a barrier makes no difference to any thread.
        let leaves = matches!(kind, Kind::Share(_)) && matches!(objects.get(object), Some(Machine::Barrier(_)));
        let effect = if leaves { Effect::Unseen } else { Effect::Seen };
        Touched { object, states: before.zip(after), effect }
    }
}

/// Tells the strategy what each thread waits for, now that none can go on.
pub(super) fn tell_blocked(strategy: &mut dyn Strategy, state: &ProgramState) {
    for (thread, status) in state.threads.statuses() {
        if let Status::Arrived(pending) = status
            && let Some(need) = need(pending)
            && !state.is_patient(thread)
        {
            strategy.notice(Notice::Blocked { thread, need });
        }
    }
}

/// Returns what a thread needs to perform an operation that it stands before, if it may have to wait for that.
#[inline]
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
