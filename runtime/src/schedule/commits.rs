//! The commits of stores that wait in the machine's buffers: just before what they could make a difference to
//! ([`engine::buffers::Batch`]). Each commit is chosen by the explorer, as a value is, so it is no preemption and
//! belongs to no thread.

use std::ops::Range;

use engine::buffers::{Batch, Demand, StoreEntry};
use engine::event::{Barrier, Kind, Object, Thread};
use engine::execution::{Pending, Status, releases};
use engine::mapping::Barriers;
use protocol::{Operation, Role};

use crate::process::fiber::Switch;
use crate::run::Runtime;
use crate::schedule::diverging::diverges;
use crate::schedule::{steps, waits};
use crate::state::access::{Access, WideAccess};
use crate::state::buffers::{Owed, before};
use crate::state::failure::{Failure, bytes, site_use};
use crate::state::turn::{End, Turn};

/// The effect of an access on memory, as far as store buffers have to know it before it is performed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Approach {
    /// The access reads.
    Load,
    /// The access writes.
    Store,
    /// The access reads, and perhaps writes, behind this barrier, past its thread's buffer.
    Update(Barrier),
    /// A fence, which is no access.
    Fence,
}

/// Lets stores commit before the access that the running thread, whose turn it is, is about to perform.
#[cold]
#[inline(never)]
pub(crate) fn approaches(runtime: &mut Runtime, approach: Approach, address: usize, width: usize) -> Turn {
    if steps::are_taken(runtime) {
        // The stores that had to commit first have done so.
        return Turn::Ours;
    }
    let thread = runtime.running;
    let accessed = address..address + width;
    let turn = keep_to_delays(runtime);
    let Some(buffers) = &mut runtime.buffers else { return turn };
    match approach {
        _ if turn != Turn::Ours || buffers.waiting().is_empty() => return turn,
        Approach::Load if !buffers.waiting().others_write(thread, &accessed) => return turn,
        Approach::Store | Approach::Fence => return turn,
        Approach::Load => {}
        Approach::Update(barrier) => buffers.oblige(|waiting| {
            if barrier != Barrier::None {
                waiting.separate(thread);
            }
            waiting.drain_for(thread, &accessed);
        }),
    }
    commit(runtime, before(thread, vec![accessed]))
}

/// Lets as many stores commit as are delayed too many, as the running thread performs its next event.
fn keep_to_delays(runtime: &mut Runtime) -> Turn {
    let thread = runtime.running;
    if let Some(buffers) = &mut runtime.buffers {
        buffers.performs(thread);
    }
    while runtime.buffers.as_ref().is_some_and(|buffers| buffers.delays_too_many()) {
        let Some(buffers) = &mut runtime.buffers else { break };
        let open = buffers.waiting().open();
        match runtime.execution.choose_value(open.len() as u64) {
            Ok(chosen) => {
                let mut alone = Batch::before(Demand { thread: None, bytes: Vec::new(), awaits: false });
                let which = open[chosen as usize];
                let released = buffers.commit(&mut alone, which);
                release(runtime, which.thread, released);
            }
            Err(_) => return diverges(runtime),
        }
    }
    Turn::Ours
}

/// Buffers the store of an access that the running thread has performed.
#[cold]
#[inline(never)]
pub(crate) fn performed(runtime: &mut Runtime, access: &Access) -> Turn {
    let &Access { address, width, kind, barriers, before, .. } = access;
    let before = &before.to_le_bytes()[..usize::from(width)];
    took_place(runtime, kind, barriers, &[(address, before)])
}

/// Buffers the store of an access to any number of bytes that the running thread has performed.
pub(crate) fn wide_performed(runtime: &mut Runtime, access: &WideAccess<'_>) -> Turn {
    took_place(runtime, access.kind, access.barriers, &[(access.address, access.before)])
}

/// Buffers the stores of an event that has been performed, and lets them commit if the event demands that.
fn took_place(runtime: &mut Runtime, kind: Kind, barriers: Barriers, pieces: &[(usize, &[u8])]) -> Turn {
    if kind == Kind::Store {
        runtime.has_effect();
        let (thread, event) = (runtime.running, runtime.execution.history.length() - 1);
        if let Some(buffers) = &mut runtime.buffers {
            if barriers.before != Barrier::None {
                buffers.oblige(|waiting| waiting.separate(thread));
            }
            for &(address, before) in pieces {
                buffers.store(StoreEntry::new(event, address, before.to_vec()));
            }
        }
        let turn = steps::has_stored(runtime);
        if turn != Turn::Ours {
            return turn;
        }
    }
    let turn = if barriers.after == Barrier::Full { drain(runtime, runtime.running) } else { Turn::Ours };
    note_buffers(runtime);
    turn
}

/// Orders the stores that wait by the barriers of an event of the running thread that is no access.
pub(crate) fn ordered(runtime: &mut Runtime, barriers: Barriers) -> Turn {
    let thread = runtime.running;
    let drains = barriers.before == Barrier::Full || barriers.after == Barrier::Full;
    let turn = steps::was_expected(runtime, drains);
    if turn != Turn::Ours {
        return turn;
    }
    let Some(buffers) = &mut runtime.buffers else { return Turn::Ours };
    buffers.performs(thread);
    let turn = match (barriers.before, barriers.after) {
        (Barrier::Full, _) | (_, Barrier::Full) => drain(runtime, thread),
        (Barrier::StoreStore, _) | (_, Barrier::StoreStore) => {
            buffers.oblige(|waiting| waiting.separate(thread));
            Turn::Ours
        }
        (Barrier::None, Barrier::None) => Turn::Ours,
    };
    note_buffers(runtime);
    turn
}

/// Lets all stores of the thread commit.
pub(crate) fn drain(runtime: &mut Runtime, thread: Thread) -> Turn {
    let running = runtime.running;
    if steps::are_taken(runtime) {
        steps::awaits_all(runtime);
        return Turn::Ours;
    }
    let Some(buffers) = &mut runtime.buffers else { return Turn::Ours };
    if buffers.waiting().entries(thread).is_empty() {
        return Turn::Ours;
    }
    buffers.oblige(|waiting| waiting.drain(thread));
    commit(runtime, before(running, Vec::new()))
}

/// Drains the running thread's buffer before it uses the C library's state, for which waiting stores are not modelled.
pub(crate) fn hidden_fence(runtime: &mut Runtime) -> Turn {
    if runtime.buffers.is_some() {
        runtime.remarks.assumptions.insert(
            "what the C library keeps for all threads (rand, strtok) is used behind the stores of the thread: a hidden fence".into(),
        );
    }
    drain(runtime, runtime.running)
}

/// Lets all stores commit, as no thread goes on.
pub(crate) fn drain_all(runtime: &mut Runtime) -> Turn {
    if steps::are_taken(runtime) {
        return Turn::Ours;
    }
    let threads = runtime.threads.len();
    let Some(buffers) = &mut runtime.buffers else { return Turn::Ours };
    buffers.oblige(|waiting| (0..threads).map(Thread::from_index).for_each(|thread| waiting.drain(thread)));
    commit(runtime, Demand { thread: None, bytes: Vec::new(), awaits: false })
}

/// Lets stores commit on a demand, in an order that the explorer chooses.
fn commit(runtime: &mut Runtime, demand: Demand) -> Turn {
    let mut batch = Batch::before(demand);
    loop {
        let Some(buffers) = &mut runtime.buffers else { return Turn::Ours };
        let offers = batch.offers(buffers.waiting());
        let first = u64::from(offers.performs);
        let Ok(chosen) = runtime.execution.choose_value(offers.commits.len() as u64 + first) else {
            return diverges(runtime);
        };
        match chosen.checked_sub(first).and_then(|index| offers.commits.get(index as usize)) {
            Some(&which) => {
                let released = buffers.commit(&mut batch, which);
                release(runtime, which.thread, released);
            }
            None => return Turn::Ours,
        }
    }
}

/// Unlocks the spin lock whose release by this thread has committed, if one has.
fn release(runtime: &mut Runtime, thread: Thread, released: Option<Object>) {
    let Some(lock) = released else { return };
    releases::has_committed(&mut runtime.execution.state);
    let unlocked = runtime.execution.operate(lock, |state, _| state.mutex().map(|mutex| mutex.unlock(thread)));
    debug_assert_eq!(unlocked, Some(Ok(())), "who releases a spin lock holds it until then");
}

/// Buffers the release of a spin lock by the running thread, which holds it: the release waits as stores do.
pub(crate) fn releases(runtime: &mut Runtime, lock: Object, word: usize) -> Turn {
    let event = runtime.execution.history.length() - 1;
    let Some(buffers) = &mut runtime.buffers else { return Turn::Ours };
    buffers.store(StoreEntry::release(event, word, lock));
    runtime.has_effect();
    if steps::are_taken(runtime) {
        let turn = steps::has_stored(runtime);
        note_buffers(runtime);
        return turn;
    }
    // A thread that stands before the lock may go on behind a commit.
    releases::waits(&mut runtime.execution.state);
    note_buffers(runtime);
    Turn::Ours
}

/// Whether the running thread has released the spin lock, and the release waits.
pub(crate) fn has_released(runtime: &Runtime, lock: Object) -> bool {
    let released = runtime.buffers.as_ref().and_then(|buffers| buffers.waiting().released(lock));
    released.is_some_and(|(thread, _)| thread == runtime.running)
}

/// Lets stores commit before the running thread tries the spin lock, behind its own stores: a release that waits in
/// another thread's buffer may commit first.
pub(crate) fn before_a_try(runtime: &mut Runtime, lock: Object) -> Turn {
    if steps::are_taken(runtime) {
        return Turn::Ours;
    }
    let thread = runtime.running;
    let Some(buffers) = &mut runtime.buffers else { return Turn::Ours };
    let word = buffers.waiting().released(lock).map(|(_, word)| word);
    buffers.oblige(|waiting| waiting.drain(thread));
    commit(runtime, before(thread, word.into_iter().collect()))
}

/// Lets threads that stand before a spin lock whose release waits go on behind its commit.
pub(crate) fn offer_locks(runtime: &mut Runtime) {
    if steps::are_taken(runtime) {
        return;
    }
    let Some(buffers) = &mut runtime.buffers else { return };
    for index in 0..runtime.threads.len() {
        let thread = Thread::from_index(index);
        if let Status::Arrived(Pending::Lock(lock)) = runtime.execution.state.threads.status(thread) {
            let waits = buffers.waiting().released(lock).is_some();
            buffers.owes(thread, waits.then_some(Owed::Lock(lock)));
            if waits {
                releases::offer(&mut runtime.execution.state, thread);
            }
        }
    }
}

/// Lets stores commit before these bytes end by the running thread's doing: its own stores to them are discarded, those
/// of others have to come before.
pub(crate) fn ends(runtime: &mut Runtime, ended: Range<usize>) -> Turn {
    let thread = runtime.running;
    let Some(buffers) = &mut runtime.buffers else { return Turn::Ours };
    if buffers.waiting().is_empty() {
        return Turn::Ours;
    }
    buffers.discard(&ended);
    if buffers.steps.is_some() || buffers.of_others(&ended).is_none() {
        return Turn::Ours;
    }
    commit(runtime, before(thread, vec![ended]))
}

/// Ends the execution as failed if a store of another thread to these bytes, which have ended, still waits: it is a use
/// of them.
pub(crate) fn late_use(runtime: &mut Runtime, ended: &Range<usize>) -> Turn {
    let Some(buffers) = &runtime.buffers else { return Turn::Ours };
    if buffers.steps.is_some() {
        // The commit of such a store is refused instead.
        return Turn::Ours;
    }
    let Some((which, entry)) = buffers.of_others(ended) else { return Turn::Ours };
    let (used, event) = (entry.range(), entry.event);
    let Some(failure) = misused(runtime, which.thread, event, &used) else { return Turn::Ours };
    runtime.conclusion.end = Some(End::Failed(failure));
    Turn::Other(Switch::End)
}

/// Returns the failure that the commit of a thread's store is, if the bytes may not be accessed; `event` is the index
/// of the store.
pub(crate) fn misused(runtime: &mut Runtime, thread: Thread, event: u32, used: &Range<usize>) -> Option<Failure> {
    let refusal = runtime.memory.refusal(used)?;
    let site = runtime.recorder.trail.note(event).map_or(std::ptr::null(), |note| note.site);
    let at = site_use(Role::At, thread, site, Operation::Store);
    let message = format!("{} of {} {}", Operation::Store, bytes(used.len()), refusal.what);
    Some(Failure::new(refusal.kind, message, [vec![at], refusal.others].concat()))
}

/// Whether the thread, whose reads from `since` on would be the same now, would read something else behind a commit of
/// another thread's. Then it may go on, but not before such a commit.
pub(crate) fn may_read_otherwise(runtime: &mut Runtime, thread: Thread, since: usize) -> bool {
    if steps::are_taken(runtime) {
        return false;
    }
    let seen = seen_since(runtime, thread, since);
    let Some(buffers) = &mut runtime.buffers else { return false };
    let may = seen.iter().any(|bytes| buffers.waiting().others_write(thread, bytes));
    buffers.owes(thread, may.then_some(Owed::Reads(since)));
    may
}

/// Returns the bytes that the thread has read, from this read on.
fn seen_since(runtime: &Runtime, thread: Thread, since: usize) -> Vec<Range<usize>> {
    let reads = runtime.threads.of(thread).reads[since..].iter();
    reads.filter(|read| read.width > 0).map(|read| read.thing().bytes()).collect()
}

/// Lets stores commit before the thread goes on, up to one that it has to wait for.
pub(crate) fn goes_on(runtime: &mut Runtime, thread: Thread) -> Turn {
    let Some(buffers) = &mut runtime.buffers else { return Turn::Ours };
    let (bytes, awaits) = match buffers.take_owed(thread) {
        None => return Turn::Ours,
        Some(Owed::Reads(since)) => (seen_since(runtime, thread, since), true),
        Some(Owed::Lock(lock)) => match buffers.waiting().released(lock) {
            None => return Turn::Ours,
            Some((releaser, _)) if releaser == thread => {
                buffers.oblige(|waiting| waiting.drain(thread));
                (Vec::new(), false)
            }
            Some((_, word)) => (vec![word], true),
        },
    };
    commit(runtime, Demand { thread: Some(thread), bytes, awaits })
}

/// Whether the thread would read the same again through its own buffer, from this one of its reads on.
pub(crate) fn reads_the_same(runtime: &mut Runtime, thread: Thread, since: usize) -> bool {
    let running = runtime.running;
    if let Some(buffers) = &mut runtime.buffers {
        buffers.show(thread);
    }
    let same = waits::reads_the_same(runtime, thread, since);
    if let Some(buffers) = &mut runtime.buffers {
        buffers.show(running);
    }
    same
}

/// Keeps the stores that wait behind the last event, for the trace.
pub(crate) fn note_buffers(runtime: &mut Runtime) {
    if let Some(buffers) = &runtime.buffers
        && runtime.recorder.trail.traces()
    {
        runtime.recorder.trail.waiting(buffers.events());
    }
}

/// Ends the life of the running thread's local variables but for the `depth` oldest ones, as `leave` does it.
pub(crate) fn leave(runtime: &mut Runtime, depth: usize, leave: impl FnOnce(&mut Runtime)) -> Turn {
    if runtime.buffers.as_ref().is_none_or(|buffers| buffers.waiting().is_empty()) {
        leave(runtime);
        return Turn::Ours;
    }
    let left = runtime.memory.locals.living(runtime.running, depth);
    for local in &left {
        let turn = ends(runtime, local.bytes.clone());
        if turn != Turn::Ours {
            return turn;
        }
    }
    leave(runtime);
    let late = left.iter().map(|local| late_use(runtime, &local.bytes)).find(|&turn| turn != Turn::Ours);
    late.unwrap_or(Turn::Ours)
}
