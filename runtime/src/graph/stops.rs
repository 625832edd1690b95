//! A thread that is run alone stops before its end.

use engine::model::MemoryModel;

use crate::process::fiber::{self, Switch};
use crate::process::sites::RecordPointer;
use crate::run::{unsupported, with};
use crate::state::graph::Stop;
use crate::state::unmodelled::Unmodelled;

/// Its name for the user.
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

/// Ends the search: execution graphs do not model what the program does here.
#[cold]
pub(crate) fn refuse(what: Unmodelled<'_>, site: RecordPointer) {
    if let Some(Some(option)) = with(|runtime| runtime.graph.as_ref().map(|graph| option_of(graph.model))) {
        unsupported(&format!("{what} under {option}"), site);
    }
}

/// Leaves the thread that runs: nothing more is known of it.
pub(crate) fn park(stop: Stop) -> ! {
    with(|runtime| runtime.graph_mut().run.stop = Some(stop));
    fiber::abandon(Switch::End)
}
