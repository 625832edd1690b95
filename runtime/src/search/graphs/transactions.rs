//! Decides whether the transactions of an execution graph of TSO are serializable.

use engine::atomicity::{Criterion, Happening, Serializability, Violation, linearization};
use engine::event::{Barrier, Event, Kind, Location, Object, Site, Thread};
use engine::explore::rsmc::CompleteTrace;
use engine::graph::{Access, Internal};
use protocol::Operation;

use crate::state::graph::{Aside, AsideOperation, Recorded};
use crate::state::operation::Note;

/// The run of a thread, as the monitor is told it.
pub(crate) struct Told {
    pub(crate) accesses: Vec<Recorded>,
    pub(crate) asides: Vec<Aside>,
}

/// The cycles of transactions of an execution, and the events that they name, by number.
pub(crate) struct Judgement {
    pub(crate) violations: Vec<Violation>,
    pub(crate) events: Vec<(Thread, Note)>,
}

/// The part of a thread's run that has been told.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cursor {
    /// The number of the thread's asides that have been told.
    asides: usize,
    /// The number of full fences that have been told.
    full: u16,
    /// The note of the thread's last access.
    note: Option<Note>,
}

/// The telling of an execution to the monitor.
struct Telling {
    monitor: Serializability,
    cursors: Vec<Cursor>,
    judgement: Judgement,
}

/// Judges an execution of TSO in which the threads did this.
pub(crate) fn judge<const W: usize>(execution: &CompleteTrace<'_, W>, told: &[Told]) -> Judgement {
    let trace = execution.trace;
    let access = |event: engine::graph::EventId| &told[usize::from(event.thread)].accesses[usize::from(event.index)];
    // An access that drains is separated by a fence from what comes before it.
    let happenings = linearization(trace, |_| false).expect("TSO allows the graph");
    let mut monitor = Serializability::new(Criterion::Tso);
    monitor.begin();
    let cursors = vec![Cursor::default(); told.len()];
    let judgement = Judgement { violations: Vec::new(), events: Vec::new() };
    let mut telling = Telling { monitor, cursors, judgement };
    for happening in happenings {
        match happening {
            Happening::Commit(event) => {
                let thread = Thread::from_index(event.thread.into());
                telling.monitor.commit(thread, &mut telling.judgement.violations);
            }
            Happening::Issue(event) => {
                let thread = Thread::from_index(event.thread.into());
                telling.asides(thread, &told[thread.index()].asides, event.index.into());
                telling.access(thread, access(event), trace.write_of(event).is_some());
            }
        }
    }
    for (index, told) in told.iter().enumerate() {
        telling.asides(Thread::from_index(index), &told.asides, told.accesses.len());
    }
    // A thread that waits for ever may do so in a transaction; others have been seen to.
    let _ = telling.monitor.end(&mut telling.judgement.violations);
    telling.judgement
}

impl Telling {
    /// Tells a full fence.
    fn fence(&mut self, thread: Thread, note: Note) {
        self.event(thread, Kind::Fence, &[], note);
    }

    /// Tells an event.
    fn event(&mut self, thread: Thread, kind: Kind, locations: &[Location], note: Note) {
        let before = if kind == Kind::Fence { Barrier::Full } else { Barrier::None };
        let event = Event { thread, site: Site(0), kind, before, after: Barrier::None, order: None };
        self.monitor.event(&event, locations, &mut self.judgement.violations);
        self.judgement.events.push((thread, note));
    }

    /// Tells what stands before the access with this number.
    fn asides(&mut self, thread: Thread, asides: &[Aside], access: usize) {
        while let Some(&aside) = asides.get(self.cursors[thread.index()].asides).filter(|one| one.accesses <= access) {
            let Cursor { full, note, .. } = self.cursors[thread.index()];
            self.cursors[thread.index()].asides += 1;
            self.cursors[thread.index()].full = aside.full;
            match aside.what {
                AsideOperation::Fence(site) => {
                    self.fence(thread, Note { site, operation: Operation::Fence });
                }
                AsideOperation::Mark(mark) => {
                    // This is a fence that belongs to the access before.
                    if let Some(note) = note.filter(|_| aside.full > full) {
                        self.fence(thread, note);
                    }
                    let _ = self.monitor.mark(thread, mark);
                }
            }
        }
    }

    /// Tells an access.
    fn access(&mut self, thread: Thread, recorded: &Recorded, writes: bool) {
        let kind = match recorded.access {
            Access::Update(Internal::Apart) => return,
            Access::Store => Kind::Store,
            Access::Update(Internal::Buffered) if writes => Kind::Await(Object(0)),
            Access::Update(_) if writes => Kind::Rmw,
            Access::Load | Access::Update(_) => Kind::Load,
        };
        let cursor = &mut self.cursors[thread.index()];
        let is_fenced = recorded.fences.full > cursor.full;
        (cursor.full, cursor.note) = (recorded.fences.full, Some(recorded.note));
        // The fence may belong to the access before: as a transaction of its own it orders what it does, and no more.
        if is_fenced {
            self.fence(thread, recorded.note);
        }
        self.event(thread, kind, &[recorded.location], recorded.note);
    }
}
