//! The one door between the program and the engine. A thread runs in one of two worlds: under the scheduler, among all
//! others ([`crate::schedule`]); or alone, for execution graphs, again and again ([`crate::graph`]). No caller of this
//! folder asks which of them it is.

use std::sync::atomic::{AtomicBool, Ordering};

use engine::execution::Pending;
use protocol::Operation;

use crate::graph::stops;
use crate::process::sites::{RecordPointer, call_site};
use crate::run::{self, Runtime, with};
use crate::schedule::events;
use crate::schedule::turns::turn;
use crate::state::objects::Class;
use crate::state::operation::Note;
use crate::state::unmodelled::Unmodelled;

pub(crate) mod futexes;
pub(crate) mod library;
pub(crate) mod loops;
pub(crate) mod memory;
pub(crate) mod objects;
pub(crate) mod threads;

/// The world in which the program's threads run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum World {
    /// Under the scheduler, among all others.
    Schedule,
    /// Alone, for execution graphs: memory that others can see is the graph's.
    Alone,
}

/// Whether the world of this process is [`World::Alone`].
static ALONE: AtomicBool = AtomicBool::new(false);

impl World {
    /// Returns the world of this process, which is entered before the first thread runs.
    #[inline]
    pub(crate) fn now() -> Self {
        if ALONE.load(Ordering::Relaxed) { Self::Alone } else { Self::Schedule }
    }

    /// Makes this the world in which the threads run from now on.
    pub(crate) fn enter(self) {
        ALONE.store(self == Self::Alone, Ordering::Relaxed);
    }

    /// Whether others see only those of a thread's writes that are accesses through hooks, and each of its bytes in
    /// pieces of one width.
    #[inline]
    pub(crate) const fn has_accesses_alone(self) -> bool {
        matches!(self, Self::Alone)
    }
}

/// Whether others may see a new block before the zeros that the C library has put there: so it is in execution graphs,
/// and on a machine whose stores overtake each other.
pub(crate) fn zeros_may_wait() -> bool {
    match World::now() {
        World::Schedule => {
            with(|runtime| runtime.buffers.as_ref().is_some_and(|buffers| buffers.waiting().reorders_stores()))
                == Some(true)
        }
        World::Alone => true,
    }
}

/// Refuses an operation that is not modelled for threads that run alone.
#[inline]
pub(crate) fn refuse(what: Unmodelled<'_>, site: RecordPointer) {
    match World::now() {
        World::Schedule => {}
        World::Alone => stops::refuse(what, site),
    }
}

/// Refuses an operation that is not modelled yet on a machine with store buffers.
pub(crate) fn refuse_buffered(what: &str, site: RecordPointer) {
    if with(|runtime| runtime.buffers.is_some()) == Some(true) {
        run::unsupported(&format!("{what} under --model tso or pso with an explorer of interleavings"), site);
    }
}

/// Waits for the running thread's turn before an action that is no event but concerns others, such as `free`: under the
/// explorer `dpor` that is a step of its own ([`events::concerns`]); under others it waits for nothing.
pub(crate) fn turn_aside(site: RecordPointer) {
    match World::now() {
        World::Schedule if with(|runtime| runtime.steps_aside()) == Some(true) => turn(Pending::Access, site),
        World::Schedule | World::Alone => {}
    }
}

/// Changes or reads, in `work`, what all threads share under this class: an event under every explorer.
pub(crate) fn steps_on(class: Class, work: impl FnOnce(&mut Runtime)) {
    let site = call_site();
    if World::now() == World::Alone {
        with(work);
        return;
    }
    turn(Pending::Access, site);
    let turn = with(|runtime| {
        work(runtime);
        let object = runtime.objects.number(class, 0);
        events::steps_on(runtime, object, Note { site, operation: Operation::Use }, 0)
    });
    if let Some(turn) = turn {
        turn.obey();
    }
}

/// Reports that the running thread uses something that all threads share, and that is no memory of the program.
pub(crate) fn uses(class: Class) {
    let site = call_site();
    turn_aside(site);
    let turn = with(|runtime| {
        let object = runtime.objects.number(class, 0);
        events::concerns(runtime, &[], &[object], Note { site, operation: Operation::Use }, 0)
    });
    if let Some(turn) = turn {
        turn.obey();
    }
}
