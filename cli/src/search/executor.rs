//! Executors: whoever runs the slices that a search hands out, and says what became of them.
//!
//! A search knows nothing else of them. An executor may answer in any order and lose what it was given, but has to say so: each slice
//! that was handed out comes back once, as a harvest or as a loss.

use std::process::ExitStatus;
use std::time::Duration;

use protocol::{Division, Harvest, Identity, Manner, Unit};

use super::queue::Ticket;
use crate::exit::Failure;

/// A slice that has been handed out.
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

/// A slice that is to be run.
#[derive(Debug)]
pub(super) struct Errand {
    pub(super) task: Task,
    pub(super) units: Vec<Unit>,
    /// The number of seconds that the slice may take, if it may not go on to its end.
    pub(super) seconds: Option<f64>,
    /// The manner of a search for execution graphs.
    pub(super) manner: Manner,
}

/// What the search has learned so far, which whoever runs a slice has to know. It only grows until the search begins anew.
#[derive(Clone, Debug)]
pub(super) struct Lore<'s> {
    /// The violations that need not be described again, in the order in which they became known.
    pub(super) found: Vec<&'s Identity>,
    pub(super) threads: &'s [Vec<u32>],
    pub(super) divisions: Vec<Division>,
    /// What the first slice of a search for execution graphs has learned.
    pub(super) facts: &'s [u64],
}

/// A place for a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Offer {
    /// The number of the place, which means something to the executor alone.
    pub(super) place: usize,
    /// The most units that the slice should have.
    pub(super) units: usize,
}

/// The number of seconds that slices are to take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Lengths {
    pub(super) usual: f64,
    /// The seconds of a slice where somebody waits for what it leaves.
    pub(super) for_another: f64,
}

/// What became of a slice.
#[derive(Debug)]
pub(super) enum News {
    Harvest(Task, Box<Harvest>),
    /// The process of the program ended within the slice, in this way.
    Died(Task, ExitStatus),
    /// The slice got lost, through no fault of the program: the text says how.
    Lost(Task, String),
}

/// Whoever runs slices.
pub(super) trait Executor {
    /// Returns how many slices it takes at a time.
    fn places(&self) -> usize;

    /// Returns how many slices it has.
    fn busy(&self) -> usize;

    /// Returns how long slices are to be in a search that has taken so many seconds.
    fn lengths(&self, elapsed: f64) -> Lengths;

    /// Returns a place for another slice, if it has one; the search wants to have at most `most` slices out, and knows these threads.
    fn offer(&mut self, most: usize, threads: &[Vec<u32>]) -> Result<Option<Offer>, Failure>;

    /// Has a slice run at a place that it has offered.
    fn run(&mut self, offer: Offer, errand: Errand, lore: &Lore<'_>);

    /// Waits for news, for so long at most.
    fn hear(&mut self, wait: Duration) -> Result<Option<News>, Failure>;

    /// Gives up all slices, and returns their tickets; the search may begin anew behind it.
    fn give_up(&mut self) -> Vec<Ticket>;

    /// Returns the ids of the processes that it has started on this machine.
    fn processes(&self) -> Vec<u32>;
}
