//! Obstacles of a repair: wrong executions that it leaves, and what every repair must have because of them.

use std::collections::{BTreeMap, BTreeSet};

use engine::explore::rsmc::CompleteTrace;
use engine::graph::{Access, EventId};
use engine::mapping::graphs::{Around, strengthened};
use engine::mapping::{Order, Strength};
use engine::model::MemoryModel;
use engine::repair::{Candidate, clauses};
use protocol::{Obstacle, Operation, Override, Performed, Place, Point, Way, Wrong};

use crate::process::sites::Record;
use crate::run::with;
use crate::search::graphs::cycles;
use crate::search::graphs::runs::{Broken, Notes, notes};
use crate::state::failure::Failure;
use crate::state::graph::Recorded;
use crate::state::operation::target_of;

/// The most clauses that are taken from one execution.
const CLAUSES: usize = 8;

/// Keeps an execution with these failures, or this end, as an obstacle if it is wrong and none was found before.
pub(crate) fn watch<const W: usize>(
    execution: &CompleteTrace<'_, W>,
    failures: &[Failure],
    end: Option<&str>,
) -> Result<(), Broken> {
    let wrong = with(|runtime| {
        let (wrong, obstacle) = runtime.graph_mut().sought.as_ref()?;
        obstacle.is_none().then(|| is_wrong(wrong, execution, failures, end))
    });
    let is_wrong = match wrong.flatten() {
        None | Some(Wrongness::No) => false,
        Some(Wrongness::Yes) => true,
        Some(Wrongness::IfContained(places)) => cycles::contains(execution, &places)?,
    };
    if !is_wrong {
        return Ok(());
    }
    // If orders are tried, it is enough that there is an obstacle.
    let is_told = with(|runtime| runtime.graph_mut().orders.is_none()) == Some(true);
    let obstacle = if is_told { obstacle(execution, &notes(execution)?) } else { Obstacle::default() };
    with(|runtime| {
        if let Some((_, found)) = &mut runtime.graph_mut().sought {
            *found = Some(obstacle);
        }
    });
    Ok(())
}

/// The answer whether an execution is wrong.
enum Wrongness {
    Yes,
    No,
    /// The execution is wrong if an access overtakes a store at these places, of which the store's is first.
    IfContained([Place; 2]),
}

/// Whether an execution is wrong.
fn is_wrong<const W: usize>(
    wrong: &Wrong,
    execution: &CompleteTrace<'_, W>,
    failures: &[Failure],
    end: Option<&str>,
) -> Wrongness {
    let mut ways = failures.iter().map(|failure| Way::new(failure.kind, &failure.subject, &failure.sites));
    let is_wrong = match wrong {
        Wrong::Unlike { failures, finals } => {
            let ends_otherwise = finals.as_ref().zip(end).is_some_and(|(finals, end)| !finals.contains(end));
            ends_otherwise || ways.any(|way| !failures.contains(&way))
        }
        Wrong::Inconsistent => !execution.is_sequentially_consistent(),
        Wrong::Failing(wrong) => ways.any(|way| way == *wrong),
        Wrong::Containing { delayed, overtaking } => {
            return Wrongness::IfContained([delayed.clone(), overtaking.clone()]);
        }
    };
    if is_wrong { Wrongness::Yes } else { Wrongness::No }
}

/// Returns the access as the source has it; `None` for a piece of a longer access, or one that no line of the source
/// performs.
fn point(recorded: &Recorded) -> Option<Point> {
    use Operation::{Begin, Create, End, Join, TryJoin};
    let operation = recorded.note.operation;
    let place = Record::behind(recorded.note.site).place().in_source();
    let is_none = recorded.spelled.is_piece || matches!(operation, Begin | End | Create(_) | Join(_) | TryJoin(_));
    (place.line > 0 && !is_none).then_some(Point { place, operation })
}

/// The accesses of an execution that stand in the source, by thread and index.
type Points = Vec<Vec<Option<Point>>>;

/// Makes an obstacle of an execution.
fn obstacle<const W: usize>(execution: &CompleteTrace<'_, W>, notes: &Notes) -> Obstacle {
    assert!(execution.is_allowed_with(execution.labels), "an execution is allowed as it is");
    let points: Points = notes.iter().map(|recorded| recorded.iter().map(point).collect()).collect();
    let mut candidates: BTreeMap<Override, Candidate> = BTreeMap::new();
    let model = with(|runtime| runtime.graph_mut().model).expect("there is a runtime");
    for (thread, labels) in execution.labels.iter().enumerate() {
        for index in 0..labels.len() {
            let Some(at) = &points[thread][index] else { continue };
            let recorded = &notes[thread][index];
            for strength in strengths(model, recorded.access, recorded.spelled.order) {
                let around = strengthened(model, recorded.access, strength);
                if around != Around::default() {
                    let candidate = candidates.entry(Override { at: at.clone(), strength }).or_default();
                    candidate.around.push((EventId::new(thread, index), around));
                }
            }
        }
    }
    let (overrides, candidates): (Vec<Override>, Vec<Candidate>) = candidates.into_iter().unzip();
    let found = clauses(execution.labels, &candidates, CLAUSES, &|labels| execution.is_allowed_with(labels));
    let named = |clause: Vec<usize>| clause.into_iter().map(|number| overrides[number].clone()).collect();
    Obstacle { clauses: found.into_iter().map(named).collect(), gaps: gaps(&points), points: performed(&points, notes) }
}

/// Returns what an access of this order could be strengthened by, the strongest first.
///
/// ARM has one instruction for fences of all orders that release, which is full: it is called by the order under which C makes it
/// as strong as it is.
fn strengths(model: MemoryModel, access: Access, order: Option<Order>) -> Vec<Strength> {
    use Order::{Acquire, AcquireRelease, Release, SequentiallyConsistent};
    let mut all = Vec::new();
    let fences: &[Order] = match model {
        MemoryModel::Armv8 => &[SequentiallyConsistent],
        _ => &[SequentiallyConsistent, AcquireRelease],
    };
    for &fence in fences {
        all.extend([Strength::FenceAfter(fence), Strength::FenceBefore(fence)]);
    }
    let half = match access {
        Access::Load => Acquire,
        Access::Store => Release,
        Access::Update(_) => AcquireRelease,
    };
    let orders = match order {
        None | Some(SequentiallyConsistent) => [None, None],
        Some(order) if order == half => [Some(SequentiallyConsistent), None],
        Some(_) => [Some(SequentiallyConsistent), Some(half)],
    };
    all.extend(orders.into_iter().flatten().map(Strength::Order));
    all
}

/// Returns the pairs of accesses that come right after each other in program order.
fn gaps(points: &Points) -> BTreeSet<[Option<Point>; 2]> {
    let pairs = points.iter().flat_map(|points| points.windows(2));
    pairs.map(|pair| [pair[0].clone(), pair[1].clone()]).filter(|pair| pair.iter().any(Option::is_some)).collect()
}

/// Returns the points that the execution performed.
fn performed(points: &Points, notes: &[Vec<Recorded>]) -> Vec<Performed> {
    let mut all: BTreeMap<&Point, Performed> = BTreeMap::new();
    for (at, recorded) in points.iter().flatten().zip(notes.iter().flatten()) {
        let Some(at) = at else { continue };
        let performed = all.entry(at).or_insert_with(|| Performed {
            at: at.clone(),
            function: Record::behind(recorded.note.site).function().to_owned(),
            target: target_of(&recorded.note, recorded.address),
            order: recorded.spelled.order,
            times: 0,
        });
        performed.times += 1;
    }
    all.into_values().collect()
}
