//! The advice on findings: the fences, and the stronger orders, that forbid them. Each set is tried before it is named.
//!
//! Under each model a cheapest set is looked for with which the program is right. The part of it that a finding needs is told
//! with the finding, so that whoever follows the advice on all findings puts in no fence twice. Where SC violations are not
//! judged, a program is right if it is sequentially consistent.

use protocol::{FailureKind, MemoryModel, Role, Violation, Way, Wrong};

use super::bench::{Bench, Deadline};
use super::found::Found;
use super::judged::{Judged, is_of, title};
use super::judging::Judgement;
use super::repair::help::{self, Help, Of, Unordered};
use super::repair::trials::{Means, Settled, Task, Trials};
use super::repair::universe::{Element, Universe};
use super::searched::Searched;
use crate::exit::Failure;
use crate::plan::check::CheckPlan;
use crate::plan::costs::Costs;
use crate::plan::judge::Counted;

/// The models whose fences and orders are known.
const MODELS: [MemoryModel; 6] =
    [MemoryModel::Tso, MemoryModel::Pso, MemoryModel::Power, MemoryModel::Armv8, MemoryModel::Riscv, MemoryModel::C11];

/// Gives each finding of a relaxed model the advice what forbids it, as far as the time for that allows.
///
/// Of the orders that are enough on all machines on which the program breaks, if they are known, nothing is left out for a single
/// machine.
pub(crate) fn advise(
    plan: &CheckPlan,
    (all, judged): (&mut [Searched], &mut [Judged]),
    enough: Option<&Enough>,
    bench: Bench<'_>,
) -> Result<(), Failure> {
    let Some(advice) = &plan.advice else { return Ok(()) };
    let deadline = Deadline::from_now(advice);
    for model in MODELS {
        let enough = enough.and_then(|enough| enough.orders_for(model));
        let adviser = Adviser { plan, models: &[model], deadline, enough, bench };
        let is_reported = all.iter().flat_map(|one| &one.found).any(|one| is_of(&one.violation, model));
        let counts_all = is_reported && plan.judging.counted != Counted::Consequence;
        let whole = whole(counts_all, model, judged);
        let mut found: Vec<(&mut Found, Wrong)> = Vec::new();
        let of_searches = all.iter_mut().flat_map(|one| {
            let searched = one.plan.models[0].0;
            one.found.iter_mut().map(move |found| (searched, found))
        });
        let of_judging = judged.iter_mut().flat_map(|one| {
            let searched = one.model;
            one.found.iter_mut().map(move |found| (searched, found))
        });
        for (searched, one) in of_searches.chain(of_judging).filter(|(_, one)| one.accepted.is_none()) {
            let cause = match &whole {
                _ if is_of(&one.violation, model) => whole.as_ref().and_then(|_| contained(&one.violation)),
                // No fence makes a program do the same each time.
                _ if one.violation.kind == FailureKind::Nondeterministic => None,
                _ if searched == model => Way::of(&one.violation).map(Wrong::Failing),
                _ => None,
            };
            found.extend(cause.map(|cause| (one, cause)));
        }
        match whole {
            _ if found.is_empty() => {}
            Some(whole) => adviser.together(&whole, found)?,
            None => adviser.each(found)?,
        }
    }
    Ok(())
}

/// The executions of a model that make the program wrong.
struct Whole {
    wrong: Wrong,
    /// The word for a program without these executions.
    right: &'static str,
    /// The number of seconds that a search for all executions of the model took, if there was one.
    seconds: f64,
}

/// Returns the executions that make the program wrong under a model; none if the model is judged harmless or open, unless all SC
/// violations count.
fn whole(counts_all: bool, model: MemoryModel, judged: &[Judged]) -> Option<Whole> {
    let judged = judged.iter().find(|one| one.model == model);
    let seconds = judged.and_then(|one| one.exploration.summary.as_ref()).map_or(0.0, |summary| summary.seconds);
    if counts_all {
        return Some(Whole { wrong: Wrong::Inconsistent, right: "sequentially consistent", seconds });
    }
    let judged = judged.filter(|one| matches!(one.judgement(), Judgement::Breaks(_) | Judgement::Shows(_)))?;
    Some(Whole { wrong: judged.wrong.clone(), right: "right", seconds })
}

/// Returns the executions that contain an SC violation.
fn contained(violation: &Violation) -> Option<Wrong> {
    let place = |role| violation.sites.iter().find(|site| site.role == role).map(|site| site.place.clone());
    let is_one = violation.kind == FailureKind::ScViolation;
    let (delayed, overtaking) = (place(Role::Delayed).filter(|_| is_one)?, place(Role::Overtaking)?);
    Some(Wrong::Containing { delayed, overtaking })
}

/// A cheapest set, and what is known of its places.
#[derive(Clone)]
struct Set {
    elements: Vec<Element>,
    universe: Universe,
}

impl Set {
    fn of(&self) -> Of<'_> {
        (&self.elements, &self.universe)
    }
}

/// Sets of which each is enough by itself: fences, and orders, where they are known; one of them is.
struct Sets {
    fences: Option<Set>,
    orders: Option<Set>,
}

/// The means that forbid something.
enum Remedy {
    Sets(Box<Sets>),
    /// No fence forbids it, and no order.
    None,
    /// It is not known what forbids it; the field is the reason.
    Open(String),
}

/// The answer to what is enough on all machines on which a program breaks.
pub(crate) struct Enough {
    /// The machines, the strongest first.
    pub(crate) models: Vec<MemoryModel>,
    set: Set,
}

impl Enough {
    /// Returns what is enough, in words.
    pub(crate) fn in_words(&self) -> String {
        help::elements_in_words(&self.set.elements, &self.set.universe)
    }

    /// Returns what it costs in an execution on a machine.
    pub(crate) fn cost_on(&self, model: MemoryModel) -> u64 {
        let costs = Costs::default();
        self.set.elements.iter().map(|element| element.times * costs.together(&element.chosen, &[model])).sum()
    }

    /// Returns the orders that are enough under C11 and this machine, if they were looked for under both.
    fn orders_for(&self, model: MemoryModel) -> Option<&Set> {
        let is_for = model != MemoryModel::C11 && [model, MemoryModel::C11].iter().all(|one| self.models.contains(one));
        is_for.then_some(&self.set)
    }
}

/// Returns what is enough on all machines on which the program breaks, if that is found within the time for advice: orders of
/// atomic accesses, or else fences and orders on all of them but C11.
pub(crate) fn enough(plan: &CheckPlan, judged: &[Judged], bench: Bench<'_>) -> Result<Option<Enough>, Failure> {
    let Some(advice) = &plan.advice else { return Ok(None) };
    let is_wrong = |one: &&Judged| matches!(one.standing(), Some(Judgement::Breaks(_) | Judgement::Shows(_)));
    let wrong: Vec<&Judged> = judged.iter().filter(is_wrong).collect();
    let seconds: f64 =
        wrong.iter().filter_map(|one| one.exploration.summary.as_ref()).map(|summary| summary.seconds).sum();
    let deadline = Deadline::from_now(advice);
    let Some(first) = wrong.first().filter(|_| seconds < deadline.left()) else { return Ok(None) };
    let is_one = |model: &MemoryModel| wrong.iter().any(|one| one.model == *model);
    let models: Vec<MemoryModel> = MemoryModel::MACHINES.into_iter().filter(is_one).collect();
    let machines: Vec<MemoryModel> = models.iter().copied().filter(|model| *model != MemoryModel::C11).collect();
    for (models, means) in [(models, Means::Orders), (machines, Means::All)] {
        if models.is_empty() || deadline.is_over() {
            break;
        }
        let adviser = Adviser { plan, models: &models, deadline, enough: None, bench };
        let mut trials = adviser.trials(first.wrong.clone(), means);
        if let Settled::Right(elements, _) = trials.find()? {
            let set = Set { elements, universe: trials.universe };
            let is_said = !set.elements.is_empty() && !bench.interrupts.pressed();
            return Ok(is_said.then_some(Enough { models, set }));
        }
    }
    Ok(None)
}

/// The adviser on the findings of one model.
struct Adviser<'a> {
    plan: &'a CheckPlan,
    models: &'a [MemoryModel],
    deadline: Deadline<'a>,
    /// The orders that are enough here and elsewhere, if they are known.
    enough: Option<&'a Set>,
    bench: Bench<'a>,
}

impl Adviser<'_> {
    fn trials<'t>(&'t self, wrong: Wrong, means: Means<'t>) -> Trials<'t> {
        let task = Task { check: self.plan, models: self.models, deadline: self.deadline, means, bench: self.bench };
        Trials::new(task, wrong, Universe::new(Costs::default(), self.models))
    }

    /// Returns what forbids these executions: fences alone, and orders alone. Under C11 only orders are looked for.
    fn remedy(&self, wrong: &Wrong) -> Result<Remedy, Failure> {
        let has_fences = !self.models.contains(&MemoryModel::C11);
        let means = if has_fences { Means::Fences } else { Means::Orders };
        let mut trials = self.trials(wrong.clone(), means);
        let elements = match trials.find()? {
            Settled::Open(why) => return Ok(Remedy::Open(why)),
            Settled::Hopeless(_) => return Ok(Remedy::None),
            Settled::Right(elements, _) if elements.is_empty() => {
                return Ok(Remedy::Open("no execution graph has it".to_string()));
            }
            Settled::Right(elements, _) => elements,
        };
        let set = Some(Set { elements, universe: trials.universe });
        let sets = if has_fences {
            Sets { fences: set, orders: self.orders(wrong)? }
        } else {
            Sets { fences: None, orders: set }
        };
        Ok(Remedy::Sets(Box::new(sets)))
    }

    /// Returns the advice that nothing forbids these executions.
    fn nothing(&self, wrong: &Wrong) -> Help {
        match wrong {
            _ if !self.models.contains(&MemoryModel::C11) => Help::none(),
            Wrong::Failing(way) if way.kind == FailureKind::Race => Help::no_order(Unordered::Race),
            _ => Help::no_order(Unordered::Other),
        }
    }

    /// Returns orders that forbid these executions alone, if such are known.
    fn orders(&self, wrong: &Wrong) -> Result<Option<Set>, Failure> {
        if self.enough.is_some() || self.deadline.is_over() {
            return Ok(self.enough.cloned());
        }
        let mut orders = self.trials(wrong.clone(), Means::Orders);
        Ok(match orders.find()? {
            Settled::Right(elements, _) => Some(Set { elements, universe: orders.universe }),
            Settled::Hopeless(_) | Settled::Open(_) => None,
        })
    }

    /// Returns the part of a set that is needed to forbid these executions; none if the set does not forbid them, or nothing is
    /// known.
    fn part(&self, set: &Set, wrong: &Wrong) -> Result<Option<Vec<Element>>, Failure> {
        if self.deadline.is_over() {
            return Ok(None);
        }
        let outcome = self.trials(wrong.clone(), Means::Some(&set.elements)).find()?;
        let Settled::Right(part, _) = outcome else { return Ok(None) };
        // The elements of the whole set know all of their places.
        let is_part = |one: &&Element| part.iter().any(|other| other.chosen == one.chosen);
        let part: Vec<Element> = set.elements.iter().filter(is_part).cloned().collect();
        Ok(Some(part).filter(|part| !part.is_empty()))
    }

    /// Gives each of these findings the part of the program's remedy that it needs.
    fn together(&self, whole: &Whole, found: Vec<(&mut Found, Wrong)>) -> Result<(), Failure> {
        let remedy = if whole.seconds > self.deadline.left() {
            Remedy::Open(format!("{} is less than the search for all executions takes", self.deadline.option))
        } else {
            self.remedy(&whole.wrong)?
        };
        // What makes one finding hopeless need not be so of another.
        if matches!(remedy, Remedy::None) {
            return self.each(found);
        }
        for (one, cause) in found {
            let help = match &remedy {
                Remedy::Sets(sets) => self.parts(whole, sets, &cause)?,
                Remedy::None => self.nothing(&cause),
                // What is said of any race stays.
                Remedy::Open(_) if one.violation.kind == FailureKind::Race => continue,
                Remedy::Open(why) => Help::unknown(why),
            };
            one.help = self.unless_interrupted(help);
        }
        Ok(())
    }

    /// Returns the parts that a finding needs of the fences, and of the orders, that make the program right. Where no orders make
    /// it right, some may forbid the finding alone.
    fn parts(&self, whole: &Whole, Sets { fences, orders }: &Sets, cause: &Wrong) -> Result<Help, Failure> {
        let makes = || {
            let right = format!("the program {} under {}", whole.right, title(self.models[0]));
            Help::makes(fences.as_ref().map(Set::of), orders.as_ref().map(Set::of), &right)
        };
        let mut part = Vec::new();
        if let Some(fences) = fences {
            match self.part(fences, cause)? {
                Some(needed) => part = needed,
                None => return Ok(makes()),
            }
        }
        let own;
        let orders = if let Some(enough) = self.enough {
            Some((enough.elements.clone(), &enough.universe))
        } else if let Some(orders) = orders {
            self.part(orders, cause)?.map(|part| (part, &orders.universe))
        } else {
            own = self.orders(cause)?;
            own.as_ref().map(|own| (own.elements.clone(), &own.universe))
        };
        let fences = fences.as_ref().map(|set| (&part[..], &set.universe));
        match (fences, &orders) {
            (None, None) => Ok(makes()),
            (fences, orders) => {
                let orders = orders.as_ref().map(|(part, universe)| (&part[..], *universe));
                Ok(Help::forbids(fences, orders, "this"))
            }
        }
    }

    /// Gives each of these findings the advice what forbids it.
    fn each(&self, found: Vec<(&mut Found, Wrong)>) -> Result<(), Failure> {
        for (one, cause) in found {
            let help = match self.remedy(&cause)? {
                Remedy::Sets(sets) => {
                    Help::forbids(sets.fences.as_ref().map(Set::of), sets.orders.as_ref().map(Set::of), "this")
                }
                Remedy::None => self.nothing(&cause),
                Remedy::Open(_) if one.violation.kind == FailureKind::Race => continue,
                Remedy::Open(why) => Help::unknown(&why),
            };
            one.help = self.unless_interrupted(help);
        }
        Ok(())
    }

    /// Returns the advice, unless Ctrl-C has ended the searches that it comes from.
    fn unless_interrupted(&self, help: Help) -> Option<Help> {
        (!self.bench.interrupts.pressed()).then_some(help)
    }
}
