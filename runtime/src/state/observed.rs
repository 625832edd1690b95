//! The values that threads observe (`fh_observe`), and the outcome of an execution.

use std::ffi::c_long;
use std::fmt::Write;

use protocol::{Digest, Outcomes};

/// The values that a thread has observed in the execution.
#[derive(Default)]
pub(crate) struct Observed {
    /// The values, each with a blank before it, as far as there is room.
    text: String,
    /// The digest of the values behind them.
    rest: Option<Digest>,
}

impl Observed {
    /// Adds a value.
    pub(crate) fn add(&mut self, value: c_long) {
        match &mut self.rest {
            Some(digest) => digest.add(&value.to_le_bytes()),
            None if self.text.len() < Outcomes::LONGEST => {
                write!(self.text, " {value}").expect("a string takes what is written");
            }
            none => none.insert(Digest::EMPTY).add(&value.to_le_bytes()),
        }
    }

    /// Returns all values, each with a blank before it; a digest stands for those for which there is no room.
    pub(crate) fn text(&self) -> String {
        let rest = self.rest.map_or(String::new(), |digest| format!(" #{digest}"));
        format!("{}{rest}", self.text)
    }

    /// Forgets all values.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.rest = None;
    }
}

/// Returns the outcome of an execution, given what threads with these creation paths observed.
pub(crate) fn outcome<'a>(threads: impl Iterator<Item = (&'a [u32], &'a Observed)>) -> String {
    let mut threads: Vec<_> = threads.filter(|(_, observed)| !observed.text.is_empty()).collect();
    threads.sort_unstable_by_key(|&(path, _)| path);
    let parts = threads.into_iter().map(|(path, observed)| {
        let name: String = path.iter().map(|child| format!(".{child}")).collect();
        format!("main{name}:{}", observed.text())
    });
    let mut text = parts.collect::<Vec<_>>().join("; ");
    if text.len() > Outcomes::LONGEST {
        let mut digest = Digest::EMPTY;
        digest.add(text.as_bytes());
        text.truncate(Outcomes::LONGEST);
        write!(text, " #{digest}").expect("a string takes what is written");
    }
    text
}
