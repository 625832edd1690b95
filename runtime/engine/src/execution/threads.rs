//! The threads of an execution: their numbers, which stay from one execution to the next, and what each of them does.

use crate::event::{Object, Thread};
use crate::step::Iteration;
use crate::sync::machine::{Until, Wish};

/// The operation that a thread is about to perform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pending {
    /// The operation can always be performed: an access, a fence, a creation, an unlock, a try.
    Access,
    /// The thread acquires a mutex.
    Lock(Object),
    /// The thread waits for the end of a thread.
    Join(Thread),
    /// The thread waits for something else, at most for the given time.
    Wait(Wish, Until),
}

/// The status of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The thread has not been created in this execution.
    Absent,
    /// The thread runs its own code, on the way to its next operation.
    Running,
    /// The thread stands before an operation.
    Arrived(Pending),
    /// The thread's wait loop goes round without effect; another iteration begins with this operation.
    Waiting(Pending),
    /// The thread has ended.
    Ended,
}

/// The error that paths do not number threads: main must come first, parents before their children, siblings in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotANumbering;

/// The error that the limit of threads was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyThreads;

/// A thread that this or an earlier execution has had.
#[derive(Clone, Debug)]
struct Known {
    status: Status,
    /// The threads that it creates, in order: their numbers are kept from one execution to the next.
    children: Vec<Thread>,
    /// The number of threads that it has created in this execution.
    created: u32,
    /// The iteration without effect after which it waits, if that is at a place other than the one that counts.
    waited_aside: Option<Iteration>,
    /// The path of its creation from main.
    path: Vec<u32>,
}

impl Known {
    const fn new(path: Vec<u32>) -> Self {
        Self { status: Status::Absent, children: Vec::new(), created: 0, waited_aside: None, path }
    }
}

/// The threads, by number.
#[derive(Debug)]
pub struct Threads {
    known: Vec<Known>,
    /// The number of threads that have been created and have not ended.
    alive: u32,
    exited: bool,
}

impl Threads {
    pub(super) fn new() -> Self {
        Self { known: vec![Known::new(Vec::new())], alive: 0, exited: false }
    }

    /// Fixes the numbers of paths of creation, as an earlier exploration gave them. Numbers that have been given already stay.
    ///
    /// # Errors
    /// [`NotANumbering`], if the paths number no threads, or give a known path another number, or a number another path.
    pub fn number(&mut self, paths: &[Vec<u32>]) -> Result<(), NotANumbering> {
        if paths.len() > Thread::LIMIT || self.paths().zip(paths).any(|(known, path)| known != path) {
            return Err(NotANumbering);
        }
        if paths.is_empty() {
            return Err(NotANumbering);
        }
        for (index, path) in paths.iter().enumerate().skip(self.known.len()) {
            let (&nth, parent) = path.split_last().ok_or(NotANumbering)?;
            let parent = self.known.iter_mut().find(|thread| thread.path == parent).ok_or(NotANumbering)?;
            if parent.children.len() != nth as usize {
                return Err(NotANumbering);
            }
            parent.children.push(Thread::from_index(index));
            self.known.push(Known::new(path.clone()));
        }
        Ok(())
    }

    /// Returns the path of creation of each thread, by its number.
    #[must_use]
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.known.iter().map(|thread| thread.path.as_slice())
    }

    /// Forgets the last execution: only main runs.
    pub(super) fn begin(&mut self) {
        for thread in &mut self.known {
            thread.status = Status::Absent;
            thread.created = 0;
            thread.waited_aside = None;
        }
        self.known[0].status = Status::Running;
        self.alive = 1;
        self.exited = false;
    }

    /// Creates a thread, which now runs up to its first operation, and returns its number.
    pub(super) fn create(&mut self, parent: Thread) -> Result<Thread, TooManyThreads> {
        let parent = parent.index();
        let nth = self.known[parent].created as usize;
        if nth == self.known[parent].children.len() {
            if self.known.len() == Thread::LIMIT {
                return Err(TooManyThreads);
            }
            let mut path = self.known[parent].path.clone();
            path.push(self.known[parent].created);
            let child = Thread::from_index(self.known.len());
            self.known.push(Known::new(path));
            self.known[parent].children.push(child);
        }
        self.known[parent].created += 1;
        let child = self.known[parent].children[nth];
        self.known[child.index()].status = Status::Running;
        self.alive += 1;
        Ok(child)
    }

    /// Returns the status of a thread.
    #[must_use]
    #[inline]
    pub fn status(&self, thread: Thread) -> Status {
        self.known.get(thread.index()).map_or(Status::Absent, |known| known.status)
    }

    /// Returns the status of each thread, by number.
    #[inline]
    pub(super) fn statuses(&self) -> impl Iterator<Item = (Thread, Status)> {
        self.known.iter().enumerate().map(|(index, known)| (Thread::from_index(index), known.status))
    }

    /// Notes that the thread stands before an operation.
    #[inline]
    pub(super) fn arrive(&mut self, thread: Thread, pending: Pending) {
        self.known[thread.index()].status = Status::Arrived(pending);
    }

    /// Notes that the thread's wait loop goes round without effect; `aside` is its last iteration, if that is not at the place
    /// that counts.
    #[inline]
    pub(super) fn wait(&mut self, thread: Thread, first: Pending, aside: Option<Iteration>) {
        let known = &mut self.known[thread.index()];
        known.status = Status::Waiting(first);
        known.waited_aside = aside;
    }

    /// Notes that the thread goes on, and returns its status before, and the iteration after which it had waited aside, if it
    /// had.
    #[inline]
    pub(super) fn run(&mut self, thread: Thread) -> (Status, Option<Iteration>) {
        let known = &mut self.known[thread.index()];
        (std::mem::replace(&mut known.status, Status::Running), known.waited_aside.take())
    }

    /// Returns the iterations after which threads wait aside, by the threads' numbers.
    pub(super) fn waited_aside(&self) -> impl Iterator<Item = Iteration> + Clone {
        self.known.iter().filter_map(|known| known.waited_aside)
    }

    /// Notes that the thread, which was running, has ended.
    #[inline]
    pub(super) fn end(&mut self, thread: Thread) {
        debug_assert_eq!(self.status(thread), Status::Running);
        self.known[thread.index()].status = Status::Ended;
        self.alive -= 1;
    }

    /// Notes that the running thread ends the process, and [gives up](super::ProgramState::give_up): what still waits when no
    /// thread can go on is no deadlock.
    pub const fn exit(&mut self) {
        self.exited = true;
        self.alive -= 1;
    }

    /// Returns how many threads have been created and have not ended.
    #[must_use]
    #[inline]
    pub const fn alive(&self) -> u32 {
        self.alive
    }

    /// Whether no thread has to go on.
    pub(super) const fn are_over(&self) -> bool {
        self.alive == 0 || self.exited
    }
}
