//! The meaning of a command `replay`.

use std::path::PathBuf;

use crate::args::ReplayArgs;
use crate::exit::Failure;
use crate::screen::Color;
use crate::trust::Roots;

/// The meaning of a command `replay`.
#[derive(Clone, Debug)]
pub(crate) struct ReplayPlan {
    /// The folder of the finding, or its file, as typed.
    pub(crate) finding: PathBuf,
    /// The way in which the execution is shown.
    pub(crate) mode: ReplayMode,
    /// The folders in which the files that the finding names may lie.
    pub(crate) roots: Roots,
    /// The options for the compiler that the user trusts.
    pub(crate) trusted_options: Vec<String>,
    /// Whether text is coloured.
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

/// The way in which a replay is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReplayMode {
    /// The whole execution is shown at once.
    Whole,
    /// The execution is shown one event at a time.
    Step,
    /// The execution runs in gdb, the debugger.
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
