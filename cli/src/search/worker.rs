//! Workers: processes of the program that run slices.

use std::io::{BufRead, BufReader};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::{Child, ExitStatus};
use std::thread::JoinHandle;

use crossbeam_channel::Sender;
use protocol::{Explore, Harvest, Job, Message, Prefixes, Slice, Telling};

use super::executor::{Errand, Lore, Task};
use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::program::{Output, Program, Started, is_cut_short, no_message, send};

/// The number of a worker, unique within a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WorkerId(pub(super) u64);

/// What a worker says.
#[derive(Debug)]
pub(super) enum Said {
    Message(Message),
    /// The worker wrote something that is no message.
    Garbled(Failure),
    /// The worker has closed its end of the socket: nothing more will come.
    Nothing,
}

/// What was said, and the worker that said it.
pub(super) type Heard = (WorkerId, Said);

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

/// The number of units in the first slice of a worker, and the most in any slice: that many are a message of a few megabytes.
pub(super) const FIRST_APPETITE: usize = 16;
pub(super) const APPETITE: usize = 2048;

/// Returns how many units a slice should have at most, after one of so many of which so many are left.
pub(super) fn appetite(before: usize, units: usize, left: usize) -> usize {
    match left {
        0 => (before * 2).min(APPETITE),
        _ if left * 2 > units => (before / 2).max(1),
        _ => before,
    }
}

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
    pub(super) fn run(&mut self, errand: Errand, lore: &Lore<'_>, telling: Telling) {
        let Errand { task, units, seconds, manner } = errand;
        let known = lore.found.iter().skip(self.told).map(|&found| found.clone()).collect::<Vec<_>>();
        self.told += known.len();
        self.task = Some(task);
        let is_first = units.iter().any(|unit| unit.prefixes == Prefixes::Whole);
        let facts = if is_first { Vec::new() } else { lore.facts.to_vec() };
        let (threads, divisions, executions) = (lore.threads.to_vec(), lore.divisions.clone(), task.budget);
        let slice = Slice { units, threads, executions, seconds, known, divisions, manner, facts, telling };
        drop(send(&mut self.socket, &Job::Slice(Box::new(slice))));
    }

    /// Notes that the worker has run its slice, with this harvest, and returns the slice.
    pub(super) fn has_run(&mut self, harvest: &Harvest) -> Result<Task, Failure> {
        let nobodys = || Failure::internal("the runtime failed: a result that nobody asked for");
        let task = self.task.take().ok_or_else(nobodys)?;
        self.appetite = appetite(self.appetite, task.units, harvest.left.len());
        self.threads.clone_from(&harvest.threads);
        Ok(task)
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
            Ok(message) => Said::Message(message),
            Err(error) if is_cut_short(&line, &error) => break,
            Err(error) => Said::Garbled(no_message(&line, &error)),
        };
        if news.send((id, said)).is_err() {
            return;
        }
    }
    drop(news.send((id, Said::Nothing)));
}
