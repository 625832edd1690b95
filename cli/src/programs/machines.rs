//! The judgement by interleavings, with store buffers on the model's side, where execution graphs do not decide.
//!
//! Both sides are explored by classes, the machine's with all its commits, or in all their interleavings where classes do not
//! fit. They compare the same ends, and number threads alike.

use protocol::{Explorer, MemoryModel, Violation};

use super::bench::Bench;
use super::searched::Searched;
use crate::exit::Failure;
use crate::plan::check::CheckPlan;
use crate::search::Exploration;

/// The searches of a program by interleavings, as far as they were needed.
pub(crate) struct Machines<'a> {
    plan: &'a CheckPlan,
    bench: Bench<'a>,
    consistent: Option<(CheckPlan, Exploration)>,
}

impl<'a> Machines<'a> {
    /// Makes the searches of a program, of which that of the sequentially consistent side may be known already.
    pub(crate) fn new(plan: &'a CheckPlan, bench: Bench<'a>, known: Option<&Searched>) -> Machines<'a> {
        let consistent = known.map(|searched| (searched.plan.clone(), searched.exploration.clone()));
        Machines { plan, bench, consistent }
    }

    /// Whether there is a machine of the model that can do what the options ask.
    pub(crate) fn fit(plan: &CheckPlan, model: MemoryModel) -> bool {
        matches!(model, MemoryModel::Tso | MemoryModel::Pso) && plan.judging.foreign != Some("--uninitialised")
    }

    /// Returns what was found on the sequentially consistent side, if it was searched.
    pub(crate) fn violations(&self) -> &[Violation] {
        self.consistent.as_ref().map_or(&[], |(_, exploration)| &exploration.violations)
    }

    /// Returns the sequentially consistent side, if it was searched.
    pub(crate) fn searched(self) -> Option<(CheckPlan, Exploration)> {
        self.consistent
    }

    /// Returns the sequentially consistent side, for which it searches for this many seconds if it has not done so before.
    pub(crate) fn consistent(&mut self, seconds: f64) -> Result<&Exploration, Failure> {
        if self.consistent.is_none() {
            self.consistent = Some(self.search_by_classes(MemoryModel::Sc, seconds)?);
        }
        Ok(self.consistent.as_ref().map(|(_, exploration)| exploration).expect("it was searched just now"))
    }

    /// Returns the executions of the model's machine, with threads numbered as on the other side, and the plan of their search.
    pub(crate) fn relaxed(&self, model: MemoryModel, seconds: f64) -> Result<(CheckPlan, Exploration), Failure> {
        self.search_by_classes(model, seconds)
    }

    /// Searches by classes, or where they do not fit, all interleavings.
    fn search_by_classes(&self, model: MemoryModel, seconds: f64) -> Result<(CheckPlan, Exploration), Failure> {
        let first = if self.plan.unfit.is_some() { Explorer::Bounded } else { Explorer::Dpor };
        let searched = self.search(model, first, seconds)?;
        if first == Explorer::Dpor && !searched.1.unsupported.is_empty() {
            return self.search(model, Explorer::Bounded, seconds);
        }
        Ok(searched)
    }

    fn search(
        &self,
        model: MemoryModel,
        explorer: Explorer,
        seconds: f64,
    ) -> Result<(CheckPlan, Exploration), Failure> {
        let plan = self.plan.to_judge_by_machines(model, explorer, seconds);
        let threads = self.consistent.as_ref().map_or(&[][..], |(_, exploration)| &exploration.threads);
        let exploration = self.bench.search_numbered(&plan, threads)?;
        Ok((plan, exploration))
    }
}
