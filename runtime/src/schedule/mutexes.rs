//! `pthread_mutex_t` and `pthread_spinlock_t`. The state is the engine's ([`engine::sync::mutex`]); in the program's
//! memory is only the type of a mutex, where glibc's static initialisers put it.

use std::ffi::c_int;

use engine::event::{Kind as EventKind, Object, Thread};
use engine::execution::{Execution, Pending};
use engine::mapping::calls::{self, Path};
use engine::sync::machine::{Machine, Until, Wish};
use engine::sync::mutex::{Acquired, Refusal, Robustness, Type};
use protocol::Operation;

use crate::graph;
use crate::run::{Runtime, with};
use crate::schedule::objects::{Call, Class, Done, Initial};
use crate::schedule::waits::Looks;

/// Where glibc keeps `__data.__kind`.
const KIND_OFFSET: usize = 16;
/// The mark of a robust mutex there.
const ROBUST: c_int = 16;

pub(crate) type Mutex = *mut libc::pthread_mutex_t;
type SpinLock = *mut libc::pthread_spinlock_t;

/// What the attributes of a mutex say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) kind: Type,
    pub(crate) robustness: Robustness,
}

impl Kind {
    const fn of(number: c_int) -> Self {
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
pub(crate) fn static_type(address: usize) -> Option<Kind> {
    let kind = (address + KIND_OFFSET) as *const c_int;
    // SAFETY: the program passes a mutex.
    let kind = unsafe { kind.read_unaligned() };
    let rest = (0..KIND_OFFSET).chain(KIND_OFFSET + 4..size_of::<libc::pthread_mutex_t>());
    // SAFETY: the same.
    let zero = rest.map(|at| unsafe { ((address + at) as *const u8).read() }).all(|byte| byte == 0);
    (zero && kind & !(3 | ROBUST) == 0).then(|| Kind::of(kind))
}

/// Puts the type where [`static_type`] finds it.
fn set_static_type(mutex: Mutex, number: c_int) {
    let kind = mutex.wrapping_byte_add(KIND_OFFSET).cast::<c_int>();
    // SAFETY: the program passes memory for a mutex.
    unsafe { kind.write_unaligned(number) };
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

pub(crate) const fn acquired(result: Result<Acquired, Refusal>) -> c_int {
    match result {
        Ok(Acquired::Clean) => 0,
        Ok(Acquired::OwnerDied) => libc::EOWNERDEAD,
        Err(refusal) => error(refusal),
    }
}

/// The state of a mutex or a spin lock.
pub(crate) const fn mutex(state: &mut Machine) -> &mut engine::sync::mutex::Mutex {
    state.mutex().expect("objects are numbered by class")
}

/// Operations of the running thread on a mutex, as wait loops see them ([`crate::schedule::waits`]).
impl Runtime {
    /// Acquires the mutex, which can be acquired.
    pub(crate) fn lock(&mut self, object: Object) -> Result<Acquired, Refusal> {
        self.on_mutex(object, Looks::Alike, |execution| execution.operate(object, |state, me| mutex(state).lock(me)))
    }

    fn try_lock(&mut self, object: Object) -> Result<Acquired, Refusal> {
        let seen = self.execution.state.objects.seen(object, self.running);
        self.on_mutex(object, Looks::Like(seen), |execution| {
            execution.operate(object, |state, me| mutex(state).try_lock(me))
        })
    }

    fn unlock(&mut self, object: Object) -> Result<(), Refusal> {
        self.on_mutex(object, Looks::Alike, |execution| execution.operate(object, |state, me| mutex(state).unlock(me)))
    }

    fn owner(&self, object: Object) -> Option<Thread> {
        self.execution.state.objects.mutex(object)?.owner()
    }

    /// What came of an attempt of the running thread to acquire the mutex, which was this one's before.
    fn locked(
        &self,
        object: Object,
        before: Option<Thread>,
        result: Result<Acquired, Refusal>,
        operation: Operation,
    ) -> Done {
        let is_spin_lock = self.objects.class(object) == Class::SpinLock;
        match result {
            Ok(_) if is_spin_lock && operation == Operation::Lock => {
                Done::at_word(calls::SPIN_LOCK, EventKind::Await(object), object, operation)
            }
            Ok(_) if is_spin_lock => Done::at_word(calls::SPIN_LOCK, EventKind::CompareAndSwap, object, operation),
            Err(_) if is_spin_lock => Done::at_word(calls::SPIN_BUSY, EventKind::FailedRmw, object, operation),
            Ok(_) if before == Some(self.running) => Done::by(calls::MUTEX_AGAIN, EventKind::Lock(object), operation),
            Ok(_) => Done::by(calls::MUTEX_LOCK, EventKind::Lock(object), operation),
            // It has read the mutex alone.
            Err(Refusal::Busy) => Done::by(calls::MUTEX_BUSY, EventKind::Share(object), operation),
            Err(_) => Done::by(calls::MUTEX_REFUSED, EventKind::Lock(object), operation),
        }
    }

    /// What came of an attempt to release the mutex.
    fn unlocked(&self, object: Object, result: Result<(), Refusal>) -> Done {
        let path = match result {
            Ok(()) if self.objects.class(object) == Class::SpinLock => {
                return Done::at_word(calls::SPIN_UNLOCK, EventKind::Store, object, Operation::Unlock);
            }
            Ok(()) if self.owner(object) == Some(self.running) => calls::MUTEX_AGAIN,
            Ok(()) => calls::MUTEX_UNLOCK,
            Err(_) => calls::MUTEX_REFUSED,
        };
        Done::by(path, EventKind::Lock(object), Operation::Unlock)
    }

    /// Operates on the mutex; what it looks like to the thread, and what changes, is noted.
    pub(crate) fn on_mutex<R>(&mut self, object: Object, looks: Looks, work: impl FnOnce(&mut Execution) -> R) -> R {
        let before = self.execution.state.objects.mutex_state(object);
        let result = work(&mut self.execution);
        self.note_object(object, before, looks);
        result
    }
}

/// # Safety
/// As `pthread_mutex_init`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_pthread_mutex_init(mutex: Mutex, attributes: *const libc::pthread_mutexattr_t) -> c_int {
    let (mut kind, mut robust) = (0, 0);
    if !attributes.is_null() {
        // SAFETY: the program passes initialised attributes.
        unsafe { pthread_mutexattr_gettype(attributes, &raw mut kind) };
        // SAFETY: the same.
        unsafe { libc::pthread_mutexattr_getrobust(attributes, &raw mut robust) };
    }
    initialise(Call::on("pthread_mutex_init", mutex), mutex, kind | if robust == 0 { 0 } else { ROBUST })
}

/// A mutex with the type that has this number comes to life.
pub(crate) fn initialise(call: Call, mutex: Mutex, number: c_int) -> c_int {
    call.initialise(Class::Mutex, Initial::Mutex(Kind::of(number)));
    set_static_type(mutex, number);
    0
}

unsafe extern "C" {
    fn pthread_mutexattr_gettype(attributes: *const libc::pthread_mutexattr_t, kind: *mut c_int) -> c_int;
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_destroy(mutex: Mutex) -> c_int {
    Call::on("pthread_mutex_destroy", mutex).destroy(Class::Mutex);
    0
}

/// Acquires a mutex, however long it takes.
pub(crate) fn lock(call: Call, class: Class) -> c_int {
    if graph::is_on() {
        return graph::mutexes::lock(call, class);
    }
    let Some(object) = call.object(class) else { return 0 };
    acquire(call, object)
}

/// The same of one that is known.
pub(crate) fn acquire(call: Call, object: Object) -> c_int {
    let work = |runtime: &mut Runtime| {
        let owner = runtime.owner(object);
        let result = runtime.lock(object);
        (runtime.locked(object, owner, result, Operation::Lock), result)
    };
    call.event(Pending::Lock(object), work).map_or(0, acquired)
}

/// The paths of a try: it locks, or finds the mutex held.
pub(crate) const fn paths_of_a_try(class: Class) -> [Path; 2] {
    match class {
        Class::SpinLock => [calls::SPIN_LOCK, calls::SPIN_BUSY],
        _ => [calls::MUTEX_LOCK, calls::MUTEX_BUSY],
    }
}

/// Acquires a mutex if that takes no time.
pub(crate) fn try_lock(call: Call, class: Class) -> c_int {
    if graph::is_on() {
        return graph::mutexes::try_lock(call, class);
    }
    let Some(object) = call.object(class) else { return 0 };
    let work = |runtime: &mut Runtime| {
        let owner = runtime.owner(object);
        let result = runtime.try_lock(object);
        let operation = if result.is_ok() { Operation::TryLock } else { Operation::TryLockFailed };
        (runtime.locked(object, owner, result, operation), result)
    };
    call.event(Pending::Access, work).map_or(0, acquired)
}

/// Acquires a mutex, or gives up.
pub(crate) fn timed_lock(call: Call, time: *const libc::timespec) -> c_int {
    if graph::is_on() {
        let before = with(Runtime::before_a_call);
        return match graph::mutexes::timed_lock(call) {
            libc::ETIMEDOUT => crate::schedule::timed::ran_out(before, time),
            result => result,
        };
    }
    let Some(object) = call.object(Class::Mutex) else { return 0 };
    let wish = Wish::Lock(object);
    let before = with(Runtime::before_a_call);
    let result = call.event(Pending::Wait(wish, Until::TimeOut), |runtime| {
        if runtime.execution.state.is_granted(wish) {
            let owner = runtime.owner(object);
            let result = runtime.lock(object);
            (runtime.locked(object, owner, result, Operation::Lock), Some(result))
        } else {
            (Done::by(calls::MUTEX_TIME_OUT, EventKind::Lock(object), Operation::TimeOut), None)
        }
    });
    match result {
        None => 0,
        Some(Some(result)) => acquired(result),
        Some(None) => crate::schedule::timed::ran_out(before, time),
    }
}

/// Releases a mutex.
pub(crate) fn unlock(call: Call, class: Class) -> c_int {
    if graph::is_on() {
        return graph::mutexes::unlock(call, class);
    }
    let Some(object) = call.object(class) else { return 0 };
    let work = |runtime: &mut Runtime| {
        let last = runtime.last_use(object);
        let result = runtime.unlock(object);
        (runtime.unlocked(object, result), (result, last))
    };
    match call.event(Pending::Access, work) {
        None | Some((Ok(()), _)) => 0,
        Some((Err(Refusal::Undefined), last)) => {
            call.misuse(&format!("of a {} that this thread does not hold", class.name()), last)
        }
        Some((Err(refusal), _)) => error(refusal),
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_lock(mutex: Mutex) -> c_int {
    lock(Call::on("pthread_mutex_lock", mutex), Class::Mutex)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_trylock(mutex: Mutex) -> c_int {
    try_lock(Call::on("pthread_mutex_trylock", mutex), Class::Mutex)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_timedlock(mutex: Mutex, time: *const libc::timespec) -> c_int {
    timed_lock(Call::on("pthread_mutex_timedlock", mutex), time)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_clocklock(mutex: Mutex, clock: libc::clockid_t, time: *const libc::timespec) -> c_int {
    if !crate::schedule::timed::is_clock(clock) {
        return libc::EINVAL;
    }
    timed_lock(Call::on("pthread_mutex_clocklock", mutex), time)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_unlock(mutex: Mutex) -> c_int {
    unlock(Call::on("pthread_mutex_unlock", mutex), Class::Mutex)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_consistent(mutex: Mutex) -> c_int {
    let Some(object) = Call::on("pthread_mutex_consistent", mutex).object(Class::Mutex) else { return 0 };
    let result = with(|runtime| {
        runtime.has_effect();
        runtime.execution.operate(object, |state, me| self::mutex(state).make_consistent(me))
    });
    result.map_or(0, |result| result.map_or_else(error, |()| 0))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_spin_init(lock: SpinLock, _shared: c_int) -> c_int {
    Call::on("pthread_spin_init", lock.cast_const()).initialise(Class::SpinLock, Initial::SpinLock);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_spin_destroy(lock: SpinLock) -> c_int {
    Call::on("pthread_spin_destroy", lock.cast_const()).destroy(Class::SpinLock);
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_spin_lock(lock: SpinLock) -> c_int {
    self::lock(Call::on("pthread_spin_lock", lock.cast_const()), Class::SpinLock)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_spin_trylock(lock: SpinLock) -> c_int {
    try_lock(Call::on("pthread_spin_trylock", lock.cast_const()), Class::SpinLock)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_spin_unlock(lock: SpinLock) -> c_int {
    unlock(Call::on("pthread_spin_unlock", lock.cast_const()), Class::SpinLock)
}
