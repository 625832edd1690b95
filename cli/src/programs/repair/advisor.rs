//! The search for a cheapest repair.

use std::collections::BTreeSet;
use std::time::Instant;

use protocol::{Finals, MemoryModel, Obstacle, Override, Repair, Way, Wrong};

use super::answer::{Advice, Repaired, Wronged};
use super::told;
use super::universe::{Element, Universe};
use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::plan::check::CheckPlan;
use crate::plan::costs::Costs;
use crate::plan::fences::FencesPlan;
use crate::programs::judging::{Judgement, Known, Side, World, judge};
use crate::programs::subjects::Subjects;
use crate::record::Record;
use crate::search::{Exploration, Search};
use crate::values::Until;

/// How many sets of the same cost are told.
const SETS: usize = 8;

/// What came of a set that was tried.
enum Tried {
    /// Nothing is wrong in so many executions under each model.
    Right(Vec<(MemoryModel, u64)>),
    Wrong(Box<Wronged>, Obstacle),
    Open(String),
}

/// The program that is searched, and who ends that early.
#[derive(Clone, Copy)]
pub(crate) struct Bench<'a> {
    pub(crate) subjects: &'a Subjects,
    pub(crate) interrupts: &'a Interrupts,
}

fn search(plan: &CheckPlan, bench: Bench<'_>) -> Result<Exploration, Failure> {
    if bench.interrupts.pressed() {
        return Ok(Exploration::default());
    }
    let search = Search::new(&bench.subjects.program, &plan.explore, plan.budget, plan.spread, bench.interrupts);
    search.run(&mut Record::create(None)?)
}

/// What is searched, and how much of it is known.
pub(crate) struct Advisor<'a> {
    plan: &'a FencesPlan,
    bench: Bench<'a>,
    begun: Instant,
    /// The search for sequentially consistent executions.
    pub(crate) consistent: Exploration,
    pub(crate) universe: Universe,
    /// How many sets were tried.
    pub(crate) tried: u64,
}

impl<'a> Advisor<'a> {
    /// Searches for the sequentially consistent executions, with which the others are compared.
    pub(crate) fn new(plan: &'a FencesPlan, costs: Costs, bench: Bench<'a>) -> Result<Advisor<'a>, Failure> {
        let begun = Instant::now();
        let consistent = search(&plan.check.to_judge(MemoryModel::Sc, plan.seconds), bench)?;
        let universe = Universe::new(costs, plan.models.clone());
        Ok(Advisor { plan, bench, begun, consistent, universe, tried: 0 })
    }

    fn plan_of(&self, model: MemoryModel) -> CheckPlan {
        let left = (self.plan.seconds - self.begun.elapsed().as_secs_f64()).max(0.05);
        self.plan.check.to_judge(model, left)
    }

    fn side<'e>(&self, model: MemoryModel, exploration: &'e Exploration) -> Side<'e> {
        Side::of(World::Graphs, model, exploration, self.plan.check.unroll)
    }

    /// Which executions are wrong.
    fn wrong(&self) -> Wrong {
        match self.plan.until {
            Until::Sc => Wrong::Inconsistent,
            Until::Harmless => Wrong::Unlike {
                failures: self.consistent.violations.iter().filter_map(Way::of).collect::<BTreeSet<Way>>(),
                finals: self.consistent.summary.as_ref().map(|summary| summary.finals.clone()),
            },
        }
    }

    /// Why the sequentially consistent executions are not known, if they are not.
    fn cut(&self) -> Option<String> {
        let consistent = self.side(MemoryModel::Sc, &self.consistent);
        let leaves_out = self.consistent.summary.as_ref().is_some_and(|summary| summary.finals.leaves_out());
        let more = || format!("SC executions end in more than {} ways: --outcome observed compares less", Finals::MOST);
        consistent.cut(&self.plan.typed_time).or_else(|| leaves_out.then(more))
    }

    /// Finds a cheapest repair.
    pub(crate) fn advise(&mut self) -> Result<Advice, Failure> {
        if let Some(why) = self.cut() {
            return Ok(Advice::Open(why));
        }
        let mut tried: Vec<Vec<Element>> = Vec::new();
        loop {
            let Some(set) = self.universe.cheapest(1).pop() else { unreachable!("a clause without elements ends it") };
            if tried.contains(&set) {
                let what = told::elements_in_words(&set, &self.universe);
                return Err(Failure::internal(format!("a repair does not do what it should: {what}")));
            }
            if self.begun.elapsed().as_secs_f64() >= self.plan.seconds {
                return Ok(Advice::Open(format!("stopped by --time {}: give it more", self.plan.typed_time)));
            }
            tried.push(set.clone());
            match self.try_set(&set)? {
                Tried::Open(why) => return Ok(Advice::Open(why)),
                Tried::Right(executions) if set.is_empty() => return Ok(Advice::Right(executions)),
                Tried::Right(executions) => return self.repaired(set, executions),
                Tried::Wrong(wronged, obstacle) => {
                    if obstacle.clauses.iter().any(Vec::is_empty) {
                        return Ok(Advice::Hopeless(wronged));
                    }
                    self.universe.learn(&obstacle);
                }
            }
        }
    }

    /// Says what comes back without each element of a set that repairs, and which others cost the same.
    fn repaired(&mut self, elements: Vec<Element>, executions: Vec<(MemoryModel, u64)>) -> Result<Advice, Failure> {
        let mut without = Vec::new();
        for left_out in 0..elements.len() {
            let mut rest = elements.clone();
            rest.remove(left_out);
            match self.try_set(&rest)? {
                Tried::Wrong(wronged, _) => without.push(*wronged),
                Tried::Open(why) => return Ok(Advice::Open(why)),
                Tried::Right(_) => {
                    let what = told::elements_in_words(&elements, &self.universe);
                    return Err(Failure::internal(format!("a part of a cheapest repair is one: {what}")));
                }
            }
        }
        let others = self.others(&elements)?;
        Ok(Advice::Repaired(Box::new(Repaired { elements, without, executions }), others))
    }

    /// The other sets that repair at the same cost, each proved, as far as there is time.
    fn others(&mut self, first: &[Element]) -> Result<Vec<Vec<Element>>, Failure> {
        let cost = |set: &[Element]| set.iter().map(Element::cost).sum::<u64>();
        let mut others: Vec<Vec<Element>> = Vec::new();
        let mut tried = vec![first.to_vec()];
        while others.len() + 1 < SETS && self.begun.elapsed().as_secs_f64() < self.plan.seconds {
            let sets = self.universe.cheapest(tried.len() + 1);
            let is_new = |set: &&Vec<Element>| !tried.contains(set);
            let Some(set) = sets.iter().find(is_new).filter(|set| cost(set) == cost(first)).cloned() else { break };
            tried.push(set.clone());
            match self.try_set(&set)? {
                Tried::Right(_) => others.push(set),
                Tried::Wrong(_, obstacle) => self.universe.learn(&obstacle),
                Tried::Open(_) => break,
            }
        }
        Ok(others)
    }

    /// Searches for a wrong execution of a program that is strengthened by this set.
    fn try_set(&mut self, set: &[Element]) -> Result<Tried, Failure> {
        self.tried += 1;
        let overrides: Vec<Override> = set.iter().map(|element| element.chosen.clone()).collect();
        let mut executions = Vec::new();
        for &model in &self.plan.models {
            let mut plan = self.plan_of(model);
            plan.explore.repair = Some(Repair { overrides: overrides.clone(), wrong: self.wrong() });
            let exploration = search(&plan, self.bench)?;
            let obstacle = exploration.summary.as_ref().and_then(|summary| summary.obstacle.clone());
            if let Some(obstacle) = obstacle {
                let judgement = self.judgement(model, &exploration);
                return Ok(Tried::Wrong(Box::new(Wronged { model, judgement, exploration }), obstacle));
            }
            if let Some(why) = self.side(model, &exploration).cut(&self.plan.typed_time) {
                return Ok(Tried::Open(why));
            }
            executions.push((model, exploration.summary.map_or(0, |summary| summary.executions)));
        }
        Ok(Tried::Right(executions))
    }

    fn judgement(&self, model: MemoryModel, exploration: &Exploration) -> Option<Judgement> {
        let known = Known { consistent: &[], foreign: None, time: &self.plan.typed_time };
        let [sc, relaxed] = [self.side(MemoryModel::Sc, &self.consistent), self.side(model, exploration)];
        let mut judgements = judge(&sc, &relaxed, &known).into_iter();
        judgements.find(|one| matches!(one, Judgement::Breaks(_) | Judgement::Shows(_)))
    }
}
