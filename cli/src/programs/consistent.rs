//! The sequentially consistent side of judgements by execution graphs.
//!
//! Where the search that the user has asked for has run all interleavings, or one of each class, it knows all their ends.
//! A model that has no others is harmless, whichever world they come from. Where one seems to have another, the execution graphs of
//! sequential consistency are searched as well, and decide: so that the model alone differs.

use protocol::{Explorer, MemoryModel, Violation};

use super::bench::Bench;
use super::searched::Searched;
use crate::exit::Failure;
use crate::plan::check::CheckPlan;
use crate::search::Exploration;

/// The searches of the sequentially consistent side, as far as they were needed.
pub(crate) struct Consistent<'a> {
    plan: &'a CheckPlan,
    bench: Bench<'a>,
    /// A search of interleavings that is complete.
    interleavings: Option<Exploration>,
    graphs: Option<(CheckPlan, Exploration)>,
}

impl<'a> Consistent<'a> {
    /// Takes what is known already from the search for interleavings, and from that for execution graphs, if there were any.
    pub(crate) fn new(
        plan: &'a CheckPlan,
        bench: Bench<'a>,
        all: &[Searched],
        graphs: Option<&Searched>,
    ) -> Consistent<'a> {
        let interleavings = with_all_ends(all).map(|one| one.exploration.clone()).filter(numbers_as_graphs_do);
        let graphs = graphs.map(|searched| (searched.plan.clone(), searched.exploration.clone()));
        Consistent { plan, bench, interleavings, graphs }
    }

    /// Whether execution graphs are yet to be searched before anything can be judged.
    pub(crate) fn is_unknown(&self) -> bool {
        self.graphs.is_none() && self.interleavings.is_none()
    }

    /// Returns what is known without execution graphs, if these were not searched.
    pub(crate) fn interleavings(&self) -> Option<&Exploration> {
        self.interleavings.as_ref().filter(|_| self.graphs.is_none())
    }

    /// Returns the violations of the execution graphs, if these were searched.
    pub(crate) fn violations(&self) -> &[Violation] {
        self.graphs.as_ref().map_or(&[], |(_, exploration)| &exploration.violations)
    }

    /// Returns the search of the execution graphs, if there was one.
    pub(crate) fn searched(&self) -> Option<(&CheckPlan, &Exploration)> {
        self.graphs.as_ref().map(|(plan, exploration)| (plan, exploration))
    }

    /// Returns the execution graphs, for which it searches for this many seconds if it has not done so before.
    pub(crate) fn graphs(&mut self, seconds: f64) -> Result<&Exploration, Failure> {
        if self.graphs.is_none() {
            let plan = self.plan.to_judge(MemoryModel::Sc, seconds);
            let exploration = self.bench.search(&plan)?;
            self.graphs = Some((plan, exploration));
        }
        Ok(self.graphs.as_ref().map(|(_, exploration)| exploration).expect("they were searched just now"))
    }
}

/// Returns the search of interleavings that knows all ends of sequentially consistent executions, if there is one.
pub(crate) fn with_all_ends(all: &[Searched]) -> Option<&Searched> {
    all.iter().find(|Searched { plan, exploration, .. }| {
        let explore = &plan.explore;
        let is_whole = explore.preemptions.is_none() && matches!(explore.explorer, Explorer::Dpor | Explorer::Bounded);
        let is_consistent = plan.models[0].0 == MemoryModel::Sc && explore.graphs.is_none();
        let knows_all = || exploration.summary.as_ref().is_some_and(|one| one.complete && !one.finals.leaves_out());
        is_whole && is_consistent && explore.compared.is_some() && exploration.unsupported.is_empty() && knows_all()
    })
}

/// Whether threads are numbered as execution graphs number them: addresses of blocks hold these numbers, which agree where main
/// alone creates threads.
fn numbers_as_graphs_do(exploration: &Exploration) -> bool {
    exploration.threads.iter().all(|path| path.len() <= 1)
}
