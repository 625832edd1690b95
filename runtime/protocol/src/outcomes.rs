//! What executions observed (`fh_observe`).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The distinct outcomes of complete executions that did not fail. Two sets can be joined.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Outcomes {
    distinct: BTreeSet<String>,
    /// An execution observed nothing.
    has_silent: bool,
    /// There are more than [`Self::MOST`].
    leaves_out: bool,
}

impl Outcomes {
    /// How many outcomes are kept: the first ones in the order of their bytes.
    pub const MOST: usize = 1 << 16;

    /// How many bytes of an outcome are kept; behind them, a hash stands for the rest.
    pub const LONGEST: usize = 1024;

    /// Takes the outcome of an execution.
    pub fn insert(&mut self, outcome: String) {
        self.distinct.insert(outcome);
        if self.distinct.len() > Self::MOST {
            self.distinct.pop_last();
            self.leaves_out = true;
        }
    }

    /// Takes an execution that observed nothing.
    pub const fn insert_silent(&mut self) {
        self.has_silent = true;
    }

    /// Takes those of other executions of the same program.
    pub fn join(&mut self, others: &Self) {
        self.has_silent |= others.has_silent;
        self.leaves_out |= others.leaves_out;
        for outcome in &others.distinct {
            self.insert(outcome.clone());
        }
    }

    /// All that are kept, sorted; that of executions that observed nothing is empty. None if no execution observed
    /// anything.
    pub fn all(&self) -> Vec<&str> {
        let silent = self.has_silent && !self.distinct.is_empty();
        silent.then_some("").into_iter().chain(self.distinct.iter().map(String::as_str)).collect()
    }

    /// Whether there are more than are kept.
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
