//! Threads in execution graphs. The creation of a thread is a store, which the thread's first access, a load, reads;
//! its end is a store, its last access, which a join reads. Fences order what comes before a creation before all of the
//! new thread, and all of a thread before what comes after the join: on POWER, ARM and RISC-V nothing else is ordered
//! by them. Under C11 both synchronise.

use std::ffi::c_int;

use engine::event::Thread;
use engine::graph::{Access, Annotations, Link, Reached, Value, Written};
use engine::mapping::Order;
use engine::mapping::machines::c11;
use engine::model::MemoryModel;
use protocol::Operation;

use crate::graph::accesses;
use crate::graph::stops::park;
use crate::process::sites::RecordPointer;
use crate::run::{self, Runtime, unsupported, with};
use crate::state::graph::places::Thing;
use crate::state::graph::{Graph, Recorded, Spelled, Stop};
use crate::state::keys::{self, Destructor, Key};
use crate::state::objects::Call;
use crate::state::operation::Note;
use crate::state::threads::{Start, handle};

/// The side of a creation or join that is ordered with the other thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// What comes before the creation, or the thread before its end.
    Before,
    /// What comes after the join, or the thread after its beginning.
    After,
}

/// Performs an access by which threads meet, and returns the value that it reads, if it does.
fn meet(thing: Thing, link: Link, side: Side, written: Written, note: Note) -> Option<Value> {
    let (turn, value) = with(|runtime| {
        let recorded = meeting(runtime.graph_mut(), thing, link, side, written, note);
        accesses::record_object(runtime, recorded)
    })?;
    turn.obey();
    value
}

/// Ends the running thread with this result.
pub(crate) fn end(thread: Thread, result: usize) -> ! {
    let site = with(|runtime| runtime.threads.stands_at(thread)).unwrap_or(std::ptr::null());
    let written = Written::Value((result as u64).cast_signed());
    let note = Note { site, operation: Operation::End };
    meet(Thing::End(thread), Link::None, Side::Before, written, note);
    park(Stop::Reached(Reached::End))
}

/// Joins a thread, and returns its result.
pub(crate) fn join(call: Call, name: usize) -> Result<usize, c_int> {
    let known = with(|runtime| {
        let graph = runtime.graph_mut();
        let child = name.checked_sub(handle(Thread::MAIN)).filter(|&index| index < graph.paths.len());
        (child.map(Thread::from_index), graph.run.thread)
    });
    let Some((Some(child), running)) = known else { run::misuse(call, "of something that is no thread", None) };
    if child == running {
        return Err(libc::EDEADLK);
    }
    let note = Note { site: call.site, operation: Operation::Join(child) };
    let result = meet(Thing::End(child), Link::Follows, Side::After, Written::Nothing, note);
    with(|runtime| {
        let graph = runtime.graph_mut();
        graph.run.joined += 1;
        // A thread's creator has joined no more threads than it has created: each once, as far as it alone can know.
        let is_own = graph.children.iter().any(|(&(parent, _), &one)| one == child && parent == running);
        graph.ends |= !is_own || joins(graph, child) > 1;
    });
    Ok(result.unwrap_or_default().cast_unsigned() as usize)
}

/// Returns the next thread that the running one creates; `None` if there are too many.
fn child(graph: &mut Graph) -> Option<Thread> {
    let (parent, nth) = (graph.run.thread, graph.run.created);
    graph.run.created += 1;
    if let Some(&child) = graph.children.get(&(parent, nth)) {
        return Some(child);
    }
    if graph.paths.len() == Thread::LIMIT {
        return None;
    }
    let child = Thread::from_index(graph.paths.len());
    let path = [graph.paths[parent.index()].as_slice(), &[nth]].concat();
    graph.paths.push(path);
    graph.children.insert((parent, nth), child);
    Some(child)
}

/// Returns how often the running thread has joined a thread.
fn joins(graph: &Graph, child: Thread) -> usize {
    let joins = |recorded: &&Recorded| matches!(recorded.note.operation, Operation::Join(other) if other == child);
    graph.run.recorded.iter().filter(joins).count()
}

/// Returns the number of a function and its argument.
fn origin(graph: &mut Graph, start: Start) -> u32 {
    let known = graph.origins.iter().position(|other| other.key() == start.key());
    let index = known.unwrap_or_else(|| {
        graph.origins.push(start);
        graph.origins.len() - 1
    });
    u32::try_from(index + 1).expect("fewer than 2^32 functions and arguments")
}

/// Makes the record of the access by which threads meet, at the running thread's end of it.
fn meeting(graph: &mut Graph, thing: Thing, link: Link, side: Side, written: Written, note: Note) -> Recorded {
    let location = graph.places.of(thing);
    let access = if link == Link::Follows { Access::Load } else { Access::Store };
    let mut fences = graph.run.fences;
    let mut annotations = Annotations::NONE;
    match graph.model {
        MemoryModel::Power | MemoryModel::Armv8 | MemoryModel::Riscv => match side {
            Side::Before => fences.full += 1,
            Side::After => fences.full -= 1,
        },
        MemoryModel::C11 => annotations = c11::access(access, Order::AcquireRelease),
        MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso => {
            fences.full += 1;
            graph.run.fences.full += 2;
        }
    }
    let depends = graph.depends();
    let spelled = Spelled::default();
    Recorded { access, location, written, fences, annotations, link, depends, note, address: 0, width: 0, spelled }
}

/// Begins a thread, and returns what it runs; `None` for main.
pub(crate) fn begins(thread: Thread) -> Option<Start> {
    let start = with(|runtime| {
        let graph = runtime.graph_mut();
        graph.run.origin.checked_sub(1).map(|index| graph.origins[index as usize])
    })
    .flatten()?;
    let note = Note { site: std::ptr::null(), operation: Operation::Begin };
    meet(Thing::Beginning(thread), Link::Follows, Side::After, Written::Nothing, note);
    Some(start)
}

/// Creates a thread, and returns its handle.
pub(crate) fn create(start: Start, site: RecordPointer) -> usize {
    let created = with(|runtime| {
        let graph = runtime.graph_mut();
        Some((child(graph)?, origin(graph, start)))
    });
    let Some((child, origin)) = created.flatten() else { unsupported("more than 255 threads", site) };
    let link = Link::Creates { thread: child.0.into(), origin };
    let note = Note { site, operation: Operation::Create(child) };
    meet(Thing::Beginning(child), link, Side::Before, Written::Value(1), note);
    handle(child)
}

/// The result of the creation of a key.
pub(crate) enum Created {
    /// The key has been created, with this number.
    Key(u32),
    /// The thread has as many keys as it may have.
    TooMany,
    /// The key has the number of another one, with another destructor or place.
    Other,
}

/// Creates a key of thread-specific data. Each thread is run alone, and again and again: the nth key that it creates at
/// a place has the same number each time, and in every process. The keys of a thread are in the order in which it
/// creates them.
pub(crate) fn create_key(runtime: &mut Runtime, destructor: Option<Destructor>, site: RecordPointer) -> Created {
    let (thread, nth) = runtime.graph_mut().next_key();
    if nth > keys::LIMIT {
        return Created::TooMany;
    }
    // Records of places are 8 bytes or more apart.
    let place = (site as usize >> 3) as u32 & 0xfff;
    let key = nth << 20 | u32::from(thread.0) << 12 | place;
    let known = *runtime.process.keys.keys.entry(key).or_insert(Key::Live(destructor, site));
    let same = matches!(known, Key::Live(other, at) if at == site && other.map(address) == destructor.map(address));
    if same { Created::Key(key) } else { Created::Other }
}

/// Returns the address of a destructor.
fn address(destructor: Destructor) -> usize {
    destructor as usize
}

/// Gives the threads with these creation paths their numbers, before there are threads.
///
/// # Panics
/// Panics if parents do not come before their children.
pub(crate) fn number(graph: &mut Graph, paths: &[Vec<u32>]) {
    for path in &paths[graph.paths.len()..] {
        let (&nth, parent) = path.split_last().expect("only main was not created");
        let parent = graph.paths.iter().position(|known| known == parent).expect("parents come first");
        graph.children.insert((Thread::from_index(parent), nth), Thread::from_index(graph.paths.len()));
        graph.paths.push(path.clone());
    }
}
