//! Events: the visible operations of a program, as every other part of the engine sees them.
//!
//! An event is one access, fence, operation on a synchronisation object, thread creation or join (interface.md, "What is counted"). The fences
//! that an access implies by its C11 order belong to the event itself ([`Event::before`], [`Event::after`]); which
//! order implies which fence is decided in one place, [`crate::mapping`].

/// A thread of the program, by its number: `main` is 0. At most [`Thread::LIMIT`] threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Reads the event's locations.
    Load,
    /// Writes the event's locations through the store buffer.
    Store,
    /// Reads and writes the event's locations in one step.
    Rmw,
    /// A read-modify-write that did not write, as a compare-and-swap that fails: reads, and drains what a successful
    /// one drains.
    FailedRmw,
    /// A fence, its strength in [`Event::before`].
    Fence,
    /// Any operation on a synchronisation object: acquiring, trying, releasing. A full fence.
    Lock(Object),
    /// An operation on a synchronisation object that several threads make side by side, as readers of a read-write
    /// lock do: ordered with each [`Kind::Lock`] on the object, not with another one of this kind. A full fence.
    Share(Object),
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
}
