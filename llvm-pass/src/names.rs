//! The knowledge of functions and variables by name. The knowledge itself is in the text files beside this one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::assembly::templates::Templates;
use crate::shim;

/// Whether an external function keeps a pointer argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Capture {
    /// The function may keep the argument.
    Kept,
    /// The function does not keep the argument beyond the call.
    Dropped,
    /// The function does not keep the argument beyond the call, but its result may point where the argument points.
    Returned,
}

/// The effect of a modelled function on the store buffer of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OnStoreBuffer {
    /// The buffer is empty behind the call.
    Drains,
    /// The call is a store.
    Stores,
    /// The call neither reads nor writes what others could see.
    Nothing,
    /// The call runs functions of the program, or goes on elsewhere.
    Leaves,
    /// The call may read, and may leave a store waiting.
    Unknown,
}

/// The names in the text files.
pub(crate) struct Names {
    modelled: BTreeSet<&'static str>,
    harmless: BTreeSet<&'static str>,
    unsupported: BTreeSet<&'static str>,
    library_data: BTreeSet<&'static str>,
    non_capturing: BTreeMap<&'static str, &'static str>,
    store_buffer: BTreeMap<&'static str, &'static str>,
    /// The user's explanations of inline assembly.
    pub(crate) templates: Templates,
}

impl Names {
    /// Reads the files of names, which are part of the plugin.
    pub(crate) fn new() -> Self {
        Self {
            modelled: entries(include_str!("modelled.txt")).collect(),
            harmless: entries(include_str!("harmless.txt")).collect(),
            unsupported: entries(include_str!("unsupported.txt")).collect(),
            library_data: entries(include_str!("library_data.txt")).collect(),
            non_capturing: entries(include_str!("non_capturing.txt"))
                .filter_map(|entry| entry.split_once(':'))
                .collect(),
            store_buffer: entries(include_str!("store_buffer.txt"))
                .filter_map(|entry| entry.split_once(' '))
                .map(|(what, name)| (name, what))
                .collect(),
            templates: templates(),
        }
    }

    /// Whether the runtime models the function.
    pub(crate) fn is_modelled(&self, name: &str) -> bool {
        self.modelled.contains(name)
    }

    /// Whether the function keeps no state that matters.
    pub(crate) fn is_harmless(&self, name: &str) -> bool {
        self.harmless.contains(name)
    }

    /// Whether a call of the function must be refused.
    pub(crate) fn is_unsupported(&self, name: &str) -> bool {
        self.unsupported.contains(name)
    }

    /// Whether the variable, or what the function's result points to, is the C library's own.
    pub(crate) fn is_library_data(&self, name: &str) -> bool {
        self.library_data.contains(name)
    }

    /// Returns the effect of the modelled function on the store buffer.
    pub(crate) fn on_store_buffer(&self, name: &str) -> OnStoreBuffer {
        match self.store_buffer.get(name) {
            Some(&"drains") => OnStoreBuffer::Drains,
            Some(&"stores") => OnStoreBuffer::Stores,
            Some(&"nothing") => OnStoreBuffer::Nothing,
            Some(&"leaves") => OnStoreBuffer::Leaves,
            _ => OnStoreBuffer::Unknown,
        }
    }

    /// Returns whether the external function keeps a pointer argument.
    pub(crate) fn capture(&self, name: &str, argument: u32) -> Capture {
        let Some(positions) = self.non_capturing.get(name) else { return Capture::Kept };
        let wanted = argument.to_string();
        for position in positions.split_whitespace() {
            if position == "*" || position == wanted {
                return Capture::Dropped;
            }
            if position.strip_suffix('r') == Some(&wanted) {
                return Capture::Returned;
            }
        }
        Capture::Kept
    }
}

/// Returns the user's explanations of templates of inline assembly. A file with a mistake ends the compilation.
fn templates() -> Templates {
    let file = shim::template_file();
    if file.is_empty() {
        return Templates::default();
    }
    let text = fs::read_to_string(&file).unwrap_or_else(|error| shim::fatal(&format!("{file}: {error}")));
    Templates::parse(&text).unwrap_or_else(|(line, wrong)| shim::fatal(&format!("{file}:{line}: {wrong}")))
}

/// Returns the lines of a file that are neither empty nor comments.
fn entries(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}
