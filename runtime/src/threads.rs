//! Threads: `pthread_create`, `join`, `self`, `equal`, `exit`, `detach`, and the yields.

use std::ffi::{c_int, c_uint, c_void};

use engine::event::{Barrier, Kind, Thread};
use engine::execution::{Pending, Status, TooManyThreads};
use engine::per_thread::PerThread;
use engine::visits::Visits;
use protocol::{Kind as Violated, Role};

use crate::fiber::{self, Switch};
use crate::process;
use crate::recorder::{Failure, Operation, site_use};
use crate::runtime::{End, Runtime, end_execution, turn, with};
use crate::sites::{Record, RecordPointer};
use crate::waits::{Change, Mark, Read, Thing};

/// The function that a thread runs.
pub(crate) type Body = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// What the runtime knows of a thread in this execution.
#[derive(Default)]
pub(crate) struct ThreadState {
    body: Option<(Body, usize)>,
    result: usize,
    claimed: Option<Claim>,
    /// Where it stood last.
    pub(crate) stands_at: Option<&'static Record>,
    /// What it has read, for wait loops.
    pub(crate) reads: Vec<Read>,
    /// What it has changed.
    pub(crate) changes: Vec<Change>,
    /// How many times it has done something else that is not undone.
    pub(crate) effects: u64,
    /// How many blocks it has freed.
    pub(crate) frees: u64,
    /// How many events it has performed.
    pub(crate) events: u64,
    /// Its operations that may have had to wait, by how many events it had performed before.
    pub(crate) blocking: Vec<(u64, Pending)>,
    /// The loops that it is in.
    pub(crate) visits: Visits<RecordPointer, Mark>,
    /// It is in a wait loop, and what it waits for are its reads from this one on.
    pub(crate) waits: bool,
    pub(crate) waits_for: usize,
    /// What the iteration changed in passing.
    pub(crate) passing: Vec<Thing>,
}

/// Who takes a thread's end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    Joined,
    Detached,
}

/// The threads, by number.
#[derive(Default)]
pub(crate) struct ThreadTable {
    states: PerThread<ThreadState>,
    /// One more than the highest number that was created so far; at first 0.
    used: usize,
}

impl ThreadTable {
    /// Forgets the last execution.
    pub(crate) fn reset(&mut self) {
        self.reserve(Thread::MAIN);
        for state in self.states.first(self.used) {
            state.body = None;
            state.claimed = None;
            state.reads.clear();
            state.changes.clear();
            state.blocking.clear();
            state.visits.clear();
            (state.effects, state.frees, state.events) = (0, 0, 0);
            state.waits = false;
        }
    }

    fn reserve(&mut self, thread: Thread) {
        self.used = self.used.max(thread.index() + 1);
    }

    #[inline]
    pub(crate) fn at(&mut self, thread: Thread) -> &mut ThreadState {
        &mut self.states[thread]
    }

    pub(crate) fn of(&self, thread: Thread) -> &ThreadState {
        &self.states[thread]
    }

    /// The place where the thread stood last.
    pub(crate) fn stands_at(&self, thread: Thread) -> RecordPointer {
        self.states[thread].stands_at.map_or(std::ptr::null(), std::ptr::from_ref)
    }

    pub(crate) const fn len(&self) -> usize {
        self.used
    }
}

/// What a fiber runs: the thread's function, from its start to its end.
pub(crate) fn body(thread: Thread) -> Switch {
    if thread == Thread::MAIN {
        process::run_main();
        with(|runtime| runtime.execution.exit());
    } else {
        let (function, argument) = with(|runtime| runtime.threads.at(thread).body)
            .flatten()
            .expect("a thread that starts was created with a function");
        // SAFETY: the program passed the function to pthread_create.
        let result = unsafe { function(argument as *mut c_void) };
        with(|runtime| runtime.threads.at(thread).result = result as usize);
    }
    with(Runtime::end_thread).expect("threads run under control")
}

/// The value of `pthread_t` for a thread: never 0, the same in every execution.
const fn handle(thread: Thread) -> usize {
    0x1000 + thread.index()
}

fn thread_of(runtime: &Runtime, handle: usize) -> Option<Thread> {
    let index = handle.checked_sub(0x1000).filter(|&index| index < Thread::LIMIT)?;
    let thread = Thread::from_index(index);
    (runtime.execution.status(thread) != Status::Absent).then_some(thread)
}

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: *const libc::pthread_attr_t, state: *mut c_int) -> c_int;
}

/// The site of the call that the program is making.
pub(crate) fn call_site() -> RecordPointer {
    // SAFETY: written by instrumented code on this OS thread just before it called.
    unsafe { CALL_SITE }
}

#[unsafe(export_name = "__fh_call_site")]
static mut CALL_SITE: RecordPointer = std::ptr::null();

/// # Safety
/// As `pthread_create`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_pthread_create(
    into: *mut usize,
    attributes: *const libc::pthread_attr_t,
    function: Body,
    argument: *mut c_void,
) -> c_int {
    let site = call_site();
    let mut detached = 0;
    if !attributes.is_null() {
        // SAFETY: the program passes initialised attributes.
        unsafe { pthread_attr_getdetachstate(attributes, &raw mut detached) };
    }
    turn(Pending::Access, site);
    let created = with(|runtime| {
        let child = runtime.execution.create()?;
        runtime.threads.reserve(child);
        let state = runtime.threads.at(child);
        state.body = Some((function, argument as usize));
        state.claimed = (detached == libc::PTHREAD_CREATE_DETACHED).then_some(Claim::Detached);
        let turn = runtime.no_access(Kind::Create(child), Barrier::Full, Operation::Create(child), site, 0);
        runtime.globals.writes(into as usize, 8, 0);
        Ok::<_, TooManyThreads>((child, turn))
    });
    let Some(Ok((child, event))) = created else {
        if created.is_none() {
            return libc::EAGAIN;
        }
        process::unsupported("more than 255 threads", site);
    };
    event.obey();
    // SAFETY: the program passes where the new thread's name goes.
    unsafe { into.write_unaligned(handle(child)) };
    if let Some(turn) = with(|runtime| runtime.start(child)) {
        turn.obey();
    }
    0
}

/// # Safety
/// As `pthread_join`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_pthread_join(handle: usize, into: *mut usize) -> c_int {
    let site = call_site();
    let claimed = with(|runtime| {
        let thread = thread_of(runtime, handle).ok_or("of something that is no thread")?;
        if thread == runtime.running {
            return Ok(None);
        }
        match runtime.threads.at(thread).claimed.replace(Claim::Joined) {
            None => Ok(Some(thread)),
            Some(Claim::Joined) => Err("of a thread that is joined already"),
            Some(Claim::Detached) => Err("of a detached thread"),
        }
    });
    let child = match claimed {
        None | Some(Ok(None)) => return libc::EDEADLK,
        Some(Ok(Some(child))) => child,
        Some(Err(what)) => misuse(&format!("pthread_join {what}"), "join", site),
    };
    turn(Pending::Join(child), site);
    let joined = with(|runtime| {
        let event = runtime.no_access(Kind::Join(child), Barrier::Full, Operation::Join(child), site, 0);
        if !into.is_null() {
            runtime.globals.writes(into as usize, 8, 0);
        }
        (event, runtime.threads.at(child).result)
    });
    let Some((event, result)) = joined else { return libc::EDEADLK };
    event.obey();
    if !into.is_null() {
        // SAFETY: the program passes where the result goes.
        unsafe { into.write_unaligned(result) };
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_detach(handle: usize) -> c_int {
    let site = call_site();
    let claimed = with(|runtime| {
        let thread = thread_of(runtime, handle).ok_or("of something that is no thread")?;
        runtime.has_effect();
        match runtime.threads.at(thread).claimed.replace(Claim::Detached) {
            None => Ok(()),
            Some(Claim::Joined) => Err("of a thread that is joined already"),
            Some(Claim::Detached) => Err("of a thread that is detached already"),
        }
    });
    match claimed {
        None | Some(Ok(())) => 0,
        Some(Err(what)) => misuse(&format!("pthread_detach {what}"), "detach", site),
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_self() -> usize {
    with(|runtime| handle(runtime.running)).unwrap_or(handle(Thread::MAIN))
}

#[unsafe(no_mangle)]
const extern "C" fn __fh_pthread_equal(one: usize, other: usize) -> c_int {
    (one == other) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_exit(result: *mut c_void) -> ! {
    with(|runtime| {
        let thread = runtime.running;
        runtime.threads.at(thread).result = result as usize;
    });
    leave()
}

/// Ends the running thread from within.
pub(crate) fn leave() -> ! {
    let switch = with(Runtime::end_thread).unwrap_or(Switch::End);
    fiber::abandon(switch)
}

/// Ends the execution: the program broke the contract of a library call.
pub(crate) fn misuse(what: &str, operation: &str, site: RecordPointer) -> ! {
    let thread = with(|runtime| runtime.running).unwrap_or(Thread::MAIN);
    let sites = vec![site_use(Role::At, thread, site, operation)];
    end_execution(End::Failed(Failure {
        kind: Violated::Misuse,
        message: what.to_owned(),
        sites,
        program_counter: None,
    }))
}

fn yields() {
    with(Runtime::yields);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sched_yield() -> c_int {
    yields();
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_yield() -> c_int {
    yields();
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_thrd_yield() {
    yields();
}

#[unsafe(no_mangle)]
extern "C" fn __fh_sleep(_seconds: c_uint) -> c_uint {
    yields();
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_usleep(_microseconds: c_uint) -> c_int {
    yields();
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_nanosleep(_request: *const libc::timespec, _remaining: *mut libc::timespec) -> c_int {
    yields();
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_tls(image: *mut c_void) -> *mut c_void {
    with(|runtime| runtime.running)
        .map_or(image, |thread| crate::globals::tls_address(thread, image as usize) as *mut c_void)
}
