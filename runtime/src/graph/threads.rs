//! Threads in execution graphs. That a thread is created is a store, which its first access, a load, reads; that it has
//! ended is a store, its last access, which a join reads. Fences are such that what comes before a creation is before
//! all of the new thread, and all of a thread before what comes after the join: on POWER nothing else is ordered by
//! them.

use std::ffi::c_int;

use engine::event::Thread;
use engine::graph::{Access, Link, Reached, Value, Written};
use engine::model::MemoryModel;

use super::places::Thing;
use super::{Graph, Recorded, Stop, park};
use crate::graph;
use crate::hooks::checker::transactions;
use crate::hooks::library::cursor;
use crate::hooks::memory::access::store;
use crate::hooks::process::exit_status::end_process;
use crate::hooks::process::program::{self, unsupported};
use crate::hooks::pthread::threads::{Start, handle};
use crate::hooks::pthread::{ends, keys};
use crate::process::fiber::Switch;
use crate::process::sites::RecordPointer;
use crate::run::with;
use crate::schedule::objects::Call;
use crate::state::recorder::Note;
use engine::mapping::Barriers;
use protocol::Operation;

/// Which side of a creation or join is ordered with the other thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

impl Graph {
    /// The number of the next thread that the running one creates.
    fn child(&mut self) -> Option<Thread> {
        let (parent, nth) = (self.run.thread, self.run.created);
        self.run.created += 1;
        if let Some(&child) = self.children.get(&(parent, nth)) {
            return Some(child);
        }
        if self.paths.len() == Thread::LIMIT {
            return None;
        }
        let child = Thread::from_index(self.paths.len());
        let path = [self.paths[parent.index()].as_slice(), &[nth]].concat();
        self.paths.push(path);
        self.children.insert((parent, nth), child);
        Some(child)
    }

    /// Fixes which path of creation has which number, before there are threads.
    ///
    /// # Panics
    /// If parents do not come before their children.
    pub(crate) fn number(&mut self, paths: &[Vec<u32>]) {
        for path in &paths[self.paths.len()..] {
            let (&nth, parent) = path.split_last().expect("only main was not created");
            let parent = self.paths.iter().position(|known| known == parent).expect("parents come first");
            self.children.insert((Thread::from_index(parent), nth), Thread::from_index(self.paths.len()));
            self.paths.push(path.clone());
        }
    }

    /// How often the running thread has joined a thread.
    fn joins(&self, child: Thread) -> usize {
        let joins = |recorded: &&Recorded| matches!(recorded.note.operation, Operation::Join(other) if other == child);
        self.run.recorded.iter().filter(joins).count()
    }

    fn origin(&mut self, start: Start) -> u32 {
        let known = self.origins.iter().position(|other| other.key() == start.key());
        let index = known.unwrap_or_else(|| {
            self.origins.push(start);
            self.origins.len() - 1
        });
        u32::try_from(index + 1).expect("fewer than 2^32 functions and arguments")
    }

    /// The access by which threads meet, at the running thread's end of it.
    fn meeting(&mut self, thing: Thing, link: Link, side: Side, written: Written, note: Note) -> Recorded {
        let location = self.places.of(thing);
        let access = if link == Link::Follows { Access::Load } else { Access::Store };
        let mut fences = self.run.fences;
        if self.model == MemoryModel::Power {
            match side {
                Side::Before => fences.full += 1,
                Side::After => fences.full -= 1,
            }
        } else {
            fences.full += 1;
            self.run.fences.full += 2;
        }
        let depends = self.depends();
        Recorded { access, location, written, fences, link, depends, note, address: 0, width: 0 }
    }
}

/// Records a meeting: what it reads, if it does.
fn meet(thing: Thing, link: Link, side: Side, written: Written, note: Note) -> Option<Value> {
    let (turn, value) = with(|runtime| {
        let recorded = runtime.graph_mut().meeting(thing, link, side, written, note);
        runtime.record_object(recorded)
    })?;
    turn.obey();
    value
}

/// Runs a thread from its beginning to its end, if it is run for execution graphs.
pub(crate) fn body(thread: Thread) -> Option<Switch> {
    if !graph::is_on() {
        return None;
    }
    let start = with(|runtime| {
        let graph = runtime.graph.as_deref()?;
        Some(graph.run.origin.checked_sub(1).map(|index| graph.origins[index as usize]))
    })
    .flatten()?;
    let Some(start) = start else {
        return Some(end_process(program::run_main()));
    };
    let unknown = std::ptr::null();
    meet(
        Thing::Beginning(thread),
        Link::Follows,
        Side::After,
        Written::Nothing,
        Note { site: unknown, operation: Operation::Begin },
    );
    let result = start.run();
    keys::destroy_values();
    end(thread, result)
}

/// The running thread ends with this result.
fn end(thread: Thread, result: usize) -> ! {
    transactions::require_finished();
    let site = with(|runtime| runtime.threads.stands_at(thread)).unwrap_or(std::ptr::null());
    let written = Written::Value((result as u64).cast_signed());
    let note = Note { site, operation: Operation::End };
    meet(Thing::End(thread), Link::None, Side::Before, written, note);
    park(Stop::Reached(Reached::End))
}

/// The running thread ends from within with this result, if it is run for execution graphs.
pub(crate) fn exit(result: usize) {
    if let Some(Some(thread)) = with(|runtime| runtime.graph.as_ref().map(|graph| graph.run.thread)) {
        ends::run_in_graph();
        end(thread, result);
    }
}

/// Creates a thread.
pub(crate) fn create(into: *mut usize, start: Start, site: RecordPointer) -> c_int {
    let created = with(|runtime| {
        let graph = runtime.graph_mut();
        Some((graph.child()?, graph.origin(start)))
    });
    let Some((child, origin)) = created.flatten() else { unsupported("more than 255 threads", site) };
    let link = Link::Creates { thread: child.0.into(), origin };
    let note = Note { site, operation: Operation::Create(child) };
    meet(Thing::Beginning(child), link, Side::Before, Written::Value(1), note);
    if cursor::is_watched(into as usize) {
        store(into.cast::<u64>(), handle(child) as u64, Barriers::NONE, site);
    } else {
        // SAFETY: the program passes where the new thread's name goes.
        unsafe { into.write_unaligned(handle(child)) };
    }
    0
}

/// Joins a thread; its result.
pub(crate) fn join(call: Call, name: usize) -> Result<usize, c_int> {
    let known = with(|runtime| {
        let graph = runtime.graph_mut();
        let child = name.checked_sub(handle(Thread::MAIN)).filter(|&index| index < graph.paths.len());
        (child.map(Thread::from_index), graph.run.thread)
    });
    let Some((Some(child), running)) = known else { call.misuse("of something that is no thread", None) };
    if child == running {
        return Err(libc::EDEADLK);
    }
    let note = Note { site: call.site, operation: Operation::Join(child) };
    let result = meet(Thing::End(child), Link::Follows, Side::After, Written::Nothing, note);
    with(|runtime| {
        let graph = runtime.graph_mut();
        graph.run.joined += 1;
        // Its creator has joined no more than it has created: each once, as far as it alone can know.
        let is_own = graph.children.iter().any(|(&(parent, _), &one)| one == child && parent == running);
        graph.ends |= !is_own || graph.joins(child) > 1;
    });
    Ok(result.unwrap_or_default().cast_unsigned() as usize)
}
