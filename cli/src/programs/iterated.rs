//! The explorer `auto`: a search within 0, 1, 2, … preemptions, one bound after the other, until nothing is left, the bound
//! that the user has given is done, or the budget is used up.
//!
//! A search by classes within K preemptions runs all classes that need at most K, so it has all that the ones before it
//! had, and the last one that comes to its end is the result. How many executions need exactly K is the difference.
//!
//! Where threads wait for each other again and again, few classes need few preemptions, and a bound costs as much as all
//! of them. So a bound that takes long is put off, and the search for all classes is tried first. If that takes too long as
//! well, and nearly all that the bound has run is beyond it, interleavings are run in the place of classes: those within few
//! preemptions are few.

use std::time::Instant;

use protocol::{BoundCount, Explorer, FirstReport, MonitorName, StoppedBy, Summary, Violation};

use super::subjects::Subjects;
use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::plan::check::CheckPlan;
use crate::record::Record;
use crate::search::{Bounds, Budget, Checkpoint, Complete, Exploration, Key, Search};
use crate::text::counted;

/// The bound that is enough: a search that has completed it and found nothing is clean.
const ENOUGH: u32 = 2;

/// A bound may take this part of the time, the reciprocal of it, before all classes are tried.
const PATIENCE: f64 = 12.0;

/// All classes may take this part of the time that is left then, the reciprocal of it.
const SHARE: f64 = 2.0;

/// A bound is worth its search by classes if it has this part of what is run for it, the reciprocal of it.
const YIELD: u64 = 20;

/// The words by which a refusal of the program by the explorer `dpor` alone is recognised.
const REFUSAL: &str = "under --explorer dpor";

/// Searches within more and more preemptions. Afterwards the plan has the bound that the result is of.
pub(crate) fn explore(
    plan: &mut CheckPlan,
    subjects: &Subjects,
    interrupts: &Interrupts,
    record: &mut Record,
) -> Result<Exploration, Failure> {
    let most = plan.explore.preemptions;
    let begun = Instant::now();
    let why = plan.unfit.as_ref().map(|what| format!("it does not go with {what}"));
    let mut iteration = Iteration { bound: 0, bounds: Bounds::default(), why, put_off: Vec::new() };
    let mut kept = match &plan.checkpoint {
        Some(file) => Some(Checkpoint::open(file, key(plan, subjects)?)?),
        None => None,
    };
    loop {
        let saved = kept.as_mut().and_then(|(_, saved)| saved.take());
        if let Some(saved) = &saved {
            iteration.resume(saved.before.clone(), plan);
        }
        plan.explore.preemptions = Some(iteration.bound);
        let left = left(plan, begun);
        let may_be_put_off =
            iteration.put_off.is_empty() && most.is_none() && kept.is_none() && plan.explore.explorer == Explorer::Dpor;
        let patience = plan.budget.seconds.filter(|_| may_be_put_off).map(|limit| limit / PATIENCE);
        let seconds = left.map(|left| patience.map_or(left, |patience| patience.min(left)));
        let budget = Budget { seconds, ..plan.budget };
        let mut search = Search::new(&subjects.program, &plan.explore, budget, (&plan.spread, plan.volume), interrupts);
        search.begin_after(iteration.bounds.clone());
        if let Some((checkpoint, _)) = &kept {
            search.keep_in(checkpoint.clone(), saved)?;
        }
        let before = begun.elapsed().as_secs_f64();
        let mut exploration = search.run(record)?;
        if is_refused(&exploration) && plan.explore.explorer == Explorer::Dpor {
            iteration.give_up_classes(plan, &exploration);
            continue;
        }
        if may_be_put_off && stopped_by(&exploration) == Some(StoppedBy::Time) {
            let all = all_classes(plan, subjects, interrupts, record, begun)?;
            if !is_out_of_budget(&all) && !is_refused(&all) {
                return Ok(all);
            }
            let mut put_off = vec![exploration, all];
            if is_wasteful(&put_off[0]) {
                put_off.iter_mut().for_each(|one| say_explorer(one, plan.explore.explorer));
                iteration.run_interleavings(plan);
            }
            iteration.put_off = put_off;
            continue;
        }
        let Some(summary) = exploration.summary.as_mut().filter(|summary| summary.complete) else {
            plan.explore.preemptions = Some(iteration.bound);
            let (bound, exploration) = iteration.cut(exploration);
            plan.explore.preemptions = Some(bound);
            return Ok(exploration);
        };
        let is_all = iteration.take(summary, before, plan.explore.explorer);
        if is_all || most == Some(iteration.bound) {
            plan.explore.preemptions = if is_all { None } else { most };
            return Ok(iteration.finish(exploration));
        }
        let (summary, violations) = (summary.clone(), exploration.violations);
        iteration.bounds.last = Some(Box::new(Complete { summary, violations }));
        iteration.bound += 1;
    }
}

/// Searches for all classes, within a share of the time that is left.
fn all_classes(
    plan: &mut CheckPlan,
    subjects: &Subjects,
    interrupts: &Interrupts,
    record: &mut Record,
    begun: Instant,
) -> Result<Exploration, Failure> {
    plan.explore.preemptions = None;
    let before = begun.elapsed().as_secs_f64();
    let seconds = left(plan, begun).map(|left| left / SHARE);
    let budget = Budget { seconds, ..plan.budget };
    let search = Search::new(&subjects.program, &plan.explore, budget, (&plan.spread, plan.volume), interrupts);
    let mut all = search.run(record)?;
    all.summary.iter_mut().for_each(|summary| summary.seconds += before);
    Ok(all)
}

/// Returns what stopped a search, if it did not come to its end.
fn stopped_by(exploration: &Exploration) -> Option<StoppedBy> {
    exploration.summary.as_ref().and_then(|summary| summary.stopped_by)
}

/// Whether a budget ended a search, so that another one may come further.
fn is_out_of_budget(exploration: &Exploration) -> bool {
    stopped_by(exploration).is_some_and(StoppedBy::is_budget)
}

/// Whether nearly all of what a search within a bound has run is beyond the bound.
fn is_wasteful(exploration: &Exploration) -> bool {
    exploration.summary.as_ref().is_some_and(|summary| summary.executions < summary.runs / YIELD)
}

/// Says of each violation which explorer has found it: another one goes on, by whose rules its schedule would not be followed.
fn say_explorer(exploration: &mut Exploration, explorer: Explorer) {
    exploration.violations.iter_mut().for_each(|violation| violation.schedule.explorer = Some(explorer));
}

/// Whether the explorer `dpor` alone refused the program.
fn is_refused(exploration: &Exploration) -> bool {
    exploration.unsupported.iter().any(|(what, _)| what.ends_with(REFUSAL))
}

/// Returns the number of seconds that are left, if there is a limit; never none at all.
fn left(plan: &CheckPlan, begun: Instant) -> Option<f64> {
    plan.budget.seconds.map(|limit| (limit - begun.elapsed().as_secs_f64()).max(0.01))
}

/// Returns the key of the search, whatever bound it is at.
fn key(plan: &CheckPlan, subjects: &Subjects) -> Result<Key, Failure> {
    let hash = subjects.hash_of_executable()?;
    let (options, arguments) = (&plan.compile_options, &plan.arguments);
    Ok(Key::new(plan.target.names(), &subjects.files, hash, options, arguments, &plan.explore))
}

/// The progress of the search.
struct Iteration {
    bound: u32,
    bounds: Bounds,
    /// The reason why interleavings are not explored by classes, if they are not.
    why: Option<String>,
    /// The bound that was put off, as far as it came, and the search for all classes that was tried then.
    put_off: Vec<Exploration>,
}

impl Iteration {
    /// Goes on from where a checkpoint has come to.
    fn resume(&mut self, bounds: Bounds, plan: &mut CheckPlan) {
        self.bound = u32::try_from(bounds.rows.len()).unwrap_or(u32::MAX);
        if bounds.by_bounded {
            plan.explore.explorer = Explorer::Bounded;
        }
        self.bounds = bounds;
    }

    /// Runs all interleavings from now on, since the program does something that does not go with classes.
    fn give_up_classes(&mut self, plan: &mut CheckPlan, refused: &Exploration) {
        let what = refused.unsupported.iter().find_map(|(what, _)| what.strip_suffix(REFUSAL));
        let why = what.map(|what| format!("it does not go with {}", what.trim_end_matches([' ', ','])));
        self.begin_with_interleavings(why, plan);
    }

    /// Runs all interleavings from now on, since hardly any class is within the bound.
    fn run_interleavings(&mut self, plan: &mut CheckPlan) {
        let within = counted(self.bound.into(), "preemption", "preemptions");
        let why =
            format!("the classes are many, and hardly any of those that it ran has an interleaving with {within}");
        self.begin_with_interleavings(Some(why), plan);
    }

    fn begin_with_interleavings(&mut self, why: Option<String>, plan: &mut CheckPlan) {
        let bounds = Bounds { by_bounded: true, ..Bounds::default() };
        *self = Iteration { bound: 0, bounds, why, put_off: Vec::new() };
        plan.explore.explorer = Explorer::Bounded;
    }

    /// Takes a search that is complete within the bound, and returns whether nothing is beyond that.
    fn take(&mut self, summary: &mut Summary, before: f64, explorer: Explorer) -> bool {
        let last = self.bounds.last.as_ref().map(|last| &last.summary);
        let is_all = match explorer {
            Explorer::Bounded => last.is_some_and(|last| last.runs == summary.runs),
            _ => !summary.leaves_out_classes,
        };
        let executions = summary.executions - last.map_or(0, |last| last.executions.min(summary.executions));
        let reporting = summary.monitors.iter().map(|count| {
            let lower = last.and_then(|last| last.monitors.iter().find(|one| one.monitor == count.monitor));
            (count.monitor, count.reporting.saturating_sub(lower.map_or(0, |lower| lower.reporting)))
        });
        // A bound that adds nothing was needed to see that nothing is left.
        if executions > 0 || self.bounds.rows.is_empty() || !is_all {
            self.bounds.rows.push(BoundCount { preemptions: self.bound, executions, reporting: reporting.collect() });
        }
        for count in &summary.monitors {
            let is_new = !self.bounds.first.iter().any(|(monitor, _)| *monitor == count.monitor);
            if let Some(first) = count.first.as_ref().filter(|_| is_new) {
                let first = FirstReport { seconds: first.seconds + before, ..first.clone() };
                self.bounds.first.push((count.monitor, first));
            }
        }
        self.tell(summary, before);
        is_all
    }

    /// Adds the results of the bounds before to a summary.
    fn tell(&self, summary: &mut Summary, before: f64) {
        summary.by_bound.clone_from(&self.bounds.rows);
        summary.seconds += before;
        let first = |monitor: MonitorName| self.bounds.first.iter().find(|(one, _)| *one == monitor);
        for count in &mut summary.monitors {
            if let Some((_, first)) = first(count.monitor) {
                count.first = Some(first.clone());
            }
        }
    }

    /// Returns the result where the search came to its end.
    fn finish(&self, mut exploration: Exploration) -> Exploration {
        self.put_off.iter().for_each(|other| add(&mut exploration, other));
        self.explain(exploration.summary.as_mut());
        exploration
    }

    /// Returns the result where the search did not come to its end, and the bound that the result is of. That is the last
    /// complete bound, if it is enough, with what was found beyond it.
    fn cut(mut self, partial: Exploration) -> (u32, Exploration) {
        let stopped = stopped_by(&partial);
        let is_budget = is_out_of_budget(&partial);
        let last = self.bounds.last.take();
        match last {
            Some(last) if is_budget && self.bound > ENOUGH && partial.unsupported.is_empty() => {
                let Complete { summary, violations } = *last;
                let seconds = partial.summary.as_ref().map_or(0.0, |summary| summary.seconds);
                let seconds = summary.seconds + seconds;
                let summary = Summary { stopped_by: stopped, seconds, ..summary };
                let mut whole = Exploration { violations, summary: Some(summary), ..Exploration::default() };
                add(&mut whole, &partial);
                self.put_off.iter().for_each(|other| add(&mut whole, other));
                self.explain(whole.summary.as_mut());
                (self.bound - 1, Exploration { unsaved: partial.unsaved, ..whole })
            }
            last => {
                let mut partial = partial;
                self.put_off.iter().for_each(|other| add(&mut partial, other));
                if let Some(last) = last {
                    let Complete { summary, violations } = *last;
                    add(&mut partial, &Exploration { violations, summary: Some(summary), ..Exploration::default() });
                }
                self.explain(partial.summary.as_mut());
                (self.bound, partial)
            }
        }
    }

    /// Adds the reason why interleavings were not explored by classes, if they were not.
    fn explain(&self, summary: Option<&mut Summary>) {
        if let (Some(summary), Some(why)) = (summary, &self.why) {
            let note = format!("all interleavings were run, not one of each class (dpor): {why}");
            summary.assumptions.push(note);
            summary.assumptions.sort();
        }
    }
}

/// Adds the violations that another search has found besides.
fn add(whole: &mut Exploration, other: &Exploration) {
    let Some(summary) = &mut whole.summary else { return };
    let counts = other.summary.as_ref().map_or(&[][..], |summary| &summary.violation_executions);
    summary.violation_executions.resize(whole.violations.len(), 1);
    for (index, violation) in other.violations.iter().enumerate() {
        if !whole.violations.iter().any(|known| is_same(known, violation)) {
            whole.violations.push(violation.clone());
            summary.violation_executions.push(counts.get(index).copied().unwrap_or(1));
        }
    }
}

/// Whether two searches have found the same: the same pair of places, or the same failure.
fn is_same(one: &Violation, other: &Violation) -> bool {
    (one.kind, one.monitor, &one.message, &one.sites) == (other.kind, other.monitor, &other.message, &other.sites)
}
