//! The effect of dependency labels ([`crate::state::graph::labels`]) on a thread that is run alone: it goes on with a
//! value once all reads that the value depends on have returned.

use std::ffi::{c_char, c_void};

use crate::graph::stops::{park, refuse};
use crate::process::sites::{RecordPointer, text};
use crate::run::{Runtime, with};
use crate::state::graph::labels::{self, Label, loaded};
use crate::state::graph::{Graph, Stop};
use crate::state::unmodelled::Unmodelled;
use engine::graph::Reached;

/// Does something with the graph, if threads are run alone for one.
fn on_graph<T>(act: impl FnOnce(&mut Graph) -> T) -> Option<T> {
    with(|runtime| runtime.graph.as_deref_mut().map(act)).flatten()
}

/// Notes a branch that depends on these reads.
fn branch_on(label: Label) {
    if label != Label::NONE {
        know(label);
        on_graph(|graph| graph.branch_on(label));
    }
}

/// Notes a branch that depends on what the last access has loaded.
pub(crate) fn branch_on_loaded() {
    branch_on(loaded());
}

/// Notes a branch that depends on these bytes of private memory, which may depend on different loads.
pub(crate) fn branch_on_private(address: usize, length: usize) {
    let all = on_graph(|graph| {
        let Graph { run, sets, .. } = graph;
        let bytes = address..address + if run.private.0.is_empty() { 0 } else { length };
        bytes.fold(Label::NONE, |all, byte| sets.union(all, run.private.at(byte)))
    });
    branch_on(all.unwrap_or_default());
}

/// Notes a branch that depends on the result of the function that has just returned, since the thread ends with it.
pub(crate) fn branch_on_result() {
    branch_on(labels::of_result());
    on_graph(|graph| graph.run.operands = Label::NONE);
}

/// Returns the label of what the arguments of the running modelled function depend on.
pub(crate) fn of_operands() -> Label {
    on_graph(|graph| graph.run.operands).unwrap_or_default()
}

/// Returns the label of the success of the last compare-and-exchange.
pub(crate) fn of_success() -> Label {
    union(loaded(), on_graph(|graph| graph.run.compared).unwrap_or_default())
}

/// Returns the union of two labels.
pub(crate) fn union(one: Label, other: Label) -> Label {
    if other == Label::NONE { one } else { __fh_label_union(one, other) }
}

impl Graph {
    /// Whether all reads of the set have returned.
    pub(crate) fn is_known(&self, label: Label) -> bool {
        self.sets.members(label).all(|read| self.run.reads.get(read).copied().flatten().is_some())
    }

    /// Whether all reads on which these bytes of private memory depend, the state of a loop at its header, have returned.
    /// Those that have not are kept.
    pub(crate) fn keeps_what_is_known(&mut self, address: usize, length: usize) -> bool {
        let Self { run, sets, .. } = self;
        let bytes = address..address + if run.private.0.is_empty() { 0 } else { length };
        let kept = bytes.flat_map(|byte| sets.members(run.private.at(byte)));
        let unknown: Vec<usize> = kept.filter(|&read| run.reads.get(read).copied().flatten().is_none()).collect();
        run.kept.extend_from_slice(&unknown);
        unknown.is_empty()
    }

    /// Sets the labels of private memory.
    pub(crate) fn put_private(&mut self, address: usize, length: usize, label: Label) {
        self.run.private.put(address, length, label);
    }
}

/// Whether all reads of the set have returned; so it is where no thread is run alone.
fn is_known(label: Label) -> bool {
    label == Label::NONE || on_graph(|graph| graph.is_known(label)).unwrap_or(true)
}

/// Parks the thread unless all reads of the set have returned.
pub(crate) fn know(label: Label) {
    if !is_known(label) {
        with(|runtime| waits_for(runtime, label));
        park(Stop::Reached(Reached::Branch));
    }
}

/// Notes that the running thread waits for these reads. The others of the round that have not returned are kept, perhaps:
/// they are not waited for where the state at the header depends on them.
fn waits_for(runtime: &mut Runtime, label: Label) {
    let Some(begin) = runtime.threads.of(runtime.running).visits.last() else { return };
    let Graph { run, sets, .. } = runtime.graph_mut();
    let unknown =
        (begin.events as usize..run.recorded.len()).filter(|&read| run.reads.get(read).is_none_or(Option::is_none));
    let others: Vec<usize> = unknown.filter(|&read| sets.members(label).all(|member| member != read)).collect();
    run.kept.extend(others);
}

/// Sets the label of these bytes of private memory.
pub(crate) fn put(address: usize, length: usize, label: Label) {
    on_graph(|graph| graph.put_private(address, length, label));
}

/// Returns the label of these bytes of private memory: all loads on which one of them depends. Under a model where
/// dependencies order, all bytes must depend on the same loads, or the program is refused.
pub(crate) fn get(address: usize, length: usize) -> Label {
    let found = with(|runtime| {
        let graph = runtime.graph.as_deref_mut().filter(|graph| !graph.run.private.0.is_empty());
        let Some(graph) = graph else { return Some(Label::NONE) };
        let first = graph.run.private.at(address);
        let mut all = first;
        for byte in address + 1..address + length {
            let label = graph.run.private.at(byte);
            if label != first && graph.model.has_dependencies() {
                return None;
            }
            all = graph.sets.union(all, label);
        }
        Some(all)
    });
    match found {
        Some(None) => {
            refuse(Unmodelled::DependenciesByByte, stands_at());
            Label::NONE
        }
        Some(Some(label)) => label,
        None => Label::NONE,
    }
}

/// Returns the place where the running thread stands.
fn stands_at() -> RecordPointer {
    with(|runtime| runtime.threads.stands_at(runtime.running)).unwrap_or(std::ptr::null())
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_union(one: Label, other: Label) -> Label {
    on_graph(|graph| graph.sets.union(one, other)).unwrap_or_default()
}

/// Returns the label of a value that is chosen among two. On ARM and RISC-V the condition only picks: whatever a
/// compiler makes of it orders later stores at most.
#[unsafe(no_mangle)]
extern "C" fn __fh_label_select(by: Label, chosen: Label, other: Label) -> Label {
    let selected = on_graph(|graph| {
        let sets = &mut graph.sets;
        if graph.model.orders_by_access() {
            let by = sets.picking(by);
            return sets.union(chosen, by);
        }
        let both = sets.union(chosen, other);
        sets.union(both, by)
    });
    selected.unwrap_or_default()
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_address(label: Label) {
    know(label);
    on_graph(|graph| graph.has_address(label));
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_is_known(label: Label) -> u32 {
    u32::from(is_known(label))
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_branch(label: Label) {
    branch_on(label);
}

/// Notes what the arguments of a modelled function depend on: the object that it acts on, and what it does.
#[unsafe(no_mangle)]
extern "C" fn __fh_label_operands(label: Label) {
    branch_on(label);
    on_graph(|graph| graph.run.operands = label);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_branch_memory(address: *const c_void, length: u64) {
    branch_on_private(address as usize, length as usize);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_get(address: *const c_void, length: u64) -> Label {
    get(address as usize, length as usize)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_put(address: *const c_void, length: u64, label: Label) {
    put(address as usize, length as usize, label);
}

#[unsafe(no_mangle)]
extern "C" fn __fh_label_copy(to: *const c_void, from: *const c_void, length: u64) {
    let (to, from, length) = (to as usize, from as usize, length as usize);
    on_graph(|graph| {
        let labels: Vec<Label> = (from..from + length).map(|byte| graph.run.private.at(byte)).collect();
        graph.put_private(to, length, Label::NONE);
        for (byte, label) in labels.into_iter().enumerate().filter(|&(_, label)| label != Label::NONE) {
            graph.put_private(to + byte, 1, label);
        }
    });
}

/// # Safety
/// `what` ends with a zero byte.
#[unsafe(no_mangle)]
unsafe extern "C" fn __fh_label_refuse(what: *const c_char) {
    refuse(Unmodelled::Expression(&text(what)), stands_at());
}

crate::abi::same_hooks!(
    __fh_label_address,
    __fh_label_branch,
    __fh_label_branch_memory,
    __fh_label_copy,
    __fh_label_get,
    __fh_label_is_known,
    __fh_label_operands,
    __fh_label_put,
    __fh_label_refuse,
    __fh_label_select,
    __fh_label_union
);
