//! The accesses by which threads synchronise, and wait, in execution graphs.

use engine::graph::{Access, Link, Reached, Value, Written};
use engine::mapping::calls::Path;
use engine::mapping::graphs::{self, Around};
use engine::mapping::power::Synchronizes;
use engine::model::MemoryModel;

use crate::graph::stops::park;
use crate::run::with;
use crate::state::graph::places::Thing;
use crate::state::graph::{Graph, Recorded, Spelled, Stop};
use crate::state::operation::Note;

/// The reason why an operation does not go on.
pub(crate) enum Stuck {
    /// The operation has to wait, and waits since this access; since its own if there is none.
    Waits(Option<usize>),
    /// The operation breaks its contract; the text goes on after the function's name.
    Misuse(String),
}

/// Makes the reason of an operation that breaks its contract.
pub(crate) fn misuse(what: &str) -> Stuck {
    Stuck::Misuse(what.to_owned())
}

/// The end of a limited wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waited {
    /// The thread got what it waited for.
    Granted,
    /// The wait ran out.
    RanOut,
}

/// The time for which a call waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// As long as it takes, since this access, or since its own if there is none.
    Endless(Option<usize>),
    /// Until some time. If the thread would have to wait for longer, another graph has it get what it waits for.
    Limited,
}

impl Patience {
    /// Returns the patience of a call that may be limited.
    pub(crate) fn of(is_limited: bool) -> Self {
        if is_limited { Self::limited() } else { Self::Endless(None) }
    }

    /// Returns the patience of a call that waits until some time: it does not run out if the last one in the same place
    /// has, and nothing has changed since.
    pub(crate) fn limited() -> Self {
        match with(|runtime| runtime.graph_mut().waits_since()).flatten() {
            Some(since) => Self::Endless(Some(since)),
            None => Self::Limited,
        }
    }

    /// Returns that the wait runs out, or else that the thread waits.
    pub(crate) const fn runs_out(self) -> Result<Waited, Stuck> {
        match self {
            Self::Endless(since) => Err(Stuck::Waits(since)),
            Self::Limited => Ok(Waited::RanOut),
        }
    }
}

/// Lets the running thread wait, for ever or for other reads than those since this access, or since its last one if
/// there is none.
pub(crate) fn wait_since(since: Option<usize>) -> ! {
    let last = with(|runtime| runtime.graph_mut().run.recorded.len() - 1).unwrap_or(0);
    park(Stop::Reached(Reached::Waits { since: since.unwrap_or(last) as u16 }))
}

/// Returns the mutex among those that the running thread holds, with how many times it does.
pub(crate) fn held(graph: &mut Graph, mutex: usize) -> Option<&mut (usize, u32)> {
    graph.run.held.iter_mut().find(|held| held.0 == mutex)
}

/// Returns the value of a mutex that the running thread holds.
pub(crate) fn owner(graph: &Graph) -> Value {
    Value::from(graph.run.thread.0) + 1
}

/// Returns what orders an access by which threads synchronise: on the path that was taken, or, if that is not known
/// yet, what stands before it on each of the paths. On POWER, ARM and RISC-V what stands before it is always taken from
/// the first path.
fn around(graph: &Graph, access: Access, paths: &[Path], taken: Option<Path>) -> Around {
    let of = |path: &Path| graphs::call(graph.model, access, *path);
    let drains = paths.iter().all(|path| path.effect.drains());
    match taken {
        taken if graph.model.has_dependencies() => {
            let first = of(&paths[0]);
            Around { before: first.before, ..taken.map_or(first, |path| of(&path)) }
        }
        None if graph.model == MemoryModel::C11 => of(&paths[0]),
        Some(path) => of(&path),
        None if drains => graphs::locked(),
        None => Around::default(),
    }
}

/// Makes the record of an access by which threads synchronise, on one of these paths, at a location that is no memory.
pub(crate) fn synchronizing(
    graph: &mut Graph,
    thing: Thing,
    (paths, taken): (&[Path], Option<Path>),
    (access, written): (Access, Written),
    note: Note,
    address: usize,
) -> Recorded {
    let location = graph.places.of(thing);
    let Around { before, after, synchronizes, annotations } = around(graph, access, paths, taken);
    let depends = graph.depends();
    if synchronizes == Synchronizes::Yes {
        graph.synchronize();
    }
    graph.run.fences += before;
    let fences = graph.run.fences;
    graph.run.fences += after;
    let link = Link::None;
    let spelled = Spelled::default();
    Recorded { access, location, written, fences, annotations, link, depends, note, address, width: 0, spelled }
}
