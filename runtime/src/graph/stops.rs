//! The stops of a thread that is run alone, before its end.

use engine::model::MemoryModel;

use crate::process::fiber::{self, Switch};
use crate::process::sites::RecordPointer;
use crate::run::{unsupported, with};
use crate::state::graph::Stop;
use crate::state::unmodelled::Unmodelled;

/// Returns the option by which the user asks for the graphs of a model.
pub(crate) const fn option_of(model: MemoryModel) -> &'static str {
    match model {
        MemoryModel::Sc => "--explorer rsmc",
        MemoryModel::Tso => "--model tso",
        MemoryModel::Pso => "--model pso",
        MemoryModel::Power => "--model power",
        MemoryModel::Armv8 => "--model armv8",
        MemoryModel::Riscv => "--model riscv",
        MemoryModel::C11 => "--model c11",
    }
}

/// Ends the search, since execution graphs do not model what the program does here.
#[cold]
pub(crate) fn refuse(what: Unmodelled<'_>, site: RecordPointer) {
    if let Some(Some(option)) = with(|runtime| runtime.graph.as_ref().map(|graph| option_of(graph.model))) {
        unsupported(&format!("{what} under {option}"), site);
    }
}

/// Leaves the running thread, of which nothing more is known.
pub(crate) fn park(stop: Stop) -> ! {
    with(|runtime| runtime.graph_mut().run.stop = Some(stop));
    fiber::abandon(Switch::End)
}
