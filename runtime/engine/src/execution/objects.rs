//! The states of an execution's synchronisation objects.

use crate::event::{Object, Thread};
use crate::sync::machine::Machine;
use crate::sync::mutex::Mutex;
use crate::sync::once::Once;
use crate::thread_set::ThreadSet;

/// The states of the objects, by number.
#[derive(Debug, Default)]
pub struct Objects {
    states: Vec<Option<Machine>>,
}

impl Objects {
    /// Forgets the last execution.
    pub(super) fn begin(&mut self) {
        self.states.fill(None);
    }

    pub(super) fn set(&mut self, object: Object, state: Machine) {
        if self.states.len() <= object.index() {
            self.states.resize(object.index() + 1, None);
        }
        self.states[object.index()] = Some(state);
    }

    /// Returns the state of the object, if it has been used in this execution.
    #[must_use]
    #[inline]
    pub fn get(&self, object: Object) -> Option<&Machine> {
        self.states.get(object.index())?.as_ref()
    }

    /// Returns the state of the object, which an operation is about to change.
    ///
    /// # Panics
    /// If the object has no state.
    #[inline]
    pub(super) fn get_mut(&mut self, object: Object) -> &mut Machine {
        self.states[object.index()].as_mut().expect("an object is set before it is used")
    }

    /// Returns the state of the mutex, if the object is one and has been used in this execution.
    #[must_use]
    #[inline]
    pub fn mutex(&self, object: Object) -> Option<&Mutex> {
        match self.get(object) {
            Some(Machine::Mutex(mutex)) => Some(mutex),
            _ => None,
        }
    }

    /// Returns the state of the mutex as a number, which is the same for equal states; 0 for any other object.
    #[must_use]
    pub fn mutex_state(&self, object: Object) -> u64 {
        self.mutex(object).map_or(0, Mutex::state)
    }

    /// Returns, as a number, what an operation of this thread that does not block would see of the object.
    #[must_use]
    pub fn seen(&self, object: Object, thread: Thread) -> u64 {
        self.get(object).map_or(1, |state| state.seen(thread))
    }

    /// Returns the first robust mutex that the end of the thread would leave behind.
    #[must_use]
    pub fn left_behind_by(&self, thread: Thread) -> Option<Object> {
        let left =
            |state: &Option<Machine>| matches!(state, Some(Machine::Mutex(mutex)) if mutex.is_left_behind_by(thread));
        let index = self.states.iter().position(left)?;
        u32::try_from(index).ok().map(Object)
    }

    /// Returns the threads that hold the object, by number.
    pub(super) fn holders(&self, object: Object) -> Vec<Thread> {
        let mut holders: Vec<Thread> = match self.get(object) {
            Some(Machine::ReadWriteLock(lock)) => lock.writer().iter().chain(lock.readers()).copied().collect(),
            Some(&Machine::Once(Once::Running(thread))) => vec![thread],
            Some(Machine::Mutex(mutex)) => mutex.owner().into_iter().collect(),
            _ => Vec::new(),
        };
        holders.sort_unstable();
        holders.dedup();
        holders
    }

    /// Returns what the state of the object means to the threads that wait for it, as [`Need`](crate::explore::Need)s are
    /// compared with it.
    pub(super) fn meaning(&self, object: Object) -> Option<u64> {
        let number = |thread: Thread| u64::from(thread.0) + 1;
        match self.get(object) {
            None => Some(0),
            Some(Machine::Mutex(mutex)) => Some(mutex.owner().map_or(0, number)),
            Some(Machine::Semaphore(semaphore)) => Some(semaphore.value().into()),
            Some(Machine::Once(once)) => Some((!once.would_enter()).into()),
            Some(Machine::ReadWriteLock(lock)) => {
                Some(lock.writer().map_or(0, number) | (lock.readers().len() as u64) << 8)
            }
            Some(Machine::Sleepers(sleepers)) => bits(sleepers.woken()),
            Some(Machine::Barrier(barrier)) => bits(barrier.released()),
        }
    }
}

/// Returns the threads as bits, if their numbers are below 64.
fn bits(threads: &ThreadSet) -> Option<u64> {
    threads.iter().try_fold(0, |bits, thread| Some(bits | 1_u64.checked_shl(thread.0.into())?))
}
