//! The words for a repair.

use std::fmt::Write;

use owo_colors::OwoColorize;
use protocol::{Operation, Order, Point, Strength};

use super::answer::{Repaired, Spare, SpareFence};
use super::patched::Patch;
use super::universe::{Element, Universe, order_in_c};
use crate::programs::wronged::{Executions, Wronged};
use crate::report::names::{full_place, short_place};
use crate::text::{counted, printable};

/// A set that is written into the source.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) elements: Vec<Element>,
    pub(crate) patch: Patch,
    /// The files are edited.
    pub(crate) is_applied: bool,
    /// The proof for the program that was made of the new text.
    pub(crate) proof: Proof,
}

/// The proof that a program is right, as far as there is one.
#[derive(Debug)]
pub(crate) enum Proof {
    /// The program is right in this many executions.
    Right(Executions),
    /// It is not known whether the program is right; the field is the reason.
    Unknown(String),
    /// The program is not right; the field says what is wrong.
    Wrong(String),
}

/// Returns a set as a table, with what comes back without each element, and why no text can be made for it, if so.
pub(crate) fn table(repaired: &Repaired, refusals: &[Option<String>], universe: &Universe) -> String {
    let mut text = String::new();
    let each = repaired.elements.iter().zip(&repaired.without).zip(refusals);
    for (number, ((element, wronged), refusal)) in (1..).zip(each) {
        let _ = writeln!(text, "{number:>3}. {}, cost {}", element_in_words(element, universe).bold(), cost(element));
        let _ = writeln!(text, "     without it {}", wronged.in_words());
        if let Some(why) = refusal {
            let _ = writeln!(text, "     no text for it: it is {why}");
        }
    }
    text
}

/// Returns the text of a set, if it is another one than this, and what is known of it; then the patch.
pub(crate) fn text(text: &Text, cheapest: &[Element], universe: &Universe) -> String {
    let mut said = String::new();
    if text.elements != cheapest {
        let what = elements_in_words(&text.elements, universe);
        let _ = writeln!(
            said,
            "the cheapest that can be written into the text: {what}, cost {}",
            whole_cost(&text.elements)
        );
    }
    match &text.proof {
        Proof::Right(_) => {}
        Proof::Unknown(why) => {
            let _ = writeln!(said, "note: the program of the new text was not searched: {why}");
        }
        Proof::Wrong(why) => {
            let _ = writeln!(said, "note: no patch: with its text the program is not right: {why}");
            return said;
        }
    }
    said + &printable_lines(&text.patch.text())
}

/// Returns a text of several lines made printable, with its line ends and tabs.
fn printable_lines(text: &str) -> String {
    let plain = |line: &str| {
        let (line, end) = line.strip_suffix('\r').map_or((line, ""), |line| (line, "\r"));
        line.split('\t').map(printable).collect::<Vec<_>>().join("\t") + end
    };
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

/// Returns the note that orders are enough for machines alone.
pub(crate) fn in_c11(wronged: &Wronged) -> String {
    format!(
        "note: enough on these machines, as compilers make instructions of it today; by the letter of C11 it is not, where {}\n",
        wronged.in_words()
    )
}

/// Returns the fences that are not needed, a line each, and what else is to be known of them.
pub(crate) fn spare(spare: &Spare, universe: &Universe) -> String {
    let mut text = String::new();
    for fence in &spare.fences {
        let what = spare_in_words(fence, universe);
        let _ = match fence.enough {
            None => writeln!(text, "  not needed here: {what}, cost {}", fence.saved),
            Some(order) => {
                let enough = name_of_fence(order, universe);
                writeln!(text, "  more than is needed here: {what}: as {enough} it costs {} less", fence.saved)
            }
        };
    }
    if !spare.fences.is_empty() {
        text += NOTE_OF_SPARE;
    }
    if spare.open > 0 {
        let fences = counted(spare.open as u64, "fence", "fences");
        let _ =
            writeln!(text, "note: of {fences} it is not known whether they are needed: that takes too long to search");
    }
    text
}

/// The note on how far fences are not needed.
const NOTE_OF_SPARE: &str = "note: another use of the same code may need what this program does not: let it try all before you take \
                             a fence out, and leave atomic_signal_fence(memory_order_seq_cst) there for the compiler; \
                             `fencehound relax` asks C11 as well\n";

/// Returns a fence in words: `full fence at a.c:12:5`.
fn spare_in_words(fence: &SpareFence, universe: &Universe) -> String {
    format!("{} at {}", name_of_fence(fence.has, universe), full_place(&fence.at.place))
}

/// Returns the name of a fence of this order.
fn name_of_fence(order: Order, universe: &Universe) -> String {
    match order {
        Order::SequentiallyConsistent => "full fence".to_string(),
        Order::Acquire => "acquire fence".to_string(),
        Order::Release => "release fence".to_string(),
        _ => format!("{} fence", universe.light_fence()),
    }
}

/// Returns how many fences are not needed, with their cost: `1 fence is not needed here under x86 (TSO), cost 33`.
pub(crate) fn spared(spare: &Spare, models: &str) -> String {
    let count = spare.fences.len() as u64;
    let saved: u64 = spare.fences.iter().map(|fence| fence.saved).sum();
    let what = if spare.fences.iter().all(|fence| fence.enough.is_none()) { "not" } else { "more than is" };
    format!("{} {what} needed here under {models}, cost {saved}", counted(count, "fence is", "fences are"))
}

/// Other sets, a line each.
pub(crate) fn others(sets: &[Vec<Element>], universe: &Universe) -> String {
    let mut text = String::new();
    for set in sets {
        let _ = writeln!(text, "  or {}", elements_in_words(set, universe));
    }
    text
}

/// Returns the cost of an element in words: `33`, or `33 in each of 2 executions`.
fn cost(element: &Element) -> String {
    match element.times {
        1 => element.once.to_string(),
        times => format!("{} ({} each of {times} times)", element.cost(), element.once),
    }
}

/// Returns the cost of all elements together.
pub(crate) fn whole_cost(elements: &[Element]) -> u64 {
    elements.iter().map(Element::cost).sum()
}

/// Returns how many elements make something: `2 full fences make`, `1 full fence makes`.
pub(crate) fn make(elements: &[Element], universe: &Universe) -> String {
    let verb = if elements.len() == 1 { "makes" } else { "make" };
    format!("{} {verb}", counts(elements, universe))
}

/// Returns how many elements there are of each kind: `2 full fences`, `1 full fence and 1 stronger order`.
fn counts(elements: &[Element], universe: &Universe) -> String {
    let count = |matches: &dyn Fn(Strength) -> bool| {
        elements.iter().filter(|element| matches(element.chosen.strength)).count() as u64
    };
    let full = count(&|strength| fence_order(strength) == Some(Order::SequentiallyConsistent));
    let light = count(&|strength| fence_order(strength).is_some()) - full;
    let orders = count(&|strength| fence_order(strength).is_none());
    let parts = [
        (full, "full fence", "full fences"),
        (light, &format!("{} fence", universe.light_fence()), &format!("{} fences", universe.light_fence())),
        (orders, "stronger order", "stronger orders"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, more)| counted(count, one, more))
        .collect();
    parts.join(" and ")
}

fn fence_order(strength: Strength) -> Option<Order> {
    match strength {
        Strength::FenceBefore(order) | Strength::FenceAfter(order) => Some(order),
        Strength::Order(_) => None,
    }
}

/// Returns all elements of a set in words.
pub(crate) fn elements_in_words(set: &[Element], universe: &Universe) -> String {
    let elements: Vec<String> = set.iter().map(|element| element_in_words(element, universe)).collect();
    elements.join(", and ")
}

/// Returns an element in words: `full fence between a.c:3 (store x) and a.c:4 (load y)`.
pub(crate) fn element_in_words(element: &Element, universe: &Universe) -> String {
    let at = point_in_words(&element.chosen.at, universe);
    let fence = |order: Order| match order {
        Order::SequentiallyConsistent => "full fence".to_string(),
        _ => format!("{} fence", universe.light_fence()),
    };
    let order = match element.chosen.strength {
        Strength::Order(order) => return format!("{} at {at}", order_in_c(order)),
        Strength::FenceBefore(order) | Strength::FenceAfter(order) => order,
    };
    let [first, second] = element.sides().map(|point| point.map(|point| point_in_words(point, universe)));
    match (first, second, element.chosen.strength) {
        (Some(first), Some(second), _) => format!("{} between {first} and {second}", fence(order)),
        (_, _, Strength::FenceBefore(_)) => format!("{} before {at}", fence(order)),
        _ => format!("{} after {at}", fence(order)),
    }
}

/// Returns a point in words: `a.c:3 (store x)`.
fn point_in_words(point: &Point, universe: &Universe) -> String {
    let target = universe.performed(point).map(|performed| printable(&performed.target)).unwrap_or_default();
    let operation = match point.operation {
        Operation::Call(_) => "call",
        operation => operation.name(),
    };
    let what = format!("{} {target}", printable(operation));
    format!("{} ({})", short_place(&point.place), what.trim_end())
}
