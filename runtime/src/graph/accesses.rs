//! Accesses of a thread that is run alone: the values that they read, and what is recorded of them.

use std::ops::Range;

use engine::event::Kind;
use engine::graph::{Access, Internal, Link, Reached, Value, Written};
use engine::mapping::graphs::{self, Around, Form};
use engine::mapping::power::Synchronizes;
use engine::mapping::{Barriers, MachineFence, Order};
use protocol::{MemoryModel, Operation, Updates};

use crate::graph::stops::{park, refuse};
use crate::graph::{dependencies, initialisers};
use crate::process::fiber::Switch;
use crate::process::layout;
use crate::process::sites::{Record, RecordPointer};
use crate::run::{Runtime, with};
use crate::state::access;
use crate::state::graph::places::Unlocated;
use crate::state::graph::{After, AsideOperation, Effect, Graph, Idle, Recorded, Spelled, Stop, labels};
use crate::state::memory::{initial, peek, poke};
use crate::state::operation::Note;
use crate::state::turn::Turn;
use crate::state::unmodelled::Unmodelled;

/// Puts into memory what the running thread, which is about to access these bytes, reads there.
pub(crate) fn prepare(address: usize, width: usize, site: RecordPointer) {
    if width == 0 {
        return;
    }
    dependencies::know(labels::of_address());
    if let Some(Some(what)) = with(|runtime| beside_a_call(runtime.graph_mut(), address..address + width)) {
        refuse(what, site);
    }
    let before = peek(address, width);
    let known = with(|runtime| {
        let initial = initial(address, width, before);
        prepare_read(runtime.graph_mut(), address, width, initial)
    });
    match known {
        Some(Ok(value)) if value != before => poke(address, width, value),
        Some(Err(Unlocated::Cut)) => park(Stop::Cut),
        Some(Err(Unlocated::Mixed)) => refuse(Unmodelled::MixedWidths, site),
        Some(Err(Unlocated::Unaligned)) => refuse(Unmodelled::Unaligned, site),
        Some(Ok(_)) | None => {}
    }
}

/// Returns what is not modelled of an access to these bytes beside calls of functions that are not instrumented.
fn beside_a_call(graph: &mut Graph, bytes: Range<usize>) -> Option<Unmodelled<'static>> {
    let is_foreign = layout::stack_of(bytes.start).is_some_and(|index| index != graph.run.thread.index());
    if is_foreign && graph.strangers.accesses(bytes) {
        return Some(Unmodelled::Passed);
    }
    graph.run.lent.is_out().then_some(Unmodelled::CallBack)
}

/// Performs a fence of the running thread.
pub(crate) fn fence(machine: Option<MachineFence>, order: Order, site: RecordPointer) {
    let fenced = with(|runtime| {
        let full = runtime.graph_mut().run.fences.full;
        let fenced = fence_in_graph(runtime, machine, order, site);
        let graph = runtime.graph_mut();
        if graph.run.fences.full > full {
            graph.aside(AsideOperation::Fence(site));
        }
        fenced
    })
    .flatten();
    if fenced.is_none() {
        refuse(Unmodelled::OtherProcessor, site);
    }
}

/// Notes that the success of a compare-and-exchange here decides whether it synchronises, so that what comes after it
/// is not known before it is.
#[cold]
pub(crate) fn decides() {
    with(|runtime| {
        if let Some(graph) = runtime.graph.as_deref_mut() {
            graph.run.decides = true;
        }
    });
}

/// Returns the width of the next piece of an access that may be cut anywhere, and could be `width` bytes wide.
pub(crate) fn piece(address: usize, width: usize) -> usize {
    let cut = with(|runtime| {
        let graph = runtime.graph.as_deref_mut()?;
        graph.run.piece = true;
        Some(graph.places.piece(address, width))
    });
    cut.flatten().unwrap_or(width)
}

/// Records an access, and restores the initial value in memory.
#[cold]
pub(crate) fn record_in_graph(runtime: &mut Runtime, access: &access::Access) -> Turn {
    let graph = runtime.graph_mut();
    let (turn, effect) = record(graph, access);
    let initial = graph.places.initial(graph.places.at(access.address)).cast_unsigned();
    if access.after != initial {
        poke(access.address, access.width.into(), initial);
    }
    let state = runtime.threads.at(runtime.running);
    state.events += 1;
    if effect == Effect::Some {
        state.effects += 1;
    }
    turn
}

/// Adds a fence to those of the running thread, given by its kind in the hook ABI or by its C11 order; returns `None`
/// if the model's processor has no such fence.
pub(crate) fn fence_in_graph(
    runtime: &mut Runtime,
    machine: Option<MachineFence>,
    order: Order,
    site: RecordPointer,
) -> Option<()> {
    let graph = runtime.graph_mut();
    let order = match &mut graph.orders {
        Some(orders) if machine.is_none() => orders.of_fence(order, site),
        _ => order,
    };
    if machine == Some(MachineFence::Instructions) {
        graph.fence_instructions();
    }
    graph.run.fences = match machine {
        Some(fence) => graphs::behind_machine_fence(graph.model, graph.run.fences, fence)?,
        None => graphs::behind(graph.model, graph.run.fences, order),
    };
    Some(())
}

/// Records an operation that is no access to memory but has the place of one in the graph; returns the value that it
/// reads. The thread goes on once that is known, and what comes later depends on it as on a branch.
pub(crate) fn record_object(runtime: &mut Runtime, recorded: Recorded) -> (Turn, Option<Value>) {
    let thread = runtime.running;
    runtime.threads.at(thread).stands_at = Record::known(recorded.note.site);
    let state = runtime.threads.at(thread);
    state.events += 1;
    state.effects += u64::from(recorded.written != Written::Nothing);
    let graph = runtime.graph_mut();
    let value = graph.next_read();
    if recorded.access.reads() {
        graph.branch();
    }
    (graph.push(recorded, After::Known), value)
}

/// Ends the run of the thread: what it does from here on is not looked at.
pub(crate) fn leaves_out(runtime: &mut Runtime) -> Turn {
    runtime.graph_mut().run.stop = Some(Stop::Reached(Reached::Assumes));
    Turn::Other(Switch::End)
}

/// Notes that an iteration of a wait loop, from the access `since` up to the access `next`, had no effect but that a
/// wait ran out. Waiting in the loop would be to hold on to whatever the thread holds: it will wait in that wait
/// instead.
pub(crate) fn grows_patient_in_graph(runtime: &mut Runtime, since: u64, next: u64) {
    runtime.graph_mut().run.patience = Some(Idle { since: since as usize, next: next as usize });
}

/// Lets the thread wait, since the iteration of a wait loop since this many accesses had no effect.
pub(crate) fn waits_in_graph(runtime: &mut Runtime, since: u64) -> Turn {
    runtime.recorder.tallied.leaves_out_a_round();
    let run = &mut runtime.graph_mut().run;
    let since = since as usize;
    let unknown = |(index, recorded): (usize, &Recorded)| {
        matches!(recorded.access, Access::Update(_)) && run.reads.get(index).copied().flatten().is_none()
    };
    if run.recorded.iter().enumerate().skip(since).any(unknown) {
        run.stop = Some(Stop::Reached(Reached::Branch));
        return Turn::Other(Switch::End);
    }
    for recorded in &mut run.recorded[since..] {
        // A read-modify-write that leaves its bytes as they are does not write.
        if recorded.access.reads() && recorded.width > 0 {
            recorded.written = Written::Nothing;
        }
    }
    run.stop = Some(Stop::Reached(Reached::Waits { since: since as u16 }));
    Turn::Other(Switch::End)
}

/// Returns the value that the next access reads, if it reads: the initial value if that is not known.
pub(crate) fn prepare_read(graph: &mut Graph, address: usize, width: usize, initial: u64) -> Result<u64, Unlocated> {
    let piece = std::mem::take(&mut graph.run.piece);
    graph.run.is_piece = piece;
    let location = graph.places.locate(address, width, piece, initial)?;
    let known = graph.run.reads.get(graph.run.recorded.len()).copied().flatten();
    Ok(known.unwrap_or_else(|| graph.places.initial(location)).cast_unsigned())
}

/// Records an access to memory that has just been performed on the value that [`prepare`] put there.
pub(crate) fn record(graph: &mut Graph, access: &access::Access) -> (Turn, Effect) {
    let &access::Access { address, width, kind, operation, site, before, after, .. } = access;
    let location = graph.places.at(address);
    let (of_address, of_value) = labels::given();
    let (of_expected, is_unused) = labels::given_of_update();
    let barriers = ordered(graph, access);
    let form = form(graph, access, is_unused);
    let Around { before: fences, after: behind, synchronizes, annotations } =
        graphs::access(graph.model, kind, barriers, form);
    graph.run.compared = of_expected;
    let depends = graph.depends_on(of_address, of_value, of_expected);
    let has_read = kind == Kind::Store || graph.next_read().is_some();
    // What an exchange writes does not depend on what it reads.
    let known = (has_read || operation == Operation::Exchange)
        && [of_value, of_expected].into_iter().all(|label| graph.is_known(label));
    let written = match kind {
        Kind::Load => Written::Nothing,
        _ if !known => Written::Unknown,
        Kind::FailedRmw => Written::Nothing,
        _ => Written::Value(after.cast_signed()),
    };
    if let Written::Value(value) = written {
        initialisers::note_store(graph, address, width.into(), value.cast_unsigned());
    }
    let changes = kind == Kind::Store || (known && has_read && before != after);
    let effect = if changes { Effect::Some } else { Effect::None };
    let access = match kind {
        Kind::Load => Access::Load,
        Kind::Store => Access::Store,
        Kind::Rmw if operation == Operation::Exchange => Access::Update(Internal::None),
        Kind::Rmw => Access::Update(Internal::Data),
        _ => Access::Update(Internal::Control),
    };
    let annotations = match (graph.model, operation) {
        (MemoryModel::Armv8, operation) if operation != Operation::FetchNand => {
            graph.code.annotated(access, annotations)
        }
        (MemoryModel::C11, _) => graph.code.sequences.annotated(annotations),
        _ => annotations,
    };
    graph.run.fences += fences;
    graph.has_address(of_address);
    let (fences, note, link) = (graph.run.fences, Note { site, operation }, Link::None);
    if access.reads() {
        labels::gives(graph.sets.of(graph.run.recorded.len()));
    }
    let orders_itself = graph.model.orders_by_access();
    let decides = (std::mem::take(&mut graph.run.decides) && !orders_itself) || synchronizes == Synchronizes::Yes;
    if synchronizes == Synchronizes::Yes {
        graph.synchronize();
    } else if decides {
        graph.branch();
    }
    let after = if graph.model.has_dependencies() && !decides { After::Anything } else { After::Known };
    let spelled = Spelled { order: barriers.order, is_piece: graph.run.is_piece, form };
    let recorded =
        Recorded { access, location, written, fences, annotations, link, depends, note, address, width, spelled };
    let turn = graph.push(recorded, after);
    graph.run.fences += behind;
    (turn, effect)
}

/// Returns the barriers of an access: those of the program, unless orders take the place of its own.
fn ordered(graph: &mut Graph, access: &access::Access) -> Barriers {
    let &access::Access { address, kind, barriers, operation, site, .. } = access;
    let Some(orders) = &mut graph.orders else { return barriers };
    let replaced = orders.of_access(kind, barriers, Note { site, operation }, address);
    if let (Some(order), Some(other)) = (replaced.order, replaced.otherwise) {
        graph.run.decides = order.acquires() != other.acquires();
    }
    replaced
}

/// Returns the form in which a read-modify-write is compiled: RISC-V has single instructions for 4 and 8 bytes, and no machine has
/// one for the complement of an `and`. A compare-and-swap is taken for a pair on all of them.
fn form(graph: &Graph, access: &access::Access, is_unused: bool) -> Form {
    let &access::Access { operation, width, kind, .. } = access;
    match (operation, kind) {
        (Operation::FetchNand, _) | (_, Kind::CompareAndSwap | Kind::FailedRmw) => Form::Pair,
        _ if width < 4 && graph.model == MemoryModel::Riscv => Form::Pair,
        // A pair of exclusive instructions reads in any case.
        _ if is_unused && graph.code.updates != Updates::Pairs => Form::Unused,
        _ => Form::Single,
    }
}
