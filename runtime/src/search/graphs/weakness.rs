//! The read-modify-writes of ARM on whose code a wrong execution rests: what one compiler or processor makes of them forbids the
//! execution, and what another one makes does not.

use std::collections::{BTreeMap, BTreeSet};

use engine::explore::rsmc::CompleteTrace;
use engine::graph::{Access, Annotations, EventId, Label, Labels};
use engine::mapping::graphs::{Form, update};
use engine::mapping::machines::armv8::Updates;
use engine::model::MemoryModel;
use protocol::{Causality, Grounds, Operation, Weak};

use crate::run::with;
use crate::search::graphs::obstacles::point;
use crate::search::graphs::runs::{Broken, Notes, notes};
use crate::state::failure::Failure;
use crate::state::graph::Recorded;
use crate::state::operation::target_of;

/// Returns the grounds of an execution in which these failures show.
pub(crate) fn grounds<const W: usize>(
    execution: &CompleteTrace<'_, W>,
    failures: &[Failure],
) -> Result<Grounds, Broken> {
    let alone = Grounds { circular: execution.causality() == Causality::Circular, ..Grounds::default() };
    let updates = with(|runtime| {
        let may_rest = failures.iter().any(|failure| runtime.recorder.findings.may_rest_on_code(failure));
        let graph = runtime.graph_mut();
        (graph.model == MemoryModel::Armv8 && may_rest).then_some(graph.code.updates)
    });
    let Some(updates) = updates.flatten().filter(|updates| *updates != Updates::Pairs) else { return Ok(alone) };
    if !execution.labels.iter().flat_map(|labels| labels.iter()).any(is_update) {
        return Ok(alone);
    }
    let notes = notes(execution)?;
    let unused = needed(execution, &notes, with_result);
    let paired = match updates {
        Updates::Either => needed(execution, &notes, as_single),
        Updates::Single | Updates::Pairs => BTreeSet::new(),
    };
    Ok(Grounds { unused, paired, ..alone })
}

fn is_update<const W: usize>(label: &Label<W>) -> bool {
    matches!(label.access, Access::Update(_))
}

/// Returns what a read-modify-write whose result nobody uses orders by itself if it has a result.
fn with_result(recorded: &Recorded) -> Option<Annotations> {
    let order = recorded.spelled.order.filter(|_| recorded.spelled.form == Form::Unused)?;
    Some(update(MemoryModel::Armv8, order, Form::Single).annotations)
}

/// Returns what a read-modify-write of the program orders by itself if it is one instruction.
fn as_single(recorded: &Recorded) -> Option<Annotations> {
    let is_one = matches!(recorded.access, Access::Update(_)) && recorded.note.operation != Operation::FetchNand;
    (is_one && recorded.width > 0).then(|| recorded.annotations.and(Annotations::SINGLE))
}

/// Returns read-modify-writes of which each is needed to forbid an execution, if all that have stronger code have it; none if they do
/// not forbid it together.
fn needed<const W: usize>(
    execution: &CompleteTrace<'_, W>,
    notes: &Notes,
    stronger: impl Fn(&Recorded) -> Option<Annotations>,
) -> BTreeSet<Weak> {
    let mut all: BTreeMap<Weak, Vec<(EventId, Annotations)>> = BTreeMap::new();
    for (thread, recorded) in notes.iter().enumerate() {
        for (index, recorded) in recorded.iter().enumerate() {
            if let (Some(at), Some(annotations)) = (point(recorded), stronger(recorded)) {
                let weak = Weak { at, target: target_of(&recorded.note, recorded.address) };
                all.entry(weak).or_default().push((EventId::new(thread, index), annotations));
            }
        }
    }
    let forbid = |chosen: &BTreeSet<Weak>| {
        let mut labels: Vec<Vec<Label<W>>> = execution.labels.iter().map(|labels| labels.to_vec()).collect();
        for &(event, annotations) in chosen.iter().flat_map(|one| &all[one]) {
            labels[usize::from(event.thread)][usize::from(event.index)].annotations = annotations;
        }
        let labels: Vec<Labels<W>> = labels.into_iter().map(Labels::from).collect();
        !execution.is_allowed_with(&labels)
    };
    let mut chosen: BTreeSet<Weak> = all.keys().cloned().collect();
    if chosen.is_empty() || !forbid(&chosen) {
        return BTreeSet::new();
    }
    for one in all.keys() {
        chosen.remove(one);
        if !forbid(&chosen) {
            chosen.insert(one.clone());
        }
    }
    chosen
}
