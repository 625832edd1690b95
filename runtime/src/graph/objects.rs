//! Synchronisation objects other than mutexes in execution graphs: a location that holds the number of the object's
//! state, 0 for the state that a static initialiser leaves. An operation is a read-modify-write of it by the engine's
//! state machine ([`engine::sync`]); a thread that has to wait reads the state that it waits to change. So all
//! operations on an object are in one order. What else they order is in [`engine::mapping::calls`].

use std::ffi::c_int;

use engine::event::Thread;
use engine::graph::{Access, Annotations, Internal, Link, Written};
use engine::mapping::Order;
use engine::mapping::calls::{self, Path};
use engine::mapping::graphs::{self, Form};
use engine::sync::barrier::Arrival;
use engine::sync::line::{End, Line};
use engine::sync::machine::{Machine, Wish};
use engine::sync::mutex::Type;
use engine::sync::once::OnceEntry;
use engine::sync::{read_write_lock as rw, semaphore};
use protocol::Operation;

use crate::graph::stops::refuse;
use crate::graph::synchronising::{self, Patience, Stuck, Waited, misuse};
use crate::graph::{accesses, initialisers, lifetimes, mutexes};
use crate::process::sites::RecordPointer;
use crate::run::{self, Runtime, fill, with};
use crate::state::graph::places::Thing;
use crate::state::graph::states::{Futex, ObjectState};
use crate::state::graph::{Graph, Recorded, Spelled};
use crate::state::library::{Common, Library};
use crate::state::objects::{Call, Class, Initial};
use crate::state::operation::Note;
use crate::state::unmodelled::Unmodelled;

/// Returns the state of an object that was not initialised by its `init` function, if it can have one: as the thread
/// finds it that is about to read it.
fn initial(call: Call, class: Class) -> Option<ObjectState> {
    if class == Class::Futex {
        return Some(ObjectState::Futex(Futex::default()));
    }
    let found = with(|runtime| {
        let graph = runtime.graph_mut();
        let address = call.address();
        match graph.next_read()? {
            0 if matches!(class, Class::Semaphore | Class::Barrier) => None,
            0 => initialisers::keeps_state(graph, address, class)
                .and_then(|()| initialisers::initialiser(graph, address, class))
                .transpose(),
            _ => initialisers::keeps_state(graph, address, class).err().map(Err),
        }
    });
    let bytes = match found.flatten()? {
        Ok(bytes) => bytes,
        Err(what) => {
            refuse(what, call.site);
            return None;
        }
    };
    Some(match class.initial(bytes.as_ptr().addr())? {
        Initial::Machine(Machine::Sleepers(_)) => ObjectState::Condition(Line::default()),
        Initial::Machine(machine) => ObjectState::Other(machine),
        Initial::Mutex(_) | Initial::SpinLock | Initial::Nothing => unreachable!("mutexes are elsewhere"),
    })
}

/// The properties that all calls of an operation share.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    class: Class,
    operation: Operation,
    /// The paths that a call may take, one for each outcome.
    paths: &'static [Path],
}

/// Makes the manner of an operation.
pub(crate) const fn manner(class: Class, operation: Operation, paths: &'static [Path]) -> Manner {
    Manner { class, operation, paths }
}

/// Performs an operation, however long it takes. `work` returns the path that it takes.
pub(crate) fn operate<R>(
    call: Call,
    manner: Manner,
    work: impl FnOnce(&mut ObjectState, Thread) -> Result<(Path, R), Stuck>,
) -> R {
    match attempt(call, manner, work) {
        Ok(result) => result,
        Err(Stuck::Misuse(what)) => run::misuse(call, &what, None),
        Err(Stuck::Waits(since)) => synchronising::wait_since(since),
    }
}

/// Performs an operation as [`operate`] does, or returns why it does not go on.
fn attempt<R>(
    call: Call,
    manner: Manner,
    work: impl FnOnce(&mut ObjectState, Thread) -> Result<(Path, R), Stuck>,
) -> Result<R, Stuck> {
    let Manner { class, operation, paths } = manner;
    let initial = initial(call, class);
    let (turn, result) = with(|runtime| {
        let graph = runtime.graph_mut();
        let (written, result) = match graph.next_read() {
            None => (Written::Unknown, None),
            Some(number) => match graph.states.get(number).cloned().or(initial) {
                None => {
                    let what = format!("of a {} that was never initialised", class.name());
                    (Written::Nothing, Some(Err(Stuck::Misuse(what))))
                }
                Some(before) => {
                    let mut state = before.clone();
                    let result = work(&mut state, graph.run.thread);
                    let written =
                        if state == before { Written::Nothing } else { Written::Value(graph.states.number(state)) };
                    (written, Some(result))
                }
            },
        };
        let note = Note { site: call.site, operation };
        let thing = Thing::Object(call.address());
        let access = Access::Update(Internal::Data);
        let taken = result.as_ref().and_then(|result| result.as_ref().ok()).map(|&(path, _)| path);
        let recorded =
            synchronising::synchronizing(graph, thing, (paths, taken), (access, written), note, call.address());
        (accesses::record_object(runtime, recorded).0, result.map(|result| result.map(|(_, result)| result)))
    })
    .expect("there is a runtime");
    turn.obey();
    result.expect("a thread goes on once its read has returned")
}

/// Initialises an object by its `init` function, which may be one of many at this address in turn.
pub(crate) fn initialise(call: Call, initial: Initial) {
    let turn = with(|runtime| {
        let graph = runtime.graph_mut();
        let nth = u32::try_from(graph.run.recorded.len()).expect("fewer than 2^32 accesses");
        let state = match initial {
            Initial::Machine(Machine::Sleepers(_)) => ObjectState::Condition(Line::default()),
            Initial::Machine(Machine::Barrier(barrier)) => ObjectState::Barrier(barrier, (graph.run.thread, nth)),
            Initial::Machine(machine) => ObjectState::Other(machine),
            Initial::Mutex(_) | Initial::SpinLock | Initial::Nothing => unreachable!("mutexes are elsewhere"),
        };
        let written = Written::Value(graph.states.number(state));
        let note = Note { site: call.site, operation: Operation::Initialise };
        let thing = Thing::Object(call.address());
        let access = (Access::Store, written);
        let recorded = synchronising::synchronizing(
            graph,
            thing,
            (&[calls::INITIALISE], Some(calls::INITIALISE)),
            access,
            note,
            call.address(),
        );
        accesses::record_object(runtime, recorded).0
    });
    if let Some(turn) = turn {
        turn.obey();
    }
}

/// Performs `pthread_cond_wait` and its sisters: the thread falls asleep, unlocks the mutex, wakes, locks the mutex. A
/// signal by a thread that has not locked the mutex meanwhile may come before it is unlocked: POSIX asks for no more.
pub(crate) fn wait(call: Call, on_mutex: Call, patience: Patience) -> Result<Waited, c_int> {
    match mutexes::held_for_a_wait(on_mutex) {
        mutexes::Holds::Once => {}
        mutexes::Holds::Not(Type::Normal) => run::misuse(call, "with a mutex that this thread does not hold", None),
        mutexes::Holds::Not(_) => return Err(libc::EPERM),
        mutexes::Holds::Often => refuse(Unmodelled::MutexHeldOften, call.site),
    }
    let mutex = on_mutex.address();
    operate(call, manner(Class::Condition, Operation::Wait, &[calls::SLEEP]), |state, thread| {
        state
            .line()
            .sleep(thread, mutex)
            .map(|()| (calls::SLEEP, ()))
            .map_err(|_| misuse("with another mutex than that of the threads that wait already"))
    });
    let released = mutexes::unlock(on_mutex, Class::Mutex);
    assert_eq!(released, 0, "a mutex that this thread holds");
    let woken = operate(call, manner(Class::Condition, Operation::WakeUp, &[calls::WAKE]), |state, thread| {
        let line = state.line();
        match patience {
            Patience::Endless(since) if !line.can_wake(thread) => Err(Stuck::Waits(since)),
            _ => Ok((calls::WAKE, line.leave(thread))),
        }
    });
    match mutexes::lock(on_mutex, Class::Mutex) {
        0 => Ok(if woken == End::Woken { Waited::Granted } else { Waited::RanOut }),
        error => Err(error),
    }
}

/// Performs `pthread_cond_signal`.
pub(crate) fn signal(call: Call) {
    operate(call, manner(Class::Condition, Operation::Signal, WAKES), |state, _| Ok((wakes(state, Line::signal), ())));
}

/// Performs `pthread_cond_broadcast`.
pub(crate) fn broadcast(call: Call) {
    operate(call, manner(Class::Condition, Operation::Broadcast, WAKES), |state, _| {
        Ok((wakes(state, Line::broadcast), ()))
    });
}

/// The paths of a signal or broadcast.
const WAKES: &[Path] = &[calls::SIGNAL, calls::SIGNAL_NOBODY];

/// Wakes sleeping threads; returns the path, by whether there were any.
fn wakes(state: &mut ObjectState, wake: fn(&mut Line)) -> Path {
    let before = state.clone();
    wake(state.line());
    if *state == before { calls::SIGNAL_NOBODY } else { calls::SIGNAL }
}

/// Performs `sem_wait` and its sisters.
pub(crate) fn take(call: Call, patience: Patience) -> Waited {
    const PATHS: &[Path] = &[calls::SEMAPHORE_WAIT, calls::SEMAPHORE_TIME_OUT];
    operate(call, manner(Class::Semaphore, Operation::SemaphoreWait, PATHS), |state, _| {
        match state.semaphore().take() {
            Ok(()) => Ok((calls::SEMAPHORE_WAIT, Waited::Granted)),
            Err(_) => patience.runs_out().map(|waited| (calls::SEMAPHORE_TIME_OUT, waited)),
        }
    })
}

/// Performs `sem_trywait`.
pub(crate) fn try_take(call: Call) -> Result<(), semaphore::Refusal> {
    const PATHS: &[Path] = &[calls::SEMAPHORE_WAIT, calls::SEMAPHORE_EMPTY];
    operate(call, manner(Class::Semaphore, Operation::SemaphoreTryWait, PATHS), |state, _| {
        let taken = state.semaphore().take();
        Ok((if taken.is_ok() { calls::SEMAPHORE_WAIT } else { calls::SEMAPHORE_EMPTY }, taken))
    })
}

/// Performs `sem_post`.
pub(crate) fn post(call: Call) -> Result<(), semaphore::Refusal> {
    const PATHS: &[Path] = &[calls::SEMAPHORE_POST, calls::SEMAPHORE_FULL];
    operate(call, manner(Class::Semaphore, Operation::Post, PATHS), |state, _| {
        let posted = state.semaphore().post();
        Ok((if posted.is_ok() { calls::SEMAPHORE_POST } else { calls::SEMAPHORE_FULL }, posted))
    })
}

/// Performs `sem_getvalue`.
pub(crate) fn value_of(call: Call) -> u32 {
    operate(call, manner(Class::Semaphore, Operation::GetValue, &[calls::SEMAPHORE_VALUE]), |state, _| {
        Ok((calls::SEMAPHORE_VALUE, state.semaphore().value()))
    })
}

impl Graph {
    /// Whether the running thread holds the read-write lock at this address for writing, which it knows by itself: the
    /// last thing that it did there was to lock it.
    fn writes_under(&self, address: usize) -> bool {
        let changes = |recorded: &&Recorded| {
            recorded.width == 0 && recorded.address == address && recorded.written != Written::Nothing
        };
        let last = self.run.recorded.iter().rfind(changes);
        last.is_some_and(|last| matches!(last.note.operation, Operation::WriteLock | Operation::TryWriteLock))
    }
}

/// Performs `pthread_rwlock_rdlock`, `pthread_rwlock_wrlock` and their sisters, by what they do to the lock. A call
/// that gives up at once and one that gives up later are the same here.
pub(crate) fn hold(
    call: Call,
    operation: Operation,
    patience: Patience,
    acquire: fn(&mut rw::ReadWriteLock, Thread) -> Result<(), rw::Refusal>,
) -> Result<Waited, rw::Refusal> {
    const TRIES: &[Path] = &[calls::RW_LOCK, calls::RW_BUSY];
    const WAITS: &[Path] = &[calls::RW_LOCK, calls::RW_TIME_OUT];
    const REFUSED: &[Path] = &[calls::RW_REFUSED];
    let tries = matches!(operation, Operation::TryReadLock | Operation::TryWriteLock);
    let writes = with(|runtime| runtime.graph_mut().writes_under(call.address())) == Some(true);
    let busy = if tries { calls::RW_BUSY } else { calls::RW_TIME_OUT };
    let paths = match (tries, writes) {
        (true, _) => TRIES,
        (false, false) => WAITS,
        (false, true) => REFUSED,
    };
    operate(call, manner(Class::ReadWriteLock, operation, paths), |state, thread| {
        match acquire(state.read_write_lock(), thread) {
            Ok(()) => Ok((calls::RW_LOCK, Ok(Waited::Granted))),
            Err(rw::Refusal::Busy) => patience.runs_out().map(|waited| (busy, Ok(waited))),
            Err(refusal) => Ok((paths[paths.len() - 1], Err(refusal))),
        }
    })
}

/// Performs `pthread_rwlock_unlock`.
pub(crate) fn release(call: Call) {
    operate(call, manner(Class::ReadWriteLock, Operation::Unlock, &[calls::RW_UNLOCK]), |state, thread| {
        let released = state.read_write_lock().unlock(thread);
        released
            .map(|_| (calls::RW_UNLOCK, ()))
            .map_err(|_| misuse("of a read-write lock that this thread does not hold"))
    });
}

/// Performs `pthread_once` up to the function; returns whether that is to be run.
pub(crate) fn enter_once(call: Call) -> OnceEntry {
    const PATHS: &[Path] = &[calls::ONCE_FIRST, calls::ONCE_DONE];
    operate(call, manner(Class::Once, Operation::OnceEnter, PATHS), |state, thread| {
        let machine = state.machine();
        if !machine.grants(thread, Wish::Once(engine::event::Object(0))) {
            return Err(Stuck::Waits(None));
        }
        let entry = machine.once().expect("objects are used as what they are").enter(thread);
        Ok((if entry == OnceEntry::Runs { calls::ONCE_FIRST } else { calls::ONCE_DONE }, entry))
    })
}

/// Ends the function of `pthread_once`: it has returned, or its thread ends in it.
pub(crate) fn leave_once(call: Call, end: fn(&mut engine::sync::once::Once)) {
    operate(call, manner(Class::Once, Operation::OnceReturn, &[calls::ONCE_RETURN]), |state, _| {
        end(state.machine().once().expect("objects are used as what they are"));
        Ok((calls::ONCE_RETURN, ()))
    });
}

/// Performs `pthread_barrier_wait`: the last thread to arrive stores to a location of the round, which the others read
/// as they leave.
pub(crate) fn cross(call: Call) -> Arrival {
    let arrival = manner(Class::Barrier, Operation::BarrierArrive, &[calls::BARRIER_ARRIVE]);
    let (arrived, round) = operate(call, arrival, |state, thread| {
        let ObjectState::Barrier(barrier, life) = state else { return Err(misuse("of something that is no barrier")) };
        let round = Thing::Round(*life, barrier.rounds());
        Ok((calls::BARRIER_ARRIVE, (barrier.arrive(thread), round)))
    });
    let (access, written, link, operation) = match arrived {
        Arrival::Completes => (Access::Store, Written::Value(1), Link::None, Operation::BarrierComplete),
        Arrival::Waits => (Access::Load, Written::Nothing, Link::Follows, Operation::BarrierLeave),
    };
    let path = if arrived == Arrival::Completes { calls::BARRIER_ARRIVE } else { calls::BARRIER_LEAVE };
    let turn = with(|runtime| {
        let note = Note { site: call.site, operation };
        let mut recorded = synchronising::synchronizing(
            runtime.graph_mut(),
            round,
            (&[path], Some(path)),
            (access, written),
            note,
            call.address(),
        );
        recorded.link = link;
        accesses::record_object(runtime, recorded).0
    });
    if let Some(turn) = turn {
        turn.obey();
    }
    arrived
}

/// Uses a part of the C library's state, which all threads share: `next` returns the state afterwards and the result.
pub(crate) fn change<R>(what: Common, site: RecordPointer, next: impl FnOnce(&mut Library, u64) -> (u64, R)) -> R {
    use_common((what, Internal::Buffered), site, next)
}

/// Advances the clock, and returns what it shows then.
pub(crate) fn advance_clock(site: RecordPointer, next: impl FnOnce(u64) -> u64) -> u64 {
    use_common((Common::Clock, Internal::Apart), site, |_, clock| {
        let clock = next(clock);
        (clock, clock)
    })
}

/// Performs a read-modify-write of a part of the C library's state.
fn use_common<R>(what: (Common, Internal), site: RecordPointer, next: impl FnOnce(&mut Library, u64) -> (u64, R)) -> R {
    let (turn, result) = with(|runtime| {
        let (written, result) = match runtime.graph_mut().next_read() {
            None => (Written::Unknown, None),
            Some(found) => {
                let before = found.cast_unsigned();
                let (after, result) = next(&mut runtime.process.library, before);
                let written = if after == before { Written::Nothing } else { Written::Value(after.cast_signed()) };
                (written, Some(result))
            }
        };
        let recorded = common(runtime.graph_mut(), what, written, Note { site, operation: Operation::Use });
        (accesses::record_object(runtime, recorded).0, result)
    })
    .expect("there is a runtime");
    turn.obey();
    result.expect("a thread goes on once its read has returned")
}

/// Chooses a number below `among`, each of which is tried. A choice reads nothing that anybody writes, so what comes before
/// it is not ordered with what comes after it, though that depends on the choice.
pub(crate) fn choose(among: u16, note: Note) -> u64 {
    let chosen = with(|runtime: &mut Runtime| {
        runtime.has_effect();
        let recorded = choice(runtime.graph_mut(), among, note);
        accesses::record_object(runtime, recorded)
    });
    let Some((turn, value)) = chosen else { return 0 };
    turn.obey();
    value.unwrap_or(0).cast_unsigned()
}

/// Makes the record of a use of the C library's state, which is no fence, and is ordered only among such uses and with what
/// the thread does once it has what it asked for.
fn common(graph: &mut Graph, (what, internal): (Common, Internal), written: Written, note: Note) -> Recorded {
    let location = graph.places.of(Thing::Common(what));
    let (depends, fences) = (graph.depends(), graph.run.fences);
    let access = Access::Update(internal);
    let annotations = graphs::update(graph.model, Order::Relaxed, Form::Pair).annotations;
    let link = Link::None;
    let spelled = Spelled::default();
    Recorded { access, location, written, fences, annotations, link, depends, note, address: 0, width: 0, spelled }
}

/// Makes the record of the number that the running thread chooses next.
fn choice(graph: &mut Graph, among: u16, note: Note) -> Recorded {
    let thing = Thing::Choices(graph.run.thread);
    let location = graph.places.of(thing);
    let (depends, fences) = (graph.depends(), graph.run.fences);
    let link = Link::Chooses(among);
    let (access, written) = (Access::Load, Written::Nothing);
    let annotations = Annotations::NONE;
    let spelled = Spelled::default();
    Recorded { access, location, written, fences, annotations, link, depends, note, address: 0, width: 0, spelled }
}

/// Initialises an object by its `init` function, which puts zeros into its memory.
pub(crate) fn begin_life(call: Call, class: Class, initial: Initial) {
    with(Runtime::has_effect);
    fill(call, class, 0);
    lifetimes::initialises(call, class);
    let kind = match &initial {
        &Initial::Mutex(kind) => Some(kind),
        _ => None,
    };
    if let Some(Err(what)) = with(|runtime| initialisers::makes(runtime.graph_mut(), call.address, class, kind)) {
        refuse(what, call.site);
    }
    if !matches!(class, Class::Mutex | Class::SpinLock) {
        initialise(call, initial);
    }
}
