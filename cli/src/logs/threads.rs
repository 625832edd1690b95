//! What threads of a log may do: who is created and has ended, whose stores have not been committed, who is in a
//! transaction. A log that no execution has is refused; one whose transactions do not balance shows a misuse.

use std::collections::VecDeque;

use engine::event::Thread;
use protocol::log::{Event, Op};

use super::log::Position;
use super::places::Start;

/// Whether the log says when stores reach memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Commits {
    /// It does not: each does at once.
    Implied,
    /// It does.
    Logged,
}

/// A use of transactions that their contract forbids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Misuse {
    /// A transaction ends here that was not begun.
    NotBegun {
        /// The thread's number in the log.
        thread: u32,
        /// Here.
        at: Position,
    },
    /// The outermost transaction that begins here does not end.
    NotEnded {
        /// The thread's number in the log.
        thread: u32,
        /// Here.
        at: Position,
    },
}

#[derive(Default)]
struct LoggedThread {
    /// Its first event.
    first: Option<Position>,
    created: Option<Position>,
    joined: Option<Position>,
    /// Where its outermost transaction begins, and how many are open.
    begun: Position,
    depth: u32,
    /// Its stores that have not reached memory, the oldest first: to what, and where in the log.
    buffer: VecDeque<(Start, Position)>,
}

/// The threads of an execution.
pub(super) struct Threads {
    commits: Commits,
    /// How many there are, if the header says so.
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
    /// Why there is none.
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

    /// Takes the next event of the execution, an access to `start`: its thread, and the other one that it names.
    ///
    /// # Errors
    /// Why no execution has it, in words.
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

    /// Takes the begin or end of a transaction: a misuse, or whether the outermost one begins or ends.
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
    /// Takes what the event does to the thread's stores.
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
