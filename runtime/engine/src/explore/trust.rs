//! The explorer `TruSt`, which runs every Mazurkiewicz class exactly once, in memory polynomial in the length of an execution.
//!
//! Source: Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly Stateless, Optimal Dynamic Partial Order
//! Reduction", POPL 2022.

mod accesses;
mod blocks;
mod clocks;
mod event;
mod forward;
mod graph;
mod numbers;
mod orders;
mod preemptions;
mod revisit;
mod rounds;
mod sequence;
mod slices;
mod waiting;
mod witnesses;

use std::collections::VecDeque;

use blocks::Blocks;
use event::{GraphEvent, Watch, Watched, What, Writes};
pub(super) use event::{Happening, happening};
use forward::Closure;
use graph::{ExecutionGraph, Expected, Generation, asleep, shared_places, stuck};
use numbers::{Place, Stamp};
use preemptions::{Bound, Of};
use revisit::Scratch;
use rounds::IdleIterations;
use slices::{Goes, Last};
use waiting::Waiting;
use witnesses::{Behind, Witness};

use super::slice::{Leftover, Unit};
use super::{
    Corrupt, Counting, Counts, Diverged, Finish, Halt, Need, Notice, Observer, Omitted, Performed, Previous, Rounds,
    Standing, Start, Strategy,
};
use crate::event::Thread;
use crate::step::{Iteration, Step};
use crate::thread_set::ThreadSet;

/// The explorer `dpor`, after `TruSt`.
#[derive(Debug, Default)]
pub struct Trust {
    graph: ExecutionGraph,
    /// The graphs in which events were revisited, each with the revisiting event as its last.
    suspended: Vec<ExecutionGraph>,
    /// The graphs that are not in use, kept for their memory.
    spare: Vec<ExecutionGraph>,
    /// The units that come after all of these graphs.
    tasks: VecDeque<Unit>,
    /// The weight of the unit at hand.
    weight: f64,
    /// Whether the execution that is run was run before, up to where it is to be varied.
    repeats: bool,
    closure: Closure,
    scratch: Scratch,
    /// The bound on the preemptions that a class needs, if there is one.
    bound: Option<Bound>,
    /// The position of the last event before which its thread had yielded.
    yielded: Option<usize>,
    /// The number of events at the beginning of the graph's order that this execution has to follow.
    planned: usize,
    position: usize,
    /// How much of what is to be compared with the next execution has happened.
    extent: usize,
    /// The number of executions that had to be run again; locations change with each.
    generation: u32,
    /// Whether all events of this execution have to be taken anew.
    renews: bool,
    /// What the search leaves out, where that may matter.
    lacks: Option<&'static str>,
    /// Whether an event that was performed again is not what it was.
    stale: bool,
    current: Thread,
    blocks: Blocks,
    /// The events of this execution; none where one was taken back.
    performed: Vec<Option<Stamp>>,
    /// The first stamp of an event that this execution has added.
    begun: Stamp,
    idle: IdleIterations,
    /// What the next event of a thread comes after ([`Notice::After`]).
    after: Vec<(Thread, Stamp)>,
    /// The threads that stand behind an iteration that was seen.
    behind: Behind,
    /// The threads that wait for something to be different, by number.
    waiting: Vec<Waiting>,
    /// Whether the execution counts; it does not once some thread has gone on after an iteration without effect, or by a witness that is not
    /// the first one.
    counts: Counts,
    stage: Stage,
    /// The parts of the last execution, and in `runs` those of this one.
    ran: Vec<Ran>,
    runs: Vec<Ran>,
}

/// A part of an execution, as far as two executions are compared by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ran {
    Event(Thread),
    Value(u32),
    /// An event that was taken back.
    TakenBack,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stage {
    #[default]
    Unstarted,
    Running,
    /// The event that was moved is a compare-and-swap whose values were not known, and it succeeds where it was to fail, or the
    /// other way round; or an event that was moved has seen an iteration behind which its thread went on without a witness. The execution
    /// is of another graph.
    Impossible,
    /// Something that was to be repeated is not what it was.
    Strayed,
    Ended(Finish),
}

impl Stage {
    /// Whether the execution is none of those that are to be run.
    const fn is_impossible(self) -> bool {
        matches!(self, Self::Impossible | Self::Strayed)
    }
}

impl Trust {
    /// Makes an explorer of all classes.
    #[must_use]
    pub fn new() -> Self {
        Self { tasks: [Self::whole()].into(), ..Self::default() }
    }

    /// Makes an explorer of the classes that have an execution with at most `preemptions` preemptions, or of all classes.
    #[must_use]
    pub fn within(preemptions: Option<u32>) -> Self {
        Self { bound: preemptions.map(Bound::new), ..Self::new() }
    }

    /// Makes an explorer of these units and of nothing else, within the bound of the whole search.
    ///
    /// # Errors
    /// [`Corrupt`], if the units are not such as [`Strategy::leave`] hands out.
    pub fn slice(preemptions: Option<u32>, units: &[Unit]) -> Result<Self, Corrupt> {
        units.iter().try_for_each(slices::check)?;
        Ok(Self { tasks: units.iter().cloned().collect(), ..Self::within(preemptions) })
    }

    /// The same explorer, which goes on behind these iterations of wait loops that have no effect.
    #[must_use]
    pub fn behind(mut self, rounds: Rounds) -> Self {
        self.idle.which = rounds;
        if let Some(bound) = &mut self.bound {
            bound.rounds = rounds;
        }
        self
    }

    /// Returns the unit of a whole search.
    #[must_use]
    pub fn whole() -> Unit {
        slices::whole()
    }

    /// Begins with the next unit, and returns how it goes on; none if there is no unit left.
    fn enter(&mut self) -> Option<Goes> {
        let unit = self.tasks.pop_front()?;
        self.weight = unit.weight;
        let (goes, mut graphs) = slices::draw(&unit, || self.spare.pop().unwrap_or_default());
        let graph = graphs.pop().expect("a unit has a graph");
        self.suspended.append(&mut graphs);
        self.spare.push(std::mem::replace(&mut self.graph, graph));
        Some(goes)
    }

    /// Returns all that is still to be run.
    fn hand_out(&mut self) -> Leftover {
        let last = match self.stage {
            Stage::Running | Stage::Impossible | Stage::Strayed => panic!("an execution ends before the search does"),
            Stage::Unstarted => None,
            Stage::Ended(Finish::Again) if !self.repeats => Some(Last::RunsAgain),
            Stage::Ended(_) => Some(Last::IsDone),
        };
        let stack: Vec<&ExecutionGraph> = self.suspended.iter().chain([&self.graph]).collect();
        let mut now = last.map_or_else(Vec::new, |last| slices::cut(&stack, last, self.weight));
        now.extend(self.tasks.drain(..));
        *self = Self { bound: self.bound.take(), ..Self::default() }.behind(self.idle.which);
        Leftover { now, next: Vec::new() }
    }

    /// Returns how many execution graphs the explorer keeps at the moment. It keeps nothing else that grows.
    #[must_use]
    pub fn graphs(&self) -> usize {
        1 + self.suspended.len() + self.spare.len()
    }

    /// Steps to the next class, or to an execution that has to be repeated first; returns false if there is none.
    fn advance(&mut self) -> bool {
        loop {
            if self.graph.end() > self.graph.bottom || self.graph.expects.is_some() {
                self.repeats = self.graph.generation == Generation::Unknown;
                if self.repeats || self.vary_last() {
                    return true;
                }
                self.graph.pop();
            } else if let Some(suspended) = self.suspended.pop() {
                self.spare.push(std::mem::replace(&mut self.graph, suspended));
            } else {
                match self.enter() {
                    None => return false,
                    Some(Goes::Varying) => {}
                    Some(Goes::Running) => {
                        self.repeats = false;
                        return true;
                    }
                }
            }
        }
    }

    /// Takes the next alternative of the event that was added last; returns false if there is none.
    fn vary_last(&mut self) -> bool {
        let end = self.graph.end();
        let last = end.previous().expect("a graph with an event");
        let event = *self.graph.event(last);
        match event.what {
            What::Value { value, count } if value + 1 < count => {
                self.graph.event_mut(last).what = What::Value { value: value + 1, count };
                self.graph.sequence.tidy(end);
                true
            }
            What::Witness { .. } => {
                let varies = witnesses::next(&mut self.graph, last);
                self.graph.sequence.tidy(end);
                varies
            }
            What::Value { .. } | What::Leave | What::Local | What::Create(_) | What::Join(_) => false,
            What::Read | What::Write | What::Stuck | What::Asleep(_) => {
                let depends = event.writes != Writes::Surely;
                let reads = matches!(event.what, What::Read | What::Asleep(event::Begins::ByReading));
                let (revisits, reads_older) = (!reads || depends, reads || depends);
                (revisits && self.revisit(last)) || (reads_older && self.read_older(last))
            }
        }
    }

    /// Makes the last event revisit the next event that it can; returns false if there is none.
    fn revisit(&mut self, last: Stamp) -> bool {
        let mut graph = self.spare.pop().unwrap_or_default();
        while let Some(revisit) = revisit::next(&mut self.graph, last, &mut self.scratch) {
            revisit.apply(&self.graph, &mut graph, &mut self.scratch);
            // A graph that is still to be varied may need fewer preemptions than it does now.
            let varies = graph.bottom < graph.end();
            if varies || self.bound.as_mut().is_none_or(|bound| bound.admits(&graph, Of::Beginning)) {
                self.suspended.push(std::mem::replace(&mut self.graph, graph));
                return true;
            }
        }
        self.spare.push(graph);
        false
    }

    /// Makes the last event read something older than before; returns false if it cannot.
    fn read_older(&mut self, last: Stamp) -> bool {
        while self.closure.read_older(&mut self.graph, last) {
            if self.bound.as_mut().is_none_or(|bound| bound.admits(&self.graph, Of::Beginning)) {
                return true;
            }
        }
        false
    }

    /// Returns how many events the next execution has in common with the last one.
    fn shared(&mut self) -> u32 {
        std::mem::swap(&mut self.ran, &mut self.runs);
        self.runs.clear();
        for &event in &self.graph.sequence.order {
            let event = self.graph.event(event);
            self.runs.push(match event.what {
                What::Value { value, .. } | What::Witness { value, .. } => Ran::Value(value),
                _ => Ran::Event(event.thread),
            });
        }
        let same = self.runs.iter().zip(&self.ran).take_while(|(new, old)| new == old);
        u32::try_from(same.filter(|(new, _)| matches!(new, Ran::Event(_))).count()).expect("fewer than 2^32 events")
    }

    /// Takes an event that is new, or may be another one than before.
    #[inline(never)]
    fn take(&mut self, event: &Performed<'_>) {
        let event = &if self.blocks.current.is_none() { *event } else { event::interlocked(event) };
        let at = self.waiting.iter().position(|waiting| waiting.thread == event.thread);
        let waiting = at.map(|at| self.waiting.remove(at));
        let watched: &[Watched] = waiting.as_ref().map_or(&[], |waiting| &waiting.watched);
        let had_yielded = self.idle.goes_on(event.thread);
        let in_loop = waiting.as_ref().is_some_and(|waiting| waiting.standing == Standing::InALoop);
        let after = take_after(&mut self.after, event.thread);
        if in_loop && !watched.is_empty() {
            self.counts = Counts::AsAnother;
        }
        let index = if let Some(index) = self.planned() {
            let GraphEvent { what, writes, .. } = *self.graph.event(index);
            if !self.graph.orders.of(index).eq(after.iter().copied()) {
                self.graph.orders.set(index, after.into_iter());
                self.stale = true;
            }
            if self.repeats && !repeats_as(&self.graph, index, event, watched) {
                self.stage = Stage::Strayed;
            } else if !self.graph.is_as_before(index, event, watched) {
                let conditional = writes != Writes::Surely;
                if conditional && self.graph.moved[0] == Some(index) && event::what(event) != what {
                    self.stage = Stage::Impossible;
                    self.close_below(index);
                } else {
                    self.graph.replace(index, event, watched);
                    self.stale = true;
                }
            }
            index
        } else {
            self.graph.orders.set(self.graph.end(), after.into_iter());
            self.graph.append(event, watched);
            self.runs.push(Ran::Event(event.thread));
            self.graph.end().previous().expect("it was just added")
        };
        let taken = self.graph.event_mut(index);
        taken.yielded = had_yielded.unwrap_or(self.yielded == Some(self.position));
        taken.block = self.blocks.current;
        self.performed.push(Some(index));
        self.position += 1;
        self.extent += 1;
        if self.has_repeated() {
            let lacks = Stamp::FIRST.up_to(self.graph.end()).find_map(|event| lacks(&self.graph, event));
            self.lacks = lacks.or(self.lacks);
        }
    }

    /// Adds a thread that cannot go on, with what it waits for.
    fn append_waiting(
        &mut self,
        thread: Thread,
        what: What,
        need: Option<Need>,
        places: impl Iterator<Item = (Place, Watch)>,
    ) {
        if !self.repeats {
            goes_on_seen(self, thread);
        }
        let after = take_after(&mut self.after, thread);
        self.graph.orders.set(self.graph.end(), after.into_iter());
        self.graph.append_waiting(thread, what, need, places);
    }

    /// Adds the thread that cannot go on at the end of what is repeated, if it waits for a change.
    fn end_repetition(&mut self) {
        for Waiting { thread, watched, begins, .. } in std::mem::take(&mut self.waiting) {
            if !watched.is_empty() && self.graph.expects.is_some_and(|expected| expected.thread == thread) {
                self.append_waiting(thread, What::Asleep(begins), None, asleep(begins, &watched));
                self.expected();
            }
        }
        if self.graph.expects.is_some() && self.graph.end() == self.graph.bottom {
            self.stage = Stage::Strayed;
        }
    }

    /// Notes that the event that was added last is the one that was expected.
    fn expected(&mut self) {
        let Some(Expected { tried, places, .. }) = self.graph.expects else { return };
        let last = self.graph.end().previous().expect("it was just added");
        let event = self.graph.event_mut(last);
        (event.tried, event.places) = (tried, places);
        self.lacks = lacks(&self.graph, last).or(self.lacks);
    }

    /// Whether everything that was to be repeated has been repeated.
    fn has_repeated(&self) -> bool {
        self.repeats && self.planned().is_none()
    }

    /// Keeps what was added after this event, which cannot stand where it does, from being varied.
    fn close_below(&mut self, event: Stamp) {
        if event < self.graph.bottom && self.graph.moved[0] == Some(event) {
            self.graph.bottom = self.graph.end();
        }
    }

    /// The thread has gone through this iteration of a wait loop, and nothing has come of it.
    fn wait(&mut self, thread: Thread, iteration: Option<Iteration>, standing: Standing) {
        let span = iteration.map_or(0..0, |Iteration { first, last, .. }| first as usize..last as usize + 1);
        let own = |event: &Stamp| self.graph.event(*event).thread == thread;
        let events: Vec<Stamp> = self.performed[span.clone()].iter().copied().flatten().filter(own).collect();
        let leaves_out = self.idle.which == Rounds::Passing && standing == Standing::InALoop;
        if !leaves_out || !rounds::is_pure(&self.graph, &events) {
            let waiting = Waiting::of(&self.graph, thread, events, standing, self.blocks.next(thread));
            let at = self.waiting.partition_point(|waiting| waiting.thread < thread);
            self.waiting.insert(at, waiting);
            return;
        }
        let added_last =
            events.iter().rev().zip(self.begun.up_to(self.graph.end()).rev()).all(|(&own, last)| own == last);
        if added_last && events[0] >= self.begun {
            self.idle.take_back(&mut self.graph, thread, &events);
            (self.position, self.yielded) = (self.position - events.len(), None);
            // The next execution has nothing in common with this one from there on.
            self.runs[self.extent - events.len()..].fill(Ran::TakenBack);
            for event in
                self.performed[span].iter_mut().filter(|event| event.is_some_and(|event| events.contains(&event)))
            {
                *event = None;
            }
        } else {
            self.idle.rest(thread, events);
        }
    }

    /// Whether the execution, which has come to the end of what was given, was led into an iteration of a wait loop that had
    /// no effect, and that nothing can revisit.
    fn is_led(&mut self) -> bool {
        if self.idle.has_new() && std::mem::take(&mut self.stale) {
            self.graph.rebuild();
        }
        self.idle.is_led(&self.graph)
    }

    /// Nobody can go on: adds what was taken back, which comes last.
    fn add_last(&mut self) {
        let end = self.graph.end();
        self.idle.add_last(&mut self.graph);
        self.performed.extend(end.up_to(self.graph.end()).map(Some));
    }

    /// Notes that this thread waits for an object where no thread can go on.
    fn stop(&mut self, thread: Thread, need: Need) {
        let expected = self.graph.expects.is_some_and(|expected| expected.thread == thread);
        if self.planned().is_none() && (!self.repeats || expected) {
            self.add_last();
            let Some(places) = stuck(need) else { return };
            self.append_waiting(thread, What::Stuck, Some(need), places);
            if expected {
                self.expected();
            }
        }
    }

    /// Returns the reason why an execution ends that does not go on as planned.
    fn halt(&self) -> Halt {
        let is_impossible = || {
            self.planned()
                .is_some_and(|event| event.next() == self.graph.end() || self.graph.moved.contains(&Some(event)))
        };
        let abandons = self.stage == Stage::Impossible
            || self.stage == Stage::Running && self.has_repeated()
            || !self.repeats && is_impossible();
        if abandons { Halt::Abandoned } else { Halt::Diverged }
    }

    fn planned(&self) -> Option<Stamp> {
        (self.position < self.planned).then(|| self.graph.sequence.order[self.position])
    }
}

/// Goes past the choices of witnesses that come next in what was given.
fn follow_witnesses(trust: &mut Trust) {
    while let Some(choice) = trust.planned()
        && let GraphEvent { thread, what: What::Witness { .. }, .. } = *trust.graph.event(choice)
    {
        let all = trust.behind.take(thread);
        let events: Vec<Stamp> = all.iter().map(|seen| seen.event).filter(|&event| event < choice).collect();
        let Some((witness, is_other)) = witnesses::renew(&mut trust.graph, choice, events) else {
            trust.stage = Stage::Strayed;
            return;
        };
        // The first that saw the iteration may have been added after the choice.
        if all.first().is_some_and(|first| first.event != witness) {
            trust.counts = Counts::AsAnother;
        }
        trust.stale |= is_other;
        (trust.position, trust.extent) = (trust.position + 1, trust.extent + 1);
    }
}

/// The thread goes on: adds the choice among those who saw its last iteration, if it stands behind one that was seen. Returns false
/// if the execution is of another graph, as what comes next was added without a witness.
fn goes_on_seen(trust: &mut Trust, thread: Thread) -> bool {
    let witnesses = trust.behind.take(thread);
    let writes = |witness: &Witness| trust.graph.event(witness.event).writes();
    if witnesses.is_empty() || witnesses.iter().any(writes) {
        return true;
    }
    if trust.planned().is_some() || trust.repeats {
        return false;
    }
    witnesses::append(&mut trust.graph, thread, witnesses.iter().map(|witness| witness.event).collect());
    trust.runs.push(Ran::Value(0));
    (trust.position, trust.extent) = (trust.position + 1, trust.extent + 1);
    true
}

/// An event was performed that is not the one of this graph which comes next: the execution goes no further.
fn is_of_another_graph(trust: &mut Trust) {
    trust.stage = Stage::Impossible;
    trust.performed.push(trust.planned());
    (trust.position, trust.extent) = (trust.position + 1, trust.extent + 1);
}

/// Returns the first of these threads that goes on; those behind an iteration that others may see come last.
fn first_of(trust: &Trust, threads: impl Iterator<Item = Thread>) -> Option<Thread> {
    threads.min_by_key(|&thread| (may_be_seen(trust, thread), thread))
}

/// Whether the thread stands behind an iteration of a wait loop that wrote something, whatever it wrote: that may not be known yet.
fn may_be_seen(trust: &Trust, thread: Thread) -> bool {
    let writes = |event: &Stamp| trust.graph.event(*event).writes();
    let waits = |waiting: &Waiting| waiting.thread == thread && waiting.iteration.iter().any(writes);
    trust.behind.contains(thread) || trust.waiting.iter().any(waits) || trust.idle.has_taken_back_writes(thread)
}

/// Returns what the thread's event at hand comes after, which is asked once.
#[inline]
fn take_after(after: &mut Vec<(Thread, Stamp)>, thread: Thread) -> Vec<Stamp> {
    if after.is_empty() {
        return Vec::new();
    }
    after.extract_if(.., |&mut (other, _)| other == thread).map(|(_, earlier)| earlier).collect()
}

/// Removes the events from this one on from the end of a graph.
fn forget_from(graph: &mut ExecutionGraph, begun: Stamp) {
    while graph.end() > begun {
        graph.pop();
    }
    graph.sequence.tidy(begun);
}

/// Returns what the search leaves out where the event has other places than when its alternatives were numbered by them.
fn lacks(graph: &ExecutionGraph, event: Stamp) -> Option<&'static str> {
    let before = graph.event(event).places;
    let differs = before > 0 && before != shared_places(graph, event);
    differs.then_some("a search in several processes through memory that is accessed in pieces of several sizes")
}

/// Whether an event that is repeated has the kind that it had.
fn repeats_as(graph: &ExecutionGraph, index: Stamp, event: &Performed<'_>, watched: &[Watched]) -> bool {
    let what = graph.event(index).what;
    let now = event::woken(event::what(event), watched);
    // Another process may know of locations that a thread leaves behind where this one does not, or the other way round: no other
    // thread touches them in this execution.
    let alike = event::leaves(event) && [now, what].iter().all(|what| matches!(what, What::Local | What::Write));
    // The last event may have failed to write since then.
    now == what || alike || index.next() == graph.end()
}

/// Whether the event may touch more than before, because more of the memory that it leaves behind is known.
fn grows(event: &Performed<'_>) -> bool {
    event::leaves(event) && !event.locations.is_empty()
}

impl Observer for Trust {
    fn observes(&self) -> bool {
        true
    }

    #[inline]
    fn performed(&mut self, event: &Performed<'_>) {
        self.current = event.thread;
        if !self.behind.is_empty() {
            follow_witnesses(self);
            if !goes_on_seen(self, event.thread) {
                is_of_another_graph(self);
                return;
            }
        }
        match self.planned() {
            Some(index)
                if self.waiting.is_empty()
                    && (!self.renews && !self.graph.moved.contains(&Some(index)))
                    && !grows(event) =>
            {
                self.performed.push(Some(index));
                self.position += 1;
                self.extent += 1;
                if !self.after.is_empty() {
                    self.after.retain(|&(thread, _)| thread != event.thread);
                }
            }
            _ => self.take(event),
        }
    }

    fn notice(&mut self, notice: Notice) {
        match notice {
            Notice::Waited { .. } => {}
            Notice::Seen { thread, event: index } => {
                // An event of an iteration that was taken back is in no graph.
                if let Some(event) = self.performed[index as usize] {
                    let by = self.graph.event(event).thread;
                    self.behind.saw(thread, Witness { thread: by, index, event });
                }
            }
            Notice::Waits { thread, iteration, standing } => self.wait(thread, iteration, standing),
            Notice::Yielded => self.yielded = Some(self.position),
            Notice::BlockOpens(thread) => self.blocks.open(thread),
            Notice::BlockCloses => self.blocks.close(),
            Notice::BlockLeft => self.blocks.leave(self.performed.last().copied().flatten()),
            Notice::Blocked { thread, need } => self.stop(thread, need),
            Notice::Lies { location, address } => self.scratch.addresses.set(location, address),
            Notice::After { thread, event } => {
                self.after.extend(self.performed[event as usize].map(|event| (thread, event)));
            }
            Notice::Becomes { object, state } => {
                if let Some(&Some(last)) = self.performed.last() {
                    let span = self.graph.event(last).accesses;
                    self.graph.accesses.becomes(span, Place::of_object(object), state);
                }
            }
        }
    }
}

impl Strategy for Trust {
    fn begin(&mut self) -> Option<Start> {
        let shared = match self.stage {
            Stage::Running | Stage::Impossible | Stage::Strayed => {
                panic!("an execution ends before the next begins");
            }
            Stage::Ended(Finish::Again) => u32::MAX,
            Stage::Unstarted | Stage::Ended(Finish::Done) => {
                if !self.advance() {
                    return None;
                }
                self.shared()
            }
        };
        self.planned = self.graph.sequence.order.len();
        self.renews = self.graph.generation != Generation::Known(self.generation);
        self.stale = self.graph.generation == Generation::Unknown;
        (self.position, self.extent, self.yielded) = (0, 0, None);
        self.begun = self.graph.end();
        self.idle.clear();
        self.current = Thread::MAIN;
        self.blocks.clear();
        self.performed.clear();
        self.after.clear();
        self.behind.clear();
        self.counts = Counts::Once;
        self.waiting.clear();
        self.stage = Stage::Running;
        Some(Start { shared, preemptions: None, counts: Counts::Once, counting: Counting::Representatives })
    }

    fn thread(&mut self, _event: u32, previous: Previous, enabled: &ThreadSet) -> Result<Thread, Halt> {
        let continues = match previous {
            Previous::Continues(thread) => Some(thread),
            Previous::Stopped(_) => None,
        };
        follow_witnesses(self);
        match self.planned() {
            _ if self.stage.is_impossible() || self.has_repeated() => Err(self.halt()),
            Some(index) => {
                let event = self.graph.event(index);
                let can = enabled.contains(event.thread) || continues == Some(event.thread);
                let performs = !matches!(event.what, What::Value { .. });
                if can && performs { Ok(event.thread) } else { Err(self.halt()) }
            }
            None if self.idle.nobody_rests() => first_of(self, enabled.iter().chain(continues)).ok_or(Halt::Diverged),
            None if self.is_led() => Err(Halt::Blocked),
            None => {
                let going_on = enabled.iter().chain(continues).filter(|&thread| !self.idle.rests(thread));
                first_of(self, going_on).ok_or(Halt::Blocked)
            }
        }
    }

    fn undecided(&mut self, _event: u32, only: Option<Thread>) -> Result<(), Halt> {
        follow_witnesses(self);
        if self.has_repeated() && only.is_none() {
            self.end_repetition();
        }
        if self.stage.is_impossible() || self.has_repeated() {
            return Err(self.halt());
        }
        let Some(index) = self.planned() else {
            let rests = !self.idle.nobody_rests() && self.is_led() || only.is_some_and(|only| self.idle.rests(only));
            return if rests { Err(Halt::Blocked) } else { Ok(()) };
        };
        let event = self.graph.event(index);
        let performs = !matches!(event.what, What::Value { .. });
        if only == Some(event.thread) && performs { Ok(()) } else { Err(self.halt()) }
    }

    fn value(&mut self, _event: u32, count: u64) -> Result<u64, Diverged> {
        let count = u32::try_from(count).map_err(|_| Diverged)?;
        let planned = self.planned();
        match planned.map(|index| self.graph.event(index).what) {
            Some(What::Value { value, count: before }) if before == count => {
                if let Some(index) = planned {
                    self.graph.event_mut(index).block = self.blocks.current;
                }
                self.position += 1;
                self.extent += 1;
                Ok(value.into())
            }
            Some(What::Value { .. }) => Err(Diverged),
            // The execution goes no further, or what is varied was added before this choice: the first value will do.
            _ if self.stage.is_impossible() || self.repeats => Ok(0),
            // The event that was performed last reads something new, and asks for the first time.
            _ => {
                self.graph.append_value(self.current, count, self.position);
                self.graph.events.last_mut().expect("it was just added").block = self.blocks.current;
                self.runs.insert(self.extent, Ran::Value(0));
                (self.position, self.planned) = (self.position + 1, self.planned + 1);
                self.extent += 1;
                Ok(0)
            }
        }
    }

    fn follows_left_block(&mut self, thread: Thread) -> bool {
        if self.blocks.left.is_empty() {
            return false;
        }
        if self.stale {
            self.graph.rebuild();
        }
        let last = self.performed.iter().flatten().rfind(|&&index| self.graph.event(index).thread == thread);
        last.is_some_and(|&last| {
            self.blocks.left.iter().any(|&left| self.graph.knows(self.graph.clocks.of(last), left))
        })
    }

    fn judge(&mut self) -> Option<Counts> {
        self.add_last();
        let performed: Vec<Stamp> = self.performed.iter().copied().flatten().collect();
        let waits = self.waiting.iter().filter(|waiting| waiting.standing == Standing::InALoop);
        let waits = waits.map(|waiting| (waiting.thread, waiting.iteration.as_slice()));
        let iterations: Vec<(Thread, &[Stamp])> = self.idle.remaining().chain(waits).collect();
        let are_last = waiting::are_last(&self.graph, &performed, &iterations);
        let counts = if are_last { self.counts } else { Counts::AsAnother };
        for Waiting { thread, watched, begins, .. } in std::mem::take(&mut self.waiting) {
            if !watched.is_empty() && self.planned().is_none() {
                self.append_waiting(thread, What::Asleep(begins), None, asleep(begins, &watched));
            }
        }
        let Some(bound) = &mut self.bound else { return Some(counts) };
        if std::mem::take(&mut self.stale) {
            self.graph.rebuild();
        }
        Some(if bound.admits(&self.graph, Of::Class) {
            counts
        } else if bound.rounds == Rounds::Passing && bound.admits(&self.graph, Of::ClassWithRounds) {
            Counts::AsAnother
        } else {
            Counts::BeyondBound
        })
    }

    fn omits(&self) -> Omitted {
        Omitted { lacks: self.lacks, beyond_bound: self.bound.as_ref().is_some_and(|bound| bound.leaves_out) }
    }

    fn kept(&self) -> u64 {
        let graphs = self.suspended.iter().chain(&self.spare).chain([&self.graph]).map(ExecutionGraph::bytes);
        let tasks = self.tasks.iter().map(|unit| unit.prefixes.len());
        graphs.chain(tasks).sum::<usize>() as u64
    }

    fn leave(&mut self, _steps: &[Step]) -> Option<Leftover> {
        Some(self.hand_out())
    }

    fn finish(&mut self, finish: Finish) {
        assert!(matches!(self.stage, Stage::Running | Stage::Impossible | Stage::Strayed), "an execution ends once");
        self.stage = Stage::Ended(finish);
        // What was abandoned has not been run.
        self.runs.truncate(self.extent);
        if let (Finish::Done, Some(index)) = (finish, self.planned()) {
            self.close_below(index);
        }
        if std::mem::take(&mut self.stale) {
            self.graph.rebuild();
        }
        self.generation += u32::from(finish == Finish::Again);
        if finish == Finish::Done {
            (self.graph.generation, self.graph.moved) = (Generation::Known(self.generation), [None; 2]);
            self.graph.expects = None;
        }
        if finish == Finish::Again {
            // What was unknown of memory during this run is known in the next one.
            self.lacks = None;
            if self.idle.has_taken_back {
                // It runs as it did only if it begins as it did.
                forget_from(&mut self.graph, self.begun);
            }
            let not_performed = |event: &GraphEvent| !event.what.is_performed();
            while self.graph.end() > self.graph.bottom && self.graph.events.last().is_some_and(not_performed) {
                self.graph.pop();
            }
        }
    }
}
