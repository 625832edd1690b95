//! The executor of this machine: processes of the program, each of which runs one slice at a time.

use std::time::Duration;

use crossbeam_channel::{Receiver, Sender};
use protocol::{Explore, Message, Telling};

use super::executor::{Errand, Executor, Lengths, Lore, News, Offer};
use super::queue::Ticket;
use super::worker::{Heard, Said, Worker, WorkerId};
use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::program::Program;

/// The number of seconds of a slice in one of several processes, and where another process waits for what the slice leaves.
const LENGTHS: Lengths = Lengths { usual: 0.15, for_another: 0.03 };

/// Processes of the program.
pub(super) struct Crew<'a> {
    program: &'a Program,
    job: &'a Explore,
    interrupts: &'a Interrupts,
    /// The most processes that run.
    most: usize,
    workers: Vec<Worker>,
    /// The number of processes that were started.
    hired: u64,
    news: (Sender<Heard>, Receiver<Heard>),
}

impl<'a> Crew<'a> {
    /// Makes a crew of at most so many processes, none of which has been started.
    pub(super) fn new(program: &'a Program, job: &'a Explore, interrupts: &'a Interrupts, most: usize) -> Crew<'a> {
        Crew { program, job, interrupts, most, workers: Vec::new(), hired: 0, news: crossbeam_channel::unbounded() }
    }

    /// Ends the processes that have given numbers to threads of which the search does not know yet: they are of no use, since a thread
    /// found next would get another number than in a search in one process.
    fn dismiss_strangers(&mut self, threads: &[Vec<u32>]) {
        let interrupts = self.interrupts;
        self.workers.retain_mut(|worker| {
            let stays = worker.task.is_some() || threads.starts_with(&worker.threads);
            if !stays {
                worker.end(interrupts);
            }
            stays
        });
    }

    fn hire(&mut self) -> Result<usize, Failure> {
        self.hired += 1;
        let news = self.news.0.clone();
        self.workers.push(Worker::start(WorkerId(self.hired), self.program, self.job, self.interrupts, news)?);
        Ok(self.workers.len() - 1)
    }

    fn take_in(&mut self, id: WorkerId, said: Said) -> Result<Option<News>, Failure> {
        // There may still be news of a worker that was ended.
        let Some(index) = self.workers.iter().position(|worker| worker.id == id) else { return Ok(None) };
        match said {
            Said::Message(Message::Harvest(harvest)) => {
                let worker = &mut self.workers[index];
                let task = worker.has_run(&harvest)?;
                Ok(Some(News::Harvest(task, harvest)))
            }
            Said::Message(other) => Err(unwanted(other)),
            Said::Garbled(failure) => Err(failure),
            Said::Nothing => {
                let mut worker = self.workers.remove(index);
                let status = worker.wait(self.interrupts);
                let Some(task) = worker.task else { return Ok(None) };
                let status = status.ok_or_else(|| Failure::internal("the program ended, and nobody knows how"))?;
                Ok(Some(News::Died(task, status)))
            }
        }
    }
}

/// Returns the failure that a message of the program is, which is no harvest.
pub(super) fn unwanted(message: Message) -> Failure {
    match message {
        Message::Internal(words) => Failure::internal(format!("the runtime failed: {words}")),
        _ => Failure::internal("the runtime failed: a replay that nobody asked for"),
    }
}

impl Executor for Crew<'_> {
    fn places(&self) -> usize {
        self.most
    }

    fn busy(&self) -> usize {
        self.workers.iter().filter(|worker| worker.task.is_some()).count()
    }

    fn lengths(&self, _elapsed: f64) -> Lengths {
        LENGTHS
    }

    fn offer(&mut self, most: usize, threads: &[Vec<u32>]) -> Result<Option<Offer>, Failure> {
        self.dismiss_strangers(threads);
        let place = match self.workers.iter().position(|worker| worker.task.is_none()) {
            Some(place) => place,
            None if self.workers.len() < most => self.hire()?,
            None => return Ok(None),
        };
        Ok(Some(Offer { place, units: self.workers[place].appetite }))
    }

    fn run(&mut self, offer: Offer, errand: Errand, lore: &Lore<'_>) {
        self.workers[offer.place].run(errand, lore, Telling::News);
    }

    fn hear(&mut self, wait: Duration) -> Result<Option<News>, Failure> {
        let Ok((id, said)) = self.news.1.recv_timeout(wait) else { return Ok(None) };
        self.take_in(id, said)
    }

    fn give_up(&mut self) -> Vec<Ticket> {
        let mut tickets = Vec::new();
        for mut worker in std::mem::take(&mut self.workers) {
            tickets.extend(worker.task.map(|task| task.ticket));
            worker.end(self.interrupts);
        }
        tickets
    }

    fn processes(&self) -> Vec<u32> {
        self.workers.iter().map(Worker::process).collect()
    }
}
