//! Threads: `pthread_create`, `join`, `self`, `equal`, `exit`, `detach`, and the yields.

use std::ffi::{c_int, c_void};

use crate::graph;
use crate::hooks::checker::observations::Observed;
use crate::hooks::checker::transactions::Transaction;
use crate::hooks::library::cursor;
use crate::hooks::process::exit_status::end_process;
use crate::hooks::process::program;
use crate::hooks::process::signals::Blocked;
use crate::hooks::pthread::ends::{self, Ends};
use crate::process::fiber::{self, Switch};
use crate::process::sites::{Record, RecordPointer};
use crate::process::uncontrolled::is_alone;
use crate::run::{Runtime, turn, turn_aside, turn_to_step, with};
use crate::schedule::atomic_blocks::Block;
use crate::schedule::objects::{Call, Class};
use crate::schedule::timed::Patience;
use crate::schedule::waits::{Change, Mark, Read, Thing};
use crate::schedule::{atomic_blocks, cancellation, timed};
use crate::state::globals;
use crate::state::recorder::Note;
use crate::state::unwritten;
use engine::event::{Kind, Object, Thread};
use engine::execution::{Pending, Status, TooManyThreads};
use engine::mapping::calls;
use engine::per_thread::PerThread;
use engine::sync::machine::{Until, Wish};
use engine::visits::Visits;
use protocol::Operation;

type Body = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// What a thread runs, and with which argument.
#[derive(Clone, Copy)]
pub(crate) enum Start {
    Posix(Body, usize),
    C11(unsafe extern "C" fn(*mut c_void) -> c_int, usize),
}

impl Start {
    /// The addresses of the function and its argument.
    pub(crate) fn key(self) -> (usize, usize) {
        match self {
            Self::Posix(function, argument) => (function as usize, argument),
            Self::C11(function, argument) => (function as usize, argument),
        }
    }

    pub(crate) fn run(self) -> usize {
        match self {
            // SAFETY: the program passed the function to pthread_create.
            Self::Posix(function, argument) => (unsafe { function(argument as *mut c_void) }) as usize,
            // SAFETY: the program passed the function to thrd_create.
            Self::C11(function, argument) => (unsafe { function(argument as *mut c_void) }).cast_unsigned() as usize,
        }
    }
}

/// What the runtime knows of a thread in this execution.
#[derive(Default)]
pub(crate) struct ThreadState {
    body: Option<Start>,
    pub(crate) result: usize,
    pub(crate) observed: Observed,
    claimed: Claim,
    /// Where it stood last.
    pub(crate) stands_at: Option<&'static Record>,
    /// What it has read, for wait loops.
    pub(crate) reads: Vec<Read>,
    /// What it has changed.
    pub(crate) changes: Vec<Change>,
    /// How many times it has done something else that is not undone.
    pub(crate) effects: u64,
    /// The objects that it holds and that are no mutexes, each with the event by which it came to hold it.
    pub(crate) holds: Vec<(Object, u32)>,
    /// How many blocks it has freed.
    pub(crate) frees: u64,
    /// How many events it has performed.
    pub(crate) events: u64,
    /// Its operations that may have had to wait, by how many events it had performed before.
    pub(crate) blocking: Vec<(u64, Pending)>,
    /// The loops that it is in.
    pub(crate) visits: Visits<RecordPointer, Mark>,
    /// How many of its waits have run out.
    pub(crate) waits_in_vain: u64,
    pub(crate) patience: Option<Patience>,
    /// The bits with which it sleeps on a futex.
    pub(crate) futex_bits: u32,
    /// Whether it is in an atomic block.
    pub(crate) block: Block,
    /// The signals that it blocks.
    pub(crate) blocked: Blocked,
    /// As it was given one.
    pub(crate) name: Option<Vec<u8>>,
    /// What is to be done when it ends.
    pub(crate) ends: Ends,
    /// The transaction that it is in.
    pub(crate) transaction: Option<Transaction>,
    /// It is in a wait loop, and what it waits for are its reads from this one on.
    pub(crate) waits: bool,
    pub(crate) waits_for: usize,
    /// What the iteration changed in passing.
    pub(crate) passing: Vec<Thing>,
}

/// Who takes a thread's end.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Claim {
    #[default]
    Nobody,
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

/// Forgets what the thread did.
fn forget(state: &mut ThreadState) {
    state.body = None;
    state.claimed = Claim::Nobody;
    state.observed.clear();
    state.transaction = None;
    state.reads.clear();
    state.changes.clear();
    state.holds.clear();
    state.blocking.clear();
    state.visits.clear();
    (state.effects, state.frees, state.events) = (0, 0, 0);
    (state.waits_in_vain, state.patience) = (0, None);
    state.ends.reset();
    state.name = None;
    state.blocked = Blocked::default();
    state.block = Block::default();
    state.waits = false;
}

impl ThreadTable {
    /// Forgets the last execution.
    pub(crate) fn reset(&mut self) {
        self.reserve(Thread::MAIN);
        self.states.first(self.used).iter_mut().for_each(forget);
    }

    /// Forgets one thread.
    pub(crate) fn restart(&mut self, thread: Thread) {
        self.reserve(thread);
        forget(&mut self.states[thread]);
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
    graph::threads::body(thread);
    if thread == Thread::MAIN {
        Some(end_process(program::run_main()))
    } else {
        let start = with(|runtime| runtime.threads.at(thread).body)
            .flatten()
            .expect("a thread that starts was created with a function");
        let result = start.run();
        if with(Runtime::leaves_something) != Some(false) {
            ends::end_function(Call::at_the_end());
        }
        ends_aside();
        with(|runtime| {
            runtime.threads.at(thread).result = result;
            runtime.end_thread()
        })
    }
    .expect("threads run under control")
}

/// The value of `pthread_t` for a thread: never 0, the same in every execution.
pub(crate) const fn handle(thread: Thread) -> usize {
    0x1000 + thread.index()
}

/// The thread of this execution with this handle.
pub(crate) fn thread_of(runtime: &Runtime, handle: usize) -> Option<Thread> {
    let index = handle.checked_sub(0x1000).filter(|&index| index < Thread::LIMIT)?;
    let thread = Thread::from_index(index);
    (runtime.execution.state.threads.status(thread) != Status::Absent).then_some(thread)
}

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: *const libc::pthread_attr_t, state: *mut c_int) -> c_int;
}

/// The site of the call that the program is making.
pub(crate) fn call_site() -> RecordPointer {
    // SAFETY: written by instrumented code on this OS thread just before it called.
    unsafe { CALL_SITE }
}

/// The running thread calls a function of the C library at this place, without code of the program between.
pub(crate) fn calls_from(site: RecordPointer) {
    // SAFETY: nothing else runs on this OS thread.
    unsafe { CALL_SITE = site };
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
    let mut detached = 0;
    if !attributes.is_null() {
        // SAFETY: the program passes initialised attributes.
        unsafe { pthread_attr_getdetachstate(attributes, &raw mut detached) };
    }
    let claimed = if detached == libc::PTHREAD_CREATE_DETACHED { Claim::Detached } else { Claim::Nobody };
    create(into, Start::Posix(function, argument as usize), claimed)
}

/// Creates a thread.
pub(crate) fn create(into: *mut usize, start: Start, claimed: Claim) -> c_int {
    let site = call_site();
    atomic_blocks::refuse("pthread_create", site);
    if graph::is_on() {
        return graph::threads::create(into, start, site);
    }
    turn(Pending::Access, site);
    let created = with(|runtime| {
        let child = runtime.execution.state.create()?;
        runtime.threads.reserve(child);
        let blocked = runtime.threads.at(runtime.running).blocked;
        let state = runtime.threads.at(child);
        (state.body, state.claimed, state.blocked) = (Some(start), claimed, blocked);
        let turn =
            runtime.no_access(Kind::Create(child), calls::CREATE.effect.before(), Operation::Create(child), site, 0);
        runtime.globals.writes(into as usize, 8, 0);
        Ok::<_, TooManyThreads>((child, turn))
    });
    let Some(Ok((child, event))) = created else {
        if created.is_none() {
            return libc::EAGAIN;
        }
        program::unsupported("more than 255 threads", site);
    };
    event.obey();
    // SAFETY: the program passes where the new thread's name goes.
    unsafe { into.write_unaligned(handle(child)) };
    unwritten::written(into as usize, size_of::<usize>());
    if let Some(turn) = with(|runtime| runtime.start(child)) {
        turn.obey();
    }
    0
}

/// The thread that the running one is about to join or to detach.
fn claim(call: Call, handle: usize, claim: Claim) -> Result<Thread, c_int> {
    let claimed = with(|runtime| {
        let thread = thread_of(runtime, handle).ok_or("of something that is no thread")?;
        if thread == runtime.running && claim == Claim::Joined {
            return Ok(None);
        }
        runtime.has_effect();
        match std::mem::replace(&mut runtime.threads.at(thread).claimed, claim) {
            Claim::Nobody => Ok(Some(thread)),
            Claim::Joined => Err("of a thread that is joined already"),
            Claim::Detached => Err("of a detached thread"),
        }
    });
    match claimed {
        None | Some(Ok(None)) => Err(libc::EDEADLK),
        Some(Ok(Some(thread))) => Ok(thread),
        Some(Err(what)) => call.misuse(what, None),
    }
}

/// Joins a thread; its result.
pub(crate) fn join(call: Call, handle: usize) -> Result<usize, c_int> {
    if graph::is_on() {
        return graph::threads::join(call, handle);
    }
    let child = claim(call, handle, Claim::Joined)?;
    cancellation::point(call);
    call.wait(Pending::Join(child));
    if globals::calls_cancel() && with(|runtime| runtime.execution.state.is_granted(Wish::Join(child))) == Some(false) {
        unclaim(child);
        cancellation::act(call);
    }
    Ok(joined(call, child))
}

/// Whoever was to join the thread does not.
fn unclaim(child: Thread) {
    with(|runtime| runtime.threads.at(child).claimed = Claim::Nobody);
}

/// The thread has ended; its result.
fn joined(call: Call, child: Thread) -> usize {
    let joined = with(|runtime| {
        let event =
            runtime.no_access(Kind::Join(child), calls::JOIN.effect.before(), Operation::Join(child), call.site, 0);
        (event, runtime.threads.at(child).result)
    });
    let Some((event, result)) = joined else { return 0 };
    event.obey();
    result
}

/// Puts a thread's result where the program wants it.
fn give(result: usize, into: *mut usize) {
    if !into.is_null() {
        if graph::is_on() {
            return cursor::write(into as usize, &result.to_le_bytes(), call_site());
        }
        with(|runtime| runtime.globals.writes(into as usize, 8, 0));
        // SAFETY: the program passes where the result goes.
        unsafe { into.write_unaligned(result) };
        unwritten::written(into as usize, size_of::<usize>());
    }
}

/// # Safety
/// As `pthread_join`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_pthread_join(handle: usize, into: *mut usize) -> c_int {
    match join(call("pthread_join"), handle) {
        Err(error) => error,
        Ok(result) => {
            give(result, into);
            0
        }
    }
}

/// A call that is about no object in the program's memory.
pub(crate) fn call(name: &'static str) -> Call {
    Call::on(name, std::ptr::null::<u8>())
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_tryjoin_np(handle: usize, into: *mut usize) -> c_int {
    let call = call("pthread_tryjoin_np");
    let child = match claim(call, handle, Claim::Joined) {
        Ok(child) => child,
        Err(error) => return error,
    };
    call.wait(Pending::Access);
    asks_for_end(child);
    if with(|runtime| runtime.execution.state.is_granted(Wish::Join(child))) == Some(true) {
        give(joined(call, child), into);
        return 0;
    }
    unclaim(child);
    still_runs(call, Operation::TryJoin(child));
    with(Runtime::has_effect);
    libc::EBUSY
}

/// The running thread has seen that another one has not ended.
fn still_runs(call: Call, operation: Operation) {
    let before = calls::JOIN_FAILS.effect.before();
    if let Some(event) = with(|runtime| runtime.no_access(Kind::Fence, before, operation, call.site, 0)) {
        event.obey();
    }
}

fn timed_join(call: Call, handle: usize, into: *mut usize, time: *const libc::timespec) -> c_int {
    let before = with(Runtime::before_a_call);
    let child = match claim(call, handle, Claim::Joined) {
        Ok(child) => child,
        Err(error) => return error,
    };
    cancellation::point(call);
    call.wait(Pending::Wait(Wish::Join(child), Until::TimeOut));
    asks_for_end(child);
    if with(|runtime| runtime.execution.state.is_granted(Wish::Join(child))) == Some(true) {
        give(joined(call, child), into);
        return 0;
    }
    unclaim(child);
    still_runs(call, Operation::TimeOut);
    if cancellation::is_due() {
        cancellation::act(call);
    }
    timed::ran_out(before, time)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_timedjoin_np(handle: usize, into: *mut usize, time: *const libc::timespec) -> c_int {
    timed_join(call("pthread_timedjoin_np"), handle, into, time)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_clockjoin_np(
    handle: usize,
    into: *mut usize,
    clock: libc::clockid_t,
    time: *const libc::timespec,
) -> c_int {
    let call = call("pthread_clockjoin_np");
    if timed::is_clock(clock) { timed_join(call, handle, into, time) } else { libc::EINVAL }
}

/// Detaches a thread.
pub(crate) fn detach(call: Call, handle: usize) -> c_int {
    if graph::is_on() {
        return 0;
    }
    turn_to_step(call.site);
    let turn = with(|runtime| {
        let thread = thread_of(runtime, handle)?;
        let object = runtime.objects.number(Class::End, thread.index());
        Some(runtime.steps_on(object, Note { site: call.site, operation: Operation::Use }, 0))
    });
    if let Some(Some(turn)) = turn {
        turn.obey();
    }
    claim(call, handle, Claim::Detached).err().unwrap_or(0)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_detach(handle: usize) -> c_int {
    detach(call("pthread_detach"), handle)
}

/// The handle of the running thread.
pub(crate) fn current() -> usize {
    with(|runtime| handle(runtime.running)).unwrap_or(handle(Thread::MAIN))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_self() -> usize {
    current()
}

/// A number of the running thread as the system could give it, the same in every execution.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __fh_gettid() -> libc::pid_t {
    const FIRST: libc::pid_t = 4096;
    FIRST + with(|runtime| runtime.running).map_or(0, |thread| thread.0.into())
}

/// Where a thread runs is a hint to the system, and nothing that the program could see.
#[unsafe(no_mangle)]
const extern "C" fn __fh_pthread_setaffinity_np(_handle: usize, _size: usize, _set: *const c_void) -> c_int {
    0
}

#[unsafe(no_mangle)]
const extern "C" fn __fh_sched_setaffinity(_thread: libc::pid_t, _size: usize, _set: *const c_void) -> c_int {
    0
}

#[unsafe(no_mangle)]
const extern "C" fn __fh_sched_getcpu() -> c_int {
    0
}

#[unsafe(no_mangle)]
const extern "C" fn __fh_pthread_equal(one: usize, other: usize) -> c_int {
    (one == other) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_exit(result: *mut c_void) -> ! {
    graph::threads::exit(result as usize);
    ends::end_thread(call("pthread_exit"), result as usize)
}

/// Where threads are asked whether they have ended, the end of the running one concerns those who ask.
fn ends_aside() {
    if !globals::asks_for_ends() {
        return;
    }
    let call = Call::at_the_end();
    turn_aside(call.site);
    let turn = with(|runtime| {
        let object = runtime.objects.number(Class::End, runtime.running.index());
        let note = Note { site: call.site, operation: Operation::End };
        runtime.concerns(&[], &[object], note, 0)
    });
    if let Some(turn) = turn {
        turn.obey();
    }
}

/// The operation at hand asks whether the thread has ended.
fn asks_for_end(child: Thread) {
    with(|runtime| {
        let object = runtime.objects.number(Class::End, child.index());
        runtime.execution.at_hand.concerns(&[object]);
    });
}

/// Ends the running thread from within.
pub(crate) fn leave() -> ! {
    ends_aside();
    let switch = with(Runtime::end_thread).unwrap_or(Switch::End);
    fiber::abandon(switch)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_tls(image: *mut c_void, own: *mut c_void) -> *mut c_void {
    if is_alone() {
        return own;
    }
    with(|runtime| runtime.running).map_or(image, |thread| globals::tls_address(thread, image as usize) as *mut c_void)
}

crate::abi::same_hooks!(__fh_tls);
