//! Little multi-threaded programs, and a notation for them.
//!
//! A thread is a list of operations, separated by `;`:
//! ```text
//! st a=3          plain store                     ld a            load
//! xchg a=5        atomic exchange                 cas a=5->7      compare and swap; writes nothing when it fails
//! mfence          full fence                      stbar           fence between stores, for PSO alone
//! spawn T2        join T2                         lock m0         unlock m0
//! [r2!=0] op      only if operation 2 of the same thread was executed and returned a value that is != (or ==) 0
//! ```
//! An access may have several addresses (`st ab=3`; a load then returns the value at the lowest), and its barriers may be
//! written behind the mnemonic, `<` before the access and `>` after it, `w` between stores and `f` full: `st<w` is a
//! release store, `st<w>f` a sequentially consistent one.

use std::fmt;
use std::ops::Range;

pub(crate) type Value = u8;
pub(crate) type Address = usize;

/// Addresses, as a bit mask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Addresses(pub(crate) u8);

impl Addresses {
    pub(crate) fn iter(self) -> impl Iterator<Item = Address> {
        (0..8).filter(move |address| self.0 >> address & 1 == 1)
    }

    pub(crate) fn contains(self, address: Address) -> bool {
        self.0 >> address & 1 == 1
    }

    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn lowest(self) -> Address {
        self.0.trailing_zeros() as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Barrier {
    None,
    StoreStore,
    Full,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Access {
    Load,
    Store(Value),
    Exchange(Value),
    CompareAndSwap { expected: Value, new: Value },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Action {
    Access { access: Access, addresses: Addresses, before: Barrier, after: Barrier },
    Fence(Barrier),
    Lock(usize),
    Unlock(usize),
    Spawn(usize),
    Join(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Guard {
    pub(crate) op: usize,
    pub(crate) equal: bool,
    pub(crate) value: Value,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Op {
    pub(crate) guard: Option<Guard>,
    pub(crate) action: Action,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Program {
    pub(crate) threads: Vec<Vec<Op>>,
}

/// Operations that are one step together, with nothing of another thread in between: ranges of each thread, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) threads: Vec<Vec<Range<usize>>>,
}

impl Blocks {
    /// The block that the operation is in, as a number among those of its thread.
    pub(crate) fn of(&self, thread: usize, op: usize) -> Option<usize> {
        self.threads.get(thread)?.iter().position(|block| block.contains(&op))
    }

    /// Whether both operations of the thread are in one block.
    pub(crate) fn join(&self, thread: usize, one: usize, other: usize) -> bool {
        self.of(thread, one).is_some() && self.of(thread, one) == self.of(thread, other)
    }
}

impl Action {
    /// An access without barriers.
    pub(crate) fn plain(access: Access, addresses: Addresses) -> Self {
        Self::Access { access, addresses, before: Barrier::None, after: Barrier::None }
    }

    pub(crate) fn parse(text: &str) -> Self {
        let (mnemonic, operand) = text.split_once(' ').unwrap_or((text, ""));
        let number = || operand[1..].parse().unwrap_or_else(|_| panic!("no number in {text:?}"));
        match mnemonic {
            "mfence" => Self::Fence(Barrier::Full),
            "stbar" => Self::Fence(Barrier::StoreStore),
            "lock" => Self::Lock(number()),
            "unlock" => Self::Unlock(number()),
            "spawn" => Self::Spawn(number()),
            "join" => Self::Join(number()),
            _ => Self::parse_access(mnemonic, operand),
        }
    }

    fn parse_access(mnemonic: &str, operand: &str) -> Self {
        let value = |text: &str| text.parse().unwrap_or_else(|_| panic!("no value: {text:?}"));
        let (addresses, written) = operand.split_once('=').unwrap_or((operand, ""));
        let access = match &mnemonic[..mnemonic.find(['<', '>']).unwrap_or(mnemonic.len())] {
            "ld" => Access::Load,
            "st" => Access::Store(value(written)),
            "xchg" => Access::Exchange(value(written)),
            "cas" => {
                let (expected, new) = written.split_once("->").expect("cas a=old->new");
                Access::CompareAndSwap { expected: value(expected), new: value(new) }
            }
            other => panic!("unknown operation {other:?}"),
        };
        let barrier = |mark: char| match mnemonic.split_once(mark).map(|(_, rest)| &rest[..1]) {
            None => Barrier::None,
            Some("w") => Barrier::StoreStore,
            Some("f") => Barrier::Full,
            Some(other) => panic!("unknown barrier {other:?}"),
        };
        let mask = addresses.bytes().fold(0, |mask, name| {
            assert!((b'a'..=b'h').contains(&name), "unknown address in {operand:?}");
            mask | 1 << (name - b'a')
        });
        Self::Access { access, addresses: Addresses(mask), before: barrier('<'), after: barrier('>') }
    }

    pub(crate) fn reads(self) -> bool {
        !matches!(self, Self::Access { access: Access::Store(_), .. }) && matches!(self, Self::Access { .. })
    }

    /// An atomic read-modify-write, whether it succeeds or not.
    pub(crate) fn is_atomic(self) -> bool {
        matches!(self, Self::Access { access: Access::Exchange(_) | Access::CompareAndSwap { .. }, .. })
    }

    /// The addresses of an access; none for another operation.
    pub(crate) fn addresses(self) -> Addresses {
        match self {
            Self::Access { addresses, .. } => addresses,
            _ => Addresses(0),
        }
    }

    /// The barriers before and after it. Operations on threads and mutexes are full fences.
    pub(crate) fn barriers(self) -> (Barrier, Barrier) {
        match self {
            Self::Access { before, after, .. } => (before, after),
            Self::Fence(barrier) => (barrier, Barrier::None),
            _ => (Barrier::Full, Barrier::None),
        }
    }
}

impl Op {
    /// # Panics
    /// If the text is no operation, as do all parsers here.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.trim();
        let Some(guarded) = text.strip_prefix("[r") else {
            return Self { guard: None, action: Action::parse(text) };
        };
        let (guard, action) = guarded.split_once("] ").expect("[r0==0] op");
        let equal = guard.contains("==");
        let (op, value) = guard.split_once(if equal { "==" } else { "!=" }).expect("== or !=");
        let guard = Guard { op: op.parse().unwrap(), equal, value: value.parse().unwrap() };
        Self { guard: Some(guard), action: Action::parse(action) }
    }
}

impl Program {
    /// A program from the texts of its threads.
    pub(crate) fn parse<T: AsRef<str>>(threads: &[T]) -> Self {
        let thread = |text: &T| text.as_ref().split(';').map(Op::parse).collect();
        Self { threads: threads.iter().map(thread).collect() }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Access { access, addresses, before, after } => {
                let mark = |mark: &str, barrier| match barrier {
                    Barrier::None => String::new(),
                    Barrier::StoreStore => format!("{mark}w"),
                    Barrier::Full => format!("{mark}f"),
                };
                let mnemonic = match access {
                    Access::Load => "ld",
                    Access::Store(_) => "st",
                    Access::Exchange(_) => "xchg",
                    Access::CompareAndSwap { .. } => "cas",
                };
                let names: String = addresses.iter().map(|address| char::from(b'a' + address as u8)).collect();
                write!(f, "{mnemonic}{}{} {names}", mark("<", before), mark(">", after))?;
                match access {
                    Access::Load => Ok(()),
                    Access::Store(value) | Access::Exchange(value) => write!(f, "={value}"),
                    Access::CompareAndSwap { expected, new } => write!(f, "={expected}->{new}"),
                }
            }
            Self::Fence(Barrier::Full) => write!(f, "mfence"),
            Self::Fence(_) => write!(f, "stbar"),
            Self::Lock(mutex) => write!(f, "lock m{mutex}"),
            Self::Unlock(mutex) => write!(f, "unlock m{mutex}"),
            Self::Spawn(thread) => write!(f, "spawn T{thread}"),
            Self::Join(thread) => write!(f, "join T{thread}"),
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (thread, ops) in self.threads.iter().enumerate() {
            write!(f, "{}", if thread == 0 { "" } else { " || " })?;
            for (index, op) in ops.iter().enumerate() {
                write!(f, "{}", if index == 0 { "" } else { "; " })?;
                if let Some(Guard { op, equal, value }) = op.guard {
                    write!(f, "[r{op}{}{value}] ", if equal { "==" } else { "!=" })?;
                }
                write!(f, "{}", op.action)?;
            }
        }
        Ok(())
    }
}
