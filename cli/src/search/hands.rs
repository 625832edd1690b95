//! Whoever runs the slices of one search: at first processes on this machine, and then an executor, if there is to be one.

use protocol::Explore;

use super::crew::Crew;
use super::executor::Executor;
use super::queue::Ticket;
use super::remote::Remote;
use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::program::Program;

/// The division of a search among processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Spread {
    /// The most processes that run on this machine.
    pub(crate) workers: usize,
    /// The command of the executor that runs slices in their place, if there is one.
    pub(crate) executor: Option<Vec<String>>,
    /// The most executions of a slice, after each of which the search is saved. This is for tests, which count steps and not
    /// moments.
    pub(crate) slice: Option<u64>,
}

/// Whoever runs the slices of a search.
pub(super) struct Hands<'a> {
    program: &'a Program,
    job: &'a Explore,
    interrupts: &'a Interrupts,
    /// Processes on this machine.
    crew: Crew<'a>,
    /// The executor that runs slices in their place, as long as there is one.
    remote: Option<Remote>,
    /// The command of an executor that is still to be started.
    wanted: Option<Vec<String>>,
}

impl<'a> Hands<'a> {
    /// Makes what a search of this job has, with nothing started yet.
    pub(super) fn new(
        (program, job): (&'a Program, &'a Explore),
        spread: &Spread,
        interrupts: &'a Interrupts,
    ) -> Hands<'a> {
        let crew = Crew::new(program, job, interrupts, spread.workers);
        Hands { program, job, interrupts, crew, remote: None, wanted: spread.executor.clone() }
    }

    /// Returns whoever runs slices at present.
    pub(super) fn now(&mut self) -> &mut dyn Executor {
        match &mut self.remote {
            Some(remote) => remote,
            None => &mut self.crew,
        }
    }

    /// Whether slices are run elsewhere.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.remote.is_some()
    }

    /// Returns the number of workers that there are elsewhere, if slices are run there.
    pub(super) fn workers(&self) -> Option<usize> {
        self.remote.as_ref().map(Remote::workers)
    }

    /// Starts the executor, if one is still to be started; returns whether slices can be handed out now.
    pub(super) fn recruit(&mut self) -> Result<bool, Failure> {
        if self.wanted.is_none() {
            return Ok(true);
        }
        if self.crew.busy() > 0 {
            return Ok(false);
        }
        let Some(words) = self.wanted.take() else { return Ok(true) };
        self.crew.give_up();
        self.remote = Remote::start(&words, self.program, self.job, self.interrupts)?;
        Ok(self.remote.is_some())
    }

    /// Returns the ids of the processes on this machine.
    pub(super) fn processes(&self) -> Vec<u32> {
        self.remote.as_ref().map_or_else(|| self.crew.processes(), Executor::processes)
    }

    /// Gives up all slices, and goes on with processes on this machine alone; returns the tickets of the slices.
    pub(super) fn stay_here(&mut self) -> Vec<Ticket> {
        let tickets = self.now().give_up();
        self.wanted = None;
        if let Some(mut remote) = self.remote.take() {
            remote.end();
        }
        tickets
    }
}
