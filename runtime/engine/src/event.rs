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

    /// The thread's number as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The thread with this number.
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
    /// The location as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Leaves each location in its first place alone: an event touches a location once.
pub fn make_distinct(locations: &mut Vec<Location>) {
    if locations.len() > 1 {
        let mut seen = BTreeSet::new();
        locations.retain(|&location| seen.insert(location));
    }
}

/// Whether no location is there twice.
#[must_use]
pub fn are_distinct(locations: &[Location]) -> bool {
    let mut seen = BTreeSet::new();
    locations.len() < 2 || locations.iter().all(|&location| seen.insert(location))
}

/// A synchronisation object, by its number in this execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Object(pub u32);

impl Object {
    /// The object as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place in the source: file, line and column. Equal places have equal numbers, whatever the thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site(pub u32);

impl Site {
    /// The site as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The ordering that an event asks of its own thread's stores, beside the access it makes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Barrier {
    /// None.
    #[default]
    None,
    /// Earlier stores commit before later ones (`stbar` of SPARC). Nothing under SC and TSO.
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
    /// The order with this C11 number (`relaxed` 0, `consume` 1, `acquire` 2, `release` 3, `acq_rel` 4, `seq_cst` 5);
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

    /// Whether it has an acquire side.
    #[must_use]
    pub const fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcquireRelease | Self::SequentiallyConsistent)
    }

    /// Whether it has a release side.
    #[must_use]
    pub const fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcquireRelease | Self::SequentiallyConsistent)
    }
}

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Reads the event's locations.
    Load,
    /// Writes the event's locations through the store buffer.
    Store,
    /// Reads and writes the event's locations in one step, whatever it reads.
    Rmw,
    /// A compare-and-swap that succeeded: a read-modify-write that would not have written, had it read something else.
    CompareAndSwap,
    /// A compare-and-swap that failed: reads, and drains what a successful one drains.
    FailedRmw,
    /// A fence, its strength in [`Event::before`].
    Fence,
    /// Any operation on a synchronisation object: acquiring, trying, releasing. A full fence.
    Lock(Object),
    /// An operation on a synchronisation object that several threads make side by side, as readers of a read-write
    /// lock do, or that only looks at it: ordered with each [`Kind::Lock`] on the object, not with another one of this
    /// kind. A full fence if [`Event::before`] is one, else none: it is then a load.
    Share(Object),
    /// Takes an object, which is also the event's location, as soon as it is free: a read-modify-write that overtakes
    /// no store, since it waits for what it has to read. Its own write goes through the store buffer.
    Await(Object),
    /// Falls asleep on a condition variable and releases the mutex, or wakes up from it and acquires the mutex: an
    /// operation on both. A full fence.
    Wait {
        /// The condition variable.
        condition: Object,
        /// The mutex.
        mutex: Object,
    },
    /// Creates a thread. A full fence.
    Create(Thread),
    /// Waits for the end of a thread. A full fence.
    Join(Thread),
}

impl Kind {
    /// Whether it reads memory.
    #[must_use]
    pub const fn reads(self) -> bool {
        matches!(self, Self::Load | Self::Rmw | Self::CompareAndSwap | Self::FailedRmw | Self::Await(_))
    }

    /// Whether it wrote memory.
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
    /// Where in the source.
    pub site: Site,
    /// What it does.
    pub kind: Kind,
    /// What is ordered before the access takes effect. For a [`Kind::Fence`], its whole strength.
    pub before: Barrier,
    /// What is ordered after the access has taken effect.
    pub after: Barrier,
    /// What it is to C11: the order of an atomic access or of a fence; none of an access that is not atomic. An
    /// operation on an object synchronises with others as this says. The monitors of hardware models do not look at it.
    pub order: Option<Order>,
}

impl Event {
    /// Whether a full barrier follows the access, and between the two others may see that older stores of the thread
    /// still wait: the barrier is then best thought of as the beginning of the thread's next event. It is not if
    /// nothing older waits when the access takes effect, or if the access is a store that commits after all older ones.
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
