//! The state of the process outside the program's memory, which is forgotten before each execution.

use crate::state::exits::Exits;
use crate::state::files::Files;
use crate::state::jumps::Jumps;
use crate::state::keys::Keys;
use crate::state::library::Library;
use crate::state::signals::Actions;

/// The state of the process outside the program's memory.
pub(crate) struct Process {
    pub(crate) keys: Keys,
    /// The state of the C library.
    pub(crate) library: Library,
    /// The actions of signals.
    pub(crate) signals: Actions,
    pub(crate) jumps: Jumps,
    pub(crate) exits: Exits,
    pub(crate) files: Files,
}

impl Process {
    /// Makes the state that a process has before `main`.
    pub(crate) fn new() -> Self {
        Self {
            keys: Keys::default(),
            library: Library::default(),
            signals: Actions::new(),
            jumps: Jumps::default(),
            exits: Exits::new(),
            files: Files::new(),
        }
    }

    /// Resets all but the keys as before `main`, since a thread is run from its beginning.
    pub(crate) fn restart(&mut self) {
        self.library = Library::default();
        self.signals.clear();
        self.jumps.reset();
        self.exits.reset();
        self.files.reset();
    }

    /// Resets all as before `main`, for a new execution.
    pub(crate) fn begin(&mut self) {
        self.keys.reset();
        self.restart();
    }
}
