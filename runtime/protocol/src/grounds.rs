//! The grounds of a violation: what all executions that show it have in common.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::repair::Point;

/// What all executions that show a violation have in common.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Grounds {
    /// Whether program order and reads-from have a cycle in each of them, so that C11 as it is modelled has none of them.
    #[serde(default)]
    pub circular: bool,
    /// Read-modify-writes whose results nobody uses: no execution is left if these are used. Empty if some execution is.
    #[serde(default)]
    pub unused: BTreeSet<Weak>,
    /// Read-modify-writes that may be pairs of exclusive instructions: no execution is left if they are single ones. Empty if some
    /// execution is.
    #[serde(default)]
    pub paired: BTreeSet<Weak>,
}

/// A read-modify-write that orders less by some compiler's code than by another's.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Weak {
    /// The point of the read-modify-write.
    pub at: Point,
    /// The name of what is accessed.
    pub target: String,
}

impl Grounds {
    /// Adds other executions that show the violation.
    pub fn join(&mut self, others: &Self) {
        self.circular &= others.circular;
        for (some, others) in [(&mut self.unused, &others.unused), (&mut self.paired, &others.paired)] {
            if some.is_empty() || others.is_empty() {
                some.clear();
            } else {
                some.extend(others.iter().cloned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Grounds, Weak};
    use crate::operation::Operation;
    use crate::place::Place;
    use crate::repair::Point;

    fn unused(lines: &[u32], circular: bool) -> Grounds {
        let at = |line: u32| Point { place: Place::new("a.c".to_owned(), line, 1), operation: Operation::FetchAdd };
        let unused = lines.iter().map(|&line| Weak { at: at(line), target: "x".to_owned() }).collect();
        Grounds { circular, unused, ..Grounds::default() }
    }

    #[test]
    fn executions_have_in_common_what_each_rests_on() {
        for (some, others, both) in [
            (unused(&[1], true), unused(&[2], true), unused(&[1, 2], true)),
            (unused(&[1], true), unused(&[], false), unused(&[], false)),
            (unused(&[], false), unused(&[1], true), unused(&[], false)),
        ] {
            let mut joined = some.clone();
            joined.join(&others);
            assert_eq!(joined, both, "{some:?} {others:?}");
        }
    }
}
