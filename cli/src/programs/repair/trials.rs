//! The trials of sets of fences and orders: each set is tried by a search, the cheapest first, until nothing wrong is left.

use protocol::{Atomic, MemoryModel, Obstacle, Ordered, Override, Repair, StoppedBy, Strength, Summary, Wrong};

use super::told;
use super::universe::{Element, Universe};
use crate::exit::Failure;
use crate::plan::check::CheckPlan;
use crate::programs::bench::{Bench, Deadline};
use crate::programs::judging::{Side, World};
use crate::programs::wronged::Executions;
use crate::search::Exploration;

/// The numbers of rounds of each loop within which wrong executions are looked for where others are too long.
const ROUNDS: [u64; 3] = [2, 4, 8];

/// The means that may be put in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Means<'a> {
    /// Fences and stronger orders may be put in.
    All,
    /// Only fences may be put in.
    Fences,
    /// Only stronger orders may be put in.
    Orders,
    /// Only elements of this set may be put in.
    Some(&'a [Element]),
}

impl Means<'_> {
    fn have(&self, one: &Override) -> bool {
        match self {
            Means::All => true,
            Means::Fences => !matches!(one.strength, Strength::Order(_)),
            Means::Orders => matches!(one.strength, Strength::Order(_)),
            Means::Some(elements) => elements.iter().any(|element| element.chosen == *one),
        }
    }
}

/// The task of the trials: what is to be repaired, how, and within which time.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) check: &'a CheckPlan,
    /// The models under which nothing wrong may be left.
    pub(crate) models: &'a [MemoryModel],
    pub(crate) deadline: Deadline<'a>,
    pub(crate) means: Means<'a>,
    pub(crate) bench: Bench<'a>,
}

/// A wrong execution that a set leaves.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) model: MemoryModel,
    pub(crate) exploration: Exploration,
}

/// The result of trying a set.
#[derive(Debug)]
pub(crate) enum Tried {
    /// Nothing is wrong in this many executions under each model.
    Right(Executions),
    Wrong(Box<Left>, Obstacle),
    Open(String),
}

/// The result of all trials.
#[derive(Debug)]
pub(crate) enum Settled {
    /// A cheapest set under which nothing is wrong, and how many executions there are under each model.
    Right(Vec<Element>, Executions),
    /// This stays whatever is put in.
    Hopeless(Box<Left>),
    /// It is not known which set is enough; the field is the reason.
    Open(String),
}

/// The search for a cheapest set under which nothing is wrong.
pub(crate) struct Trials<'a> {
    pub(crate) task: Task<'a>,
    wrong: Wrong,
    pub(crate) universe: Universe,
}

impl<'a> Trials<'a> {
    /// Makes trials of which none has been run.
    pub(crate) fn new(task: Task<'a>, wrong: Wrong, universe: Universe) -> Trials<'a> {
        Trials { task, wrong, universe }
    }

    /// Finds a cheapest set.
    pub(crate) fn find(&mut self) -> Result<Settled, Failure> {
        let mut tried: Vec<Vec<Element>> = Vec::new();
        loop {
            let Some(set) = self.universe.cheapest(1).pop() else { unreachable!("a clause without elements ends it") };
            if tried.contains(&set) {
                let what = told::elements_in_words(&set, &self.universe);
                return Err(Failure::internal(format!("a repair does not do what it should: {what}")));
            }
            if self.task.deadline.is_over() {
                return Ok(Settled::Open(self.task.deadline.over_in_words()));
            }
            tried.push(set.clone());
            match self.try_set(&set)? {
                Tried::Open(why) => return Ok(Settled::Open(why)),
                Tried::Right(executions) => return Ok(Settled::Right(set, executions)),
                Tried::Wrong(left, obstacle) => {
                    if self.learn(&obstacle) {
                        return Ok(Settled::Hopeless(left));
                    }
                }
            }
        }
    }

    /// Takes in what a wrong execution shows; whether nothing that may be put in forbids it.
    pub(crate) fn learn(&mut self, obstacle: &Obstacle) -> bool {
        let means = self.task.means;
        self.universe.learn(obstacle, |one| means.have(one))
    }

    /// Searches for a wrong execution of a program that is strengthened by this set.
    pub(crate) fn try_set(&self, set: &[Element]) -> Result<Tried, Failure> {
        self.try_plan(set, None, self.task.deadline)
    }

    /// Searches for a wrong execution of a program that is strengthened by this set, and has these orders instead of its own.
    pub(crate) fn try_with(
        &self,
        set: &[Element],
        orders: &[Ordered],
        deadline: Deadline<'_>,
    ) -> Result<Tried, Failure> {
        self.try_plan(set, Some(orders), deadline)
    }

    /// Returns the atomic accesses and fences that executions of a program have which is strengthened by this set.
    pub(crate) fn atomics(&self, set: &[Element], deadline: Deadline<'_>) -> Result<Vec<Atomic>, Failure> {
        let mut all = Vec::new();
        for &model in self.task.models {
            let mut plan = self.plan(model, set, deadline);
            plan.explore.orders = Some(Vec::new());
            let summary = self.task.bench.search(&plan)?.summary;
            all.extend(summary.into_iter().flat_map(|summary| summary.atomics));
        }
        Ok(all)
    }

    /// Returns the plan of a search for a wrong execution of a program that is strengthened by this set.
    fn plan(&self, model: MemoryModel, set: &[Element], deadline: Deadline<'_>) -> CheckPlan {
        let overrides: Vec<Override> = set.iter().map(|element| element.chosen.clone()).collect();
        let mut plan = self.task.check.to_judge(model, deadline.left());
        plan.explore.repair = Some(Repair { overrides, wrong: self.wrong.clone() });
        plan
    }

    fn try_plan(&self, set: &[Element], orders: Option<&[Ordered]>, deadline: Deadline<'_>) -> Result<Tried, Failure> {
        let Task { models, bench, .. } = self.task;
        let mut executions = Vec::new();
        for &model in models {
            let mut plan = self.plan(model, set, deadline);
            plan.explore.orders = orders.map(<[Ordered]>::to_vec);
            let exploration = bench.search(&plan)?;
            if let Some(obstacle) = obstacle(&exploration) {
                return Ok(Tried::Wrong(Box::new(Left { model, exploration }), obstacle));
            }
            if let Some(why) = Side::of(World::Graphs, model, &exploration, None).cut(deadline.option) {
                let is_long = |summary: &Summary| summary.stopped_by == Some(StoppedBy::Events);
                let short = exploration.summary.as_ref().is_some_and(is_long).then(|| self.try_short(plan, deadline));
                return Ok(short.transpose()?.flatten().unwrap_or(Tried::Open(why)));
            }
            executions.push((model, exploration.summary.map_or(0, |summary| summary.executions)));
        }
        Ok(Tried::Right(executions))
    }

    /// Searches for a wrong execution among those with a few rounds of each loop, where others are too long: without what
    /// repairs the program, loops may go on for ever.
    fn try_short(&self, mut plan: CheckPlan, deadline: Deadline<'_>) -> Result<Option<Tried>, Failure> {
        for rounds in ROUNDS {
            let Some(graphs) = &mut plan.explore.graphs else { break };
            graphs.unroll = Some(rounds);
            let model = graphs.model;
            plan.budget.seconds = Some(deadline.left());
            let exploration = self.task.bench.search(&plan)?;
            if let Some(obstacle) = obstacle(&exploration) {
                return Ok(Some(Tried::Wrong(Box::new(Left { model, exploration }), obstacle)));
            }
        }
        Ok(None)
    }
}

/// Returns what a search has found to be wrong.
fn obstacle(exploration: &Exploration) -> Option<Obstacle> {
    exploration.summary.as_ref()?.obstacle.clone()
}
