//! The state that all threads share beside memory: the C library's, the clock, keys, choices, marks.

use std::ffi::{c_int, c_ulong};
use std::ops::Range;

use engine::atomicity::Mark;
use protocol::Operation;

use crate::graph::threads::Created;
use crate::graph::{self, stops};
use crate::process::sections;
use crate::process::sites::{RecordPointer, call_site};
use crate::run::{self, Runtime, with};
use crate::schedule::{events, library};
use crate::state::keys::{Destructor, Key};
use crate::state::library::{Common, Library};
use crate::state::objects::Class;
use crate::state::operation::Note;
use crate::state::unmodelled::Unmodelled;
use crate::world::{World, steps_on};

/// Changes a part of the C library's state, which all threads share: `next` returns the state afterwards, which is 0 at
/// first, and the result.
pub(crate) fn change<R: Default>(what: Common, next: impl FnOnce(&mut Library, u64) -> (u64, R)) -> R {
    if sections::shares_library() {
        match World::now() {
            World::Schedule => library::arrive(what),
            World::Alone => return graph::objects::change(what, call_site(), next),
        }
    }
    with(|runtime| {
        runtime.has_effect();
        runtime.process.library.change(what, next)
    })
    .unwrap_or_default()
}

/// Advances the clock, and returns what it shows then.
///
/// If threads share it ([`sections::shares_clock`]) this is an event, and what a thread sees follows from the order of
/// these. It waits for no store of the thread, and none waits for it: reading a clock is no access to memory.
pub(crate) fn advance_clock(next: impl FnOnce(u64) -> u64) -> u64 {
    if !sections::shares_clock() {
        return with(|runtime| runtime.process.library.advance_clock(next)).unwrap_or(0);
    }
    match World::now() {
        World::Schedule => {
            let mut shown = 0;
            steps_on(Class::Clock, |runtime| shown = runtime.process.library.advance_clock(next));
            shown
        }
        World::Alone => graph::objects::advance_clock(call_site(), next),
    }
}

/// Chooses a number below `count`; each of them is tried.
pub(crate) fn choose(count: c_ulong) -> c_ulong {
    match World::now() {
        World::Schedule => events::choose(count),
        World::Alone => {
            let note = Note { site: call_site(), operation: Operation::Choose };
            match u16::try_from(count) {
                Ok(0 | 1) => 0,
                Ok(among) => graph::objects::choose(among, note),
                Err(_) => run::unsupported("a choice among more than 65535", note.site),
            }
        }
    }
}

/// Creates a key of thread-specific data; returns `None` if there are too many.
pub(crate) fn create_key(destructor: Option<Destructor>, site: RecordPointer) -> Option<u32> {
    let mut created = Created::TooMany;
    steps_on(Class::Keys, |runtime| {
        runtime.has_effect();
        created = match World::now() {
            World::Schedule => runtime.process.keys.create(destructor, site).map_or(Created::TooMany, Created::Key),
            World::Alone => graph::threads::create_key(runtime, destructor, site),
        };
    });
    match created {
        Created::Key(key) => Some(key),
        Created::TooMany => None,
        Created::Other => {
            stops::refuse(Unmodelled::ChangingDestructor, site);
            None
        }
    }
}

/// Deletes a key of thread-specific data; returns the error number, or 0.
pub(crate) fn delete_key(key: u32) -> c_int {
    let mut live = false;
    match World::now() {
        World::Schedule => steps_on(Class::Keys, |runtime| {
            runtime.has_effect();
            live = runtime.process.keys.is_live(runtime.running, key);
            if live {
                runtime.process.keys.keys.insert(key, Key::Deleted);
            }
        }),
        World::Alone => {
            // Only the running thread sees the deletion: there must be no other one.
            if with(|runtime| runtime.graph_mut().is_alone()) != Some(true) {
                stops::refuse(Unmodelled::KeyAmongThreads, call_site());
            }
            with(|runtime| {
                runtime.has_effect();
                let thread = runtime.running;
                live = runtime.process.keys.is_live(thread, key);
                if live {
                    runtime.process.keys.delete_alone(thread, key);
                }
            });
        }
    }
    if live { 0 } else { libc::EINVAL }
}

/// Notes that a transaction of the running thread begins or ends here: a mark is no event.
pub(crate) fn mark(mark: Mark) {
    with(|runtime| match World::now() {
        World::Schedule => {
            let thread = runtime.running;
            runtime.watch.monitors.iter_mut().for_each(|monitor| monitor.mark(thread, mark));
        }
        World::Alone => runtime.graph_mut().mark(mark),
    });
}

/// Notes that the running thread prints these bytes.
pub(crate) fn prints(bytes: &[u8]) {
    let is_kept = |runtime: &Runtime| World::now() == World::Alone || runtime.recorder.tallied.compared.is_some();
    with(|runtime| {
        if !is_kept(runtime) {
            return;
        }
        runtime.has_effect();
        let thread = runtime.running;
        match World::now() {
            World::Schedule => runtime.threads.at(thread).printed.extend_from_slice(bytes),
            World::Alone => runtime.graph_mut().run.ending.printed.extend_from_slice(bytes),
        }
    });
}

/// Excludes from the outcome what these bytes hold in the end.
pub(crate) fn ignores(bytes: Range<usize>) {
    match World::now() {
        World::Schedule => drop(with(|runtime| {
            let thread = runtime.running;
            runtime.threads.at(thread).ignored.push(bytes);
        })),
        World::Alone => drop(with(|runtime| runtime.graph_mut().run.ending.ignored.push(bytes))),
    }
}
