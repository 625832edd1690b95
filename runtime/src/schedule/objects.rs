//! The synchronisation objects of the program, under the scheduler. Their state is the engine's ([`engine::sync`]);
//! which object is meant, and whether it is one, is known here: by its address and by the class that the call takes it
//! for. The same address has the same number in every execution.
//!
//! An object is initialised by its `init` function, or by its first use if its memory holds what a static initialiser
//! puts there. Initialisation and destruction are events, since others can come between. From its `destroy` function
//! on, its memory holds [`DEAD`], until the program initialises it again.

use std::ops::Range;

use engine::event::{Kind, Object, Thread};
use engine::execution::Pending;
use engine::mapping::calls::Path;
use engine::sync::machine::{Machine, Wish};
use engine::sync::mutex::{Mutex, Type};
use engine::sync::semaphore::Semaphore;
use protocol::{Operation, Role};

use crate::graph::stops;
use crate::process::layout;
use crate::process::sites::RecordPointer;
use crate::run::{self, Runtime, end_execution, fill, with};
use crate::schedule::turns::turn;
use crate::schedule::{commits, events, steps, timed, waits};
use crate::state::failure::{Failure, bytes, site_use};
use crate::state::objects::{Call, Class, DEAD, Initial, Known, Life, Use, prefers_writers};
use crate::state::operation::Note;
use crate::state::turn::End;
use crate::state::turn::Turn;
use crate::state::unmodelled::Unmodelled;

/// The event that a call has performed.
#[derive(Clone, Copy)]
pub(crate) struct Done {
    kind: Kind,
    path: Path,
    operation: Operation,
    /// The object whose word was accessed, if that is what orders it with others.
    pub(crate) word: Option<Object>,
}

impl Done {
    /// Makes the record of an operation by this path. An operation that drains nothing has only read the object.
    pub(crate) const fn by(path: Path, kind: Kind, operation: Operation) -> Self {
        let kind = match kind {
            Kind::Lock(object) | Kind::Wait { mutex: object, .. } if !path.effect.drains() => Kind::Share(object),
            kind => kind,
        };
        Self { kind, path, operation, word: None }
    }

    /// Makes the record of an access to the word of an object, which may wait in a store buffer.
    pub(crate) const fn at_word(path: Path, kind: Kind, object: Object, operation: Operation) -> Self {
        Self { kind, path, operation, word: Some(object) }
    }

    /// Returns the objects that the call has operated on.
    pub(crate) const fn objects(&self) -> [Option<Object>; 2] {
        match self.kind {
            _ if self.word.is_some() => [self.word, None],
            Kind::Lock(object) | Kind::Share(object) => [Some(object), None],
            Kind::Wait { condition, mutex } => [Some(condition), Some(mutex)],
            _ => [None, None],
        }
    }
}

/// Returns the object that a thread only leaves by what it waits for: a thread that wakes up needs its condition
/// variable no more, and one that passes a barrier not the barrier.
pub(crate) const fn left_by(pending: Pending) -> Option<Object> {
    match pending {
        Pending::Wait(Wish::Wake { sleepers: object, .. } | Wish::Cross(object), _) => Some(object),
        _ => None,
    }
}

/// Returns the number of an object that is no memory of the program.
pub(crate) fn unnamed(class: Class, key: usize) -> Option<Object> {
    with(|runtime| runtime.objects.number(class, key))
}

/// Ends the execution unless the running thread may access all these bytes, for operations on objects that are more
/// than an access.
pub(crate) fn require(object: Range<usize>, operation: Operation, site: RecordPointer) {
    if object.is_empty() {
        return;
    }
    let failure = with(|runtime| {
        let refusal = runtime.memory.refusal(&object)?;
        let at = site_use(Role::At, runtime.running, site, operation);
        let message = format!("{operation} of an object of {} {}", bytes(object.len()), refusal.what);
        Some(Failure::new(refusal.kind, message, [vec![at], refusal.others].concat()))
    });
    if let Some(Some(failure)) = failure {
        end_execution(End::Failed(failure));
    }
}

/// Returns the call as a use of an object by the running thread.
fn as_use(call: Call) -> Use {
    let thread = with(|runtime| runtime.running).unwrap_or(Thread::MAIN);
    Use { thread, site: call.site, operation: call.operation() }
}

/// Returns the object of a call, and initialises it if this is its first use in the execution; `None` if the program is
/// not under control yet.
pub(crate) fn object(call: Call, class: Class) -> Option<Object> {
    let (object, life, last) = with(|runtime| {
        let object = runtime.objects.number(class, call.address);
        let known = runtime.objects.at(object);
        (object, known.life, known.last)
    })?;
    if matches!(life, Life::Alive | Life::Expected) {
        return Some(object);
    }
    require_living(call, class);
    let Some(initial) = class.initial(call.address) else {
        return awaits_life(call, class, object, last);
    };
    with(|runtime| gives_state(runtime, object, initial, Life::Expected, None));
    Some(object)
}

/// Waits for the thread's turn, when an object that is none now may have become one, and returns it; ends the execution
/// if it has not.
fn awaits_life(call: Call, class: Class, object: Object, last: Option<Use>) -> Option<Object> {
    if class == Class::ReadWriteLock && prefers_writers(call.address) {
        run::unsupported("PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP", call.site);
    }
    let name = class.name();
    turn(Pending::Access, call.site);
    note(call, class, Operation::Destroy);
    match with(|runtime| runtime.objects.at(object).life)? {
        Life::Alive | Life::Expected => Some(object),
        Life::Dead => run::misuse(call, &format!("of a {name} that has been destroyed"), last),
        Life::Unknown | Life::Gone => run::misuse(call, &format!("of a {name} that was never initialised"), None),
    }
}

/// Refuses an object in memory that may not be accessed, once the turn of the thread has come.
fn require_living(call: Call, class: Class) {
    if is_forbidden(call, class) {
        turn(Pending::Access, call.site);
        require_now(call, class);
    }
}

/// Refuses an object in memory that may not be accessed, for a thread whose turn it is already.
fn require_now(call: Call, class: Class) {
    if is_forbidden(call, class) {
        note(call, class, Operation::Destroy);
        require(memory(call, class), call.operation(), call.site);
    }
}

/// Returns the memory of the object of a call.
fn memory(call: Call, class: Class) -> Range<usize> {
    call.address..call.address + class.size()
}

/// Whether the memory of the object of a call may not be accessed.
fn is_forbidden(call: Call, class: Class) -> bool {
    let memory = memory(call, class);
    with(|runtime| !memory.is_empty() && runtime.memory.is_forbidden(&memory)) == Some(true)
}

/// Initialises an object by its `init` function, which puts zeros into its memory.
pub(crate) fn initialise(call: Call, class: Class, initial: Initial) {
    with(|runtime| steps::awaits_bytes(runtime, memory(call, class)));
    turn(Pending::Access, call.site);
    require_now(call, class);
    let before = with(|runtime| {
        let object = runtime.objects.number(class, call.address);
        let (life, last) = (runtime.objects.at(object).life, runtime.objects.at(object).last);
        // A local variable that comes and goes need not be destroyed for its memory to be another one's.
        let stays = !layout::is_stack(call.address) || has_sleepers(runtime, object);
        (life == Life::Alive && stays).then_some(last)
    });
    if let Some(Some(last)) = before {
        note(call, class, Operation::Initialise);
        run::misuse(call, &format!("of a {} that is initialised already", class.name()), last);
    }
    fill(call, class, 0);
    let first = as_use(call);
    with(|runtime| {
        runtime.has_effect();
        let object = runtime.objects.number(class, call.address);
        gives_state(runtime, object, initial, Life::Alive, Some(first));
    });
    // A thread that waits for the object waits for what it is now.
    note(call, class, Operation::Initialise);
}

/// Destroys an object by its `destroy` function. A thread that stands before an operation on it by then comes too late.
pub(crate) fn destroy(call: Call, class: Class) {
    with(|runtime| match class {
        Class::SpinLock => steps::awaits_all(runtime),
        _ => steps::awaits_bytes(runtime, memory(call, class)),
    });
    turn(Pending::Access, call.site);
    require_now(call, class);
    if class == Class::SpinLock {
        // The thread's own release of the lock may still wait.
        let turn = with(|runtime| commits::drain(runtime, runtime.running));
        turn.unwrap_or(Turn::Ours).obey();
    }
    let Some(refusal) = with(|runtime| is_indestructible(runtime, class, call.address)) else { return };
    if let Some((why, last)) = refusal {
        note(call, class, Operation::Destroy);
        run::misuse(call, &format!("of a {} that {why}", class.name()), last);
    }
    fill(call, class, DEAD);
    let last = as_use(call);
    with(|runtime| {
        runtime.has_effect();
        let object = runtime.objects.number(class, call.address);
        if let (Class::Semaphore, Some(semaphore)) = (class, Semaphore::new(1)) {
            // A thread that waits for it finds that it is no more.
            runtime.execution.state.set_object(object, Machine::Semaphore(semaphore));
        }
        let known = runtime.objects.at(object);
        (known.life, known.last) = (Life::Dead, Some(last));
    });
    note(call, class, Operation::Destroy);
}

/// Reports that the call, whose turn it is, concerns whoever operates on the object.
fn note(call: Call, class: Class, operation: Operation) {
    let note = Note { site: call.site, operation };
    let turn = with(|runtime| {
        let object = runtime.objects.number(class, call.address);
        events::steps_on(runtime, object, note, call.address)
    });
    if let Some(turn) = turn {
        turn.obey();
    }
}

/// Waits for the thread's turn, operates on objects, and reports what `work` says was done as one event.
pub(crate) fn event<R>(call: Call, pending: Pending, work: impl FnOnce(&mut Runtime) -> (Done, R)) -> Option<R> {
    wait(call, pending);
    let (done, result) = with(work)?;
    let Done { kind, path, operation, .. } = done;
    let objects = done.objects();
    let left = left_by(pending);
    for object in objects.into_iter().flatten() {
        // The object's destruction waits for threads that only leave it, and may be followed by a free.
        let life = with(|runtime| runtime.objects.at(object).life);
        if left != Some(object) || !matches!(life, Some(Life::Dead | Life::Gone)) {
            require_memory_of(call, object, kind, operation);
        }
    }
    for object in objects.into_iter().flatten().filter(|&object| left != Some(object)) {
        refuse_dead(call, object, kind, operation);
    }
    let turn = with(|runtime| {
        let used = Some(Use { thread: runtime.running, site: call.site, operation });
        for object in objects.into_iter().flatten() {
            let known = runtime.objects.at(object);
            known.last = used;
            if known.life == Life::Expected {
                known.life = Life::Alive;
            }
        }
        let before = path.effect.before();
        match (done.word, kind) {
            (Some(object), _) => {
                let note = Note { site: call.site, operation };
                events::word_event(runtime, kind, object, path.effect, note, call.address)
            }
            // What mutexes look like to threads, and their changes, are noted elsewhere.
            (None, Kind::Lock(object) | Kind::Share(object))
                if runtime.execution.state.objects.mutex(object).is_some() =>
            {
                events::unlasting(runtime, kind, before, operation, call.site, call.address)
            }
            (None, Kind::Lock(object) | Kind::Share(object)) if operation.looks_only() => {
                waits::looks_at(runtime, object);
                events::unlasting(runtime, kind, before, operation, call.site, call.address)
            }
            (None, _) => events::no_access(runtime, kind, before, operation, call.site, call.address),
        }
    })?;
    turn.obey();
    Some(result)
}

/// Ends the execution if another thread has freed the object while this one waited for its turn.
fn require_memory_of(call: Call, object: Object, kind: Kind, operation: Operation) {
    let memory = with(|runtime| {
        let memory = runtime.objects.memory(object);
        if !memory.is_empty() && runtime.memory.is_forbidden(&memory) {
            events::note_refused_operation(runtime, kind, Note { site: call.site, operation }, call.address);
        }
        memory
    });
    require(memory.unwrap_or_default(), call.operation(), call.site);
}

/// Ends the execution if the object was destroyed while the thread waited for its turn.
fn refuse_dead(call: Call, object: Object, kind: Kind, operation: Operation) {
    let dead = with(|runtime| {
        let Known { class, life, last, .. } = runtime.objects.known[object.index()];
        (life == Life::Dead).then(|| {
            events::note_refused_operation(runtime, kind, Note { site: call.site, operation }, call.address);
            (class, last)
        })
    });
    if let Some(Some((class, last))) = dead {
        run::misuse(call, &format!("of a {} that has been destroyed", class.name()), last);
    }
}

/// Waits for the thread's turn before its operation.
pub(crate) fn wait(call: Call, pending: Pending) {
    if with(|runtime| runtime.graph.is_some()) == Some(true) {
        stops::refuse(Unmodelled::Call(call.name), call.site);
    }
    if matches!(pending, Pending::Wait(..)) {
        with(timed::before_a_wait);
    }
    if let Some(turn) = with(|runtime| steps::stands_before_call(runtime, call, pending)) {
        turn.obey();
    }
    turn(pending, call.site);
    if matches!(pending, Pending::Wait(..)) {
        with(timed::after_a_wait);
    }
}

/// Sets the initial state of the object, and notes how far its life has come.
pub(crate) fn gives_state(runtime: &mut Runtime, object: Object, initial: Initial, life: Life, first: Option<Use>) {
    match initial {
        Initial::Mutex(kind) => {
            let mutex = Mutex::new(kind.kind).with(kind.robustness);
            runtime.execution.state.set_object(object, Machine::Mutex(mutex));
        }
        Initial::SpinLock => runtime.execution.state.set_object(object, Machine::Mutex(Mutex::new(Type::Normal))),
        Initial::Machine(machine) => runtime.execution.state.set_object(object, machine),
        Initial::Nothing => {}
    }
    let known = runtime.objects.at(object);
    (known.life, known.last) = (life, first);
}

/// Returns the last operation on the object.
pub(crate) fn last_use(runtime: &Runtime, object: Object) -> Option<Use> {
    runtime.objects.known[object.index()].last
}

/// Whether some thread holds the object.
fn is_held(runtime: &Runtime, object: Object) -> bool {
    match runtime.execution.state.objects.get(object) {
        Some(Machine::ReadWriteLock(lock)) => !lock.is_free(),
        Some(Machine::Barrier(barrier)) => !barrier.waiting().is_empty(),
        _ => runtime.execution.state.objects.mutex(object).is_some_and(|mutex| mutex.destroy().is_err()),
    }
}

/// Returns the reason why the object cannot be destroyed, if it cannot, and the last operation on it.
pub(crate) fn is_indestructible(
    runtime: &mut Runtime,
    class: Class,
    address: usize,
) -> Option<(&'static str, Option<Use>)> {
    let object = runtime.objects.number(class, address);
    let (life, last) = (runtime.objects.at(object).life, runtime.objects.at(object).last);
    match life {
        Life::Dead => return Some(("has been destroyed", last)),
        Life::Unknown | Life::Gone if class.initial(address).is_none() => {
            return Some(("was never initialised", None));
        }
        Life::Unknown | Life::Gone | Life::Expected => return None,
        Life::Alive => {}
    }
    (is_held(runtime, object) || has_sleepers(runtime, object)).then_some((class.state_in_use(), last))
}

/// Whether a thread sleeps on the object; one that stands before an operation on it has done nothing to it yet.
pub(crate) fn has_sleepers(runtime: &Runtime, object: Object) -> bool {
    // Threads that are awake already need it no more.
    matches!(runtime.execution.state.objects.get(object), Some(Machine::Sleepers(sleepers)) if !sleepers.asleep().is_empty())
}
