//! Wait loops that end (ARCHITECTURE.md, decision 6): an iteration that changes nothing blocks its thread until something
//! that it read is different.
//!
//! At each visit of a loop's header the pass says what the private state of the loop is: the values that enter the
//! header, and the private memory that the loop writes. If that is what it was at an earlier visit ([`engine::visits`]),
//! the rounds since then are an iteration without effect if the thread has left everything else as it was, too: memory,
//! mutexes and blocks of the heap may change in between, if they are changed back and no other thread has touched them
//! meanwhile. As long as all that the iteration read is the same, another one would do the same again. A store of the
//! value that was there already, as a test-and-set of a held lock makes, is no change.
//!
//! Two wait loops may read each other's passing changes: a thread that tries a mutex until it is held, where another
//! one locks and unlocks it in its own wait. So if all threads wait, those whose iterations change something in passing
//! that another one reads go round for ever ([`crate::schedule::wakes::wake_waiting`]).

use engine::event::{Kind, Object, Thread};
use engine::step::Iteration;

use crate::process::layout;
use crate::run::Runtime;
use crate::state::access::{Access, WideAccess};
use crate::state::locals::Liveness;
use crate::state::operation::words;
use crate::state::waits::{Change, MOST_CHANGES, Mark, Read, Round, Thing, held};

/// The knowledge of an object that an operation gives its thread.
#[derive(Clone, Copy)]
pub(crate) enum Looks {
    /// The operation tells nothing: it happens in one state of the object only, and is waited for.
    Alike,
    /// The operation tells this value of [`engine::execution::Objects::seen`].
    Like(u64),
}

/// What a round of a loop has left behind.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// Everything is as it was, and nobody has seen what was different meanwhile.
    Nothing,
    /// Everything is as it was, but these events of other threads have seen what was different meanwhile.
    Seen(Vec<u32>),
    /// Something is different.
    Something,
}

/// Returns the events that saw some of the changes: `touches` tells which events touched a thing between two events.
fn seen_among(changes: &[&Change], touches: impl Fn(Thing, u32, u32) -> Vec<u32>) -> Vec<u32> {
    let seen = changes.iter().enumerate().flat_map(|(index, change)| {
        let original = changes.iter().find(|first| first.thing.overlaps(change.thing)).map(|first| first.before);
        let next = changes[index + 1..].iter().find(|later| later.thing == change.thing);
        let until = next.map_or(u32::MAX, |later| later.event);
        if original == Some(change.after) { Vec::new() } else { touches(change.thing, change.event, until) }
    });
    seen.collect()
}

/// Returns what the running thread has done by now.
pub(crate) fn mark(runtime: &mut Runtime) -> Mark {
    let (blocks, used) = runtime.memory.heap.extent(runtime.running);
    let moment = runtime.execution.history.length();
    let state = runtime.threads.at(runtime.running);
    Mark {
        reads: state.reads.len(),
        changes: state.changes.len(),
        events: state.events,
        moment,
        effects: state.effects,
        blocks,
        used,
        frees: state.frees,
        in_vain: state.waits_in_vain,
        gone_past: 0,
        in_idle: false,
    }
}

/// Returns what the running thread has left behind in this round.
pub(crate) fn leaves(runtime: &Runtime, round: &Round) -> Leaves {
    let begin = &round.begin;
    let state = runtime.threads.of(runtime.running);
    let changes = &state.changes[begin.changes..];
    if changes.len() > MOST_CHANGES
        || state.effects != begin.effects
        || !runtime.memory.heap.has_freed_since(runtime.running, begin.blocks, state.frees - begin.frees)
    {
        return Leaves::Something;
    }
    let (passing, changes): (Vec<&Change>, Vec<&Change>) =
        changes.iter().partition(|change| is_gone(runtime, change.thing, round));
    let has_passing = !passing.is_empty() || !blocks_since(runtime, begin).is_empty();
    if !are_restored(&changes) || !are_undisturbed(&changes, &state.reads[begin.reads..]) {
        return Leaves::Something;
    }
    let mut seen = seen_among(&changes, |thing, from, to| touches(runtime, thing, from, to));
    if has_passing {
        seen.extend(others_touch(runtime, begin.moment, |thing| is_gone(runtime, thing, round)));
    }
    if seen.is_empty() { Leaves::Nothing } else { Leaves::Seen(seen) }
}

/// Whether all that the running thread has changed since are mutexes that nobody holds or that are as they were.
pub(crate) fn has_only_passed_mutexes(runtime: &Runtime, since: &Mark) -> bool {
    let changes = &runtime.threads.of(runtime.running).changes[since.changes..];
    changes.iter().enumerate().all(|(index, change)| {
        let is_first = !changes[..index].iter().any(|earlier| earlier.thing == change.thing);
        change.thing.width == 0 && (!is_first || [0, change.before].contains(&object_state(runtime, change.thing)))
    })
}

/// Returns the addresses of the blocks that the running thread has allocated since.
fn blocks_since(runtime: &Runtime, begin: &Mark) -> std::ops::Range<usize> {
    let start = layout::arena(runtime.running);
    let (_, used) = runtime.memory.heap.extent(runtime.running);
    start + begin.used..start + used
}

/// Whether the bytes came into being in the running thread's round and are no more: in a block allocated since, or in a
/// local variable of a function that was called and has returned. The next round makes them anew.
pub(crate) fn is_gone(runtime: &Runtime, thing: Thing, round: &Round) -> bool {
    if thing.width == 0 {
        return false;
    }
    let frames = layout::stack(runtime.running)..round.frame;
    let is_living =
        || matches!(runtime.memory.locals.find(runtime.running, thing.address), Some((_, Liveness::Living)));
    blocks_since(runtime, &round.begin).contains(&thing.address) || (frames.contains(&thing.address) && !is_living())
}

/// Whether a thread has left everything as it was before these changes of its own. What others have made of it since does not matter:
/// they may as well come later.
pub(crate) fn are_restored(changes: &[&Change]) -> bool {
    changes.iter().enumerate().all(|(index, change)| {
        let mut earlier = changes[..index].iter().filter(|earlier| earlier.thing.overlaps(change.thing));
        match earlier.next() {
            None => {
                changes.iter().rfind(|later| later.thing == change.thing).map(|last| last.after) == Some(change.before)
            }
            // This change is undone with the first one, if that was one of the same bytes.
            Some(first) => first.thing == change.thing,
        }
    })
}

/// Whether a thread has found everything that it has changed as its last change had left it: others have written nothing there, in a
/// round of these changes and reads, that it has read or overwritten.
fn are_undisturbed(changes: &[&Change], reads: &[Read]) -> bool {
    let left = |event: u32, thing: Thing| {
        changes.iter().rfind(move |change| change.event < event && change.thing.overlaps(thing))
    };
    let has_left = |event: u32, found: Thing, value: u64| {
        let bytes = value.to_le_bytes();
        found.bytes().zip(bytes).all(|(address, byte)| {
            let last = left(event, Thing { address, width: 1 });
            last.is_none_or(|last| last.after.to_le_bytes()[address - last.thing.address] == byte)
        })
    };
    let as_left = |change: &&Change| match change.thing.width {
        0 => left(change.event, change.thing).is_none_or(|last| last.after == change.before),
        _ => has_left(change.event, change.thing, change.before),
    };
    changes.iter().all(as_left) && reads.iter().all(|read| has_left(read.event, read.thing(), read.value))
}

/// Returns what the byte held before the first of the changes of it, if there is one.
fn original(changes: &[Change], address: usize) -> Option<u8> {
    let byte = Thing { address, width: 1 };
    let first = changes.iter().find(|change| change.thing.overlaps(byte))?;
    Some(first.before.to_le_bytes()[address - first.thing.address])
}

/// Returns the state of a mutex, as changes record it.
fn object_state(runtime: &Runtime, thing: Thing) -> u64 {
    runtime.execution.state.objects.mutex_state(Object(thing.address as u32))
}

/// Returns the events between two events by which other threads have read or changed the thing.
fn touches(runtime: &Runtime, thing: Thing, from: u32, to: u32) -> Vec<u32> {
    let touching = others(runtime).flat_map(|other| {
        let reads = other.reads.iter().rev().take_while(|read| read.event > from);
        let changes = other.changes.iter().rev().take_while(|change| change.event > from);
        let reads = reads.filter(|read| read.thing().overlaps(thing)).map(|read| read.event);
        reads.chain(changes.filter(|change| change.thing.overlaps(thing)).map(|change| change.event))
    });
    touching.filter(|&event| event < to).collect()
}

/// Returns the events, from this one on, by which other threads have read or changed such a thing, and those by which they have read
/// one for whose change they wait.
fn others_touch(runtime: &Runtime, since: u32, which: impl Fn(Thing) -> bool) -> Vec<u32> {
    let touching = others(runtime).flat_map(|other| {
        let awaited = if other.waits { &other.reads[other.waits_for..] } else { &[] };
        let reads = other.reads.iter().rev().take_while(|read| read.event >= since);
        let changes = other.changes.iter().rev().take_while(|change| change.event >= since);
        let reads = awaited.iter().chain(reads).filter(|read| which(read.thing())).map(|read| read.event);
        reads.chain(changes.filter(|change| which(change.thing)).map(|change| change.event))
    });
    touching.collect()
}

/// Returns the states of all threads but the running one.
pub(crate) fn others(runtime: &Runtime) -> impl Iterator<Item = &crate::state::threads::ThreadState> {
    let threads = (0..runtime.threads.len()).map(Thread::from_index).filter(|&thread| thread != runtime.running);
    threads.map(|thread| runtime.threads.of(thread))
}

/// Forgets the changes of the running thread's iteration, which has had no effect, and makes its reads of its own
/// changes those of what was there when it began.
pub(crate) fn forget_changes(runtime: &mut Runtime, round: &Round) {
    let begin = &round.begin;
    let thread = runtime.running;
    let state = runtime.threads.at(thread);
    let changes: Vec<Change> = state.changes.drain(begin.changes..).collect();
    let tail: Vec<Read> = state.reads.drain(begin.reads..).collect();
    state.passing.clear();
    let mut reads: Vec<Read> = tail.into_iter().filter(|read| !is_gone(runtime, read.thing(), round)).collect();
    let changes: Vec<Change> = changes.into_iter().filter(|change| !is_gone(runtime, change.thing, round)).collect();
    for index in 0..reads.len() {
        let Read { address, width, value, .. } = reads[index];
        reads[index].value = if width == 0 {
            let change = changes.iter().find(|change| change.thing == reads[index].thing());
            change.map_or(value, |change| first_look(runtime, &reads, change))
        } else {
            let mut bytes = value.to_le_bytes();
            for (offset, address) in (address..address + usize::from(width)).enumerate() {
                bytes[offset] = original(&changes, address).unwrap_or(bytes[offset]);
            }
            u64::from_le_bytes(bytes)
        };
    }
    // Once others have written there, the same stores would have an effect.
    let is_first = |&(index, change): &(usize, &Change)| {
        change.thing.width > 0 && !changes[..index].iter().any(|earlier| earlier.thing == change.thing)
    };
    reads.extend(changes.iter().enumerate().filter(is_first).map(|(_, change)| Read {
        address: change.thing.address,
        width: change.thing.width,
        value: change.before,
        event: change.event,
    }));
    let (frees, effects) = (begin.frees, begin.effects);
    let state = runtime.threads.at(thread);
    state.reads.extend(reads);
    state.passing.extend(changes.iter().map(|change| change.thing));
    (state.frees, state.effects) = (frees, effects);
    runtime.memory.heap.forget_since(thread, begin.blocks, begin.used);
}

/// Returns what the object that the running thread changed first like this, and has left as it was, looks like to it: as it did before, or,
/// if it did not look, as it does now.
fn first_look(runtime: &Runtime, reads: &[Read], change: &Change) -> u64 {
    let before = reads.iter().find(|read| read.thing() == change.thing && read.event <= change.event);
    let now = || runtime.execution.state.objects.seen(Object(change.thing.address as u32), runtime.running);
    before.map_or_else(now, |read| read.value)
}

/// Returns the last `events` events of the thread as an iteration.
pub(crate) fn last_events(runtime: &Runtime, thread: Thread, events: u64) -> Option<Iteration> {
    let events = u32::try_from(events).ok().filter(|&events| events > 0)?;
    let steps = runtime.execution.history.steps();
    let mut own = (0..steps.len()).rev().filter(|&index| steps[index].thread == thread).map(|index| index as u32);
    let last = own.next()?;
    let first = if events == 1 { last } else { own.nth(events as usize - 2)? };
    Some(Iteration { first, last, events })
}

/// Notes an access of the running thread for wait loops: that it is an event, what it reads, and what it changes.
#[inline(always)]
pub(crate) fn note_for_waits(runtime: &mut Runtime, access: &Access) {
    let event = runtime.execution.history.length();
    let state = runtime.threads.at(runtime.running);
    state.events += 1;
    let &Access { address, width, before, after, .. } = access;
    // A store that changes nothing would change something once others have changed its bytes.
    if access.kind != Kind::Store || before == after {
        state.reads.push(Read { address, value: before, event, width });
    }
    if before != after {
        state.changes.push(Change { thing: Thing { address, width }, before, after, event });
        runtime.memory.globals.writes(address, width, before);
    }
}

/// Notes an operation on an object that the running thread is about to perform, by the object's state before it.
pub(crate) fn note_object(runtime: &mut Runtime, object: Object, before: u64, looks: Looks) {
    let after = runtime.execution.state.objects.mutex_state(object);
    let event = runtime.execution.history.length();
    let state = runtime.threads.at(runtime.running);
    if let Looks::Like(value) = looks {
        state.reads.push(Read { address: object.index(), value, event, width: 0 });
    }
    if before != after {
        state.changes.push(Change { thing: Thing::object(object), before, after, event });
    }
}

/// Notes that the running thread is about to read the state of an object that is no mutex, and to leave it as it is.
pub(crate) fn looks_at(runtime: &mut Runtime, object: Object) {
    let (value, event) =
        (runtime.execution.state.objects.seen(object, runtime.running), runtime.execution.history.length());
    let reads = &mut runtime.threads.at(runtime.running).reads;
    reads.push(Read { address: object.index(), value, event, width: 0 });
}

/// Forgets what the running thread has done since this mark, which was without effect.
pub(crate) fn has_done_nothing(runtime: &mut Runtime, since: Option<Mark>) {
    let Some(since) = since else { return };
    let state = runtime.threads.at(runtime.running);
    state.effects = since.effects;
    state.changes.truncate(since.changes);
}

/// Notes that the running thread has read these bytes.
pub(crate) fn reads(runtime: &mut Runtime, address: usize, width: u8, value: u64) {
    let event = runtime.execution.history.length();
    runtime.threads.at(runtime.running).reads.push(Read { address, value, event, width });
}

/// Whether the thread would read the same again, from this one of its reads on.
pub(crate) fn reads_the_same(runtime: &Runtime, thread: Thread, since: usize) -> bool {
    runtime.threads.of(thread).reads[since..].iter().all(|read| match read.width {
        0 => runtime.execution.state.objects.seen(Object(read.address as u32), thread) == read.value,
        _ => held(read.thing()) == read.value,
    })
}

/// Notes an access to any number of bytes for wait loops, in one piece or several; [`note_for_waits`] is for one of up
/// to eight bytes.
pub(crate) fn note_wide_for_waits(runtime: &mut Runtime, pieces: &[WideAccess<'_>]) {
    runtime.threads.at(runtime.running).events += 1;
    pieces.iter().for_each(|piece| note_piece_for_waits(runtime, piece));
}

/// Notes one piece of an access, in words of eight bytes.
fn note_piece_for_waits(runtime: &mut Runtime, access: &WideAccess<'_>) {
    let event = runtime.execution.history.length();
    let changes = access.before != access.after;
    let state = runtime.threads.at(runtime.running);
    for (index, (before, after)) in words(access.before).zip(words(access.after)).enumerate() {
        let (address, width) = (access.address + 8 * index, (access.before.len() - 8 * index).min(8) as u8);
        if access.kind != Kind::Store || !changes {
            state.reads.push(Read { address, value: before, event, width });
        }
        if changes {
            state.changes.push(Change { thing: Thing { address, width }, before, after, event });
            runtime.memory.globals.writes(address, width, before);
        }
    }
}

/// Returns the event by which the thread came to hold the object.
pub(crate) fn acquired(runtime: &Runtime, holder: Thread, object: Object) -> Option<u32> {
    let thing = Thing::object(object);
    let changes = || runtime.threads.of(holder).changes.iter().rev().filter(|change| change.thing == thing);
    let mutex = changes().find(|change| change.before == 0).or_else(|| changes().next()).map(|change| change.event);
    let other = || runtime.threads.of(holder).holds.iter().find(|&&(held, _)| held == object).map(|&(_, event)| event);
    mutex.or_else(other)
}

/// Notes that the running thread's next event is the one by which it comes to hold the object, which is no mutex.
pub(crate) fn takes_hold(runtime: &mut Runtime, object: Object) {
    let event = runtime.execution.history.length();
    runtime.threads.at(runtime.running).holds.push((object, event));
}

/// Notes that the running thread holds the object no longer, or one time less.
pub(crate) fn lets_go(runtime: &mut Runtime, object: Object) {
    let holds = &mut runtime.threads.at(runtime.running).holds;
    if let Some(last) = holds.iter().rposition(|&(held, _)| held == object) {
        holds.remove(last);
    }
}
