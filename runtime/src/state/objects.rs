//! The synchronisation objects of the program, by address and by class.

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

/// The byte that fills a destroyed object's memory.
pub(crate) const DEAD: u8 = 0xdd;

/// The class of an object: what a call takes it for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    Mutex,
    SpinLock,
    Condition,
    ReadWriteLock,
    Semaphore,
    Barrier,
    /// The odd rounds of a barrier: a thread that leaves one round has nothing to do with those that arrive for the
    /// next.
    OddRound,
    Once,
    Futex,
    /// The question whether a thread is cancelled, by the thread's handle.
    Cancellation,
    /// The question whether a thread has ended, by the thread's handle.
    End,
    /// The clock, which all threads share.
    Clock,
    /// The state of the C library.
    Library,
    /// The set of keys of thread-specific values.
    Keys,
    /// The names of threads.
    Names,
    /// The functions that are to be called at the end.
    Exits,
    /// The actions of signals.
    Signals,
    /// The order of atomic blocks.
    Blocks,
}

impl Class {
    /// Returns the name of the class in messages.
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

    /// Says in messages that an object of the class is held or waited for.
    pub(crate) const fn state_in_use(self) -> &'static str {
        match self {
            Self::Mutex | Self::SpinLock | Self::ReadWriteLock => "is held",
            _ => "threads wait for",
        }
    }

    /// Returns the number of bytes of the program's memory that are the object's, and no others'.
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

    /// Returns the state that the memory at the address stands for if a static initialiser left it, for classes with
    /// such an initialiser.
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

/// The state of an object that is initialised.
pub(crate) enum Initial {
    Mutex(MutexKind),
    SpinLock,
    Machine(Machine),
    /// The object only orders events and has no state of its own.
    Nothing,
}

/// Reads a byte of an object.
pub(crate) fn byte(address: usize) -> u8 {
    // SAFETY: the program passes an object, all of whose memory it owns.
    unsafe { (address as *const u8).read() }
}

/// Whether memory is what glibc's initialiser of read-write locks that let a waiting writer go first leaves: zeros but
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

/// The stage of an object's life in this execution.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// The object has not been seen in this execution.
    Unknown,
    /// A thread stands before an operation on the object, which its memory allows: nothing has happened to it yet.
    Expected,
    /// The object is alive: initialised, or used by its static initialiser.
    Alive,
    /// The object was destroyed.
    Dead,
    /// The object was destroyed, and its memory returned.
    Gone,
}

/// The class, address and life of an object.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) class: Class,
    address: usize,
    pub(crate) life: Life,
    /// The last operation on the object, if there was one.
    pub(crate) last: Option<Use>,
}

/// The objects by number, and what this execution knows of each.
#[derive(Default)]
pub(crate) struct ObjectTable {
    /// The number of each object, by address and class.
    numbers: BTreeMap<(usize, Class), Object>,
    /// What is known of each object, by number.
    pub(crate) known: Vec<Known>,
}

impl Known {
    /// Returns the address of the object.
    pub(crate) const fn address(&self) -> usize {
        self.address
    }
}

impl ObjectTable {
    /// Forgets the last execution.
    pub(crate) fn reset(&mut self) {
        self.known.iter_mut().for_each(|known| known.life = Life::Unknown);
    }

    /// Returns the number of the object of this class at the address, a new one if it has none.
    pub(crate) fn number(&mut self, class: Class, address: usize) -> Object {
        let next = Object(u32::try_from(self.known.len()).expect("fewer than 2^32 objects"));
        let number = *self.numbers.entry((address, class)).or_insert(next);
        if number == next {
            self.known.push(Known { class, address, life: Life::Unknown, last: None });
        }
        number
    }

    /// Forgets the objects in memory that is nobody's any more, and returns them.
    pub(crate) fn forget(&mut self, memory: Range<usize>) -> Vec<Object> {
        let within = self.numbers.range((memory.start, Class::Mutex)..(memory.end, Class::Mutex));
        let objects: Vec<Object> = within.map(|(_, &object)| object).collect();
        for object in &objects {
            let life = &mut self.known[object.index()].life;
            *life = if matches!(life, Life::Dead | Life::Gone) { Life::Gone } else { Life::Unknown };
        }
        objects
    }

    /// Returns the class of the object.
    pub(crate) fn class(&self, object: Object) -> Class {
        self.known[object.index()].class
    }

    /// Returns the address of the object.
    pub(crate) fn address(&self, object: Object) -> usize {
        self.known[object.index()].address
    }

    /// Returns the memory of the object.
    pub(crate) fn memory(&self, object: Object) -> Range<usize> {
        let known = &self.known[object.index()];
        known.address..known.address + known.class.size()
    }

    /// Returns what is known of the object.
    pub(crate) fn at(&mut self, object: Object) -> &mut Known {
        &mut self.known[object.index()]
    }
}

/// The offset at which glibc keeps `__data.__kind` of a mutex.
pub(crate) const KIND_OFFSET: usize = 16;
/// The bit of `__data.__kind` that marks a robust mutex.
pub(crate) const ROBUST: c_int = 16;

/// The attributes of a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MutexKind {
    pub(crate) kind: Type,
    pub(crate) robustness: Robustness,
}

impl MutexKind {
    /// Decodes glibc's `__data.__kind`.
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

/// Returns the type of a mutex whose memory is as an initialiser leaves it.
pub(crate) fn static_type(address: usize) -> Option<MutexKind> {
    let kind = (address + KIND_OFFSET) as *const c_int;
    // SAFETY: the program passes a mutex, all of whose memory it owns.
    let kind = unsafe { kind.read_unaligned() };
    let rest = (0..KIND_OFFSET).chain(KIND_OFFSET + 4..size_of::<libc::pthread_mutex_t>());
    // SAFETY: as above.
    let zero = rest.map(|at| unsafe { ((address + at) as *const u8).read() }).all(|byte| byte == 0);
    (zero && kind & !(3 | ROBUST) == 0).then(|| MutexKind::of(kind))
}

/// A call of the program on an object. It is made as the call comes in, since the place of a call is overwritten by the
/// next one.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) site: RecordPointer,
    pub(crate) address: usize,
}

impl Call {
    /// Makes the call of a function with this name on the object at an address, at the site that the program is calling
    /// from.
    pub(crate) fn on<T>(name: &'static str, address: *const T) -> Self {
        Self { name, site: call_site(), address: address as usize }
    }

    /// Returns the call as an operation, for reports.
    pub(crate) const fn operation(&self) -> Operation {
        Operation::call(self.name)
    }

    /// Returns the address of the object.
    pub(crate) const fn address(&self) -> usize {
        self.address
    }
}

/// Returns the error number of a refusal.
pub(crate) const fn error(refusal: Refusal) -> c_int {
    match refusal {
        Refusal::Busy => libc::EBUSY,
        Refusal::WouldDeadlock => libc::EDEADLK,
        Refusal::NotOwner | Refusal::Undefined => libc::EPERM,
        Refusal::NotRecoverable => libc::ENOTRECOVERABLE,
        Refusal::Consistent => libc::EINVAL,
    }
}

/// Returns the paths of a try to lock: it locks, or finds the mutex held.
pub(crate) const fn paths_of_a_try(class: Class) -> [Path; 2] {
    match class {
        Class::SpinLock => [calls::SPIN_LOCK, calls::SPIN_BUSY],
        _ => [calls::MUTEX_LOCK, calls::MUTEX_BUSY],
    }
}

/// The purpose for which a read-write lock is acquired.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Reading,
    Writing,
}

impl Side {
    /// Returns what a thread that acquires the lock waits for.
    pub(crate) const fn wish(self, object: Object) -> Wish {
        match self {
            Self::Reading => Wish::Read(object),
            Self::Writing => Wish::Write(object),
        }
    }

    /// Returns the kind of the event that acquires the lock.
    pub(crate) const fn kind(self, object: Object) -> Kind {
        match self {
            Self::Reading => Kind::Share(object),
            Self::Writing => Kind::Lock(object),
        }
    }

    /// Returns the operation that acquires the lock.
    pub(crate) const fn operation(self) -> Operation {
        match self {
            Self::Reading => Operation::ReadLock,
            Self::Writing => Operation::WriteLock,
        }
    }
}
