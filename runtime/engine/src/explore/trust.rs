//! `TruSt`: every Mazurkiewicz class exactly once, in memory polynomial in the length of an execution.
//!
//! Source: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly Stateless, Optimal Dynamic Partial Order
//! Reduction", POPL 2022.

mod graph;
mod order;
mod overtaking;

use graph::{Begins, Graph, Watched, What, Writes};
use order::Closure;

use super::{Counts, Diverged, Finish, Performed, Previous, Start, Strategy};
use crate::event::{Location, Object, Thread};
use crate::execution::Iteration;
use crate::per_thread::PerThread;
use crate::thread_set::ThreadSet;

/// The explorer `dpor`.
#[derive(Debug, Default)]
pub struct Trust {
    graph: Graph,
    /// The graphs that events were overtaken in, each with an overtaking event as its last.
    suspended: Vec<Graph>,
    /// Graphs that are not in use, kept for their memory.
    spare: Vec<Graph>,
    closure: Closure,
    /// The first so many of the order are given.
    planned: usize,
    position: usize,
    /// An event that was performed again is not what it was.
    stale: bool,
    current: Thread,
    /// The events of this execution.
    performed: Vec<u32>,
    /// The threads that wait in loops.
    waiting: PerThread<Option<Waiting>>,
    /// Some thread has gone on after an iteration without effect.
    woken: bool,
    state: State,
    /// The last execution and this one: the threads and, with the highest bit set, the values.
    ran: Vec<u32>,
    runs: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Unstarted,
    Running,
    Ended(Finish),
}

/// What a waiting thread waits for.
#[derive(Clone, Debug)]
struct Waiting {
    /// The events of its last iteration.
    iteration: Vec<u32>,
    watched: Vec<Watched>,
    begins: Begins,
}

const VALUE: u32 = 1 << 31;

impl Trust {
    /// An explorer of all classes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Steps to the next class; false if there is none.
    fn advance(&mut self) -> bool {
        loop {
            if self.graph.length() == self.graph.fixed {
                let Some(suspended) = self.suspended.pop() else { return false };
                self.spare.push(std::mem::replace(&mut self.graph, suspended));
            }
            if self.vary_last() {
                return true;
            }
            self.graph.pop();
        }
    }

    /// Takes the next alternative of the event that was added last.
    fn vary_last(&mut self) -> bool {
        let last = self.graph.length() - 1;
        let event = *self.graph.event(last);
        match event.what {
            What::Value { value, count } if value + 1 < count => {
                self.graph.events[last as usize].what = What::Value { value: value + 1, count };
                self.graph.tidy();
                true
            }
            What::Value { .. } => false,
            What::Local | What::Create(_) | What::Join(_) => event.hides > 0 && self.overtake(last),
            What::Read | What::Write | What::Acquire | What::Stuck | What::Asleep(_) => {
                let depends = event.writes != Writes::Surely;
                let reads = event.hides == 0 && matches!(event.what, What::Read | What::Asleep(Begins::ByReading));
                let (overtakes, reads_older) = (!reads || depends, event.hides == 0 && (reads || depends));
                (overtakes && self.overtake(last)) || (reads_older && self.closure.read_older(&mut self.graph, last))
            }
        }
    }

    /// The last event comes before the next one that it can overtake.
    fn overtake(&mut self, last: u32) -> bool {
        let Some(overtaking) = overtaking::next(&mut self.graph, last) else { return false };
        let mut graph = self.spare.pop().unwrap_or_default();
        overtaking.apply(&self.graph, &mut graph);
        self.suspended.push(std::mem::replace(&mut self.graph, graph));
        true
    }

    /// What the next execution has in common with the last one.
    fn shared(&mut self) -> u32 {
        std::mem::swap(&mut self.ran, &mut self.runs);
        self.runs.clear();
        for &index in &self.graph.order {
            let event = self.graph.event(index);
            self.runs.push(match event.what {
                What::Value { value, .. } => value | VALUE,
                _ => event.thread.0.into(),
            });
        }
        let same = self.runs.iter().zip(&self.ran).take_while(|(new, old)| new == old);
        u32::try_from(same.filter(|&(new, _)| new & VALUE == 0).count()).expect("fewer than 2^32 events")
    }

    /// Whether the iterations after which threads wait for ever come after all that they conflict with, those of a
    /// thread with a lower number first: the others repeat that.
    fn wait_last(&self) -> bool {
        let waits = |event: u32| {
            let thread = self.graph.event(event).thread;
            self.waiting[thread].as_ref().is_some_and(|waiting| waiting.iteration.contains(&event))
        };
        let last: Vec<u32> = self.performed.iter().copied().filter(|&event| waits(event)).collect();
        last.iter().all(|&event| {
            let thread = self.graph.event(event).thread;
            let own = self.graph.accesses_of(event);
            let later = |other: &u32| !waits(*other) || self.graph.event(*other).thread < thread;
            let at = self.performed.iter().position(|&other| other == event).expect("it was performed");
            self.performed[at..].iter().filter(|&other| *other != event && later(other)).all(|&other| {
                let writes = self.graph.event(event).writes() || self.graph.event(other).writes();
                !writes
                    || self
                        .graph
                        .accesses_of(other)
                        .iter()
                        .all(|theirs| own.iter().all(|own| own.place != theirs.place))
            })
        })
    }

    fn planned(&self) -> Option<u32> {
        (self.position < self.planned).then(|| self.graph.order[self.position])
    }
}

impl Strategy for Trust {
    fn begin(&mut self) -> Option<Start> {
        let shared = match self.state {
            State::Running => panic!("an execution ends before the next begins"),
            State::Unstarted => 0,
            State::Ended(Finish::Again) => u32::MAX,
            State::Ended(Finish::Done) => {
                if !self.advance() {
                    return None;
                }
                self.shared()
            }
        };
        self.planned = self.graph.order.len();
        self.position = 0;
        self.current = Thread::MAIN;
        self.performed.clear();
        self.woken = false;
        (0..Thread::LIMIT).for_each(|index| self.waiting[Thread::from_index(index)] = None);
        self.state = State::Running;
        Some(Start { shared, preemptions: None, counts: Counts::Once })
    }

    fn thread(&mut self, _event: u32, previous: Previous, enabled: &ThreadSet) -> Result<Thread, Diverged> {
        let continues = match previous {
            Previous::Continues(thread) => Some(thread),
            Previous::Stopped(_) => None,
        };
        match self.planned() {
            Some(index) => {
                let event = self.graph.event(index);
                let can = enabled.contains(event.thread) || continues == Some(event.thread);
                let performs = !matches!(event.what, What::Value { .. });
                if can && performs { Ok(event.thread) } else { Err(Diverged) }
            }
            None => enabled.first().into_iter().chain(continues).min().ok_or(Diverged),
        }
    }

    fn undecided(&mut self, _event: u32, only: Option<Thread>) -> Result<(), Diverged> {
        let Some(index) = self.planned() else { return Ok(()) };
        let event = self.graph.event(index);
        let performs = !matches!(event.what, What::Value { .. });
        if only == Some(event.thread) && performs { Ok(()) } else { Err(Diverged) }
    }

    fn value(&mut self, _event: u32, count: u64) -> Result<u64, Diverged> {
        let count = u32::try_from(count).ok().filter(|&count| count < VALUE).ok_or(Diverged)?;
        match self.planned().map(|index| self.graph.event(index).what) {
            Some(What::Value { value, count: before }) if before == count => {
                self.position += 1;
                Ok(value.into())
            }
            Some(What::Value { .. }) => Err(Diverged),
            // The event that was performed last reads something new, and asks for the first time.
            _ => {
                self.graph.append_value(self.current, count, self.position);
                self.runs.insert(self.position, VALUE);
                (self.position, self.planned) = (self.position + 1, self.planned + 1);
                Ok(0)
            }
        }
    }

    fn waited(&mut self, _event: u32) {}

    fn observes(&self) -> bool {
        true
    }

    fn performed(&mut self, event: &Performed<'_>) {
        self.current = event.thread;
        let waiting = std::mem::take(&mut self.waiting[event.thread]);
        let watched: &[Watched] = waiting.as_ref().map_or(&[], |waiting| &waiting.watched);
        self.woken |= !watched.is_empty();
        let index = if let Some(index) = self.planned() {
            if !self.graph.is_as_before(index, event, watched) {
                self.graph.replace(index, event, watched);
                self.stale = true;
            }
            index
        } else {
            self.graph.append(event, watched);
            self.runs.push(event.thread.0.into());
            self.graph.length() - 1
        };
        self.performed.push(index);
        self.position += 1;
    }

    fn hides(&mut self, locations: &[Location]) {
        if let Some(&index) = self.performed.last() {
            self.stale |= self.graph.hide(index, locations.iter().map(|location| location.0 << 1));
        }
    }

    fn waits(&mut self, thread: Thread, iteration: Option<Iteration>) {
        let events = iteration.map_or(0..0, |Iteration { first, last, .. }| first as usize..last as usize + 1);
        let own = |&&index: &&u32| self.graph.event(index).thread == thread;
        let iteration: Vec<u32> = self.performed[events].iter().filter(own).copied().collect();
        let mut watched: Vec<Watched> = Vec::new();
        for access in iteration.iter().flat_map(|&index| self.graph.accesses_of(index)) {
            if access.watch_is_aside() || watched.iter().any(|&(place, _)| place == access.place) {
                continue;
            }
            // What an operation on an object shows of its state is not known here.
            let known = access.values.filter(|_| access.place & 1 == 0);
            watched.push((access.place, known.map(|(before, _)| before)));
        }
        let begins = match iteration.first().map(|&index| self.graph.event(index).what) {
            Some(What::Write | What::Acquire) => Begins::ByWriting,
            _ => Begins::ByReading,
        };
        self.waiting[thread] = Some(Waiting { iteration, watched, begins });
    }

    fn judge(&mut self) -> Option<Counts> {
        let counts = if !self.woken && self.wait_last() { Counts::Once } else { Counts::AsAnother };
        for index in 0..Thread::LIMIT {
            let thread = Thread::from_index(index);
            if let Some(Waiting { watched, begins, .. }) = self.waiting[thread].take()
                && !watched.is_empty()
                && self.planned().is_none()
            {
                self.graph.append_asleep(thread, begins, &watched);
            }
        }
        Some(counts)
    }

    fn abandons(&self) -> bool {
        self.planned().is_some_and(|index| index + 1 == self.graph.length() || index + 1 == self.graph.fixed)
    }

    fn blocked(&mut self, thread: Thread, object: Object) {
        if self.planned().is_none() {
            self.graph.append_stuck(thread, object);
        }
    }

    fn finish(&mut self, finish: Finish) {
        assert_eq!(self.state, State::Running, "an execution ends once");
        self.state = State::Ended(finish);
        if std::mem::take(&mut self.stale) {
            self.graph.rebuild();
        }
        if finish == Finish::Again {
            while self.graph.length() > self.graph.fixed
                && !self.graph.event(self.graph.length() - 1).what.is_performed()
            {
                self.graph.pop();
            }
        }
    }
}
