//! The outcomes of executions as the program observed them with `fh_observe`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The distinct observed outcomes of complete executions that did not fail. Two sets can be joined.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Outcomes {
    /// The outcomes that are kept.
    distinct: BTreeSet<String>,
    /// Whether some execution observed nothing.
    has_silent: bool,
    /// Whether there are more outcomes than [`Self::MOST`].
    leaves_out: bool,
}

impl Outcomes {
    /// The most outcomes that are kept: the first ones in the order of their bytes.
    pub const MOST: usize = 1 << 16;

    /// The most bytes of an outcome that are kept; a hash stands for the rest.
    pub const LONGEST: usize = 1024;

    /// Whether an outcome is known.
    #[must_use]
    pub fn contains(&self, outcome: &str) -> bool {
        self.distinct.contains(outcome)
    }

    /// Adds the outcome of an execution.
    pub fn insert(&mut self, outcome: String) {
        self.distinct.insert(outcome);
        if self.distinct.len() > Self::MOST {
            self.distinct.pop_last();
            self.leaves_out = true;
        }
    }

    /// Adds an execution that observed nothing.
    pub const fn insert_silent(&mut self) {
        self.has_silent = true;
    }

    /// Adds the outcomes of other executions of the same program.
    pub fn join(&mut self, others: &Self) {
        self.has_silent |= others.has_silent;
        self.leaves_out |= others.leaves_out;
        for outcome in &others.distinct {
            self.insert(outcome.clone());
        }
    }

    /// Returns all outcomes that are kept, sorted; the outcome of executions that observed nothing is the empty string.
    /// Returns nothing if no execution observed anything.
    pub fn all(&self) -> Vec<&str> {
        let silent = self.has_silent && !self.distinct.is_empty();
        silent.then_some("").into_iter().chain(self.distinct.iter().map(String::as_str)).collect()
    }

    /// Whether there are more outcomes than are kept.
    #[must_use]
    pub const fn leaves_out(&self) -> bool {
        self.leaves_out
    }
}

#[cfg(test)]
mod tests {
    use super::Outcomes;

    #[test]
    fn what_is_kept_does_not_depend_on_how_executions_are_divided() {
        let outcome = |number: usize| format!("{number:08}");
        let numbers = 0..Outcomes::MOST + 10;
        let mut whole = Outcomes::default();
        let mut halves = [Outcomes::default(), Outcomes::default()];
        for number in numbers.rev() {
            whole.insert(outcome(number));
            halves[number % 2].insert(outcome(number));
        }
        let [mut joined, other] = halves;
        assert!(!joined.leaves_out() && !other.leaves_out());
        joined.join(&other);
        assert_eq!(joined, whole);
        assert!(whole.leaves_out() && whole.all().len() == Outcomes::MOST);
        assert_eq!(whole.all()[..2], ["00000000", "00000001"]);
    }

    #[test]
    fn nothing_observed_is_an_outcome_only_beside_others() {
        let mut outcomes = Outcomes::default();
        outcomes.insert_silent();
        assert!(outcomes.all().is_empty());
        outcomes.insert("main: 1".to_owned());
        assert_eq!(outcomes.all(), ["", "main: 1"]);
    }
}
