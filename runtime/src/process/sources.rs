//! Names of source files: as they can be opened from the folder in which the program was started.
//!
//! The pass names a file that was given to the compiler relative to its folder as that folder, `/./`, and what was given.
//! Where the program is started in that folder, what was given is the name; else the two are joined, and what is below the
//! folder of the program is named relative to it. So each file has one name, from whichever folder make compiled it.

use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

static STARTED_IN: OnceLock<PathBuf> = OnceLock::new();

/// The folder in which the program was started is the present one.
pub(crate) fn begin() {
    STARTED_IN.get_or_init(|| std::env::current_dir().unwrap_or_default());
}

/// The name of a file that the pass names so.
pub(crate) fn path(named: &str) -> String {
    let folder = STARTED_IN.get().map_or_else(|| Path::new(""), PathBuf::as_path);
    match named.split_once("/./") {
        Some((compiled_in, given)) => name(folder, Path::new(compiled_in), given),
        None => named.to_owned(),
    }
}

fn name(folder: &Path, compiled_in: &Path, given: &str) -> String {
    if compiled_in == folder || given.starts_with('/') {
        return given.to_owned();
    }
    let mut whole = PathBuf::new();
    for component in compiled_in.join(given).components() {
        match component {
            Component::ParentDir => {
                whole.pop();
            }
            component => whole.push(component),
        }
    }
    whole.strip_prefix(folder).unwrap_or(&whole).to_string_lossy().into_owned()
}
