//! Execution graphs: which accesses happened, in which program order, which store each load reads from, and in which
//! order the stores to one location take effect (Shasha and Snir's traces).
//!
//! A [`Program`] says what the accesses of a thread are ([`Label`]), given what its reads returned; a [`trace::Trace`]
//! holds the accesses that have been committed, with rf and co. Which traces are allowed is [`crate::model`]'s business,
//! and how they are enumerated that of [`crate::explore::rsmc`].

pub mod lifetime;
pub mod order;
pub mod overtaking;
pub mod set;
pub mod trace;

use std::rc::Rc;

use crate::event::Location;
use set::Set;

/// What a location holds or a register reads.
pub type Value = i64;

/// An access of a program, by its thread and its number in program order there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId {
    /// The thread.
    pub thread: u16,
    /// How many accesses of the thread come before it in program order.
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

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads, and writes in the same step unless it finds something else than expected. How what it writes depends on
    /// what it reads.
    Update(Internal),
}

impl Access {
    /// Whether it reads.
    #[must_use]
    pub const fn reads(self) -> bool {
        !matches!(self, Self::Store)
    }

    /// Whether a machine with store buffers performs it in memory itself, behind its thread's stores to the location.
    #[must_use]
    pub const fn is_interlocked(self) -> bool {
        matches!(self, Self::Update(Internal::None | Internal::Data | Internal::Control))
    }
}

/// How the write of a read-modify-write depends on its read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Internal {
    /// Not at all: an exchange.
    None,
    /// By its value: a fetch-and-add.
    Data,
    /// Whether it happens at all: a compare-and-swap.
    Control,
    /// By its value, and it waits in the store buffer as a store does: nothing comes between the two, but it is no fence.
    Buffered,
    /// By its value, and it takes effect at once, but waits for no store before it: a look at a clock.
    Apart,
}

/// What an access writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// This.
    Value(Value),
    /// Nothing.
    Nothing,
    /// Not known yet.
    Unknown,
}

/// How many fences a thread has executed before an access: full ones, and others by what they order before what. Two
/// accesses with different numbers are separated by such a fence.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Fences {
    /// Full ones, which order everything: `sync`, `mfence`, `dmb ish`, `fence rw,rw`.
    pub full: u16,
    /// Those that order reads before reads: `lwsync`, `dmb ishld`, `fence r,r`.
    pub read_read: u16,
    /// Those that order reads before writes: `lwsync`, `dmb ishld`, `fence r,w`.
    pub read_write: u16,
    /// Those that order writes before reads: `fence w,r`.
    pub write_read: u16,
    /// Those that order writes before writes: `lwsync`, `eieio`, `stbar`, `dmb ishst`, `fence w,w`.
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

/// What an access orders by itself: acquire and release, as ARM, RISC-V and C11 have them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Annotations(u16);

impl Annotations {
    /// Nothing.
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
    /// A read-modify-write is one instruction, not a pair of exclusive ones: `swp`, `ldadd`; `amoadd.w`.
    pub const SINGLE: Self = Self(32);
    /// What is read goes nowhere: `stadd`.
    pub const UNUSED: Self = Self(64);

    /// C11: it is atomic.
    pub const ATOMIC: Self = Self(128);
    /// C11: it is sequentially consistent.
    pub const SEQUENTIALLY_CONSISTENT: Self = Self(256);

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those that are not among the other ones.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of the other ones are among them.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What an access has to do with the beginnings and ends of threads, or with choices.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Link {
    /// Nothing.
    #[default]
    None,
    /// A store that creates this thread: it begins, from this origin, once the store is committed.
    Creates {
        /// The thread.
        thread: u16,
        /// What it runs, by a number of the program's own.
        origin: u32,
    },
    /// A load that happens after a store to its location: it never reads the initial value.
    Follows,
    /// No memory: a number below this, each of which is tried. Its location is one that nobody writes to.
    Chooses(u16),
}

/// An access, as far as it is known. Sets are of accesses of the same thread, by their numbers in program order; all of
/// them are reads that come before it.
#[derive(Clone, Copy, Debug)]
pub struct Label<const W: usize> {
    /// What it does.
    pub access: Access,
    /// The location.
    pub location: Option<Location>,
    /// What it writes.
    pub written: Written,
    /// addr: the reads on which its address depends.
    pub address_from: Set<W>,
    /// data: the reads on which the value that it writes depends, beside its own.
    pub value_from: Set<W>,
    /// ctrl: the reads on which a branch before it depends.
    pub control_from: Set<W>,
    /// ctrl+isync: the reads on which a branch depends that has an instruction fence behind it, before the access.
    pub synchronized_from: Set<W>,
    /// addr;po: the reads on which the address of an access before it depends.
    pub addresses_before: Set<W>,
    /// What decides on it without being an address, data or a branch that is waited for. ARM: the reads that a selection
    /// (`csel`), or what a compare-and-swap expects, depends on, where that gives its address or value, or the address of
    /// an access or a branch before it. RISC-V: the read-modify-writes on whose success (of `sc`) a branch before it
    /// depends.
    pub decided_by: Set<W>,
    /// What its instruction orders by itself.
    pub annotations: Annotations,
    /// The fences before it.
    pub fences: Fences,
    /// Whether it creates a thread, waits for what another one does, or chooses.
    pub link: Link,
}

impl<const W: usize> Label<W> {
    /// Whether it writes, or may write.
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

/// The accesses of a thread, which many states of a search share.
pub type Labels<const W: usize> = Rc<[Label<W>]>;

/// How far the accesses of a thread are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reached {
    /// To its end.
    End,
    /// To its end, which is that of the whole program: what the others could do before it is part of the execution, but
    /// nobody waits for ever.
    Exits,
    /// To a branch that depends on a read that has not returned.
    Branch,
    /// To an iteration without effect of a wait loop, which it goes round until one of its reads, from the access with
    /// this number on, returns something else.
    Waits {
        /// The first access of the iteration.
        since: u16,
    },
    /// To where an assumption does not hold: there is no such execution.
    Assumes,
    /// To where it fails: how, by a number of the program's own.
    Fails(u32),
}

/// A multi-threaded program whose threads do the same if their reads return the same.
pub trait Program<const W: usize> {
    /// Why an execution cannot be continued.
    type Fault;

    /// Returns how many threads it begins with; others are created ([`Link::Creates`]).
    fn threads(&self) -> usize;

    /// Returns how many locations it has, as far as they are known.
    fn locations(&self) -> usize;

    /// Returns what a location holds at first.
    fn initial(&self, location: Location) -> Value;

    /// Runs a thread, of this origin (0 of those that the program begins with), from its beginning: its accesses, as far as
    /// they are known, and how far that is. `reads` says what the thread's reads returned, by their number in program
    /// order; of those behind its end, nothing is known.
    ///
    /// # Errors
    /// If the thread does what cannot be done, or more than `Set<W>` can number.
    fn fetch(&self, thread: usize, origin: u32, reads: &[Option<Value>]) -> Result<(Labels<W>, Reached), Self::Fault>;
}
