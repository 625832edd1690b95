//! A litmus test, as it is read from its file.

use std::fs;
use std::path::{Path, PathBuf};

use litmus::Test;
use litmus::parse::parse;

use crate::exit::Failure;
use crate::text::reason;

/// A test, and the file that it is in.
pub(super) struct TestFile {
    /// The file's name as text, in which bytes that are no UTF-8 are replaced.
    pub(super) file: String,
    /// The path of the file, from the folder that the user is in.
    pub(super) path: PathBuf,
    pub(super) test: Test,
}

/// Reads a test, by its name in a folder.
pub(super) fn read(folder: &Path, name: &Path) -> Result<TestFile, Failure> {
    let (path, file) = (folder.join(name), name.to_string_lossy().into_owned());
    let unreadable = |error| Failure::usage(format!("{file}: {}", reason(&error)), "name litmus files that exist");
    let text = fs::read(&path).map_err(unreadable)?;
    let text = String::from_utf8(text)
        .map_err(|_| Failure::usage(format!("{file}: is no text in UTF-8"), "a litmus test is text"))?;
    let test = parse(&text).map_err(|error| {
        Failure::usage(format!("{file}:{error}"), "docs/limits.md says what of herd7's litmus format is understood")
    })?;
    Ok(TestFile { file, path, test })
}
