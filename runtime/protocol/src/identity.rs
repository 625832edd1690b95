//! What makes violations the same: data alone, neither the words in which they are told nor the values in these.

use std::collections::BTreeSet;

use engine::monitor::MonitorName;
use serde::{Deserialize, Serialize};

use crate::failure::FailureKind;
use crate::place::Place;
use crate::repair::Way;
use crate::violation::{Role, SiteUse, Violation};

/// What makes two violations of one search the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Identity {
    /// A monitor reported this pair of places, which are numbers that the program gives them.
    Reported(MonitorName, u32, u32),
    /// A monitor reported transactions on a cycle with edges between these places.
    Transactions(MonitorName, BTreeSet<[u32; 2]>),
    /// An execution failed.
    Failed {
        /// The kind of the failure.
        kind: FailureKind,
        /// As [`Violation::subject`].
        subject: String,
        /// What takes part in it.
        parts: BTreeSet<Part>,
    },
}

/// What an operation is to the failure that it takes part in, whichever thread does it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Part {
    /// Its part.
    pub role: Role,
    /// Where it is in the source.
    pub place: Place,
    /// What is done there: [`crate::Operation::name`].
    pub operation: String,
    /// The variable, if known; else empty.
    pub variable: String,
}

impl Identity {
    /// That of a failure of this kind, about this, in which these operations take part.
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
    /// That of a failure of this kind, about this, in which these operations take part.
    #[must_use]
    pub fn new(kind: FailureKind, subject: &str, sites: &[SiteUse]) -> Self {
        let is_where = |site: &&SiteUse| matches!(site.role, Role::At | Role::Waits);
        let places = sites.iter().filter(is_where).map(|site| site.place.clone()).collect();
        Self { kind, subject: subject.to_owned(), places }
    }

    /// That of a failure; none of what a monitor reports.
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
