//! Atomic blocks of programs for SV-COMP: what stands between `__VERIFIER_atomic_begin` and `__VERIFIER_atomic_end`, and
//! functions whose names begin with `__VERIFIER_atomic_`. Nothing of another thread comes between the accesses of a
//! block, and each is interlocked as a relaxed read-modify-write is: it drains what would have to be drained for one.
//!
//! A block that has to wait waits as a whole, before it begins. Where that is at its first operation, its thread waits there.
//! Later, an execution in which it has come so far and others can go on is none, and is dropped as at an assumption: the one
//! in which they have done so first is another. Where nobody can go on, the threads wait for ever.

use engine::event::Kind;
use engine::execution::Pending;
use engine::explore::Notice;
use engine::mapping::{self, Barriers, Order};
use protocol::{FailureKind, Operation, Role};

use crate::graph;
use crate::hooks::process::program::{fail, unsupported};
use crate::hooks::pthread::threads::call_site;
use crate::process::fiber::Switch;
use crate::process::sites::{Record, RecordPointer};
use crate::process::uncontrolled::{self, is_alone};
use crate::run::{End, Runtime, Turn, Way, turn, with};
use crate::schedule::objects::Class;
use crate::state::memory::part;
use crate::state::recorder::{Failure, Note};

/// Where a thread stands with atomic blocks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Block {
    /// How many it is in, one within the other; all of them are one.
    depth: u32,
    /// Whether it has come to its first operation there.
    entered: bool,
    /// Where the outermost one began.
    begun: Option<&'static Record>,
}

impl Block {
    pub(crate) const fn is_open(self) -> bool {
        self.depth > 0
    }

    pub(crate) const fn depth(self) -> u32 {
        self.depth
    }

    /// Whether nobody else may come before the thread's next operation.
    pub(crate) const fn is_entered(self) -> bool {
        self.entered
    }

    /// The thread has come to an operation.
    pub(crate) const fn arrive(&mut self) {
        self.entered = self.depth > 0;
    }
}

/// What an event of a block is to the monitors.
pub(crate) const fn interlocked(kind: Kind, barriers: Barriers) -> (Kind, Barriers) {
    match kind {
        Kind::Load => (Kind::FailedRmw, mapping::failed_rmw(Order::Relaxed, Order::Relaxed)),
        Kind::Store => (Kind::Rmw, mapping::rmw(Order::Relaxed)),
        other => (other, barriers),
    }
}

/// Refuses what a block cannot hold.
pub(crate) fn refuse(operation: &str, site: RecordPointer) {
    if with(|runtime| runtime.threads.at(runtime.running).block.is_open()) == Some(true) {
        unsupported(&format!("{operation} in an atomic block"), site);
    }
}

impl Runtime {
    /// The running thread would have to wait in the middle of a block.
    #[cold]
    pub(crate) fn waits_in_block(&mut self, pending: Pending, site: RecordPointer) -> Turn {
        if self.steps_aside() {
            let what = "an operation that has to wait in an atomic block, under --explorer dpor".to_owned();
            self.end = Some(End::Unsupported { what, place: Record::behind(site).place() });
            return Turn::Other(Switch::End);
        }
        if self.execution.state.waiting() > 0 {
            self.wake_waiting();
        }
        if self.execution.state.others_can_go_on() {
            self.end = Some(End::Assumed);
            return Turn::Other(Switch::End);
        }
        self.execution.state.arrive(self.running, pending);
        self.next()
    }

    /// The running thread ends: what is wrong with that, if it is in a block.
    pub(crate) fn block_left_open(&mut self) -> Option<Failure> {
        let (thread, state) = (self.running, self.threads.at(self.running));
        let begun = state.block.begun.filter(|_| state.block.is_open())?;
        let message = "a thread ends in an atomic block".to_owned();
        let sites = vec![part(Role::At, (thread, begun), Operation::call("__VERIFIER_atomic_begin"))];
        Some(Failure { kind: FailureKind::Misuse, message, sites, program_counter: None })
    }
}

/// A function that is an atomic block begins.
#[unsafe(no_mangle)]
extern "C" fn __fh_block_begin(site: RecordPointer) {
    if is_alone() {
        return uncontrolled::begin_block();
    }
    graph::refuse("an atomic block", site);
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

/// Under the explorer dpor a block begins with a step of its own, which comes before or after all other blocks: what the
/// block accesses is not known before it has done so. Whether it does.
fn begin_step(site: RecordPointer) -> bool {
    if with(|runtime| runtime.steps_aside()) != Some(true) {
        return false;
    }
    turn(Pending::Access, site);
    let turn = with(|runtime| {
        let object = runtime.objects.number(Class::Blocks, 0);
        runtime.execution.notify(Notice::BlockOpens(runtime.running));
        runtime.concerns(&[], &[object], Note { site, operation: Operation::BeginBlock }, 0)
    });
    if let Some(turn) = turn {
        turn.obey();
    }
    true
}

/// It ends.
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
