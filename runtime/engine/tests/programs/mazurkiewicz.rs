//! Mazurkiewicz classes, straight from the definition: executions are one if they differ in the order of events that
//! do not conflict.

use std::collections::{BTreeMap, BTreeSet};

use super::{Happened, Op, Program, Run};

/// An event by its thread and its number there.
type Name = (usize, usize);

/// An event of a class: its operation, what it read or got, and the last conflicting events before it.
type Fact = (Option<usize>, Option<u8>, Vec<Name>);

/// What two executions have in common if and only if they are of one class.
pub(crate) type Class = BTreeMap<Name, Fact>;

/// What an operation conflicts on, an object or a location, and whether it conflicts with reads too.
type Conflict = (Option<u8>, u8, bool);

fn conflict(op: Op) -> Option<Conflict> {
    match op {
        Op::Load(location) => Some((None, location, false)),
        Op::Store(location, _) | Op::StoreRegister(location) | Op::Exchange(location, _) | Op::Increment(location) => {
            Some((None, location, true))
        }
        Op::Lock(mutex) | Op::TryLock(mutex) | Op::Unlock(mutex) => Some((Some(0), mutex, true)),
        _ => None,
    }
}

/// The class of an execution without the iterations of wait loops that had no effect.
pub(crate) fn reduced(program: &Program, run: &Run) -> Class {
    let mut kept: Vec<&Happened> = Vec::new();
    // Where in `kept` the events of each thread's iteration are.
    let mut open: Vec<Vec<usize>> = vec![Vec::new(); program.len()];
    let mut dropped = BTreeSet::new();
    for happened in &run.happened {
        match happened {
            Happened::Action(action) if action.in_loop => open[action.thread].push(kept.len()),
            Happened::Failed(thread, failed) => {
                let iteration = std::mem::take(&mut open[*thread]);
                if !failed.changed {
                    dropped.extend(iteration);
                }
            }
            Happened::LeftLoop(thread) => open[*thread].clear(),
            _ => {}
        }
        kept.push(happened);
    }
    let happened = (0..kept.len()).filter(|index| !dropped.contains(index)).map(|index| kept[index]);
    class_of(program, happened)
}

/// The class of an execution.
pub(crate) fn class(program: &Program, run: &Run) -> Class {
    class_of(program, run.happened.iter())
}

fn class_of<'a>(program: &Program, happened: impl Iterator<Item = &'a Happened>) -> Class {
    let mut class = Class::new();
    let mut counts = vec![0; program.len()];
    let mut past: Vec<(Name, Conflict)> = Vec::new();
    for happened in happened {
        let (thread, fact) = match happened {
            Happened::Action(action) => {
                let name = (action.thread, counts[action.thread]);
                let own = conflict(program[action.thread][action.at]);
                let before = own.map_or(Vec::new(), |(object, location, writes)| {
                    let conflicts = |other: &&(Name, Conflict)| {
                        (other.1.0, other.1.1) == (object, location) && (writes || other.1.2)
                    };
                    past.iter().filter(conflicts).map(|&(name, _)| name).collect()
                });
                past.extend(own.map(|own| (name, own)));
                let mut before: Vec<Name> = before;
                before.sort_unstable();
                (action.thread, (Some(action.at), action.read, before))
            }
            &Happened::Value(thread, value) => (thread, (None, Some(value), Vec::new())),
            Happened::Failed(..) | Happened::LeftLoop(_) => continue,
        };
        class.insert((thread, counts[thread]), fact);
        counts[thread] += 1;
    }
    class
}
