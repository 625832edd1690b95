//! The result of a program on each machine, where many of them were asked for (`--model all`): a table, and the orders which
//! machines do not keep and on which the program breaks.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use protocol::MemoryModel;

use super::judged::{Judged, title, titles};
use super::judging::Judgement;
use super::remedies::Enough;
use super::searched::Searched;
use crate::exit::Status;
use crate::report::graph::relaxed_orders;
use crate::report::verdict::Verdict;
use crate::text::printable;

/// The most orders that are named.
const NAMED: usize = 6;

/// The fewest machines that are shown in a table: fewer fit into a line.
pub(super) const MANY: usize = 4;

/// The result of the program on one machine.
pub(crate) struct Row {
    model: MemoryModel,
    machine: &'static str,
    /// The judgement if the program breaks or shows something, else the word of the verdict.
    word: &'static str,
    /// The words for what was explored, and what was found.
    words: String,
}

/// Whether these are searches for many machines.
pub(crate) fn are_many(all: &[Searched]) -> bool {
    all.len() >= MANY
}

/// Returns a row for each machine; none unless many machines were asked for.
pub(crate) fn rows(all: &[Searched], verdicts: &[Verdict], judged: &[Judged]) -> Vec<Row> {
    if !are_many(all) {
        return Vec::new();
    }
    let models: Vec<MemoryModel> = all.iter().map(|searched| searched.plan.models[0].0).collect();
    let row = |(&model, verdict): (&MemoryModel, &Verdict)| {
        let words = verdict.line.split_once(": ").map_or("", |(_, words)| words);
        let standing = judged.iter().find(|one| one.model == model).and_then(Judged::standing);
        let (word, words) = match standing {
            Some(worse @ (Judgement::Breaks(_) | Judgement::Shows(_))) => {
                let word = worse.word();
                (word, words.strip_prefix(word).map_or(words, |words| words.trim_start_matches([',', ' '])))
            }
            _ => (verdict.word, words),
        };
        Row { model, machine: title(model), word, words: words.to_owned() }
    };
    models.iter().zip(verdicts).map(row).collect()
}

/// Returns a line for each row, one for each order that matters, and what is enough, if that is known; then who would notice.
pub(crate) fn table(rows: &[Row], all: &[Searched], enough: Option<&Enough>) -> String {
    let mut text = String::from("machine     verdict\n");
    for Row { machine, word, words, .. } in rows {
        let _ = writeln!(text, "{machine:<11} {word:<12} {}", printable(words));
    }
    let orders = orders(all);
    if !orders.is_empty() {
        text.push_str("\norders that matter, and where the program breaks without them\n");
    }
    for (order, models) in orders.iter().take(NAMED) {
        let _ = writeln!(text, "  {}: {}", printable(order), models.join(", "));
    }
    if orders.len() > NAMED {
        let _ = writeln!(text, "  and {} more", orders.len() - NAMED);
    }
    if let Some(enough) = enough {
        let models = titles(&enough.models);
        let _ = writeln!(text, "\nenough under {models}, by searches with it\n  {}", enough.in_words());
        let machines = rows.iter().filter(|row| !matches!(row.model, MemoryModel::Sc | MemoryModel::C11));
        let costs: Vec<String> = machines.map(|row| format!("{} {}", row.machine, enough.cost_on(row.model))).collect();
        if !costs.is_empty() {
            let _ = writeln!(text, "  cost in an execution: {}", costs.join(", "));
        }
    }
    if let Some(words) = noticed(rows) {
        let _ = writeln!(text, "\n{words}");
    }
    text.push('\n');
    text
}

/// Returns who would notice what is wrong with the program, from the strongest machine on which it shows; none where nothing is, or
/// where that is not known.
fn noticed(rows: &[Row]) -> Option<String> {
    let is_wrong = |row: &&Row| !matches!(row.word, "clean" | "incomplete" | "unsupported");
    let wrong: Vec<MemoryModel> = rows.iter().filter(is_wrong).map(|row| row.model).collect();
    let is_known = |row: &Row| row.word == "clean" || wrong.contains(&row.model);
    let is_right = |model: MemoryModel| rows.iter().any(|row| row.model == model && row.word == "clean");
    let machines: Vec<MemoryModel> = wrong.iter().copied().filter(|model| *model != MemoryModel::C11).collect();
    match &machines[..] {
        _ if wrong.contains(&MemoryModel::Sc) => Some("wrong on every machine: interleavings alone show it".to_string()),
        all if all.contains(&MemoryModel::Tso) => Some("x86 shows it, if the timing is right".to_string()),
        [] if wrong.is_empty() || !rows.iter().all(is_known) => None,
        [] => Some(
            "on the machines the program fails and ends as under SC, as compilers make code of C11 today: by the standard it is wrong, \
             and another compiler may move what it depends on"
                .to_string(),
        ),
        all if is_right(MemoryModel::Tso) => {
            let others = titles(all);
            Some(format!(
                "x86 hides it: the program does not fail there, whatever the timing, unless a compiler moves something; on {others} it \
                 can"
            ))
        }
        _ => None,
    }
}

/// Returns the verdict line below a table, which groups the machines by the result of the program there.
pub(crate) fn line(rows: &[Row], verdicts: &[Verdict]) -> String {
    let status = verdicts.iter().map(|verdict| verdict.status).fold(Status::Clean, Status::and);
    let worst = verdicts.iter().find(|verdict| verdict.status == status).map_or("", |verdict| verdict.word);
    let mut words: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.word != "clean").chain(rows) {
        if !words.contains(&row.word) {
            words.push(row.word);
        }
    }
    let under = |word: &&str| {
        let machines: Vec<&str> = rows.iter().filter(|row| row.word == *word).map(|row| row.machine).collect();
        format!("{word} under {}", machines.join(", "))
    };
    let said: Vec<String> = words.iter().map(under).collect();
    match said.as_slice() {
        [_] if status == Status::Clean => {
            let machines: Vec<&str> = rows.iter().map(|row| row.machine).collect();
            format!("clean: under {}", machines.join(", "))
        }
        said => format!("{worst}: {}", said.join("; ")),
    }
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
    // An order that the strongest machine breaks is needed on all, so it comes first.
    orders.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    orders
}
