//! A process that runs slices.

use std::io::{BufRead, BufReader};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::{Child, ExitStatus};
use std::thread::JoinHandle;

use crossbeam_channel::Sender;
use protocol::{Division, Explore, Identity, Job, Message, Slice, Unit};

use super::queue::Ticket;
use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::program::{Output, Program, Started, is_cut_short, no_message, send};

/// Which worker: no two of a search have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WorkerId(pub(super) u64);

/// What is heard of a worker.
#[derive(Debug)]
pub(super) enum News {
    Said(Message),
    /// It wrote something that is no message.
    Garbled(Failure),
    /// It has closed its end: nothing more will come.
    Silent,
}

/// News, and the worker that they are from.
pub(super) type Heard = (WorkerId, News);

/// The slice that a worker runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) ticket: Ticket,
    pub(super) budget: Option<u64>,
    /// Seconds from the start of the search.
    pub(super) started: f64,
    /// The weight of its units, and how many they are.
    pub(super) weight: f64,
    pub(super) units: usize,
}

/// A process that runs slices of one search.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) id: WorkerId,
    child: Child,
    socket: UnixStream,
    listener: Option<JoinHandle<()>>,
    /// What it is at, if anything.
    pub(super) task: Option<Task>,
    /// The creation paths of the threads that it has given numbers.
    pub(super) threads: Vec<Vec<u32>>,
    /// How many of the violations that have been found it has been told of.
    pub(super) told: usize,
    /// How many units it gets next.
    pub(super) appetite: usize,
}

/// What a worker is to run.
#[derive(Debug)]
pub(super) struct Errand {
    pub(super) task: Task,
    pub(super) units: Vec<Unit>,
    pub(super) threads: Vec<Vec<u32>>,
    pub(super) divisions: Vec<Division>,
    pub(super) seconds: f64,
    pub(super) known: Vec<Identity>,
}

/// Units of the first slice of a worker, and of any slice at most: those are a message of a few megabytes.
const FIRST_APPETITE: usize = 16;
const APPETITE: usize = 2048;

impl Worker {
    /// Starts a process; what it says goes to `news`.
    pub(super) fn start(
        id: WorkerId,
        program: &Program,
        job: &Explore,
        interrupts: &Interrupts,
        news: Sender<Heard>,
    ) -> Result<Worker, Failure> {
        let Started { child, mut socket, .. } = program.start(Output::Discarded, interrupts)?;
        let broken = |error| Failure::internal(format!("the program cannot be listened to: {error}"));
        let ours = socket.try_clone().map_err(broken)?;
        let listener = std::thread::spawn(move || listen(id, BufReader::new(ours), &news));
        // A program that has died already is noticed by its silence.
        drop(send(&mut socket, &Job::Explore(job.clone())));
        let listener = Some(listener);
        Ok(Worker { id, child, socket, listener, task: None, threads: Vec::new(), told: 0, appetite: FIRST_APPETITE })
    }

    /// Gives it a slice.
    pub(super) fn run(&mut self, order: Errand) {
        let Errand { task, units, threads, divisions, seconds, known } = order;
        self.told += known.len();
        self.task = Some(task);
        let slice = Slice { units, threads, executions: task.budget, seconds, known, divisions };
        drop(send(&mut self.socket, &Job::Slice(Box::new(slice))));
    }

    /// It has run its slice, but for so many units.
    pub(super) fn has_run(&mut self, left: usize) -> Option<Task> {
        let task = self.task.take()?;
        if left == 0 {
            self.appetite = (self.appetite * 2).min(APPETITE);
        } else if left * 2 > task.units {
            self.appetite = (self.appetite / 2).max(1);
        }
        Some(task)
    }

    /// Its process.
    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Ends it, whatever it is at.
    pub(super) fn end(&mut self, interrupts: &Interrupts) {
        drop(self.child.kill());
        self.wait(interrupts);
    }

    /// Waits for a process that has closed its end, or is killed; how it ended.
    pub(super) fn wait(&mut self, interrupts: &Interrupts) -> Option<ExitStatus> {
        let status = self.child.wait().ok();
        interrupts.forget(self.child.id());
        drop(self.socket.shutdown(Shutdown::Both));
        if let Some(listener) = self.listener.take() {
            drop(listener.join());
        }
        status
    }
}

fn listen(id: WorkerId, lines: impl BufRead, news: &Sender<Heard>) {
    for line in lines.split(b'\n') {
        // A program that is killed with data unread resets the connection; the silence that follows says enough.
        let Ok(line) = line else { break };
        let said = match serde_json::from_slice(&line) {
            Ok(message) => News::Said(message),
            Err(error) if is_cut_short(&line, &error) => break,
            Err(error) => News::Garbled(no_message(&line, &error)),
        };
        if news.send((id, said)).is_err() {
            return;
        }
    }
    drop(news.send((id, News::Silent)));
}
