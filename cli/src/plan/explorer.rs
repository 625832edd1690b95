//! Memory models, and how the executions of each are enumerated.

use protocol::MemoryModel;

/// The way in which executions are enumerated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Explorer {
    /// Executions are interleavings, which the program under test runs.
    Interleavings(protocol::Explorer),
    /// Executions are interleavings within 0, 1, 2, … preemptions, one bound after the other.
    Auto(protocol::Explorer),
    /// Executions are graphs, by relaxed stateless model checking.
    Rsmc,
}

/// A memory model, and how its executions are enumerated.
pub(crate) type Explored = (MemoryModel, Explorer);

impl Explorer {
    /// The explorer of all interleavings, which are ordered by preemptions.
    pub(crate) const BOUNDED: Explorer = Explorer::Interleavings(protocol::Explorer::Bounded);

    /// All explorers that can be named.
    pub(crate) const ALL: [Explorer; 7] = [
        Explorer::Auto(protocol::Explorer::Dpor),
        Explorer::BOUNDED,
        Explorer::Interleavings(protocol::Explorer::Dpor),
        Explorer::Interleavings(protocol::Explorer::Random),
        Explorer::Interleavings(protocol::Explorer::Pct),
        Explorer::Interleavings(protocol::Explorer::Urw),
        Explorer::Rsmc,
    ];

    /// Returns the explorer's name on the command line and in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Explorer::Interleavings(explorer) => explorer.name(),
            Explorer::Auto(_) => "auto",
            Explorer::Rsmc => "rsmc",
        }
    }

    /// Returns the explorer of the runtime, if executions are interleavings.
    pub(crate) fn of_interleavings(self) -> Option<protocol::Explorer> {
        match self {
            Explorer::Interleavings(explorer) | Explorer::Auto(explorer) => Some(explorer),
            Explorer::Rsmc => None,
        }
    }
}

/// Whether the executions of some model are enumerated as execution graphs.
pub(crate) fn has_graphs(models: &[Explored]) -> bool {
    models.iter().any(|&(_, explorer)| explorer == Explorer::Rsmc)
}

/// Whether the executions of SC are enumerated as interleavings.
pub(crate) fn has_interleavings(models: &[Explored]) -> bool {
    models.iter().any(|&(model, explorer)| model == MemoryModel::Sc && explorer != Explorer::Rsmc)
}

/// Whether the executions of some relaxed model are enumerated on a machine with store buffers.
pub(crate) fn has_machines(models: &[Explored]) -> bool {
    models.iter().any(|&(model, explorer)| model != MemoryModel::Sc && explorer != Explorer::Rsmc)
}
