//! The states of synchronisation objects in execution graphs, numbered.

use engine::event::Thread;
use engine::graph::Value;
use engine::sync::barrier::Barrier;
use engine::sync::line::Line;
use engine::sync::machine::Machine;
use engine::sync::read_write_lock as rw;
use engine::sync::semaphore::Semaphore;
use rustc_hash::FxHashMap;

/// The state of a synchronisation object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ObjectState {
    /// The state of a condition variable.
    Condition(Line),
    /// The state of the kernel's queue for a word.
    Futex(Futex),
    /// The state of a barrier, and the access of a thread that initialised it.
    Barrier(Barrier, (Thread, u32)),
    /// The state of an object of any other class.
    Other(Machine),
}

/// The kernel's queue of those who sleep on a word, and the thread that holds its lock.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Futex {
    pub(crate) line: Line,
    pub(crate) holder: Option<Thread>,
}

/// The states that objects have had, numbered from 1.
#[derive(Default)]
pub(crate) struct States {
    states: Vec<ObjectState>,
    numbers: FxHashMap<ObjectState, Value>,
}

impl States {
    /// Returns the number of a state.
    pub(crate) fn number(&mut self, state: ObjectState) -> Value {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        self.states.push(state.clone());
        let number = Value::try_from(self.states.len()).expect("fewer than 2^63 states");
        self.numbers.insert(state, number);
        number
    }

    /// Returns the state with this number; `None` if it is 0.
    pub(crate) fn get(&self, number: Value) -> Option<&ObjectState> {
        usize::try_from(number).ok()?.checked_sub(1).map(|index| &self.states[index])
    }
}

impl ObjectState {
    /// Returns the state of a condition variable, which it must be.
    pub(crate) const fn line(&mut self) -> &mut Line {
        match self {
            Self::Condition(line) => line,
            _ => panic!("objects are used as what they are"),
        }
    }

    /// Returns the state of the queue for a word, which it must be.
    pub(crate) const fn futex(&mut self) -> &mut Futex {
        match self {
            Self::Futex(futex) => futex,
            _ => panic!("objects are used as what they are"),
        }
    }

    /// Returns the state of an object of another class, which it must be.
    pub(crate) const fn machine(&mut self) -> &mut Machine {
        match self {
            Self::Other(machine) => machine,
            _ => panic!("objects are used as what they are"),
        }
    }

    /// Returns the state of a read-write lock, which it must be.
    pub(crate) const fn read_write_lock(&mut self) -> &mut rw::ReadWriteLock {
        self.machine().read_write_lock().expect("objects are used as what they are")
    }

    /// Returns the state of a semaphore, which it must be.
    pub(crate) const fn semaphore(&mut self) -> &mut Semaphore {
        self.machine().semaphore().expect("objects are used as what they are")
    }

    /// Whether some thread holds the object or waits for it, so that it must not be destroyed.
    pub(crate) fn is_in_use(&self) -> bool {
        match self {
            Self::Condition(line) => line.asleep() > 0,
            Self::Barrier(barrier, _) => !barrier.waiting().is_empty(),
            Self::Other(Machine::ReadWriteLock(lock)) => !lock.is_free(),
            Self::Futex(_) | Self::Other(_) => false,
        }
    }

    /// Returns the threads that hold the object.
    pub(crate) fn holders(&self) -> Vec<Thread> {
        use engine::sync::once::Once;
        match self {
            Self::Other(Machine::ReadWriteLock(lock)) => lock.writer().iter().chain(lock.readers()).copied().collect(),
            &Self::Other(Machine::Once(Once::Running(thread))) => vec![thread],
            _ => Vec::new(),
        }
    }
}
