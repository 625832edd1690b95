//! What findings say of all executions that show them, behind the advice what forbids them.

use std::collections::BTreeSet;

use protocol::{Grounds, MemoryModel, Updates, Weak};

use super::judged::{Judged, title, titles};
use super::repair::help::Help;
use super::searched::Searched;
use crate::plan::check::CheckPlan;
use crate::report::names::short_place;
use crate::text::{listed, printable};

/// Adds to each finding what its grounds are.
pub(crate) fn explain(all: &mut [Searched], judged: &mut [Judged]) {
    let of_searches = all.iter_mut().map(|one| (&one.plan, &mut one.found));
    let of_judging = judged.iter_mut().map(|one| (&one.plan, &mut one.found));
    for (plan, found) in of_searches.chain(of_judging) {
        for one in found.iter_mut() {
            let lines: Vec<String> =
                [in_circles(plan, &one.grounds), of_unused(plan, &one.grounds), of_pairs(&one.grounds)].concat();
            if !lines.is_empty() {
                one.help = Some(Help::and(one.help.take(), lines));
            }
        }
    }
}

/// Says that C11 has none of the executions.
fn in_circles(plan: &CheckPlan, grounds: &Grounds) -> Vec<String> {
    if !grounds.circular {
        return Vec::new();
    }
    let machine = title(plan.models[0].0);
    vec![
        "each execution that shows this has a cycle of program order and reads-from: C11 as it is modelled (RC11) leaves".to_string(),
        format!("these out, the wording of the standard does not forbid them, and {machine} has them, so that c11 may be clean"),
    ]
}

/// Says that the executions rest on results that nobody uses.
fn of_unused(plan: &CheckPlan, grounds: &Grounds) -> Vec<String> {
    if grounds.unused.is_empty() {
        return Vec::new();
    }
    let updates = plan.explore.graphs.map(|graphs| graphs.code.updates);
    let unless =
        if updates == Some(Updates::Either) { ", or pass --lse off if the code is never built with LSE" } else { "" };
    let is_one = grounds.unused.len() == 1;
    let [results, instructions, use_them] = if is_one {
        ["the result of", "it may be one instruction of ARM (LSE) that does", "use the result"]
    } else {
        ["the results of", "they may be instructions of ARM (LSE) that do", "use the results"]
    };
    vec![
        format!(
            "{results} {} {} not used, so that {instructions}",
            in_words(&grounds.unused),
            if is_one { "is" } else { "are" }
        ),
        format!("not acquire, nor wait for an acquire fence: {use_them}{unless}"),
    ]
}

/// Says that the executions rest on read-modify-writes that are pairs of exclusive instructions.
fn of_pairs(grounds: &Grounds) -> Vec<String> {
    if grounds.paired.is_empty() {
        return Vec::new();
    }
    vec![
        format!("built as exclusive loads and stores of ARM (without LSE), {} may be", in_words(&grounds.paired)),
        "overtaken by what follows; single instructions may not: pass --lse on if the code is always built with LSE"
            .to_string(),
    ]
}

/// Returns read-modify-writes in words: `the fetch-add of x at a.c:3 and the exchange of y at a.c:7`.
fn in_words(all: &BTreeSet<Weak>) -> String {
    let word = |weak: &Weak| {
        let of = if weak.target.is_empty() { String::new() } else { format!(" of {}", printable(&weak.target)) };
        format!("the {}{of} at {}", printable(weak.at.operation.name()), short_place(&weak.at.place))
    };
    listed(&all.iter().map(word).collect::<Vec<_>>())
}

/// Returns the sentence that says what circular executions are, if some model shows what is wrong in them alone.
pub(crate) fn on_circles(judged: &[Judged]) -> Option<String> {
    let models: Vec<MemoryModel> = judged.iter().filter(|one| one.is_wrong_in_circles()).map(|one| one.model).collect();
    (!models.is_empty()).then(|| {
        format!(
            "note: circular executions have a cycle of program order and reads-from: C11 as it is modelled (RC11) leaves them out, though \
             the wording of the standard does not forbid them, and {} {} them: `clean` under C11 says nothing of these\n",
            titles(&models),
            if models.len() == 1 { "has" } else { "have" },
        )
    })
}
