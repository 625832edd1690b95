//! Identities of violations: two violations with equal identities are the same. They are made of data alone, neither of
//! the words in which violations are told nor of the values in these.

use std::collections::BTreeSet;

use engine::monitor::MonitorName;
use serde::{Deserialize, Serialize};

use crate::failure::FailureKind;
use crate::place::Place;
use crate::repair::Way;
use crate::violation::{Role, SiteUse, Violation};

/// The identity of a violation within one search.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Identity {
    /// A report of a monitor, identified by a pair of places, as the numbers that the program gives them.
    Reported(MonitorName, u32, u32),
    /// A report of a monitor about transactions, identified by the places of the edges of their cycle.
    Transactions(MonitorName, BTreeSet<[u32; 2]>),
    /// A failure of an execution.
    Failed {
        /// The kind of the failure.
        kind: FailureKind,
        /// The subject of the failure, [`Violation::subject`].
        subject: String,
        /// The operations that take part in the failure.
        parts: BTreeSet<Part>,
    },
}

/// An operation that takes part in a failure, whichever thread performs it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Part {
    /// The part that the operation plays.
    pub role: Role,
    /// The place of the operation in the source.
    pub place: Place,
    /// The name of the operation, [`crate::Operation::name`].
    pub operation: String,
    /// The variable that the operation is on; empty if it is unknown.
    pub variable: String,
}

impl Identity {
    /// Returns the identity of a failure of a kind and with a subject, in which the operations at these sites take
    /// part.
    #[must_use]
    pub fn failed(kind: FailureKind, subject: &str, sites: &[SiteUse]) -> Self {
        let part = |site: &SiteUse| Part {
            role: site.role,
            place: site.place.clone(),
            operation: site.operation.name().to_owned(),
            variable: site.expression.clone(),
        };
        Self::Failed { kind, subject: subject.to_owned(), parts: sites.iter().map(part).collect() }
    }
}

impl Way {
    /// Makes the way to fail of a failure of a kind and with a subject, in which the operations at these sites take
    /// part.
    #[must_use]
    pub fn new(kind: FailureKind, subject: &str, sites: &[SiteUse]) -> Self {
        let is_where = |site: &&SiteUse| matches!(site.role, Role::At | Role::Waits);
        let places = sites.iter().filter(is_where).map(|site| site.place.clone()).collect();
        Self { kind, subject: subject.to_owned(), places }
    }

    /// Returns the way to fail that a violation shows; `None` for a report of a monitor.
    #[must_use]
    pub fn of(violation: &Violation) -> Option<Self> {
        let Violation { kind, subject, sites, .. } = violation;
        violation.monitor.is_none().then(|| Self::new(*kind, subject, sites))
    }
}

#[cfg(test)]
mod tests {
    use super::Identity;
    use crate::failure::FailureKind;
    use crate::operation::Operation;
    use crate::place::Place;
    use crate::repair::Way;
    use crate::schedule::Schedule;
    use crate::violation::{Role, SiteUse, Violation};

    fn site(role: Role, thread: u32, line: u32) -> SiteUse {
        SiteUse {
            role,
            thread,
            place: Place::new("a.c".to_owned(), line, 3),
            function: "f".to_owned(),
            operation: Operation::Assert,
            expression: String::new(),
        }
    }

    fn assertion(subject: &str, sites: Vec<SiteUse>) -> Violation {
        Violation {
            kind: FailureKind::Assertion,
            monitor: None,
            message: format!("assertion `{subject}` failed"),
            subject: subject.to_owned(),
            sites,
            events: None,
            program_counter: None,
            schedule: Schedule::default(),
        }
    }

    fn identity(violation: &Violation) -> Identity {
        Identity::failed(violation.kind, &violation.subject, &violation.sites)
    }

    #[test]
    fn neither_words_nor_threads_are_part_of_it() {
        let one = assertion("x", vec![site(Role::At, 1, 7)]);
        let reworded = Violation { message: "x is 0".to_owned(), ..assertion("x", vec![site(Role::At, 2, 7)]) };
        assert_eq!(identity(&one), identity(&reworded));
        assert_eq!(Way::of(&one), Way::of(&reworded));
    }

    #[test]
    fn places_and_what_is_asserted_are() {
        let one = assertion("x", vec![site(Role::At, 1, 7)]);
        for other in [assertion("x", vec![site(Role::At, 1, 8)]), assertion("y", vec![site(Role::At, 1, 7)])] {
            assert_ne!(identity(&one), identity(&other));
            assert_ne!(Way::of(&one), Way::of(&other));
        }
    }

    #[test]
    fn where_a_block_was_freed_is_of_the_violation_and_not_of_the_way() {
        let used = |line| assertion("", vec![site(Role::At, 1, 7), site(Role::Freed, 2, line)]);
        assert_ne!(identity(&used(8)), identity(&used(9)));
        assert_eq!(Way::of(&used(8)), Way::of(&used(9)));
    }
}
