//! The folder that a program is compiled in. It is deleted when it is not needed any more; where the tool is killed before that,
//! the next start of the tool that needs such a folder deletes it.
//!
//! As long as a folder is in use, a file in it is locked. The system takes the lock away together with the process, so an
//! unlocked folder is abandoned, even if another process now has the number of the one that made it.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tempfile::TempDir;

const PREFIX: &str = "fencehound-";
const LOCK: &str = "in-use";

/// A folder of this process.
#[derive(Debug)]
pub(crate) struct Workplace {
    folder: TempDir,
    _lock: File,
}

impl Workplace {
    /// Makes a new folder of this process in `parent`.
    pub(crate) fn new(parent: &Path) -> io::Result<Workplace> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        // The file is locked before it gets its name.
        let unnamed = folder.path().join("new");
        let lock = File::create_new(&unnamed)?;
        if !take(&lock) {
            return Err(io::Error::last_os_error());
        }
        fs::rename(&unnamed, folder.path().join(LOCK))?;
        Ok(Workplace { folder, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Deletes what processes of this user that have ended left in this folder, as far as that can be done.
pub(crate) fn clear_abandoned(parent: &Path) {
    // SAFETY: asks for a number.
    let user = unsafe { libc::geteuid() };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        // A link of somebody else's is not followed.
        let is_ours = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes())
            && fs::symlink_metadata(entry.path()).is_ok_and(|found| found.is_dir() && found.uid() == user);
        if is_ours && is_abandoned(&entry.path()) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

fn is_abandoned(folder: &Path) -> bool {
    let lock = folder.join(LOCK);
    if !fs::symlink_metadata(&lock).is_ok_and(|found| found.is_file()) {
        return false;
    }
    File::open(&lock).is_ok_and(|lock| take(&lock))
}

/// Locks the file until it is closed. Returns false if another process has locked it.
fn take(lock: &File) -> bool {
    // SAFETY: a system call on a descriptor that is open as long as the reference is.
    unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0 }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Workplace, clear_abandoned};

    #[test]
    fn what_nobody_uses_is_deleted_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let used = Workplace::new(parent.path()).unwrap();
        let abandoned = ["fencehound-a", "fencehound-b"].map(|name| parent.path().join(name));
        let others = ["fencehound-corpus", "other"].map(|name| parent.path().join(name));
        for folder in abandoned.iter().chain(&others) {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("program"), "").unwrap();
        }
        for folder in abandoned.iter().chain(&others[1..]) {
            fs::write(folder.join("in-use"), "").unwrap();
        }
        std::os::unix::fs::symlink(&others[1], parent.path().join("fencehound-link")).unwrap();
        clear_abandoned(parent.path());
        assert!(used.path().is_dir() && others.iter().all(|folder| folder.join("program").is_file()));
        assert!(abandoned.iter().all(|folder| !folder.exists()));
        let path = used.path().to_path_buf();
        drop(used);
        assert!(!path.exists());
    }
}
