//! The instructions of inline assembly that are understood.

use super::conditions::{Condition, Test};
use super::constraints::{Place, Slot};
use super::operands::{Operand, Register, Sized, parse as parse_operand, split};
use crate::abi::{
    FH_FENCE_INSTRUCTIONS, FH_FENCE_LOADS, FH_FENCE_PAIRS, FH_FENCE_READ_READ, FH_FENCE_READ_WRITE, FH_FENCE_STORES,
    FH_FENCE_WRITE_READ, FH_FENCE_WRITE_WRITE,
};

/// An instruction. Widths are in bytes: 1, 2, 4 or 8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instruction {
    /// A fence, by its number in the hook ABI.
    Fence(u32),
    /// `mov`.
    Move { from: Operand, to: Operand, width: u64 },
    /// `xchg`, which is locked without saying so.
    Exchange { register: Register, with: Operand, width: u64 },
    /// `add`, `sub`, … of the target and the source.
    Arithmetic { operator: Operator, source: Operand, target: Operand, width: u64, lock: Lock },
    /// `xadd`.
    ExchangeAdd { register: Register, target: Operand, width: u64, lock: Lock },
    /// `cmpxchg`, which compares with the accumulator.
    CompareExchange { desired: Register, target: Operand, width: u64, lock: Lock },
    /// A locked `cmpxchg8b` or `cmpxchg16b`, by the width of one half.
    CompareExchangePair { target: Operand, half: u64 },
    /// `bts`, `btr`, `btc`, `bt`.
    Bit { operator: BitOperator, offset: Operand, target: Operand, width: u64, lock: Lock },
    /// `sete` and the like.
    Set { condition: Condition, target: Operand },
    /// `sbb` of a register and itself: all ones if there is a carry, else zero.
    Borrow { register: Register, width: u64 },
}

/// Whether an instruction is indivisible, by a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lock {
    Locked,
    Plain,
}

/// An operation of one or two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Add,
    Subtract,
    And,
    Or,
    Xor,
    /// A subtraction that only sets flags.
    Compare,
    /// An `and` that only sets flags.
    Test,
    Increment,
    Decrement,
    Negate,
    Not,
}

/// An operation on a bit, whose old value becomes the carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BitOperator {
    Set,
    Reset,
    Complement,
    Test,
}

/// A set of flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Flags(u8);

impl Flags {
    const NONE: Self = Self(0);
    const CARRY: Self = Self(1);
    const ZERO: Self = Self(2);
    const ALL_BUT_CARRY: Self = Self(14);
    const ALL: Self = Self(15);
}

/// Returns the flags that a condition looks at.
const fn flags_of(condition: Condition) -> Flags {
    match condition.test {
        Test::Below => Flags::CARRY,
        Test::Equal => Flags::ZERO,
        Test::Overflow => Flags(8),
        Test::Sign => Flags(4),
        Test::BelowOrEqual => Flags(3),
        Test::Less => Flags(12),
        Test::LessOrEqual => Flags(14),
    }
}

/// Whether a statement does nothing that other threads could see, in any form.
pub(crate) fn is_nothing(statement: &str) -> bool {
    const PREFETCHES: [&str; 6] = ["prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta", "prefetchw", "prefetch"];
    matches!(statement, "pause" | "nop" | "rep nop" | "yield" | "wfe" | "wfi" | "sev" | "sevl" | "fence.i")
        || statement.split(' ').next().is_some_and(|name| PREFETCHES.contains(&name))
}

/// Whether a statement is one of ARM, RISC-V or POWER, understood or not: no assembler of x86 takes it.
pub(crate) fn is_foreign(statement: &str) -> bool {
    const FENCES: [&str; 11] =
        ["sync", "hwsync", "lwsync", "eieio", "isync", "dmb", "dsb", "isb", "fence", "fence.tso", "fence.i"];
    const HINTS: [&str; 5] = ["yield", "wfe", "wfi", "sev", "sevl"];
    const OTHERS: [&str; 19] = [
        "clrex", "mrs", "msr", "cbz", "cbnz", "beqz", "bnez", "lw", "sw", "ld", "sd", "lwz", "lwarx", "ldarx",
        "stwcx.", "stdcx.", "sb", "ssbb", "pssbb",
    ];
    // Loads, stores and read-modify-writes, whose names go on with their orders and widths.
    const ACCESSES: [&str; 19] = [
        "ldr", "ldar", "ldapr", "ldxr", "ldaxr", "ldxp", "ldaxp", "stlr", "stxr", "stlxr", "stxp", "stlxp", "swp",
        "cas", "ldadd", "stadd", "lr.", "sc.", "amo",
    ];
    let (first, rest) = statement.split_once(' ').unwrap_or((statement, ""));
    // Behind a label.
    let name = if first.ends_with(':') { rest.split(' ').next().unwrap_or("") } else { first };
    [&FENCES[..], &HINTS, &OTHERS].iter().any(|names| names.contains(&name))
        || ACCESSES.iter().any(|beginning| name.starts_with(beginning))
}

const ACQ_REL: u32 = 4;
const SEQ_CST: u32 = 5;

/// Returns the number in the hook ABI of the fence that a statement is, if it is one.
fn fence(statement: &str) -> Option<u32> {
    Some(match statement {
        "mfence" | "sync" | "hwsync" | "dmb" | "dsb" | "fence" => SEQ_CST,
        "lwsync" | "fence.tso" => ACQ_REL,
        "sfence" | "eieio" => FH_FENCE_STORES,
        "lfence" | "isync" | "isb" | "isb sy" => FH_FENCE_INSTRUCTIONS,
        _ => return fence_of_arm(statement).or_else(|| fence_of_riscv(statement)),
    })
}

/// Returns the number in the hook ABI of a fence of ARM, `dmb ishld` and its like.
fn fence_of_arm(statement: &str) -> Option<u32> {
    let (name, option) = statement.split_once(' ').filter(|(name, _)| matches!(*name, "dmb" | "dsb"))?;
    // These prefixes say who shares the memory; here, all threads do.
    let kind = ["ish", "osh"].into_iter().find_map(|domain| option.strip_prefix(domain)).unwrap_or(option);
    match (name, kind) {
        ("dmb", "st") => Some(FH_FENCE_STORES),
        ("dsb", "st") => Some(FH_FENCE_PAIRS | FH_FENCE_WRITE_READ | FH_FENCE_WRITE_WRITE),
        (_, "ld") => Some(FH_FENCE_LOADS),
        _ if matches!(option, "sy" | "ish" | "osh") => Some(SEQ_CST),
        _ => None,
    }
}

/// Returns the number in the hook ABI of a fence of RISC-V, `fence rw,w` and its like. Input and output count for nothing.
pub(super) fn fence_of_riscv(statement: &str) -> Option<u32> {
    let (before, after) = statement.strip_prefix("fence ")?.split_once(',')?;
    let [before, after] = [before.trim(), after.trim()];
    let is_set = |set: &str| !set.is_empty() && set.chars().all(|one| "iorw".contains(one));
    if !is_set(before) || !is_set(after) {
        return None;
    }
    let pair = |one, other, number| if before.contains(one) && after.contains(other) { number } else { 0 };
    let pairs = pair('r', 'r', FH_FENCE_READ_READ)
        | pair('r', 'w', FH_FENCE_READ_WRITE)
        | pair('w', 'r', FH_FENCE_WRITE_READ)
        | pair('w', 'w', FH_FENCE_WRITE_WRITE);
    Some(match (before.replace(['i', 'o'], "").as_str(), after.replace(['i', 'o'], "").as_str()) {
        ("rw", "rw") => SEQ_CST,
        ("r", "rw") => FH_FENCE_LOADS,
        ("w", "w") => FH_FENCE_STORES,
        _ => FH_FENCE_PAIRS | pairs,
    })
}

/// Reads statements; returns none if one of them is not understood, or looks at flags that no statement before it has set.
pub(crate) fn parse(statements: &[String], slots: &[Slot]) -> Option<Vec<Instruction>> {
    let mut known = Flags::NONE;
    let mut found = Vec::new();
    for statement in statements.iter().filter(|statement| !is_nothing(statement)) {
        let instruction = match fence(statement) {
            Some(number) => Instruction::Fence(number),
            None => parse_one(statement, slots)?,
        };
        let (needs, sets) = flags(&instruction);
        if needs.0 & !known.0 != 0 {
            return None;
        }
        known = Flags(known.0 | sets.0);
        found.push(instruction);
    }
    let wanted = slots.iter().filter_map(|slot| match slot.place {
        Place::Flag(condition) => Some(flags_of(condition).0),
        _ => None,
    });
    (wanted.fold(0, |all, one| all | one) & !known.0 == 0).then_some(found)
}

/// Returns the flags that an instruction looks at, and those that it sets.
const fn flags(instruction: &Instruction) -> (Flags, Flags) {
    match instruction {
        Instruction::Arithmetic { operator: Operator::Increment | Operator::Decrement, .. } => {
            (Flags::NONE, Flags::ALL_BUT_CARRY)
        }
        Instruction::Arithmetic { operator: Operator::Not, .. }
        | Instruction::Fence(_)
        | Instruction::Move { .. }
        | Instruction::Exchange { .. } => (Flags::NONE, Flags::NONE),
        Instruction::Arithmetic { .. } | Instruction::ExchangeAdd { .. } | Instruction::CompareExchange { .. } => {
            (Flags::NONE, Flags::ALL)
        }
        Instruction::CompareExchangePair { .. } => (Flags::NONE, Flags::ZERO),
        Instruction::Bit { .. } => (Flags::NONE, Flags::CARRY),
        Instruction::Set { condition, .. } => (flags_of(*condition), Flags::NONE),
        Instruction::Borrow { .. } => (Flags::CARRY, Flags::NONE),
    }
}

/// The names of the instructions whose suffix may say their width.
const MNEMONICS: [&str; 21] = [
    "mov", "xchg", "add", "sub", "and", "or", "xor", "cmp", "test", "inc", "dec", "neg", "not", "xadd", "cmpxchg",
    "bts", "btr", "btc", "bt", "sbb", "movabs",
];

/// Splits a name into the instruction and the width that its suffix says.
fn mnemonic(name: &str) -> Option<(&str, Option<u64>)> {
    if MNEMONICS.contains(&name) {
        return Some((name, None));
    }
    let (name, suffix) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let width = match suffix {
        "b" => 1,
        "w" => 2,
        "l" => 4,
        "q" => 8,
        _ => return None,
    };
    MNEMONICS.contains(&name).then_some((name, Some(width)))
}

fn parse_one(statement: &str, slots: &[Slot]) -> Option<Instruction> {
    let (lock, statement) = match statement.strip_prefix("lock ") {
        Some(rest) => (Lock::Locked, rest),
        None => (Lock::Plain, statement),
    };
    let (name, rest) = statement.split_once(' ').unwrap_or((statement, ""));
    let operands: Vec<Sized> =
        split(rest).into_iter().map(|operand| parse_operand(operand, slots)).collect::<Option<_>>()?;
    if let ("cmpxchg8b" | "cmpxchg16b", Lock::Locked, &[(target @ Operand::Memory(_), _)]) = (name, lock, &*operands) {
        return Some(Instruction::CompareExchangePair { target, half: if name == "cmpxchg8b" { 4 } else { 8 } });
    }
    if let (Some(condition), Lock::Plain, &[(target @ (Operand::Register(_) | Operand::Memory(_)), _)]) =
        (name.strip_prefix("set"), lock, &*operands)
    {
        return Some(Instruction::Set { condition: Condition::of(condition)?, target });
    }
    let (name, suffix) = mnemonic(name)?;
    let width = suffix.or_else(|| implied(&operands)).filter(|width| [1, 2, 4, 8].contains(width))?;
    let instruction = with_width(name, &operands, width, lock)?;
    is_sensible(&instruction, lock).then_some(instruction)
}

/// Returns the width that the operands imply: that of the registers, or else that of the memory.
fn implied(operands: &[Sized]) -> Option<u64> {
    let of = |wanted: fn(&Operand) -> bool| {
        operands.iter().rev().find(|(operand, bytes)| wanted(operand) && bytes.is_some()).and_then(|(_, bytes)| *bytes)
    };
    of(|operand| matches!(operand, Operand::Register(_)))
        .or_else(|| of(|operand| matches!(operand, Operand::Memory(_))))
}

fn with_width(name: &str, operands: &[Sized], width: u64, lock: Lock) -> Option<Instruction> {
    if let &[(target, _)] = operands {
        let operator = match name {
            "inc" => Operator::Increment,
            "dec" => Operator::Decrement,
            "neg" => Operator::Negate,
            "not" => Operator::Not,
            _ => return None,
        };
        return Some(Instruction::Arithmetic { operator, source: Operand::Immediate(0), target, width, lock });
    }
    let &[(source, _), (target, _)] = operands else { return None };
    let arithmetic = |operator| Some(Instruction::Arithmetic { operator, source, target, width, lock });
    let bit = |operator| Some(Instruction::Bit { operator, offset: source, target, width, lock });
    match (name, source, target) {
        ("mov" | "movabs", from, to) => Some(Instruction::Move { from, to, width }),
        ("xchg", Operand::Register(register), with) | ("xchg", with, Operand::Register(register)) => {
            Some(Instruction::Exchange { register, with, width })
        }
        ("xadd", Operand::Register(register), target) => {
            Some(Instruction::ExchangeAdd { register, target, width, lock })
        }
        ("cmpxchg", Operand::Register(desired), target) => {
            Some(Instruction::CompareExchange { desired, target, width, lock })
        }
        ("sbb", Operand::Register(register), Operand::Register(other)) if register == other => {
            Some(Instruction::Borrow { register, width })
        }
        ("add", ..) => arithmetic(Operator::Add),
        ("sub", ..) => arithmetic(Operator::Subtract),
        ("and", ..) => arithmetic(Operator::And),
        ("or", ..) => arithmetic(Operator::Or),
        ("xor", ..) => arithmetic(Operator::Xor),
        ("cmp", ..) => arithmetic(Operator::Compare),
        ("test", ..) => arithmetic(Operator::Test),
        ("bts", ..) if width > 1 => bit(BitOperator::Set),
        ("btr", ..) if width > 1 => bit(BitOperator::Reset),
        ("btc", ..) if width > 1 => bit(BitOperator::Complement),
        ("bt", ..) if width > 1 => bit(BitOperator::Test),
        _ => None,
    }
}

/// Whether the processor has the instruction with these operands, and the instruction does nothing to the stack.
fn is_sensible(instruction: &Instruction, lock: Lock) -> bool {
    let (target, source) = match *instruction {
        Instruction::Arithmetic { operator, source, target: Operand::Stack, .. } => {
            let nothing = match operator {
                Operator::Add | Operator::Subtract | Operator::Or | Operator::Xor => 0,
                Operator::And => -1,
                _ => return false,
            };
            return lock == Lock::Locked && source == Operand::Immediate(nothing);
        }
        Instruction::Arithmetic { operator: Operator::Compare | Operator::Test, source, target, .. } => {
            return lock == Lock::Plain && source != Operand::Stack && target != Operand::Stack;
        }
        Instruction::Bit { operator: BitOperator::Test, .. } if lock == Lock::Locked => return false,
        Instruction::Move { from, to, .. } => (to, from),
        Instruction::Exchange { with, register, .. } => (with, Operand::Register(register)),
        Instruction::Arithmetic { source, target, .. } => (target, source),
        Instruction::ExchangeAdd { target, register, .. } => (target, Operand::Register(register)),
        Instruction::CompareExchange { target, desired, .. } => (target, Operand::Register(desired)),
        Instruction::Bit { target, offset, .. } => (target, offset),
        Instruction::Borrow { register, .. } => (Operand::Register(register), Operand::Immediate(0)),
        Instruction::Fence(_) | Instruction::CompareExchangePair { .. } | Instruction::Set { .. } => return true,
    };
    let in_memory = |operand| matches!(operand, Operand::Memory(_));
    let locked_memory = lock == Lock::Plain || in_memory(target) && !matches!(instruction, Instruction::Move { .. });
    let one_memory = !(in_memory(target) && in_memory(source));
    let known = matches!(target, Operand::Memory(_) | Operand::Register(_)) && source != Operand::Stack;
    known && one_memory && locked_memory
}

#[cfg(test)]
mod tests {
    use super::{Instruction, Lock, Operator, parse};
    use crate::assembly::constraints;
    use crate::assembly::notation::statements;

    fn read(text: &str, constraints: &str, bytes: &[Option<u64>]) -> Option<Vec<Instruction>> {
        parse(&statements(text), &constraints::parse(constraints, bytes)?)
    }

    fn width(text: &str, bytes: &[Option<u64>]) -> Option<u64> {
        match read(text, "*m,r", bytes)?[..] {
            [Instruction::Arithmetic { width, lock: Lock::Locked, .. }] => Some(width),
            _ => None,
        }
    }

    #[test]
    fn the_width_is_that_of_the_suffix_the_register_or_the_memory() {
        assert_eq!(width("lock addl $1, $0", &[Some(80), Some(8)]), Some(4));
        assert_eq!(width("lock add $1, $0", &[Some(80), Some(8)]), Some(8));
        assert_eq!(width("lock add ${1:w}, $0", &[Some(80), Some(8)]), Some(2));
        assert_eq!(width("lock add $$1, $0", &[Some(2), None]), Some(2));
        assert_eq!(width("lock add $$1, $0", &[Some(80), None]), None);
        assert_eq!(width("lock; sub $1, $0", &[Some(1), Some(1)]), Some(1));
    }

    #[test]
    fn flags_must_have_been_set() {
        let sizes = [Some(1), Some(4), Some(4)];
        assert!(read("lock decl $1; sete $0", "=q,*m,*m", &sizes).is_some());
        assert!(read("lock decl $1; setc $0", "=q,*m,*m", &sizes).is_none());
        assert!(read("sete $0; lock decl $1", "=q,*m,*m", &sizes).is_none());
        assert!(read("lock btsl $$1, $1", "={@ccc},*m,*m", &sizes).is_some());
        assert!(read("lock btsl $$1, $1", "={@ccz},*m,*m", &sizes).is_none());
    }

    #[test]
    fn fences_of_arm_and_risc_v_order_what_they_name() {
        let number = |text: &str| match read(text, "~{memory}", &[])?[..] {
            [Instruction::Fence(number)] => Some(number),
            _ => None,
        };
        for (text, expected) in [
            ("dmb ish", Some(5)),
            ("dsb sy", Some(5)),
            ("dmb oshld", Some(7)),
            ("dsb ishst", Some(16 + 4 + 8)),
            ("dmb ishst", Some(6)),
            ("dmb nothing", None),
            ("dmb #9", None),
            ("dmb nsh", None),
            ("fence", Some(5)),
            ("fence iorw, iorw", Some(5)),
            ("fence r,rw", Some(7)),
            ("fence rw,w", Some(16 + 2 + 8)),
            ("fence w,r", Some(16 + 4)),
            ("fence.tso", Some(4)),
            ("fence rx,w", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn instructions_of_other_machines_are_told_from_those_of_this_one() {
        for text in ["dmb nsh", "1: ldxr ${0:w}, $2", "stlxrb ${0:w}, ${1:w}, $2", "yield", "lr.w.aqrl $0, $1"] {
            assert!(super::is_foreign(text), "{text}");
        }
        for text in ["sfence", "1: lock cmpxchgl $1, $0", "lea 1($0), $1", "str $0", "ldmxcsr $0", "scasb", "swapgs"] {
            assert!(!super::is_foreign(text), "{text}");
        }
    }

    #[test]
    fn what_is_not_an_instruction_is_not_understood() {
        for text in [
            "lock movl $1, $0",
            "lock",
            "movl $0, $0",
            "lock addl $$1, (%rsp)",
            "addl $$0, (%rsp)",
            "incl %fs:0",
            "jmp 1f",
            "cmpxchg16b $0",
            "lock cmpl $1, $0",
            "vmovdqa $0, %ymm0",
        ] {
            assert_eq!(read(text, "*m,r", &[Some(4), Some(4)]), None, "{text}");
        }
        let fence = read("lock; addl $$0,0(%rsp)", "~{memory}", &[]).unwrap();
        assert!(matches!(fence[..], [Instruction::Arithmetic { operator: Operator::Add, .. }]));
    }
}
