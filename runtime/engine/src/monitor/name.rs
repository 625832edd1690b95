//! The names of monitors, on the command line, in files and in reports.

use crate::model::name::MemoryModel;

/// A monitor, by its name on the command line.
///
/// `tso` and `pso` name whichever monitor sees most of the executions that are run; [`MonitorName::method`] says which
/// one that is. All others name one method each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum MonitorName {
    /// The best monitor for TSO under the explorer in use.
    Tso,
    /// The best monitor for PSO under the explorer in use.
    Pso,
    /// The monitor [`super::burnim`] for TSO, whose reports depend on the order of events that do not conflict.
    BurnimTso,
    /// The monitor [`super::burnim`] for PSO.
    BurnimPso,
    /// The monitor [`super::prefix`] for TSO, which is complete if one execution of each class is run.
    PrefixTso,
    /// The monitor [`super::prefix`] for PSO.
    PrefixPso,
    /// The monitor [`super::exact`] for TSO, the most sensitive one.
    ExactTso,
    /// The monitor [`super::sober`] for TSO, which is complete if one execution of each class is run.
    Sober,
    /// The monitor [`super::race`], which looks for data races of C11.
    Race,
    /// The monitor [`super::atomicity`] for conflict serializability of transactions under SC.
    #[cfg_attr(feature = "serde", serde(rename = "sc-atomicity"))]
    ScAtomicity,
    /// The monitor [`super::atomicity`] for conflict serializability under TSO, of an SC execution taken as one of TSO.
    /// Executions that show that TSO has others are reported as [`super::Report::Open`], unless the program's transactions are
    /// known to be fenced: then there are no such executions, and what shows that TSO has others than SC is a violation.
    #[cfg_attr(feature = "serde", serde(rename = "tso-atomicity"))]
    TsoAtomicity,
    /// The check of an event log with commits for whether its TSO execution is equivalent to one of SC.
    #[cfg_attr(feature = "serde", serde(rename = "sc-equivalence"))]
    ScEquivalence,
}

/// The interleavings of a program that monitors get to see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// Every interleaving is run, or every one within a bound.
    Interleavings,
    /// At most one interleaving of each class is run; a class holds those that differ only in the order of events without
    /// conflict.
    Classes,
}

impl MonitorName {
    /// All monitors, in the order of their declaration.
    pub const ALL: [Self; 12] = [
        Self::Tso,
        Self::Pso,
        Self::BurnimTso,
        Self::BurnimPso,
        Self::PrefixTso,
        Self::PrefixPso,
        Self::ExactTso,
        Self::Sober,
        Self::Race,
        Self::ScAtomicity,
        Self::TsoAtomicity,
        Self::ScEquivalence,
    ];

    /// Returns the name as text: `burnim_tso`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tso => "tso",
            Self::Pso => "pso",
            Self::BurnimTso => "burnim_tso",
            Self::BurnimPso => "burnim_pso",
            Self::PrefixTso => "prefix_tso",
            Self::PrefixPso => "prefix_pso",
            Self::ExactTso => "exact_tso",
            Self::Sober => "sober",
            Self::Race => "race",
            Self::ScAtomicity => "sc-atomicity",
            Self::TsoAtomicity => "tso-atomicity",
            Self::ScEquivalence => "sc-equivalence",
        }
    }

    /// Returns the monitor that does the work under this name.
    ///
    /// `tso` and `pso` are the monitors of the TACAS 2011 paper where all interleavings are run, and else those that do
    /// not depend on which interleaving of a class is run.
    #[must_use]
    pub const fn method(self, coverage: Coverage) -> Self {
        match (self, coverage) {
            (Self::Tso, Coverage::Interleavings) => Self::BurnimTso,
            (Self::Pso, Coverage::Interleavings) => Self::BurnimPso,
            (Self::Tso, Coverage::Classes) => Self::PrefixTso,
            (Self::Pso, Coverage::Classes) => Self::PrefixPso,
            (method, _) => method,
        }
    }

    /// Returns the relaxed model whose executions the monitor watches for, if it watches for any.
    #[must_use]
    pub const fn model(self) -> Option<MemoryModel> {
        match self {
            Self::Tso | Self::BurnimTso | Self::PrefixTso | Self::ExactTso | Self::Sober | Self::ScEquivalence => {
                Some(MemoryModel::Tso)
            }
            Self::Pso | Self::BurnimPso | Self::PrefixPso => Some(MemoryModel::Pso),
            Self::Race | Self::ScAtomicity | Self::TsoAtomicity => None,
        }
    }

    /// Whether the monitor watches transactions.
    #[must_use]
    pub const fn watches_transactions(self) -> bool {
        matches!(self, Self::ScAtomicity | Self::TsoAtomicity)
    }

    /// Whether the monitor simulates store buffers, which a trace shows.
    #[must_use]
    pub const fn has_buffers(self) -> bool {
        matches!(self, Self::Tso | Self::Pso | Self::BurnimTso | Self::BurnimPso)
    }
}
