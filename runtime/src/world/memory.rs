//! Accesses to memory, and the blocks and variables that begin and end there.

use std::ops::Range;

use engine::execution::Pending;
use engine::mapping::{Barriers, MachineFence, Order};

use crate::graph::{accesses, lifetimes};
use crate::process::fiber;
use crate::process::sites::{Record, RecordPointer};
use crate::run::{Runtime, at_work, with};
pub(crate) use crate::schedule::commits::Approach;
use crate::schedule::{commits, committers, events, frames, turns};
use crate::state::access::{Access, WideAccess};
use crate::state::heap::BadFree;
use crate::state::turn::Turn;
use crate::world::{World, turn_aside};

/// Waits for the running thread's turn before an access to `width` bytes (0 for a fence), which it nearly always has
/// already.
#[inline(never)]
pub(crate) fn turn_to_access(approach: Approach, address: usize, width: usize, site: RecordPointer) {
    let Some(mut runtime) = at_work() else { return };
    if runtime.buffers.is_some() {
        drop(runtime);
        return turn_to_buffered_access(approach, address, width, site);
    }
    let turn = turns::arrive(&mut runtime, Pending::Access, site);
    drop(runtime);
    match turn {
        Turn::Ours => {}
        Turn::Other(switch) => fiber::suspend(switch),
        Turn::Alone => accesses::prepare(address, width, site),
    }
}

/// Waits for the running thread's turn, as [`turn_to_access`] does, on a machine with store buffers.
#[cold]
#[inline(never)]
fn turn_to_buffered_access(approach: Approach, address: usize, width: usize, site: RecordPointer) {
    let turn = with(|runtime| {
        committers::stands_before(runtime, approach, address, width);
        turns::arrive(runtime, Pending::Access, site)
    });
    turn.unwrap_or(Turn::Ours).obey();
    approaches(approach, address, width);
}

/// Lets stores commit on a machine with store buffers, before an access of the running thread, whose turn it is.
#[cold]
#[inline(never)]
fn approaches(approach: Approach, address: usize, width: usize) {
    let turn = with(|runtime| commits::approaches(runtime, approach, address, width));
    turn.unwrap_or(Turn::Ours).obey();
}

/// Reports an access that the running thread has performed.
#[inline(always)]
pub(crate) fn report(access: Access) {
    let Some(mut runtime) = at_work() else { return };
    let turn = events::access(&mut runtime, access);
    drop(runtime);
    turn.obey();
}

/// Reports an access to any number of bytes that the running thread has performed.
pub(crate) fn report_wide(access: &WideAccess<'_>) {
    let turn = with(|runtime| match events::wide_access(runtime, access) {
        Turn::Ours if runtime.buffers.is_some() => commits::wide_performed(runtime, access),
        turn => turn,
    });
    turn.unwrap_or(Turn::Ours).obey();
}

/// Performs a fence of the running thread, whose turn it is: one of the processor's own, or one of a C11 order.
pub(crate) fn fence(machine: Option<MachineFence>, barriers: Barriers, order: Order, site: RecordPointer) {
    match World::now() {
        World::Schedule => {
            if let Some(turn) = with(|runtime| events::fence(runtime, barriers.before, order, site)) {
                turn.obey();
            }
        }
        World::Alone => accesses::fence(machine, order, site),
    }
}

/// Notes that a block of the heap is allocated.
pub(crate) fn allocates() {
    match World::now() {
        World::Schedule => {}
        World::Alone => lifetimes::allocates(),
    }
}

/// Frees a block of the heap, by this function of the running thread.
///
/// # Errors
/// Returns why the block cannot be freed, as far as that is known already.
pub(crate) fn free(address: usize, function: &'static str, site: RecordPointer) -> Result<(), BadFree> {
    if World::now() == World::Alone {
        lifetimes::frees(address, function, site);
        with(Runtime::has_effect);
        return Ok(());
    }
    turn_aside(site);
    ends(address);
    let freed = with(|runtime| {
        runtime.threads.at(runtime.running).frees += 1;
        let doer = (runtime.running, Record::behind(site));
        let freed = runtime.memory.heap.free(address, doer, &mut runtime.memory.shadow);
        let objects = freed.as_ref().map_or(Vec::new(), |freed| runtime.objects.forget(freed.bytes()));
        let block = match &freed {
            Ok(block) | Err(BadFree::Double(block)) => block.bytes(),
            Err(BadFree::NoBlock(_)) => address..address,
        };
        let turn = match events::freed(runtime, block.clone(), &objects, site) {
            Turn::Ours => commits::late_use(runtime, &block),
            turn => turn,
        };
        (freed, turn)
    });
    let Some((freed, turn)) = freed else { return Ok(()) };
    turn.obey();
    freed.map(|_| ())
}

/// Lets stores commit before the block that begins at this address, if there is one, is freed.
fn ends(address: usize) {
    let turn = with(|runtime| match runtime.memory.heap.living(address) {
        Ok(block) => commits::ends(runtime, block.bytes()),
        Err(_) => Turn::Ours,
    });
    turn.unwrap_or(Turn::Ours).obey();
}

/// Notes that a local variable that others may know of begins to live in this memory.
pub(crate) fn begins(memory: Range<usize>, site: RecordPointer) {
    match World::now() {
        World::Schedule => {}
        World::Alone => lifetimes::begins(memory, site),
    }
}

/// Ends the life of the running thread's local variables but for the `depth` oldest ones.
pub(crate) fn leave_frames(depth: usize) {
    if World::now() == World::Alone {
        with(|runtime| runtime.memory.locals.living(runtime.running, depth)).into_iter().for_each(lifetimes::leaves);
    }
    frames::leave(depth);
}

/// Returns the width of the next piece of an access that may be cut anywhere, and could be `width` bytes wide.
pub(crate) fn piece(address: usize, width: usize) -> usize {
    match World::now() {
        World::Schedule => width,
        World::Alone => accesses::piece(address, width),
    }
}

/// Notes that the success of a compare-and-exchange here decides whether it synchronises.
pub(crate) fn decides() {
    match World::now() {
        World::Schedule => {}
        World::Alone => accesses::decides(),
    }
}

/// Whether the weak compare-and-exchange that is being performed, and could succeed, fails.
pub(crate) fn fails_weakly() -> bool {
    match World::now() {
        World::Schedule => events::fails_weakly(),
        World::Alone => false,
    }
}
