//! `pthread_mutex_t`. The state of a mutex is the engine's ([`engine::sync::mutex`]); in the program's memory is only
//! its type, where glibc's static initialisers put it.

use std::ffi::c_int;

use engine::event::{Barrier, Kind, Object};
use engine::execution::Pending;
use engine::sync::mutex::{Refusal, Type};
use rustc_hash::FxHashMap;

use crate::memory;
use crate::recorder::Operation;
use crate::runtime::{Runtime, turn, with};
use crate::threads::{call_site, misuse};
use crate::waits::Looks;

/// Where glibc keeps `__data.__kind`.
const KIND_OFFSET: usize = 16;

/// The mutexes, by address: the same address has the same number in every execution.
#[derive(Default)]
pub(crate) struct MutexTable {
    numbers: FxHashMap<usize, Object>,
}

impl MutexTable {
    fn number(&mut self, address: usize) -> Object {
        let next = Object(u32::try_from(self.numbers.len()).expect("fewer than 2^32 mutexes"));
        *self.numbers.entry(address).or_insert(next)
    }

    /// Where the mutex with this number is.
    pub(crate) fn address(&self, object: Object) -> Option<usize> {
        self.numbers.iter().find(|&(_, &number)| number == object).map(|(&address, _)| address)
    }
}

type Mutex = *mut libc::pthread_mutex_t;

const fn type_of(kind: c_int) -> Type {
    match kind & 3 {
        libc::PTHREAD_MUTEX_RECURSIVE => Type::Recursive,
        libc::PTHREAD_MUTEX_ERRORCHECK => Type::ErrorChecking,
        _ => Type::Normal,
    }
}

/// The type that stands in the program's memory.
fn kind_at(mutex: Mutex) -> c_int {
    let kind = mutex.wrapping_byte_add(KIND_OFFSET).cast::<c_int>();
    // SAFETY: the program passes a mutex.
    unsafe { kind.read_unaligned() }
}

/// The number of the mutex, which is set up if this is its first use in the execution.
fn known(mutex: Mutex) -> Option<Object> {
    let kind = type_of(kind_at(mutex));
    with(|runtime| {
        let object = runtime.mutexes.number(mutex as usize);
        if runtime.execution.mutex(object).is_none() {
            runtime.execution.set_mutex(object, kind);
        }
        object
    })
}

const fn error(refusal: Refusal) -> c_int {
    match refusal {
        Refusal::Busy => libc::EBUSY,
        Refusal::WouldDeadlock => libc::EDEADLK,
        Refusal::NotOwner | Refusal::Undefined => libc::EPERM,
    }
}

/// Performs an operation on a mutex as one event.
fn operate(
    object: Object,
    pending: Pending,
    operation: Operation,
    mutex: Mutex,
    perform: impl FnOnce(&mut Runtime) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let site = call_site();
    turn(pending, site);
    let address = mutex as usize;
    memory::require(address..address + size_of::<libc::pthread_mutex_t>(), operation.name(), site);
    let performed = with(|runtime| {
        let before = runtime.execution.object_state(object);
        let seen = runtime.execution.seen(object, runtime.running);
        let result = perform(runtime);
        runtime.note_object(
            object,
            before,
            if operation == Operation::TryLock { Looks::Like(seen) } else { Looks::Alike },
        );
        let failed = operation == Operation::TryLock && result.is_err();
        let operation = if failed { Operation::TryLockFailed } else { operation };
        (result, runtime.unlasting(Kind::Lock(object), Barrier::Full, operation, site, mutex as usize))
    });
    let Some((result, event)) = performed else { return Ok(()) };
    event.obey();
    result
}

/// # Safety
/// As `pthread_mutex_init`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_pthread_mutex_init(mutex: Mutex, attributes: *const libc::pthread_mutexattr_t) -> c_int {
    let mut kind = 0;
    if !attributes.is_null() {
        // SAFETY: the program passes initialised attributes.
        unsafe { pthread_mutexattr_gettype(attributes, &raw mut kind) };
    }
    // A variable that is written like this is restored whole.
    with(|runtime| runtime.globals.written_unseen());
    // SAFETY: the program passes memory for a mutex.
    unsafe { mutex.write_bytes(0, 1) };
    let kind_at = mutex.wrapping_byte_add(KIND_OFFSET).cast::<c_int>();
    // SAFETY: the same memory.
    unsafe { kind_at.write_unaligned(kind) };
    with(|runtime| {
        runtime.has_effect();
        let object = runtime.mutexes.number(mutex as usize);
        runtime.execution.set_mutex(object, type_of(kind));
    });
    0
}

unsafe extern "C" {
    fn pthread_mutexattr_gettype(attributes: *const libc::pthread_mutexattr_t, kind: *mut c_int) -> c_int;
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_destroy(mutex: Mutex) -> c_int {
    let Some(object) = known(mutex) else { return 0 };
    let held = with(|runtime| runtime.execution.mutex(object).is_some_and(|mutex| mutex.destroy().is_err()));
    if held == Some(true) {
        misuse("pthread_mutex_destroy of a mutex that is held", "destroy", call_site());
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_lock(mutex: Mutex) -> c_int {
    let Some(object) = known(mutex) else { return 0 };
    let lock = |runtime: &mut Runtime| runtime.execution.lock(object);
    operate(object, Pending::Lock(object), Operation::Lock, mutex, lock).map_or_else(error, |()| 0)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_trylock(mutex: Mutex) -> c_int {
    let Some(object) = known(mutex) else { return 0 };
    let try_lock = |runtime: &mut Runtime| runtime.execution.try_lock(object);
    operate(object, Pending::Access, Operation::TryLock, mutex, try_lock).map_or_else(error, |()| 0)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_mutex_unlock(mutex: Mutex) -> c_int {
    let Some(object) = known(mutex) else { return 0 };
    let unlock = |runtime: &mut Runtime| runtime.execution.unlock(object);
    let site = call_site();
    match operate(object, Pending::Access, Operation::Unlock, mutex, unlock) {
        Ok(()) => 0,
        Err(Refusal::Undefined) => {
            misuse("pthread_mutex_unlock of a mutex that this thread does not hold", "unlock", site)
        }
        Err(refusal) => error(refusal),
    }
}
