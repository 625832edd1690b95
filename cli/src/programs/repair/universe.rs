//! The places where fences could stand and the orders that could be stronger, as far as wrong executions have shown them.

use std::collections::{BTreeMap, BTreeSet};

use engine::repair::hitting_set;
use protocol::{MemoryModel, Obstacle, Operation, Order, Override, Performed, Point, Strength};

use crate::plan::costs::Costs;

/// Two points that come right after each other in some thread; none stands for what has no place in the source.
type Gap = [Option<Point>; 2];

/// Overrides that do the same in all executions seen: a fence behind an access, and one in front of the next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Element {
    /// The override that is tried.
    pub(crate) chosen: Override,
    /// The gaps in which it stands, if it is a fence.
    pub(crate) gaps: BTreeSet<Gap>,
    /// The cost of executing it once.
    pub(crate) once: u64,
    /// The number of times that it is executed in an execution.
    pub(crate) times: u64,
}

impl Element {
    /// Returns its cost in an execution.
    pub(crate) fn cost(&self) -> u64 {
        self.once * self.times
    }

    /// Returns the point that a fence stands behind, and the one that it stands in front of; none for one that is not the same in
    /// all its gaps, or has no place.
    pub(crate) fn sides(&self) -> [Option<&Point>; 2] {
        [0, 1].map(|side| {
            let points: BTreeSet<&Option<Point>> = self.gaps.iter().map(|gap| &gap[side]).collect();
            match points.into_iter().collect::<Vec<_>>()[..] {
                [point] => point.as_ref(),
                _ => None,
            }
        })
    }
}

/// The identity of an element: two overrides with the same key are the same element.
type Key = (Option<Point>, Strength, BTreeSet<Gap>);

/// What is known so far of points, gaps and clauses.
#[derive(Clone, Debug)]
pub(crate) struct Universe {
    costs: Costs,
    models: Vec<MemoryModel>,
    gaps: BTreeSet<Gap>,
    points: BTreeMap<Point, Performed>,
    clauses: Vec<Vec<Override>>,
    /// The overrides that are in no clause since they were left out.
    left_out: BTreeSet<Override>,
}

/// The factor that costs are multiplied by, so that an element that is clumsy but as cheap comes last.
const SCALE: u64 = 1 << 10;

impl Universe {
    /// Makes a universe in which nothing is known. Sets are chosen by their costs on those of the models that are machines: C11 has
    /// none. By itself it has those of POWER, where each order has a price of its own.
    pub(crate) fn new(costs: Costs, models: &[MemoryModel]) -> Universe {
        let machines: Vec<MemoryModel> = models.iter().copied().filter(|model| *model != MemoryModel::C11).collect();
        Universe {
            costs,
            models: if machines.is_empty() { vec![MemoryModel::Power] } else { machines },
            gaps: BTreeSet::new(),
            points: BTreeMap::new(),
            clauses: Vec::new(),
            left_out: BTreeSet::new(),
        }
    }

    /// Takes in what a wrong execution shows, as far as this may be put in; whether nothing that may be forbids it.
    pub(crate) fn learn(&mut self, obstacle: &Obstacle, may_be: impl Fn(&Override) -> bool) -> bool {
        self.gaps.extend(obstacle.gaps.iter().cloned());
        for performed in &obstacle.points {
            let known = self.points.entry(performed.at.clone()).or_insert_with(|| performed.clone());
            known.times = known.times.max(performed.times);
        }
        let is_left = |one: &&Override| may_be(one) && !self.left_out.contains(one);
        let clauses = obstacle.clauses.iter().map(|clause| clause.iter().filter(is_left).cloned().collect());
        let clauses: Vec<Vec<Override>> = clauses.collect();
        self.clauses.extend(clauses);
        self.clauses.iter().any(Vec::is_empty)
    }

    /// Returns the name of a fence that is not full: under models that let nothing but stores pass each other it needs to be no
    /// more than release.
    pub(crate) fn light_fence(&self) -> &'static str {
        let is_by_stores = |model: &MemoryModel| matches!(model, MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso);
        if self.models.iter().all(is_by_stores) { "release" } else { "acquire-release" }
    }

    /// Returns the name in C of the order of such a fence.
    pub(crate) fn light_order(&self) -> &'static str {
        if self.light_fence() == "release" { "release" } else { "acq_rel" }
    }

    /// Leaves out of all clauses what does the same as this element; whether nothing is left of one.
    pub(crate) fn leave_out(&mut self, element: &Element) -> bool {
        let key = self.key(&element.chosen);
        let is_same = |one: &&Override| self.key(one) == key;
        let same: Vec<Override> = self.clauses.iter().flatten().filter(is_same).cloned().collect();
        self.left_out.extend(same);
        self.clauses.iter_mut().for_each(|clause| clause.retain(|one| !self.left_out.contains(one)));
        self.clauses.iter().any(Vec::is_empty)
    }

    /// Returns what is known of a point.
    pub(crate) fn performed(&self, point: &Point) -> Option<&Performed> {
        self.points.get(point)
    }

    /// Returns the cheapest sets of elements that have one of each clause, at most `most` of them, each in the order of the
    /// source; none if no set has.
    pub(crate) fn cheapest(&self, most: usize) -> Vec<Vec<Element>> {
        let mut numbers: BTreeMap<Key, usize> = BTreeMap::new();
        let mut elements: Vec<Element> = Vec::new();
        let mut clauses = Vec::new();
        for clause in &self.clauses {
            let mut these = BTreeSet::new();
            for one in clause {
                let key = self.key(one);
                let number = *numbers.entry(key).or_insert(elements.len());
                let element = self.element(one);
                match elements.get_mut(number) {
                    None => elements.push(element),
                    Some(known) if rank(&element) < rank(known) => *known = element,
                    Some(_) => {}
                }
                these.insert(number);
            }
            clauses.push(these.into_iter().collect());
        }
        let costs: Vec<u64> = elements.iter().map(|element| element.cost() * SCALE + clumsiness(element)).collect();
        let sets = hitting_set::cheapest(&costs, &clauses, most);
        let in_order = |set: Vec<usize>| {
            let mut set: Vec<Element> = set.into_iter().map(|number| elements[number].clone()).collect();
            join_halves(&mut set, &elements);
            set.sort_by(|one, other| one.chosen.cmp(&other.chosen));
            set
        };
        let mut sets: Vec<Vec<Element>> = sets.into_iter().map(in_order).collect();
        let mut seen: Vec<Vec<Element>> = Vec::new();
        sets.retain(|set| {
            let is_new = !seen.contains(set);
            seen.push(set.clone());
            is_new
        });
        sets
    }

    fn key(&self, one: &Override) -> Key {
        match one.strength {
            Strength::Order(_) => (Some(one.at.clone()), one.strength, BTreeSet::new()),
            Strength::FenceBefore(order) | Strength::FenceAfter(order) => {
                (None, Strength::FenceAfter(order), self.gaps_of(one))
            }
        }
    }

    /// Returns the gaps in which a fence stands.
    fn gaps_of(&self, one: &Override) -> BTreeSet<Gap> {
        let side = match one.strength {
            Strength::FenceAfter(_) => 0,
            Strength::FenceBefore(_) => 1,
            Strength::Order(_) => return BTreeSet::new(),
        };
        self.gaps.iter().filter(|gap| gap[side].as_ref() == Some(&one.at)).cloned().collect()
    }

    fn element(&self, one: &Override) -> Element {
        let times = self.points.get(&one.at).map_or(1, |performed| performed.times.into());
        let once = self.costs.once(one, &self.models);
        Element { chosen: one.clone(), gaps: self.gaps_of(one), once, times }
    }
}

/// Puts one order that acquires and releases in the place of both orders at the same access. It is in each clause in which one of
/// them is, and costs no more than they do.
fn join_halves(set: &mut Vec<Element>, elements: &[Element]) {
    let with = |element: &Element, order: Order| {
        let chosen = Override { strength: Strength::Order(order), ..element.chosen.clone() };
        move |other: &Element| other.chosen == chosen
    };
    let acquires: Vec<Element> =
        set.iter().filter(|one| one.chosen.strength == Strength::Order(Order::Acquire)).cloned().collect();
    for half in acquires {
        let joined = elements.iter().find(|one| with(&half, Order::AcquireRelease)(one));
        if let (Some(joined), true) = (joined, set.iter().any(with(&half, Order::Release))) {
            set.retain(|one| *one != half && !with(&half, Order::Release)(one));
            set.push(joined.clone());
        }
    }
}

/// Returns the rank of an element: of elements that do the same, the one with the least rank is tried.
fn rank(element: &Element) -> (u64, bool, &Override) {
    (element.cost(), matches!(element.chosen.strength, Strength::FenceBefore(_)), &element.chosen)
}

/// Whether the element stands within a line, where no text can be put in between.
pub(crate) fn is_within_line(element: &Element) -> bool {
    let same = |[first, second]: &Gap| {
        let line = |point: &Option<Point>| point.as_ref().map(|point| (point.place.file.clone(), point.place.line));
        first.is_some() && line(first) == line(second)
    };
    !element.gaps.is_empty() && element.gaps.iter().all(same)
}

/// Returns how little an element is wanted among those that cost as much.
fn clumsiness(element: &Element) -> u64 {
    let Override { at, strength } = &element.chosen;
    let is_update = !matches!(at.operation, Operation::Load | Operation::Store);
    match strength {
        Strength::Order(Order::SequentiallyConsistent) if is_update => 2,
        Strength::Order(Order::AcquireRelease) if is_update => 1,
        _ => u64::from(is_within_line(element)),
    }
}

/// Returns the name in C of an order.
pub(crate) const fn order_in_c(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "memory_order_relaxed",
        Order::Acquire => "memory_order_acquire",
        Order::Release => "memory_order_release",
        Order::AcquireRelease => "memory_order_acq_rel",
        Order::SequentiallyConsistent => "memory_order_seq_cst",
    }
}
