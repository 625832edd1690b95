//! What a command `replay` means.

use std::path::PathBuf;

use crate::args::ReplayArgs;
use crate::exit::Failure;
use crate::screen::Color;
use crate::trust::Roots;

/// A command `replay`, understood.
#[derive(Clone, Debug)]
pub(crate) struct ReplayPlan {
    /// The folder of the finding, or its file, as typed.
    pub(crate) finding: PathBuf,
    /// How it is shown.
    pub(crate) mode: ReplayMode,
    /// Where what it names may lie.
    pub(crate) roots: Roots,
    /// Options for the compiler that the user trusts.
    pub(crate) trusted_options: Vec<String>,
    /// When to colour.
    pub(crate) color: Color,
}

impl ReplayPlan {
    /// Gives what was typed its meaning, or says what is wrong with it.
    pub(crate) fn new(typed: &ReplayArgs) -> Result<ReplayPlan, Failure> {
        Ok(ReplayPlan {
            finding: typed.finding.clone(),
            mode: replay_mode(typed),
            roots: Roots::new(&typed.source)?,
            trusted_options: typed.cflags.iter().flat_map(|words| words.0.clone()).collect(),
            color: typed.color,
        })
    }
}

/// How a replay is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReplayMode {
    /// At once.
    Whole,
    /// One event at a time.
    Step,
    /// In gdb, the debugger.
    Gdb,
}

/// Returns the mode of a `replay`.
fn replay_mode(typed: &ReplayArgs) -> ReplayMode {
    match (typed.gdb, typed.step) {
        (true, _) => ReplayMode::Gdb,
        (false, true) => ReplayMode::Step,
        (false, false) => ReplayMode::Whole,
    }
}
