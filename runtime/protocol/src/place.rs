//! Places in the source of a program.

use serde::{Deserialize, Serialize};

/// A place in the source. Places are equal if they were come to by equal calls of inlined functions.
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
    /// A place that is not in an inlined function.
    #[must_use]
    pub const fn new(file: String, line: u32, column: u32) -> Self {
        Self { file, line, column, stack: Vec::new() }
    }

    /// The place, whatever calls of inlined functions lead to it: what stands once in the source is one.
    #[must_use]
    pub fn in_source(&self) -> Self {
        let wrappers = self.lead().unwrap_or_default();
        let stack = if wrappers == 0 { Vec::new() } else { self.stack[..=wrappers].to_vec() };
        Self { stack, file: self.file.clone(), ..*self }
    }

    /// Where in its stack file, line and column are; the frames before are wrappers, those behind callers.
    #[must_use]
    pub fn lead(&self) -> Option<usize> {
        let is_lead = |frame: &Frame| (&frame.file, frame.line, frame.column) == (&self.file, self.line, self.column);
        self.stack.iter().position(is_lead)
    }

    /// The calls of wrappers that lead from the place to the access, the outermost first.
    pub fn wrappers(&self) -> impl Iterator<Item = &Frame> {
        self.stack[..self.lead().unwrap_or_default()].iter().rev()
    }

    /// The calls that lead to the place, the innermost first.
    pub fn callers(&self) -> impl Iterator<Item = &Frame> {
        self.stack.iter().skip(self.lead().map_or(0, |lead| lead + 1))
    }
}

/// A place in a function, which a [`Place`] was come to through.
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
