//! The explorer that runs one schedule again.

use super::{Counting, Counts, Diverged, Finish, Halt, Observer, Previous, Start, Strategy, alternative};
use crate::event::Thread;
use crate::thread_set::ThreadSet;

/// The explorer of a single, given execution.
#[derive(Debug)]
pub struct Replay {
    threads: Vec<Thread>,
    choices: Vec<u64>,
    next_choice: usize,
    state: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Waiting,
    Running,
    Done,
}

impl Replay {
    /// Makes the explorer of the execution whose n-th event is performed by the n-th of `threads`, and in which the program gets
    /// the values `choices`. Past their end, threads go on as long as they can, and the values are 0.
    #[must_use]
    pub const fn new(threads: Vec<Thread>, choices: Vec<u64>) -> Self {
        Self { threads, choices, next_choice: 0, state: Stage::Waiting }
    }
}

impl Observer for Replay {}

impl Strategy for Replay {
    fn begin(&mut self) -> Option<Start> {
        if self.state == Stage::Done {
            return None;
        }
        self.state = Stage::Running;
        self.next_choice = 0;
        Some(Start { shared: 0, preemptions: None, counts: Counts::Once, counting: Counting::Representatives })
    }

    fn thread(&mut self, event: u32, previous: Previous, enabled: &ThreadSet) -> Result<Thread, Halt> {
        match self.threads.get(event as usize) {
            Some(&thread) if enabled.contains(thread) || previous == Previous::Continues(thread) => Ok(thread),
            Some(_) => Err(Halt::Diverged),
            None => alternative(0, previous, enabled).map_err(Halt::from),
        }
    }

    fn undecided(&mut self, event: u32, only: Option<Thread>) -> Result<(), Halt> {
        let wanted = self.threads.get(event as usize).copied();
        if wanted.is_none() || wanted == only { Ok(()) } else { Err(Halt::Diverged) }
    }

    fn value(&mut self, _event: u32, count: u64) -> Result<u64, Diverged> {
        let choice = self.choices.get(self.next_choice).copied().unwrap_or(0);
        self.next_choice += 1;
        if choice < count { Ok(choice) } else { Err(Diverged) }
    }

    fn finish(&mut self, finish: Finish) {
        self.state = if finish == Finish::Again { Stage::Waiting } else { Stage::Done };
    }
}
