//! Fences that a program has and does not need under the models asked for, where a compiler barrier is left in their place.
//!
//! The dearest is tried first, without those that were found before: all of them can be left out together.

use std::collections::BTreeSet;

use protocol::{Atomic, MemoryModel, Operation, Order, Ordered, Orders, Override, Strength};

use super::answer::{Spare, SpareFence};
use super::trials::{Trials, Tried};
use super::universe::Element;
use crate::exit::Failure;
use crate::plan::costs::Costs;

/// The number of seconds that all these searches may always take.
const AT_LEAST: f64 = 10.0;

/// Finds the fences that are not needed if these elements are put in.
///
/// # Errors
/// If the program cannot be run.
pub(crate) fn spare(trials: &Trials<'_>, elements: &[Element], costs: &Costs) -> Result<Spare, Failure> {
    let deadline = trials.task.deadline;
    let deadline = deadline.at_most((2.0 * deadline.elapsed()).max(AT_LEAST));
    let mut found = Spare::default();
    let mut chosen: Vec<Ordered> = Vec::new();
    let models = trials.task.models;
    let mut fences = fences(&trials.atomics(elements, deadline)?);
    fences.sort_by_key(|fence| std::cmp::Reverse(cost(costs, fence, fence.orders.order, models)));
    for fence in fences {
        let has = cost(costs, &fence, fence.orders.order, models);
        let mut open = false;
        for order in [Order::Relaxed, Order::AcquireRelease] {
            let saved = has.saturating_sub(cost(costs, &fence, order, models));
            if saved == 0 {
                break;
            }
            if deadline.is_over() {
                open = true;
                break;
            }
            let mut tried = chosen.clone();
            tried.push(Ordered { at: fence.at.clone(), orders: Orders { order, failure: None } });
            match trials.try_with(elements, &tried, deadline)? {
                Tried::Right(executions) => {
                    let enough = (order != Order::Relaxed).then_some(order);
                    found.fences.push(SpareFence { at: fence.at, has: fence.orders.order, enough, saved });
                    (found.executions, chosen, open) = (executions, tried, false);
                    break;
                }
                Tried::Wrong(..) => {}
                Tried::Open(_) => open = true,
            }
        }
        found.open += usize::from(open);
    }
    found.fences.sort_by(|one, other| one.at.cmp(&other.at));
    Ok(found)
}

/// Returns the fences among these whose order is always the same.
fn fences(atomics: &[Atomic]) -> Vec<Ordered> {
    let is_fence = |one: &&Ordered| one.at.operation == Operation::Fence;
    let all: BTreeSet<Ordered> = atomics.iter().map(|atomic| &atomic.ordered).filter(is_fence).cloned().collect();
    let is_one = |one: &&Ordered| all.iter().filter(|other| other.at == one.at).count() == 1;
    all.iter().filter(is_one).cloned().collect()
}

/// Returns the cost of a fence with this order, on the machines of all models together; 0 if they have no instruction for it.
fn cost(costs: &Costs, fence: &Ordered, order: Order, models: &[MemoryModel]) -> u64 {
    match order {
        Order::Relaxed => 0,
        _ => costs.together(&Override { at: fence.at.clone(), strength: Strength::FenceAfter(order) }, models),
    }
}
