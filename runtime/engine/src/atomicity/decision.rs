//! The decision on the TSO-serializability of a program from its SC executions: the cases (a) and (b) (001-enea-tacas16, theorems
//! 2 and 3, and section 6.3; docs/monitors.md, section 6.7).
//!
//! (a) The program is *transaction-fenced*: each completed transaction ends with a full fence or a read-modify-write,
//! on every path. Then it is TSO-serializable iff it is robust and SC-serializable (theorem 3), and one execution of
//! each class is enough to see both. That it is transaction-fenced must be known of the program: a run shows it of one
//! path.
//!
//! (b) It is not, or that is not known. If it is robust, its TSO executions are its SC executions up to equivalence, so
//! those are measured by TSO's conflicts, exactly. If it is not robust, a violation is still one, since each SC
//! execution is one of TSO; but if there is none, nothing is known: the program has other TSO executions.

use super::serializability::Criterion;

/// Whether each transaction is known to end with a full fence or a read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fencing {
    /// Each transaction ends so on every path.
    Proved,
    /// Some transaction may not end so.
    Unproved,
}

impl Fencing {
    /// Returns the criterion by which SC executions are measured.
    #[must_use]
    pub const fn criterion(self) -> Criterion {
        match self {
            Self::Proved => Criterion::Sc,
            Self::Unproved => Criterion::TsoAtOnce,
        }
    }
}

/// What the executions of a program have shown so far: one SC execution of each class, or more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Decision {
    /// Whether the transactions of the program are known to be fenced.
    pub fencing: Fencing,
    /// The number of executions reported by a robustness monitor for TSO that is complete for the executions that are run
    /// (`prefix_tso` for one of each class).
    pub not_robust: u64,
    /// The number of executions that had a cycle by [`Fencing::criterion`].
    pub not_serializable: u64,
}

/// What is known of a program's, or a log's, TSO-serializability.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// All executions of TSO are serializable, if all classes of SC executions have been seen.
    Serializable,
    /// Some execution is not serializable.
    Violated,
    /// The program is not robust: its TSO executions must be looked at (`check --model tso`), or each transaction must
    /// end with a fence.
    NeedsTsoExecutions,
}

impl Decision {
    /// Makes the decision on a program of which no execution has been seen.
    #[must_use]
    pub const fn new(fencing: Fencing) -> Self {
        Self { fencing, not_robust: 0, not_serializable: 0 }
    }

    /// Returns what the executions seen so far say of the program.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match (self.fencing, self.not_robust, self.not_serializable) {
            (_, 0, 0) => Verdict::Serializable,
            (_, _, 1..) | (Fencing::Proved, ..) => Verdict::Violated,
            (Fencing::Unproved, ..) => Verdict::NeedsTsoExecutions,
        }
    }
}
