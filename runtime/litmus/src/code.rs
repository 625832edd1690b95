//! The code of a test's threads: instructions of all dialects as a few operations on registers and locations.

use engine::graph::{Annotations, Fences, Value};
use engine::mapping::Order;

use crate::text::TextPosition;

/// The number of a register in its thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register(pub u16);

impl Register {
    /// Returns the register as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A register as the test declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The register's name.
    pub name: String,
    /// The value that the register holds at first.
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
    /// Returns the register with this name, which is declared now if it was not.
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

    pub(crate) fn push(&mut self, operation: Operation, position: TextPosition, text: &str) {
        self.instructions.push(Instruction { operation, position, text: text.to_owned() });
    }
}

/// An operation, and where it stands in the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Instruction {
    /// The operation that is performed.
    pub operation: Operation,
    /// The place in the file.
    pub position: TextPosition,
    /// The instruction as it is written.
    pub text: String,
}

/// The operation that an instruction performs.
#[derive(Clone, PartialEq, Debug)]
pub enum Operation {
    /// The instruction computes a value.
    Assign {
        /// The register that gets the value.
        to: Register,
        /// The value.
        value: Expression,
    },
    /// The instruction reads a location.
    Load {
        /// The register that gets the value.
        to: Register,
        /// The address that is read.
        address: Expression,
        /// The C11 order of the access; relaxed in assembly.
        order: Order,
        /// The annotations of the instruction; none in C.
        annotations: Annotations,
    },
    /// The instruction writes a location.
    Store {
        /// The address that is written.
        address: Expression,
        /// The value that is written.
        value: Expression,
        /// The C11 order of the access; relaxed in assembly.
        order: Order,
        /// The annotations of the instruction; none in C.
        annotations: Annotations,
    },
    /// The instruction reads and writes a location in one step.
    Update {
        /// The register that gets the value read.
        to: Register,
        /// The address that is read and written.
        address: Expression,
        /// The value that the location must hold for the write to happen; none if it always happens.
        expected: Option<Expression>,
        /// The value that is written; [`Expression::Read`] in it is the value read.
        new: Expression,
        /// The way in which the access is ordered.
        strength: Strength,
    },
    /// The instruction is a fence.
    Fence(Fence),
    /// The instruction goes on at another one if a value is not 0.
    Branch {
        /// The value that decides.
        condition: Expression,
        /// The index of the other instruction; the number of instructions for the end.
        target: usize,
    },
}

/// The way in which a read-modify-write is ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strength {
    /// The access is an instruction of x86 with a lock: a full fence on both sides.
    Locked,
    /// The access is a pair of `lwarx` and `stwcx.`, which orders nothing.
    Reserved,
    /// The access is a C11 operation, with the order that it has where it writes, and the one where it does not.
    Ordered(Order, Order),
    /// The access is an instruction, or a pair of exclusive ones, of ARM or RISC-V.
    Annotated(Annotations),
}

/// The kind of a fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fence {
    /// A full fence: `sync`, `mfence`.
    Full,
    /// A lightweight fence: `lwsync`.
    Lightweight,
    /// A fence between stores: `eieio`, `sfence`.
    Stores,
    /// A fence between what was fetched before and what is fetched later: `isync`, `lfence`.
    Instructions,
    /// A fence such as [`Fence::Instructions`] that comes behind the addresses of accesses, too: `isb`.
    Context,
    /// Another fence of ARM or RISC-V, as the number of fences of each kind that it is.
    Counted(Fences),
    /// A fence of C: `atomic_thread_fence`.
    C(Order),
}

/// A value that an instruction computes.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// A constant.
    Number(Value),
    /// The value that a register holds.
    Register(Register),
    /// The value that the read of an [`Operation::Update`] returned.
    Read,
    /// A value computed from two others.
    Binary(Binary, Box<(Expression, Expression)>),
    /// The second or the third value, chosen by whether the first one is not 0.
    Select(Box<[Expression; 3]>),
    /// The value 0, which says that the last [`Operation::Update`] has stored, and depends on that store as RISC-V has it.
    Stored,
}

impl Expression {
    /// Makes a value that is computed from two others.
    #[must_use]
    pub fn binary(operator: Binary, left: Self, right: Self) -> Self {
        Self::Binary(operator, Box::new((left, right)))
    }
}

/// A function that makes of the operand of a read-modify-write the value that it writes; [`Expression::Read`] is what it reads.
pub(crate) type Computed = fn(Expression) -> Expression;

/// An operator that computes a value from two others. Comparisons give 0 or 1.
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
    /// The bits that are set in both.
    And,
    /// The bits that are set in either.
    Or,
    /// The bits that are set in exactly one.
    Xor,
    /// The left value's bits moved up.
    ShiftLeft,
    /// The left value's bits moved down.
    ShiftRight,
    /// Whether the two are the same.
    Equal,
    /// Whether the two differ.
    NotEqual,
    /// Whether the left value is less.
    Less,
    /// Whether the left value is not more.
    LessOrEqual,
}

impl Binary {
    /// Returns the value that the operator computes from two others.
    #[must_use]
    pub fn apply(self, left: Value, right: Value) -> Value {
        // A shift by a distance of 64 or more moves all bits out, as on POWER.
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
