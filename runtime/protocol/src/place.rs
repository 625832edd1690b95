//! Places in the source of a program.

use serde::{Deserialize, Serialize};

/// A place in the source. Two places are equal only if they were reached through equal calls of inlined functions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Place {
    /// The file, as the compiler was given it; empty if unknown.
    pub file: String,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
    /// The calls through inlined functions, innermost first; empty if there are none. File, line and column are those
    /// of the first frame that is in no wrapper.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Frame>,
}

impl Place {
    /// Makes a place that is not in an inlined function.
    #[must_use]
    pub const fn new(file: String, line: u32, column: u32) -> Self {
        Self { file, line, column, stack: Vec::new() }
    }

    /// Returns the place as it stands in the source, whatever calls of inlined functions lead to it.
    #[must_use]
    pub fn in_source(&self) -> Self {
        let wrappers = self.lead().unwrap_or_default();
        let stack = if wrappers == 0 { Vec::new() } else { self.stack[..=wrappers].to_vec() };
        Self { stack, file: self.file.clone(), ..*self }
    }

    /// Returns the index in the stack of the frame that file, line and column are of; the frames before it are
    /// wrappers, those behind it callers.
    #[must_use]
    pub fn lead(&self) -> Option<usize> {
        let is_lead = |frame: &Frame| (&frame.file, frame.line, frame.column) == (&self.file, self.line, self.column);
        self.stack.iter().position(is_lead)
    }

    /// Returns the calls of wrappers that lead from the place to the access, the outermost first.
    pub fn wrappers(&self) -> impl Iterator<Item = &Frame> {
        self.stack[..self.lead().unwrap_or_default()].iter().rev()
    }

    /// Returns the calls that lead to the place, the innermost first.
    pub fn callers(&self) -> impl Iterator<Item = &Frame> {
        self.stack.iter().skip(self.lead().map_or(0, |lead| lead + 1))
    }
}

/// A place in a function through which a [`Place`] was reached.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Frame {
    /// The function, by its name in the source.
    pub function: String,
    /// The file, as the compiler was given it; empty if unknown.
    pub file: String,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
}
