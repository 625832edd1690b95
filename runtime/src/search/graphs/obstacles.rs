//! Obstacles of a repair: wrong executions that it leaves, and what every repair must have because of them.

use std::collections::{BTreeMap, BTreeSet};

use engine::explore::rsmc::CompleteTrace;
use engine::graph::{Access, EventId, Labels};
use engine::mapping::graphs::{Around, strengthened};
use engine::mapping::{Order, Strength};
use engine::model::MemoryModel;
use engine::repair::{Candidate, clauses};
use protocol::{FailureKind, Obstacle, Operation, Override, Performed, Place, Point, Way, Wrong};

use crate::process::sites::Record;
use crate::run::with;
use crate::search::graphs::lifetimes::{self, Told};
use crate::search::graphs::runs::{Broken, Notes, notes};
use crate::search::graphs::{cycles, races};
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
    let wrong_by = match wrong.flatten() {
        Some(Wrongness::Yes) => WrongBy::ItsEnd,
        Some(Wrongness::ByFailures(ways)) => by_failures(execution, failures, ways)?,
        Some(Wrongness::IfContained(places)) if cycles::contains(execution, &places)? => WrongBy::ItsEnd,
        None | Some(Wrongness::No | Wrongness::IfContained(_)) => return Ok(()),
    };
    // If orders are tried, it is enough that there is an obstacle.
    let is_told = with(|runtime| runtime.graph_mut().orders.is_none()) == Some(true);
    let obstacle = if is_told { obstacle(execution, &notes(execution)?, &wrong_by) } else { Obstacle::default() };
    with(|runtime| {
        if let Some((_, found)) = &mut runtime.graph_mut().sought {
            *found = Some(obstacle);
        }
    });
    Ok(())
}

/// The reason why an execution is wrong, by which it is known what must be forbidden.
enum WrongBy {
    /// The execution ends as none may: the model must not allow it.
    ItsEnd,
    /// The execution has a race in one of these ways, or something is used after its end or before its beginning: it is enough
    /// that the two are ordered. What the threads did is known if something ends.
    Disorder(Vec<Way>, Option<Told>),
}

/// Returns the reason why an execution with these failures is wrong, of which those in these ways are.
fn by_failures<const W: usize>(
    execution: &CompleteTrace<'_, W>,
    failures: &[Failure],
    ways: Vec<Way>,
) -> Result<WrongBy, Broken> {
    let told = lifetimes::told(execution)?;
    let by_order = told.as_ref().map(|told| told.failures_with(execution, execution.labels)).unwrap_or_default();
    let races = failures.iter().filter(|failure| failure.kind == FailureKind::Race);
    let by_order: Vec<Way> = by_order.iter().chain(races).map(way_of).collect();
    let is_all = ways.iter().all(|way| by_order.contains(way));
    Ok(if is_all { WrongBy::Disorder(ways, told) } else { WrongBy::ItsEnd })
}

/// The answer whether an execution is wrong.
enum Wrongness {
    Yes,
    No,
    /// Only failures in these ways are wrong with the execution.
    ByFailures(Vec<Way>),
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
    let ways = failures.iter().map(way_of);
    let ways: Vec<Way> = match wrong {
        Wrong::Unlike { failures, finals } => {
            if finals.as_ref().zip(end).is_some_and(|(finals, end)| !finals.contains(end)) {
                return Wrongness::Yes;
            }
            ways.filter(|way| !failures.contains(way)).collect()
        }
        Wrong::Inconsistent if execution.is_sequentially_consistent() => return Wrongness::No,
        Wrong::Inconsistent => return Wrongness::Yes,
        Wrong::Failing(wrong) => ways.filter(|way| way == wrong).collect(),
        Wrong::Containing { delayed, overtaking } => {
            return Wrongness::IfContained([delayed.clone(), overtaking.clone()]);
        }
    };
    if ways.is_empty() { Wrongness::No } else { Wrongness::ByFailures(ways) }
}

fn way_of(failure: &Failure) -> Way {
    Way::new(failure.kind, &failure.subject, &failure.sites)
}

/// Returns the access as the source has it; `None` for a piece of a longer access, or one that no line of the source
/// performs.
pub(crate) fn point(recorded: &Recorded) -> Option<Point> {
    use Operation::{Begin, Create, End, FutexQueue, Join, TryJoin};
    let operation = recorded.note.operation;
    let place = Record::behind(recorded.note.site).place().in_source();
    let is_none =
        recorded.spelled.is_piece || matches!(operation, Begin | End | Create(_) | Join(_) | TryJoin(_) | FutexQueue);
    (place.line > 0 && !is_none).then_some(Point { place, operation })
}

/// The accesses of an execution that stand in the source, by thread and index.
type Points = Vec<Vec<Option<Point>>>;

/// Makes an obstacle of an execution.
fn obstacle<const W: usize>(execution: &CompleteTrace<'_, W>, notes: &Notes, wrong_by: &WrongBy) -> Obstacle {
    assert!(execution.is_allowed_with(execution.labels), "an execution is allowed as it is");
    let points: Points = notes.iter().map(|recorded| recorded.iter().map(point).collect()).collect();
    let mut candidates: BTreeMap<Override, Candidate> = BTreeMap::new();
    let model = with(|runtime| runtime.graph_mut().model).expect("there is a runtime");
    for (thread, labels) in execution.labels.iter().enumerate() {
        for index in 0..labels.len() {
            let Some(at) = &points[thread][index] else { continue };
            let recorded = &notes[thread][index];
            for strength in strengths(model, recorded.access, recorded.spelled.order) {
                let around = strengthened(model, recorded.access, recorded.spelled.form, strength);
                if around != Around::default() {
                    let candidate = candidates.entry(Override { at: at.clone(), strength }).or_default();
                    candidate.around.push((EventId::new(thread, index), around));
                }
            }
        }
    }
    let (overrides, candidates): (Vec<Override>, Vec<Candidate>) = candidates.into_iter().unzip();
    let is_left = |labels: &[Labels<W>]| match wrong_by {
        WrongBy::ItsEnd => execution.is_allowed_with(labels),
        WrongBy::Disorder(ways, told) => {
            let races = execution.races_with(labels).into_iter().map(|pair| races::race(notes, pair));
            let ended = told.as_ref().map(|told| told.failures_with(execution, labels)).unwrap_or_default();
            races.chain(ended).any(|failure| ways.contains(&way_of(&failure)))
        }
    };
    let found = clauses(execution.labels, &candidates, CLAUSES, &is_left);
    let named = |clause: Vec<usize>| clause.into_iter().map(|number| overrides[number].clone()).collect();
    Obstacle { clauses: found.into_iter().map(named).collect(), gaps: gaps(&points), points: performed(&points, notes) }
}

/// Returns what an access of this order could be strengthened by, the strongest first.
///
/// ARM has one instruction for fences of all orders that release, which is full: it is called by the order under which C makes it
/// as strong as it is. Under C11 itself what a fence does depends on the fences around it, and only orders are tried.
fn strengths(model: MemoryModel, access: Access, order: Option<Order>) -> Vec<Strength> {
    use Order::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
    let mut all = Vec::new();
    let fences: &[Order] = match model {
        MemoryModel::Armv8 => &[SequentiallyConsistent],
        MemoryModel::C11 => &[],
        _ => &[SequentiallyConsistent, AcquireRelease],
    };
    for &fence in fences {
        all.extend([Strength::FenceAfter(fence), Strength::FenceBefore(fence)]);
    }
    let orders: &[Order] = match (access, order) {
        (_, None | Some(SequentiallyConsistent)) => &[],
        (Access::Load, Some(Acquire)) | (Access::Store, Some(Release)) | (Access::Update(_), Some(AcquireRelease)) => {
            &[SequentiallyConsistent]
        }
        (Access::Load, Some(_)) => &[SequentiallyConsistent, Acquire],
        (Access::Store, Some(_)) => &[SequentiallyConsistent, Release],
        (Access::Update(_), Some(Acquire | Release)) => &[SequentiallyConsistent, AcquireRelease],
        (Access::Update(_), Some(Relaxed)) => &[SequentiallyConsistent, AcquireRelease, Acquire, Release],
    };
    all.extend(orders.iter().copied().map(Strength::Order));
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
