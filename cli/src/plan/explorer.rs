//! Memory models, and how the executions of each are enumerated.

use protocol::MemoryModel;

use crate::exit::Failure;

/// How executions are enumerated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Explorer {
    /// Interleavings: those that the program under test runs.
    Interleavings(protocol::Explorer),
    /// Execution graphs, by relaxed stateless model checking.
    Rsmc,
}

/// A memory model, and how its executions are enumerated.
pub(crate) type Explored = (MemoryModel, Explorer);

impl Explorer {
    /// All interleavings, by preemptions.
    pub(crate) const BOUNDED: Explorer = Explorer::Interleavings(protocol::Explorer::Bounded);

    /// All of them.
    pub(crate) const ALL: [Explorer; 6] = [
        Explorer::BOUNDED,
        Explorer::Interleavings(protocol::Explorer::Dpor),
        Explorer::Interleavings(protocol::Explorer::Random),
        Explorer::Interleavings(protocol::Explorer::Pct),
        Explorer::Interleavings(protocol::Explorer::Urw),
        Explorer::Rsmc,
    ];

    /// The name on the command line and in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Explorer::Interleavings(explorer) => explorer.name(),
            Explorer::Rsmc => "rsmc",
        }
    }

    /// The explorer of interleavings, if it is one.
    pub(crate) fn of_interleavings(self) -> Option<protocol::Explorer> {
        match self {
            Explorer::Interleavings(explorer) => Some(explorer),
            Explorer::Rsmc => None,
        }
    }
}

/// Chooses how the executions of each model are enumerated, where the user has asked for this explorer or for none.
pub(crate) fn explored(models: &[MemoryModel], asked: Option<Explorer>) -> Result<Vec<Explored>, Failure> {
    let choose = |&model: &MemoryModel| {
        let usual = if model == MemoryModel::Sc { Explorer::BOUNDED } else { Explorer::Rsmc };
        if let Some(Explorer::Interleavings(explorer)) = asked
            && usual == Explorer::Rsmc
        {
            return Err(Failure::usage(
                format!("explorer `{}` does not fit model `{}`", explorer.name(), model.name()),
                "it runs interleavings of sc; rsmc fits every model",
            ));
        }
        Ok((model, asked.unwrap_or(usual)))
    };
    models.iter().map(choose).collect()
}

/// Whether the executions of some model are enumerated as execution graphs.
pub(crate) fn has_graphs(models: &[Explored]) -> bool {
    models.iter().any(|&(_, explorer)| explorer == Explorer::Rsmc)
}

/// Whether those of some model are enumerated as interleavings.
pub(crate) fn has_interleavings(models: &[Explored]) -> bool {
    models.iter().any(|&(_, explorer)| explorer != Explorer::Rsmc)
}
