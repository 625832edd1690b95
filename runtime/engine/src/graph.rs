//! Execution graphs: which accesses happened, in which program order, which store each load reads from, and in which
//! order the stores to one location take effect (Shasha and Snir's traces).
//!
//! A [`Program`] says what the accesses of a thread are ([`Label`]), given what its reads returned; a [`trace::Trace`]
//! holds the accesses that have been committed, with rf and co. Which traces are allowed is [`crate::model`]'s business,
//! and how they are enumerated that of [`crate::explore::rsmc`].

pub mod causality;
pub mod lifetime;
pub mod order;
pub mod overtaking;
pub mod set;
pub mod shared;
pub mod trace;

use crate::event::Location;
use set::Set;
use shared::Shared;

/// The value that a location holds or a register reads.
pub type Value = i64;

/// An access of a program, by its thread and its number in program order within that thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId {
    /// The thread.
    pub thread: u16,
    /// The number of accesses of the thread that come before it in program order.
    pub index: u16,
}

impl EventId {
    /// Returns the event of this thread with this number.
    ///
    /// # Panics
    /// If either is not below 2¹⁶.
    #[must_use]
    pub fn new(thread: usize, index: usize) -> Self {
        let small = |number: usize| u16::try_from(number).expect("fewer than 65536 threads and events");
        Self { thread: small(thread), index: small(index) }
    }
}

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// The access reads.
    Load,
    /// The access writes.
    Store,
    /// The access reads, and writes in the same step unless it reads something else than expected. The field says how what it
    /// writes depends on what it reads.
    Update(Internal),
}

impl Access {
    /// Whether the access reads.
    #[must_use]
    pub const fn reads(self) -> bool {
        !matches!(self, Self::Store)
    }

    /// Whether a machine with store buffers performs the access in memory itself, behind its thread's stores to the location.
    #[must_use]
    pub const fn is_interlocked(self) -> bool {
        matches!(self, Self::Update(Internal::None | Internal::Data | Internal::Control))
    }
}

/// The way in which the write of a read-modify-write depends on its read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Internal {
    /// The write does not depend on the read: an exchange.
    None,
    /// The value written depends on the value read: a fetch-and-add.
    Data,
    /// Whether anything is written depends on the value read: a compare-and-swap.
    Control,
    /// The value written depends on the value read, and the write waits in the store buffer as a store does: nothing comes
    /// between the two, but the access is no fence.
    Buffered,
    /// The value written depends on the value read, and the write takes effect at once but waits for no store before it: a look
    /// at a clock.
    Apart,
}

/// The value that an access writes, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// The access writes this value.
    Value(Value),
    /// The access writes nothing.
    Nothing,
    /// What the access writes is not known yet.
    Unknown,
}

/// The numbers of fences that a thread has executed before an access: of full ones, and of others by what they order before what.
/// Two accesses with different numbers are separated by such a fence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Fences {
    /// The number of full fences, which order everything: `sync`, `mfence`, `dmb ish`, `fence rw,rw`.
    pub full: u16,
    /// The number of fences that order reads before reads: `lwsync`, `dmb ishld`, `fence r,r`.
    pub read_read: u16,
    /// The number of fences that order reads before writes: `lwsync`, `dmb ishld`, `fence r,w`.
    pub read_write: u16,
    /// The number of fences that order writes before reads: `fence w,r`.
    pub write_read: u16,
    /// The number of fences that order writes before writes: `lwsync`, `eieio`, `stbar`, `dmb ishst`, `fence w,w`.
    pub write_write: u16,
}

impl Fences {
    /// Whether a fence between this access and a later one of its thread orders them, given whether each writes.
    #[must_use]
    pub const fn separate(&self, writes: bool, later: &Self, later_writes: bool) -> bool {
        let (first, second) = match (writes, later_writes) {
            (false, false) => (self.read_read, later.read_read),
            (false, true) => (self.read_write, later.read_write),
            (true, false) => (self.write_read, later.write_read),
            (true, true) => (self.write_write, later.write_write),
        };
        self.full < later.full || first < second
    }
}

impl std::ops::AddAssign for Fences {
    fn add_assign(&mut self, more: Self) {
        self.full += more.full;
        self.read_read += more.read_read;
        self.read_write += more.read_write;
        self.write_read += more.write_read;
        self.write_write += more.write_write;
    }
}

/// A set of annotations: what an access orders by itself, such as acquire and release as ARM, RISC-V and C11 have them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Annotations(u16);

impl Annotations {
    /// The empty set: the access orders nothing by itself.
    pub const NONE: Self = Self(0);
    /// The read is an acquire: `ldar`, `ldaxr`, `swpa`; `lr.aq`.
    pub const ACQUIRE: Self = Self(1);
    /// The read is an acquire that a release before it may follow: `ldapr`.
    pub const ACQUIRE_PC: Self = Self(2);
    /// The write is a release: `stlr`, `stlxr`, `swpl`; `sc.rl`.
    pub const RELEASE: Self = Self(4);
    /// The read is a release: `lr.rl`.
    pub const READ_RELEASES: Self = Self(8);
    /// The write is an acquire: `sc.aq`.
    pub const WRITE_ACQUIRES: Self = Self(16);
    /// The read-modify-write is one instruction, not a pair of exclusive ones: `swp`, `ldadd`; `amoadd.w`.
    pub const SINGLE: Self = Self(32);
    /// The value read goes nowhere: `stadd`.
    pub const UNUSED: Self = Self(64);

    /// In C11, the access is atomic.
    pub const ATOMIC: Self = Self(128);
    /// In C11, the access is sequentially consistent.
    pub const SEQUENTIALLY_CONSISTENT: Self = Self(256);
    /// In C11, the write belongs to the release sequence of an earlier release of its thread to the location.
    pub const CONTINUES: Self = Self(512);

    /// Returns the annotations of either set.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the annotations that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all annotations of `other` are in this set.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What the location of a lock holds that is free.
pub const FREE: Value = 0;

/// The relation of an access to the beginnings and ends of threads, to locks, or to choices.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Link {
    /// The access has nothing to do with any of them.
    #[default]
    None,
    /// The access is a store that creates a thread, which begins once the store is committed.
    Creates {
        /// The thread that is created.
        thread: u16,
        /// The origin of the thread, a number of the program's own for what the thread runs.
        origin: u32,
    },
    /// The access is a load that happens after a store to its location: it never reads the initial value.
    Follows,
    /// The access is a read-modify-write that locks: it waits until its location holds [`FREE`], and then takes it. Only such
    /// accesses, tries that do the same if they find the location free, and stores of [`FREE`] by the thread that has taken it
    /// write to that location. The thread is known no further before it has locked.
    Locks,
    /// The access reads no memory, but a number below this one, each of which is tried. Its location is one that nothing writes
    /// to.
    Chooses(u16),
}

/// An access, as far as it is known. Its sets hold accesses of the same thread by their numbers in program order; all of them are
/// reads that come before it.
#[derive(Clone, Copy, Debug)]
pub struct Label<const W: usize> {
    /// The kind of the access.
    pub access: Access,
    /// The location; none if it is not known yet.
    pub location: Option<Location>,
    /// The value that the access writes.
    pub written: Written,
    /// addr: the reads on which the access's address depends.
    pub address_from: Set<W>,
    /// data: the reads on which the value that the access writes depends, besides its own read.
    pub value_from: Set<W>,
    /// ctrl: the reads on which a branch before the access depends.
    pub control_from: Set<W>,
    /// ctrl+isync: the reads on which a branch depends that has an instruction fence behind it, before the access.
    pub synchronized_from: Set<W>,
    /// addr;po: the reads on which the address of an earlier access depends.
    pub addresses_before: Set<W>,
    /// The reads that decide on the access without being an address, data or a branch that is waited for. ARM: the reads that a
    /// selection (`csel`), or what a compare-and-swap expects, depends on, where that gives its address or value, or the address
    /// of an access or a branch before it. RISC-V: the read-modify-writes on whose success (of `sc`) a branch before it depends.
    pub decided_by: Set<W>,
    /// The orderings that the access's instruction has by itself.
    pub annotations: Annotations,
    /// The fences before the access.
    pub fences: Fences,
    /// The access's relation to threads, locks and choices.
    pub link: Link,
    /// Whether the access is a read that a round of a wait loop keeps, so that it is not known before the read returns whether
    /// the round has an effect, while the thread has gone on.
    pub is_kept: bool,
    /// The number of rounds in a row of the last wait loop, before the access, of which that is not known.
    pub gone_past: u8,
}

impl<const W: usize> Label<W> {
    /// Whether the access writes, or may write.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.access != Access::Load && self.written != Written::Nothing
    }
}

/// Returns the last of a thread's accesses before this one that writes, or may write, to its location, as far as locations are
/// known.
#[must_use]
pub fn own_store<const W: usize>(labels: &[Label<W>], index: usize) -> Option<usize> {
    let location = labels[index].location?;
    labels[..index].iter().rposition(|earlier| earlier.location == Some(location) && earlier.writes())
}

/// The accesses of a thread, which many states of a search share, and with them what its model has found out.
pub type Labels<const W: usize> = Shared<Label<W>>;

/// How far the accesses of a thread are known, and why no further.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reached {
    /// The accesses are known to the end of the thread.
    End,
    /// The accesses are known to the end of the thread, which is that of the whole program: what the other threads could do
    /// before it is part of the execution, but none of them waits for ever.
    Exits,
    /// The accesses are known to a branch that depends on a read that has not returned.
    Branch,
    /// The accesses are known to an iteration without effect of a wait loop, which the thread goes round until one of its reads,
    /// from the access `since` on, returns something else.
    Waits {
        /// The first access of the iteration.
        since: u16,
    },
    /// The accesses are known to a place where an assumption does not hold: there is no such execution.
    Assumes,
    /// The thread fails there, in the way that this number, one of the program's own, stands for.
    Fails(u32),
}

/// A multi-threaded program whose threads do the same if their reads return the same.
pub trait Program<const W: usize> {
    /// The reason why an execution cannot be continued.
    type Fault;

    /// Returns how many threads the program begins with; others are created ([`Link::Creates`]).
    fn threads(&self) -> usize;

    /// Returns how many locations the program has, as far as they are known.
    fn locations(&self) -> usize;

    /// Returns what a location holds at first.
    fn initial(&self, location: Location) -> Value;

    /// Runs a thread of this origin (0 for those that the program begins with) from its beginning, and returns its accesses as
    /// far as they are known, and how far that is. `reads` holds what the thread's reads returned, by their number in program
    /// order; of reads beyond its end nothing is known.
    ///
    /// # Errors
    /// If the thread does something that cannot be run, or makes more accesses than `Set<W>` can number.
    fn fetch(&self, thread: usize, origin: u32, reads: &[Option<Value>]) -> Result<(Labels<W>, Reached), Self::Fault>;
}
