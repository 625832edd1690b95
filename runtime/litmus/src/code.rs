//! What the threads of a test do: instructions of all dialects as a few operations on registers and locations.

use engine::graph::{Annotations, Fences, Value};
use engine::mapping::Order;

use crate::text::TextPosition;

/// A register of a thread, by its number there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register(pub u16);

impl Register {
    /// Returns the register as an index.
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
    /// Returns the register with this name, declared now if it was not.
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
    /// What it does.
    pub operation: Operation,
    /// Where it stands.
    pub position: TextPosition,
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
        /// What the instruction orders by itself: none in C.
        annotations: Annotations,
    },
    /// Writes a location.
    Store {
        /// Where.
        address: Expression,
        /// What.
        value: Expression,
        /// Its C11 order; relaxed in assembly.
        order: Order,
        /// What the instruction orders by itself: none in C.
        annotations: Annotations,
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
    /// An instruction, or a pair of exclusive ones, of ARM or RISC-V.
    Annotated(Annotations),
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
    /// `isb`: the same, and behind the addresses of accesses, too.
    Context,
    /// Others of ARM and RISC-V: how many fences of each kind it is.
    Counted(Fences),
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
    /// The second or the third one, by whether the first one is not 0.
    Select(Box<[Expression; 3]>),
    /// 0: that the last [`Operation::Update`] has stored, which depends on it as RISC-V has it.
    Stored,
}

impl Expression {
    /// Computed from two others.
    #[must_use]
    pub fn binary(operator: Binary, left: Self, right: Self) -> Self {
        Self::Binary(operator, Box::new((left, right)))
    }
}

/// What a read-modify-write writes, given its operand; [`Expression::Read`] is what it reads.
pub(crate) type Computed = fn(Expression) -> Expression;

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
