//! The words for orders that are weaker.

use std::fmt::Write;

use owo_colors::OwoColorize;
use protocol::{MemoryModel, Operation, Order, Orders};

use super::ladder::Part;
use super::weakening::{Reason, Weakened};
use crate::report::names::short_place;
use crate::text::{counted, printable};

/// Returns the name of an order in C; for a fence that is not there, `none`.
fn order_in_words(operation: Operation, order: Order) -> &'static str {
    match order {
        Order::Relaxed if operation == Operation::Fence => "none",
        Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcquireRelease => "acq_rel",
        Order::SequentiallyConsistent => "seq_cst",
    }
}

/// Returns the orders of an access in words: `release`; `acq_rel, acquire on failure`.
fn orders_in_words(operation: Operation, orders: Orders) -> String {
    let order = order_in_words(operation, orders.order);
    match orders.failure {
        Some(failure) => format!("{order}, {} on failure", order_in_words(operation, failure)),
        None => order.to_string(),
    }
}

/// Returns all accesses and fences as a table, each with the orders that it needs, and the result of weaker ones.
pub(crate) fn table(atomics: &[Weakened]) -> String {
    let mut text = String::new();
    for one in atomics {
        let Weakened { atomic, needs, reasons } = one;
        let operation = atomic.ordered.at.operation;
        let what = format!("{} {}", operation.name(), printable(&atomic.target));
        let has = orders_in_words(operation, atomic.ordered.orders);
        let orders = if *needs == atomic.ordered.orders {
            format!("{has} stays")
        } else {
            format!("{} for {has}", orders_in_words(operation, *needs)).bold().to_string()
        };
        let place = short_place(&atomic.ordered.at.place);
        let _ = writeln!(text, "  {place} ({}): {orders}", what.trim_end());
        for (&part, reason) in reasons {
            let _ = writeln!(text, "      {}", reason_in_words(operation, part, reason));
        }
    }
    text
}

fn reason_in_words(operation: Operation, part: Part, reason: &Reason) -> String {
    let tried = |order| match part {
        Part::Order => format!("with {}", order_in_words(operation, order)),
        Part::Failure => format!("with {} on failure", order_in_words(operation, order)),
    };
    match reason {
        Reason::Wrong(order, wronged) => format!("{} {}", tried(*order), wronged.in_words()),
        Reason::Open(order, why) => format!("{} it is open: {why}", tried(*order)),
    }
}

/// Returns how many can be weaker: `5 of 7 accesses and fences can have weaker orders`.
pub(crate) fn weaker_in_words(atomics: &[Weakened]) -> String {
    let weaker = atomics.iter().filter(|one| one.needs != one.atomic.ordered.orders).count();
    format!(
        "{weaker} of {} can have weaker orders",
        counted(atomics.len() as u64, "access or fence", "accesses and fences")
    )
}

/// Returns the proof in words: `all executions (14 C11, 12 ARMv8) end as under SC`.
pub(crate) fn proof(executions: &[(MemoryModel, u64)]) -> String {
    let count = |&(model, count): &(MemoryModel, u64)| format!("{count} {}", model.title());
    let all: Vec<String> = executions.iter().map(count).collect();
    format!("all executions ({}) end as under SC", all.join(", "))
}
