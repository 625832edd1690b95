//! The state of the program under control, and the two things that every hook does: ask for its turn, report the event.

use std::cell::UnsafeCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::event::{Barrier, Event, Kind, Thread};
use engine::execution::{Ending, Execution, Next, Pending, Step};
use engine::mapping::Barriers;
use engine::monitor::{Monitor, Report};

use crate::faults;
use crate::fiber::{self, Switch};
use crate::globals::Globals;
use crate::heap::Heap;
use crate::mutexes::MutexTable;
use crate::recorder::{Failure, Note, Operation, Recorder};
use crate::shadow::{Cut, Locations, Shadow};
use crate::sites::{Record, RecordPointer, Sites};
use crate::threads::ThreadTable;

/// Everything that the runtime knows, in one place.
pub(crate) struct Runtime {
    pub(crate) execution: Execution,
    pub(crate) monitors: Vec<Box<dyn Monitor>>,
    pub(crate) reports: Vec<Report>,
    pub(crate) recorder: Recorder,
    pub(crate) threads: ThreadTable,
    pub(crate) mutexes: MutexTable,
    pub(crate) heap: Heap,
    pub(crate) globals: Globals,
    pub(crate) sites: Sites,
    shadow: Shadow,
    locations: Locations,
    /// The thread whose code runs.
    pub(crate) running: Thread,
    /// The thread that waits for the one it created to reach its first operation.
    starting: Option<Thread>,
    /// The running thread was chosen to perform its next operation while it stood in a wait loop.
    granted: bool,
    pub(crate) max_events: u32,
    /// How the execution ended.
    pub(crate) end: Option<End>,
    /// A location had to be cut: the execution must be run again.
    pub(crate) void: bool,
    /// The state of `rand`.
    pub(crate) rand: u32,
    /// Functions called that are neither modelled nor known.
    pub(crate) uninstrumented: BTreeSet<String>,
    /// The last call of a function that is not instrumented.
    pub(crate) last_external: Option<(String, &'static Record)>,
}

/// How an execution ended.
#[derive(Debug)]
pub(crate) enum End {
    /// Nobody could go on.
    Nobody(Ending),
    /// It failed.
    Failed(Failure),
    /// An assumption did not hold.
    Assumed,
    /// It reached the limit of events.
    MaxEvents,
    /// It did something that cannot be run under control.
    Unsupported { what: String, place: protocol::Place },
}

struct Global {
    runtime: UnsafeCell<Option<Box<Runtime>>>,
    busy: AtomicBool,
}

// SAFETY: the program runs on one OS thread.
unsafe impl Sync for Global {}

static GLOBAL: Global = Global { runtime: UnsafeCell::new(None), busy: AtomicBool::new(false) };

/// Puts the runtime in place: from now on hooks are under control.
pub(crate) fn install(runtime: Runtime) {
    // SAFETY: called once, before any fiber runs.
    unsafe { *GLOBAL.runtime.get() = Some(Box::new(runtime)) };
}

/// Whether the code that a signal interrupted was the runtime's own.
pub(crate) fn is_busy() -> bool {
    GLOBAL.busy.load(Ordering::Relaxed)
}

/// Runs `work` on the runtime, if there is one: before `main` there is none, and hooks act as plain C.
///
/// `work` must neither switch fibers nor touch memory by a pointer that the program gave.
#[inline]
pub(crate) fn with<R>(work: impl FnOnce(&mut Runtime) -> R) -> Option<R> {
    // SAFETY: one OS thread, and `work` neither calls `with` nor switches fibers: this is the only reference.
    let runtime = unsafe { &mut *GLOBAL.runtime.get() };
    let runtime = runtime.as_deref_mut()?;
    GLOBAL.busy.store(true, Ordering::Relaxed);
    let result = work(runtime);
    GLOBAL.busy.store(false, Ordering::Relaxed);
    Some(result)
}

/// Who has control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// The thread that asked.
    Ours,
    /// Somebody else.
    Other(Switch),
}

impl Turn {
    /// Gives up control unless it is ours.
    #[inline]
    pub(crate) fn obey(self) {
        if let Self::Other(switch) = self {
            fiber::suspend(switch);
        }
    }
}

/// The running thread stands before a visible operation at this place: returns when it is its turn to perform it.
#[inline]
pub(crate) fn turn(pending: Pending, site: RecordPointer) {
    if let Some(turn) = with(|runtime| runtime.arrive(pending, site)) {
        turn.obey();
    }
}

/// Ends the execution from within a thread.
pub(crate) fn end_execution(end: End) -> ! {
    with(|runtime| runtime.end = Some(end));
    fiber::abandon(Switch::End)
}

/// An access that has just been performed.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) address: usize,
    /// 1 to 8.
    pub(crate) width: u8,
    pub(crate) kind: Kind,
    pub(crate) barriers: Barriers,
    pub(crate) operation: Operation,
    pub(crate) site: RecordPointer,
    /// What memory held before.
    pub(crate) before: u64,
    /// What it holds now.
    pub(crate) after: u64,
}

impl Runtime {
    /// The runtime of a program whose variables are as they are before `main`.
    ///
    /// # Errors
    /// What the system says to a reservation of address space.
    pub(crate) fn new(
        execution: Execution,
        monitors: Vec<Box<dyn Monitor>>,
        recorder: Recorder,
    ) -> std::io::Result<Self> {
        Ok(Self {
            execution,
            monitors,
            reports: Vec::new(),
            recorder,
            threads: ThreadTable::default(),
            mutexes: MutexTable::default(),
            heap: Heap::default(),
            globals: Globals::save(),
            sites: Sites::new(),
            shadow: Shadow::new(crate::globals::image())?,
            locations: Locations::default(),
            running: Thread::MAIN,
            starting: None,
            granted: false,
            max_events: u32::MAX,
            end: None,
            void: false,
            rand: 1,
            uninstrumented: BTreeSet::new(),
            last_external: None,
        })
    }

    /// Starts the next execution; false if there is none.
    pub(crate) fn begin(&mut self) -> bool {
        if !self.execution.begin() {
            return false;
        }
        self.globals.restore();
        self.heap.reset();
        self.threads.reset();
        self.recorder.begin();
        self.monitors.iter_mut().for_each(|monitor| monitor.begin());
        self.reports.clear();
        self.running = Thread::MAIN;
        self.starting = None;
        self.granted = false;
        self.end = None;
        self.void = false;
        self.rand = 1;
        self.last_external = None;
        true
    }

    #[inline]
    fn arrive(&mut self, pending: Pending, site: RecordPointer) -> Turn {
        let thread = self.running;
        self.threads.at(thread).stands_at = Some(Record::behind(site));
        if std::mem::take(&mut self.granted) {
            return Turn::Ours;
        }
        if self.execution.length() >= self.max_events {
            self.end = Some(End::MaxEvents);
            return Turn::Other(Switch::End);
        }
        if pending == Pending::Access && self.starting.is_none() && self.execution.waiting() == 0 {
            let next = self.execution.pass();
            return if next == Next::Run(thread) { Turn::Ours } else { self.obey(next) };
        }
        self.execution.arrive(thread, pending);
        self.next()
    }

    /// The running thread cannot go on by itself: who does?
    pub(crate) fn next(&mut self) -> Turn {
        if let Some(parent) = self.starting.take() {
            return self.switch(parent, Switch::To(parent));
        }
        if self.execution.waiting() > 0 {
            self.wake_waiting();
        }
        let next = self.execution.choose();
        self.obey(next)
    }

    fn obey(&mut self, next: Next) -> Turn {
        match next {
            Next::Run(thread) => {
                self.granted = std::mem::take(&mut self.threads.at(thread).waits);
                self.switch(thread, Switch::To(thread))
            }
            Next::End(ending) => {
                self.end = Some(End::Nobody(ending));
                Turn::Other(Switch::End)
            }
        }
    }

    #[inline]
    fn switch(&mut self, thread: Thread, switch: Switch) -> Turn {
        if thread == self.running && switch == Switch::To(thread) {
            return Turn::Ours;
        }
        self.running = thread;
        Turn::Other(switch)
    }

    /// The running thread has created this one, which runs up to its first operation before anything else happens.
    pub(crate) fn start(&mut self, child: Thread) -> Turn {
        self.starting = Some(self.running);
        self.switch(child, Switch::Start(child))
    }

    /// The running thread ends.
    pub(crate) fn end_thread(&mut self) -> Switch {
        self.granted = false;
        self.execution.end_thread(self.running);
        match self.next() {
            Turn::Other(switch) => switch,
            Turn::Ours => unreachable!("a thread that has ended is not chosen"),
        }
    }

    /// The running thread yields. One that was chosen out of a wait loop has its turn already.
    pub(crate) fn yields(&mut self) {
        if !self.granted {
            self.execution.yields(self.running);
        }
    }

    /// Reports an access that the running thread has performed.
    #[inline]
    pub(crate) fn access(&mut self, access: &Access) -> Turn {
        let changes = access.before != access.after;
        self.note_for_waits(access, changes);
        if self.shadow.locate(access.address, access.width, &mut self.locations) == Cut::Yes {
            self.void = true;
        }
        if self.recorder.traces() {
            self.recorder.access(access);
        }
        self.event(access.kind, access.barriers, Note { site: access.site, operation: access.operation })
    }

    /// Reports an event that is no access.
    /// `object` is the address of the object that it is about, or 0.
    pub(crate) fn no_access(
        &mut self,
        kind: Kind,
        before: Barrier,
        operation: Operation,
        site: RecordPointer,
        object: usize,
    ) -> Turn {
        if kind != Kind::Fence {
            self.has_effect();
        }
        self.locations.clear();
        if self.recorder.traces() {
            self.recorder.no_access(object);
        }
        self.event(kind, Barriers { before, after: Barrier::None }, Note { site, operation })
    }

    #[inline]
    fn event(&mut self, kind: Kind, barriers: Barriers, note: Note) -> Turn {
        faults::progress();
        let site = self.sites.site(note.site);
        let thread = self.running;
        let event = Event { thread, site, kind, before: barriers.before, after: barriers.after };
        let locations = self.locations.as_slice();
        for monitor in &mut self.monitors {
            monitor.event(&event, locations, &mut self.reports);
        }
        let target = locations.first().map_or(0, |location| location.0);
        self.threads.at(thread).events += 1;
        let performed = self.execution.performed(Step { thread, site, kind, target });
        self.recorder.event(note);
        if self.recorder.traces() {
            self.recorder.buffers(&self.monitors);
        }
        if performed.is_err() {
            self.end = Some(End::Nobody(Ending::Diverged));
            return Turn::Other(Switch::End);
        }
        Turn::Ours
    }

    /// The running thread did something that another round of its loop would not undo.
    pub(crate) fn has_effect(&mut self) {
        self.threads.at(self.running).effects += 1;
    }
}
