//! What an execution has to do with synchronisation objects: who can go on, given their states.
//!
//! An operation changes the state of an object ([`Execution::operate`], [`Execution::lock`], …), after which it is
//! asked anew of each thread that stands before the object whether it could go on.
//!
//! # Waits that end by themselves
//! A wait with a limit can always end without what it waits for; no clock runs here. A loop around such a wait would go
//! round for ever, so a thread can be made to wait *patiently* ([`Execution::wait_patiently`]): the runtime says so
//! where the last wait ran out, nothing that the thread reads has changed since, and it stands there again as it
//! did then.
//! A wait that may end for no reason (`--spurious-wakeups`) is different in one thing: where nobody else can go on, the
//! execution has come to its end, as no program may count on waking up.

use super::{Execution, Iteration, Pending, Status};
use crate::event::{Object, Thread};
use crate::explore::Standing;
use crate::progress::{Blocked, Waits};
use crate::sync::machine::{Machine, Until, Wish};
use crate::sync::mutex::{Mutex, Refusal};
use crate::sync::once::Once;
use crate::sync::sleepers::OtherMutex;
use crate::thread_set::ThreadSet;

/// Whether a thread could go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ready {
    Yes,
    /// If it woke up for no reason.
    InADream,
    No,
}

/// Why a thread may not fall asleep on a condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sleepless {
    /// What releasing the mutex gave.
    Mutex(Refusal),
    /// Others sleep there with another mutex.
    OtherMutex,
}

impl Execution {
    pub(super) fn forget_objects(&mut self) {
        self.machines.fill(None);
        self.dreaming = ThreadSet::EMPTY;
        self.patient = ThreadSet::EMPTY;
        self.interrupted = ThreadSet::EMPTY;
    }

    /// The object with this number has this state; to be said before its first use in an execution. Threads that stand
    /// before an operation on it wait for what it is now.
    pub fn set_machine(&mut self, object: Object, machine: Machine) {
        if self.machines.len() <= object.index() {
            self.machines.resize(object.index() + 1, None);
        }
        self.machines[object.index()] = Some(machine);
        self.settle_around(object);
    }

    /// The object, if it has been used in this execution.
    #[must_use]
    pub fn machine(&self, object: Object) -> Option<&Machine> {
        self.machines.get(object.index())?.as_ref()
    }

    /// The running thread operates on the object, which may let others go on, or make them wait.
    ///
    /// # Panics
    /// If the object has no state.
    pub fn operate<R>(&mut self, object: Object, operation: impl FnOnce(&mut Machine, Thread) -> R) -> R {
        self.note_object(object);
        let machine = self.machines[object.index()].as_mut().expect("an object is set before it is used");
        let result = operation(machine, self.current);
        self.settle_around(object);
        result
    }

    /// The running thread releases the mutex and falls asleep on the condition variable, in one step.
    ///
    /// # Errors
    /// [`Sleepless`]; then nothing has changed.
    pub fn sleep(&mut self, condition: Object, mutex: Object) -> Result<(), Sleepless> {
        let thread = self.current;
        let mut released = *self.mutex_mut(mutex);
        released.unlock(thread).map_err(Sleepless::Mutex)?;
        self.operate(condition, |machine, thread| match machine.sleepers() {
            Some(sleepers) => sleepers.sleep(thread, Some(mutex)),
            None => Err(OtherMutex),
        })
        .map_err(|OtherMutex| Sleepless::OtherMutex)?;
        self.note_object(mutex);
        *self.mutex_mut(mutex) = released;
        self.settle_around(mutex);
        Ok(())
    }

    /// The robust mutex's owner, which is the running thread, ends.
    pub fn orphan(&mut self, object: Object) {
        self.note_object(object);
        self.mutex_mut(object).orphan();
        self.settle_around(object);
    }

    /// `pthread_mutex_consistent` by the running thread.
    ///
    /// # Errors
    /// As [`Mutex::make_consistent`].
    pub fn make_consistent(&mut self, object: Object) -> Result<(), Refusal> {
        let thread = self.current;
        self.mutex_mut(object).make_consistent(thread)
    }

    /// The first robust mutex that the end of the running thread would leave behind.
    #[must_use]
    pub fn left_behind(&self) -> Option<Object> {
        let left = |mutex: &Option<Mutex>| mutex.as_ref().is_some_and(|mutex| mutex.is_left_behind_by(self.current));
        let index = self.mutexes.iter().position(left)?;
        u32::try_from(index).ok().map(Object)
    }

    /// The limited waits of this thread do not run out until [`Execution::lose_patience`], or until it goes on. `since`
    /// are the events from the beginning of the round of the loop in which the last one ran out.
    pub fn wait_patiently(&mut self, thread: Thread, since: Option<Iteration>) {
        self.patient.insert(thread);
        if self.observed {
            self.strategy.waits(thread, since, Standing::BeforeALimitedWait);
        }
    }

    /// Whether the thread waits patiently.
    #[must_use]
    pub const fn is_patient(&self, thread: Thread) -> bool {
        self.patient.contains(thread)
    }

    /// The thread's limited wait can run out again.
    pub fn lose_patience(&mut self, thread: Thread) {
        self.patient.remove(thread);
        if let Status::Arrived(pending) = self.status(thread) {
            self.settle(thread, pending);
        }
    }

    /// The thread is cancelled, and heeds it from now on, or does not any more.
    pub fn interrupt(&mut self, thread: Thread, heeds: Heeds) {
        match heeds {
            Heeds::Cancellation => self.interrupted.insert(thread),
            Heeds::Nothing => self.interrupted.remove(thread),
        }
        if let Status::Arrived(pending) = self.status(thread) {
            self.settle(thread, pending);
        }
    }

    /// Whether the running thread, which has been chosen, gets what it waited for; else its wait has run out, or it is
    /// cancelled.
    #[must_use]
    pub fn is_granted(&self, wish: Wish) -> bool {
        self.grants(self.current, wish) == Grant::Now
    }

    /// Whether the thread can go on from here, and says so to whoever chooses.
    pub(super) fn settle(&mut self, thread: Thread, pending: Pending) {
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

    /// The same of all threads that stand before such an operation.
    pub(super) fn settle_arrived(&mut self, which: impl Fn(Pending) -> bool) {
        for index in 0..self.threads.len() {
            if let Status::Arrived(pending) = self.threads[index].status
                && which(pending)
            {
                self.settle(Thread::from_index(index), pending);
            }
        }
    }

    pub(super) fn settle_around(&mut self, object: Object) {
        self.settle_arrived(|pending| match pending {
            Pending::Lock(on) => on == object,
            Pending::Wait(wish, _) => wish.concerns(object),
            Pending::Access | Pending::Join(_) => false,
        });
    }

    /// The thread goes on.
    #[inline]
    pub(super) const fn awakes(&mut self, thread: Thread) {
        if !self.dreaming.is_empty() {
            self.dreaming.remove(thread);
        }
        if !self.patient.is_empty() {
            self.patient.remove(thread);
        }
    }

    /// Whether some wait has run out, would run out again and again, and nothing would ever be different.
    pub(super) fn times_out_for_ever(&self) -> bool {
        self.threads.iter().enumerate().any(|(index, state)| {
            self.patient.contains(Thread::from_index(index))
                && matches!(state.status, Status::Arrived(Pending::Wait(_, Until::TimeOut)))
        })
    }

    /// Whether a thread goes round in a wait loop, and does not just stand before a lock in it.
    pub(super) fn goes_round(&self) -> bool {
        (0..self.threads.len()).map(Thread::from_index).any(|thread| match self.status(thread) {
            Status::Waiting(first) => self.ready(thread, first) == Ready::Yes,
            _ => false,
        })
    }

    pub(super) fn blocked_at(&self, thread: Thread) -> Option<Blocked> {
        let (waits, by) = match self.status(thread) {
            Status::Arrived(pending) => self.waits_at(thread, pending),
            // It goes round, but for a lock at the beginning.
            Status::Waiting(first) if self.ready(thread, first) == Ready::No => self.waits_at(thread, first),
            Status::Waiting(_) => (Waits::Change, Vec::new()),
            Status::Absent | Status::Running | Status::Ended => return None,
        };
        Some(Blocked { thread, waits, by })
    }

    /// What a thread that cannot go on from here waits for, and who could end that.
    fn waits_at(&self, thread: Thread, pending: Pending) -> (Waits, Vec<Thread>) {
        let (wish, until) = match pending {
            Pending::Access => return (Waits::Change, Vec::new()),
            Pending::Lock(object) => (Wish::Lock(object), Until::Granted),
            Pending::Join(other) => (Wish::Join(other), Until::Granted),
            Pending::Wait(wish, until) => (wish, until),
        };
        match (wish, self.grants(thread, wish)) {
            (Wish::Wake { mutex: Some(mutex), .. }, Grant::Later) => (Waits::Release(mutex), self.holders(mutex)),
            // Its loop goes round: this wait has run out, and would again.
            _ if until == Until::TimeOut => (Waits::Change, Vec::new()),
            (Wish::Join(other), _) => (Waits::End(other), vec![other]),
            (Wish::Lock(on) | Wish::Read(on) | Wish::Write(on) | Wish::Once(on), _) => {
                (Waits::Release(on), self.holders(on))
            }
            (Wish::Cross(on), _) => (Waits::Arrival(on), Vec::new()),
            (Wish::Take(on) | Wish::Wake { sleepers: on, .. }, _) => (Waits::Wake(on), Vec::new()),
        }
    }

    /// The threads that hold the object.
    fn holders(&self, object: Object) -> Vec<Thread> {
        let mut holders: Vec<Thread> = match self.machine(object) {
            Some(Machine::ReadWriteLock(lock)) => lock.writer().iter().chain(lock.readers()).copied().collect(),
            Some(&Machine::Once(Once::Running(thread))) => vec![thread],
            _ => self.mutex(object).and_then(Mutex::owner).into_iter().collect(),
        };
        holders.sort_unstable();
        holders.dedup();
        holders
    }

    /// Whether the running thread could perform this at once.
    #[must_use]
    pub fn can_perform(&self, pending: Pending) -> bool {
        matches!(self.ready(self.current, pending), Ready::Yes)
    }

    /// Whether a thread other than the running one can go on.
    #[must_use]
    pub fn others_can_go_on(&self) -> bool {
        !self.enabled.is_empty()
    }

    fn ready(&self, thread: Thread, pending: Pending) -> Ready {
        let (wish, until) = match pending {
            Pending::Access => return Ready::Yes,
            Pending::Lock(object) => (Wish::Lock(object), Until::Granted),
            Pending::Join(other) if self.interrupted.is_empty() => {
                return if self.status(other) == Status::Ended { Ready::Yes } else { Ready::No };
            }
            Pending::Join(other) => (Wish::Join(other), Until::Granted),
            Pending::Wait(wish, until) => (wish, until),
        };
        let interrupted = wish.is_cancellation_point() && self.interrupted.contains(thread);
        let patient = self.patient.contains(thread);
        match (self.grants(thread, wish), until) {
            (Grant::Now, _) => Ready::Yes,
            (Grant::Never, _) if interrupted => Ready::Yes,
            (Grant::Never, Until::TimeOut) if !patient => Ready::Yes,
            (Grant::Never, Until::Spurious) if !patient => Ready::InADream,
            (Grant::Never | Grant::Later, _) => Ready::No,
        }
    }

    fn grants(&self, thread: Thread, wish: Wish) -> Grant {
        let locks = |object| self.mutex(object).is_some_and(|mutex| mutex.would_return(thread));
        let granted = match wish {
            Wish::Lock(object) => locks(object),
            Wish::Join(other) => self.status(other) == Status::Ended,
            Wish::Read(on) | Wish::Write(on) | Wish::Take(on) | Wish::Cross(on) | Wish::Once(on) => {
                self.machine(on).is_some_and(|machine| machine.grants(thread, wish))
            }
            Wish::Wake { sleepers, mutex } => {
                let woken = self.machine(sleepers).is_some_and(|machine| machine.grants(thread, wish));
                if woken && !mutex.is_none_or(locks) {
                    return Grant::Later;
                }
                woken
            }
        };
        if granted { Grant::Now } else { Grant::Never }
    }
}

/// Whether a wish is fulfilled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Grant {
    Now,
    /// It is awake, and waits for the mutex alone: its sleep cannot run out any more.
    Later,
    /// Not as things stand.
    Never,
}

/// What a thread that was cancelled makes of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heeds {
    /// It ends at its next cancellation point.
    Cancellation,
    /// It goes on, as if nothing had happened.
    Nothing,
}
