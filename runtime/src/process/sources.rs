//! The names of source files, such that the files can be opened from the folder in which the program was started.
//!
//! If a file was given to the compiler by a relative name, the pass names it by the compiler's folder, `/./`, and the
//! given name. If the program is started in that folder, the given name is the name; else the two are joined, and a
//! file below the program's folder is named relative to it. So each file has one name, from whichever folder it was
//! compiled.

use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

/// The folder in which the program was started.
static STARTED_IN: OnceLock<PathBuf> = OnceLock::new();

/// The folder from which the files are named, if it is another one: on another machine than the tool's.
static SEEN_FROM: OnceLock<PathBuf> = OnceLock::new();

/// Makes files be named as they are from a folder, in place of the one in which the program was started.
pub(crate) fn see_from(folder: &str) {
    SEEN_FROM.get_or_init(|| PathBuf::from(folder));
}

/// Keeps the present folder as the one in which the program was started.
pub(crate) fn begin() {
    STARTED_IN.get_or_init(|| std::env::current_dir().unwrap_or_default());
}

/// Returns the name of a file, given the pass's name of it.
pub(crate) fn path(named: &str) -> String {
    let folder = SEEN_FROM.get().or_else(|| STARTED_IN.get()).map_or_else(|| Path::new(""), PathBuf::as_path);
    match named.split_once("/./") {
        Some((compiled_in, given)) => name(folder, Path::new(compiled_in), given),
        None => named.to_owned(),
    }
}

/// Returns the name, seen from `folder`, of a file that was given to the compiler in the folder `compiled_in`.
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
