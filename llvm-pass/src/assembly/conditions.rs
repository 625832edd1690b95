//! The conditions of `setcc` and of outputs in flags, by their names.

/// A condition on flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Condition {
    pub(crate) test: Test,
    pub(crate) negated: bool,
}

/// The test that a condition or its opposite makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Test {
    Overflow,
    Below,
    Equal,
    BelowOrEqual,
    Sign,
    Less,
    LessOrEqual,
}

impl Condition {
    /// Returns the condition with this name: `e`, `nz`, `c`, …
    pub(crate) fn of(name: &str) -> Option<Self> {
        let plain = |name| {
            Some(match name {
                "o" => (Test::Overflow, false),
                "b" | "c" | "nae" => (Test::Below, false),
                "ae" => (Test::Below, true),
                "e" | "z" => (Test::Equal, false),
                "be" | "na" => (Test::BelowOrEqual, false),
                "a" => (Test::BelowOrEqual, true),
                "s" => (Test::Sign, false),
                "l" | "nge" => (Test::Less, false),
                "ge" => (Test::Less, true),
                "le" | "ng" => (Test::LessOrEqual, false),
                "g" => (Test::LessOrEqual, true),
                _ => return None,
            })
        };
        let opposite = || plain(name.strip_prefix('n')?).map(|(test, negated)| (test, !negated));
        plain(name).or_else(opposite).map(|(test, negated)| Self { test, negated })
    }
}

#[cfg(test)]
mod tests {
    use super::Condition;

    #[test]
    fn opposites_are_opposite() {
        for name in ["o", "b", "c", "e", "z", "be", "a", "s", "l", "ge", "le", "g", "ae", "na", "nge"] {
            let (one, other) = (Condition::of(name).unwrap(), Condition::of(&format!("n{name}")));
            if let Some(other) = other {
                assert_eq!((one.test, !one.negated), (other.test, other.negated), "{name}");
            }
        }
        assert_eq!(Condition::of("x"), None);
    }
}
