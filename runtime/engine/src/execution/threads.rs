//! The threads of an execution: their numbers, which stay from one execution to the next, and what each of them is at.

use crate::event::{Object, Thread};
use crate::step::Iteration;
use crate::sync::machine::{Until, Wish};

/// What a thread is about to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pending {
    /// Something that can always be done: an access, a fence, a creation, an unlock, a try.
    Access,
    /// Acquiring a mutex.
    Lock(Object),
    /// Waiting for the end of a thread.
    Join(Thread),
    /// Waiting for something else, and how long at most.
    Wait(Wish, Until),
}

/// What a thread is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Not created in this execution.
    Absent,
    /// Runs its own code, on the way to its next operation.
    Running,
    /// Stands before an operation.
    Arrived(Pending),
    /// Its wait loop goes round without effect; another iteration begins with this operation.
    Waiting(Pending),
    /// Has ended.
    Ended,
}

/// The paths do not number threads: main comes first, parents before their children, siblings in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotANumbering;

/// The limit of threads was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyThreads;

/// A thread that some execution has had.
#[derive(Clone, Debug)]
struct Known {
    status: Status,
    /// The threads it creates, in order: numbers kept from one execution to the next.
    children: Vec<Thread>,
    /// How many of them it has created in this execution.
    created: u32,
    /// It waits after an iteration without effect at a place other than the one that counts.
    waited_aside: Option<Iteration>,
    /// How it came to be, from main.
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
    /// The threads that have been created and have not ended.
    alive: u32,
    exited: bool,
}

impl Threads {
    pub(super) fn new() -> Self {
        Self { known: vec![Known::new(Vec::new())], alive: 0, exited: false }
    }

    /// Fixes which path of creation has which number, as an earlier exploration gave them. The numbers that are given
    /// already stay.
    ///
    /// # Errors
    /// [`NotANumbering`], also where it gives the same path, or the same number, otherwise.
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

    /// The path of creation of each thread, by its number.
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

    /// Creates a thread, which now runs up to its first operation.
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

    /// What a thread is at.
    #[must_use]
    #[inline]
    pub fn status(&self, thread: Thread) -> Status {
        self.known.get(thread.index()).map_or(Status::Absent, |known| known.status)
    }

    /// What each thread is at, by number.
    #[inline]
    pub(super) fn statuses(&self) -> impl Iterator<Item = (Thread, Status)> {
        self.known.iter().enumerate().map(|(index, known)| (Thread::from_index(index), known.status))
    }

    /// The thread comes to stand before an operation.
    #[inline]
    pub(super) fn arrive(&mut self, thread: Thread, pending: Pending) {
        self.known[thread.index()].status = Status::Arrived(pending);
    }

    /// The thread's wait loop goes round without effect; `aside` is its last iteration, if that is not at the place that
    /// counts.
    #[inline]
    pub(super) fn wait(&mut self, thread: Thread, first: Pending, aside: Option<Iteration>) {
        let known = &mut self.known[thread.index()];
        known.status = Status::Waiting(first);
        known.waited_aside = aside;
    }

    /// The thread goes on: what it was at, and the iteration after which it had waited aside, if it had.
    #[inline]
    pub(super) fn run(&mut self, thread: Thread) -> (Status, Option<Iteration>) {
        let known = &mut self.known[thread.index()];
        (std::mem::replace(&mut known.status, Status::Running), known.waited_aside.take())
    }

    /// The iterations after which threads wait aside, by the threads' numbers.
    pub(super) fn waited_aside(&self) -> impl Iterator<Item = Iteration> + Clone {
        self.known.iter().filter_map(|known| known.waited_aside)
    }

    /// The thread, which was running, has ended.
    #[inline]
    pub(super) fn end(&mut self, thread: Thread) {
        debug_assert_eq!(self.status(thread), Status::Running);
        self.known[thread.index()].status = Status::Ended;
        self.alive -= 1;
    }

    /// The running thread ends the process, and [gives up](super::ProgramState::give_up): what still waits when nobody
    /// can go on is no deadlock.
    pub const fn exit(&mut self) {
        self.exited = true;
        self.alive -= 1;
    }

    /// How many threads have been created and have not ended.
    #[must_use]
    #[inline]
    pub const fn alive(&self) -> u32 {
        self.alive
    }

    /// Whether nobody has to go on.
    pub(super) const fn are_over(&self) -> bool {
        self.alive == 0 || self.exited
    }
}
