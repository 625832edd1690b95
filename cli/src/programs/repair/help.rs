//! The advice with a finding what forbids it, in words and as the JSON has it.

use protocol::{Order, Point, Strength};
use serde::Serialize;

use super::universe::{Element, Universe, order_in_c};
use crate::report::names::short_place;
use crate::text::printable;

/// The advice what to do about a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Help {
    /// The advice as reports have it, line by line.
    text: Vec<String>,
    /// The fences that forbid the finding together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fences: Vec<Addition>,
    /// The orders of atomic accesses that forbid the finding together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    orders: Vec<Addition>,
}

/// A fence or an order that could be added to the program, as the JSON has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Addition {
    /// The order of the fence or the access, as C calls it.
    order: &'static str,
    /// The access that is to have the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Spot>,
    /// The access that the fence stands behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Spot>,
    /// The access that the fence stands in front of.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Spot>,
}

/// The kind of what no order forbids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unordered {
    /// Two accesses race.
    Race,
    /// The program fails or ends as it should not.
    Other,
}

/// An access, as the JSON has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Spot {
    file: String,
    line: u32,
    column: u32,
    operation: String,
    expression: String,
}

impl Spot {
    /// Returns the access at a point.
    pub(crate) fn of(point: &Point, universe: &Universe) -> Spot {
        Spot {
            file: point.place.file.clone(),
            line: point.place.line,
            column: point.place.column,
            operation: point.operation.name().to_string(),
            expression: universe.performed(point).map(|known| known.target.clone()).unwrap_or_default(),
        }
    }
}

impl Addition {
    /// Returns what an element adds.
    pub(crate) fn of(element: &Element, universe: &Universe) -> Addition {
        let (Strength::FenceBefore(order) | Strength::FenceAfter(order) | Strength::Order(order)) =
            element.chosen.strength;
        let spot = |point: Option<&Point>| point.map(|point| Spot::of(point, universe));
        if let Strength::Order(_) = element.chosen.strength {
            let at = spot(Some(&element.chosen.at));
            return Addition { order: order_in_c(order), at, after: None, before: None };
        }
        let [after, before] = element.sides();
        Addition { order: order_in_c(order), at: None, after: spot(after), before: spot(before) }
    }
}

/// Elements of a set, and what is known of their places.
pub(crate) type Of<'a> = (&'a [Element], &'a Universe);

impl Help {
    /// Makes the advice that these fences, if any are given, forbid something, and that these orders do alone, if any are given.
    pub(crate) fn forbids(fences: Option<Of<'_>>, orders: Option<Of<'_>>, what: &str) -> Help {
        Help::of(fences, orders, &[format!("forbids {what}"), format!("forbid {what}")])
    }

    /// Makes the advice that these fences, or these orders alone, make the program what `what` says.
    pub(crate) fn makes(fences: Option<Of<'_>>, orders: Option<Of<'_>>, what: &str) -> Help {
        Help::of(fences, orders, &[format!("makes {what}"), format!("make {what}")])
    }

    fn of(fences: Option<Of<'_>>, orders: Option<Of<'_>>, does: &[String; 2]) -> Help {
        let mut text = Vec::new();
        if let Some((set, universe)) = fences {
            text.push(format!("{} {}", fences_in_words(set, universe), does[usize::from(set.len() > 1)]));
        }
        if let Some((set, universe)) = orders {
            let words = orders_in_words(set, universe);
            let has_several = set.iter().any(|one| one.chosen.strength != set[0].chosen.strength);
            text.push(match fences {
                Some(_) => format!("or {words}"),
                None => format!("{words} {}", does[usize::from(has_several)]),
            });
        }
        let additions = |of: Option<Of<'_>>| -> Vec<Addition> {
            of.map(|(set, universe)| set.iter().map(|one| Addition::of(one, universe)).collect()).unwrap_or_default()
        };
        Help { text, fences: additions(fences), orders: additions(orders) }
    }

    /// Makes the advice that no order of an atomic access forbids the finding under C11.
    pub(crate) fn no_order(of: Unordered) -> Help {
        let text = match of {
            Unordered::Race => {
                "no stronger order of an atomic access orders the two: make them atomic, or hold one mutex around both"
            }
            Unordered::Other => "no stronger order of an atomic access forbids this",
        };
        Help { text: vec![text.to_string()], fences: Vec::new(), orders: Vec::new() }
    }

    /// Makes the advice that no fence forbids the finding.
    pub(crate) fn none() -> Help {
        let text = "no fence and no stronger order forbids this".to_string();
        Help { text: vec![text], fences: Vec::new(), orders: Vec::new() }
    }

    /// Makes the advice on a data race.
    pub(crate) fn on_race() -> Help {
        let text = [
            "order the two by a lock, or by a release store that an acquire load reads, or make both atomic",
            "a volatile access is not atomic in C11: --model armv8,riscv,power says what machines make of it",
        ];
        Help { text: text.map(String::from).to_vec(), fences: Vec::new(), orders: Vec::new() }
    }

    /// Makes the advice that it is not known what forbids the finding, and why.
    pub(crate) fn unknown(why: &str) -> Help {
        let text = format!("which fences forbid this is not known: {}", printable(why));
        Help { text: vec![text], fences: Vec::new(), orders: Vec::new() }
    }

    /// Makes the advice with these lines behind it; the lines alone if there is none.
    pub(crate) fn and(help: Option<Help>, lines: impl IntoIterator<Item = String>) -> Help {
        let mut help = help.unwrap_or(Help { text: Vec::new(), fences: Vec::new(), orders: Vec::new() });
        help.text.extend(lines);
        help
    }

    /// Returns the advice as reports have it, line by line.
    pub(crate) fn lines(&self) -> &[String] {
        &self.text
    }
}

/// Returns a set of fences in words: `full fences between a.c:3 and a.c:4, and between b.c:3 and b.c:4,`, or `a full fence
/// between a.c:3 and a.c:4`.
fn fences_in_words(set: &[Element], universe: &Universe) -> String {
    let kinds = [("full", true), (universe.light_fence(), false)].map(|(name, full)| {
        let of_kind: Vec<String> = set.iter().filter(|one| is_full(one) == full).map(place_in_words).collect();
        match &of_kind[..] {
            [] => None,
            [only] => Some(format!("{} {name} fence {only}", article(name))),
            several => Some(format!("{name} fences {}", listed(several, ", and "))),
        }
    });
    let words = kinds.into_iter().flatten().collect::<Vec<_>>().join(", and ");
    if set.len() > 1 { words + "," } else { words }
}

fn article(name: &str) -> &'static str {
    if name.starts_with('a') { "an" } else { "a" }
}

/// Returns a list in words, with `last` before the last item: `one`, `one and another`, `one, another and a third`.
fn listed(words: &[String], last: &str) -> String {
    match words.split_last() {
        Some((end, [])) => end.clone(),
        Some((end, rest)) => format!("{}{last}{end}", rest.join(", ")),
        None => String::new(),
    }
}

fn is_full(element: &Element) -> bool {
    let strength = element.chosen.strength;
    matches!(strength, Strength::FenceBefore(order) | Strength::FenceAfter(order) if order == Order::SequentiallyConsistent)
}

/// Returns the place of a fence in words: `between a.c:3 and a.c:4`.
fn place_in_words(element: &Element) -> String {
    match element.sides() {
        [Some(after), Some(before)]
            if (&after.place.file, after.place.line) == (&before.place.file, before.place.line) =>
        {
            let name = |point: &Point| printable(point.operation.name());
            format!("at {}, between its {} and its {}", short_place(&after.place), name(after), name(before))
        }
        [Some(after), Some(before)] => {
            format!("between {} and {}", short_place(&after.place), short_place(&before.place))
        }
        [_, Some(before)] => format!("before {}", short_place(&before.place)),
        [after, None] => format!("after {}", short_place(&after.unwrap_or(&element.chosen.at).place)),
    }
}

/// Returns the words for fences, and for orders, that are enough together: `memory_order_release for the store of x at a.c:3`.
pub(crate) fn elements_in_words(set: &[Element], universe: &Universe) -> String {
    let is_order = |element: &Element| matches!(element.chosen.strength, Strength::Order(_));
    let (orders, fences): (Vec<Element>, Vec<Element>) = set.iter().cloned().partition(is_order);
    let words = [
        (!fences.is_empty()).then(|| fences_in_words(&fences, universe).trim_end_matches(',').to_string()),
        (!orders.is_empty()).then(|| orders_in_words(&orders, universe)),
    ];
    listed(&words.into_iter().flatten().collect::<Vec<_>>(), ", and ")
}

/// Returns a set of orders in words: `memory_order_seq_cst for the store of x at a.c:3 and the load of y at a.c:4`.
fn orders_in_words(set: &[Element], universe: &Universe) -> String {
    let mut by_order: Vec<(Order, Vec<String>)> = Vec::new();
    for element in set {
        let Strength::Order(order) = element.chosen.strength else { continue };
        let Point { place, operation } = &element.chosen.at;
        let target = universe.performed(&element.chosen.at).map(|known| printable(&known.target)).unwrap_or_default();
        let of = if target.is_empty() { target } else { format!(" of {target}") };
        let words = format!("the {}{of} at {}", printable(operation.name()), short_place(place));
        match by_order.iter_mut().find(|(known, _)| *known == order) {
            Some((_, all)) => all.push(words),
            None => by_order.push((order, vec![words])),
        }
    }
    let each = by_order.into_iter().map(|(order, all)| format!("{} for {}", order_in_c(order), listed(&all, " and ")));
    listed(&each.collect::<Vec<_>>(), ", and ")
}
