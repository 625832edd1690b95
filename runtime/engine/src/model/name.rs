//! The names of memory models, on the command line, in files and in reports.

/// A memory model, by its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum MemoryModel {
    /// Sequential consistency.
    Sc,
    /// Total store order: one first-in first-out store buffer a thread (x86).
    Tso,
    /// Partial store order: one store buffer a thread and location (SPARC).
    Pso,
    /// POWER.
    Power,
}

impl MemoryModel {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Sc, Self::Tso, Self::Pso, Self::Power];

    /// The name on the command line, in files and in JSON: `tso`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sc => "sc",
            Self::Tso => "tso",
            Self::Pso => "pso",
            Self::Power => "power",
        }
    }

    /// The name in sentences: `TSO`.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Sc => "SC",
            Self::Tso => "TSO",
            Self::Pso => "PSO",
            Self::Power => "POWER",
        }
    }
}
