//! The search for weaker orders: the dearest orders come first, in groups that are halved where they fail.
//!
//! All models are monotone: what is wrong with an order stays wrong where others are weaker as well. So what has failed
//! is not tried again, and in the end no order can be weaker by itself.

use std::collections::BTreeMap;

use protocol::{Atomic, Order, Ordered, Orders, Repair};

use super::ladder::{Part, RUNGS, dearness, lowered};
use crate::exit::Failure;
use crate::plan::relax::RelaxPlan;
use crate::programs::bench::{Bench, Deadline};
use crate::programs::wronged::{Consistent, Executions, Wronged};

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
    Right(Executions),
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
    Weakest(Executions),
    /// The program is not right as it is.
    Wrong(Box<Wronged>),
    /// It is not known which orders are the weakest; the field is the reason.
    Open(String),
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
    bench: Bench<'a>,
    deadline: Deadline<'a>,
    consistent: Consistent<'a>,
    /// The accesses and fences, by place.
    pub(crate) atomics: Vec<Weakened>,
    /// The number of searches.
    pub(crate) searches: u64,
    /// The number of seconds that a search may take.
    patience: f64,
    proof: Executions,
}

impl<'a> Weakening<'a> {
    /// Searches for the sequentially consistent executions, with which the others are compared.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub(crate) fn new(plan: &'a RelaxPlan, bench: Bench<'a>) -> Result<Weakening<'a>, Failure> {
        let deadline = Deadline::from_now(&plan.time);
        let consistent = Consistent::search(&plan.check, bench, deadline)?;
        let (atomics, proof) = (Vec::new(), Vec::new());
        Ok(Weakening { plan, bench, deadline, consistent, atomics, searches: 1, patience: plan.time.seconds, proof })
    }

    /// Finds the weakest orders.
    ///
    /// # Errors
    /// If the program cannot be run.
    pub(crate) fn weaken(&mut self) -> Result<Answer, Failure> {
        if let Some(why) = self.consistent.cut() {
            return Ok(Answer::Open(why));
        }
        match self.try_orders(&[])? {
            Tried::Right(executions) => self.proof = executions,
            Tried::Wrong(wronged) => return Ok(Answer::Wrong(wronged)),
            Tried::Open(why) => return Ok(Answer::Open(why)),
        }
        let searched = self.deadline.elapsed() / self.plan.models.len() as f64;
        self.patience = (PATIENCE * searched).max(AT_LEAST);
        for rung in RUNGS {
            let mut knobs: Vec<Knob> = self.knobs().filter(|&knob| self.lowered(knob, rung).is_some()).collect();
            knobs.sort_by_key(|&(number, part)| {
                let Weakened { atomic, needs, .. } = &self.atomics[number];
                dearness(atomic.ordered.at.operation, needs.order, part)
            });
            self.lower(&knobs, rung)?;
            if self.is_over() {
                return Ok(Answer::Open(self.deadline.over_in_words()));
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
        self.deadline.is_over() || self.bench.interrupts.pressed()
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

    /// Searches for an execution of the program with these orders that is wrong.
    fn try_orders(&mut self, orders: &[Ordered]) -> Result<Tried, Failure> {
        let mut executions = Vec::new();
        for &model in &self.plan.models {
            let mut plan = self.plan.check.to_judge(model, self.deadline.left().min(self.patience));
            plan.explore.orders = Some(orders.to_vec());
            plan.explore.repair = Some(Repair { overrides: Vec::new(), wrong: self.consistent.unlike() });
            self.searches += 1;
            let exploration = self.bench.search(&plan)?;
            let summary = exploration.summary.as_ref();
            if summary.is_some_and(|summary| summary.obstacle.is_some()) {
                return Ok(Tried::Wrong(Box::new(self.consistent.wronged(model, exploration))));
            }
            if let Some(why) = self.consistent.cut_of(model, &exploration) {
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
}
