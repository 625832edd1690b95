//! The system call `futex` in execution graphs, as the kernel performs it: it has a queue for each word, and a lock of the queue.
//!
//! A wait takes the lock, reads the word, enters the queue if the word is as expected, and releases the lock; a wake takes the lock
//! for a moment. So nobody wakes in between, and who has written the word before it wakes is read or has somebody to wake. Each
//! of these steps is between full fences; under C11 these are sequentially consistent ones, as the kernel's accesses to the queue alone
//! would not order a wake that finds nobody asleep.

use std::ffi::c_int;

use engine::event::{Kind, Thread};
use engine::mapping::calls::FUTEX;
use engine::mapping::{self, Order, graphs};
use engine::sync::line::End;
use protocol::{MemoryModel, Operation};

use crate::graph::synchronising::{Patience, Stuck, Waited};
use crate::graph::{accesses, dependencies, objects};
use crate::run::with;
use crate::state::access::Access;
use crate::state::graph::states::Futex;
use crate::state::memory::peek;
use crate::state::objects::{Call, Class};

/// Performs an operation on the queue, between full fences.
fn operate<R>(call: Call, operation: Operation, work: impl FnOnce(&mut Futex, Thread) -> Result<R, Stuck>) -> R {
    full_fence();
    let manner = objects::manner(Class::Futex, operation, &[FUTEX]);
    let result = objects::operate(call, manner, |state, thread| Ok((FUTEX, work(state.futex(), thread)?)));
    full_fence();
    result
}

/// Performs a full fence under C11; on machines an operation of this path is one by itself.
fn full_fence() {
    with(|runtime| {
        let graph = runtime.graph_mut();
        if graph.model == MemoryModel::C11 {
            graph.run.fences = graphs::behind(graph.model, graph.run.fences, Order::SequentiallyConsistent);
        }
    });
}

/// Performs `FUTEX_WAIT` on a word that must hold `expected`.
///
/// # Errors
/// `EAGAIN`, if the word holds something else.
pub(crate) fn wait(call: Call, expected: u32, patience: Patience) -> Result<Waited, c_int> {
    operate(call, Operation::FutexQueue, |futex, thread| {
        if futex.holder.is_some() {
            return Err(Stuck::Waits(None));
        }
        futex.holder = Some(thread);
        Ok(())
    });
    let is_expected = read(call) == u64::from(expected);
    operate(call, Operation::FutexQueue, |futex, thread| {
        futex.holder = None;
        if is_expected {
            futex.line.sleep(thread, 0).expect("no mutex belongs to a futex");
        }
        Ok(())
    });
    if !is_expected {
        return Err(libc::EAGAIN);
    }
    let woken = operate(call, Operation::WakeUp, |futex, thread| match patience {
        Patience::Endless(since) if !futex.line.can_wake(thread) => Err(Stuck::Waits(since)),
        _ => Ok(futex.line.leave(thread)),
    });
    Ok(if woken == End::Woken { Waited::Granted } else { Waited::RanOut })
}

/// Performs `FUTEX_WAKE`: wakes at most `most` threads, and returns how many.
pub(crate) fn wake(call: Call, most: usize) -> usize {
    operate(call, Operation::FutexWake, |futex, _| match futex.holder {
        Some(_) => Err(Stuck::Waits(None)),
        None => Ok(futex.line.signals(most)),
    })
}

/// Reads the word as the kernel does, and goes on by what it holds.
fn read(call: Call) -> u64 {
    let (address, width) = (call.address(), 4);
    accesses::prepare(address, width.into(), call.site);
    let value = peek(address, width.into());
    let access = Access {
        address,
        width,
        kind: Kind::Load,
        barriers: mapping::load(Order::Relaxed),
        operation: Operation::FutexWait,
        site: call.site,
        before: value,
        after: value,
        expected: None,
    };
    let turn = with(|runtime| {
        let turn = accesses::record_in_graph(runtime, &access);
        // No order in the source is that of the kernel's access.
        runtime.graph_mut().run.recorded.last_mut().expect("it was recorded").spelled.order = None;
        turn
    });
    turn.expect("there is a runtime").obey();
    dependencies::branch_on_loaded();
    value
}
