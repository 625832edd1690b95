//! One sequentially consistent execution: which threads there are, which of them can go on, and what has happened so far.
//!
//! This is the border between the engine and whatever runs the program (the native runtime, or an interpreter of small
//! test programs). It is driven so:
//!
//! 1. [`Execution::begin`]; thread 0 runs.
//! 2. A thread that stands before its next visible operation says so ([`ProgramState::arrive`]). When every thread has
//!    arrived, ended, or waits, [`Execution::choose`] says who performs its operation.
//! 3. The chosen thread performs it, and says so ([`Execution::performed`]). A creation first asks for the number of
//!    the new thread ([`ProgramState::create`]), which then runs up to its own first operation; operations on
//!    synchronisation objects go through [`Execution::operate`]. Then the thread runs on to its next operation.
//! 4. A thread that ends says so ([`ProgramState::end_thread`]). When `choose` says [`Next::End`], [`Execution::finish`].
//!
//! Its parts are the [`ProgramState`] (threads, objects, who can go on), the [`History`] (what has happened), and the
//! operation [`AtHand`], as an explorer is told of it that observes.
//!
//! Threads are numbered by their path of creation, so a number means the same thread in every execution.
//!
//! # What counts
//! A wait loop whose iteration has no effect blocks its thread until something that it read is different
//! ([`Execution::wait`]). An iteration may be several rounds of the loop, after which its private state is what it was;
//! and it may change memory and mutexes, if it changes them back and no other thread saw it. Executions that differ only in such
//! iterations count once. The one that stands for the others is the one in which each such iteration comes right after the event
//! of its thread before it, with nothing in between, not even a yield, and in which no thread is preempted before an iteration
//! that would have had no effect; only the iterations after which threads wait for ever, where they do not stand so, come last,
//! by the number of the thread. The others are run too, since the order-dependent monitors may see more in them, but not counted
//! ([`Counts::AsAnother`]). Where an iteration blocks or yields in its middle, the one that stands for the others need not be the
//! one with the fewest preemptions.
//!
//! Where executions are drawn at random nothing is enumerated, so every run counts ([`Counting::EveryRun`](crate::explore::Counting::EveryRun)).

use std::ops::Range;

mod at_hand;
pub mod commits;
mod ending;
mod grant;
mod history;
mod objects;
pub mod releases;
mod state;
mod threads;

pub use at_hand::AtHand;
pub use ending::{Ending, blocked};
pub use history::History;
pub use objects::Objects;
pub use state::{Heeds, ProgramState, Wakes};
pub use threads::{NotANumbering, Pending, Status, Threads, TooManyThreads};

use crate::event::{Location, Object, Thread};
use crate::explore::slice::Leftover;
use crate::explore::{Diverged, Finish, Halt, Notice, Previous, Standing, Strategy, Values};
use crate::step::{Iteration, Step};
use crate::sync::machine::Machine;
use crate::sync::mutex::Refusal;
use crate::sync::sleepers::OtherMutex;

/// The decision which thread goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// This thread performs its operation.
    Run(Thread),
    /// No thread goes on.
    End(Ending),
}

/// The reason why a thread may not fall asleep on a condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sleepless {
    /// The thread may not release the mutex.
    Mutex(Refusal),
    /// Other threads sleep there with another mutex.
    OtherMutex,
}

/// An execution, which is kept and reused for the next one.
pub struct Execution {
    strategy: Box<dyn Strategy>,
    /// The state of the program.
    pub state: ProgramState,
    /// The events and choices so far.
    pub history: History,
    /// What is known of the operation at hand.
    pub at_hand: AtHand,
    /// The index of the first event of the current run of events of one thread.
    segment: u32,
}

impl Execution {
    /// Makes executions as the strategy wants them.
    #[must_use]
    pub fn new(strategy: Box<dyn Strategy>) -> Self {
        Self {
            at_hand: AtHand::new(&*strategy),
            strategy,
            state: ProgramState::new(),
            history: History::new(),
            segment: 0,
        }
    }

    /// Starts the next execution; returns false if there is none.
    pub fn begin(&mut self) -> bool {
        let Some(start) = self.strategy.begin() else { return false };
        self.state.begin();
        self.history.begin(start);
        self.at_hand.begin();
        self.segment = 0;
        true
    }

    /// Chooses the thread that performs its operation now.
    #[inline]
    pub fn choose(&mut self) -> Next {
        let ProgramState { current, mut enabled, ref yielding, .. } = self.state;
        let event = self.history.length();
        let next = match enabled.len() {
            _ if self.state.is_stuck() => return Next::End(self.end()),
            1 => {
                let only = enabled.first();
                self.strategy.undecided(event, only).and_then(|()| only.ok_or(Halt::Diverged))
            }
            _ if enabled.contains(current) && !yielding.contains(current) => {
                enabled.remove(current);
                self.strategy.thread(event, Previous::Continues(current), &enabled)
            }
            _ => self.strategy.thread(event, Previous::Stopped(current), &enabled),
        };
        self.resume(next)
    }

    /// Calls [`ProgramState::arrive`] before an access of the thread that was chosen last, and then [`Execution::choose`]: most
    /// often the thread goes on, and nothing has changed.
    #[inline(always)]
    pub fn pass(&mut self) -> Next {
        let current = self.state.current;
        if self.state.yielding.contains(current) {
            return self.arrive_and_choose();
        }
        let event = self.history.length();
        let next = if self.state.enabled.is_empty() {
            self.strategy.undecided(event, Some(current)).map(|()| current)
        } else {
            self.strategy.thread(event, Previous::Continues(current), &self.state.enabled)
        };
        if next == Ok(current) { Next::Run(current) } else { self.stop(next) }
    }

    /// Lets the running thread perform another event with nothing in between, where there is no choice. Where a schedule is
    /// repeated, another thread may come next: that ends the execution.
    pub fn goes_on(&mut self) -> Next {
        let current = self.state.current;
        match self.strategy.undecided(self.history.length(), Some(current)) {
            Ok(()) => Next::Run(current),
            Err(halt) => self.ends_early(halt),
        }
    }

    #[inline(never)]
    fn arrive_and_choose(&mut self) -> Next {
        self.state.arrive(self.state.current, Pending::Access);
        self.choose()
    }

    /// Calls [`ProgramState::arrive`] before an access of the thread that was chosen last, where it does not go on.
    #[inline(never)]
    fn stop(&mut self, next: Result<Thread, Halt>) -> Next {
        self.state.arrive(self.state.current, Pending::Access);
        self.resume(next)
    }

    /// Lets the chosen thread go on.
    fn resume(&mut self, chosen: Result<Thread, Halt>) -> Next {
        let next = match chosen {
            Ok(next) if self.state.enabled.contains(next) => next,
            Ok(_) => return self.ends_early(Halt::Diverged),
            Err(halt) => return self.ends_early(halt),
        };
        if next != self.state.current {
            self.segment = self.history.length();
            self.state.current = next;
        }
        if next >= Thread::FIRST_COMMITTER && commits::goes_on(&mut self.state, next) {
            return Next::Run(next);
        }
        if self.state.yielding.contains(next) {
            self.state.yielding.remove(next);
            self.history.take_yield();
            self.notify(Notice::Yielded);
        }
        if self.at_hand.observed {
            self.at_hand.note_need(self.state.threads.status(next));
        }
        if self.state.resume(next).is_some() {
            self.history.repeats_another();
        }
        Next::Run(next)
    }

    /// Ends the execution because no thread goes on as the strategy wanted.
    fn ends_early(&mut self, halt: Halt) -> Next {
        match halt {
            Halt::Abandoned => Next::End(Ending::Abandoned),
            Halt::Blocked => Next::End(cut(&mut self.history)),
            Halt::Diverged => {
                self.history.diverge();
                Next::End(Ending::Diverged)
            }
        }
    }

    /// Ends the execution because no thread can go on, and returns how it ends.
    fn end(&mut self) -> Ending {
        if self.at_hand.observed {
            at_hand::tell_blocked(&mut *self.strategy, &self.state);
        }
        match self.strategy.undecided(self.history.length(), None) {
            Err(Halt::Abandoned) => return Ending::Abandoned,
            Err(Halt::Blocked) => return cut(&mut self.history),
            Ok(()) if !self.history.repeats() => {}
            Ok(()) | Err(Halt::Diverged) => {
                self.history.diverge();
                return Ending::Diverged;
            }
        }
        if let Some(counts) = self.strategy.judge() {
            self.history.judge(counts);
        } else if !self.history.ends_with(self.state.threads.waited_aside()) {
            self.history.repeats_another();
        }
        ending::ending(&self.state)
    }

    /// Notes that the chosen thread has performed its operation on these locations.
    ///
    /// # Errors
    /// [`Diverged`] if the execution before did something else here; [`History::divergence`] has both.
    #[inline(always)]
    pub fn performed(&mut self, step: Step, locations: &[Location], values: Values) -> Result<(), Diverged> {
        debug_assert_eq!(step.thread, self.state.current);
        if self.at_hand.observed {
            self.at_hand.tell(&mut *self.strategy, &self.state.objects, step, locations, values);
        }
        self.history.take(step)
    }

    /// Performs an operation of the running thread on the object, which may let others go on, or make them wait.
    ///
    /// # Panics
    /// If the object has no state.
    pub fn operate<R>(&mut self, object: Object, operation: impl FnOnce(&mut Machine, Thread) -> R) -> R {
        self.at_hand.note_object(object, &self.state.objects);
        self.state.operate(object, operation)
    }

    /// Releases the mutex and lets the running thread fall asleep on the condition variable, in one step.
    ///
    /// # Errors
    /// [`Sleepless`], if the thread may not; then nothing has changed.
    ///
    /// # Panics
    /// If the object `mutex` is no mutex, or has no state.
    pub fn sleep(&mut self, condition: Object, mutex: Object) -> Result<(), Sleepless> {
        let mut released = *self.state.objects.mutex(mutex).expect("a mutex is set before it is used");
        released.unlock(self.state.current).map_err(Sleepless::Mutex)?;
        self.operate(condition, |state, thread| match state.sleepers() {
            Some(sleepers) => sleepers.sleep(thread, Some(mutex)),
            None => Err(OtherMutex),
        })
        .map_err(|OtherMutex| Sleepless::OtherMutex)?;
        self.operate(mutex, |state, _| *state = Machine::Mutex(released));
        Ok(())
    }

    /// Notes that the state of the object has become another one, by a choice that is a part of the last event.
    pub fn becomes(&mut self, object: Object) {
        self.at_hand.forget_objects();
        self.notify(Notice::Becomes { object, state: self.state.objects.meaning(object) });
    }

    /// Tells the strategy, if it observes, of something that is no event.
    pub fn notify(&mut self, notice: Notice) {
        if self.at_hand.observed {
            self.strategy.notice(notice);
        }
    }

    /// Makes the thread, whose wait loop went round without effect, wait until [`ProgramState::wake`]. `events` are those of the
    /// iteration, the first of them this operation; none if it had none. Where something that the iteration read has changed
    /// since, the iteration had no effect all the same: `wake` follows at once.
    pub fn wait(&mut self, thread: Thread, events: Option<Iteration>, first: Pending) {
        let aside = events.filter(|&Iteration { first, last, events }| {
            let alone = last - first + 1 == events;
            let at_once = self.state.current == thread && self.segment < first && !self.history.has_yielded(first);
            if alone && at_once {
                self.strategy.notice(Notice::Waited { event: first });
            }
            !(alone && at_once)
        });
        self.notify(Notice::Waits { thread, iteration: events, standing: Standing::InALoop });
        self.state.wait(thread, first, aside);
    }

    /// Keeps the limited waits of this thread from running out until [`ProgramState::lose_patience`], or until it goes on.
    /// `since` are the events from the beginning of the round of the loop in which the last one ran out.
    pub fn wait_patiently(&mut self, thread: Thread, since: Option<Iteration>) {
        self.state.be_patient(thread);
        self.notify(Notice::Waits { thread, iteration: since, standing: Standing::BeforeALimitedWait });
    }

    /// Returns one of the values below `count`, all of which are explored.
    ///
    /// # Errors
    /// [`Diverged`], if the program did not offer this choice before.
    pub fn choose_value(&mut self, count: u64) -> Result<u64, Diverged> {
        if count < 2 {
            return Ok(0);
        }
        let value = self.strategy.value(self.history.length(), count);
        match value {
            Ok(value) => self.history.take_choice(value),
            Err(Diverged) => self.history.diverge(),
        }
        value
    }

    /// Returns a range of indices that holds the first event that is not the one before, if the execution, which has come to its
    /// end, did not have the same events where it was to repeat them.
    pub fn strayed(&mut self) -> Option<Range<u32>> {
        let last = self.strategy.strayed(self.history.steps())?;
        Some(self.history.shared().min(last)..last)
    }

    /// Ends the execution.
    pub fn finish(&mut self, finish: Finish) {
        self.strategy.finish(finish);
    }

    /// Ends the search between two executions, and returns what is still to be run; none if the strategy can only go on itself.
    pub fn leave(&mut self) -> Option<Leftover> {
        self.strategy.leave(self.history.steps())
    }

    /// Goes on with another strategy, between two executions.
    pub fn go_on_with(&mut self, strategy: Box<dyn Strategy>) {
        self.strategy = strategy;
    }

    /// Returns the strategy, which says what it keeps and leaves out.
    #[must_use]
    pub fn strategy(&self) -> &dyn Strategy {
        &*self.strategy
    }

    /// Whether what the running thread has come to depends on a block that another one has left in its middle: then it is not
    /// part of an execution.
    pub fn follows_left_block(&mut self) -> bool {
        self.strategy.follows_left_block(self.state.current)
    }
}

/// Ends an execution although threads could go on, since others stand for all that could follow.
fn cut(history: &mut History) -> Ending {
    history.repeats_another();
    history.is_cut = true;
    Ending::Blocked
}
