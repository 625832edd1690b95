//! The kinds of files that a target may be: executables that `fencehound cc` made, and others.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};
use protocol::{BUILD, BUILD_SECTION};

use crate::exit::Failure;

/// The section of the records that the pass makes of the places of hooks.
const SITES_SECTION: &str = "fh_sites";

/// The sections in which the pass marks the files that have native fences, and those that have portable ones.
const NATIVE_SECTION: &str = "fh_native";
const PORTABLE_SECTION: &str = "fh_portable";

/// The kind of a file that is a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileKind {
    /// The file is an executable that `fencehound cc` made.
    Ours,
    /// The file is an executable that the `fencehound cc` of another version made.
    OtherVersion,
    /// The file is a shared library.
    Library,
    /// The file is an object file, not linked yet.
    Relocatable,
    /// The file is some other ELF file.
    ForeignElf,
    /// The file is no ELF file.
    Other,
}

/// Returns the kind of a file, which is read for that.
pub(crate) fn file_kind(file: &Path) -> io::Result<FileKind> {
    if !fs::metadata(file)?.is_file() {
        return Ok(FileKind::Other);
    }
    let content = fs::read(file)?;
    if !content.starts_with(b"\x7fELF") {
        return Ok(FileKind::Other);
    }
    let Ok(elf) = object::File::parse(content.as_slice()) else { return Ok(FileKind::ForeignElf) };
    let build = elf.section_by_name(BUILD_SECTION).and_then(|section| section.data().ok());
    let interpreted = elf.section_by_name(".interp").is_some();
    Ok(match (elf.kind(), build) {
        (object::ObjectKind::Relocatable, _) => FileKind::Relocatable,
        (object::ObjectKind::Dynamic, _) if !interpreted => FileKind::Library,
        (_, Some(build)) if build == BUILD => FileKind::Ours,
        (_, Some(_)) => FileKind::OtherVersion,
        (_, None) if elf.section_by_name(SITES_SECTION).is_some() => FileKind::OtherVersion,
        (_, None) => FileKind::ForeignElf,
    })
}

/// Returns the loader that an executable names, which has the shared libraries found that it needs.
pub(crate) fn interpreter(file: &Path) -> io::Result<Option<PathBuf>> {
    let content = fs::read(file)?;
    let elf = object::File::parse(content.as_slice()).map_err(io::Error::other)?;
    let Some(section) = elf.section_by_name(".interp") else { return Ok(None) };
    let bytes = section.data().map_err(io::Error::other)?;
    let name = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    Ok(Some(PathBuf::from(OsStr::from_bytes(name))))
}

/// Whether all that keeps accesses of an executable of ours in order is assembly of x86 and barriers for the compiler alone. The
/// pass puts a byte into one section for each file that has such, and into another section for each file that has portable
/// fences.
pub(crate) fn is_written_for_x86(file: &Path) -> bool {
    let Ok(content) = fs::read(file) else { return false };
    let Ok(elf) = object::File::parse(content.as_slice()) else { return false };
    elf.section_by_name(NATIVE_SECTION).is_some() && elf.section_by_name(PORTABLE_SECTION).is_none()
}

/// Checks that a file of this kind is a program that this tool can run.
pub(crate) fn require_ours(name: &Path, kind: FileKind) -> Result<(), Failure> {
    let (message, help) = match kind {
        FileKind::Ours => return Ok(()),
        FileKind::OtherVersion => {
            ("built by another version of fencehound", "build it again with this `fencehound cc`")
        }
        FileKind::Library => ("a shared library", "check an executable; what is to be watched is linked statically"),
        FileKind::Relocatable => ("an object file", "link it with `fencehound cc`"),
        FileKind::ForeignElf => {
            ("not built by fencehound cc", "build it with `fencehound cc` in place of the compiler")
        }
        FileKind::Other => {
            ("neither a .c file nor an executable", "a target is .c files or an executable made by `fencehound cc`")
        }
    };
    Err(Failure::usage(format!("{}: {message}", name.display()), help))
}

#[cfg(test)]
mod tests {
    use super::{FileKind, file_kind};

    #[test]
    fn other_files_are_not_ours() {
        assert_eq!(file_kind(&std::env::current_exe().unwrap()).unwrap(), FileKind::ForeignElf);
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(file_kind(file.path()).unwrap(), FileKind::Other);
        std::fs::write(file.path(), b"\x7fELF and nothing more").unwrap();
        assert_eq!(file_kind(file.path()).unwrap(), FileKind::ForeignElf);
        assert!(file_kind("no such file".as_ref()).is_err());
    }
}
