//! Mutexes in execution graphs: a location that holds 0 or the number of the owner plus 1. To lock is a read-modify-write
//! that writes if it reads 0, and else waits; to unlock is a store. What orders them says [`engine::mapping::calls`].

use std::ffi::c_int;

use engine::graph::{Access, Internal, Link, Reached, Value, Written};
use engine::mapping::calls::{self, Path};
use engine::mapping::graphs::{self, Around};
use engine::mapping::power::Synchronizes;
use engine::model::MemoryModel;
use engine::sync::mutex::{Refusal, Robustness, Type};
use protocol::Operation;

use super::objects::Patience;
use super::places::Thing;
use super::{Graph, Recorded, Stop, park};
use crate::run::with;
use crate::schedule::mutexes;
use crate::schedule::objects::{Call, Class};
use crate::state::recorder::Note;

impl Graph {
    fn held(&mut self, mutex: usize) -> Option<&mut (usize, u32)> {
        self.run.held.iter_mut().find(|held| held.0 == mutex)
    }

    fn owner(&self) -> Value {
        Value::from(self.run.thread.0) + 1
    }

    /// What orders an access by which threads synchronise: the path that was taken, or, of one that is not known yet,
    /// what stands before it on each of the paths that there are. On POWER that is what stands before the first one.
    fn around(&self, access: Access, paths: &[Path], taken: Option<Path>) -> Around {
        let of = |path: &Path| graphs::call(self.model, access, path.effect);
        let drains = paths.iter().all(|path| path.effect.drains());
        match taken {
            taken if self.model == MemoryModel::Power => {
                let first = of(&paths[0]);
                Around { before: first.before, ..taken.map_or(first, |path| of(&path)) }
            }
            Some(path) => of(&path),
            None if drains => graphs::locked(),
            None => Around::default(),
        }
    }

    /// An access by which threads synchronise, on one of these paths, at the location of what is no memory.
    pub(super) fn synchronizing(
        &mut self,
        thing: Thing,
        (paths, taken): (&[Path], Option<Path>),
        (access, written): (Access, Written),
        note: Note,
        address: usize,
    ) -> Recorded {
        let location = self.places.of(thing);
        let Around { before, after, synchronizes } = self.around(access, paths, taken);
        let depends = self.depends();
        if synchronizes == Synchronizes::Yes {
            self.synchronize();
        } else if access.reads() {
            self.branch();
        }
        self.run.fences += before;
        let fences = self.run.fences;
        self.run.fences += after;
        Recorded { access, location, written, fences, link: Link::None, depends, note, address, width: 0 }
    }
}

/// The type of a mutex that lives.
fn kind(call: Call, mutex: usize, class: Class) -> Type {
    if class == Class::SpinLock {
        return Type::Normal;
    }
    let found = with(|runtime| runtime.graph_mut().type_of(mutex)).expect("there is a runtime");
    let kind = found.unwrap_or_else(|what| {
        super::refuse(what, call.site);
        None
    });
    let Some(kind) = kind else { call.misuse("of a mutex that was never initialised", None) };
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

fn attempt(call: Call, mutex: usize, operation: Operation, paths: [Path; 2]) -> Attempt {
    let attempted = with(|runtime| {
        let graph = runtime.graph_mut();
        let found = graph.next_read();
        let [locks, finds_it_held] = paths;
        let (written, taken) = match found {
            None => (Written::Unknown, None),
            Some(0) => (Written::Value(graph.owner()), Some(locks)),
            Some(_) => (Written::Nothing, Some(finds_it_held)),
        };
        let note = Note { site: call.site, operation };
        let access = Access::Update(Internal::Control);
        let recorded = graph.synchronizing(Thing::Mutex(mutex), (&paths, taken), (access, written), note, mutex);
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

/// How often the running thread holds a mutex with which it is about to wait.
pub(super) enum Holds {
    Not(Type),
    Once,
    Often,
}

pub(super) fn held_for_a_wait(call: Call) -> Holds {
    let mutex = call.address();
    let kind = kind(call, mutex, Class::Mutex);
    match with(|runtime| runtime.graph_mut().held(mutex).map(|held| held.1)).flatten() {
        None => Holds::Not(kind),
        Some(1) => Holds::Once,
        Some(_) => Holds::Often,
    }
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
    // Where it is held, the thread waits.
    let path = if class == Class::SpinLock { calls::SPIN_LOCK } else { calls::MUTEX_LOCK };
    if let Attempt::Held = attempt(call, mutex, Operation::Lock, [path; 2]) {
        wait_since(None);
    }
    0
}

/// The running thread waits for ever, or for other reads than since this access, or the last one.
pub(super) fn wait_since(since: Option<usize>) -> ! {
    let last = with(|runtime| runtime.graph_mut().run.recorded.len() - 1).unwrap_or(0);
    park(Stop::Reached(Reached::Waits { since: since.unwrap_or(last) as u16 }))
}

/// Acquires a mutex if that takes no time.
pub(crate) fn try_lock(call: Call, class: Class) -> c_int {
    let mutex = call.address();
    let kind = kind(call, mutex, class);
    if kind == Type::Recursive && locks_again(mutex) {
        return 0;
    }
    let paths = mutexes::paths_of_a_try(class);
    match attempt(call, mutex, Operation::TryLock, paths) {
        Attempt::Locked => 0,
        Attempt::Held => libc::EBUSY,
    }
}

/// Acquires a mutex, or gives up after some time: where it would take longer, another graph has it at once.
pub(crate) fn timed_lock(call: Call) -> c_int {
    match kind(call, call.address(), Class::Mutex) {
        Type::Recursive if locks_again(call.address()) => return 0,
        Type::ErrorChecking if is_held(call.address()) => return libc::EDEADLK,
        _ => {}
    }
    let patience = Patience::limited();
    let paths = [calls::MUTEX_LOCK, calls::MUTEX_TIME_OUT];
    match (attempt(call, call.address(), Operation::Lock, paths), patience) {
        (Attempt::Locked, _) => 0,
        (Attempt::Held, Patience::Limited) => libc::ETIMEDOUT,
        (Attempt::Held, Patience::Endless(since)) => wait_since(since),
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
        let path = if class == Class::SpinLock { calls::SPIN_UNLOCK } else { calls::MUTEX_UNLOCK };
        let access = (Access::Store, Written::Value(0));
        let recorded = graph.synchronizing(Thing::Mutex(mutex), (&[path], Some(path)), access, note, mutex);
        runtime.record_object(recorded).0
    });
    if let Some(turn) = turn {
        turn.obey();
    }
    0
}
