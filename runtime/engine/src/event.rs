//! Events: the visible operations of a program, as every other part of the engine sees them.
//!
//! An event is one access, fence, operation on a synchronisation object, thread creation or join (docs/counting.md).
//! The fences that an access implies by its C11 order belong to the event itself ([`Event::before`], [`Event::after`]);
//! which order implies which fence is decided in one place, [`crate::mapping`].

use std::collections::BTreeSet;

/// A thread of the program, by its number: `main` is 0. At most [`Thread::LIMIT`] threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Thread(pub u8);

impl Thread {
    /// The number of threads an execution may have, `main` included.
    pub const LIMIT: usize = 255;
    /// The thread that runs `main`.
    pub const MAIN: Self = Self(0);
    /// The first committer, where commits are steps ([`crate::execution::commits`]): the threads from this one on are committers,
    /// and those below are the program's.
    pub const FIRST_COMMITTER: Self = Self(32);

    /// Returns the thread's number as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the thread with this number.
    ///
    /// # Panics
    /// If `index` is not below [`Thread::LIMIT`].
    #[must_use]
    pub const fn from_index(index: usize) -> Self {
        assert!(index < Self::LIMIT, "thread number out of range");
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        Self(index as u8)
    }
}

/// The place of an event in its execution: 0 is the first.
pub type EventIndex = u32;

/// A run of bytes that every access so far touched as a whole: the unit of conflicts, of store buffers and of clocks.
///
/// Dense and small: an index into per-location tables. Which bytes it stands for is the business of
/// [`crate::location`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location(pub u32);

impl Location {
    /// Returns the location as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Removes all but the first occurrence of each location: an event touches a location once.
pub fn make_distinct(locations: &mut Vec<Location>) {
    if locations.len() > 1 {
        let mut seen = BTreeSet::new();
        locations.retain(|&location| seen.insert(location));
    }
}

/// Whether no location occurs twice.
#[must_use]
pub fn are_distinct(locations: &[Location]) -> bool {
    let mut seen = BTreeSet::new();
    locations.len() < 2 || locations.iter().all(|&location| seen.insert(location))
}

/// A synchronisation object, by its number in this execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Object(pub u32);

impl Object {
    /// Returns the object as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place in the source: file, line and column. Equal places have equal numbers, whatever the thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site(pub u32);

impl Site {
    /// Returns the site as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The ordering that an event asks of its own thread's stores, beside the access it makes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Barrier {
    /// The event orders nothing.
    #[default]
    None,
    /// Earlier stores commit before later ones (`stbar` of SPARC). This does nothing under SC and TSO.
    StoreStore,
    /// Every pending store of the thread commits (`mfence`).
    Full,
}

/// A C11 memory order. `consume` counts as `acquire`, as compilers treat it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Order {
    /// `memory_order_relaxed`.
    Relaxed,
    /// `memory_order_acquire` and `memory_order_consume`.
    Acquire,
    /// `memory_order_release`.
    Release,
    /// `memory_order_acq_rel`.
    AcquireRelease,
    /// `memory_order_seq_cst`.
    SequentiallyConsistent,
}

impl Order {
    /// Returns the order with this C11 number (`relaxed` 0, `consume` 1, `acquire` 2, `release` 3, `acq_rel` 4, `seq_cst` 5);
    /// none for any other number.
    #[must_use]
    pub const fn from_c11(number: u32) -> Option<Self> {
        match number {
            0 => Some(Self::Relaxed),
            1 | 2 => Some(Self::Acquire),
            3 => Some(Self::Release),
            4 => Some(Self::AcquireRelease),
            5 => Some(Self::SequentiallyConsistent),
            _ => None,
        }
    }

    /// Whether the order has an acquire side.
    #[must_use]
    pub const fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcquireRelease | Self::SequentiallyConsistent)
    }

    /// Whether the order has a release side.
    #[must_use]
    pub const fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcquireRelease | Self::SequentiallyConsistent)
    }
}

/// The operation that an event performs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The event reads its locations.
    Load,
    /// The event writes its locations through the store buffer.
    Store,
    /// The event reads and writes its locations in one step, whatever it reads.
    Rmw,
    /// The event is a compare-and-swap that succeeded: a read-modify-write that would not have written, had it read something
    /// else.
    CompareAndSwap,
    /// The event is a compare-and-swap that failed: it reads, and drains what a successful one drains.
    FailedRmw,
    /// The event is a fence, whose strength is in [`Event::before`].
    Fence,
    /// The event acquires, tries or releases a synchronisation object, in any way. A full fence.
    Lock(Object),
    /// The event is an operation on a synchronisation object that several threads make side by side, as readers of a read-write
    /// lock do, or that only looks at the object. It is ordered with each [`Kind::Lock`] on the object, but not with others of
    /// this kind. It is a full fence if [`Event::before`] is one; else it is no fence, and counts as a load.
    Share(Object),
    /// The event takes an object, which is also its location, as soon as it is free: a read-modify-write that overtakes no store,
    /// since it waits for what it has to read. Its own write goes through the store buffer.
    Await(Object),
    /// The event falls asleep on a condition variable and releases the mutex, or wakes up from it and acquires the mutex: an
    /// operation on both. A full fence.
    Wait {
        /// The condition variable.
        condition: Object,
        /// The mutex.
        mutex: Object,
    },
    /// The event creates a thread. A full fence.
    Create(Thread),
    /// The event waits for the end of a thread. A full fence.
    Join(Thread),
}

impl Kind {
    /// Whether the event reads memory.
    #[must_use]
    pub const fn reads(self) -> bool {
        matches!(self, Self::Load | Self::Rmw | Self::CompareAndSwap | Self::FailedRmw | Self::Await(_))
    }

    /// Whether the event wrote memory.
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(self, Self::Store | Self::Rmw | Self::CompareAndSwap | Self::Await(_))
    }
}

/// One event of an execution. Its locations travel beside it (see [`crate::monitor::Monitor::event`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The thread that performs it.
    pub thread: Thread,
    /// The place in the source.
    pub site: Site,
    /// The operation that is performed.
    pub kind: Kind,
    /// The barrier before the access takes effect. For a [`Kind::Fence`], its whole strength.
    pub before: Barrier,
    /// The barrier after the access has taken effect.
    pub after: Barrier,
    /// The order that C11 gives to an atomic access or to a fence; none for an access that is not atomic. An operation on an
    /// object synchronises with others as this says. The monitors of hardware models do not look at it.
    pub order: Option<Order>,
}

impl Event {
    /// Whether the event's full barrier is best thought of as the beginning of the thread's next event: it follows the access,
    /// and between the two others may see that older stores of the thread still wait. That is not so if nothing older waits when
    /// the access takes effect, or if the access is a store that commits after all older ones.
    #[inline]
    #[must_use]
    pub const fn fences_later(&self) -> bool {
        matches!(self.after, Barrier::Full)
            && match self.before {
                Barrier::None => true,
                Barrier::StoreStore => matches!(self.kind, Kind::Load),
                Barrier::Full => false,
            }
    }
}
