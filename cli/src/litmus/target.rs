//! A litmus test, as it is read from its file.

use std::fs;
use std::path::{Path, PathBuf};

use litmus::parse::{architecture, parse};
use litmus::{Architecture, Test};
use protocol::{MemoryModel, Place};

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

/// A file with something that is not understood, so that it is not explored.
pub(super) struct RefusedFile {
    /// The file's name as text, in which bytes that are no UTF-8 are replaced.
    pub(super) file: String,
    /// The architecture at the test's head, if that is understood.
    pub(super) architecture: Option<Architecture>,
    /// What is not understood.
    pub(super) what: String,
    /// The place where it stands.
    pub(super) place: Place,
}

/// A file that was named as a litmus test.
pub(super) enum Named {
    Test(TestFile),
    Refused(RefusedFile),
}

impl Named {
    /// The file's name as text.
    pub(super) fn file(&self) -> &str {
        match self {
            Named::Test(test) => &test.file,
            Named::Refused(refused) => &refused.file,
        }
    }

    /// The architecture of the test, if it is known.
    pub(super) fn architecture(&self) -> Option<Architecture> {
        match self {
            Named::Test(test) => Some(test.test.architecture),
            Named::Refused(refused) => refused.architecture,
        }
    }
}

/// Reads a test, by its name in a folder.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn read(folder: &Path, name: &Path) -> Result<Named, Failure> {
    let (path, file) = (folder.join(name), name.to_string_lossy().into_owned());
    let unreadable = |error| Failure::usage(format!("{file}: {}", reason(&error)), "name litmus files that exist");
    let text = fs::read(&path).map_err(unreadable)?;
    let Ok(text) = String::from_utf8(text) else {
        let place = Place::new(file.clone(), 1, 1);
        let what = "a text that is not in UTF-8".to_string();
        return Ok(Named::Refused(RefusedFile { file, architecture: None, what, place }));
    };
    Ok(match parse(&text) {
        Ok(test) => Named::Test(TestFile { file, path, test }),
        Err(error) => {
            let place = Place::new(file.clone(), error.position.line, error.position.column);
            Named::Refused(RefusedFile { file, architecture: architecture(&text), what: error.message, place })
        }
    })
}

/// Returns a test as it is refused under a model under which its instructions mean nothing.
pub(super) fn under(named: &Named, model: MemoryModel) -> RefusedFile {
    let file = named.file().to_string();
    let architecture = named.architecture();
    let of = architecture.map_or_else(String::new, |one| {
        format!(" for {} under model `{}` (available for it: {})", one.name(), model.name(), models(one))
    });
    RefusedFile { place: Place::new(file.clone(), 1, 1), file, architecture, what: format!("a test{of}") }
}

/// Returns the names of the models that tests of an architecture have: `sc, armv8`.
pub(super) fn models(architecture: Architecture) -> String {
    architecture.models().iter().map(|model| model.name()).collect::<Vec<_>>().join(", ")
}
