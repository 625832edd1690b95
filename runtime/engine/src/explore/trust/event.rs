//! What events are to an execution graph: what of them other threads see, and what they do to places.

use super::numbers::{AccessNumber, BlockNumber, Place, Span, Stamp};
use crate::event::{Kind, Thread};
use crate::explore::{Effect, Need, Performed, Touched, Values};

/// What an event is to the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// It touches nothing that other threads see.
    Local,
    /// It reads.
    Read,
    /// It writes, or reads and writes, or is an operation on an object.
    Write,
    /// A thread that cannot go on stands before an operation on an object; not performed.
    Stuck,
    /// A thread waits for something that it read to be different; not performed. What it will do then is most likely
    /// what its last iteration began with.
    Asleep(Begins),
    /// It leaves a barrier: it comes after the arrival that completed its round, and has nothing to do with others.
    Leave,
    /// It creates a thread.
    Create(Thread),
    /// It waits for the end of a thread.
    Join(Thread),
    /// The program got this of so many values: a part of the event before it.
    Value { value: u32, count: u32 },
}

/// How an iteration of a wait loop begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Begins {
    ByReading,
    ByWriting,
    /// With this block of the thread, which first operates on this object.
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
    /// Its number in its thread, from 1; a value has that of the event that it is a part of.
    pub(super) tick: u32,
    /// The event before it in its thread, or the creation of its thread.
    pub(super) previous: Option<Stamp>,
    pub(super) accesses: Span,
    /// Their places as bits: events without a common bit have no common place.
    pub(super) bits: u64,
    pub(super) writes: Writes,
    /// What its thread waited for, if it did.
    pub(super) need: Option<Need>,
    /// It was added as what a thread would do that waits.
    pub(super) slept: bool,
    /// Its thread had yielded before it.
    pub(super) yielded: bool,
    /// It may leave memory behind ([`leaves`]).
    pub(super) leaves: bool,
    pub(super) tried: Tried,
    /// How many places it shares with events added before, if that was known before it was: 0 if not.
    pub(super) places: u32,
    /// Which of its thread's blocks it is in, if it is in one. What is not performed may begin one.
    pub(super) block: Option<BlockNumber>,
}

/// Whether an event writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writes {
    /// It always does, or never.
    Surely,
    /// If it reads this; that is not known where it has more than one access.
    Over(Option<u64>),
}

/// Which alternatives of an event have been tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tried {
    /// To revisit an earlier one: all those from this one on, and so many ways to come before the one below.
    pub(super) revisited: Stamp,
    pub(super) ways: u32,
    /// To read something older: so many.
    pub(super) older: u32,
}

impl Tried {
    /// Of an event with this stamp that has just been added.
    pub(super) const fn nothing(event: Stamp) -> Self {
        Self { revisited: event, ways: 0, older: 0 }
    }
}

/// What an event does to one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GraphAccess {
    pub(super) place: Place,
    pub(super) event: Stamp,
    /// The access by a write that it reads from or comes right after; none for the beginning.
    pub(super) source: Option<AccessNumber>,
    /// Of a write: that by the next write.
    pub(super) next: Option<AccessNumber>,
    /// What it held before and holds then, if that is known; of an object, what its state means to those who wait.
    pub(super) values: Option<(u64, u64)>,
    pub(super) watch: Watch,
}

/// Whether the thread waited for the place to change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Watch {
    /// It did not.
    No,
    /// Nor does anybody ever.
    Never,
    /// From what it had read there, if that is known, to anything else; and then accessed it.
    From(Option<u64>),
    /// As [`Watch::From`], but then accessed something else.
    Aside(Option<u64>),
}

/// A place that a waiting thread has read, and what it read there, if that is known.
pub(super) type Watched = (Place, Option<u64>);

/// Whether the thread is among the first 64, of which these are bits.
pub(super) fn has(threads: u64, thread: Thread) -> bool {
    threads.checked_shr(thread.0.into()).is_some_and(|bits| bits & 1 == 1)
}

/// What an event touches.
#[inline]
fn places<'a>(event: &Performed<'a>) -> impl Iterator<Item = Place> + use<'a> {
    let objects = event.objects.iter().map(|touched| Place::of_object(touched.object));
    objects.chain(event.locations.iter().map(|&location| Place::of_location(location)))
}

/// What an event touches and what it only watched, each with its values.
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

/// What an event is that nobody waited for.
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

/// What an event is that a thread performs after it has waited for these places.
#[inline]
pub(super) fn woken(what: What, watched: &[Watched]) -> What {
    if what == What::Local && !watched.is_empty() { What::Read } else { what }
}

/// An event of a block: whatever else accesses its locations comes before the block or after it.
pub(super) fn interlocked<'a>(event: &Performed<'a>) -> Performed<'a> {
    let kind = match event.kind {
        Kind::Load | Kind::Store | Kind::CompareAndSwap | Kind::FailedRmw => Kind::Rmw,
        other => other,
    };
    Performed { kind, ..*event }
}

/// Whether an event writes, and if that depends on what it reads.
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
    /// Whether nothing that conflicts may change place with it.
    #[inline]
    pub(super) const fn writes(self) -> bool {
        matches!(self, Self::Write)
    }

    /// Whether it has been performed.
    #[inline]
    pub(super) const fn is_performed(self) -> bool {
        !matches!(self, Self::Stuck | Self::Asleep(_))
    }
}

impl GraphEvent {
    /// Whether nothing that conflicts may change place with it.
    #[inline]
    pub(super) const fn writes(&self) -> bool {
        self.what.writes()
    }

    /// Whether both are in one block.
    #[inline]
    pub(super) fn is_with(&self, other: &Self) -> bool {
        self.block.is_some() && self.block == other.block && self.thread == other.thread
    }
}

impl GraphAccess {
    /// An access to this place by this event, which does not stand anywhere yet.
    #[inline]
    pub(super) const fn new(event: Stamp, place: Place, values: Option<(u64, u64)>, watch: Watch) -> Self {
        Self { place, event, source: None, next: None, values, watch }
    }

    /// Whether it says nothing of a place that a thread may wait to change: it is one only because the thread waited, or
    /// nobody waits for that.
    pub(super) const fn watch_is_aside(&self) -> bool {
        matches!(self.watch, Watch::Aside(_) | Watch::Never)
    }

    /// Whether the thread waited for the place to change.
    pub(super) const fn waited(&self) -> bool {
        matches!(self.watch, Watch::From(_) | Watch::Aside(_))
    }
}
