//! What findings say of all executions that show them, behind the advice what forbids them.

use protocol::MemoryModel;

use super::found::Found;
use super::judged::{Judged, title, titles};
use super::repair::help::Help;
use super::searched::Searched;

/// Adds to each finding what its grounds are.
pub(crate) fn explain(all: &mut [Searched], judged: &mut [Judged]) {
    let of_searches = all.iter_mut().map(|one| (one.plan.models[0].0, &mut one.found));
    let of_judging = judged.iter_mut().map(|one| (one.model, &mut one.found));
    for (model, found) in of_searches.chain(of_judging) {
        found.iter_mut().filter(|one| one.grounds.circular).for_each(|one| is_circular(model, one));
    }
}

/// Adds to a finding that C11 has none of its executions.
fn is_circular(model: MemoryModel, found: &mut Found) {
    let machine = title(model);
    let lines = [
        "each execution that shows this has a cycle of program order and reads-from: C11 as it is modelled (RC11) leaves".to_string(),
        format!("these out, the wording of the standard does not forbid them, and {machine} has them, so that c11 may be clean"),
    ];
    found.help = Some(Help::and(found.help.take(), lines));
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
