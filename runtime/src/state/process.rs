//! What the process remembers beside its memory, and forgets before each execution.

use crate::state::exits::Exits;
use crate::state::files::Files;
use crate::state::jumps::Jumps;
use crate::state::keys::Keys;
use crate::state::library::Library;
use crate::state::signals::Actions;

/// What the process remembers.
pub(crate) struct Process {
    pub(crate) keys: Keys,
    /// What the C library remembers.
    pub(crate) library: Library,
    /// What is to be done about signals.
    pub(crate) signals: Actions,
    pub(crate) jumps: Jumps,
    pub(crate) exits: Exits,
    pub(crate) files: Files,
}

impl Process {
    /// As before `main`.
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

    /// A thread is run from its beginning: all but keys is as before `main`.
    pub(crate) fn restart(&mut self) {
        self.library = Library::default();
        self.signals.clear();
        self.jumps.reset();
        self.exits.reset();
        self.files.reset();
    }

    /// A new execution begins: all is as before `main`.
    pub(crate) fn begin(&mut self) {
        self.keys.reset();
        self.restart();
    }
}
