//! A count of traces by drawing: an estimate of how many [`super::explore`] visits in all.
//!
//! A trace is drawn access by access: one of those that can be committed, by weight, and one of the ways in which the model allows
//! that, evenly. Its probability p is the product of these. The same trace comes of other orders of its accesses, too. Let one of
//! these be drawn from the trace alone, with the same weights, from the accesses that can be committed and whose write to
//! read from is there: that has a probability q. The q of all orders of a trace add up to 1, so the expected value of q / p over what is
//! drawn, with 0 for what is no trace in the end, is the number of traces ([`crate::explore::census`] has the same of classes).

use super::state::{Ended, State, Verdict, candidates};
use super::{CompleteTrace, are_as_committed};
use crate::explore::estimate::share;
use crate::explore::generator::Generator;
use crate::graph::trace::Part;
use crate::graph::{EventId, Link, Program};
use crate::model::Model;

/// Whether a trace that was drawn is one of those to be counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Worth {
    /// The trace counts.
    Counts,
    /// The trace is left out.
    LeftOut,
}

/// The weight of an access that creates a thread or waits for one; others have 1. That which concerns nobody else comes first, so
/// that the numbers that are drawn differ less.
const APART: u64 = 1000;

/// A choice among accesses: those that could be committed, with their weights.
type Choice = Vec<(EventId, u64)>;

/// Draws one trace of the program under the model `M`, the one with this number, and returns the logarithm of how many traces it stands
/// for.
///
/// # Errors
/// [`Ended`], if the trace cannot be drawn to its end.
pub fn draw<const W: usize, M: Model<W>, P: Program<W>>(
    program: &P,
    number: u64,
    worth: &mut dyn FnMut(&CompleteTrace<'_, W>) -> Worth,
) -> Result<f64, Ended<P::Fault>> {
    let mut random = Generator::new(0, number);
    let mut state = State::<M, W>::new(program).map_err(Ended::Fault)?;
    let (mut choices, mut order, mut drawn): (Vec<Choice>, Vec<EventId>, f64) = (Vec::new(), Vec::new(), 0.0);
    loop {
        let ready = candidates(&state, program).map_err(Ended::Fault)?;
        if ready.is_empty() {
            break;
        }
        let weight = |event: EventId| match state.label(event).link {
            Link::Creates { .. } | Link::Follows => APART,
            _ => 1,
        };
        let choice: Choice = ready.into_iter().map(|event| (event, weight(event))).collect();
        let event = random.weighted(choice.iter().copied());
        let ranks = allowed(&mut state, program, event)?;
        let nth = random.below(ranks.len().max(1) as u64);
        let Some((rank, _)) = ranks.iter().zip(0..).find(|&(_, number)| number == nth) else {
            return Ok(f64::NEG_INFINITY);
        };
        drawn += probability(&choice, event, |_| true) + share(1, ranks.len() as u64);
        let before = state.ready(event);
        state.commit(program, event, *rank, &before)?;
        choices.push(choice);
        order.push(event);
    }
    let State { trace, model, reads, labels, reached, origins, .. } = &state;
    let is_over = (0..labels.len()).all(|thread| state.is_over(thread)) && are_as_committed(trace, labels);
    if !is_over || worth(&CompleteTrace { trace, reads, labels, reached, origins, model }) == Worth::LeftOut {
        return Ok(f64::NEG_INFINITY);
    }
    Ok(of_its_trace(&state, &choices, &order) - drawn)
}

/// Returns the numbers with which the model allows the access to be committed; a lock is taken where it is free, or waits for ever.
fn allowed<const W: usize, M: Model<W>, P: Program<W>>(
    state: &mut State<M, W>,
    program: &P,
    event: EventId,
) -> Result<Vec<usize>, Ended<P::Fault>> {
    let before = state.ready(event);
    let last = state.last(event);
    let first = match state.label(event).link {
        Link::Locks => last,
        Link::Chooses(_) => 0,
        _ => state.floor(event, state.location(event)),
    };
    let mut ranks = Vec::new();
    for rank in first..=last {
        if state.commit(program, event, rank, &before)? == Verdict::Allowed {
            ranks.push(rank);
            state.take_back();
        }
    }
    Ok(ranks)
}

/// Returns the logarithm of the probability with which this order is drawn from the trace.
fn of_its_trace<const W: usize, M: Model<W>>(state: &State<M, W>, choices: &[Choice], order: &[EventId]) -> f64 {
    let at = |event: EventId| order.iter().position(|&other| other == event);
    let trace = &state.trace;
    let source_is_there = |event: EventId, time: usize| {
        let mut nodes = trace.nodes_of(event);
        nodes.all(|node| match trace.node(node).part {
            Part::Read(Some(source)) if trace.node(source).event != event => {
                at(trace.node(source).event).is_some_and(|source| source < time)
            }
            _ => true,
        })
    };
    let steps = choices.iter().zip(order).enumerate();
    steps.map(|(time, (choice, &event))| probability(choice, event, |other| source_is_there(other, time))).sum()
}

/// Returns the logarithm of the event's probability among those of the choice that may be drawn.
fn probability(choice: &Choice, event: EventId, may: impl Fn(EventId) -> bool) -> f64 {
    let all = choice.iter().filter(|&&(other, _)| may(other)).map(|(_, weight)| weight).sum();
    let own = choice.iter().find(|(other, _)| *other == event).map_or(1, |&(_, weight)| weight);
    share(own, all)
}
