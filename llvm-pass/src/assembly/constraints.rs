//! The constraints of inline assembly as LLVM writes them: `=r,=*m,={ax},r,*m,0,~{memory}`.

use super::conditions::Condition;
use super::registers::Named;

/// An output or input of inline assembly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    pub(crate) role: Role,
    pub(crate) place: Place,
    /// The size of its type, or in memory of the type that it points to, where that is a scalar.
    pub(crate) bytes: Option<u64>,
}

/// The direction in which an operand goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// The operand is a part of the call's result.
    Output,
    /// The operand is an argument of the call; arguments are in the order of the slots.
    Input,
}

/// The place of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// The operand is in memory: the argument is its address.
    Memory,
    /// The operand is in a register of the compiler's choice, or a constant.
    Any,
    /// The operand is in this register.
    Register(Named),
    /// The operand is where the output with this number is.
    Tied(usize),
    /// The operand is in the flags.
    Flag(Condition),
}

/// Reads the constraints; returns none if one of them is not known. `bytes` has one entry for each slot, in order.
pub(crate) fn parse(text: &str, bytes: &[Option<u64>]) -> Option<Vec<Slot>> {
    let mut slots = Vec::new();
    for constraint in text.split(',').filter(|constraint| !constraint.is_empty() && !constraint.starts_with('~')) {
        let (role, rest) = match constraint.strip_prefix('=') {
            Some(rest) => (Role::Output, rest.trim_start_matches('&')),
            None => (Role::Input, constraint),
        };
        let (place, rest) = match rest.strip_prefix('*') {
            Some(rest) if rest.contains(['m', 'o', 'V', 'g']) => (Some(Place::Memory), rest),
            Some(_) => return None,
            None => (None, rest),
        };
        // The address of an output in memory is an argument.
        let role = if place.is_some() { Role::Input } else { role };
        let place = match place {
            Some(place) => place,
            None => place_of(rest.trim_start_matches('%'))?,
        };
        slots.push(Slot { role, place, bytes: bytes.get(slots.len()).copied().flatten() });
    }
    Some(slots)
}

fn place_of(constraint: &str) -> Option<Place> {
    if let Some(name) = constraint.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return match name.strip_prefix("@cc") {
            Some(condition) => Condition::of(condition).map(Place::Flag),
            None => Named::of(name).map(|(register, _)| Place::Register(register)),
        };
    }
    if let Ok(output) = constraint.parse() {
        return Some(Place::Tied(output));
    }
    // Registers of the general kind, constants, or both; memory, if LLVM may choose, is as good.
    let general = |letter| "rqQRlgmXinIJKLMNeZsEo".contains(letter);
    (!constraint.is_empty() && constraint.chars().all(general)).then_some(Place::Any)
}

#[cfg(test)]
mod tests {
    use super::Role::{Input, Output};
    use super::{Place, Role, parse};

    #[test]
    fn operands_are_found_where_llvm_puts_them() {
        let slots = parse("=r,=*m,={ax},={@ccz},er,*m,0,~{memory},~{dirflag}", &[Some(4); 7]).unwrap();
        let roles: Vec<Role> = slots.iter().map(|slot| slot.role).collect();
        assert_eq!(roles, [Output, Input, Output, Output, Input, Input, Input]);
        assert_eq!(slots[1].place, Place::Memory);
        assert_eq!(slots[6].place, Place::Tied(0));
        assert_eq!(slots[4].place, Place::Any);
    }

    #[test]
    fn vector_registers_are_not_known() {
        assert_eq!(parse("=x,x", &[]), None);
        assert_eq!(parse("=A", &[]), None);
    }
}
