//! The state of the program under control, which hooks get by [`with`], and the ways in which they end an execution.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicPtr, Ordering};

use engine::event::{Location, Thread};
use engine::execution::Execution;
use engine::monitor::Monitor;
use protocol::{Explorer, FailureKind, Operation, Role};

use crate::process::fiber::{self, Switch};
use crate::process::sites::{Record, RecordPointer, Sites, call_site};
use crate::process::{busy, foreign, layout};
use crate::state::buffers::BufferedMemory;
use crate::state::conclusion::Conclusion;
use crate::state::failure::{Failure, site_use};
use crate::state::graph::Graph;
use crate::state::heap::Heap;
use crate::state::idle_rounds::IdleRounds;
use crate::state::memory::Memory;
use crate::state::objects::{Call, Class, ObjectTable, Use};
use crate::state::process::Process;
use crate::state::recorder::Recorder;
use crate::state::remarks::Remarks;
use crate::state::settings::Settings;
use crate::state::threads::ThreadTable;
use crate::state::turn::{End, Way};
use crate::state::watch::Watch;
use crate::state::weak_failures::WeakFailures;
use crate::state::{globals, unwritten};

/// The runtime: its parts, none of which knows another one.
pub(crate) struct Runtime {
    pub(crate) execution: Execution,
    pub(crate) watch: Watch,
    pub(crate) recorder: Recorder,
    pub(crate) threads: ThreadTable,
    pub(crate) objects: ObjectTable,
    pub(crate) memory: Memory,
    pub(crate) process: Process,
    pub(crate) conclusion: Conclusion,
    pub(crate) settings: Settings,
    pub(crate) remarks: Remarks,
    pub(crate) sites: Sites,
    pub(crate) idle_rounds: IdleRounds,
    /// The weak compare-and-exchanges that may fail although they could succeed.
    pub(crate) weak_failures: WeakFailures,
    /// The search for execution graphs, if the program is run for those.
    pub(crate) graph: Option<Box<Graph>>,
    /// The store buffers, if the program runs on a machine that has some.
    pub(crate) buffers: Option<Box<BufferedMemory>>,
    /// The thread whose code runs.
    pub(crate) running: Thread,
    /// The address at which the running thread's stack is nearly used up.
    pub(crate) stack_floor: usize,
    /// The way in which the running thread comes to its next operation.
    pub(crate) way: Way,
    /// The locations of the access at hand if it has several; kept to reuse the allocation.
    pub(crate) locations: Vec<Location>,
    /// The bits of an address that are the same in every process: none if the system randomises addresses.
    pub(crate) lasting_addresses: u32,
    /// Whether the first execution has been run once to its end.
    pub(crate) run_twice: bool,
}

/// The bytes of stack that a hook may use: with less left, the program has overflowed its stack.
const STACK_OF_A_HOOK: usize = 64 << 10;

/// The bytes of a stack above its floor.
pub(crate) const STACK_OF_THE_PROGRAM: usize = layout::STACK - layout::GUARD - STACK_OF_A_HOOK;

/// Returns an address near the top of the running stack.
#[inline(always)]
pub(crate) fn stack_pointer() -> usize {
    let here = 0_u8;
    &raw const here as usize
}

/// The runtime, or null as long as there is none.
static RUNTIME: AtomicPtr<Runtime> = AtomicPtr::new(std::ptr::null_mut());

/// Installs the runtime: from now on hooks are under control.
pub(crate) fn install(runtime: Runtime) {
    RUNTIME.store(Box::into_raw(Box::new(runtime)), Ordering::Relaxed);
}

/// The runtime at work: while this guard lives, the code that runs is the runtime's own.
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

/// Returns the runtime, if there is one: before `main` there is none, and hooks act as plain C. Nobody else may be at
/// work.
#[inline(always)]
pub(crate) fn at_work() -> Option<AtWork> {
    let runtime = RUNTIME.load(Ordering::Relaxed);
    if busy::is_busy() {
        wait_for_foreign_threads();
    }
    // SAFETY: null, or the address of a box that lives as long as the process; the runtime is used on one OS thread
    // alone, and no `AtWork` lives, as was just checked: this is the only reference.
    let runtime = unsafe { runtime.as_mut() }?;
    busy::set(true);
    Some(AtWork { runtime })
}

/// Waits until the runtime is no longer at work, when somebody asks for it meanwhile. A thread that a library has
/// started waits, and is then refused at the place of its own hook; the controlled thread waits a moment for such a
/// thread to be refused. The runtime itself may not ask.
#[cold]
#[inline(never)]
fn wait_for_foreign_threads() {
    let mut rounds = 0;
    while busy::is_busy() {
        assert!(foreign::is_this_thread() || rounds < PATIENCE, "the runtime is asked for by itself");
        rounds += 1;
        std::thread::yield_now();
    }
}

/// The most rounds of waiting, of about a microsecond each: more than it takes to refuse a thread.
const PATIENCE: u32 = 100_000;

/// Runs `work` on the runtime, if there is one. `work` must keep to what [`AtWork`] demands of its holder.
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
    with(|runtime| runtime.conclusion.end = Some(end));
    fiber::abandon(Switch::End)
}

impl Runtime {
    /// Makes the runtime of a program whose variables are now as they are before `main`.
    ///
    /// # Errors
    /// Returns the system's error if address space cannot be reserved.
    pub(crate) fn new(
        execution: Execution,
        monitors: Vec<Box<dyn Monitor>>,
        recorder: Recorder,
        heap: Heap,
    ) -> std::io::Result<Self> {
        Ok(Self {
            execution,
            watch: Watch::new(monitors),
            recorder,
            threads: ThreadTable::default(),
            objects: ObjectTable::default(),
            memory: Memory::new(heap)?,
            process: Process::new(),
            conclusion: Conclusion::default(),
            settings: Settings::new(),
            remarks: Remarks::default(),
            sites: Sites::new(),
            idle_rounds: IdleRounds::default(),
            weak_failures: WeakFailures::default(),
            graph: None,
            buffers: None,
            running: Thread::MAIN,
            stack_floor: 0,
            way: Way::Plain,
            locations: Vec::new(),
            lasting_addresses: if layout::is_randomised() { 0 } else { u32::MAX },
            run_twice: false,
        })
    }

    /// Begins the next execution; returns false if there is none.
    pub(crate) fn begin(&mut self) -> bool {
        if !self.execution.begin() {
            return false;
        }
        if let Some(buffers) = &mut self.buffers {
            buffers.begin();
        }
        self.memory.begin();
        self.threads.reset();
        self.objects.reset();
        let shared = self.execution.history.shared();
        self.recorder.trail.begin(shared);
        self.watch.begin(shared, self.recorder.trail.traces());
        globals::start_thread(Thread::MAIN);
        self.run_on(Thread::MAIN);
        self.way = Way::Plain;
        self.conclusion.begin();
        self.weak_failures.begin();
        self.idle_rounds.begin();
        self.process.begin();
        self.remarks.last_external = None;
        true
    }

    /// Makes this thread the one whose code runs.
    pub(crate) fn run_on(&mut self, thread: Thread) {
        self.running = thread;
        if let Some(buffers) = &mut self.buffers {
            buffers.show(thread);
        }
        self.stack_floor = layout::stack(thread) + layout::GUARD + STACK_OF_A_HOOK;
    }

    /// Makes this thread the one whose code runs, alone, for execution graphs.
    pub(crate) fn run_for_graph(&mut self, thread: Thread) {
        globals::start_thread(thread);
        self.run_on(thread);
        self.way = Way::Alone;
        self.conclusion.end = None;
    }

    /// Resets the state of the process as before `main`.
    pub(crate) fn restart_process(&mut self) {
        self.process.restart();
        self.remarks.last_external = None;
    }

    /// Returns the state of the search for graphs, which there must be.
    pub(crate) fn graph_mut(&mut self) -> &mut Graph {
        self.graph.as_deref_mut().expect("the program is run for execution graphs")
    }

    /// Whether an operation that is no event, but concerns others, is a step of its own to the explorer.
    pub(crate) fn steps_aside(&self) -> bool {
        self.settings.explorer == Explorer::Dpor && self.graph.is_none()
    }

    /// Notes that the running thread did something that another round of its loop would not undo.
    pub(crate) fn has_effect(&mut self) {
        self.threads.at(self.running).effects += 1;
    }
}

/// Ends the execution as failed at this place of the running thread.
pub(crate) fn fail(kind: FailureKind, message: String, site: RecordPointer, operation: Operation) -> ! {
    let thread = with(|runtime| runtime.running).unwrap_or(Thread::MAIN);
    let sites = vec![site_use(Role::At, thread, site, operation)];
    end_execution(End::Failed(Failure::new(kind, message, sites)))
}

/// Ends the exploration, since the program does something here that cannot be run under control.
pub(crate) fn unsupported(what: &str, site: RecordPointer) -> ! {
    end_execution(End::Unsupported { what: what.to_owned(), place: Record::behind(site).place() })
}

/// Ends the execution, since the call breaks its contract. `what` goes on after the function's name.
pub(crate) fn misuse(call: Call, what: &str, earlier: Option<Use>) -> ! {
    let thread = with(|runtime| runtime.running).unwrap_or(Thread::MAIN);
    let mut sites = vec![site_use(Role::At, thread, call.site, call.operation())];
    sites.extend(earlier.map(|used| site_use(Role::Earlier, used.thread, used.site, used.operation)));
    let message = format!("{} {what}", call.name);
    end_execution(End::Failed(Failure::new(FailureKind::Misuse, message, sites)))
}

/// Makes a call that stands for what is done at the end of a thread, after the last operation that it stood before.
pub(crate) fn at_the_end() -> Call {
    let site = with(|runtime| runtime.threads.stands_at(runtime.running)).unwrap_or(std::ptr::null());
    Call { name: "the end of the thread", site, address: 0 }
}

/// Fills the memory of an object with a byte.
pub(crate) fn fill(call: Call, class: Class, value: u8) {
    with(|runtime| {
        // A variable that is written like this is restored whole.
        runtime.memory.globals.written_unseen();
        let event = runtime.execution.history.length();
        if let Some(buffers) = &mut runtime.buffers {
            buffers.written_over(event, call.address..call.address + class.size());
        }
    });
    // SAFETY: the program passes memory for an object of this class.
    unsafe { std::ptr::write_bytes(call.address as *mut u8, value, class.size()) };
    unwritten::written(call.address, class.size());
}
