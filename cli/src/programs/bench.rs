//! The means with which searches are run beside those that the user asks for, and the time that they have together.

use std::time::Instant;

use super::subjects::Subjects;
use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::plan::check::CheckPlan;
use crate::plan::limit::TimeLimit;
use crate::record::Record;
use crate::search::{Exploration, Search};

/// The least number of seconds that a search is given.
const LEAST_SECONDS: f64 = 0.05;

/// The program that is searched, and whoever may end its searches.
#[derive(Clone, Copy)]
pub(crate) struct Bench<'a> {
    pub(crate) subjects: &'a Subjects,
    pub(crate) interrupts: &'a Interrupts,
}

impl Bench<'_> {
    /// Runs the search that a plan asks for.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub(crate) fn search(self, plan: &CheckPlan) -> Result<Exploration, Failure> {
        self.search_numbered(plan, &[])
    }

    /// Runs the search that a plan asks for, with threads numbered by these paths of their creation.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub(crate) fn search_numbered(self, plan: &CheckPlan, threads: &[Vec<u32>]) -> Result<Exploration, Failure> {
        if self.interrupts.pressed() {
            return Ok(Exploration::default());
        }
        let (program, told) = (&self.subjects.program, (&plan.spread, plan.volume));
        let mut search = Search::new(program, &plan.explore, plan.budget, told, self.interrupts);
        if !threads.is_empty() {
            search.number(threads);
        }
        search.run(&mut Record::create(None)?)
    }
}

/// The end of the time that several searches have together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline<'a> {
    begun: Instant,
    seconds: f64,
    /// The option that limits the time, with its value, as typed.
    pub(crate) option: &'a str,
}

impl<'a> Deadline<'a> {
    /// Makes the deadline of searches that begin now.
    pub(crate) fn from_now(limit: &'a TimeLimit) -> Deadline<'a> {
        Deadline { begun: Instant::now(), seconds: limit.seconds, option: &limit.option }
    }

    /// Returns the number of seconds since the searches began.
    pub(crate) fn elapsed(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    /// Returns the number of seconds that are left, which is always a little above 0.
    pub(crate) fn left(&self) -> f64 {
        self.share(1)
    }

    /// Returns the part of the time for the next of this many searches, in seconds.
    pub(crate) fn share(&self, searches: usize) -> f64 {
        let left = self.seconds - self.elapsed();
        (left / f64::from(u32::try_from(searches.max(1)).unwrap_or(1))).max(LEAST_SECONDS)
    }

    /// Whether no time is left.
    pub(crate) fn is_over(&self) -> bool {
        self.elapsed() >= self.seconds
    }

    /// Returns the deadline of searches that begin now and have at most this many seconds of what is left.
    pub(crate) fn at_most(self, seconds: f64) -> Deadline<'a> {
        Deadline { begun: Instant::now(), seconds: seconds.min(self.seconds - self.elapsed()), ..self }
    }

    /// Returns the words for an answer that the deadline has cut short.
    pub(crate) fn over_in_words(&self) -> String {
        format!("stopped by {}: give it more", self.option)
    }
}
