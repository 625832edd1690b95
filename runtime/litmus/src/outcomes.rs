//! The final states of the executions of a test, counted, and as text.

use std::collections::BTreeMap;
use std::fmt::Write;

use engine::graph::Value;

use crate::condition::{Observable, Observation, Quantifier, State};
use crate::test::Test;

/// The final states of the executions of a test.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Outcomes {
    /// The number of executions that end in each state.
    pub states: BTreeMap<State, u64>,
    /// The number of executions that satisfy the proposition.
    pub positive: u64,
    /// The number of executions that do not satisfy it.
    pub negative: u64,
}

impl Outcomes {
    /// Counts an execution.
    pub fn count(&mut self, test: &Test, state: &[Value]) {
        if test.condition.proposition.holds(state) {
            self.positive += 1;
        } else {
            self.negative += 1;
        }
        match self.states.get_mut(state) {
            Some(count) => *count += 1,
            None => drop(self.states.insert(state.to_vec(), 1)),
        }
    }

    /// Returns how many of the executions satisfy the proposition.
    #[must_use]
    pub const fn observation(&self) -> Observation {
        match (self.positive, self.negative) {
            (0, _) => Observation::Never,
            (_, 0) => Observation::Always,
            _ => Observation::Sometimes,
        }
    }

    /// Whether the answer to the condition's question is yes.
    #[must_use]
    pub const fn condition_holds(&self, quantifier: Quantifier) -> bool {
        match quantifier {
            Quantifier::Exists => self.positive > 0,
            Quantifier::NotExists => self.positive == 0,
            Quantifier::Forall => self.negative == 0,
        }
    }

    /// Returns the states as text in ascending order, each with its number of executions.
    #[must_use]
    pub fn show(&self, test: &Test) -> Vec<(String, u64)> {
        let mut shown: Vec<_> = self.states.iter().map(|(state, &count)| (show(test, state), count)).collect();
        shown.sort_unstable();
        shown
    }
}

/// Splits a name so that its number can be compared: `r10` comes after `r9`.
fn natural(name: &str) -> (&str, u64) {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (letters, name[letters.len()..].parse().unwrap_or(0))
}

/// Returns a final state as text, registers first: `0:r5=1; [x]=1`.
///
/// # Panics
/// If the state is that of another test.
#[must_use]
pub fn show(test: &Test, state: &[Value]) -> String {
    let mut order: Vec<usize> = (0..state.len()).collect();
    order.sort_by_key(|&index| match test.observables[index] {
        Observable::Register(thread, register) => {
            (0, thread, natural(&test.threads[thread].registers[register.index()].name))
        }
        Observable::Location(location) => (1, 0, natural(&test.locations[location.index()])),
    });
    let mut text = String::new();
    for index in order {
        let separator = if text.is_empty() { "" } else { "; " };
        let value = test.show(state[index]);
        let written = match test.observables[index] {
            Observable::Register(thread, register) => {
                let name = &test.threads[thread].registers[register.index()].name;
                write!(text, "{separator}{thread}:{name}={value}")
            }
            Observable::Location(location) => {
                write!(text, "{separator}[{}]={value}", test.locations[location.index()])
            }
        };
        written.expect("writing to a string cannot fail");
    }
    text
}
