//! The files of the tests, and the plugin.

mod building;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use building::{plugin, run};

/// The optimisation levels, at all of which the hooks must be the same.
pub(crate) const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

/// The folder of the tests' files of a kind.
pub(crate) fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(kind)
}

/// The C files of a folder, sorted.
pub(crate) fn c_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of the tests can be read")
        .map(|entry| entry.expect("its entries can be read").path())
        .filter(|path| path.extension() == Some(OsStr::new("c")))
        .collect();
    files.sort();
    files
}

/// The name of a file without its folder and ending.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
