//! Shorter schedules: an execution with fewer switches between threads, or with fewer events, shows the same violation more plainly.
//!
//! Greedy, and by trial: two runs of events of one thread become one, the later one taking place earlier or the earlier one later,
//! or a run that the thread repeats elsewhere is left out, as rounds of wait loops can be. What comes of it is kept if the program
//! follows it and shows the same violation: of the same kind, at the same places, by the same threads. The number of trials is
//! bounded, whatever the machine's speed, so that a search has the same result everywhere. What cannot be followed is not tried: a
//! thread that acts before it is created or after it was joined, and the same once more.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use engine::event::Thread;
use protocol::{Operation, Place, Schedule, Segment, Trace, TraceEvent, Violation};

use crate::exit::Failure;

/// The most trials for a violation.
const TRIALS: usize = 60;

/// The most trials for all violations of a search.
const ALL_TRIALS: usize = 600;

/// The most events of an execution that is made shorter.
const EVENTS: usize = 2000;

/// The trials that are left for a search.
pub(super) struct Trials(usize);

impl Default for Trials {
    fn default() -> Self {
        Self(ALL_TRIALS)
    }
}

/// An event, as far as a schedule knows it: the thread, which on a machine may be one that commits stores, and the place.
type Step<'a> = (u32, &'a Place);

/// Returns the events of an execution as its schedule has them; none if it is too long, or no schedule in time, or ends where a
/// search has left the rest to others.
fn steps<'a>(violation: &Violation, trace: &'a Trace) -> Option<Vec<Step<'a>>> {
    let schedule = &violation.schedule;
    let length: u64 = schedule.segments.iter().map(|segment| segment.events).sum();
    if schedule.graph.is_some() || schedule.is_cut || trace.events.len() > EVENTS || length != trace.events.len() as u64
    {
        return None;
    }
    let threads = schedule.segments.iter().flat_map(|segment| (0..segment.events).map(|_| segment.thread));
    Some(threads.zip(trace.events.iter().map(|event| &event.place)).collect())
}

/// Returns the violation with a shorter schedule, and its execution; none if no trial succeeds. `run` runs a violation's schedule,
/// and returns its execution if that shows the violation.
pub(super) fn shorten(
    violation: &Violation,
    trace: &Trace,
    left: &mut Trials,
    mut run: impl FnMut(&Violation) -> Result<Option<Trace>, Failure>,
) -> Result<Option<(Violation, Trace)>, Failure> {
    let mut best: Option<(Violation, Trace)> = None;
    let mut trials = TRIALS.min(left.0);
    let mut tried: Vec<Vec<Segment>> = Vec::new();
    'found: loop {
        let (violation, trace) = best.as_ref().map_or((violation, trace), |(violation, trace)| (violation, trace));
        let Some(steps) = steps(violation, trace) else { break };
        let length = (runs(&steps).len(), steps.len());
        for order in candidates(&steps) {
            let segments = segments(order.iter().map(|&index| steps[index]));
            let is_shorter = (segments.len(), order.len()) < length;
            if !is_shorter || tried.contains(&segments) || !is_possible(&order, &steps, &trace.events) {
                continue;
            }
            tried.push(segments.clone());
            if trials == 0 {
                break 'found;
            }
            (trials, left.0) = (trials - 1, left.0 - 1);
            let schedule = Schedule { segments, ..violation.schedule.clone() };
            let candidate = Violation { schedule, ..violation.clone() };
            let Some(again) = run(&candidate)? else { continue };
            // An execution that goes on behind the schedule is not the one that was meant.
            let shown = again.violations.iter().find(|shown| is_same(shown, violation));
            if let Some(events) = shown.filter(|_| self::steps(&candidate, &again).is_some()).map(|shown| shown.events)
            {
                best = Some((Violation { events, ..candidate }, again));
                continue 'found;
            }
        }
        break;
    }
    Ok(best)
}

/// Whether an execution shows what is wanted.
fn is_same(one: &Violation, other: &Violation) -> bool {
    one.kind == other.kind && one.monitor == other.monitor && one.subject == other.subject && one.sites == other.sites
}

/// The runs of events of one thread.
fn runs(steps: &[Step<'_>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, (thread, _)) in steps.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if steps[run.start].0 == *thread => run.end = index + 1,
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

/// The orders that are tried, each as the indices of its events: for each run, that it takes place right behind the run of its
/// thread before it, or that one right in front of it, or that it is left out. Those at the end come first, where what went wrong
/// is.
fn candidates(steps: &[Step<'_>]) -> Vec<Vec<usize>> {
    let runs = runs(steps);
    let mut orders: Vec<Vec<usize>> = Vec::new();
    for later in (0..runs.len()).rev() {
        let thread = steps[runs[later].start].0;
        let (one, behind) = (runs[later].clone(), runs[later].end..steps.len());
        if let Some(earlier) = (0..later).rev().find(|&run| steps[runs[run].start].0 == thread) {
            let (before, between) = (0..runs[earlier].start, runs[earlier].end..one.start);
            let first = runs[earlier].clone();
            orders.push(joined([&before, &between, &first, &one, &behind]));
            orders.push(joined([&before, &first, &one, &between, &behind]));
        }
        let is_repeated = |index: usize| (one.end..steps.len()).any(|other| steps[other] == steps[index]);
        if one.clone().all(is_repeated) {
            orders.push(joined([&(0..one.start), &behind]));
        }
    }
    orders
}

/// Whether no thread acts before its creation or after it was joined, in this order of the events.
fn is_possible(order: &[usize], steps: &[Step<'_>], events: &[TraceEvent]) -> bool {
    let created = |event: &TraceEvent| match event.operation {
        Operation::Create(Thread(thread)) => Some(u32::from(thread)),
        _ => None,
    };
    let mut waiting: BTreeSet<u32> = events.iter().filter_map(created).collect();
    for &index in order {
        if waiting.contains(&steps[index].0) {
            return false;
        }
        match events[index].operation {
            Operation::Create(Thread(thread)) => waiting.remove(&u32::from(thread)),
            Operation::Join(Thread(thread)) => waiting.insert(u32::from(thread)),
            _ => false,
        };
    }
    true
}

fn joined<const N: usize>(parts: [&Range<usize>; N]) -> Vec<usize> {
    parts.into_iter().cloned().flatten().collect()
}

/// Returns events as a schedule has them.
fn segments<'a>(steps: impl Iterator<Item = Step<'a>>) -> Vec<Segment> {
    let mut performed: BTreeMap<Step<'_>, u64> = BTreeMap::new();
    let mut segments: Vec<Segment> = Vec::new();
    for (thread, place) in steps {
        let nth = performed.entry((thread, place)).or_default();
        *nth += 1;
        match segments.last_mut() {
            Some(segment) if segment.thread == thread => {
                segment.events += 1;
                segment.last = place.clone();
                segment.nth = *nth;
            }
            _ => segments.push(Segment { thread, events: 1, last: place.clone(), nth: *nth }),
        }
    }
    segments
}

#[cfg(test)]
mod tests {
    use engine::event::Thread;
    use protocol::{Operation, TraceEvent};

    use super::{Step, candidates, is_possible, runs, segments};
    use crate::report::samples::access;

    fn steps(events: &[TraceEvent]) -> Vec<Step<'_>> {
        events.iter().map(|event| (event.thread, &event.place)).collect()
    }

    #[test]
    fn two_runs_of_a_thread_become_one() {
        let events = [(1, 10), (2, 20), (1, 11), (2, 21)];
        let events = events.map(|(thread, line)| access(thread, line, "x", Some(0), None));
        let steps = steps(&events);
        assert_eq!(runs(&steps).len(), 4);
        let orders = candidates(&steps);
        assert_eq!(orders, [[0, 2, 1, 3], [0, 1, 3, 2], [1, 0, 2, 3], [0, 2, 1, 3]]);
        for order in orders {
            let segments = segments(order.iter().map(|&index| steps[index]));
            assert!(segments.len() < 4, "{segments:?}");
        }
    }

    #[test]
    fn what_a_thread_repeats_is_left_out() {
        let events = [(1, 10), (2, 20), (1, 10), (1, 11)];
        let events = events.map(|(thread, line)| access(thread, line, "x", Some(0), None));
        let steps = steps(&events);
        let orders = candidates(&steps);
        // The first round of thread 1 is repeated; neither thread 2's event is, nor the end of thread 1.
        assert_eq!(orders, [vec![1, 0, 2, 3], vec![0, 2, 3, 1], vec![1, 2, 3]]);
        let segments = segments(orders[2].iter().map(|&index| steps[index]));
        assert_eq!(
            segments.iter().map(|segment| (segment.thread, segment.events, segment.nth)).collect::<Vec<_>>(),
            [(2, 1, 1), (1, 2, 1)]
        );
    }

    #[test]
    fn a_thread_acts_between_its_creation_and_its_join() {
        let events = [(0, 10), (1, 20), (0, 11), (0, 12)];
        let mut events = events.map(|(thread, line)| access(thread, line, "x", Some(0), None));
        (events[0].operation, events[2].operation) = (Operation::Create(Thread(1)), Operation::Join(Thread(1)));
        let steps = steps(&events);
        let possible: Vec<[usize; 4]> = [[0, 1, 2, 3], [1, 0, 2, 3], [0, 2, 1, 3], [3, 0, 1, 2]]
            .into_iter()
            .filter(|order| is_possible(order, &steps, &events))
            .collect();
        assert_eq!(possible, [[0, 1, 2, 3], [3, 0, 1, 2]]);
    }
}
