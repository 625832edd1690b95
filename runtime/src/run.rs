//! The state of the program under control, and the two things that every hook does: ask for its turn, report the event.

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use engine::event::{self, Barrier, Event, Kind, Location, Object, Thread};
use engine::execution::{Ending, Execution, Next, Pending};
use engine::explore::{Notice, Values};
use engine::mapping::calls::Effect;
use engine::mapping::{Barriers, Order};
use engine::monitor::{Monitor, Report};
use engine::step::Step;
use protocol::{ExitStatus, Explorer, LeftWaiting, MemoryModel, Operation, Wakeups};

use crate::graph::{self, Graph};
use crate::hooks::checker::choices::WeakFailures;
use crate::hooks::library::random::Library;
use crate::hooks::process::exit_status::Exited;
use crate::hooks::process::exits::Exits;
use crate::hooks::process::jumps::Jumps;
use crate::hooks::process::signals::Actions;
use crate::hooks::pthread::keys::Keys;
use crate::hooks::pthread::threads::{ThreadTable, call_site};
use crate::process::faults;
use crate::process::fiber::{self, Switch};
use crate::process::foreign;
use crate::process::layout;
use crate::process::sites::{Record, RecordPointer, Sites};
use crate::schedule::atomic_blocks::interlocked;
use crate::schedule::futexes::QUEUE;
use crate::schedule::idle_rounds::IdleRounds;
use crate::schedule::objects::{Class, ObjectTable};
use crate::state::files::Files;
use crate::state::globals::Globals;
use crate::state::heap::Heap;
use crate::state::locals::Locals;
use crate::state::recorder::{Detail, Extent, Failure, Note, Recorder};
use crate::state::shadow::{Cut, Shadow};
use crate::state::unwritten;

/// Whether a location has the number that it had in the last execution.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    AsBefore,
    MayDiffer,
}

/// Everything that the runtime knows, in one place.
pub(crate) struct Runtime {
    pub(crate) execution: Execution,
    pub(crate) monitors: Vec<Box<dyn Monitor>>,
    pub(crate) reports: Vec<Report>,
    /// So many of the first events the monitors know from the last execution.
    watched: u32,
    /// Of the locations of the next execution.
    pub(crate) numbers: Numbers,
    pub(crate) recorder: Recorder,
    pub(crate) threads: ThreadTable,
    pub(crate) objects: ObjectTable,
    pub(crate) keys: Keys,
    pub(crate) wakeups: Wakeups,
    pub(crate) explorer: Explorer,
    pub(crate) heap: Heap,
    pub(crate) locals: Locals,
    pub(crate) globals: Globals,
    pub(crate) sites: Sites,
    pub(crate) shadow: Shadow,
    /// The locations of the access at hand, where they are not one: kept for its memory.
    locations: Vec<Location>,
    /// The thread whose code runs.
    pub(crate) running: Thread,
    /// Where its stack is nearly used up.
    stack_floor: usize,
    pub(crate) way: Way,
    pub(crate) max_events: u32,
    /// Bytes that may be kept of what is still to be run.
    pub(crate) memory: u64,
    pub(crate) idle_rounds: IdleRounds,
    /// The bits of an address that are the same in every process: none where the system randomises addresses.
    lasting_addresses: u32,
    /// How the execution ended.
    pub(crate) end: Option<End>,
    /// The threads that have failed, with how many events and choices there were then, where the others go on.
    pub(crate) failed: Vec<(Failure, Extent)>,
    /// Some thread has failed an assumption, or after a block that was left in its middle, and the others went on.
    pub(crate) assumed: bool,
    /// How many reports there were when the first thread stopped in the middle of an atomic block, where the others go on:
    /// those behind may follow from what nobody can see.
    pub(crate) reports_before_left_block: Option<usize>,
    /// A location had to be cut: the execution must be run again.
    pub(crate) void: bool,
    /// The first execution has been run once to its end.
    pub(crate) run_twice: bool,
    /// How many weak compare-and-exchanges of an execution may fail although they could succeed, and how many have.
    pub(crate) weak_failures: WeakFailures,
    /// What the C library remembers.
    pub(crate) library: Library,
    /// What is to be done about signals.
    pub(crate) signals: Actions,
    pub(crate) jumps: Jumps,
    pub(crate) exits: Exits,
    pub(crate) files: Files,
    /// The first end of the process.
    pub(crate) exited: Exited,
    /// What an exit status other than 0 is.
    pub(crate) exit_status: ExitStatus,
    /// Where one schedule is run again: how many events it has.
    pub(crate) planned: Option<u32>,
    /// Threads that have called `exit`, and how far their stacks reached.
    pub(crate) exited_at: Vec<(Thread, usize)>,
    /// Functions called that are neither modelled nor known.
    pub(crate) uninstrumented: BTreeSet<String>,
    /// What the result takes for granted.
    pub(crate) assumptions: BTreeSet<&'static str>,
    /// Threads that still waited when the process had ended.
    pub(crate) left_waiting: BTreeSet<LeftWaiting>,
    /// The search for execution graphs, if it is for those that the program is run.
    pub(crate) graph: Option<Box<Graph>>,
    /// The last call of a function that is not instrumented.
    pub(crate) last_external: Option<(String, &'static Record)>,
}

/// Bytes of stack that a hook may use: with less left, the program has overflowed its stack.
const STACK_OF_A_HOOK: usize = 64 << 10;

/// Bytes of a stack above its floor.
const STACK_OF_THE_PROGRAM: usize = layout::STACK - layout::GUARD - STACK_OF_A_HOOK;

/// Where the stack has come to, nearly.
#[inline(always)]
pub(crate) fn stack_pointer() -> usize {
    let here = 0_u8;
    &raw const here as usize
}

/// How the running thread comes to its next operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// From its last one.
    Plain,
    /// It was chosen to perform it while it stood in a wait loop.
    Granted,
    /// From its start: this thread, which created it, waits for it to arrive.
    FromStart(Thread),
    /// It has begun an atomic block, and comes to its first operation there.
    Opening,
    /// It is in an atomic block: nobody else may come before its next operation.
    Within,
    /// It is run alone, for execution graphs.
    Alone,
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
    /// A thread used up its stack, but for what a hook needs.
    StackOverflow,
    /// It reached the limit of events.
    MaxEvents,
    /// It reached the limit of rounds that left everything as it was.
    IdleRounds,
    /// It did something that cannot be run under control.
    Unsupported { what: String, place: protocol::Place },
}

struct Global {
    /// Null as long as there is none.
    runtime: AtomicPtr<Runtime>,
    busy: AtomicBool,
}

static GLOBAL: Global = Global { runtime: AtomicPtr::new(std::ptr::null_mut()), busy: AtomicBool::new(false) };

/// Puts the runtime in place: from now on hooks are under control.
pub(crate) fn install(runtime: Runtime) {
    GLOBAL.runtime.store(Box::into_raw(Box::new(runtime)), Ordering::Relaxed);
}

/// Whether the code that a signal interrupted was the runtime's own.
pub(crate) fn is_busy() -> bool {
    GLOBAL.busy.load(Ordering::Relaxed)
}

/// The runtime at work: while this lives, the code that runs is the runtime's own.
///
/// Its holder must neither switch fibers nor touch memory by a pointer that the program gave.
pub(crate) struct AtWork {
    runtime: &'static mut Runtime,
}

impl Deref for AtWork {
    type Target = Runtime;

    #[inline(always)]
    fn deref(&self) -> &Runtime {
        self.runtime
    }
}

impl DerefMut for AtWork {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Runtime {
        self.runtime
    }
}

impl Drop for AtWork {
    #[inline(always)]
    fn drop(&mut self) {
        GLOBAL.busy.store(false, Ordering::Relaxed);
    }
}

/// The runtime, if there is one: before `main` there is none, and hooks act as plain C.
#[inline(always)]
pub(crate) fn at_work() -> Option<AtWork> {
    let runtime = GLOBAL.runtime.load(Ordering::Relaxed);
    // SAFETY: null, or of a box that lives as long as the process; there is one under control alone, on one OS thread,
    // and nothing asks for it while an `AtWork` lives: this is the only reference.
    let runtime = unsafe { runtime.as_mut() }?;
    GLOBAL.busy.store(true, Ordering::Relaxed);
    Some(AtWork { runtime })
}

/// Runs `work` on the runtime, if there is one. What [`AtWork`] asks of its holder is asked of `work`.
#[inline]
pub(crate) fn with<R>(work: impl FnOnce(&mut Runtime) -> R) -> Option<R> {
    let mut runtime = at_work()?;
    if foreign::is_this_thread() {
        drop(runtime);
        foreign::refuse(call_site());
    }
    Some(work(&mut runtime))
}

/// Who has control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// The thread that asked.
    Ours,
    /// Somebody else.
    Other(Switch),
    /// The thread that asked, which is run alone, for execution graphs.
    Alone,
}

impl Turn {
    /// Gives up control unless it is ours.
    #[inline(always)]
    pub(crate) fn obey(self) {
        if let Self::Other(switch) = self {
            fiber::suspend(switch);
        }
    }

    /// The same before an access.
    #[inline(always)]
    fn obey_to_access(self, address: usize, width: usize, site: RecordPointer) {
        match self {
            Self::Ours => {}
            Self::Other(switch) => fiber::suspend(switch),
            Self::Alone => graph::prepare(address, width, site),
        }
    }
}

/// The running thread stands before a visible operation at this place: returns when it is its turn to perform it.
#[inline]
pub(crate) fn turn(pending: Pending, site: RecordPointer) {
    let Some(mut runtime) = at_work() else { return };
    let turn = runtime.arrive(pending, site);
    drop(runtime);
    match turn {
        Turn::Alone => graph::refuse("this operation", site),
        turn => turn.obey(),
    }
}

/// The same before an access to so many bytes (of a fence, none): nearly always it is.
#[inline(never)]
pub(crate) fn turn_to_access(address: usize, width: usize, site: RecordPointer) {
    let Some(mut runtime) = at_work() else { return };
    let turn = runtime.arrive(Pending::Access, site);
    drop(runtime);
    turn.obey_to_access(address, width, site);
}

/// The same before what is no event, but concerns others: under the explorer dpor it is a step of its own
/// ([`Runtime::concerns`]).
pub(crate) fn turn_aside(site: RecordPointer) {
    if with(|runtime| runtime.steps_aside()) == Some(true) {
        turn(Pending::Access, site);
    }
}

/// The running thread stands before a step that concerns whoever operates on an object, and is an event under every
/// explorer ([`Runtime::steps_on`]).
pub(crate) fn turn_to_step(site: RecordPointer) {
    if with(|runtime| runtime.graph.is_none()) == Some(true) {
        turn(Pending::Access, site);
    }
}

/// The running thread changes, or looks at, what all threads have in common under this name: an event under every
/// explorer.
pub(crate) fn steps_on(class: Class, work: impl FnOnce(&mut Runtime)) {
    let site = call_site();
    turn_to_step(site);
    let turn = with(|runtime| {
        work(runtime);
        let object = runtime.objects.number(class, 0);
        runtime.steps_on(object, Note { site, operation: Operation::Use }, 0)
    });
    if let Some(turn) = turn {
        turn.obey();
    }
}

/// The running thread uses something that all threads have in common, and that is no memory of the program.
pub(crate) fn uses(class: Class) {
    let site = call_site();
    turn_aside(site);
    let turn = with(|runtime| {
        let object = runtime.objects.number(class, 0);
        runtime.concerns(&[], &[object], Note { site, operation: Operation::Use }, 0)
    });
    if let Some(turn) = turn {
        turn.obey();
    }
}

/// The running thread has performed an access.
#[inline(always)]
pub(crate) fn report(access: Access) {
    let Some(mut runtime) = at_work() else { return };
    let turn = runtime.access(access);
    drop(runtime);
    turn.obey();
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
    /// Of a compare-and-swap: what it writes only over.
    pub(crate) expected: Option<u64>,
}

/// An indivisible access to any number of bytes that has just been performed.
#[derive(Clone, Copy)]
pub(crate) struct WideAccess<'a> {
    pub(crate) address: usize,
    pub(crate) kind: Kind,
    pub(crate) barriers: Barriers,
    pub(crate) operation: Operation,
    pub(crate) site: RecordPointer,
    /// What memory held before.
    pub(crate) before: &'a [u8],
    /// What it holds now: as many bytes.
    pub(crate) after: &'a [u8],
}

/// Where an event takes place.
#[derive(Clone, Copy)]
struct Places<'a> {
    /// The first byte, or the object; 0 if there is none.
    address: usize,
    locations: &'a [Location],
    /// What the explorer takes for them.
    explored: &'a [Location],
}

/// Whether a thread that is cancelled goes on from there.
const fn is_cancellation_point(pending: Pending) -> bool {
    match pending {
        Pending::Join(_) => true,
        Pending::Wait(wish, _) => wish.is_cancellation_point(),
        Pending::Access | Pending::Lock(_) => false,
    }
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
        heap: Heap,
    ) -> std::io::Result<Self> {
        Ok(Self {
            execution,
            monitors,
            reports: Vec::new(),
            watched: 0,
            numbers: Numbers::MayDiffer,
            recorder,
            threads: ThreadTable::default(),
            objects: ObjectTable::default(),
            keys: Keys::default(),
            wakeups: Wakeups::Signalled,
            explorer: Explorer::Bounded,
            heap,
            locals: Locals::default(),
            globals: Globals::save(),
            sites: Sites::new(),
            shadow: Shadow::new(crate::state::globals::image())?,
            locations: Vec::new(),
            running: Thread::MAIN,
            stack_floor: 0,
            way: Way::Plain,
            max_events: u32::MAX,
            memory: u64::MAX,
            idle_rounds: IdleRounds::default(),
            lasting_addresses: if layout::is_randomised() { 0 } else { u32::MAX },
            end: None,
            failed: Vec::new(),
            assumed: false,
            reports_before_left_block: None,
            void: false,
            run_twice: false,
            weak_failures: WeakFailures::default(),
            library: Library::default(),
            signals: Actions::new(),
            jumps: Jumps::default(),
            exits: Exits::new(),
            files: Files::new(),
            exited: Exited::default(),
            exit_status: ExitStatus::Ignored,
            planned: None,
            exited_at: Vec::new(),
            uninstrumented: BTreeSet::new(),
            assumptions: BTreeSet::new(),
            left_waiting: BTreeSet::new(),
            graph: None,
            last_external: None,
        })
    }

    /// Starts the next execution; false if there is none.
    pub(crate) fn begin(&mut self) -> bool {
        if !self.execution.begin() {
            return false;
        }
        self.globals.restore();
        self.heap.reset(&mut self.shadow);
        self.locals.reset(&mut self.shadow);
        self.shadow.begin();
        unwritten::begin();
        self.threads.reset();
        self.objects.reset();
        self.keys.reset();
        self.recorder.begin(self.execution.history.shared());
        self.begin_monitors();
        self.run_on(Thread::MAIN);
        self.way = Way::Plain;
        self.end = None;
        self.failed.clear();
        self.assumed = false;
        self.reports_before_left_block = None;
        self.void = false;
        self.weak_failures.begin();
        self.idle_rounds.begin();
        self.library = Library::default();
        self.signals.clear();
        self.jumps.reset();
        self.exits.reset();
        self.files.reset();
        self.exited = Exited::default();
        self.exited_at.clear();
        self.last_external = None;
        true
    }

    /// The monitors need not watch once more what they saw in the last execution, if all of them can go back to that.
    fn begin_monitors(&mut self) {
        let shared = self.execution.history.shared();
        let numbers = std::mem::replace(&mut self.numbers, Numbers::AsBefore);
        let repeats = numbers == Numbers::AsBefore && shared > 0 && !self.recorder.traces();
        // The monitors for which one execution of each class is enough come first, and can.
        if repeats && self.monitors.iter_mut().rev().all(|monitor| monitor.can_resume(shared)) {
            self.monitors.iter_mut().for_each(|monitor| monitor.resume(shared, &mut self.reports));
            self.watched = shared;
        } else {
            self.monitors.iter_mut().for_each(|monitor| monitor.begin());
            self.reports.clear();
            self.watched = 0;
        }
    }

    #[inline(always)]
    fn arrive(&mut self, pending: Pending, site: RecordPointer) -> Turn {
        let thread = self.running;
        self.threads.at(thread).stands_at = Record::known(site);
        let plain = pending == Pending::Access && self.way == Way::Plain && self.execution.state.waiting() == 0;
        if !plain || self.execution.history.length() >= self.max_events || self.is_off_stack() {
            return self.arrive_otherwise(pending, site);
        }
        match self.execution.pass() {
            Next::Run(next) if next == thread => Turn::Ours,
            next => self.obey(next),
        }
    }

    /// Whether this is not the running thread's stack, or its end.
    #[inline(always)]
    fn is_off_stack(&self) -> bool {
        stack_pointer().wrapping_sub(self.stack_floor) >= STACK_OF_THE_PROGRAM
    }

    #[inline(never)]
    fn arrive_otherwise(&mut self, pending: Pending, site: RecordPointer) -> Turn {
        if self.is_off_stack() {
            if !layout::is_stack(stack_pointer()) {
                GLOBAL.busy.store(false, Ordering::Relaxed);
                foreign::refuse(site);
            }
            self.end = Some(End::StackOverflow);
            return Turn::Other(Switch::End);
        }
        if self.way == Way::Alone {
            return Turn::Alone;
        }
        self.threads.at(self.running).block.arrive();
        if self.way == Way::Within && pending != Pending::Access && !self.execution.state.can_perform(pending) {
            return self.waits_in_block(pending, site);
        }
        if pending != Pending::Access {
            let state = self.threads.at(self.running);
            state.blocking.push((state.events, pending));
        }
        if is_cancellation_point(pending) && !self.waits_at_point() {
            let what = "a wait of a thread that is cancelled, under --explorer dpor".to_owned();
            self.end = Some(End::Unsupported { what, place: Record::behind(site).place() });
            return Turn::Other(Switch::End);
        }
        if self.execution.history.length() >= self.max_events {
            self.end = Some(End::MaxEvents);
            return Turn::Other(Switch::End);
        }
        match self.way {
            Way::Granted => {
                self.way = self.way_of(self.running);
                Turn::Ours
            }
            Way::Within => match self.execution.goes_on() {
                Next::Run(_) => Turn::Ours,
                next => self.obey(next),
            },
            _ => {
                self.execution.state.arrive(self.running, pending);
                self.next()
            }
        }
    }

    /// How a thread comes to its next operation that performs one now.
    fn way_of(&mut self, thread: Thread) -> Way {
        if self.threads.at(thread).block.is_entered() { Way::Within } else { Way::Plain }
    }

    /// The running thread cannot go on by itself: who does?
    pub(crate) fn next(&mut self) -> Turn {
        if let Way::FromStart(parent) = self.way {
            self.way = Way::Plain;
            return self.switch(parent, Switch::To(parent));
        }
        if self.execution.state.waiting() > 0 {
            self.wake_waiting();
        }
        let next = self.execution.choose();
        self.obey(next)
    }

    #[inline(never)]
    fn obey(&mut self, next: Next) -> Turn {
        match next {
            Next::Run(thread) => {
                let waits = std::mem::take(&mut self.threads.at(thread).waits);
                self.way = if waits { Way::Granted } else { self.way_of(thread) };
                self.switch(thread, Switch::To(thread))
            }
            Next::End(Ending::Diverged) => self.diverges(),
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
        self.run_on(thread);
        Turn::Other(switch)
    }

    /// From now on this thread's code runs.
    fn run_on(&mut self, thread: Thread) {
        self.running = thread;
        self.stack_floor = layout::stack(thread) + layout::GUARD + STACK_OF_A_HOOK;
    }

    /// The running thread has created this one, which runs up to its first operation before anything else happens.
    pub(crate) fn start(&mut self, child: Thread) -> Turn {
        self.way = Way::FromStart(self.running);
        self.switch(child, Switch::Start(child))
    }

    /// From now on this thread's code runs alone, for execution graphs.
    pub(crate) fn run_for_graph(&mut self, thread: Thread) {
        self.run_on(thread);
        self.way = Way::Alone;
        self.end = None;
    }

    /// What the process remembers is as before `main`.
    pub(crate) fn restart_process(&mut self) {
        self.library = Library::default();
        self.signals.clear();
        self.jumps.reset();
        self.exits.reset();
        self.files.reset();
        self.last_external = None;
    }

    /// From now on the program is run for the execution graphs of this model, with so many rounds of each loop.
    pub(crate) fn run_for_graphs(&mut self, model: MemoryModel, unroll: Option<u64>) {
        self.graph = Some(Box::new(Graph::new(model, unroll)));
        graph::switch_on();
        if model == MemoryModel::Power {
            self.assumptions.insert("dependencies are those of the source: a compiler may break some");
        }
        self.recorder.trace();
        self.begin();
    }

    /// The running thread ends.
    pub(crate) fn end_thread(&mut self) -> Switch {
        if let Some(failure) = self.block_left_open().or_else(|| self.unfinished(self.running)) {
            self.end = Some(End::Failed(failure));
            return Switch::End;
        }
        if matches!(self.way, Way::Granted | Way::Opening | Way::Within) {
            self.way = Way::Plain;
        }
        self.execution.state.end_thread(self.running);
        match self.next() {
            Turn::Other(switch) => switch,
            Turn::Ours | Turn::Alone => unreachable!("a thread that has ended is not chosen"),
        }
    }

    /// The running thread has left its fiber without coming to its end: who goes on?
    pub(crate) fn give_up(&mut self) -> Turn {
        self.leave_open_block();
        self.execution.state.give_up(self.running);
        self.next()
    }

    /// The running thread does not go on, also if it is in the middle of an atomic block.
    pub(crate) fn leave_open_block(&mut self) {
        if matches!(self.way, Way::Granted | Way::Opening | Way::Within) {
            self.way = Way::Plain;
        }
        if self.threads.of(self.running).block.is_entered() {
            self.execution.notify(Notice::BlockLeft);
            self.reports_before_left_block.get_or_insert(self.reports.len());
        }
    }

    /// The running thread yields. One that was chosen out of a wait loop has its turn already.
    pub(crate) fn yields(&mut self) {
        if !matches!(self.way, Way::Granted | Way::Within) {
            self.execution.state.yields(self.running);
        }
    }

    /// Reports an access that the running thread has performed.
    #[inline(always)]
    pub(crate) fn access(&mut self, access: Access) -> Turn {
        if self.recorder.traces()
            && let Some(turn) = self.trace_access(&access)
        {
            return turn;
        }
        self.note_for_waits(&access);
        let Access { address, width, kind, barriers, operation, site, before, after, expected } = access;
        let note = Note { site, operation };
        let values = Values::Known { before, after, expected };
        match self.shadow.known(address, width) {
            Some(location) => self.event(kind, barriers, note, address, &[location], values),
            // A copy of its own: one that lived from the start would keep the fields out of registers.
            None => self.locate_narrow(&Access { ..access }),
        }
    }

    /// Keeps what a trace needs of an access; for an execution graph that is all.
    #[cold]
    #[inline(never)]
    fn trace_access(&mut self, access: &Access) -> Option<Turn> {
        if self.way == Way::Alone {
            return Some(self.record_in_graph(access));
        }
        let &Access { address, width, before, after, .. } = access;
        self.recorder.detail(Detail { address, width: width.into(), before, after, ..Detail::default() });
        None
    }

    /// Goes on with an access to a new location or to several.
    #[cold]
    fn locate_narrow(&mut self, access: &Access) -> Turn {
        let &Access { address, width, kind, barriers, operation, site, before, after, .. } = access;
        let (before, after) = (before.to_le_bytes(), after.to_le_bytes());
        let (before, after) = (&before[..usize::from(width)], &after[..usize::from(width)]);
        self.locate(&WideAccess { address, kind, barriers, operation, site, before, after })
    }

    /// The same for any number of bytes.
    fn locate(&mut self, access: &WideAccess<'_>) -> Turn {
        if let Some(failure) = self.refuse(access) {
            if self.explorer == Explorer::Dpor {
                self.note_refused(access);
            }
            self.end = Some(End::Failed(failure));
            return Turn::Other(Switch::End);
        }
        let &WideAccess { address, kind, barriers, operation, site, before, .. } = access;
        let (width, note) = (before.len(), Note { site, operation });
        let mut locations = std::mem::take(&mut self.locations);
        if self.shadow.locate(address, width, &mut locations) == Cut::Yes {
            self.void = true;
        }
        let turn = self.event_in_order(kind, barriers, note, address, &mut locations);
        self.locations = locations;
        turn
    }

    /// Takes an event on locations into the execution. To the explorer they are in the order of their addresses, in which
    /// they stand here, which is the same in every process; to the monitors in that of their numbers.
    fn event_in_order(
        &mut self,
        kind: Kind,
        barriers: Barriers,
        note: Note,
        address: usize,
        locations: &mut Vec<Location>,
    ) -> Turn {
        if self.explorer != Explorer::Dpor || locations.len() < 2 {
            locations.sort_unstable();
            return self.event(kind, barriers, note, address, locations, Values::Unknown);
        }
        let explored = locations.clone();
        self.tell_where(&explored);
        locations.sort_unstable();
        let places = Places { address, locations, explored: &explored };
        self.event_on(kind, barriers, note, places, Values::Unknown)
    }

    /// Reports an indivisible access to any number of bytes that the running thread has performed.
    #[cold]
    pub(crate) fn wide_access(&mut self, access: &WideAccess<'_>) -> Turn {
        self.note_wide_for_waits(std::slice::from_ref(access));
        if self.recorder.traces() {
            self.recorder.detail(Detail::wide(access.address, access.before, access.after));
        }
        self.locate(access)
    }

    /// Reports an indivisible access of one kind to several pieces of memory, at least one, that the running thread is
    /// about to perform. Traces show the first of them.
    #[cold]
    pub(crate) fn scattered_access(&mut self, pieces: &[WideAccess<'_>]) -> Turn {
        self.note_wide_for_waits(pieces);
        let &WideAccess { address, kind, barriers, operation, site, before, after } = &pieces[0];
        if self.recorder.traces() {
            self.recorder.detail(Detail::wide(address, before, after));
        }
        for piece in pieces {
            if let Some(failure) = self.refuse(piece) {
                if self.explorer == Explorer::Dpor {
                    self.note_refused(piece);
                }
                self.end = Some(End::Failed(failure));
                return Turn::Other(Switch::End);
            }
        }
        let (mut all, mut some) = (Vec::new(), Vec::new());
        for piece in pieces {
            self.void |= self.shadow.locate(piece.address, piece.before.len(), &mut some) == Cut::Yes;
            all.append(&mut some);
        }
        event::make_distinct(&mut all);
        self.event_in_order(kind, barriers, Note { site, operation }, address, &mut all)
    }

    /// Takes an access that failed into the execution, so that the explorer knows what it has to do with others. The
    /// monitors are told of an event that means nothing to them.
    fn note_refused(&mut self, access: &WideAccess<'_>) {
        let &WideAccess { address, kind, operation, site, before, .. } = access;
        let known = self.shadow.locations();
        let mut locations = Vec::new();
        let cut = self.shadow.locate(address, before.len(), &mut locations);
        // What was hidden before this access was known has to be hidden once more.
        self.void |= cut == Cut::Yes || self.shadow.locations() > known;
        // These bytes may be nobody's: the next access to them has to be refused, too.
        self.shadow.hide(address..address + before.len());
        drop(self.shadow.take_hidden());
        self.note_failed(kind, &locations, Note { site, operation });
        if self.recorder.traces() {
            self.recorder.detail(Detail { address, width: before.len() as u32, ..Detail::default() });
            self.recorder.buffers(&mut self.monitors);
        }
    }

    /// The same of an operation on an object in memory that may not be accessed.
    pub(crate) fn note_refused_operation(&mut self, kind: Kind, note: Note, address: usize) {
        if self.explorer != Explorer::Dpor {
            return;
        }
        self.note_failed(kind, &[], note);
        if self.recorder.traces() {
            self.recorder.detail(Detail { address, ..Detail::default() });
            self.recorder.buffers(&mut self.monitors);
        }
    }

    fn note_failed(&mut self, kind: Kind, locations: &[Location], note: Note) {
        let target = locations.first().map_or(0, |location| location.0);
        let (thread, site) = (self.running, self.sites.site(note.site));
        self.tell_where(locations);
        let repeats = self.execution.history.repeats();
        let performed = self.execution.performed(Step { thread, site, kind, target }, locations, Values::Unknown);
        if performed.is_ok() && !repeats {
            self.recorder.event(note);
        }
        let event = Event { thread, site, kind: Kind::Fence, before: Barrier::None, after: Barrier::None, order: None };
        if self.execution.history.length() > self.watched {
            for monitor in &mut self.monitors {
                monitor.event(&event, &[], &mut self.reports);
            }
        }
    }

    /// Reports an operation on an object or a thread.
    /// `object` is the address of the object that it is about, or 0.
    pub(crate) fn no_access(
        &mut self,
        kind: Kind,
        before: Barrier,
        operation: Operation,
        site: RecordPointer,
        object: usize,
    ) -> Turn {
        self.has_effect();
        self.unlasting(kind, before, operation, site, object)
    }

    /// Reports an event that is no access and has no effect but the changes of objects that were noted.
    pub(crate) fn unlasting(
        &mut self,
        kind: Kind,
        before: Barrier,
        operation: Operation,
        site: RecordPointer,
        object: usize,
    ) -> Turn {
        self.threads.at(self.running).events += 1;
        if self.recorder.traces() {
            self.recorder.detail(Detail { address: object, ..Detail::default() });
        }
        // An attempt that failed synchronises with nothing.
        let order = if operation.gets_nothing() { Order::Relaxed } else { Order::AcquireRelease };
        let barriers = Barriers { before, after: Barrier::None, order: Some(order) };
        self.event(kind, barriers, Note { site, operation }, object, &[], Values::Unknown)
    }

    /// Reports a fence.
    pub(crate) fn fence(&mut self, barrier: Barrier, order: Order, site: RecordPointer) -> Turn {
        self.threads.at(self.running).events += 1;
        if self.recorder.traces() {
            self.recorder.detail(Detail::default());
        }
        let barriers = Barriers { before: barrier, after: Barrier::None, order: Some(order) };
        self.event(Kind::Fence, barriers, Note { site, operation: Operation::Fence }, 0, &[], Values::Unknown)
    }

    /// Reports an event on several pieces of memory, one of which is no program's, with full fences on both sides.
    pub(crate) fn queue_event(&mut self, pieces: &[(usize, u8)], kind: Kind, note: Note, detail: Detail) -> Turn {
        let state = self.threads.at(self.running);
        state.events += 1;
        state.effects += 1;
        if self.recorder.traces() {
            self.recorder.detail(Detail { pieces: pieces.to_vec(), ..detail });
        }
        let (mut all, mut some, mut memory) = (Vec::new(), Vec::new(), Vec::new());
        for &(address, width) in pieces {
            if self.shadow.locate(address, width.into(), &mut some) == Cut::Yes {
                self.void = true;
            }
            if address & QUEUE == 0 {
                memory.extend_from_slice(&some);
            }
            all.append(&mut some);
        }
        event::make_distinct(&mut memory);
        all.sort_unstable();
        all.dedup();
        let order = Some(Order::SequentiallyConsistent);
        let barriers = Barriers { before: Barrier::Full, after: Barrier::Full, order };
        let address = pieces.first().map_or(0, |&(address, _)| address);
        if self.explorer == Explorer::Dpor {
            // To the explorer the queue is an object.
            self.tell_where(&memory);
            let places = Places { address, locations: &all, explored: &memory };
            return self.event_on(kind, barriers, note, places, Values::Unknown);
        }
        self.event(kind, barriers, note, address, &all, Values::Unknown)
    }

    /// Reports an access to the word of an object, which is a location of its own: others cannot tell how the program's
    /// memory looks there.
    pub(crate) fn word_event(
        &mut self,
        kind: Kind,
        object: Object,
        effect: Effect,
        note: Note,
        address: usize,
    ) -> Turn {
        self.threads.at(self.running).events += 1;
        let word = address | QUEUE;
        if self.recorder.traces() {
            self.recorder.detail(Detail { address, pieces: vec![(word, 1)], ..Detail::default() });
        }
        if !matches!(kind, Kind::Await(_)) {
            self.execution.at_hand.touches(object);
        }
        let mut locations = Vec::new();
        self.void |= self.shadow.locate(word, 1, &mut locations) == Cut::Yes;
        let after = if effect.drains() { Barrier::Full } else { Barrier::None };
        let barriers = Barriers { before: effect.before(), after, order: Some(effect.order()) };
        // To the explorer it is the object.
        let explored: &[Location] = if self.explorer == Explorer::Dpor { &[] } else { &locations };
        let places = Places { address, locations: &locations, explored };
        self.event_on(kind, barriers, note, places, Values::Unknown)
    }

    /// Takes an event on an address, or 0, into the execution.
    #[inline(always)]
    fn event(
        &mut self,
        kind: Kind,
        barriers: Barriers,
        note: Note,
        address: usize,
        locations: &[Location],
        values: Values,
    ) -> Turn {
        self.event_on(kind, barriers, note, Places { address, locations, explored: locations }, values)
    }

    /// The same. Last come the monitors: little has to be kept in registers over their call.
    #[inline(always)]
    fn event_on(&mut self, kind: Kind, barriers: Barriers, note: Note, places: Places<'_>, values: Values) -> Turn {
        let Places { address, locations, explored } = places;
        faults::progress();
        let site = self.sites.site(note.site);
        let thread = self.running;
        let target = address as u32 & self.lasting_addresses;
        let repeats = self.execution.history.repeats();
        let performed = self.execution.performed(Step { thread, site, kind, target }, explored, values);
        if !repeats {
            self.recorder.event(note);
        } else if performed.is_err() {
            let turn = self.diverges();
            self.recorder.event(note);
            return turn;
        }
        if self.execution.history.length() <= self.watched {
            return Turn::Ours;
        }
        let (kind, barriers) = if self.way == Way::Within { interlocked(kind, barriers) } else { (kind, barriers) };
        let Barriers { before, after, order } = barriers;
        let event = Event { thread, site, kind, before, after, order };
        for monitor in &mut self.monitors {
            monitor.event(&event, locations, &mut self.reports);
        }
        if self.recorder.traces() {
            self.recorder.performed(event, locations.len(), &mut self.monitors, note);
        }
        Turn::Ours
    }

    /// Tells the explorer where the locations lie that the next event touches together.
    fn tell_where(&mut self, explored: &[Location]) {
        for &location in explored {
            let address = self.shadow.lasting_address_of(location);
            self.execution.notify(Notice::Lies { location, address });
        }
    }

    /// The program does not do what it did before.
    #[cold]
    pub(crate) fn diverges(&mut self) -> Turn {
        self.recorder.keep(self.execution.history.length());
        self.end = Some(End::Nobody(Ending::Diverged));
        Turn::Other(Switch::End)
    }

    /// Whether what is no event, but concerns others, is a step of its own to the explorer.
    pub(crate) fn steps_aside(&self) -> bool {
        self.explorer == Explorer::Dpor && self.graph.is_none()
    }

    /// Takes the step of the running thread into the execution that concerns whoever touches these locations or objects.
    /// The monitors are told of an event that means nothing to them.
    pub(crate) fn concerns(&mut self, locations: &[Location], objects: &[Object], note: Note, address: usize) -> Turn {
        if self.steps_aside() { self.step(locations, objects, note, address) } else { Turn::Ours }
    }

    /// Takes the step of the running thread into the execution, under every explorer, that concerns whoever operates on
    /// this object.
    pub(crate) fn steps_on(&mut self, object: Object, note: Note, address: usize) -> Turn {
        if self.graph.is_some() {
            return Turn::Ours;
        }
        self.step(&[], &[object], note, address)
    }

    fn step(&mut self, locations: &[Location], objects: &[Object], note: Note, address: usize) -> Turn {
        self.threads.at(self.running).events += 1;
        if self.recorder.traces() {
            self.recorder.detail(Detail { address, ..Detail::default() });
        }
        self.execution.at_hand.concerns(objects);
        self.tell_where(locations);
        let barriers = Barriers { before: Barrier::None, after: Barrier::None, order: None };
        let places = Places { address, locations: &[], explored: locations };
        self.event_on(Kind::Fence, barriers, note, places, Values::Unknown)
    }

    /// Whether the running thread leaves local variables that others may know of, which is a step of its own: all but the
    /// first so many.
    pub(crate) fn leaves_aside(&self, depth: usize) -> bool {
        self.steps_aside() && self.locals.depth(self.running) > depth
    }

    /// The running thread leaves all but the first so many of its local variables.
    pub(crate) fn leave_locals(&mut self, depth: usize) -> Turn {
        let aside = self.leaves_aside(depth);
        self.locals.leave(self.running, depth, &mut self.shadow);
        let hidden = self.shadow.take_hidden();
        let note = Note { site: self.threads.stands_at(self.running), operation: Operation::Leave };
        if aside { self.concerns(&hidden, &[], note, 0) } else { Turn::Ours }
    }

    /// A block was freed, or was to be freed once more, in which these objects were.
    pub(crate) fn freed(&mut self, address: usize, objects: &[Object], site: RecordPointer) -> Turn {
        let mut hidden = self.shadow.take_hidden();
        if hidden.is_empty() && self.steps_aside() {
            // Whoever frees it once more has to do with this, even if nobody ever accessed it.
            self.void |= self.shadow.locate(address, 1, &mut hidden) == Cut::Yes;
            self.shadow.hide(address..address + 1);
            drop(self.shadow.take_hidden());
        }
        self.concerns(&hidden, objects, Note { site, operation: Operation::Free }, address)
    }

    /// The running thread did something that another round of its loop would not undo.
    pub(crate) fn has_effect(&mut self) {
        self.threads.at(self.running).effects += 1;
    }
}
