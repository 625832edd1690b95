//! The general registers of x86-64 and their names.

/// A general register of x86-64, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Named(u8);

impl Named {
    pub(crate) const A: Self = Self(0);
    pub(crate) const B: Self = Self(1);
    pub(crate) const C: Self = Self(2);
    pub(crate) const D: Self = Self(3);

    /// Returns the register with this name, and how many of its bytes the name stands for. (Names of second bytes, such as `ah`,
    /// are not known.)
    pub(crate) fn of(name: &str) -> Option<(Self, u64)> {
        const LETTERS: [&str; 4] = ["a", "b", "c", "d"];
        const OTHERS: [&str; 4] = ["si", "di", "bp", "sp"];
        if let Some(rest) = name.strip_prefix('r')
            && rest.starts_with(|letter: char| letter.is_ascii_digit())
        {
            let digits = rest.trim_end_matches(['d', 'w', 'b']);
            let number = digits.parse().ok().filter(|number| (8..16).contains(number))?;
            let bytes = match &rest[digits.len()..] {
                "" => 8,
                "d" => 4,
                "w" => 2,
                "b" => 1,
                _ => return None,
            };
            return Some((Self(number), bytes));
        }
        let numbered = |names: [&str; 4], first, name| {
            let place = names.iter().position(|&known| known == name)?;
            Some(Self(first + u8::try_from(place).ok()?))
        };
        for (prefix, bytes) in [("r", 8), ("e", 4), ("", 2)] {
            let Some(rest) = name.strip_prefix(prefix) else { continue };
            let letter = rest.strip_suffix('x').and_then(|letter| numbered(LETTERS, 0, letter));
            if let Some(register) = letter.or_else(|| numbered(OTHERS, 4, rest)) {
                return Some((register, bytes));
            }
        }
        let low = name.strip_suffix('l')?;
        numbered(LETTERS, 0, low).or_else(|| numbered(OTHERS, 4, low)).map(|register| (register, 1))
    }

    /// Whether the register is the frame or stack pointer.
    pub(crate) const fn is_of_the_stack(self) -> bool {
        self.0 == 6 || self.0 == 7
    }
}

#[cfg(test)]
mod tests {
    use super::Named;

    #[test]
    fn registers_have_their_names() {
        for (name, expected) in [
            ("rax", Some((0, 8))),
            ("eax", Some((0, 4))),
            ("ax", Some((0, 2))),
            ("al", Some((0, 1))),
            ("edx", Some((3, 4))),
            ("rsi", Some((4, 8))),
            ("dil", Some((5, 1))),
            ("rsp", Some((7, 8))),
            ("r8", Some((8, 8))),
            ("r15d", Some((15, 4))),
            ("ah", None),
            ("r16", None),
            ("xmm0", None),
        ] {
            assert_eq!(Named::of(name).map(|(register, bytes)| (register.0, bytes)), expected, "{name}");
        }
    }
}
