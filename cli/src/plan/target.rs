//! The targets of a check: `.c` files, an executable, or litmus tests.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::executable::{file_kind, require_ours};
use crate::exit::Failure;
use crate::text::reason;

/// The target of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// The target is `.c` files, which are one program.
    Sources(Vec<PathBuf>),
    /// The target is an executable that `fencehound cc` made.
    Executable(PathBuf),
    /// The target is `.litmus` files, each a test of its own.
    Litmus(Vec<PathBuf>),
}

impl Target {
    /// Returns the names as text, in which bytes that are no UTF-8 are replaced.
    pub(crate) fn names(&self) -> Vec<String> {
        let files = match self {
            Target::Sources(files) | Target::Litmus(files) => files.as_slice(),
            Target::Executable(file) => std::slice::from_ref(file),
        };
        files.iter().map(|file| file.to_string_lossy().into_owned()).collect()
    }

    /// A path in which the name of the first file, without its folder and `.c` or `.litmus`, stands in the place of each
    /// `{target}`.
    pub(crate) fn name_in(&self, path: &Path) -> PathBuf {
        let name = match self {
            Target::Sources(files) | Target::Litmus(files) => files.first().and_then(|file| file.file_stem()),
            Target::Executable(file) => file.file_name(),
        };
        let name = name.unwrap_or_default().as_bytes();
        let mut pieces = pieces(path.as_os_str().as_bytes());
        let mut named = pieces.next().unwrap_or_default().to_vec();
        for piece in pieces {
            named.extend(name);
            named.extend(piece);
        }
        PathBuf::from(OsString::from_vec(named))
    }
}

/// What is before, between and behind the places of a name.
fn pieces(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    const HERE: &[u8] = b"{target}";
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let path = rest?;
        let at = path.windows(HERE.len()).position(|window| window == HERE);
        rest = at.map(|at| &path[at + HERE.len()..]);
        Some(at.map_or(path, |at| &path[..at]))
    })
}

/// Returns the target that these names are together.
pub(crate) fn target(names: &[PathBuf]) -> Result<Target, Failure> {
    const KINDS: &str = "a target is .c files, an executable made by `fencehound cc`, or .litmus files";
    let mut sources = Vec::new();
    let mut executables = Vec::new();
    let mut litmus = Vec::new();
    for name in names {
        let unreadable = |error| Failure::usage(format!("{}: {}", name.display(), reason(&error)), KINDS);
        match name.extension().and_then(|extension| extension.to_str()) {
            Some("c") => {
                require_file(name, KINDS)?;
                std::fs::File::open(name).map_err(unreadable)?;
                sources.push(name.clone());
            }
            Some("litmus") => {
                require_file(name, KINDS)?;
                litmus.push(name.clone());
            }
            _ => {
                require_ours(name, file_kind(name).map_err(unreadable)?)?;
                executables.push(name.clone());
            }
        }
    }
    if let Some(first) = litmus.first() {
        let message = format!("{}: litmus files cannot be combined with other targets", first.display());
        if !sources.is_empty() || !executables.is_empty() {
            return Err(Failure::usage(message, "check them in a command of their own"));
        }
        return Ok(Target::Litmus(litmus));
    }
    match (executables.pop(), executables.is_empty(), sources.is_empty()) {
        (None, _, _) => Ok(Target::Sources(sources)),
        (Some(executable), true, true) => Ok(Target::Executable(executable)),
        (Some(executable), _, _) => Err(Failure::usage(
            format!("{}: an executable cannot be combined with other targets", executable.display()),
            "check executables one at a time",
        )),
    }
}

/// Refuses folders, and what may have no end: pipes and devices.
fn require_file(name: &Path, help: &str) -> Result<(), Failure> {
    match std::fs::metadata(name) {
        Ok(there) if there.is_dir() => Err(Failure::usage(format!("{}: is a folder", name.display()), help)),
        Ok(there) if !there.is_file() => {
            Err(Failure::usage(format!("{}: is no file but a pipe or a device", name.display()), help))
        }
        // That a file is missing is reported where it is read.
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Target, target};

    #[test]
    fn a_path_may_have_the_name_of_the_target() {
        let named = |target: &Target, path: &str| target.name_in(Path::new(path)).to_str().unwrap().to_string();
        let sources = Target::Sources(vec![PathBuf::from("src/a.c"), PathBuf::from("src/b.c")]);
        assert_eq!(named(&sources, "out/{target}"), "out/a");
        assert_eq!(named(&sources, "{target}/x/{target}"), "a/x/a");
        assert_eq!(named(&sources, "out/"), "out/");
        assert_eq!(named(&Target::Executable(PathBuf::from("./t.test")), "o-{target}"), "o-t.test");
    }

    #[test]
    fn targets() {
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| folder.path().join(name);
        std::fs::write(name("a.c"), "").unwrap();
        std::fs::write(name("text"), "").unwrap();
        assert!(target(&[name("a.c")]).is_ok());
        let message = |file: &str| target(&[name(file)]).unwrap_err().message;
        assert!(message("b.c").ends_with("b.c: no such file or directory"));
        assert!(message("text").ends_with("text: neither a .c file nor an executable"));
        assert!(target(&[name("x.litmus"), name("y.litmus")]).is_ok());
        let mixed = target(&[name("x.litmus"), name("a.c")]).unwrap_err().message;
        assert!(mixed.ends_with("x.litmus: litmus files cannot be combined with other targets"));
        let own = std::env::current_exe().unwrap();
        assert!(target(&[own]).unwrap_err().message.ends_with("not built by fencehound cc"));
    }
}
