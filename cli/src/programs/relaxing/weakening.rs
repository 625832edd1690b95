//! The search for weaker orders: the dearest orders come first, in groups that are halved where they fail.
//!
//! All models are monotone: what is wrong with an order stays wrong where others are weaker as well. So what has failed
//! is not tried again, and in the end no order can be weaker by itself.

use std::collections::BTreeMap;
use std::time::Instant;

use protocol::{Atomic, Finals, MemoryModel, Order, Ordered, Orders, Repair, Way, Wrong};

use super::ladder::{Part, RUNGS, dearness, lowered};
use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::plan::check::CheckPlan;
use crate::plan::relax::RelaxPlan;
use crate::programs::judging::{Judgement, Known, Side, World, judge};
use crate::programs::subjects::Subjects;
use crate::record::Record;
use crate::search::{Exploration, Search};

/// A wrong behaviour of the program under a model.
#[derive(Clone, Debug)]
pub(crate) struct Wronged {
    pub(crate) model: MemoryModel,
    /// The judgement that the program breaks, or shows something.
    pub(crate) judgement: Option<Judgement>,
    pub(crate) exploration: Exploration,
}

/// The reason why an order stays that could be weaker.
#[derive(Clone, Debug)]
pub(crate) enum Reason {
    /// With this weaker order something is wrong.
    Wrong(Order, Box<Wronged>),
    /// With this weaker order it is not known whether something is wrong; the text is the reason.
    Open(Order, String),
}

/// The result of orders that were tried.
enum Tried {
    /// Nothing is wrong in this many executions under each model.
    Right(Vec<(MemoryModel, u64)>),
    Wrong(Box<Wronged>),
    Open(String),
}

/// An atomic access or fence of the source.
#[derive(Clone, Debug)]
pub(crate) struct Weakened {
    pub(crate) atomic: Atomic,
    /// The weakest orders known to be enough.
    pub(crate) needs: Orders,
    /// The reasons why its orders are not weaker: for each that could be, the reason of the last one that was tried.
    pub(crate) reasons: BTreeMap<Part, Reason>,
}

/// The result of the search.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The orders are the weakest, by this many executions under each model.
    Weakest(Vec<(MemoryModel, u64)>),
    /// The program is not right as it is.
    Wrong(Box<Wronged>),
    /// It is not known which orders are the weakest; the field is the reason.
    Open(String),
}

/// The program that is searched, and whoever may end the search.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) subjects: &'a Subjects,
    pub(crate) interrupts: &'a Interrupts,
}

/// An order that may become weaker: the number of its access, and which of the access's orders it is.
type Knob = (usize, Part);

/// The most time that a search may take, as a multiple of that with the program's own orders.
const PATIENCE: f64 = 30.0;

/// The number of seconds that a search may always take.
const AT_LEAST: f64 = 10.0;

/// The search for weaker orders, with what is known so far.
pub(crate) struct Weakening<'a> {
    plan: &'a RelaxPlan,
    site: Site<'a>,
    begun: Instant,
    consistent: Exploration,
    /// The accesses and fences, by place.
    pub(crate) atomics: Vec<Weakened>,
    /// The number of searches.
    pub(crate) searches: u64,
    /// The number of seconds that a search may take.
    patience: f64,
    proof: Vec<(MemoryModel, u64)>,
}

impl<'a> Weakening<'a> {
    /// Searches for the sequentially consistent executions, with which the others are compared.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub(crate) fn new(plan: &'a RelaxPlan, site: Site<'a>) -> Result<Weakening<'a>, Failure> {
        let begun = Instant::now();
        let (consistent, patience) = (Exploration::default(), plan.seconds);
        let (atomics, proof) = (Vec::new(), Vec::new());
        let mut weakening = Weakening { plan, site, begun, consistent, atomics, searches: 0, patience, proof };
        weakening.consistent = weakening.search(&plan.check.to_judge(MemoryModel::Sc, plan.seconds))?;
        Ok(weakening)
    }

    /// Finds the weakest orders.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub(crate) fn weaken(&mut self) -> Result<Answer, Failure> {
        if let Some(why) = self.cut_of_sc() {
            return Ok(Answer::Open(why));
        }
        match self.try_orders(&[])? {
            Tried::Right(executions) => self.proof = executions,
            Tried::Wrong(wronged) => return Ok(Answer::Wrong(wronged)),
            Tried::Open(why) => return Ok(Answer::Open(why)),
        }
        let searched = self.begun.elapsed().as_secs_f64() / self.plan.models.len() as f64;
        self.patience = (PATIENCE * searched).max(AT_LEAST);
        for rung in RUNGS {
            let mut knobs: Vec<Knob> = self.knobs().filter(|&knob| self.lowered(knob, rung).is_some()).collect();
            knobs.sort_by_key(|&(number, part)| {
                let Weakened { atomic, needs, .. } = &self.atomics[number];
                dearness(atomic.ordered.at.operation, needs.order, part)
            });
            self.lower(&knobs, rung)?;
            if self.is_over() {
                return Ok(Answer::Open(format!("stopped by --time {}: give it more", self.plan.typed_time)));
            }
        }
        let is_open = |one: &Weakened| one.reasons.values().any(|reason| matches!(reason, Reason::Open(..)));
        if self.atomics.iter().any(is_open) {
            return Ok(Answer::Open("some searches were not decided".to_string()));
        }
        Ok(Answer::Weakest(self.proof.clone()))
    }

    /// Returns all orders of all accesses and fences.
    fn knobs(&self) -> impl Iterator<Item = Knob> + '_ {
        let parts = |(number, one): (usize, &Weakened)| {
            let failure = one.needs.failure.map(|_| (number, Part::Failure));
            [Some((number, Part::Order)), failure].into_iter().flatten()
        };
        self.atomics.iter().enumerate().flat_map(parts)
    }

    /// Returns the orders of an access with one of them weaker, if it can be.
    fn lowered(&self, (number, part): Knob, to: Order) -> Option<Orders> {
        let Weakened { atomic, needs, .. } = &self.atomics[number];
        lowered(atomic.ordered.at.operation, *needs, part, to)
    }

    fn is_over(&self) -> bool {
        self.begun.elapsed().as_secs_f64() >= self.plan.seconds || self.site.interrupts.pressed()
    }

    /// Makes as many of these orders as weak as `to` as can be: all of them, or those of either half.
    fn lower(&mut self, knobs: &[Knob], to: Order) -> Result<(), Failure> {
        // Orders that have become weaker by now, together with another one, are left out.
        let knobs: Vec<Knob> = knobs.iter().copied().filter(|&knob| self.lowered(knob, to).is_some()).collect();
        if knobs.is_empty() || self.is_over() {
            return Ok(());
        }
        let before: Vec<Orders> = self.atomics.iter().map(|one| one.needs).collect();
        for &(number, part) in &knobs {
            if let Some(orders) = self.lowered((number, part), to) {
                self.atomics[number].needs = orders;
            }
        }
        let tried = self.try_orders(&self.chosen())?;
        if let Tried::Right(executions) = tried {
            self.proof = executions;
            return Ok(());
        }
        for (one, orders) in self.atomics.iter_mut().zip(before) {
            one.needs = orders;
        }
        match (&knobs[..], tried) {
            (&[(number, part)], Tried::Wrong(wronged)) => {
                self.atomics[number].reasons.insert(part, Reason::Wrong(to, wronged));
            }
            (&[(number, part)], Tried::Open(why)) => {
                self.atomics[number].reasons.insert(part, Reason::Open(to, why));
            }
            (knobs, _) => {
                let (dear, cheap) = knobs.split_at(knobs.len() / 2);
                self.lower(dear, to)?;
                self.lower(cheap, to)?;
            }
        }
        Ok(())
    }

    /// Returns the orders that are not those of the program.
    fn chosen(&self) -> Vec<Ordered> {
        let weaker = self.atomics.iter().filter(|one| one.needs != one.atomic.ordered.orders);
        weaker.map(|one| Ordered { at: one.atomic.ordered.at.clone(), orders: one.needs }).collect()
    }

    fn search(&mut self, plan: &CheckPlan) -> Result<Exploration, Failure> {
        self.searches += 1;
        let Site { subjects, interrupts } = self.site;
        if interrupts.pressed() {
            return Ok(Exploration::default());
        }
        let search = Search::new(&subjects.program, &plan.explore, plan.budget, (plan.spread, plan.volume), interrupts);
        search.run(&mut Record::create(None)?)
    }

    /// Searches for an execution of the program with these orders that is wrong.
    fn try_orders(&mut self, orders: &[Ordered]) -> Result<Tried, Failure> {
        let mut executions = Vec::new();
        for &model in &self.plan.models {
            let left = (self.plan.seconds - self.begun.elapsed().as_secs_f64()).max(0.05);
            let mut plan = self.plan.check.to_judge(model, left.min(self.patience));
            plan.explore.orders = Some(orders.to_vec());
            plan.explore.repair = Some(Repair { overrides: Vec::new(), wrong: self.wrong() });
            let exploration = self.search(&plan)?;
            let summary = exploration.summary.as_ref();
            if summary.is_some_and(|summary| summary.obstacle.is_some()) {
                let judgement = self.judgement(model, &exploration);
                return Ok(Tried::Wrong(Box::new(Wronged { model, judgement, exploration })));
            }
            if let Some(why) = side(model, &exploration).cut(&self.plan.typed_time) {
                return Ok(Tried::Open(why));
            }
            if orders.is_empty() {
                self.learn(summary.map_or(&[], |summary| &summary.atomics));
            }
            executions.push((model, summary.map_or(0, |summary| summary.executions)));
        }
        Ok(Tried::Right(executions))
    }

    /// Adds the atomic accesses and fences that executions have. Those whose orders the program computes stay as they are.
    fn learn(&mut self, seen: &[Atomic]) {
        for atomic in seen {
            if !self.atomics.iter().any(|one| one.atomic.ordered == atomic.ordered) {
                let needs = atomic.ordered.orders;
                self.atomics.push(Weakened { atomic: atomic.clone(), needs, reasons: BTreeMap::new() });
            }
        }
        let all: Vec<Ordered> = self.atomics.iter().map(|one| one.atomic.ordered.clone()).collect();
        self.atomics.retain(|one| all.iter().filter(|other| other.at == one.atomic.ordered.at).count() == 1);
        self.atomics.sort_by(|one, other| one.atomic.cmp(&other.atomic));
    }

    fn wrong(&self) -> Wrong {
        Wrong::Unlike {
            failures: self.consistent.violations.iter().filter_map(Way::of).collect(),
            finals: self.consistent.summary.as_ref().map(|summary| summary.finals.clone()),
        }
    }

    /// Returns the reason why the sequentially consistent executions are not known, if they are not.
    fn cut_of_sc(&self) -> Option<String> {
        let consistent = side(MemoryModel::Sc, &self.consistent);
        let leaves_out = self.consistent.summary.as_ref().is_some_and(|summary| summary.finals.leaves_out());
        let more = || format!("SC executions end in more than {} ways: --outcome observed compares less", Finals::MOST);
        consistent.cut(&self.plan.typed_time).or_else(|| leaves_out.then(more))
    }

    fn judgement(&self, model: MemoryModel, exploration: &Exploration) -> Option<Judgement> {
        let known = Known { consistent: &[], foreign: None, time: &self.plan.typed_time };
        let [sc, relaxed] = [side(MemoryModel::Sc, &self.consistent), side(model, exploration)];
        let mut judgements = judge(&sc, &relaxed, &known).into_iter();
        judgements.find(|one| matches!(one, Judgement::Breaks(_) | Judgement::Shows(_)))
    }
}

/// Returns the side of a judgement that a search is; rounds of loops are never left out.
fn side(model: MemoryModel, exploration: &Exploration) -> Side<'_> {
    Side::of(World::Graphs, model, exploration, None)
}
