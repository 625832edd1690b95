//! Visits of the headers of loops.

use crate::abi::number;
use crate::graph;
use crate::process::sites::{Record, RecordPointer};
use crate::run::Runtime;
use crate::schedule::loops::{self, Loop};
use crate::schedule::waits;
use crate::state::turn::{Turn, Way};
use crate::world::World;

/// The visit of a loop's header by which the loop is entered.
const ENTERED: u32 = number("FH_LOOP_ENTERED");
/// The visit of a loop's header in a state that cannot be compared with that of others.
const CHANGED: u32 = number("FH_LOOP_CHANGED");
/// The visit of a loop's header in a state that can be compared with that of others.
const COMPARABLE: u32 = number("FH_LOOP_COMPARABLE");

/// Visits the header of a loop without an exit, in which the running thread does nothing that anybody could see;
/// returns who goes on in its place.
pub(crate) fn goes_round_for_ever(runtime: &mut Runtime, site: RecordPointer) -> Turn {
    let (thread, mark) = (runtime.running, waits::mark(runtime));
    let state = runtime.threads.at(thread);
    state.stands_at = Record::known(site);
    state.visits.enter(site, &[], mark);
    match World::now() {
        World::Schedule => loops::waits_for_nothing(runtime, mark),
        World::Alone => graph::accesses::waits_in_graph(runtime, mark.events),
    }
}

/// Visits the header of a loop; returns who goes on if the running thread has to wait.
pub(crate) fn visit(
    runtime: &mut Runtime,
    record: &mut Loop,
    visit: u32,
    words: &[u64],
    site: RecordPointer,
) -> Option<Turn> {
    let thread = runtime.running;
    let mark = waits::mark(runtime);
    let visits = &mut runtime.threads.at(thread).visits;
    if visit != CHANGED {
        runtime.execution.at_hand.is_at_header(thread);
    }
    if visit == ENTERED {
        record.number = visits.enter(site, words, mark) as u64;
        runtime.idle_rounds.enter(thread, record.number as usize);
        return unrolls(runtime);
    }
    let last = visits.go_round(record.number as usize);
    // Within an atomic block, no other thread could do what this one would wait for.
    if visit != COMPARABLE || last.effects != mark.effects || runtime.way == Way::Within {
        runtime.threads.at(thread).visits.restart(words, mark);
        return unrolls(runtime);
    }
    match World::now() {
        World::Schedule => loops::visit(runtime, record, words, mark),
        World::Alone => graph::loops::visit(runtime, words, last, mark).or_else(|| unrolls(runtime)),
    }
}

/// Ends the run of a thread that runs alone if its loop has gone round more often than asked for; returns who goes on
/// then.
fn unrolls(runtime: &mut Runtime) -> Option<Turn> {
    match World::now() {
        World::Schedule => None,
        World::Alone => graph::loops::unrolls(runtime),
    }
}
