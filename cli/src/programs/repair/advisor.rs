//! The search for a cheapest repair, and for what else is told about it.

use protocol::{MemoryModel, Order, Strength, Wrong};

use super::answer::{Advice, Repaired, Spare};
use super::patched::{Patch, Texts};
use super::spare::spare;
use super::told::{self, Proof};
use super::trials::{Left, Means, Settled, Task, Trials, Tried};
use super::universe::{Element, Universe};
use crate::exit::Failure;
use crate::plan::costs::Costs;
use crate::plan::fences::FencesPlan;
use crate::programs::bench::{Bench, Deadline};
use crate::programs::wronged::{Consistent, Executions, Wronged};
use crate::values::Until;

/// The most seconds that the search of C11's executions takes.
const C11_SECONDS: f64 = 10.0;

/// The number of sets of the same cost that are told.
const SETS: usize = 8;

/// The search, with what is known so far.
pub(crate) struct Advisor<'a> {
    costs: &'a Costs,
    pub(crate) consistent: Consistent<'a>,
    trials: Trials<'a>,
}

impl<'a> Advisor<'a> {
    /// Searches for the sequentially consistent executions, with which the others are compared.
    pub(crate) fn new(plan: &'a FencesPlan, bench: Bench<'a>) -> Result<Advisor<'a>, Failure> {
        let deadline = Deadline::from_now(&plan.time);
        let consistent = Consistent::search(&plan.check, bench, deadline)?;
        let universe = Universe::new(plan.costs.clone(), &plan.models);
        let means = if plan.models.contains(&MemoryModel::C11) { Means::Orders } else { Means::All };
        let task = Task { check: &plan.check, models: &plan.models, deadline, means, bench };
        let wrong = match plan.until {
            Until::Sc => Wrong::Inconsistent,
            Until::Harmless => consistent.unlike(),
        };
        Ok(Advisor { costs: &plan.costs, consistent, trials: Trials::new(task, wrong, universe) })
    }

    /// Returns what is known of the places.
    pub(crate) fn universe(&self) -> &Universe {
        &self.trials.universe
    }

    /// Finds a cheapest repair.
    pub(crate) fn advise(&mut self) -> Result<Advice, Failure> {
        if let Some(why) = self.consistent.cut() {
            return Ok(Advice::Open(why));
        }
        match self.trials.find()? {
            Settled::Open(why) => Ok(Advice::Open(why)),
            Settled::Hopeless(left) => Ok(Advice::Hopeless(Box::new(self.judged(*left)))),
            Settled::Right(set, executions) if set.is_empty() => Ok(Advice::Right(executions)),
            Settled::Right(set, executions) => self.repaired(set, executions),
        }
    }

    /// Says what comes back without each element of a set that repairs, and which others cost the same.
    fn repaired(&mut self, elements: Vec<Element>, executions: Executions) -> Result<Advice, Failure> {
        let mut without = Vec::new();
        for left_out in 0..elements.len() {
            let mut rest = elements.clone();
            rest.remove(left_out);
            match self.trials.try_set(&rest)? {
                Tried::Wrong(left, _) => without.push(self.judged(*left)),
                Tried::Open(why) => return Ok(Advice::Open(why)),
                Tried::Right(_) => {
                    let what = told::elements_in_words(&elements, self.universe());
                    return Err(Failure::internal(format!("a part of a cheapest repair is one: {what}")));
                }
            }
        }
        let others = self.others(&elements)?;
        Ok(Advice::Repaired(Box::new(Repaired { elements, without, executions }), others))
    }

    /// Returns the other sets that repair at the same cost, each proved, as far as there is time.
    fn others(&mut self, first: &[Element]) -> Result<Vec<Vec<Element>>, Failure> {
        let cost = |set: &[Element]| set.iter().map(Element::cost).sum::<u64>();
        let mut others: Vec<Vec<Element>> = Vec::new();
        let mut tried = vec![first.to_vec()];
        while others.len() + 1 < SETS && !self.trials.task.deadline.is_over() {
            let sets = self.universe().cheapest(tried.len() + 1);
            let is_new = |set: &&Vec<Element>| !tried.contains(set);
            let Some(set) = sets.iter().find(is_new).filter(|set| cost(set) == cost(first)).cloned() else { break };
            tried.push(set.clone());
            if std::iter::once(first).chain(others.iter().map(Vec::as_slice)).any(|known| is_stronger(&set, known)) {
                continue;
            }
            match self.trials.try_set(&set)? {
                Tried::Right(_) => others.push(set),
                Tried::Wrong(_, obstacle) => {
                    self.trials.learn(&obstacle);
                }
                Tried::Open(_) => break,
            }
        }
        Ok(others)
    }

    /// Returns a cheapest set that can be written into the source, with its text; none if there is none, or it is not known. The
    /// set given is one that repairs.
    pub(crate) fn written(
        &mut self,
        first: &[Element],
        texts: &mut Texts<'_>,
    ) -> Result<Option<(Vec<Element>, Patch)>, Failure> {
        let mut set = first.to_vec();
        loop {
            let universe = &mut self.trials.universe;
            let refused: Vec<Element> =
                set.iter().filter(|element| texts.changes(element, universe).is_err()).cloned().collect();
            if refused.is_empty() {
                return Ok(texts.patch(&set, universe).map(|patch| (set, patch)));
            }
            if refused.iter().any(|element| universe.leave_out(element)) {
                return Ok(None);
            }
            match self.trials.find()? {
                Settled::Right(next, _) => set = next,
                Settled::Hopeless(_) | Settled::Open(_) => return Ok(None),
            }
        }
    }

    /// Returns what is still wrong by the letter of C11 if these elements, which are orders of C11, are put in: processors order
    /// more by the instructions that are made of them.
    pub(crate) fn wrong_in_c11(&self, elements: &[Element]) -> Result<Option<Wronged>, Failure> {
        let is_order = |element: &Element| matches!(element.chosen.strength, Strength::Order(_));
        let is_known = self.trials.task.models.contains(&MemoryModel::C11);
        if is_known || !elements.iter().all(is_order) {
            return Ok(None);
        }
        let models = [MemoryModel::C11];
        let task =
            Task { models: &models, deadline: self.trials.task.deadline.at_most(C11_SECONDS), ..self.trials.task };
        let universe = Universe::new(self.costs.clone(), &models);
        Ok(match Trials::new(task, self.consistent.unlike(), universe).try_set(elements)? {
            Tried::Wrong(left, _) => Some(self.judged(*left)),
            Tried::Right(_) | Tried::Open(_) => None,
        })
    }

    /// Finds the fences that the program does not need if these elements are put in.
    pub(crate) fn spare(&self, elements: &[Element]) -> Result<Spare, Failure> {
        spare(&self.trials, elements, self.costs)
    }

    /// Whether the program is right as it is.
    pub(crate) fn prove(&self) -> Result<Proof, Failure> {
        if let Some(why) = self.consistent.cut() {
            return Ok(Proof::Unknown(why));
        }
        Ok(match self.trials.try_set(&[])? {
            Tried::Right(executions) => Proof::Right(executions),
            Tried::Wrong(left, _) => Proof::Wrong(self.judged(*left).in_words()),
            Tried::Open(why) => Proof::Unknown(why),
        })
    }

    fn judged(&self, left: Left) -> Wronged {
        self.consistent.wronged(left.model, left.exploration)
    }
}

/// Whether a set only has stronger orders of C in the places of another one: where they cost the same, they are the same to the
/// machines.
fn is_stronger(set: &[Element], known: &[Element]) -> bool {
    let is_full = |element: &Element| element.chosen.strength == Strength::Order(Order::SequentiallyConsistent);
    let is_as_strong = |(one, other): (&Element, &Element)| {
        one.chosen.at == other.chosen.at && (one.chosen.strength == other.chosen.strength || is_full(one))
    };
    let are_orders = known.iter().all(|element| matches!(element.chosen.strength, Strength::Order(_)));
    are_orders && set.len() == known.len() && set.iter().zip(known).all(is_as_strong)
}
