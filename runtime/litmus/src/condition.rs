//! The condition that a test asks of final states.

use engine::event::Location;
use engine::graph::Value;

use crate::code::Register;
use crate::text::TextPosition;

/// What a final state lists.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Observable {
    /// A thread's register.
    Register(usize, Register),
    /// A shared location.
    Location(Location),
}

/// How a condition asks for its proposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// Does some execution satisfy it?
    Exists,
    /// Does no execution satisfy it?
    NotExists,
    /// Do all executions satisfy it?
    Forall,
}

/// The condition of a test.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// How it asks.
    pub quantifier: Quantifier,
    /// What it asks for.
    pub proposition: Proposition,
    /// As it is written, blanks made one.
    pub text: String,
    /// Where it stands.
    pub position: TextPosition,
}

/// Something that is true or false of a final state. Places are indices of [`crate::Test::observables`].
#[derive(Clone, PartialEq, Debug)]
pub enum Proposition {
    /// It holds.
    True,
    /// The place holds this.
    Is(usize, Value),
    /// The places hold the same.
    Same(usize, usize),
    /// It is not so.
    Not(Box<Self>),
    /// All are so.
    All(Vec<Self>),
    /// Some are so.
    Any(Vec<Self>),
}

/// A final state: the values of [`crate::Test::observables`].
pub type State = Vec<Value>;

impl Proposition {
    /// Whether it is so.
    #[must_use]
    pub fn holds(&self, state: &[Value]) -> bool {
        match self {
            Self::True => true,
            Self::Is(place, value) => state[*place] == *value,
            Self::Same(one, other) => state[*one] == state[*other],
            Self::Not(other) => !other.holds(state),
            Self::All(all) => all.iter().all(|one| one.holds(state)),
            Self::Any(any) => any.iter().any(|one| one.holds(state)),
        }
    }
}

/// Whether executions satisfy the proposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observation {
    /// None does.
    Never,
    /// Some do.
    Sometimes,
    /// All do.
    Always,
}

impl Observation {
    /// Its name, as herd7 has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Never => "Never",
            Self::Sometimes => "Sometimes",
            Self::Always => "Always",
        }
    }
}
