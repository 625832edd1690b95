//! Atomic blocks of programs for SV-COMP: the code between `__VERIFIER_atomic_begin` and `__VERIFIER_atomic_end`, and
//! functions whose names begin with `__VERIFIER_atomic_`. Nothing of another thread comes between the accesses of a
//! block, and each is interlocked as a relaxed read-modify-write is: it drains what would have to be drained for one.
//!
//! A block that has to wait waits as a whole, before it begins. If it has to wait at its first operation, its thread
//! waits there. If it has to wait later while other threads can go on, the execution does not count, and is dropped as
//! at a failed assumption: the one in which they went on first is another. If no thread can go on, the threads wait for
//! ever.

use engine::execution::Pending;
use engine::explore::Notice;
use protocol::{FailureKind, Operation};

use crate::process::sites::{Record, RecordPointer, call_site};
use crate::process::uncontrolled::{self, is_alone};
use crate::run::{fail, unsupported, with};
use crate::schedule::events;
use crate::schedule::turns::turn;
use crate::state::objects::Class;
use crate::state::operation::Note;
use crate::state::turn::Way;
use crate::state::unmodelled::Unmodelled;
use crate::world;

/// Refuses an operation that an atomic block cannot hold, if the running thread is in one.
pub(crate) fn refuse(operation: &str, site: RecordPointer) {
    if with(|runtime| runtime.threads.at(runtime.running).block.is_open()) == Some(true) {
        unsupported(&format!("{operation} in an atomic block"), site);
    }
}

/// Begins a function that is an atomic block.
#[unsafe(no_mangle)]
extern "C" fn __fh_block_begin(site: RecordPointer) {
    if is_alone() {
        return uncontrolled::begin_block();
    }
    world::refuse(Unmodelled::AtomicBlock, site);
    world::refuse_buffered("an atomic block", site);
    let outermost = with(|runtime| !runtime.threads.at(runtime.running).block.is_open());
    let steps = outermost == Some(true) && begin_step(site);
    with(|runtime| {
        let block = &mut runtime.threads.at(runtime.running).block;
        if block.depth == 0 {
            block.begun = Some(Record::behind(site));
        }
        block.depth += 1;
        if steps {
            block.entered = true;
            runtime.way = Way::Within;
        } else if runtime.way == Way::Plain {
            runtime.way = Way::Opening;
        }
    });
}

/// Performs the step of its own with which a block begins under the explorer `dpor`, and which comes before or after
/// all other blocks: what the block accesses is not known before it has done so. Returns whether there is such a step.
fn begin_step(site: RecordPointer) -> bool {
    if with(|runtime| runtime.steps_aside()) != Some(true) {
        return false;
    }
    turn(Pending::Access, site);
    let turn = with(|runtime| {
        let object = runtime.objects.number(Class::Blocks, 0);
        runtime.execution.notify(Notice::BlockOpens(runtime.running));
        events::concerns(runtime, &[], &[object], Note { site, operation: Operation::BeginBlock }, 0)
    });
    if let Some(turn) = turn {
        turn.obey();
    }
    true
}

/// Ends a function that is an atomic block.
#[unsafe(no_mangle)]
extern "C" fn __fh_block_end(site: RecordPointer) {
    if is_alone() {
        return uncontrolled::end_block();
    }
    let ended = with(|runtime| {
        let block = &mut runtime.threads.at(runtime.running).block;
        block.depth = block.depth.checked_sub(1)?;
        if block.depth == 0 {
            if std::mem::take(&mut block.entered) {
                runtime.execution.notify(Notice::BlockCloses);
            }
            if matches!(runtime.way, Way::Opening | Way::Within) {
                runtime.way = Way::Plain;
            }
        }
        Some(())
    });
    if ended == Some(None) {
        let message = "__VERIFIER_atomic_end outside of an atomic block".to_owned();
        fail(FailureKind::Misuse, message, site, Operation::call("__VERIFIER_atomic_end"));
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh___VERIFIER_atomic_begin() {
    __fh_block_begin(call_site());
}

#[unsafe(no_mangle)]
extern "C" fn __fh___VERIFIER_atomic_end() {
    __fh_block_end(call_site());
}

crate::abi::same_hooks!(__fh_block_begin, __fh_block_end);
