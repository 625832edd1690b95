//! The events of an execution graph: what other threads see of them, and what they do to places.

use super::numbers::{AccessNumber, BlockNumber, Place, Span, Stamp};
use crate::event::{Kind, Thread};
use crate::explore::{Effect, Need, Performed, Touched, Values};

/// The meaning of an event for other threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// The event touches nothing that other threads see.
    Local,
    /// The event reads.
    Read,
    /// The event writes, or reads and writes, or is an operation on an object.
    Write,
    /// A thread that cannot go on stands before an operation on an object; the event is not performed.
    Stuck,
    /// A thread waits for something that it read to be different; the event is not performed. The thread's next operation is then
    /// most likely what its last iteration began with.
    Asleep(Begins),
    /// The event leaves a barrier: it comes after the arrival that completed its round, and has nothing to do with other threads.
    Leave,
    /// The event creates a thread.
    Create(Thread),
    /// The event waits for the end of a thread.
    Join(Thread),
    /// The program got the value `value` out of `count` values; this is a part of the event before it.
    Value { value: u32, count: u32 },
    /// The thread goes on because the witness with this number, out of so many, saw its last iteration ([`super::witnesses`]).
    Witness { value: u32, count: u32 },
}

/// The beginning of an iteration of a wait loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Begins {
    ByReading,
    ByWriting,
    /// The iteration begins with this block of the thread, which first operates on this object.
    WithBlock {
        block: BlockNumber,
        on: Place,
    },
}

/// An event of the graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct GraphEvent {
    pub(super) thread: Thread,
    pub(super) what: What,
    /// The number of the event in its thread, from 1; a value has that of the event that it is a part of.
    pub(super) tick: u32,
    /// The event before it in its thread, or the creation of its thread.
    pub(super) previous: Option<Stamp>,
    pub(super) accesses: Span,
    /// The places of its accesses as bits: events without a common bit have no common place.
    pub(super) bits: u64,
    pub(super) writes: Writes,
    /// What its thread waited for, if it waited.
    pub(super) need: Option<Need>,
    /// Whether it was added as what a waiting thread would do.
    pub(super) slept: bool,
    /// Whether its thread had yielded before it.
    pub(super) yielded: bool,
    pub(super) round: Round,
    /// Whether it may leave memory behind ([`leaves`]).
    pub(super) leaves: bool,
    pub(super) tried: Tried,
    /// The number of places that it shares with events added before, if that was known before it was added; else 0.
    pub(super) places: u32,
    /// The block of its thread that it is in, if it is in one. An event that is not performed may begin one.
    pub(super) block: Option<BlockNumber>,
}

/// Where an event stands in the iterations of wait loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Round {
    /// It may be the first one of an iteration.
    Begins,
    /// It comes behind that, or is in no loop.
    GoesOn,
}

/// Where an event stands that was performed.
#[inline]
pub(super) fn round(event: &Performed<'_>) -> Round {
    if event.begins_round { Round::Begins } else { Round::GoesOn }
}

/// Whether an event writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writes {
    /// The event always writes, or never.
    Surely,
    /// The event writes if it reads this value; none where the value is not known because the event has more than one access.
    Over(Option<u64>),
}

/// The alternatives of an event that have been tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tried {
    /// The bound of the revisits that have been tried: the event has revisited all earlier ones from this one on, and come before
    /// the one below in `ways` ways.
    pub(super) revisited: Stamp,
    pub(super) ways: u32,
    /// The number of older writes that the event has been made to read from.
    pub(super) older: u32,
}

impl Tried {
    /// Returns what has been tried of an event with this stamp that has just been added.
    pub(super) const fn nothing(event: Stamp) -> Self {
        Self { revisited: event, ways: 0, older: 0 }
    }
}

/// An access of an event to one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GraphAccess {
    pub(super) place: Place,
    pub(super) event: Stamp,
    /// The access by a write that this one reads from or comes right after; none for the beginning.
    pub(super) source: Option<AccessNumber>,
    /// The access by the next write, if this access writes.
    pub(super) next: Option<AccessNumber>,
    /// The values that the place held before and holds then, if they are known; for an object, what its state means to the
    /// threads that wait for it.
    pub(super) values: Option<(u64, u64)>,
    pub(super) watch: Watch,
}

/// Whether the thread waited for the place to change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Watch {
    /// The thread did not wait for the place.
    No,
    /// The thread did not wait for the place, and no thread ever does.
    Never,
    /// The thread waited for the place to change from what it had read there, if that is known, and then accessed it.
    From(Option<u64>),
    /// The thread waited for the place as in [`Watch::From`], but then accessed something else.
    Aside(Option<u64>),
}

/// A place that a waiting thread has read, and what it read there, if that is known.
pub(super) type Watched = (Place, Option<u64>);

/// Whether the thread is among the first 64, of which `threads` are bits.
pub(super) fn has(threads: u64, thread: Thread) -> bool {
    threads.checked_shr(thread.0.into()).is_some_and(|bits| bits & 1 == 1)
}

/// Returns the places that an event touches.
#[inline]
fn places<'a>(event: &Performed<'a>) -> impl Iterator<Item = Place> + use<'a> {
    let objects = event.objects.iter().map(|touched| Place::of_object(touched.object));
    objects.chain(event.locations.iter().map(|&location| Place::of_location(location)))
}

/// Returns the places that an event touches and those that it only watched, each with its values.
#[inline]
pub(super) fn touched<'a>(
    event: &'a Performed<'a>,
    watched: &'a [Watched],
) -> impl Iterator<Item = (Place, Option<(u64, u64)>, Watch)> + 'a {
    let aside = |touched: &Touched| if touched.effect == Effect::Aside { Watch::Never } else { Watch::No };
    let objects = event.objects.iter().map(move |touched| (touched.states, aside(touched)));
    let known = objects.chain(event.locations.iter().map(|_| (values(event), Watch::No)));
    let own = places(event).zip(known).map(|(place, (values, watch))| {
        let watched = watched.iter().find(|&&(other, _)| other == place);
        (place, values, watched.map_or(watch, |&(_, value)| Watch::From(value)))
    });
    let aside = watched.iter().filter(|&&(place, _)| places(event).all(|other| other != place));
    own.chain(aside.map(|&(place, value)| (place, None, Watch::Aside(value))))
}

/// Returns what an event is for which no thread waited.
#[inline]
pub(super) fn what(event: &Performed<'_>) -> What {
    match event.kind {
        Kind::Create(thread) => What::Create(thread),
        Kind::Join(thread) if event.objects.is_empty() => What::Join(thread),
        _ if event.objects.iter().any(|touched| touched.effect != Effect::Unseen) => What::Write,
        Kind::Share(_) => What::Leave,
        Kind::Load | Kind::FailedRmw => What::Read,
        Kind::Fence | Kind::Store if event.locations.is_empty() => What::Local,
        _ => What::Write,
    }
}

/// Whether a step may leave memory behind, of which one process knows more than another, or more than it did before.
#[inline]
pub(super) fn leaves(event: &Performed<'_>) -> bool {
    event.kind == Kind::Fence
}

/// What other threads see of an event that has been performed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::explore) enum Happening {
    Nothing,
    Reads,
    Writes,
    Creates(Thread),
    Joins(Thread),
}

/// Returns what other threads see of an event for which no thread waited, and the numbers of the places that it touches.
pub(in crate::explore) fn happening<'a>(event: &Performed<'a>) -> (Happening, impl Iterator<Item = usize> + use<'a>) {
    let happening = match what(event) {
        What::Read => Happening::Reads,
        What::Write => Happening::Writes,
        What::Create(thread) => Happening::Creates(thread),
        What::Join(thread) => Happening::Joins(thread),
        What::Local | What::Leave | What::Stuck | What::Asleep(_) | What::Value { .. } | What::Witness { .. } => {
            Happening::Nothing
        }
    };
    (happening, places(event).map(Place::index))
}

/// Returns what an event is that a thread performs after it has waited for these places.
#[inline]
pub(super) fn woken(what: What, watched: &[Watched]) -> What {
    if what == What::Local && !watched.is_empty() { What::Read } else { what }
}

/// Returns an event of a block as one that interlocks: whatever else accesses its locations comes before the block or after it.
pub(super) fn interlocked<'a>(event: &Performed<'a>) -> Performed<'a> {
    let kind = match event.kind {
        Kind::Load | Kind::Store | Kind::CompareAndSwap | Kind::FailedRmw => Kind::Rmw,
        other => other,
    };
    Performed { kind, ..*event }
}

/// Returns whether an event writes, and whether that depends on what it reads.
#[inline]
pub(super) fn writes(event: &Performed<'_>) -> Writes {
    match (event.kind, event.values) {
        _ if !event.objects.is_empty() => Writes::Surely,
        (Kind::CompareAndSwap | Kind::FailedRmw, Values::Known { expected, .. }) => Writes::Over(expected),
        (Kind::CompareAndSwap | Kind::FailedRmw, Values::Unknown) => Writes::Over(None),
        _ => Writes::Surely,
    }
}

#[inline]
fn values(event: &Performed<'_>) -> Option<(u64, u64)> {
    match event.values {
        Values::Known { before, after, .. } if event.locations.len() < 2 => Some((before, after)),
        _ => None,
    }
}

impl What {
    /// Whether nothing that conflicts with the event may change places with it.
    #[inline]
    pub(super) const fn writes(self) -> bool {
        matches!(self, Self::Write)
    }

    /// Whether the event has been performed.
    #[inline]
    pub(super) const fn is_performed(self) -> bool {
        !matches!(self, Self::Stuck | Self::Asleep(_))
    }
}

impl GraphEvent {
    /// Whether nothing that conflicts with the event may change places with it.
    #[inline]
    pub(super) const fn writes(&self) -> bool {
        self.what.writes()
    }

    /// Whether the two events are in one block.
    #[inline]
    pub(super) fn is_with(&self, other: &Self) -> bool {
        self.block.is_some() && self.block == other.block && self.thread == other.thread
    }
}

impl GraphAccess {
    /// Makes an access to this place by this event, which has no position in the chain of writes yet.
    #[inline]
    pub(super) const fn new(event: Stamp, place: Place, values: Option<(u64, u64)>, watch: Watch) -> Self {
        Self { place, event, source: None, next: None, values, watch }
    }

    /// Whether the access says nothing of a place that a thread may wait for: because it is one only since the thread waited, or
    /// because no thread waits for the place.
    pub(super) const fn watch_is_aside(&self) -> bool {
        matches!(self.watch, Watch::Aside(_) | Watch::Never)
    }

    /// Whether the thread waited for the place to change.
    pub(super) const fn waited(&self) -> bool {
        matches!(self.watch, Watch::From(_) | Watch::Aside(_))
    }
}
