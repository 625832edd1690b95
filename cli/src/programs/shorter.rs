//! Shorter schedules: an execution that random search has found, with fewer switches between threads, shows the same violation more
//! plainly.
//!
//! Greedy, and by trial: two runs of events of one thread become one, the later one taking place earlier or the earlier one later,
//! and what comes of it is kept if the program follows it and shows the same violation: of the same kind, at the same places, by
//! the same threads. The number of trials is bounded, whatever the machine's speed, so that a search has the same result everywhere.

use std::collections::BTreeMap;

use protocol::{Explorer, Place, Schedule, Segment, Trace, TraceEvent, Violation};

use crate::exit::Failure;

/// The most trials for a violation.
const TRIALS: usize = 60;

/// The most events of an execution that is made shorter.
const EVENTS: usize = 2000;

/// Whether the schedules of an explorer are made shorter: those that others find have few switches to begin with, or end where the
/// search has left the rest to others.
pub(super) fn is_wanted(explorer: Explorer, violation: &Violation, trace: &Trace) -> bool {
    let schedule = &violation.schedule;
    let is_random = matches!(explorer, Explorer::Random | Explorer::Pct | Explorer::Urw);
    // Choices belong to their places in the schedule.
    let is_plain =
        schedule.machine.is_none() && schedule.graph.is_none() && schedule.choices.is_empty() && !schedule.is_cut;
    let length: u64 = schedule.segments.iter().map(|segment| segment.events).sum();
    is_random && is_plain && trace.events.len() <= EVENTS && length == trace.events.len() as u64
}

/// Returns the violation with a shorter schedule, and its execution; none if no trial succeeds. `run` runs a violation's schedule,
/// and returns its execution if that shows the violation.
pub(super) fn shorten(
    violation: &Violation,
    trace: &Trace,
    mut run: impl FnMut(&Violation) -> Result<Option<Trace>, Failure>,
) -> Result<Option<(Violation, Trace)>, Failure> {
    let mut best: Option<(Violation, Trace)> = None;
    let mut trials = 0;
    'found: loop {
        let (violation, trace) = best.as_ref().map_or((violation, trace), |(violation, trace)| (violation, trace));
        let switches = runs(&trace.events).len();
        for order in candidates(&trace.events) {
            let events: Vec<&TraceEvent> = order.iter().map(|&index| &trace.events[index]).collect();
            let schedule = Schedule { segments: segments(&events), ..violation.schedule.clone() };
            if schedule.segments.len() >= switches {
                continue;
            }
            if trials == TRIALS {
                break 'found;
            }
            trials += 1;
            let candidate = Violation { schedule, ..violation.clone() };
            let Some(again) = run(&candidate)? else { continue };
            let shown = again.violations.iter().find(|shown| is_same(shown, violation));
            if let Some(events) = shown.map(|shown| shown.events) {
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

/// The runs of events of one thread, as the index of each one's first event, and the end of the last one.
fn runs(events: &[TraceEvent]) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if events[run.start].thread == event.thread => run.end = index + 1,
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

/// The orders that are tried: for each run, that it takes place right behind the run of its thread before it, or that one right in
/// front of it. Those at the end come first, where what went wrong is.
fn candidates(events: &[TraceEvent]) -> Vec<Vec<usize>> {
    let runs = runs(events);
    let mut orders = Vec::new();
    for later in (0..runs.len()).rev() {
        let thread = events[runs[later].start].thread;
        let Some(earlier) = (0..later).rev().find(|&run| events[runs[run].start].thread == thread) else { continue };
        let (before, between) = (0..runs[earlier].start, runs[earlier].end..runs[later].start);
        let (one, other, behind) = (runs[earlier].clone(), runs[later].clone(), runs[later].end..events.len());
        orders.push(
            before
                .clone()
                .chain(between.clone())
                .chain(one.clone())
                .chain(other.clone())
                .chain(behind.clone())
                .collect(),
        );
        orders.push(before.chain(one).chain(other).chain(between).chain(behind).collect());
    }
    orders
}

/// Returns events as a schedule has them.
fn segments(events: &[&TraceEvent]) -> Vec<Segment> {
    let mut performed: BTreeMap<(u32, &Place), u64> = BTreeMap::new();
    let mut segments: Vec<Segment> = Vec::new();
    for event in events {
        let nth = performed.entry((event.thread, &event.place)).or_default();
        *nth += 1;
        match segments.last_mut() {
            Some(segment) if segment.thread == event.thread => {
                segment.events += 1;
                segment.last = event.place.clone();
                segment.nth = *nth;
            }
            _ => segments.push(Segment { thread: event.thread, events: 1, last: event.place.clone(), nth: *nth }),
        }
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::{candidates, runs, segments};
    use crate::report::samples::access;

    #[test]
    fn two_runs_of_a_thread_become_one() {
        let events = [1, 2, 1, 2].map(|thread| access(thread, 10 * thread, "x", Some(0), None));
        assert_eq!(runs(&events).len(), 4);
        let orders = candidates(&events);
        assert_eq!(orders, [[0, 2, 1, 3], [0, 1, 3, 2], [1, 0, 2, 3], [0, 2, 1, 3]]);
        for order in orders {
            let segments = segments(&order.iter().map(|&index| &events[index]).collect::<Vec<_>>());
            assert!(segments.len() < 4, "{segments:?}");
            // Each thread is at its only place for the second time when it ends.
            let last = |thread| segments.iter().rfind(|segment| segment.thread == thread).unwrap().nth;
            assert_eq!((last(1), last(2)), (2, 2));
        }
    }
}
