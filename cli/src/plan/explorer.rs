//! Memory models, and how the executions of each are enumerated.

use protocol::MemoryModel;

/// How executions are enumerated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Explorer {
    /// Interleavings: those that the program under test runs.
    Interleavings(protocol::Explorer),
    /// The same within 0, 1, 2, … preemptions, one bound after the other.
    Auto(protocol::Explorer),
    /// Execution graphs, by relaxed stateless model checking.
    Rsmc,
}

/// A memory model, and how its executions are enumerated.
pub(crate) type Explored = (MemoryModel, Explorer);

impl Explorer {
    /// All interleavings, by preemptions.
    pub(crate) const BOUNDED: Explorer = Explorer::Interleavings(protocol::Explorer::Bounded);

    /// All of them.
    pub(crate) const ALL: [Explorer; 7] = [
        Explorer::Auto(protocol::Explorer::Dpor),
        Explorer::BOUNDED,
        Explorer::Interleavings(protocol::Explorer::Dpor),
        Explorer::Interleavings(protocol::Explorer::Random),
        Explorer::Interleavings(protocol::Explorer::Pct),
        Explorer::Interleavings(protocol::Explorer::Urw),
        Explorer::Rsmc,
    ];

    /// Returns the name on the command line and in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Explorer::Interleavings(explorer) => explorer.name(),
            Explorer::Auto(_) => "auto",
            Explorer::Rsmc => "rsmc",
        }
    }

    /// Returns the explorer of interleavings, if it is one.
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

/// Whether those of SC are enumerated as interleavings.
pub(crate) fn has_interleavings(models: &[Explored]) -> bool {
    models.iter().any(|&(model, explorer)| model == MemoryModel::Sc && explorer != Explorer::Rsmc)
}

/// Whether those of some model are enumerated on a machine with store buffers.
pub(crate) fn has_machines(models: &[Explored]) -> bool {
    models.iter().any(|&(model, explorer)| model != MemoryModel::Sc && explorer != Explorer::Rsmc)
}
