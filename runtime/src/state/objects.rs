//! The synchronisation objects of the program, by address and by what calls take them for.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::ops::Range;

use engine::event::{Kind, Object, Thread};
use engine::mapping::calls::{self, Path};
use engine::sync::machine::{Machine, Wish};
use engine::sync::mutex::{Refusal, Robustness, Type};
use engine::sync::once::Once;
use engine::sync::read_write_lock::ReadWriteLock;
use engine::sync::sleepers::Sleepers;
use protocol::Operation;

use crate::process::sites::{RecordPointer, call_site};

/// What a destroyed object's memory holds.
pub(crate) const DEAD: u8 = 0xdd;

/// What a call takes an object for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    Mutex,
    SpinLock,
    Condition,
    ReadWriteLock,
    Semaphore,
    Barrier,
    /// The odd rounds of a barrier: who leaves one round has nothing to do with who arrives for the next.
    OddRound,
    Once,
    Futex,
    /// Whether a thread is cancelled, by its handle.
    Cancellation,
    /// Whether a thread has ended, by its handle.
    End,
    /// What all threads have in common beside memory: the clock.
    Clock,
    /// What the C library remembers.
    Library,
    /// Which keys of thread-specific values there are.
    Keys,
    /// The names of threads.
    Names,
    /// What is to be called at the end.
    Exits,
    /// What is to be done about signals.
    Signals,
    /// Which atomic block comes next.
    Blocks,
}

impl Class {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Mutex => "mutex",
            Self::SpinLock => "spin lock",
            Self::Condition => "condition variable",
            Self::ReadWriteLock => "read-write lock",
            Self::Semaphore => "semaphore",
            Self::Barrier | Self::OddRound => "barrier",
            Self::Once => "pthread_once_t",
            Self::Futex => "futex",
            Self::Cancellation | Self::End => "thread",
            Self::Clock => "clock",
            Self::Library => "state of the C library",
            Self::Keys => "keys",
            Self::Names => "names of threads",
            Self::Exits => "handlers of the end",
            Self::Signals => "signals",
            Self::Blocks => "atomic blocks",
        }
    }

    /// The bytes of the program's memory that are the object's, and no others'.
    pub(crate) const fn size(self) -> usize {
        match self {
            Self::Mutex => size_of::<libc::pthread_mutex_t>(),
            Self::SpinLock => size_of::<libc::pthread_spinlock_t>(),
            Self::Condition => size_of::<libc::pthread_cond_t>(),
            Self::ReadWriteLock => size_of::<libc::pthread_rwlock_t>(),
            Self::Semaphore => size_of::<libc::sem_t>(),
            Self::Barrier => size_of::<libc::pthread_barrier_t>(),
            Self::Once => 4,
            Self::OddRound
            | Self::Futex
            | Self::Cancellation
            | Self::End
            | Self::Clock
            | Self::Library
            | Self::Keys
            | Self::Names
            | Self::Exits
            | Self::Signals
            | Self::Blocks => 0,
        }
    }

    /// The state that memory as a static initialiser leaves it stands for, where there is such an initialiser.
    pub(crate) fn initial(self, address: usize) -> Option<Initial> {
        let zero = || (0..self.size()).all(|at| byte(address + at) == 0);
        match self {
            Self::Mutex => static_type(address).map(Initial::Mutex),
            Self::SpinLock | Self::Semaphore | Self::Barrier => None,
            Self::Condition => zero().then(|| Initial::Machine(Machine::Sleepers(Sleepers::default()))),
            Self::ReadWriteLock => zero().then(|| Initial::Machine(Machine::ReadWriteLock(ReadWriteLock::default()))),
            Self::Once => zero().then_some(Initial::Machine(Machine::Once(Once::Fresh))),
            Self::Futex => Some(Initial::Machine(Machine::Sleepers(Sleepers::default()))),
            Self::OddRound
            | Self::Cancellation
            | Self::End
            | Self::Clock
            | Self::Library
            | Self::Keys
            | Self::Names
            | Self::Exits
            | Self::Signals
            | Self::Blocks => Some(Initial::Nothing),
        }
    }
}

/// The state of an object that comes to life.
pub(crate) enum Initial {
    Mutex(MutexKind),
    SpinLock,
    Machine(Machine),
    /// There is none: the object only orders events.
    Nothing,
}

pub(crate) fn byte(address: usize) -> u8 {
    // SAFETY: the program passes an object, all of whose memory it owns.
    unsafe { (address as *const u8).read() }
}

/// Whether memory is what glibc's initialiser of read-write locks leaves that let a waiting writer go first: zeros but
/// for `__flags`.
pub(crate) fn prefers_writers(address: usize) -> bool {
    const FLAGS: usize = 48;
    (0..size_of::<libc::pthread_rwlock_t>()).all(|at| byte(address + at) == if at == FLAGS { 2 } else { 0 })
}

/// An operation on an object, for reports.
#[derive(Clone, Copy)]
pub(crate) struct Use {
    pub(crate) thread: Thread,
    pub(crate) site: RecordPointer,
    pub(crate) operation: Operation,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// Not seen in this execution.
    Unknown,
    /// A thread stands before an operation on it, which its memory allows: nothing has happened to it yet.
    Expected,
    Alive,
    Dead,
    /// Destroyed, and its memory returned.
    Gone,
}

#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) class: Class,
    address: usize,
    pub(crate) life: Life,
    /// The last operation, if there was one.
    pub(crate) last: Option<Use>,
}

/// The objects by number, and what this execution knows of each.
#[derive(Default)]
pub(crate) struct ObjectTable {
    numbers: BTreeMap<(usize, Class), Object>,
    pub(crate) known: Vec<Known>,
}

impl Known {
    /// Where the object is.
    pub(crate) const fn address(&self) -> usize {
        self.address
    }
}

impl ObjectTable {
    /// Forgets the last execution.
    pub(crate) fn reset(&mut self) {
        self.known.iter_mut().for_each(|known| known.life = Life::Unknown);
    }

    pub(crate) fn number(&mut self, class: Class, address: usize) -> Object {
        let next = Object(u32::try_from(self.known.len()).expect("fewer than 2^32 objects"));
        let number = *self.numbers.entry((address, class)).or_insert(next);
        if number == next {
            self.known.push(Known { class, address, life: Life::Unknown, last: None });
        }
        number
    }

    /// The memory is nobody's any more: what was in it, which is returned, is forgotten.
    pub(crate) fn forget(&mut self, memory: Range<usize>) -> Vec<Object> {
        let within = self.numbers.range((memory.start, Class::Mutex)..(memory.end, Class::Mutex));
        let objects: Vec<Object> = within.map(|(_, &object)| object).collect();
        for object in &objects {
            let life = &mut self.known[object.index()].life;
            *life = if matches!(life, Life::Dead | Life::Gone) { Life::Gone } else { Life::Unknown };
        }
        objects
    }

    /// What calls take the object for.
    pub(crate) fn class(&self, object: Object) -> Class {
        self.known[object.index()].class
    }

    /// Where the object is.
    pub(crate) fn address(&self, object: Object) -> usize {
        self.known[object.index()].address
    }

    /// The memory of the object.
    pub(crate) fn memory(&self, object: Object) -> Range<usize> {
        let known = &self.known[object.index()];
        known.address..known.address + known.class.size()
    }

    pub(crate) fn at(&mut self, object: Object) -> &mut Known {
        &mut self.known[object.index()]
    }
}

/// Where glibc keeps `__data.__kind`.
pub(crate) const KIND_OFFSET: usize = 16;
/// The mark of a robust mutex there.
pub(crate) const ROBUST: c_int = 16;

/// What the attributes of a mutex say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct MutexKind {
    pub(crate) kind: Type,
    pub(crate) robustness: Robustness,
}

impl MutexKind {
    pub(crate) const fn of(number: c_int) -> Self {
        let kind = match number & 3 {
            libc::PTHREAD_MUTEX_RECURSIVE => Type::Recursive,
            libc::PTHREAD_MUTEX_ERRORCHECK => Type::ErrorChecking,
            _ => Type::Normal,
        };
        let robustness = if number & ROBUST == 0 { Robustness::Stalled } else { Robustness::Robust };
        Self { kind, robustness }
    }
}

/// The type of a mutex whose memory is as an initialiser leaves it.
pub(crate) fn static_type(address: usize) -> Option<MutexKind> {
    let kind = (address + KIND_OFFSET) as *const c_int;
    // SAFETY: the program passes a mutex.
    let kind = unsafe { kind.read_unaligned() };
    let rest = (0..KIND_OFFSET).chain(KIND_OFFSET + 4..size_of::<libc::pthread_mutex_t>());
    // SAFETY: the same.
    let zero = rest.map(|at| unsafe { ((address + at) as *const u8).read() }).all(|byte| byte == 0);
    (zero && kind & !(3 | ROBUST) == 0).then(|| MutexKind::of(kind))
}

/// A call of the program on an object. Made as the call comes in: the place of a call is overwritten by the next one.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) site: RecordPointer,
    pub(crate) address: usize,
}

impl Call {
    pub(crate) fn on<T>(name: &'static str, address: *const T) -> Self {
        Self { name, site: call_site(), address: address as usize }
    }

    /// The call, for reports.
    pub(crate) const fn operation(&self) -> Operation {
        Operation::call(self.name)
    }

    /// Where the object is.
    pub(crate) const fn address(&self) -> usize {
        self.address
    }
}

pub(crate) const fn error(refusal: Refusal) -> c_int {
    match refusal {
        Refusal::Busy => libc::EBUSY,
        Refusal::WouldDeadlock => libc::EDEADLK,
        Refusal::NotOwner | Refusal::Undefined => libc::EPERM,
        Refusal::NotRecoverable => libc::ENOTRECOVERABLE,
        Refusal::Consistent => libc::EINVAL,
    }
}

/// The paths of a try: it locks, or finds the mutex held.
pub(crate) const fn paths_of_a_try(class: Class) -> [Path; 2] {
    match class {
        Class::SpinLock => [calls::SPIN_LOCK, calls::SPIN_BUSY],
        _ => [calls::MUTEX_LOCK, calls::MUTEX_BUSY],
    }
}

/// What a lock is acquired for.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Reading,
    Writing,
}

impl Side {
    pub(crate) const fn wish(self, object: Object) -> Wish {
        match self {
            Self::Reading => Wish::Read(object),
            Self::Writing => Wish::Write(object),
        }
    }

    pub(crate) const fn kind(self, object: Object) -> Kind {
        match self {
            Self::Reading => Kind::Share(object),
            Self::Writing => Kind::Lock(object),
        }
    }

    pub(crate) const fn operation(self) -> Operation {
        match self {
            Self::Reading => Operation::ReadLock,
            Self::Writing => Operation::WriteLock,
        }
    }
}
