//! The beginnings and ends of what threads use, in execution graphs, for the failures that come of them: uses of freed
//! blocks, of local variables of functions that have returned, of destroyed objects, of threads that have been joined;
//! and blocks and objects that are freed or destroyed twice.
//!
//! In a graph nothing ends: memory stays as it is, and is not given out again. Each thread's run notes where something
//! begins and ends between its accesses, and what is sure to come before it is known once the graph is complete
//! ([`engine::graph::lifetime`]). A graph that is given up since a thread waits for a value that has changed is looked
//! at, too: in the rounds that are left out elsewhere, memory may be used whose life has ended.

use std::ops::Range;

use engine::graph::lifetime::Moment;

use crate::process::layout;
use crate::process::sites::RecordPointer;
use crate::run::with;
use crate::state::graph::Graph;
use crate::state::graph::milestones::{Change, Milestone};
use crate::state::locals::Local;
use crate::state::objects::{Call, Class};

/// Notes a change that the running thread makes to something that can be used only for a time.
pub(crate) fn milestones(change: Change, site: RecordPointer) {
    with(|runtime| note_milestone(runtime.graph_mut(), change, site));
}

/// Says what is not looked for in a block that the running thread allocates.
pub(crate) fn allocates() {
    const UNSEEN: &str = "execution graphs do not show accesses beside blocks of the heap, nor leaks";
    with(|runtime| runtime.remarks.assumptions.insert(UNSEEN.into()));
}

/// Notes that the running thread frees a block by this function.
pub(crate) fn frees(address: usize, function: &'static str, site: RecordPointer) {
    milestones(Change::Frees(address, function), site);
}

/// Notes that the running thread destroys an object.
pub(crate) fn destroys(call: Call, class: Class) {
    milestones(Change::Destroys(call.address(), class, call.name), call.site);
}

/// Notes that the running thread initialises an object by its `init` function. Whether it is one already is looked at where
/// others may use it, and where it was used or initialised before.
pub(crate) fn initialises(call: Call, class: Class) {
    with(|runtime| {
        let graph = runtime.graph_mut();
        let is_first = graph.is_alone() && !graph.initialisers.is_known(call.address);
        graph.ends |= !is_first && !layout::is_stack(call.address);
        note_milestone(graph, Change::Initialises(call.address, class, call.name), call.site);
    });
}

/// Notes that a local variable of the running thread begins to live in this memory.
pub(crate) fn begins(memory: Range<usize>, site: RecordPointer) {
    milestones(Change::Begins(memory), site);
}

/// Notes that the running thread leaves these local variables.
pub(crate) fn leaves(locals: Vec<Local>) {
    for local in locals {
        let site: RecordPointer = local.record;
        milestones(Change::Leaves(local), site);
    }
}

/// Keeps a change as a milestone of the running thread.
fn note_milestone(graph: &mut Graph, change: Change, site: RecordPointer) {
    let (thread, accesses) = (graph.run.thread.0.into(), graph.run.recorded.len());
    let accesses = u16::try_from(accesses).expect("fewer than 65536 accesses");
    let moment = Moment { thread, accesses, fences: graph.run.fences };
    graph.ends |= matches!(change, Change::Frees(..) | Change::Destroys(..));
    graph.run.milestones.push(Milestone { change, moment, nth: graph.run.milestones.len(), site });
}
