//! The means with which the searches that judge are run.

use super::subjects::Subjects;
use crate::exit::Failure;
use crate::findings::Findings;
use crate::interrupt::Interrupts;
use crate::plan::check::CheckPlan;
use crate::record::Record;
use crate::search::{Exploration, Search};

/// The program, and whoever may end its searches.
#[derive(Clone, Copy)]
pub(crate) struct Bench<'a> {
    pub(crate) subjects: &'a Subjects,
    pub(crate) findings: &'a Findings,
    pub(crate) interrupts: &'a Interrupts,
}

/// Runs the search that a plan asks for, with these numbers of threads.
pub(crate) fn search(plan: &CheckPlan, bench: Bench<'_>, threads: &[Vec<u32>]) -> Result<Exploration, Failure> {
    if bench.interrupts.pressed() {
        return Ok(Exploration::default());
    }
    let mut search =
        Search::new(&bench.subjects.program, &plan.explore, plan.budget, (plan.spread, plan.volume), bench.interrupts);
    if !threads.is_empty() {
        search.number(threads);
    }
    search.run(&mut Record::create(None)?)
}
