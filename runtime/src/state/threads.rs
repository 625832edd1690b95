//! The state of each thread in the present execution.

use std::ffi::{c_int, c_void};
use std::ops::Range;

use engine::event::{Object, Thread};
use engine::execution::Pending;
use engine::per_thread::PerThread;
use engine::visits::Visits;

use crate::process::sites::{Record, RecordPointer};
use crate::state::ends::Ends;
use crate::state::observed::Observed;
use crate::state::signals::Blocked;
use crate::state::waits::{Change, Mark, Patience, Read, Thing};

/// A function that `pthread_create` runs.
pub(crate) type Body = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// The function and argument that a thread runs.
#[derive(Clone, Copy)]
pub(crate) enum Start {
    /// A function of `pthread_create`, with its argument.
    Posix(Body, usize),
    /// A function of `thrd_create`, with its argument.
    C11(unsafe extern "C" fn(*mut c_void) -> c_int, usize),
}

impl Start {
    /// Returns the addresses of the function and of its argument.
    pub(crate) fn key(self) -> (usize, usize) {
        match self {
            Self::Posix(function, argument) => (function as usize, argument),
            Self::C11(function, argument) => (function as usize, argument),
        }
    }

    /// Runs the function, and returns its result.
    pub(crate) fn run(self) -> usize {
        match self {
            // SAFETY: the program passed the function and its argument to `pthread_create`.
            Self::Posix(function, argument) => (unsafe { function(argument as *mut c_void) }) as usize,
            // SAFETY: the program passed the function and its argument to `thrd_create`.
            Self::C11(function, argument) => (unsafe { function(argument as *mut c_void) }).cast_unsigned() as usize,
        }
    }
}

/// The state of a thread in the present execution.
#[derive(Default)]
pub(crate) struct ThreadState {
    /// The function and argument that it runs; `None` for main.
    pub(crate) body: Option<Start>,
    /// The result that it returned.
    pub(crate) result: usize,
    /// The values that it has observed.
    pub(crate) observed: Observed,
    /// The bytes that it has printed, if ends are compared.
    pub(crate) printed: Vec<u8>,
    /// The memory that it has excluded from outcomes.
    pub(crate) ignored: Vec<Range<usize>>,
    /// The claim on its end.
    pub(crate) claimed: Claim,
    /// The place where it stood last.
    pub(crate) stands_at: Option<&'static Record>,
    /// The values that it has read, for wait loops.
    pub(crate) reads: Vec<Read>,
    /// The values that it has changed, for wait loops.
    pub(crate) changes: Vec<Change>,
    /// The number of times that it has done something that is no change of a value and is not undone.
    pub(crate) effects: u64,
    /// The objects other than mutexes that it holds, each with the event by which it came to hold it.
    pub(crate) holds: Vec<(Object, u32)>,
    /// The number of blocks that it has freed.
    pub(crate) frees: u64,
    /// The number of events that it has performed.
    pub(crate) events: u64,
    /// The operations of the thread that may have had to wait, each with the number of events before it.
    pub(crate) blocking: Vec<(u64, Pending)>,
    /// The loops that it is in.
    pub(crate) visits: Visits<RecordPointer, Mark>,
    /// The number of its waits that have run out.
    pub(crate) waits_in_vain: u64,
    /// The reason why its next limited wait does not run out, if there is one.
    pub(crate) patience: Option<Patience>,
    /// The bits with which it sleeps on a futex.
    pub(crate) futex_bits: u32,
    /// The atomic blocks that it is in.
    pub(crate) block: BlockDepth,
    /// The signals that it blocks.
    pub(crate) blocked: Blocked,
    /// The name that it was given, if it was given one.
    pub(crate) name: Option<Vec<u8>>,
    /// The handlers that are to be called when it ends, and its cancellation.
    pub(crate) ends: Ends,
    /// The transaction that it is in.
    pub(crate) transaction: Option<Transaction>,
    /// Whether it is in a wait loop, where it waits for some of its reads to change.
    pub(crate) waits: bool,
    /// The index of the first of its reads that it waits for, if it is in a wait loop.
    pub(crate) waits_for: usize,
    /// The things that the iteration changed in passing.
    pub(crate) passing: Vec<Thing>,
}

/// The claim on a thread's end.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Claim {
    /// No other thread is about to join it.
    #[default]
    Nobody,
    /// A thread joins it, or has joined it.
    Joined,
    /// The thread is detached.
    Detached,
}

/// The threads, by number.
#[derive(Default)]
pub(crate) struct ThreadTable {
    /// The states of all threads.
    states: PerThread<ThreadState>,
    /// One more than the highest number of a thread that was created so far; at first 0.
    used: usize,
}

/// Forgets what the thread did.
pub(crate) fn forget(state: &mut ThreadState) {
    state.body = None;
    state.claimed = Claim::Nobody;
    state.observed.clear();
    state.printed.clear();
    state.ignored.clear();
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
    state.block = BlockDepth::default();
    state.waits = false;
}

impl ThreadTable {
    /// Forgets the last execution.
    pub(crate) fn reset(&mut self) {
        self.reserve(Thread::MAIN);
        self.states.first(self.used).iter_mut().for_each(forget);
    }

    /// Forgets what one thread did.
    pub(crate) fn restart(&mut self, thread: Thread) {
        self.reserve(thread);
        forget(&mut self.states[thread]);
    }

    /// Makes sure that the table counts this thread.
    pub(crate) fn reserve(&mut self, thread: Thread) {
        self.used = self.used.max(thread.index() + 1);
    }

    /// Returns the state of a thread, to change it.
    #[inline]
    pub(crate) fn at(&mut self, thread: Thread) -> &mut ThreadState {
        &mut self.states[thread]
    }

    /// Returns the state of a thread.
    pub(crate) fn of(&self, thread: Thread) -> &ThreadState {
        &self.states[thread]
    }

    /// Returns the place where the thread stood last; null if there is none.
    pub(crate) fn stands_at(&self, thread: Thread) -> RecordPointer {
        self.states[thread].stands_at.map_or(std::ptr::null(), std::ptr::from_ref)
    }

    /// Returns one more than the highest number of a thread that was created so far.
    pub(crate) const fn len(&self) -> usize {
        self.used
    }
}

/// Returns the value of `pthread_t` for a thread: never 0, and the same in every execution.
pub(crate) const fn handle(thread: Thread) -> usize {
    0x1000 + thread.index()
}

/// The atomic blocks that a thread is in.
#[derive(Clone, Copy, Default)]
pub(crate) struct BlockDepth {
    /// The number of blocks that it is in, one within the other, which count as one.
    pub(crate) depth: u32,
    /// Whether it has come to its first operation in the block.
    pub(crate) entered: bool,
    /// The place where the outermost block began.
    pub(crate) begun: Option<&'static Record>,
}

impl BlockDepth {
    /// Whether the thread is in an atomic block.
    pub(crate) const fn is_open(self) -> bool {
        self.depth > 0
    }

    /// Returns how many blocks the thread is in.
    pub(crate) const fn depth(self) -> u32 {
        self.depth
    }

    /// Whether nobody else may come before the thread's next operation.
    pub(crate) const fn is_entered(self) -> bool {
        self.entered
    }

    /// Notes that the thread has come to an operation.
    pub(crate) const fn arrive(&mut self) {
        self.entered = self.depth > 0;
    }
}

/// The transaction that a thread is in.
#[derive(Clone, Copy)]
pub(crate) struct Transaction {
    /// The number of ends that it still needs.
    pub(crate) depth: u32,
    /// The place where the outermost transaction begins.
    pub(crate) begun: RecordPointer,
}
