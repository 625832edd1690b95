//! The state of the program under control, and the two things that every hook does: ask for its turn, report the event.

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicPtr, Ordering};

use engine::event::{Location, Thread};
use engine::execution::Execution;
use engine::monitor::{Monitor, Report};
use protocol::{ExitStatus, Explorer, FailureKind, LeftWaiting, Operation, Role, Wakeups};

use crate::process::fiber::{self, Switch};
use crate::process::sites::{Record, RecordPointer, Sites, call_site};
use crate::process::{busy, foreign, layout};
use crate::state::exited::Exited;
use crate::state::exits::Exits;
use crate::state::failure::{Extent, Failure, site_use};
use crate::state::files::Files;
use crate::state::globals::{self, Globals};
use crate::state::graph::Graph;
use crate::state::heap::Heap;
use crate::state::idle_rounds::IdleRounds;
use crate::state::jumps::Jumps;
use crate::state::keys::Keys;
use crate::state::library::Library;
use crate::state::locals::Locals;
use crate::state::objects::{Call, Class, ObjectTable, Use};
use crate::state::recorder::Recorder;
use crate::state::shadow::Shadow;
use crate::state::signals::Actions;
use crate::state::threads::ThreadTable;
use crate::state::turn::{End, Way};
use crate::state::unwritten;
use crate::state::weak_failures::WeakFailures;

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
    pub(crate) watched: u32,
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
    pub(crate) locations: Vec<Location>,
    /// The thread whose code runs.
    pub(crate) running: Thread,
    /// Where its stack is nearly used up.
    pub(crate) stack_floor: usize,
    pub(crate) way: Way,
    pub(crate) max_events: u32,
    /// Bytes that may be kept of what is still to be run.
    pub(crate) memory: u64,
    pub(crate) idle_rounds: IdleRounds,
    /// The bits of an address that are the same in every process: none where the system randomises addresses.
    pub(crate) lasting_addresses: u32,
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
pub(crate) const STACK_OF_THE_PROGRAM: usize = layout::STACK - layout::GUARD - STACK_OF_A_HOOK;

/// Where the stack has come to, nearly.
#[inline(always)]
pub(crate) fn stack_pointer() -> usize {
    let here = 0_u8;
    &raw const here as usize
}

/// Null as long as there is none.
static RUNTIME: AtomicPtr<Runtime> = AtomicPtr::new(std::ptr::null_mut());

/// Puts the runtime in place: from now on hooks are under control.
pub(crate) fn install(runtime: Runtime) {
    RUNTIME.store(Box::into_raw(Box::new(runtime)), Ordering::Relaxed);
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
        busy::set(false);
    }
}

/// The runtime, if there is one: before `main` there is none, and hooks act as plain C. Nobody else is at work.
#[inline(always)]
pub(crate) fn at_work() -> Option<AtWork> {
    let runtime = RUNTIME.load(Ordering::Relaxed);
    if busy::is_busy() {
        is_at_work_already();
    }
    // SAFETY: null, or of a box that lives as long as the process; there is one under control alone, on one OS thread,
    // and no `AtWork` lives, as was just asked: this is the only reference.
    let runtime = unsafe { runtime.as_mut() }?;
    busy::set(true);
    Some(AtWork { runtime })
}

/// Somebody asks for the runtime who may not have it: a thread that a library has started, or the runtime itself.
#[cold]
#[inline(never)]
fn is_at_work_already() -> ! {
    if foreign::is_this_thread() {
        foreign::refuse(call_site());
    }
    panic!("the runtime is asked for by itself");
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

/// Ends the execution from within a thread.
pub(crate) fn end_execution(end: End) -> ! {
    with(|runtime| runtime.end = Some(end));
    fiber::abandon(Switch::End)
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
            shadow: Shadow::new(crate::process::sections::image())?,
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
        self.recorder.trail.begin(self.execution.history.shared());
        self.begin_monitors();
        globals::start_thread(Thread::MAIN);
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
        let repeats = numbers == Numbers::AsBefore && shared > 0 && !self.recorder.trail.traces();
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

    /// From now on this thread's code runs.
    pub(crate) fn run_on(&mut self, thread: Thread) {
        self.running = thread;
        self.stack_floor = layout::stack(thread) + layout::GUARD + STACK_OF_A_HOOK;
    }

    /// From now on this thread's code runs alone, for execution graphs.
    pub(crate) fn run_for_graph(&mut self, thread: Thread) {
        globals::start_thread(thread);
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

    /// The state of the search for graphs, which there is.
    pub(crate) fn graph_mut(&mut self) -> &mut Graph {
        self.graph.as_deref_mut().expect("the program is run for execution graphs")
    }

    /// Whether what is no event, but concerns others, is a step of its own to the explorer.
    pub(crate) fn steps_aside(&self) -> bool {
        self.explorer == Explorer::Dpor && self.graph.is_none()
    }

    /// The running thread did something that another round of its loop would not undo.
    pub(crate) fn has_effect(&mut self) {
        self.threads.at(self.running).effects += 1;
    }
}

/// Ends the execution as failed at this place of the running thread.
pub(crate) fn fail(kind: FailureKind, message: String, site: RecordPointer, operation: Operation) -> ! {
    let thread = with(|runtime| runtime.running).unwrap_or(Thread::MAIN);
    let sites = vec![site_use(Role::At, thread, site, operation)];
    end_execution(End::Failed(Failure { kind, message, sites, program_counter: None }))
}

/// Ends the exploration: the program does something here that cannot be run under control.
pub(crate) fn unsupported(what: &str, site: RecordPointer) -> ! {
    end_execution(End::Unsupported { what: what.to_owned(), place: Record::behind(site).place() })
}

/// Ends the execution: the call breaks its contract. `what` goes on after the function's name.
pub(crate) fn misuse(call: Call, what: &str, earlier: Option<Use>) -> ! {
    let thread = with(|runtime| runtime.running).unwrap_or(Thread::MAIN);
    let mut sites = vec![site_use(Role::At, thread, call.site, call.operation())];
    sites.extend(earlier.map(|used| site_use(Role::Earlier, used.thread, used.site, used.operation)));
    let message = format!("{} {what}", call.name);
    end_execution(End::Failed(Failure { kind: FailureKind::Misuse, message, sites, program_counter: None }))
}

/// What is done at the end of a thread, after the last operation that it stood before.
pub(crate) fn at_the_end() -> Call {
    let site = with(|runtime| runtime.threads.stands_at(runtime.running)).unwrap_or(std::ptr::null());
    Call { name: "the end of the thread", site, address: 0 }
}

/// Fills the memory of an object.
pub(crate) fn fill(call: Call, class: Class, value: u8) {
    // A variable that is written like this is restored whole.
    with(|runtime| runtime.globals.written_unseen());
    // SAFETY: the program passes memory for an object of this class.
    unsafe { std::ptr::write_bytes(call.address as *mut u8, value, class.size()) };
    unwritten::written(call.address, class.size());
}
