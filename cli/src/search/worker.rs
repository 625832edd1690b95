//! Workers: processes of the program that run slices.

use std::io::{BufRead, BufReader};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::{Child, ExitStatus};
use std::thread::JoinHandle;

use crossbeam_channel::Sender;
use protocol::{Division, Explore, Identity, Job, Manner, Message, Slice, Unit};

use super::queue::Ticket;
use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::program::{Output, Program, Started, is_cut_short, no_message, send};

/// The number of a worker, unique within a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WorkerId(pub(super) u64);

/// The news of a worker.
#[derive(Debug)]
pub(super) enum News {
    Said(Message),
    /// The worker wrote something that is no message.
    Garbled(Failure),
    /// The worker has closed its end of the socket: nothing more will come.
    Silent,
}

/// News, and the worker that they come from.
pub(super) type Heard = (WorkerId, News);

/// The slice that a worker runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) ticket: Ticket,
    pub(super) budget: Option<u64>,
    /// The number of seconds from the start of the search to the start of the slice.
    pub(super) started: f64,
    /// The weight of the slice's units, and in `units` their number.
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
    /// The slice that the worker runs, if it runs one.
    pub(super) task: Option<Task>,
    /// The creation paths of the threads to which the worker has given numbers.
    pub(super) threads: Vec<Vec<u32>>,
    /// The number of known violations that the worker has been told of.
    pub(super) told: usize,
    /// The number of units that the worker gets next.
    pub(super) appetite: usize,
}

/// A slice that a worker is to run, with what it needs for that.
#[derive(Debug)]
pub(super) struct Errand {
    pub(super) task: Task,
    pub(super) units: Vec<Unit>,
    pub(super) threads: Vec<Vec<u32>>,
    pub(super) divisions: Vec<Division>,
    /// The number of seconds that the slice may take, if it may not go on to its end.
    pub(super) seconds: Option<f64>,
    pub(super) known: Vec<Identity>,
    /// The manner of a search for execution graphs, and what its first slice has learned.
    pub(super) manner: Manner,
    pub(super) facts: Vec<u64>,
}

/// The number of units in the first slice of a worker, and the most in any slice: that many are a message of a few megabytes.
const FIRST_APPETITE: usize = 16;
pub(super) const APPETITE: usize = 2048;

impl Worker {
    /// Starts a process whose messages go to `news`.
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

    /// Gives the worker a slice to run.
    pub(super) fn run(&mut self, order: Errand) {
        let Errand { task, units, threads, divisions, seconds, known, manner, facts } = order;
        self.told += known.len();
        self.task = Some(task);
        let slice = Slice { units, threads, executions: task.budget, seconds, known, divisions, manner, facts };
        drop(send(&mut self.socket, &Job::Slice(Box::new(slice))));
    }

    /// Notes that the worker has run its slice but for `left` units, and returns the slice.
    pub(super) fn has_run(&mut self, left: usize) -> Option<Task> {
        let task = self.task.take()?;
        if left == 0 {
            self.appetite = (self.appetite * 2).min(APPETITE);
        } else if left * 2 > task.units {
            self.appetite = (self.appetite / 2).max(1);
        }
        Some(task)
    }

    /// Returns the id of the worker's process.
    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Kills the worker's process, whatever it is doing.
    pub(super) fn end(&mut self, interrupts: &Interrupts) {
        drop(self.child.kill());
        self.wait(interrupts);
    }

    /// Waits for the end of a process that has closed its end of the socket, or was killed, and returns how it ended.
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
