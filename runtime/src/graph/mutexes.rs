//! Mutexes in execution graphs: a location that holds 0 or the number of the owner plus 1. To lock is a read-modify-write
//! that writes if it reads 0, and else waits; to unlock is a store. The design's table says what orders them: on POWER
//! acquire and release, elsewhere full fences.

use std::ffi::c_int;

use engine::graph::{Access, Internal, Link, Reached, Value, Written};
use engine::mapping::Order;
use engine::mapping::graphs::{self, Around};
use engine::mapping::power::Synchronizes;
use engine::model::MemoryModel;
use engine::sync::mutex::{Refusal, Robustness, Type};

use super::places::Thing;
use super::{Graph, Recorded, Stop, park};
use crate::mutexes::{self, static_type};
use crate::objects::{Call, Class};
use crate::recorder::{Note, Operation};
use crate::runtime::with;

impl Graph {
    fn held(&mut self, mutex: usize) -> Option<&mut (usize, u32)> {
        self.run.held.iter_mut().find(|held| held.0 == mutex)
    }

    fn owner(&self) -> Value {
        Value::from(self.run.thread.0) + 1
    }

    fn on_mutex(&mut self, mutex: usize, access: Access, written: Written, note: Note) -> Recorded {
        let location = self.places.of(Thing::Mutex(mutex));
        let around = match (self.model, access) {
            (MemoryModel::Power, Access::Store) => graphs::store(self.model, Order::Release),
            (MemoryModel::Power, _) => graphs::update(self.model, Order::Acquire),
            _ => graphs::locked(),
        };
        let Around { before, after, synchronizes } = around;
        let depends = self.depends();
        if synchronizes == Synchronizes::Yes {
            self.synchronize();
        }
        self.run.fences += before;
        let fences = self.run.fences;
        self.run.fences += after;
        Recorded { access, location, written, fences, link: Link::None, depends, note, address: mutex, width: 0 }
    }
}

/// The type of a mutex that lives.
fn kind(call: Call, mutex: usize, class: Class) -> Type {
    if class == Class::SpinLock {
        return Type::Normal;
    }
    let Some(kind) = static_type(mutex) else { call.misuse("of a mutex that was never initialised", None) };
    if kind.robustness == Robustness::Robust {
        super::refuse("a robust mutex", call.site);
    }
    kind.kind
}

/// What comes of an attempt to lock.
enum Attempt {
    /// The mutex is this thread's now.
    Locked,
    /// It is another one's, or, of a mutex that is no recursive one, this thread's own.
    Held,
}

fn attempt(call: Call, mutex: usize, operation: Operation) -> Attempt {
    let attempted = with(|runtime| {
        let graph = runtime.graph_mut();
        let found = graph.next_read();
        let written = match found {
            None => Written::Unknown,
            Some(0) => Written::Value(graph.owner()),
            Some(_) => Written::Nothing,
        };
        let note = Note { site: call.site, operation };
        let recorded = graph.on_mutex(mutex, Access::Update(Internal::Control), written, note);
        if written == Written::Value(graph.owner()) {
            graph.run.held.push((mutex, 1));
        }
        runtime.record_object(recorded)
    });
    let Some((turn, found)) = attempted else { return Attempt::Locked };
    turn.obey();
    if found == Some(0) { Attempt::Locked } else { Attempt::Held }
}

/// A recursive mutex that is held already is held once more.
fn locks_again(mutex: usize) -> bool {
    let again = with(|runtime| {
        runtime.has_effect();
        let held = runtime.graph_mut().held(mutex)?;
        held.1 += 1;
        Some(())
    });
    again.flatten().is_some()
}

fn is_held(mutex: usize) -> bool {
    with(|runtime| runtime.graph_mut().held(mutex).is_some()) == Some(true)
}

/// Acquires a mutex, however long it takes.
pub(crate) fn lock(call: Call, class: Class) -> c_int {
    let mutex = call.address();
    match kind(call, mutex, class) {
        Type::Recursive if locks_again(mutex) => return 0,
        Type::ErrorChecking if is_held(mutex) => return libc::EDEADLK,
        _ => {}
    }
    if let Attempt::Held = attempt(call, mutex, Operation::Lock) {
        let since = with(|runtime| runtime.graph_mut().run.recorded.len() - 1).unwrap_or(0);
        park(Stop::Reached(Reached::Waits { since: since as u16 }));
    }
    0
}

/// Acquires a mutex if that takes no time.
pub(crate) fn try_lock(call: Call, class: Class) -> c_int {
    let mutex = call.address();
    if kind(call, mutex, class) == Type::Recursive && locks_again(mutex) {
        return 0;
    }
    match attempt(call, mutex, Operation::TryLock) {
        Attempt::Locked => 0,
        Attempt::Held => libc::EBUSY,
    }
}

/// Releases a mutex.
pub(crate) fn unlock(call: Call, class: Class) -> c_int {
    let mutex = call.address();
    let kind = kind(call, mutex, class);
    let left = with(|runtime| {
        runtime.has_effect();
        let held = runtime.graph_mut().held(mutex)?;
        held.1 -= 1;
        Some(held.1)
    });
    match left.flatten() {
        None if kind == Type::Normal => {
            call.misuse(&format!("of a {} that this thread does not hold", class.name()), None)
        }
        None => return mutexes::error(Refusal::NotOwner),
        Some(0) => {}
        Some(_) => return 0,
    }
    let turn = with(|runtime| {
        let graph = runtime.graph_mut();
        graph.run.held.retain(|held| held.0 != mutex);
        let note = Note { site: call.site, operation: Operation::Unlock };
        let recorded = graph.on_mutex(mutex, Access::Store, Written::Value(0), note);
        runtime.record_object(recorded).0
    });
    if let Some(turn) = turn {
        turn.obey();
    }
    0
}
