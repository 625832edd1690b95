//! Litmus tests: small multi-threaded programs with a condition on their final states, in the format of herd7.
//!
//! [`parse::parse`] reads the text of a test; instructions of all dialects (PPC, X86, C) become the few
//! [`Operation`]s here, which [`interpreter`] runs, a thread at a time. [`schedules`] runs whole tests under an explorer
//! of interleavings, [`graphs`] under one of graphs; [`condition`] says what final states mean.
//!
//! # Values
//! All arithmetic is on 64 bits, whatever the width of the registers and types in the test. Addresses are values, too:
//! those of [`address`].

pub mod condition;
pub mod graphs;
pub mod interpreter;
pub mod parse;
pub mod schedules;

mod c;
mod columns;
mod powerpc;
mod text;
mod x86;

pub use text::{Error, Position};

use crate::event::{Location, Site};
use crate::mapping::Order;
use condition::{Condition, Observable};

pub use crate::graph::Value;

/// Addresses start here, far from the numbers that tests compute with.
const FIRST_ADDRESS: Value = 1 << 40;
const DISTANCE: Value = 64;

/// The address of a location.
#[must_use]
pub fn address(location: Location) -> Value {
    FIRST_ADDRESS + DISTANCE * Value::from(location.0)
}

/// The instruction set that a test is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Architecture {
    /// POWER assembly.
    PowerPc,
    /// x86 assembly.
    X86,
    /// C11.
    C,
}

impl Architecture {
    /// The name at the head of a test.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PowerPc => "PPC",
            Self::X86 => "X86",
            Self::C => "C",
        }
    }
}

/// A litmus test.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// What it is written in.
    pub architecture: Architecture,
    /// The names of the shared locations, ascending.
    pub locations: Vec<String>,
    /// What each location holds at first.
    pub initial: Vec<Value>,
    /// The threads.
    pub threads: Vec<Code>,
    /// What is asked of the final states.
    pub condition: Condition,
    /// What a final state lists, in order.
    pub observables: Vec<Observable>,
}

impl Test {
    /// The location at an address.
    #[must_use]
    pub fn location(&self, address: Value) -> Option<Location> {
        let offset = address.checked_sub(FIRST_ADDRESS).filter(|offset| offset % DISTANCE == 0)?;
        let location = u32::try_from(offset / DISTANCE).ok()?;
        ((location as usize) < self.locations.len()).then_some(Location(location))
    }

    /// How a value is written: an address as the name of its location.
    #[must_use]
    pub fn show(&self, value: Value) -> String {
        self.location(value).map_or_else(|| value.to_string(), |location| self.locations[location.index()].clone())
    }

    /// The number of an instruction among those of all threads.
    ///
    /// # Panics
    /// If there are more than 2³² instructions.
    #[must_use]
    pub fn site(&self, thread: usize, instruction: usize) -> Site {
        let before: usize = self.threads[..thread].iter().map(|code| code.instructions.len()).sum();
        Site(u32::try_from(before + instruction).expect("fewer than 2^32 instructions"))
    }

    /// The thread and the instruction with this number.
    #[must_use]
    pub fn at_site(&self, site: Site) -> Option<(usize, &Instruction)> {
        let mut instruction = site.index();
        for (thread, code) in self.threads.iter().enumerate() {
            match code.instructions.get(instruction) {
                Some(found) => return Some((thread, found)),
                None => instruction -= code.instructions.len(),
            }
        }
        None
    }
}

/// A register of a thread, by its number there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register(pub u16);

impl Register {
    /// The register as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A register, as the test declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: String,
    /// What it holds at first.
    pub initial: Value,
    /// Whether some load writes it, so that final states list it.
    pub loaded: bool,
}

/// One thread's registers and instructions.
#[derive(Clone, Default, Debug)]
pub struct Code {
    /// The registers.
    pub registers: Vec<Declaration>,
    /// The instructions, the first one first.
    pub instructions: Vec<Instruction>,
}

impl Code {
    /// The register with this name, declared now if it was not.
    pub(crate) fn register(&mut self, name: &str) -> Register {
        let found = self.registers.iter().position(|register| register.name == name);
        let index = found.unwrap_or_else(|| {
            self.registers.push(Declaration { name: name.to_owned(), initial: 0, loaded: false });
            self.registers.len() - 1
        });
        Register(u16::try_from(index).expect("fewer than 65536 registers"))
    }

    pub(crate) fn loads(&mut self, register: Register) -> Register {
        self.registers[register.index()].loaded = true;
        register
    }

    pub(crate) fn push(&mut self, operation: Operation, position: Position, text: &str) {
        self.instructions.push(Instruction { operation, position, text: text.to_owned() });
    }
}

/// An operation, and where it stands in the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Instruction {
    /// What it does.
    pub operation: Operation,
    /// Where it stands.
    pub position: Position,
    /// As it is written.
    pub text: String,
}

/// What an instruction does.
#[derive(Clone, PartialEq, Debug)]
pub enum Operation {
    /// Computes.
    Assign {
        /// The register that gets the value.
        to: Register,
        /// The value.
        value: Expression,
    },
    /// Reads a location.
    Load {
        /// The register that gets the value.
        to: Register,
        /// Where.
        address: Expression,
        /// Its C11 order; relaxed in assembly.
        order: Order,
    },
    /// Writes a location.
    Store {
        /// Where.
        address: Expression,
        /// What.
        value: Expression,
        /// Its C11 order; relaxed in assembly.
        order: Order,
    },
    /// Reads and writes a location in one step.
    Update {
        /// The register that gets the value read.
        to: Register,
        /// Where.
        address: Expression,
        /// What the location must hold for the write to happen; none if it always happens.
        expected: Option<Expression>,
        /// What is written; [`Expression::Read`] in it is the value read.
        new: Expression,
        /// How it is ordered.
        strength: Strength,
    },
    /// Orders accesses.
    Fence(Fence),
    /// Goes on at another instruction if a value is not 0.
    Branch {
        /// The value.
        condition: Expression,
        /// The index of the other instruction; the number of instructions for the end.
        target: usize,
    },
}

/// How a read-modify-write is ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strength {
    /// An instruction of x86 with a lock: a full fence on both sides.
    Locked,
    /// A pair of `lwarx` and `stwcx.`: not at all.
    Reserved,
    /// A C11 operation: the order where it writes, and where it does not.
    Ordered(Order, Order),
}

/// A fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fence {
    /// `sync`, `mfence`.
    Full,
    /// `lwsync`.
    Lightweight,
    /// `eieio`, `sfence`: between stores.
    Stores,
    /// `isync`, `lfence`: between what was fetched before and what is fetched later.
    Instructions,
    /// `atomic_thread_fence`.
    C(Order),
}

/// A value that an instruction computes.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// Always the same.
    Number(Value),
    /// What a register holds.
    Register(Register),
    /// What the read of an [`Operation::Update`] returned.
    Read,
    /// Computed from two others.
    Binary(Binary, Box<(Expression, Expression)>),
}

impl Expression {
    /// Computed from two others.
    #[must_use]
    pub fn binary(operator: Binary, left: Self, right: Self) -> Self {
        Self::Binary(operator, Box::new((left, right)))
    }
}

/// Ways to compute a value from two others. Comparisons give 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The quotient, rounded towards 0; by 0 it is 0.
    Divide,
    /// The remainder; by 0 it is 0.
    Remainder,
    /// The bits of both.
    And,
    /// The bits of either.
    Or,
    /// The bits of one of them.
    Xor,
    /// The left one's bits moved up.
    ShiftLeft,
    /// The left one's bits moved down.
    ShiftRight,
    /// Whether they are the same.
    Equal,
    /// Whether they differ.
    NotEqual,
    /// Whether the left one is less.
    Less,
    /// Whether the left one is not more.
    LessOrEqual,
}

impl Binary {
    /// The value.
    #[must_use]
    pub fn apply(self, left: Value, right: Value) -> Value {
        // A distance of 64 or more moves all bits out, as on POWER.
        let distance = u32::try_from(right).unwrap_or(u32::MAX);
        match self {
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::Multiply => left.wrapping_mul(right),
            Self::Divide => left.checked_div(right).unwrap_or(0),
            Self::Remainder => left.checked_rem(right).unwrap_or(0),
            Self::And => left & right,
            Self::Or => left | right,
            Self::Xor => left ^ right,
            Self::ShiftLeft => left.checked_shl(distance).unwrap_or(0),
            Self::ShiftRight => left.checked_shr(distance).unwrap_or(left >> 63),
            Self::Equal => Value::from(left == right),
            Self::NotEqual => Value::from(left != right),
            Self::Less => Value::from(left < right),
            Self::LessOrEqual => Value::from(left <= right),
        }
    }
}
