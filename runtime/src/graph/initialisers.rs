//! The initialisation of synchronisation objects in execution graphs: by their `init` function, or by a static
//! initialiser that the program stores. Each thread is run alone, and memory holds what it held before the program
//! began: so what a thread has stored to the bytes of an object is kept here, and counts for the threads that it
//! creates afterwards. If it is not clear which initialiser an operation finds, the program is refused.

use crate::state::graph::Graph;
use crate::state::graph::initialisers::Stored;
use crate::state::memory::{is_fresh, peek};
use crate::state::objects::{Class, MutexKind, static_type};
use crate::state::unmodelled::Unmodelled;

/// Returns the type of a mutex with these bytes, if an initialiser leaves them.
fn type_in(bytes: Option<&[u8]>) -> Option<MutexKind> {
    bytes.and_then(|bytes| static_type(bytes.as_ptr().addr()))
}

/// Notes that the running thread stores a value to memory.
pub(crate) fn note_store(graph: &mut Graph, address: usize, width: usize, value: u64) {
    let doer = (graph.run.thread, graph.run.created);
    graph.initialisers.store(doer, address, width, value);
}

/// Notes that an object is initialised by its `init` function, with this type if it is a mutex.
///
/// # Errors
///
/// Returns what cannot be modelled: a mutex that has or had another type.
pub(crate) fn makes(
    graph: &mut Graph,
    address: usize,
    class: Class,
    kind: Option<MutexKind>,
) -> Result<(), Unmodelled<'static>> {
    graph.initialisers.make(graph.run.thread, address, class);
    let Some(kind) = kind else { return Ok(()) };
    let found = graph.initialisers.found.get(&address);
    let was_other = found.is_some_and(|bytes| type_in(bytes.as_deref()) != Some(kind));
    if was_other || *graph.initialisers.mutexes.entry(address).or_insert(kind) != kind {
        return Err(Unmodelled::MutexOfOtherType);
    }
    Ok(())
}

/// Returns the type of a mutex; `None` if nothing has initialised it.
///
/// # Errors
///
/// Returns what cannot be modelled: an initialiser that is not clear.
pub(crate) fn type_of(graph: &mut Graph, mutex: usize) -> Result<Option<MutexKind>, Unmodelled<'static>> {
    match graph.initialisers.mutexes.get(&mutex) {
        Some(_) if graph.initialisers.is_overwritten(mutex, Class::Mutex) => Err(Unmodelled::UnclearInitialiser),
        Some(&kind) => Ok(Some(kind)),
        None => Ok(type_in(initialiser(graph, mutex, Class::Mutex)?.as_deref())),
    }
}

/// Checks that nothing has been stored over an object that lives.
///
/// # Errors
///
/// Returns what cannot be modelled: it is not clear which of several initialisers counts.
pub(crate) fn keeps_state(graph: &Graph, address: usize, class: Class) -> Result<(), Unmodelled<'static>> {
    let again = |byte| graph.initialisers.stored(byte).is_some_and(|stored| stored.again);
    let is_stored_again = class == Class::Once && (address..address + class.size()).any(again);
    if is_stored_again || graph.initialisers.is_overwritten(address, class) {
        Err(Unmodelled::UnclearInitialiser)
    } else {
        Ok(())
    }
}

/// Returns the bytes of an object that no `init` function made, as the running thread finds them; `None` if nothing has
/// been stored to fresh memory.
///
/// # Errors
///
/// Returns what cannot be modelled: an initialiser that may not be what the thread finds.
pub(crate) fn initialiser(
    graph: &mut Graph,
    address: usize,
    class: Class,
) -> Result<Option<Vec<u8>>, Unmodelled<'static>> {
    let bytes = bytes(graph, address, class.size())?;
    let known = graph.initialisers.found.entry(address).or_insert_with(|| bytes.clone());
    if *known == bytes { Ok(bytes) } else { Err(Unmodelled::UnclearInitialiser) }
}

/// Returns these bytes as the running thread finds them.
fn bytes(graph: &Graph, address: usize, size: usize) -> Result<Option<Vec<u8>>, Unmodelled<'static>> {
    let stored = |at| graph.initialisers.stored(at);
    let object = address..address + size;
    let count = object.clone().filter(|&at| stored(at).is_some()).count();
    if count == 0 && is_fresh(address) {
        return Ok(None);
    }
    if count > 0 && count < size && is_fresh(address) {
        return Err(Unmodelled::UnclearInitialiser);
    }
    let byte = |at: usize| match stored(at) {
        None => Ok(peek(at, 1).to_le_bytes()[0]),
        Some(stored) if finds(graph, stored) => Ok(stored.value),
        Some(_) => Err(Unmodelled::UnclearInitialiser),
    };
    object.map(byte).collect::<Result<Vec<u8>, _>>().map(Some)
}

/// Whether the running thread finds the stored byte: it has stored it itself, or was created afterwards.
fn finds(graph: &Graph, stored: &Stored) -> bool {
    let created_then = || {
        let [doer, own] = [stored.thread, graph.run.thread].map(|thread| graph.paths[thread.index()].as_slice());
        own.strip_prefix(doer).and_then(|path| path.first()).is_some_and(|&nth| nth >= stored.created)
    };
    stored.is_one && (stored.thread == graph.run.thread || created_then())
}
