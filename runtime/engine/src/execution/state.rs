//! The state of a program in an execution: its threads, its objects, and which threads can go on.
//!
//! An operation changes the state of an object ([`ProgramState::operate`]), after which it is asked anew of each thread
//! that stands before the object whether it could go on.
//!
//! # Waits that end by themselves
//! A wait with a limit can always end without what it waits for; no clock runs here. A loop around such a wait would go
//! round for ever, so a thread can be made to wait *patiently* ([`super::Execution::wait_patiently`]): the runtime says so
//! where the last wait ran out, nothing that the thread reads has changed since, and it stands there again as it
//! did then.
//! A wait that may end for no reason (`--spurious-wakeups`) is different in one thing: where nobody else can go on, the
//! execution has come to its end, as no program may count on waking up.

use super::grant::{Grant, grants};
use super::objects::Objects;
use super::threads::{Pending, Status, Threads, TooManyThreads};
use crate::event::{Object, Thread};
use crate::step::Iteration;
use crate::sync::machine::{Machine, Until, Wish};
use crate::thread_set::ThreadSet;

/// Whether a thread could go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ready {
    Yes,
    /// The thread could go on only by waking up for no reason.
    InADream,
    No,
}

/// Whether a waiting thread can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wakes {
    /// Something that the thread's last iteration read is different now.
    Yes,
    /// Everything that the last iteration read is as it was.
    NotYet,
}

/// The reaction of a thread to being cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heeds {
    /// The thread ends at its next cancellation point.
    Cancellation,
    /// The thread goes on as if nothing had happened.
    Nothing,
}

/// The state of the program.
#[derive(Debug)]
pub struct ProgramState {
    /// The threads.
    pub threads: Threads,
    /// The objects.
    pub objects: Objects,
    /// The thread that was chosen last.
    pub(super) current: Thread,
    pub(super) enabled: ThreadSet,
    /// The threads that have yielded since their last event.
    pub(super) yielding: ThreadSet,
    /// The enabled threads that could only wake up for no reason.
    dreaming: ThreadSet,
    /// The threads whose limited waits do not end before [`ProgramState::lose_patience`].
    patient: ThreadSet,
    /// The threads that are cancelled and heed it.
    interrupted: ThreadSet,
    /// The threads whose next operation waits for commits, where commits are steps.
    pub(super) held: ThreadSet,
    /// The threads of which stores wait, where commits are steps.
    pub(super) storing: ThreadSet,
    /// The number of threads that wait in loops, plus the number of times that a thread waits for a commit, or may go on behind
    /// one.
    pub(super) waiting: u32,
}

impl ProgramState {
    pub(super) fn new() -> Self {
        Self {
            threads: Threads::new(),
            objects: Objects::default(),
            current: Thread::MAIN,
            enabled: ThreadSet::EMPTY,
            yielding: ThreadSet::EMPTY,
            dreaming: ThreadSet::EMPTY,
            patient: ThreadSet::EMPTY,
            interrupted: ThreadSet::EMPTY,
            held: ThreadSet::EMPTY,
            storing: ThreadSet::EMPTY,
            waiting: 0,
        }
    }

    /// Forgets the last execution: only main runs, and no object has a state.
    pub(super) fn begin(&mut self) {
        self.threads.begin();
        self.objects.begin();
        self.current = Thread::MAIN;
        self.enabled = ThreadSet::EMPTY;
        self.yielding = ThreadSet::EMPTY;
        self.dreaming = ThreadSet::EMPTY;
        self.patient = ThreadSet::EMPTY;
        self.interrupted = ThreadSet::EMPTY;
        self.held = ThreadSet::EMPTY;
        self.storing = ThreadSet::EMPTY;
        self.waiting = 0;
    }

    /// Notes that the thread stands before a visible operation.
    #[inline]
    pub fn arrive(&mut self, thread: Thread, pending: Pending) {
        debug_assert_eq!(self.threads.status(thread), Status::Running);
        self.threads.arrive(thread, pending);
        match pending {
            Pending::Access if self.held.is_empty() => self.enabled.insert(thread),
            _ => self.settle(thread, pending),
        }
    }

    /// Notes that the running thread yields: if another one goes on at its next operation, that is no preemption.
    #[inline]
    pub const fn yields(&mut self, thread: Thread) {
        self.yielding.insert(thread);
    }

    /// Stops the running thread for good, although it does not end.
    pub fn give_up(&mut self, thread: Thread) {
        self.yielding.remove(thread);
        self.threads.arrive(thread, Pending::Join(thread));
    }

    /// Creates a thread of the chosen thread; it now runs up to its first operation.
    ///
    /// # Errors
    /// [`TooManyThreads`], if the limit of threads was reached.
    pub fn create(&mut self) -> Result<Thread, TooManyThreads> {
        self.threads.create(self.current)
    }

    /// Notes that the thread, which was running, has ended.
    pub fn end_thread(&mut self, thread: Thread) {
        self.threads.end(thread);
        self.settle_arrived(|_, pending| joins(pending, thread));
    }

    /// Gives an object its state, before its first use in an execution. Threads that stand before an operation on it wait for
    /// what it is now.
    pub fn set_object(&mut self, object: Object, state: Machine) {
        self.objects.set(object, state);
        self.settle_around(object);
    }

    /// Performs an operation of the running thread on the object, which may let others go on, or make them wait.
    pub(super) fn operate<R>(&mut self, object: Object, operation: impl FnOnce(&mut Machine, Thread) -> R) -> R {
        let result = operation(self.objects.get_mut(object), self.current);
        self.settle_around(object);
        result
    }

    /// Lets the thread, which was chosen, go on, and returns the iteration after which it had waited aside, if it had.
    #[inline]
    pub(super) fn resume(&mut self, thread: Thread) -> Option<Iteration> {
        let (before, aside) = self.threads.run(thread);
        if matches!(before, Status::Waiting(_)) {
            self.waiting -= 1;
        }
        self.enabled.remove(thread);
        if !self.dreaming.is_empty() {
            self.dreaming.remove(thread);
        }
        if !self.patient.is_empty() {
            self.patient.remove(thread);
        }
        aside
    }

    /// Makes the thread wait until [`ProgramState::wake`].
    pub(super) fn wait(&mut self, thread: Thread, first: Pending, aside: Option<Iteration>) {
        self.waiting += 1;
        self.threads.wait(thread, first, aside);
    }

    /// Sets whether a waiting thread can go on, because another iteration would read something else. To be called for each
    /// waiting thread before each [`super::Execution::choose`]. The thread goes on only if it can perform the iteration's first
    /// operation.
    pub fn wake(&mut self, thread: Thread, wakes: Wakes) {
        let Status::Waiting(first) = self.threads.status(thread) else {
            unreachable!("only a thread that waits is woken")
        };
        match wakes {
            Wakes::Yes => self.settle(thread, first),
            Wakes::NotYet => self.enabled.remove(thread),
        }
    }

    /// Returns how many threads wait in loops, or in limited waits that have run out in vain before.
    #[must_use]
    pub const fn waiting(&self) -> u32 {
        self.waiting + self.patient.len()
    }

    /// Keeps the thread's limited waits from running out.
    pub(super) const fn be_patient(&mut self, thread: Thread) {
        self.patient.insert(thread);
    }

    /// Whether the thread waits patiently.
    #[must_use]
    pub const fn is_patient(&self, thread: Thread) -> bool {
        self.patient.contains(thread)
    }

    /// Lets the thread's limited wait run out again.
    pub fn lose_patience(&mut self, thread: Thread) {
        self.patient.remove(thread);
        self.settle_arrived(|other, _| other == thread);
    }

    /// Notes that the thread is cancelled, and heeds it from now on, or does not any more.
    pub fn interrupt(&mut self, thread: Thread, heeds: Heeds) {
        match heeds {
            Heeds::Cancellation => self.interrupted.insert(thread),
            Heeds::Nothing => self.interrupted.remove(thread),
        }
        self.settle_arrived(|other, _| other == thread);
    }

    /// Whether the running thread, which has been chosen, gets what it waited for; else its wait has run out, or it is
    /// cancelled.
    #[must_use]
    pub fn is_granted(&self, wish: Wish) -> bool {
        grants(&self.threads, &self.objects, self.current, wish) == Grant::Now
    }

    /// Whether no thread can go on, as far as [`ProgramState::wake`] has been called. A thread that could only wake up for no
    /// reason does not count.
    #[must_use]
    #[inline]
    pub const fn is_stuck(&self) -> bool {
        self.enabled.len() == self.dreaming.len()
    }

    /// Whether the running thread could perform this at once.
    #[must_use]
    pub fn can_perform(&self, pending: Pending) -> bool {
        self.ready(self.current, pending) == Ready::Yes
    }

    /// Whether a thread other than the running one can go on.
    #[must_use]
    pub const fn others_can_go_on(&self) -> bool {
        !self.enabled.is_empty()
    }

    /// Notes for whoever chooses whether the thread can go on from here.
    #[inline]
    fn settle(&mut self, thread: Thread, pending: Pending) {
        let ready = self.ready(thread, pending);
        match ready {
            Ready::No => self.enabled.remove(thread),
            Ready::Yes | Ready::InADream => self.enabled.insert(thread),
        }
        match ready {
            Ready::InADream => self.dreaming.insert(thread),
            Ready::Yes | Ready::No => self.dreaming.remove(thread),
        }
    }

    /// Calls [`ProgramState::settle`] for all threads that stand before such an operation.
    #[inline]
    pub(super) fn settle_arrived(&mut self, which: impl Fn(Thread, Pending) -> bool) {
        let threads = self.threads.paths().len();
        for index in 0..threads {
            let thread = Thread::from_index(index);
            if let Status::Arrived(pending) = self.threads.status(thread)
                && which(thread, pending)
            {
                self.settle(thread, pending);
            }
        }
    }

    /// Calls [`ProgramState::settle`] for all threads that wait for this object.
    #[inline]
    fn settle_around(&mut self, object: Object) {
        self.settle_arrived(|_, pending| match pending {
            Pending::Lock(on) => on == object,
            Pending::Wait(wish, _) => wish.concerns(object),
            Pending::Access | Pending::Join(_) => false,
        });
    }

    /// Returns whether the thread could go on from here.
    #[inline]
    pub(super) fn ready(&self, thread: Thread, pending: Pending) -> Ready {
        if self.held.contains(thread) {
            return Ready::No;
        }
        let (wish, until) = match pending {
            Pending::Access => return Ready::Yes,
            Pending::Lock(object) => (Wish::Lock(object), Until::Granted),
            Pending::Join(other) if self.interrupted.is_empty() => {
                // It has ended, and all that it stored has committed.
                let is_over = self.threads.status(other) == Status::Ended && !self.storing.contains(other);
                return if is_over { Ready::Yes } else { Ready::No };
            }
            Pending::Join(other) => (Wish::Join(other), Until::Granted),
            Pending::Wait(wish, until) => (wish, until),
        };
        let interrupted = wish.is_cancellation_point() && self.interrupted.contains(thread);
        let patient = self.patient.contains(thread);
        match (grants(&self.threads, &self.objects, thread, wish), until) {
            (Grant::Now, _) => Ready::Yes,
            (Grant::Never, _) if interrupted => Ready::Yes,
            (Grant::Never, Until::TimeOut) if !patient => Ready::Yes,
            (Grant::Never, Until::Spurious) if !patient => Ready::InADream,
            (Grant::Never | Grant::Later, _) => Ready::No,
        }
    }
}

/// Whether a thread that stands before this waits for the end of another one.
pub(super) fn joins(pending: Pending, ended: Thread) -> bool {
    matches!(pending, Pending::Join(on) | Pending::Wait(Wish::Join(on), _) if on == ended)
}
