//! One sequentially consistent execution: which threads there are, who can go on, what has happened so far.
//!
//! This is the border between the engine and whatever runs the program (the native runtime, or an interpreter of small
//! test programs). It is driven so:
//!
//! 1. [`Execution::begin`]; thread 0 runs.
//! 2. A thread that stands before its next visible operation calls [`Execution::arrive`]. When every thread has
//!    arrived, ended, or waits, [`Execution::choose`] says who performs its operation.
//! 3. The chosen thread performs it, and says so ([`Execution::performed`]) — a creation first asks for the number of
//!    the new thread ([`Execution::create`]), which then runs up to its own first operation; operations on
//!    synchronisation objects go through [`Execution::lock`] and its sisters, and [`Execution::operate`]. Then it runs on to its next operation.
//! 4. A thread that ends calls [`Execution::end_thread`]. When `choose` says [`Next::End`], [`Execution::finish`].
//!
//! Threads are numbered by their path of creation, so a number means the same thread in every execution.
//!
//! # What counts
//! A wait loop whose iteration has no effect blocks its thread until something that it read is different
//! ([`Execution::wait`]). An iteration may be several rounds of the loop, after which its private state is what it was;
//! and it may change memory and mutexes, if it changes them back and no other thread saw it. Executions that differ only in such iterations count once. Which of them stands for the
//! others: the one in which each such iteration comes right after the event of its thread before it, with nothing in
//! between, not even a yield, and in which no thread is preempted before an iteration that would have had no effect;
//! only the iterations after which threads wait for ever, where they do not stand so, come last, by the number of the
//! thread. The others are run too, since the order-dependent monitors may see more in them, but not counted
//! ([`Counts::AsAnother`]). Where an iteration blocks or yields in its middle, the one that stands for the others need not
//! be the one with the fewest preemptions.
//!
//! Where executions are drawn at random nothing is enumerated, so every run counts ([`Strategy::counts_every_run`]).

use std::ops::Range;

mod objects;
mod observed;

pub use objects::{Heeds, Sleepless};
use observed::AtHand;

use crate::event::{Kind, Location, Object, Site, Thread};
use crate::explore::slice::Leftover;
use crate::explore::{Counts, Diverged, Finish, Previous, Standing, Strategy, Values};
use crate::progress::Blocked;
use crate::sync::machine::{Machine, Until, Wish};
use crate::sync::mutex::{Acquired, Mutex, Refusal, Robustness, Type};
use crate::thread_set::ThreadSet;

/// What a thread is about to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pending {
    /// Something that can always be done: an access, a fence, a creation, an unlock, a try.
    Access,
    /// Acquiring a mutex.
    Lock(Object),
    /// Waiting for the end of a thread.
    Join(Thread),
    /// Waiting for something else, and how long at most.
    Wait(Wish, Until),
}

/// What a thread is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Not created in this execution.
    Absent,
    /// Runs its own code, on the way to its next operation.
    Running,
    /// Stands before an operation.
    Arrived(Pending),
    /// Its wait loop goes round without effect; another iteration begins with this operation.
    Waiting(Pending),
    /// Has ended.
    Ended,
}

/// Who goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// This thread performs its operation.
    Run(Thread),
    /// Nobody can.
    End(Ending),
}

/// Why nobody can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All threads have ended, or the process has exited and the rest waits.
    Complete,
    /// Some threads wait for locks or joins that will not come, and none goes round in a loop.
    Deadlock,
    /// Some threads wait in a loop for a value that nobody will write.
    Livelock,
    /// The program did not do what it did before under the same decisions.
    Diverged,
    /// The strategy tried something that is not possible: it is no execution.
    Abandoned,
}

/// An event as far as determinism goes: the same prefix of decisions must give the same steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Who.
    pub thread: Thread,
    /// Where in the source.
    pub site: Site,
    /// What.
    pub kind: Kind,
    /// A part of the address that it touches, or 0: anything that tells two events apart, and is the same in every
    /// process that runs the program.
    pub target: u32,
}

impl Step {
    /// Takes the step into the digest of those before it. The numbers of objects, which each process gives as it comes to
    /// them, are no part of it: digests are compared between processes.
    #[must_use]
    pub const fn digest(&self, before: u64) -> u64 {
        let (kind, operand) = match self.kind {
            Kind::Load => (0, 0),
            Kind::Store => (1, 0),
            Kind::Rmw => (2, 0),
            Kind::FailedRmw => (3, 0),
            Kind::Fence => (4, 0),
            Kind::Lock(_) => (5, 0),
            Kind::Create(child) => (6, child.0),
            Kind::Join(child) => (7, child.0),
            Kind::CompareAndSwap => (8, 0),
            Kind::Share(_) => (9, 0),
            Kind::Wait { .. } => (10, 0),
            Kind::Await(_) => (11, 0),
        };
        let who = (self.site.0 as u64) << 32 | (kind as u64) << 8 | self.thread.0 as u64;
        let what = (self.target as u64) << 32 | operand as u64;
        mixed(mixed(before, who), what)
    }
}

/// A step of the hash of Firefox and rustc.
const fn mixed(before: u64, word: u64) -> u64 {
    (before.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// The events of a wait loop's iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Iteration {
    /// The index of the first one.
    pub first: u32,
    /// The index of the last one.
    pub last: u32,
    /// How many of them there are.
    pub events: u32,
}

/// The paths do not number threads: main comes first, parents before their children, siblings in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotANumbering;

/// The limit of threads was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyThreads;

#[derive(Clone, Debug)]
struct ThreadState {
    status: Status,
    /// The threads it creates, in order: numbers kept from one execution to the next.
    children: Vec<Thread>,
    /// How many of them it has created in this execution.
    created: u32,
    /// It waits after an iteration without effect at a place other than the one that counts.
    waited_aside: Option<Iteration>,
    /// How it came to be, from main.
    path: Vec<u32>,
}

impl ThreadState {
    const fn new(path: Vec<u32>) -> Self {
        Self { status: Status::Absent, children: Vec::new(), created: 0, waited_aside: None, path }
    }
}

/// The state of one execution, kept and reused for the next.
pub struct Execution {
    strategy: Box<dyn Strategy>,
    /// Whether the strategy wants to be told of every event.
    observed: bool,
    /// What the strategy is to be told of the operation at hand, if it wants to be.
    at_hand: AtHand,
    threads: Vec<ThreadState>,
    enabled: ThreadSet,
    /// The threads that have yielded since their last event.
    yielding: ThreadSet,
    /// The threads that have been created and have not ended.
    alive: u32,
    waiting: u32,
    exited: bool,
    current: Thread,
    /// The index of the first event of the current run of events of one thread.
    segment: u32,
    /// The indices of the events before which their threads had yielded, ascending.
    yielded: Vec<u32>,
    mutexes: Vec<Option<Mutex>>,
    /// The objects that are no mutexes.
    machines: Vec<Option<Machine>>,
    /// Of the enabled threads, those that could only wake up for no reason.
    dreaming: ThreadSet,
    /// The threads whose limited waits do not end before [`Execution::lose_patience`].
    patient: ThreadSet,
    /// The threads that are cancelled and heed it.
    interrupted: ThreadSet,
    /// The events of this execution, and behind them what is left of the last one.
    steps: Vec<Step>,
    length: u32,
    /// The events before this index must be those of the last execution.
    shared: u32,
    counts: Counts,
    preemptions: Option<u32>,
    diverged: Option<u32>,
    choices: Vec<u64>,
}

impl Execution {
    /// Executions as the strategy wants them.
    #[must_use]
    pub fn new(strategy: Box<dyn Strategy>) -> Self {
        Self {
            observed: strategy.observes(),
            at_hand: AtHand::default(),
            strategy,
            threads: vec![ThreadState::new(Vec::new())],
            enabled: ThreadSet::EMPTY,
            yielding: ThreadSet::EMPTY,
            alive: 0,
            waiting: 0,
            exited: false,
            current: Thread::MAIN,
            segment: 0,
            yielded: Vec::new(),
            mutexes: Vec::new(),
            machines: Vec::new(),
            dreaming: ThreadSet::EMPTY,
            patient: ThreadSet::EMPTY,
            interrupted: ThreadSet::EMPTY,
            steps: Vec::new(),
            length: 0,
            shared: 0,
            counts: Counts::Once,
            preemptions: None,
            diverged: None,
            choices: Vec::new(),
        }
    }

    /// Fixes which path of creation has which number, as an earlier exploration gave them. The numbers that are given
    /// already stay.
    ///
    /// # Errors
    /// [`NotANumbering`], also where it gives the same path, or the same number, otherwise.
    pub fn number(&mut self, paths: &[Vec<u32>]) -> Result<(), NotANumbering> {
        if paths.len() > Thread::LIMIT || self.paths().zip(paths).any(|(known, path)| known != path) {
            return Err(NotANumbering);
        }
        if paths.is_empty() {
            return Err(NotANumbering);
        }
        for (index, path) in paths.iter().enumerate().skip(self.threads.len()) {
            let (&nth, parent) = path.split_last().ok_or(NotANumbering)?;
            let parent = self.threads.iter_mut().find(|thread| thread.path == parent).ok_or(NotANumbering)?;
            if parent.children.len() != nth as usize {
                return Err(NotANumbering);
            }
            parent.children.push(Thread::from_index(index));
            self.threads.push(ThreadState::new(path.clone()));
        }
        Ok(())
    }

    /// Starts the next execution; false if there is none.
    pub fn begin(&mut self) -> bool {
        let Some(start) = self.strategy.begin() else { return false };
        for thread in &mut self.threads {
            thread.status = Status::Absent;
            thread.created = 0;
            thread.waited_aside = None;
        }
        self.threads[0].status = Status::Running;
        self.enabled = ThreadSet::EMPTY;
        self.yielding = ThreadSet::EMPTY;
        self.alive = 1;
        self.waiting = 0;
        self.exited = false;
        self.current = Thread::MAIN;
        self.segment = 0;
        self.yielded.clear();
        self.mutexes.fill(None);
        self.forget_objects();
        self.shared = start.shared.min(self.length);
        self.length = 0;
        self.counts = start.counts;
        self.preemptions = start.preemptions;
        self.diverged = None;
        self.choices.clear();
        self.at_hand.clear();
        true
    }

    /// The thread stands before a visible operation.
    #[inline]
    pub fn arrive(&mut self, thread: Thread, pending: Pending) {
        let state = &mut self.threads[thread.index()];
        debug_assert_eq!(state.status, Status::Running);
        state.status = Status::Arrived(pending);
        match pending {
            Pending::Access => self.enabled.insert(thread),
            _ => self.settle(thread, pending),
        }
    }

    /// Who performs its operation now?
    #[inline]
    pub fn choose(&mut self) -> Next {
        let current = self.current;
        let mut enabled = self.enabled;
        let next = match enabled.len() {
            // Nobody may count on waking up for no reason.
            enabled if enabled == self.dreaming.len() => return Next::End(self.end()),
            1 => {
                let only = enabled.first();
                self.strategy.undecided(self.length, only).ok().and(only)
            }
            _ if enabled.contains(current) && !self.yielding.contains(current) => {
                enabled.remove(current);
                self.strategy.thread(self.length, Previous::Continues(current), &enabled).ok()
            }
            _ => self.strategy.thread(self.length, Previous::Stopped(current), &enabled).ok(),
        };
        self.resume(next)
    }

    /// [`Execution::arrive`] before an access of the thread that was chosen last, and [`Execution::choose`]: most often
    /// it goes on, and nothing has changed.
    #[inline(always)]
    pub fn pass(&mut self) -> Next {
        let current = self.current;
        if self.yielding.contains(current) {
            return self.arrive_and_choose();
        }
        let next = if self.enabled.is_empty() {
            self.strategy.undecided(self.length, Some(current)).map(|()| current)
        } else {
            self.strategy.thread(self.length, Previous::Continues(current), &self.enabled)
        };
        if next == Ok(current) { Next::Run(current) } else { self.stop(next) }
    }

    /// The running thread performs another event, with nothing in between: there is no choice. Where a schedule is
    /// repeated, another thread may come next: that is the end.
    pub fn goes_on(&mut self) -> Next {
        match self.strategy.undecided(self.length, Some(self.current)) {
            Ok(()) => Next::Run(self.current),
            Err(Diverged) => self.ends_early(),
        }
    }

    /// The chosen thread performs the first event of a block, to which all belongs that it performs from here on: it
    /// [goes on](Self::goes_on) between these events. All first events of blocks operate on one object.
    pub fn open_block(&mut self) {
        if self.observed {
            self.strategy.opens_block(self.current);
        }
    }

    /// The block of the running thread is over.
    pub fn close_block(&mut self) {
        if self.observed {
            self.strategy.closes_block();
        }
    }

    /// The running thread, which [gives up](Self::give_up), is in the middle of a block.
    pub fn leave_block(&mut self) {
        if self.observed {
            self.strategy.leaves_block();
        }
    }

    /// Whether what the running thread has come to depends on a block that another one has left in its middle: then it is
    /// no part of an execution.
    pub fn follows_left_block(&mut self) -> bool {
        self.observed && self.strategy.follows_left_block(self.current)
    }

    #[inline(never)]
    fn arrive_and_choose(&mut self) -> Next {
        self.arrive(self.current, Pending::Access);
        self.choose()
    }

    /// [`Execution::arrive`] before an access of the thread that was chosen last, where it does not go on.
    #[inline(never)]
    fn stop(&mut self, next: Result<Thread, Diverged>) -> Next {
        self.arrive(self.current, Pending::Access);
        self.resume(next.ok())
    }

    /// Lets the chosen thread go on.
    fn resume(&mut self, chosen: Option<Thread>) -> Next {
        let Some(next) = chosen.filter(|&next| self.enabled.contains(next)) else {
            return self.ends_early();
        };
        if next != self.current {
            self.segment = self.length;
            self.current = next;
        }
        if self.yielding.contains(next) {
            self.yielding.remove(next);
            self.yielded.push(self.length);
            if self.observed {
                self.strategy.yielded();
            }
        }
        if self.observed {
            self.note_need(next);
        }
        let state = &mut self.threads[next.index()];
        if matches!(state.status, Status::Waiting(_)) {
            self.waiting -= 1;
        }
        state.status = Status::Running;
        if state.waited_aside.take().is_some() {
            self.repeats_another();
        }
        self.enabled.remove(next);
        self.awakes(next);
        Next::Run(next)
    }

    /// Nobody goes on as the strategy wanted.
    fn ends_early(&mut self) -> Next {
        if self.strategy.abandons() {
            return Next::End(Ending::Abandoned);
        }
        self.diverged = Some(self.length);
        Next::End(Ending::Diverged)
    }

    fn end(&mut self) -> Ending {
        if self.observed {
            self.tell_blocked();
        }
        let undecided = self.strategy.undecided(self.length, None);
        if undecided.is_err() && self.strategy.abandons() {
            return Ending::Abandoned;
        }
        if self.repeats() || undecided.is_err() {
            self.diverged = Some(self.length);
            return Ending::Diverged;
        }
        let judged = if self.observed { self.strategy.judge() } else { None };
        if let Some(counts) = judged {
            self.counts = counts;
        } else if !self.waits_last() {
            self.repeats_another();
        }
        if self.alive == 0 || self.exited {
            Ending::Complete
        } else if self.goes_round() || self.times_out_for_ever() {
            Ending::Livelock
        } else {
            Ending::Deadlock
        }
    }

    /// Whether the iterations after which threads wait aside for ever are the last events, each alone, by thread.
    fn waits_last(&self) -> bool {
        let aside = || self.threads.iter().filter_map(|thread| thread.waited_aside);
        let mut next = self.length - aside().map(|iteration| iteration.events).sum::<u32>();
        aside().all(|Iteration { first, last, events }| {
            let stands = first == next && last - first + 1 == events;
            next += events;
            stands
        })
    }

    /// The chosen thread has performed its operation on these locations.
    ///
    /// # Errors
    /// [`Diverged`] if the execution before did something else here; [`Execution::divergence`] has both.
    #[inline(always)]
    pub fn performed(&mut self, step: Step, locations: &[Location], values: Values) -> Result<(), Diverged> {
        debug_assert_eq!(step.thread, self.current);
        if self.observed {
            self.tell(step, locations, values);
        }
        let repeats = self.repeats();
        match self.steps.get_mut(self.length as usize) {
            Some(before) if repeats => {
                if *before != step {
                    self.diverged = Some(self.length);
                    return Err(Diverged);
                }
            }
            Some(old) => *old = step,
            None => self.steps.push(step),
        }
        self.length += 1;
        Ok(())
    }

    /// The running thread does not go on, but does not end either.
    pub fn give_up(&mut self, thread: Thread) {
        self.yielding.remove(thread);
        self.threads[thread.index()].status = Status::Arrived(Pending::Join(thread));
    }

    /// The chosen thread creates a thread, which now runs up to its first operation.
    ///
    /// # Errors
    /// [`TooManyThreads`].
    pub fn create(&mut self) -> Result<Thread, TooManyThreads> {
        let parent = self.current.index();
        let nth = self.threads[parent].created as usize;
        if nth == self.threads[parent].children.len() {
            if self.threads.len() == Thread::LIMIT {
                return Err(TooManyThreads);
            }
            let mut path = self.threads[parent].path.clone();
            path.push(self.threads[parent].created);
            let child = Thread::from_index(self.threads.len());
            self.threads.push(ThreadState::new(path));
            self.threads[parent].children.push(child);
        }
        self.threads[parent].created += 1;
        let child = self.threads[parent].children[nth];
        self.threads[child.index()].status = Status::Running;
        self.alive += 1;
        Ok(child)
    }

    /// The thread, which was running, has ended.
    pub fn end_thread(&mut self, thread: Thread) {
        debug_assert_eq!(self.threads[thread.index()].status, Status::Running);
        self.threads[thread.index()].status = Status::Ended;
        self.alive -= 1;
        self.settle_arrived(
            |pending| matches!(pending, Pending::Join(on) | Pending::Wait(Wish::Join(on), _) if on == thread),
        );
    }

    /// The running thread ends the process, and [gives up](Self::give_up): what still waits when nobody can go on is no
    /// deadlock.
    pub const fn exit(&mut self) {
        self.exited = true;
        self.alive -= 1;
    }

    /// The running thread yields: if another one goes on at its next operation, that is no preemption.
    pub const fn yields(&mut self, thread: Thread) {
        self.yielding.insert(thread);
    }

    /// The mutex with this number is of this type; to be said before its first use in an execution. Forgets who
    /// holds it.
    pub fn set_mutex(&mut self, object: Object, kind: Type) {
        self.set_robust_mutex(object, kind, Robustness::Stalled);
    }

    /// The same of a mutex that may be robust.
    pub fn set_robust_mutex(&mut self, object: Object, kind: Type, robustness: Robustness) {
        if self.mutexes.len() <= object.index() {
            self.mutexes.resize(object.index() + 1, None);
        }
        self.mutexes[object.index()] = Some(Mutex::new(kind).with(robustness));
        self.settle_around(object);
    }

    /// The mutex, if it has been used in this execution.
    #[must_use]
    pub fn mutex(&self, object: Object) -> Option<&Mutex> {
        self.mutexes.get(object.index())?.as_ref()
    }

    /// The state of the mutex in a number: equal states have equal ones.
    #[must_use]
    pub fn object_state(&self, object: Object) -> u64 {
        self.mutex(object).map_or(0, Mutex::state)
    }

    /// What an operation of this thread on the object that does not block would see of it.
    #[must_use]
    pub fn seen(&self, object: Object, thread: Thread) -> u64 {
        match (self.mutex(object), self.machine(object)) {
            (Some(mutex), _) => mutex.seen(thread),
            (None, Some(machine)) => machine.seen(thread),
            (None, None) => 1,
        }
    }

    fn mutex_mut(&mut self, object: Object) -> &mut Mutex {
        self.mutexes[object.index()].as_mut().expect("a mutex is set before it is used")
    }

    /// The chosen thread acquires the mutex.
    ///
    /// # Errors
    /// As [`Mutex::lock`].
    pub fn lock(&mut self, object: Object) -> Result<Acquired, Refusal> {
        let thread = self.current;
        self.note_object(object);
        let result = self.mutex_mut(object).lock(thread);
        self.settle_around(object);
        result
    }

    /// The chosen thread tries to acquire the mutex.
    ///
    /// # Errors
    /// As [`Mutex::try_lock`].
    pub fn try_lock(&mut self, object: Object) -> Result<Acquired, Refusal> {
        let thread = self.current;
        self.note_object(object);
        let result = self.mutex_mut(object).try_lock(thread);
        self.settle_around(object);
        result
    }

    /// The chosen thread releases the mutex.
    ///
    /// # Errors
    /// As [`Mutex::unlock`].
    pub fn unlock(&mut self, object: Object) -> Result<(), Refusal> {
        let thread = self.current;
        self.note_object(object);
        let result = self.mutex_mut(object).unlock(thread);
        self.settle_around(object);
        result
    }

    /// The running thread's wait loop went round without effect: it cannot go on until [`Execution::wake`]. `events`
    /// are those of the iteration, the first of them this operation; none if it had none. Where something that the
    /// iteration read has changed since, the iteration had no effect all the same: `wake` follows at once.
    pub fn wait(&mut self, thread: Thread, events: Option<Iteration>, first: Pending) {
        self.waiting += 1;
        let aside = events.filter(|&Iteration { first, last, events }| {
            let alone = last - first + 1 == events;
            let yielded = self.yielded.binary_search(&first).is_ok();
            let at_once = self.current == thread && self.segment < first && !yielded;
            if alone && at_once {
                self.strategy.waited(first);
            }
            !(alone && at_once)
        });
        if self.observed {
            self.strategy.waits(thread, events, Standing::InALoop);
        }
        let state = &mut self.threads[thread.index()];
        state.status = Status::Waiting(first);
        state.waited_aside = aside;
    }

    /// Whether a waiting thread can go on: another iteration would read something else. To be said of each waiting
    /// thread before each [`Execution::choose`]. It goes on only if it can perform the iteration's first operation.
    pub fn wake(&mut self, thread: Thread, wakes: Wakes) {
        let Status::Waiting(first) = self.status(thread) else { unreachable!("only a thread that waits is woken") };
        match wakes {
            Wakes::Yes => self.settle(thread, first),
            Wakes::NotYet => self.enabled.remove(thread),
        }
    }

    /// Whether nobody can go on, as far as [`Execution::wake`] has been said.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.enabled.len() == self.dreaming.len()
    }

    /// The threads that cannot go on where nobody can, by number.
    #[must_use]
    pub fn blocked(&self) -> Vec<Blocked> {
        let threads = (0..self.threads.len()).map(Thread::from_index);
        threads.filter_map(|thread| self.blocked_at(thread)).collect()
    }

    /// How many threads wait in loops, or in limited waits that have run out in vain before.
    #[must_use]
    pub const fn waiting(&self) -> u32 {
        self.waiting + self.patient.len()
    }

    /// One of the values below `count`, every one of which is explored.
    ///
    /// # Errors
    /// [`Diverged`].
    pub fn choose_value(&mut self, count: u64) -> Result<u64, Diverged> {
        if count < 2 {
            return Ok(0);
        }
        let value = self.strategy.value(self.length, count);
        match value {
            Ok(value) => self.choices.push(value),
            Err(Diverged) => self.diverged = Some(self.length),
        }
        value
    }

    /// Whether the execution, which has come to its end, had other events than before where it was to repeat them: the
    /// indices among which the first of them is.
    pub fn strayed(&mut self) -> Option<Range<u32>> {
        let last = self.strategy.strayed(&self.steps[..self.length as usize])?;
        Some(self.shared.min(last)..last)
    }

    /// Ends the execution.
    pub fn finish(&mut self, finish: Finish) {
        self.strategy.finish(finish);
    }

    /// Ends the search between two executions: what is still to be run; none if the strategy can only go on itself.
    pub fn leave(&mut self) -> Option<Leftover> {
        self.strategy.leave(&self.steps[..self.length as usize])
    }

    /// How many bytes the strategy keeps of what is still to be run.
    #[must_use]
    pub fn kept(&self) -> u64 {
        self.strategy.kept()
    }

    /// Goes on with another strategy, between two executions.
    pub fn go_on_with(&mut self, strategy: Box<dyn Strategy>) {
        self.strategy = strategy;
    }

    /// The thread that was chosen last.
    #[must_use]
    pub const fn current(&self) -> Thread {
        self.current
    }

    /// What a thread is at.
    #[must_use]
    pub fn status(&self, thread: Thread) -> Status {
        self.threads.get(thread.index()).map_or(Status::Absent, |state| state.status)
    }

    /// How many threads have been created and have not ended.
    #[must_use]
    pub const fn alive(&self) -> u32 {
        self.alive
    }

    /// The events so far.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps[..self.length as usize]
    }

    /// How many of the first events are those of the execution before.
    #[must_use]
    pub const fn shared(&self) -> u32 {
        self.shared
    }

    /// Whether the next event is one that the execution before had, too.
    #[inline]
    #[must_use]
    pub const fn repeats(&self) -> bool {
        self.length < self.shared
    }

    /// How many events so far: the index of the next one.
    #[must_use]
    pub const fn length(&self) -> u32 {
        self.length
    }

    /// The index of the first event that did not follow the execution before, and what that one did there.
    #[must_use]
    pub fn divergence(&self) -> Option<(u32, Option<Step>)> {
        let index = self.diverged?;
        Some((index, self.steps.get(index as usize).copied()))
    }

    /// The values that [`Execution::choose_value`] gave where there was more than one.
    #[must_use]
    pub fn choices(&self) -> &[u64] {
        &self.choices
    }

    /// Another execution stands for this one, which does not count, unless every run does.
    pub fn repeats_another(&mut self) {
        if !self.strategy.counts_every_run() {
            self.counts = Counts::AsAnother;
        }
    }

    /// Whether the execution counts.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// How many preemptions the execution has, where they are bounded.
    #[must_use]
    pub const fn preemptions(&self) -> Option<u32> {
        self.preemptions
    }

    /// The path of creation of each thread, by its number.
    #[must_use]
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.threads.iter().map(|thread| thread.path.as_slice())
    }
}

/// Whether a waiting thread can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wakes {
    /// Something that its last iteration read is different now.
    Yes,
    /// All of it is as it was.
    NotYet,
}
