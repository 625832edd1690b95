//! The condition that a test asks of final states.

use engine::event::Location;
use engine::graph::Value;

use crate::code::Register;
use crate::text::TextPosition;

/// An item that a final state lists.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Observable {
    /// A thread's register.
    Register(usize, Register),
    /// A shared location.
    Location(Location),
}

/// The question that a condition asks about its proposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// Whether some execution satisfies the proposition.
    Exists,
    /// Whether no execution satisfies the proposition.
    NotExists,
    /// Whether all executions satisfy the proposition.
    Forall,
}

/// The condition of a test.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    /// The question that is asked.
    pub quantifier: Quantifier,
    /// The proposition that the question is about.
    pub proposition: Proposition,
    /// The condition as it is written, each run of blanks made one.
    pub text: String,
    /// The place in the file.
    pub position: TextPosition,
}

/// A statement that is true or false of a final state. Places are indices of [`crate::Test::observables`].
#[derive(Clone, PartialEq, Debug)]
pub enum Proposition {
    /// The statement is always true.
    True,
    /// The place holds this value.
    Is(usize, Value),
    /// The two places hold the same value.
    Same(usize, usize),
    /// The other statement is false.
    Not(Box<Self>),
    /// All of the statements are true.
    All(Vec<Self>),
    /// At least one of the statements is true.
    Any(Vec<Self>),
}

/// A final state: the values of [`crate::Test::observables`].
pub type State = Vec<Value>;

impl Proposition {
    /// Whether the proposition is true of a final state.
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

/// How many of the executions satisfy the proposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observation {
    /// No execution satisfies the proposition.
    Never,
    /// Some executions satisfy the proposition, and some do not.
    Sometimes,
    /// All executions satisfy the proposition.
    Always,
}

impl Observation {
    /// Returns the observation's name, as herd7 has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Never => "Never",
            Self::Sometimes => "Sometimes",
            Self::Always => "Always",
        }
    }
}
