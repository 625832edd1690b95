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
    /// ARMv8, 64 bits.
    Armv8,
    /// RISC-V.
    Riscv,
    /// C11 itself.
    C11,
}

impl MemoryModel {
    /// All memory models.
    pub const ALL: [Self; 7] = [Self::Sc, Self::Tso, Self::Pso, Self::Power, Self::Armv8, Self::Riscv, Self::C11];

    /// The models that programs are shipped to: all but PSO.
    pub const MACHINES: [Self; 6] = [Self::Sc, Self::Tso, Self::Armv8, Self::Riscv, Self::Power, Self::C11];

    /// Whether all of [`MemoryModel::MACHINES`] are among these.
    #[must_use]
    pub fn are_all_machines(models: impl IntoIterator<Item = Self>) -> bool {
        let asked: Vec<Self> = models.into_iter().collect();
        Self::MACHINES.iter().all(|machine| asked.contains(machine))
    }

    /// Returns the name on the command line, in files and in JSON: `tso`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sc => "sc",
            Self::Tso => "tso",
            Self::Pso => "pso",
            Self::Power => "power",
            Self::Armv8 => "armv8",
            Self::Riscv => "riscv",
            Self::C11 => "c11",
        }
    }

    /// Whether an access may be ordered by what it depends on: its address, its value, a branch before it.
    #[must_use]
    pub const fn has_dependencies(self) -> bool {
        matches!(self, Self::Power | Self::Armv8 | Self::Riscv)
    }

    /// Whether ordering is a property of each access (`LDAR`, `.aq`) whatever it reads, so that choosing a value adds no barrier
    /// and no branch behind the access: it only picks the value.
    #[must_use]
    pub const fn orders_by_access(self) -> bool {
        matches!(self, Self::Armv8 | Self::Riscv)
    }

    /// Returns the name in sentences: `TSO`.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Sc => "SC",
            Self::Tso => "TSO",
            Self::Pso => "PSO",
            Self::Power => "POWER",
            Self::Armv8 => "ARMv8",
            Self::Riscv => "RISC-V",
            Self::C11 => "C11",
        }
    }
}
