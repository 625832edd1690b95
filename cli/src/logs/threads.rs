//! The rules for the threads of a log: which of them are created and have ended, whose stores have not been committed, which are
//! in a transaction. A log that no execution has is refused; one whose transactions do not balance shows a misuse.

use std::collections::VecDeque;

use engine::event::Thread;
use protocol::log::{Event, Op};

use super::log::Position;
use super::places::Start;

/// Whether the log says when stores reach memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Commits {
    /// The log does not say so: each store reaches memory at once.
    Implied,
    /// The log has lines for the commits of stores.
    Logged,
}

/// A use of transactions that their contract forbids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Misuse {
    /// A transaction ends here that was not begun.
    NotBegun {
        /// The thread's number in the log.
        thread: u32,
        /// The position of the end.
        at: Position,
    },
    /// The outermost transaction that begins here does not end.
    NotEnded {
        /// The thread's number in the log.
        thread: u32,
        /// The position of the begin.
        at: Position,
    },
}

#[derive(Default)]
struct LoggedThread {
    /// The position of the thread's first event.
    first: Option<Position>,
    created: Option<Position>,
    joined: Option<Position>,
    /// The position where the outermost transaction begins, and the number of open ones.
    begun: Position,
    depth: u32,
    /// The stores of the thread that have not reached memory, the oldest first: what each is to, and its position in the log.
    buffer: VecDeque<(Start, Position)>,
}

/// The threads of an execution.
pub(super) struct Threads {
    commits: Commits,
    /// The number of threads, if the header gives it.
    limit: Option<u32>,
    states: Vec<LoggedThread>,
}

impl Threads {
    /// Returns the threads of an execution in which nothing has happened yet.
    pub(super) fn new(commits: Commits, limit: Option<u32>) -> Self {
        Self { commits, limit, states: Vec::new() }
    }

    /// Returns the thread with this number in the log.
    ///
    /// # Errors
    /// If there can be no such thread; the error says why.
    fn thread(&mut self, number: u32) -> Result<Thread, String> {
        if let Some(limit) = self.limit.filter(|&limit| number > limit) {
            return Err(format!("thread {number}, where the header says that there are {limit}"));
        }
        let index = usize::try_from(number).unwrap_or(usize::MAX) - 1;
        if index >= Thread::LIMIT {
            return Err(format!("thread {number}, where at most {} can be watched", Thread::LIMIT));
        }
        if index >= self.states.len() {
            self.states.resize_with(index + 1, LoggedThread::default);
        }
        Ok(Thread::from_index(index))
    }

    /// Takes the next event of the execution, an access to `start` if it is one, and returns its thread and the other thread that
    /// it names.
    ///
    /// # Errors
    /// If no execution has this event; the error says why, in words.
    pub(super) fn step(
        &mut self,
        event: &Event<'_>,
        start: Option<Start>,
        at: Position,
    ) -> Result<(Thread, Option<Thread>), String> {
        let thread = self.thread(event.t)?;
        let child = event.child.map(|child| self.thread(child)).transpose()?;
        let state = &mut self.states[thread.index()];
        if let Some(joined) = state.joined {
            return Err(format!(
                "thread {} goes on, which had ended when it was joined in line {}",
                event.t, joined.line
            ));
        }
        state.first.get_or_insert(at);
        if self.commits == Commits::Logged {
            state.drain(event, start, at)?;
        }
        match (event.op, child) {
            (Op::Fork, Some(child)) => self.created(thread, child, at)?,
            (Op::Join, Some(child)) => self.joined(thread, child, at)?,
            _ => {}
        }
        Ok((thread, child))
    }

    fn created(&mut self, thread: Thread, child: Thread, at: Position) -> Result<(), String> {
        let number = child.index() + 1;
        let state = &mut self.states[child.index()];
        if thread == child {
            return Err(format!("thread {number} is created by itself"));
        }
        if let Some(created) = state.created {
            return Err(format!("thread {number} is created again, after line {}", created.line));
        }
        if let Some(first) = state.first {
            return Err(format!("thread {number} is created, which has done something in line {}", first.line));
        }
        state.created = Some(at);
        Ok(())
    }

    fn joined(&mut self, thread: Thread, child: Thread, at: Position) -> Result<(), String> {
        let number = child.index() + 1;
        let state = &mut self.states[child.index()];
        if thread == child {
            return Err(format!("thread {number} waits for itself"));
        }
        if let Some(joined) = state.joined {
            return Err(format!("thread {number} is joined again, after line {}", joined.line));
        }
        if state.created.is_none() && state.first.is_none() {
            return Err(format!("thread {number} is joined, which was not created and did nothing"));
        }
        if let Some((_, store)) = state.buffer.front() {
            return Err(format!("thread {number} is joined before its store in line {} is committed", store.line));
        }
        state.joined = Some(at);
        Ok(())
    }

    /// Takes the begin or end of a transaction, and returns whether it is the outermost one that begins or ends.
    pub(super) fn transaction(&mut self, event: &Event<'_>, thread: Thread, at: Position) -> Result<bool, Misuse> {
        let state = &mut self.states[thread.index()];
        if event.op == Op::Begin {
            if state.depth == 0 {
                state.begun = at;
            }
            state.depth += 1;
            return Ok(state.depth == 1);
        }
        if state.depth == 0 {
            return Err(Misuse::NotBegun { thread: event.t, at });
        }
        state.depth -= 1;
        Ok(state.depth == 0)
    }

    /// Returns the transactions that the execution leaves open.
    pub(super) fn unfinished(&self) -> impl Iterator<Item = Misuse> {
        (1..)
            .zip(&self.states)
            .filter(|(_, state)| state.depth > 0)
            .map(|(thread, state)| Misuse::NotEnded { thread, at: state.begun })
    }
}

impl LoggedThread {
    /// Applies the event to the thread's stores that wait.
    fn drain(&mut self, event: &Event<'_>, start: Option<Start>, at: Position) -> Result<(), String> {
        match event.op {
            Op::St => self.buffer.extend(start.map(|start| (start, at))),
            Op::Commit => {
                let Some((oldest, store)) = self.buffer.pop_front() else {
                    return Err(format!("a commit of thread {}, all of whose stores are committed", event.t));
                };
                if Some(oldest) != start {
                    return Err(format!(
                        "a commit of another store than that of line {}, the oldest one of thread {}",
                        store.line, event.t
                    ));
                }
            }
            Op::Ld | Op::Stbar | Op::Begin | Op::End => {}
            _ => {
                if let Some((_, store)) = self.buffer.front() {
                    return Err(format!("a full fence before the store in line {} is committed", store.line));
                }
            }
        }
        Ok(())
    }
}
