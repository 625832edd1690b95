//! The operands of instructions: `$0`, `${1:b}`, `%rax`, `$$5`, `8($1)`.

use super::constraints::{Place, Slot};
use super::registers::Named;

/// A register: a named one, or the one that an operand is in, by the number of its slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Register {
    Named(Named),
    Slot(usize),
}

impl Register {
    /// Returns the register that an operand outside memory is in.
    pub(crate) fn of(slots: &[Slot], number: usize) -> Option<Self> {
        match slots.get(number)?.place {
            Place::Any => Some(Self::Slot(number)),
            Place::Register(name) => Some(Self::Named(name)),
            Place::Tied(output) if output < number => Self::of(slots, output),
            Place::Tied(_) | Place::Memory | Place::Flag(_) => None,
        }
    }
}

/// An operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    Immediate(i64),
    Register(Register),
    Memory(Memory),
    /// The operand is on the stack, apart from the variables of C.
    Stack,
}

/// A place in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Memory {
    pub(crate) base: Base,
    pub(crate) displacement: i64,
}

/// The base that an address is counted from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    /// The operand in memory with this number.
    Slot(usize),
    /// The address in a register.
    Register(Register),
}

/// An operand, and the number of bytes that it implies.
pub(crate) type Sized = (Operand, Option<u64>);

/// Splits operands at the commas that are not in parentheses.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let separates = |letter: char| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ',' && depth == 0
    };
    text.split(separates).map(str::trim).filter(|operand| !operand.is_empty()).collect()
}

/// Reads an operand; returns none if its form is not known.
pub(crate) fn parse(text: &str, slots: &[Slot]) -> Option<Sized> {
    if let Some(number) = text.strip_prefix("$$") {
        return Some((Operand::Immediate(integer(number)?), None));
    }
    if let Some(name) = text.strip_prefix('%') {
        let (register, bytes) = Named::of(name)?;
        return Some((Operand::Register(Register::Named(register)), Some(bytes)));
    }
    if let Some((displacement, base)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        let displacement = if displacement.trim().is_empty() { 0 } else { integer(displacement.trim())? };
        let base = address_register(base.trim(), slots)?;
        if matches!(base, Register::Named(name) if name.is_of_the_stack()) {
            return Some((Operand::Stack, None));
        }
        return Some((Operand::Memory(Memory { base: Base::Register(base), displacement }), None));
    }
    let (displacement, reference) = match text.split_once('+') {
        Some((displacement, reference)) if reference.trim().starts_with('$') => {
            (integer(displacement.trim())?, reference.trim())
        }
        Some((reference, displacement)) => (integer(displacement.trim())?, reference.trim()),
        None => (0, text),
    };
    let (number, modified) = slot(reference)?;
    let known = slots.get(number)?;
    if known.place == Place::Memory {
        let memory = Memory { base: Base::Slot(number), displacement };
        return modified.is_none().then_some((Operand::Memory(memory), known.bytes));
    }
    let register = Register::of(slots, number)?;
    (displacement == 0).then_some((Operand::Register(register), modified.or(known.bytes)))
}

/// Reads a register that holds an address.
fn address_register(text: &str, slots: &[Slot]) -> Option<Register> {
    if let Some(name) = text.strip_prefix('%') {
        return Named::of(name).filter(|&(_, bytes)| bytes >= 4).map(|(register, _)| Register::Named(register));
    }
    let (number, modified) = slot(text)?;
    modified.is_none_or(|bytes| bytes == 8).then(|| Register::of(slots, number))?
}

/// Returns the slot that `$0` or `${0:b}` names, and the number of bytes that the modifier asks for.
fn slot(text: &str) -> Option<(usize, Option<u64>)> {
    let name = text.strip_prefix('$')?;
    let Some(inner) = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')) else {
        return Some((name.parse().ok()?, None));
    };
    let (number, modifier) = inner.split_once(':')?;
    let bytes = match modifier {
        "b" => 1,
        "w" => 2,
        "k" => 4,
        "q" => 8,
        _ => return None,
    };
    Some((number.parse().ok()?, Some(bytes)))
}

/// Reads a number in decimal or hexadecimal.
fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok()?.cast_signed(),
        None => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

#[cfg(test)]
mod tests {
    use super::{Base, Memory, Operand, Register, parse, split};
    use crate::assembly::constraints;

    #[test]
    fn operands_are_read_in_all_their_forms() {
        let slots = constraints::parse("=r,*m,r,0", &[Some(4), Some(8), Some(8), Some(4)]).unwrap();
        let read = |text| parse(text, &slots);
        assert_eq!(read("$$-0x10"), Some((Operand::Immediate(-16), None)));
        assert_eq!(read("$0"), Some((Operand::Register(Register::Slot(0)), Some(4))));
        assert_eq!(read("${0:b}"), Some((Operand::Register(Register::Slot(0)), Some(1))));
        assert_eq!(read("$3"), Some((Operand::Register(Register::Slot(0)), Some(4))));
        let memory = |base, displacement| Operand::Memory(Memory { base, displacement });
        assert_eq!(read("$1"), Some((memory(Base::Slot(1), 0), Some(8))));
        assert_eq!(read("8+$1"), Some((memory(Base::Slot(1), 8), Some(8))));
        assert_eq!(read("-4($2)"), Some((memory(Base::Register(Register::Slot(2)), -4), None)));
        assert_eq!(read("-128(%rsp)"), Some((Operand::Stack, None)));
        assert_eq!(read("%fs:0"), None);
        assert_eq!(read("symbol"), None);
        assert_eq!(split("$0, 8(%rax,%rbx,4),%al"), ["$0", "8(%rax,%rbx,4)", "%al"]);
    }
}
