//! Files that are there whole or not at all, whoever looks while they are written, and whenever the writing ends.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Writes a file in one step: a part of the text is never seen under its name. What is no regular file, such as a pipe or a
/// device, is written as it is; links are followed.
///
/// # Errors
/// If it cannot be written; what was there before is still there then.
pub(crate) fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    let file = &fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let there = fs::metadata(file).ok();
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        return fs::write(file, text);
    }
    let mut part = match part(file) {
        // The folder belongs to somebody else, the file does not.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && there.is_some() => return fs::write(file, text),
        part => part?,
    };
    part.write_all(text.as_bytes())?;
    if let Some(there) = there {
        part.as_file().set_permissions(there.permissions())?;
    }
    part.persist(file).map(drop).map_err(|error| error.error)
}

/// Tries whether a file can be written, and leaves all as it is.
///
/// # Errors
/// If it cannot.
pub(crate) fn try_to_write(file: &Path) -> io::Result<()> {
    match fs::metadata(file) {
        // To open a pipe is to wait for its reader.
        Ok(there) if !there.is_file() && !there.is_dir() => Ok(()),
        Ok(_) => fs::OpenOptions::new().append(true).open(file).map(drop),
        Err(_) => part(file).map(drop),
    }
}

/// A file beside this one that takes its place later, or vanishes. Who may read it is for the user's mask to say.
fn part(file: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    tempfile::Builder::new().prefix(".fencehound-").permissions(Permissions::from_mode(0o666)).tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::{try_to_write, write_whole};

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_trial_leaves_nothing_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        try_to_write(&file).unwrap();
        assert!(names(folder.path()).is_empty());
        fs::write(&file, "old").unwrap();
        try_to_write(&file).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        try_to_write(Path::new("/dev/null")).unwrap();
        assert!(try_to_write(folder.path()).is_err() && try_to_write(&folder.path().join("no/such")).is_err());
    }

    #[test]
    fn permissions_and_links_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        symlink("a", &link).unwrap();
        write_whole(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(names(folder.path()), ["a", "b"]);
    }

    #[test]
    fn what_cannot_be_written_is_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("folder");
        fs::create_dir(&target).unwrap();
        assert!(write_whole(&target, "new").is_err());
        assert!(write_whole(Path::new("/dev/full"), "new").is_err());
        assert_eq!(names(folder.path()), ["folder"]);
    }
}
