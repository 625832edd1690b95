//! What a program comes to on each machine, where all of them were asked for (`--model all`): a table, and the orders that
//! the machines do not keep on which it breaks.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use protocol::MemoryModel;

use super::judged::{Judged, title};
use super::judging::Judgement;
use super::searched::Searched;
use crate::report::graph::relaxed_orders;
use crate::report::verdict::Verdict;
use crate::text::printable;

/// How many orders are named.
const NAMED: usize = 6;

/// Returns a line for each machine, and one for each order that matters; nothing unless all machines were asked for.
pub(crate) fn table(all: &[Searched], verdicts: &[Verdict], judged: &[Judged]) -> String {
    let models: Vec<MemoryModel> = all.iter().map(|searched| searched.plan.models[0].0).collect();
    if !MemoryModel::MACHINES.iter().all(|machine| models.contains(machine)) {
        return String::new();
    }
    let mut text = String::from("machine     verdict\n");
    for (&model, verdict) in models.iter().zip(verdicts) {
        let words = verdict.line.split_once(": ").map_or("", |(_, words)| words);
        let standing = judged.iter().find(|one| one.model == model).and_then(Judged::standing);
        let (word, words) = match standing {
            Some(worse @ (Judgement::Breaks(_) | Judgement::Shows(_))) => {
                let word = worse.word();
                (word, words.strip_prefix(word).map_or(words, |words| words.trim_start_matches([',', ' '])))
            }
            _ => (verdict.word, words),
        };
        let _ = writeln!(text, "{:<11} {word:<12} {}", title(model), printable(words));
    }
    let orders = orders(all);
    if !orders.is_empty() {
        text.push_str("\norders that matter, and who does not keep them\n");
    }
    for (order, models) in orders.iter().take(NAMED) {
        let _ = writeln!(text, "  {}: {}", printable(order), models.join(", "));
    }
    if orders.len() > NAMED {
        let _ = writeln!(text, "  and {} more", orders.len() - NAMED);
    }
    text.push('\n');
    text
}

/// Returns the orders of a thread that failing executions do not keep, in the findings as they are shown, with the machines.
fn orders(all: &[Searched]) -> Vec<(String, Vec<&'static str>)> {
    let mut known: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for searched in all {
        let name = title(searched.plan.models[0].0);
        let graphs = searched.found.iter().filter_map(|one| one.violation.schedule.graph.as_ref());
        for order in graphs.flat_map(relaxed_orders) {
            let names = known.entry(order).or_default();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let mut orders: Vec<_> = known.into_iter().collect();
    // What the strongest machine breaks is what all need.
    orders.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    orders
}
