//! Events: what a thread has done, passed on to the explorer, the monitors and the record.

use std::ops::Range;

use engine::event::{self, Barrier, Event, Kind, Location, Object};
use engine::explore::{Notice, Values};
use engine::mapping::calls::Effect;
use engine::mapping::{self, Barriers, Order};
use engine::step::Step;
use protocol::{Explorer, FailureKind, Operation};

use crate::graph::accesses;
use crate::process::fiber::Switch;
use crate::process::sites::RecordPointer;
use crate::process::ticks;
use crate::run::{Runtime, with};
use crate::schedule::diverging::diverges;
use crate::schedule::{commits, steps, waits};
use crate::state::access::{Access, WideAccess};
use crate::state::operation::{Detail, Note};
use crate::state::shadow::Cut;
use crate::state::turn::{End, Turn, Way};

/// Reports an access that the running thread has performed.
#[inline(always)]
pub(crate) fn access(runtime: &mut Runtime, access: Access) -> Turn {
    if runtime.buffers.is_some() {
        // This is a copy of its own, as below.
        return buffered(runtime, &Access { ..access });
    }
    unbuffered(runtime, access)
}

/// Reports an access on a machine with store buffers.
#[cold]
#[inline(never)]
fn buffered(runtime: &mut Runtime, access: &Access) -> Turn {
    let reported =
        if steps::puts_off(runtime, access.kind) { put_off(runtime, access) } else { unbuffered(runtime, *access) };
    match reported {
        Turn::Ours => commits::performed(runtime, access),
        turn => turn,
    }
}

/// Reports a store whose commit will be an event of its own: to the explorer it touches nothing.
fn put_off(runtime: &mut Runtime, access: &Access) -> Turn {
    if runtime.recorder.trail.traces()
        && let Some(turn) = trace_access(runtime, access)
    {
        return turn;
    }
    waits::note_for_waits(runtime, access);
    locate_narrow(runtime, access)
}
/// Reports an access, without store buffers.
#[inline(always)]
fn unbuffered(runtime: &mut Runtime, access: Access) -> Turn {
    if runtime.recorder.trail.traces()
        && let Some(turn) = trace_access(runtime, &access)
    {
        return turn;
    }
    waits::note_for_waits(runtime, &access);
    let Access { address, width, kind, barriers, operation, site, before, after, expected } = access;
    let note = Note { site, operation };
    let values = Values::Known { before, after, expected };
    match runtime.memory.shadow.known(address, width) {
        Some(location) => event(runtime, kind, barriers, note, address, &[location], values),
        // This is a copy of its own: one that lived from the start would keep the fields out of registers.
        None => locate_narrow(runtime, &Access { ..access }),
    }
}

/// Keeps what a trace needs of an access; for an execution graph, which needs no more, it records the access and
/// returns the turn.
#[cold]
#[inline(never)]
fn trace_access(runtime: &mut Runtime, access: &Access) -> Option<Turn> {
    if runtime.way == Way::Alone {
        return Some(accesses::record_in_graph(runtime, access));
    }
    let &Access { address, width, before, after, .. } = access;
    runtime.recorder.trail.detail(Detail { address, width: width.into(), before, after, ..Detail::default() });
    None
}

/// Reports an access of at most 8 bytes to a new location or to several.
#[cold]
fn locate_narrow(runtime: &mut Runtime, access: &Access) -> Turn {
    let &Access { address, width, kind, barriers, operation, site, before, after, .. } = access;
    let (before, after) = (before.to_le_bytes(), after.to_le_bytes());
    let (before, after) = (&before[..usize::from(width)], &after[..usize::from(width)]);
    locate(runtime, &WideAccess { address, kind, barriers, operation, site, before, after })
}

/// Reports an access of any number of bytes, at locations that have to be looked up.
fn locate(runtime: &mut Runtime, access: &WideAccess<'_>) -> Turn {
    if steps::puts_off(runtime, access.kind) && has_ended(runtime, access) {
        return locate_ended(runtime, access);
    }
    if let Some(failure) = runtime.memory.refuse(runtime.running, access) {
        if runtime.settings.explorer == Explorer::Dpor {
            note_refused(runtime, access);
        }
        runtime.conclusion.end = Some(End::Failed(failure));
        return Turn::Other(Switch::End);
    }
    let &WideAccess { address, kind, barriers, operation, site, before, .. } = access;
    let (width, note) = (before.len(), Note { site, operation });
    let mut locations = std::mem::take(&mut runtime.locations);
    if runtime.memory.shadow.locate(address, width, &mut locations) == Cut::Yes {
        runtime.conclusion.void = true;
    }
    let turn = event_in_order(runtime, kind, barriers, note, address, &mut locations);
    runtime.locations = locations;
    turn
}

/// Whether the access is to memory that has ended: whether the end or the commit comes first is seen at the commit.
fn has_ended(runtime: &Runtime, access: &WideAccess<'_>) -> bool {
    let refusal = runtime.memory.refusal(&(access.address..access.address + access.before.len()));
    refusal.is_some_and(|refusal| refusal.kind == FailureKind::UseAfterFree)
}

/// Reports a store, as [`locate`] does, to memory that has ended: the next access to it has to be refused, too.
fn locate_ended(runtime: &mut Runtime, access: &WideAccess<'_>) -> Turn {
    let &WideAccess { address, kind, barriers, operation, site, before, .. } = access;
    let known = runtime.memory.shadow.locations();
    let mut locations = std::mem::take(&mut runtime.locations);
    let cut = runtime.memory.shadow.locate(address, before.len(), &mut locations);
    runtime.conclusion.void |= cut == Cut::Yes || runtime.memory.shadow.locations() > known;
    runtime.memory.shadow.hide(address..address + before.len());
    drop(runtime.memory.shadow.take_hidden());
    let turn = event_in_order(runtime, kind, barriers, Note { site, operation }, address, &mut locations);
    runtime.locations = locations;
    turn
}

/// Adds an event on locations to the execution. The explorer gets them in the order of their addresses, in which they
/// stand here, which is the same in every process; the monitors get them in that of their numbers.
fn event_in_order(
    runtime: &mut Runtime,
    kind: Kind,
    barriers: Barriers,
    note: Note,
    address: usize,
    locations: &mut Vec<Location>,
) -> Turn {
    if steps::puts_off(runtime, kind) {
        let places = Places { address, locations: &[], explored: &[] };
        return event_on(runtime, kind, barriers, note, places, Values::Unknown);
    }
    if runtime.settings.explorer != Explorer::Dpor || locations.len() < 2 {
        locations.sort_unstable();
        return event(runtime, kind, barriers, note, address, locations, Values::Unknown);
    }
    let explored = locations.clone();
    tell_where(runtime, &explored);
    locations.sort_unstable();
    let places = Places { address, locations, explored: &explored };
    event_on(runtime, kind, barriers, note, places, Values::Unknown)
}

/// Reports an indivisible access to any number of bytes that the running thread has performed.
#[cold]
pub(crate) fn wide_access(runtime: &mut Runtime, access: &WideAccess<'_>) -> Turn {
    waits::note_wide_for_waits(runtime, std::slice::from_ref(access));
    if runtime.recorder.trail.traces() {
        runtime.recorder.trail.detail(Detail::wide(access.address, access.before, access.after));
    }
    locate(runtime, access)
}

/// Reports an indivisible access of one kind to several pieces of memory, at least one, that the running thread is
/// about to perform. Traces show the first of them.
#[cold]
pub(crate) fn scattered_access(runtime: &mut Runtime, pieces: &[WideAccess<'_>]) -> Turn {
    waits::note_wide_for_waits(runtime, pieces);
    let &WideAccess { address, kind, barriers, operation, site, before, after } = &pieces[0];
    if runtime.recorder.trail.traces() {
        runtime.recorder.trail.detail(Detail::wide(address, before, after));
    }
    for piece in pieces {
        if let Some(failure) = runtime.memory.refuse(runtime.running, piece) {
            if runtime.settings.explorer == Explorer::Dpor {
                note_refused(runtime, piece);
            }
            runtime.conclusion.end = Some(End::Failed(failure));
            return Turn::Other(Switch::End);
        }
    }
    let (mut all, mut some) = (Vec::new(), Vec::new());
    for piece in pieces {
        runtime.conclusion.void |=
            runtime.memory.shadow.locate(piece.address, piece.before.len(), &mut some) == Cut::Yes;
        all.append(&mut some);
    }
    event::make_distinct(&mut all);
    event_in_order(runtime, kind, barriers, Note { site, operation }, address, &mut all)
}

/// Adds an access that failed to the execution, so that the explorer knows what it conflicts with. The monitors are
/// told of an event that means nothing to them.
fn note_refused(runtime: &mut Runtime, access: &WideAccess<'_>) {
    let &WideAccess { address, kind, operation, site, before, .. } = access;
    let known = runtime.memory.shadow.locations();
    let mut locations = Vec::new();
    let cut = runtime.memory.shadow.locate(address, before.len(), &mut locations);
    // Bytes that were hidden before this access was known have to be hidden once more.
    runtime.conclusion.void |= cut == Cut::Yes || runtime.memory.shadow.locations() > known;
    // These bytes may be nobody's: the next access to them has to be refused, too.
    runtime.memory.shadow.hide(address..address + before.len());
    drop(runtime.memory.shadow.take_hidden());
    let detail = Detail { address, width: before.len() as u32, ..Detail::default() };
    note_failed(runtime, kind, &locations, Note { site, operation }, detail);
}

/// Adds an operation on an object in memory that may not be accessed to the execution, as [`note_refused`] does an
/// access.
pub(crate) fn note_refused_operation(runtime: &mut Runtime, kind: Kind, note: Note, address: usize) {
    if runtime.settings.explorer != Explorer::Dpor {
        return;
    }
    note_failed(runtime, kind, &[], note, Detail { address, ..Detail::default() });
}

/// Adds an event that failed to the execution and, if there is one, to the trace.
fn note_failed(runtime: &mut Runtime, kind: Kind, locations: &[Location], note: Note, detail: Detail) {
    let target = locations.first().map_or(0, |location| location.0);
    let (thread, site) = (runtime.running, runtime.sites.site(note.site));
    tell_where(runtime, locations);
    let repeats = runtime.execution.history.repeats();
    let performed = runtime.execution.performed(Step { thread, site, kind, target }, locations, Values::Unknown);
    if performed.is_ok() && !repeats {
        runtime.recorder.trail.event(note);
    }
    let event = Event { thread, site, kind: Kind::Fence, before: Barrier::None, after: Barrier::None, order: None };
    if runtime.execution.history.length() > runtime.watch.watched {
        for monitor in &mut runtime.watch.monitors {
            monitor.event(&event, &[], &mut runtime.watch.reports);
        }
    }
    if runtime.recorder.trail.traces() {
        runtime.recorder.trail.detail(detail);
        runtime.recorder.trail.buffers(&mut runtime.watch.monitors);
    }
}

/// Reports an operation on an object or a thread. `object` is the address of the object, or 0.
pub(crate) fn no_access(
    runtime: &mut Runtime,
    kind: Kind,
    before: Barrier,
    operation: Operation,
    site: RecordPointer,
    object: usize,
) -> Turn {
    runtime.has_effect();
    unlasting(runtime, kind, before, operation, site, object)
}

/// Reports an event that is no access and has no effect but the changes of objects that were noted.
pub(crate) fn unlasting(
    runtime: &mut Runtime,
    kind: Kind,
    before: Barrier,
    operation: Operation,
    site: RecordPointer,
    object: usize,
) -> Turn {
    runtime.threads.at(runtime.running).events += 1;
    if runtime.recorder.trail.traces() {
        runtime.recorder.trail.detail(Detail { address: object, ..Detail::default() });
    }
    // An attempt that failed synchronises with nothing.
    let order = if operation.gets_nothing() { Order::Relaxed } else { Order::AcquireRelease };
    let barriers = Barriers { before, after: Barrier::None, order: Some(order), ..Barriers::NONE };
    let turn = event(runtime, kind, barriers, Note { site, operation }, object, &[], Values::Unknown);
    settled(runtime, turn, barriers)
}

/// Returns the turn after an event that is no access, once its barriers have ordered the stores that wait.
fn settled(runtime: &mut Runtime, turn: Turn, barriers: Barriers) -> Turn {
    if runtime.buffers.is_some() && turn == Turn::Ours { commits::ordered(runtime, barriers) } else { turn }
}

/// Reports a fence.
pub(crate) fn fence(runtime: &mut Runtime, barrier: Barrier, order: Order, site: RecordPointer) -> Turn {
    runtime.threads.at(runtime.running).events += 1;
    if runtime.recorder.trail.traces() {
        runtime.recorder.trail.detail(Detail::default());
    }
    let barriers = Barriers { before: barrier, after: Barrier::None, order: Some(order), ..Barriers::NONE };
    let note = Note { site, operation: Operation::Fence };
    let turn = event(runtime, Kind::Fence, barriers, note, 0, &[], Values::Unknown);
    settled(runtime, turn, barriers)
}

/// Reports an event on several pieces of memory, one of which is outside of the program's memory, with full fences on
/// both sides.
pub(crate) fn queue_event(
    runtime: &mut Runtime,
    pieces: &[(usize, u8)],
    kind: Kind,
    note: Note,
    detail: Detail,
) -> Turn {
    let state = runtime.threads.at(runtime.running);
    state.events += 1;
    state.effects += 1;
    if runtime.recorder.trail.traces() {
        runtime.recorder.trail.detail(Detail { pieces: pieces.to_vec(), ..detail });
    }
    let (mut all, mut some, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    for &(address, width) in pieces {
        if runtime.memory.shadow.locate(address, width.into(), &mut some) == Cut::Yes {
            runtime.conclusion.void = true;
        }
        if address & QUEUE == 0 {
            memory.extend_from_slice(&some);
        }
        all.append(&mut some);
    }
    event::make_distinct(&mut memory);
    all.sort_unstable();
    all.dedup();
    let order = Some(Order::SequentiallyConsistent);
    let barriers = Barriers { before: Barrier::Full, after: Barrier::Full, order, ..Barriers::NONE };
    let address = pieces.first().map_or(0, |&(address, _)| address);
    if runtime.settings.explorer == Explorer::Dpor {
        // To the explorer the queue is an object.
        tell_where(runtime, &memory);
        let places = Places { address, locations: &all, explored: &memory };
        return event_on(runtime, kind, barriers, note, places, Values::Unknown);
    }
    let turn = event(runtime, kind, barriers, note, address, &all, Values::Unknown);
    settled(runtime, turn, barriers)
}

/// Reports an access to the word of an object, which is a location of its own, since the program's memory does not show
/// how the object's state is kept.
pub(crate) fn word_event(
    runtime: &mut Runtime,
    kind: Kind,
    object: Object,
    effect: Effect,
    note: Note,
    address: usize,
) -> Turn {
    runtime.threads.at(runtime.running).events += 1;
    let word = address | QUEUE;
    if runtime.recorder.trail.traces() {
        runtime.recorder.trail.detail(Detail { address, pieces: vec![(word, 1)], ..Detail::default() });
    }
    let is_put_off = steps::puts_off(runtime, kind);
    if !matches!(kind, Kind::Await(_)) && !is_put_off {
        runtime.execution.at_hand.touches(object);
    }
    let mut locations = Vec::new();
    runtime.conclusion.void |= runtime.memory.shadow.locate(word, 1, &mut locations) == Cut::Yes;
    let after = if effect.drains() { Barrier::Full } else { Barrier::None };
    let barriers = Barriers { before: effect.before(), after, order: Some(effect.order()), ..Barriers::NONE };
    // To the explorer the word is the object.
    let explored: &[Location] = if runtime.settings.explorer == Explorer::Dpor { &[] } else { &locations };
    let places = Places { address, locations: &locations, explored };
    let turn = event_on(runtime, kind, barriers, note, places, Values::Unknown);
    let turn = settled(runtime, turn, barriers);
    if turn == Turn::Ours && kind == Kind::Store { commits::releases(runtime, object, word) } else { turn }
}

/// Adds an event on an address, or 0, to the execution.
#[inline(always)]
fn event(
    runtime: &mut Runtime,
    kind: Kind,
    barriers: Barriers,
    note: Note,
    address: usize,
    locations: &[Location],
    values: Values,
) -> Turn {
    event_on(runtime, kind, barriers, note, Places { address, locations, explored: locations }, values)
}

/// Adds an event on these places to the execution. The monitors come last: little has to be kept in registers over
/// their call.
#[inline(always)]
fn event_on(
    runtime: &mut Runtime,
    kind: Kind,
    barriers: Barriers,
    note: Note,
    places: Places<'_>,
    values: Values,
) -> Turn {
    let Places { address, locations, explored } = places;
    ticks::progress();
    let site = runtime.sites.site(note.site);
    let thread = runtime.running;
    let target = address as u32 & runtime.lasting_addresses;
    if let Some(turn) = take(runtime, Step { thread, site, kind, target }, explored, values, note) {
        return turn;
    }
    if runtime.execution.history.length() <= runtime.watch.watched {
        return Turn::Ours;
    }
    let (kind, barriers) = if runtime.way == Way::Within { interlocked(kind, barriers) } else { (kind, barriers) };
    let Barriers { before, after, order, .. } = barriers;
    let event = Event { thread, site, kind, before, after, order };
    for monitor in &mut runtime.watch.monitors {
        monitor.event(&event, locations, &mut runtime.watch.reports);
    }
    if runtime.recorder.trail.traces() {
        runtime.recorder.trail.performed(event, locations.len(), &mut runtime.watch.monitors, note);
    }
    Turn::Ours
}

/// Lets the explorer take an event, and notes its place where the last execution had none there. Returns the end of the execution
/// if it is not the event that the explorer repeats.
#[inline(always)]
pub(crate) fn take(
    runtime: &mut Runtime,
    step: Step,
    explored: &[Location],
    values: Values,
    note: Note,
) -> Option<Turn> {
    let repeats = runtime.execution.history.repeats();
    let performed = runtime.execution.performed(step, explored, values);
    if !repeats {
        runtime.recorder.trail.event(note);
    } else if performed.is_err() {
        let turn = diverges(runtime);
        runtime.recorder.trail.event(note);
        return Some(turn);
    }
    None
}

/// Tells the explorer the addresses of the locations that the next event touches together.
pub(crate) fn tell_where(runtime: &mut Runtime, explored: &[Location]) {
    for &location in explored {
        let address = runtime.memory.shadow.lasting_address_of(location);
        runtime.execution.notify(Notice::Lies { location, address });
    }
}

/// Adds a step of the running thread to the execution that concerns whoever touches these locations or objects, if such
/// steps are events. The monitors are told of an event that means nothing to them.
pub(crate) fn concerns(
    runtime: &mut Runtime,
    locations: &[Location],
    objects: &[Object],
    note: Note,
    address: usize,
) -> Turn {
    if runtime.steps_aside() { step(runtime, locations, objects, note, address) } else { Turn::Ours }
}

/// Adds a step of the running thread to the execution, under every explorer, that concerns whoever operates on this
/// object.
pub(crate) fn steps_on(runtime: &mut Runtime, object: Object, note: Note, address: usize) -> Turn {
    step(runtime, &[], &[object], note, address)
}

/// Adds a step of the running thread to the execution, which touches these locations and concerns these objects.
fn step(runtime: &mut Runtime, locations: &[Location], objects: &[Object], note: Note, address: usize) -> Turn {
    runtime.threads.at(runtime.running).events += 1;
    if runtime.recorder.trail.traces() {
        runtime.recorder.trail.detail(Detail { address, ..Detail::default() });
    }
    runtime.execution.at_hand.concerns(objects);
    tell_where(runtime, locations);
    let barriers = Barriers::NONE;
    let places = Places { address, locations: &[], explored: locations };
    let turn = event_on(runtime, Kind::Fence, barriers, note, places, Values::Unknown);
    settled(runtime, turn, barriers)
}

/// Whether the running thread leaves local variables that others may know of, all but the `depth` oldest ones, by a
/// step of its own.
pub(crate) fn leaves_aside(runtime: &Runtime, depth: usize) -> bool {
    runtime.steps_aside() && runtime.memory.locals.depth(runtime.running) > depth
}

/// Ends the life of the running thread's local variables but for the `depth` oldest ones.
pub(crate) fn leave_locals(runtime: &mut Runtime, depth: usize) -> Turn {
    let aside = leaves_aside(runtime, depth);
    let turn = commits::leave(runtime, depth, |runtime| {
        runtime.memory.locals.leave(runtime.running, depth, &mut runtime.memory.shadow);
    });
    if turn != Turn::Ours {
        return turn;
    }
    let hidden = runtime.memory.shadow.take_hidden();
    let note = Note { site: runtime.threads.stands_at(runtime.running), operation: Operation::Leave };
    if aside { concerns(runtime, &hidden, &[], note, 0) } else { Turn::Ours }
}

/// Reports that the block with these bytes, in which these objects were, was freed, or was to be freed once more.
pub(crate) fn freed(runtime: &mut Runtime, block: Range<usize>, objects: &[Object], site: RecordPointer) -> Turn {
    let (address, mut hidden) = (block.start, runtime.memory.shadow.take_hidden());
    if hidden.is_empty() && runtime.steps_aside() {
        // A thread that frees it once more conflicts with all that was hidden then.
        runtime.memory.shadow.located(block, &mut hidden);
    }
    if hidden.is_empty() && runtime.steps_aside() {
        // So it does even if nobody ever accessed the block.
        runtime.conclusion.void |= runtime.memory.shadow.locate(address, 1, &mut hidden) == Cut::Yes;
        runtime.memory.shadow.hide(address..address + 1);
        drop(runtime.memory.shadow.take_hidden());
    }
    concerns(runtime, &hidden, objects, Note { site, operation: Operation::Free }, address)
}

/// The places at which an event takes place.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    /// The address of the first byte, or of the object; 0 if there is none.
    address: usize,
    locations: &'a [Location],
    /// The locations that the explorer is told.
    explored: &'a [Location],
}
/// The bit of an address that marks the queues and words of objects: no address of the program has it.
pub(crate) const QUEUE: usize = 1 << 62;

/// Returns the kind and barriers that the monitors see of an event in an atomic block.
pub(crate) const fn interlocked(kind: Kind, barriers: Barriers) -> (Kind, Barriers) {
    match kind {
        Kind::Load => (Kind::FailedRmw, mapping::failed_rmw(Order::Relaxed, Order::Relaxed)),
        Kind::Store => (Kind::Rmw, mapping::rmw(Order::Relaxed)),
        other => (other, barriers),
    }
}

/// Whether the weak compare-and-exchange that is being performed, and could succeed, fails.
pub(crate) fn fails_weakly() -> bool {
    let chosen = with(|runtime| {
        if runtime.weak_failures.so_far == runtime.weak_failures.limit {
            return Ok::<bool, Turn>(false);
        }
        let fails = runtime.execution.choose_value(2).map_err(|_| diverges(runtime))? == 1;
        if fails {
            runtime.weak_failures.so_far += 1;
            // The next try is another one: the loop around it does not wait for others.
            runtime.has_effect();
        }
        Ok(fails)
    });
    match chosen {
        None => false,
        Some(Ok(fails)) => fails,
        Some(Err(turn)) => {
            turn.obey();
            false
        }
    }
}

/// Chooses a number below `count`.
pub(crate) fn choose(count: u64) -> u64 {
    let chosen = with(|runtime| {
        runtime.has_effect();
        runtime.execution.choose_value(count).map_err(|_| diverges(runtime))
    });
    match chosen {
        None => 0,
        Some(Ok(value)) => value,
        Some(Err(turn)) => {
            turn.obey();
            0
        }
    }
}
