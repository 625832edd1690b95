//! Mutexes in execution graphs: a location that holds 0 or the number of the owner plus 1. Locking is a
//! read-modify-write that writes if it reads 0, and else waits; unlocking is a store. What orders them is in
//! [`engine::mapping::calls`].

use std::ffi::c_int;

use engine::graph::{Access, FREE, Internal, Link, Written};
use engine::mapping::calls::{self, Path};
use engine::sync::mutex::{Refusal, Robustness, Type};
use protocol::Operation;

use crate::graph::stops::refuse;
use crate::graph::synchronising::{self, Patience, wait_since};
use crate::graph::{accesses, initialisers};
use crate::run::{self, with};
use crate::state::graph::places::Thing;
use crate::state::objects::{self, Call, Class};
use crate::state::operation::Note;
use crate::state::unmodelled::Unmodelled;

/// Returns the type of a mutex that lives.
fn kind(call: Call, mutex: usize, class: Class) -> Type {
    if class == Class::SpinLock {
        return Type::Normal;
    }
    let found = with(|runtime| initialisers::type_of(runtime.graph_mut(), mutex)).expect("there is a runtime");
    let kind = found.unwrap_or_else(|what| {
        refuse(what, call.site);
        None
    });
    let Some(kind) = kind else { run::misuse(call, "of a mutex that was never initialised", None) };
    if kind.robustness == Robustness::Robust {
        refuse(Unmodelled::RobustMutex, call.site);
    }
    kind.kind
}

/// The result of an attempt to lock.
enum Attempt {
    /// The thread has locked the mutex.
    Locked,
    /// Another thread holds the mutex, or, unless it is recursive, this thread itself.
    Held,
}

/// Attempts to lock a mutex, on one of two paths: it locks, or finds the mutex held. The link says whether it waits then.
fn attempt(call: Call, mutex: usize, (operation, link): (Operation, Link), paths: [Path; 2]) -> Attempt {
    let attempted = with(|runtime| {
        let graph = runtime.graph_mut();
        let found = graph.next_read();
        let [locks, finds_it_held] = paths;
        let (written, taken) = match found {
            None => (Written::Unknown, None),
            Some(FREE) => (Written::Value(synchronising::owner(graph)), Some(locks)),
            Some(_) => (Written::Nothing, Some(finds_it_held)),
        };
        let note = Note { site: call.site, operation };
        let access = Access::Update(Internal::Control);
        let mut recorded =
            synchronising::synchronizing(graph, Thing::Mutex(mutex), (&paths, taken), (access, written), note, mutex);
        recorded.link = link;
        if written == Written::Value(synchronising::owner(graph)) {
            graph.run.held.push((mutex, 1));
        }
        accesses::record_object(runtime, recorded)
    });
    let Some((turn, found)) = attempted else { return Attempt::Locked };
    turn.obey();
    if found == Some(FREE) { Attempt::Locked } else { Attempt::Held }
}

/// Locks a recursive mutex once more if the running thread holds it already; returns whether it did.
fn locks_again(mutex: usize) -> bool {
    let again = with(|runtime| {
        runtime.has_effect();
        let held = synchronising::held(runtime.graph_mut(), mutex)?;
        held.1 += 1;
        Some(())
    });
    again.flatten().is_some()
}

/// The number of times that the running thread holds a mutex with which it is about to wait.
pub(crate) enum Holds {
    /// The thread does not hold the mutex, which has this type.
    Not(Type),
    /// The thread holds it once, so that a wait can unlock it.
    Once,
    /// The thread holds it more than once.
    Often,
}

/// Returns how often the running thread holds the mutex of this call, with which it is about to wait.
pub(crate) fn held_for_a_wait(call: Call) -> Holds {
    let mutex = call.address();
    let kind = kind(call, mutex, Class::Mutex);
    match with(|runtime| synchronising::held(runtime.graph_mut(), mutex).map(|held| held.1)).flatten() {
        None => Holds::Not(kind),
        Some(1) => Holds::Once,
        Some(_) => Holds::Often,
    }
}

/// Whether the running thread holds a mutex.
fn is_held(mutex: usize) -> bool {
    with(|runtime| synchronising::held(runtime.graph_mut(), mutex).is_some()) == Some(true)
}

/// Locks a mutex, however long it takes.
pub(crate) fn lock(call: Call, class: Class) -> c_int {
    let mutex = call.address();
    match kind(call, mutex, class) {
        Type::Recursive if locks_again(mutex) => return 0,
        Type::ErrorChecking if is_held(mutex) => return libc::EDEADLK,
        _ => {}
    }
    // If the mutex is held, the thread waits.
    let path = if class == Class::SpinLock { calls::SPIN_LOCK } else { calls::MUTEX_LOCK };
    if let Attempt::Held = attempt(call, mutex, (Operation::Lock, Link::Locks), [path; 2]) {
        wait_since(None);
    }
    0
}

/// Locks a mutex if that takes no time.
pub(crate) fn try_lock(call: Call, class: Class) -> c_int {
    let mutex = call.address();
    let kind = kind(call, mutex, class);
    if kind == Type::Recursive && locks_again(mutex) {
        return 0;
    }
    let paths = objects::paths_of_a_try(class);
    match attempt(call, mutex, (Operation::TryLock, Link::None), paths) {
        Attempt::Locked => 0,
        Attempt::Held => libc::EBUSY,
    }
}

/// Locks a mutex, or gives up after some time: if it would take longer, another graph has it at once.
pub(crate) fn timed_lock(call: Call) -> c_int {
    match kind(call, call.address(), Class::Mutex) {
        Type::Recursive if locks_again(call.address()) => return 0,
        Type::ErrorChecking if is_held(call.address()) => return libc::EDEADLK,
        _ => {}
    }
    let patience = Patience::limited();
    let paths = [calls::MUTEX_LOCK, calls::MUTEX_TIME_OUT];
    match (attempt(call, call.address(), (Operation::Lock, Link::None), paths), patience) {
        (Attempt::Locked, _) => 0,
        (Attempt::Held, Patience::Limited) => libc::ETIMEDOUT,
        (Attempt::Held, Patience::Endless(since)) => wait_since(since),
    }
}

/// Unlocks a mutex.
pub(crate) fn unlock(call: Call, class: Class) -> c_int {
    let mutex = call.address();
    let kind = kind(call, mutex, class);
    let left = with(|runtime| {
        runtime.has_effect();
        let held = synchronising::held(runtime.graph_mut(), mutex)?;
        held.1 -= 1;
        Some(held.1)
    });
    match left.flatten() {
        None if kind == Type::Normal => {
            run::misuse(call, &format!("of a {} that this thread does not hold", class.name()), None)
        }
        None => return objects::error(Refusal::NotOwner),
        Some(0) => {}
        Some(_) => return 0,
    }
    let turn = with(|runtime| {
        let graph = runtime.graph_mut();
        graph.run.held.retain(|held| held.0 != mutex);
        let note = Note { site: call.site, operation: Operation::Unlock };
        let path = if class == Class::SpinLock { calls::SPIN_UNLOCK } else { calls::MUTEX_UNLOCK };
        let access = (Access::Store, Written::Value(FREE));
        let recorded =
            synchronising::synchronizing(graph, Thing::Mutex(mutex), (&[path], Some(path)), access, note, mutex);
        accesses::record_object(runtime, recorded).0
    });
    if let Some(turn) = turn {
        turn.obey();
    }
    0
}
