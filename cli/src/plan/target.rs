//! What to check: `.c` files, an executable, or litmus tests.

use std::path::Path;

use crate::executable::{file_kind, require_ours};
use crate::exit::Failure;
use crate::text::reason;

/// What to check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// `.c` files, one program.
    Sources(Vec<String>),
    /// An executable that `fencehound cc` made.
    Executable(String),
    /// `.litmus` files, each a test of its own.
    Litmus(Vec<String>),
}

impl Target {
    /// The names, as typed.
    pub(crate) fn names(&self) -> Vec<String> {
        match self {
            Target::Sources(files) | Target::Litmus(files) => files.clone(),
            Target::Executable(file) => vec![file.clone()],
        }
    }
}

/// Says what these names are, together.
pub(crate) fn target(names: &[String]) -> Result<Target, Failure> {
    const KINDS: &str = "a target is .c files, an executable made by `fencehound cc`, or .litmus files";
    let mut sources = Vec::new();
    let mut executables = Vec::new();
    let mut litmus = Vec::new();
    for name in names {
        let unreadable = |error| Failure::usage(format!("{name}: {}", reason(&error)), KINDS);
        match Path::new(name).extension().and_then(|extension| extension.to_str()) {
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
                require_ours(name, file_kind(Path::new(name)).map_err(unreadable)?)?;
                executables.push(name.clone());
            }
        }
    }
    if let Some(first) = litmus.first() {
        let message = format!("{first}: litmus files cannot be combined with other targets");
        if !sources.is_empty() || !executables.is_empty() {
            return Err(Failure::usage(message, "check them in a command of their own"));
        }
        return Ok(Target::Litmus(litmus));
    }
    match (executables.pop(), executables.is_empty(), sources.is_empty()) {
        (None, _, _) => Ok(Target::Sources(sources)),
        (Some(executable), true, true) => Ok(Target::Executable(executable)),
        (Some(executable), _, _) => Err(Failure::usage(
            format!("{executable}: an executable cannot be combined with other targets"),
            "check executables one at a time",
        )),
    }
}

/// Refuses folders, and what may have no end: pipes and devices.
fn require_file(name: &str, help: &str) -> Result<(), Failure> {
    match std::fs::metadata(name) {
        Ok(there) if there.is_dir() => Err(Failure::usage(format!("{name}: is a folder"), help)),
        Ok(there) if !there.is_file() => {
            Err(Failure::usage(format!("{name}: is no file but a pipe or a device"), help))
        }
        // What is not there is said where it is read.
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn targets() {
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
        std::fs::write(name("a.c"), "").unwrap();
        std::fs::write(name("text"), "").unwrap();
        assert!(target(&[name("a.c")]).is_ok());
        let message = |file: &str| target(&[name(file)]).unwrap_err().message;
        assert!(message("b.c").ends_with("b.c: no such file or directory"));
        assert!(message("text").ends_with("text: neither a .c file nor an executable"));
        assert!(target(&[name("x.litmus"), name("y.litmus")]).is_ok());
        let mixed = target(&[name("x.litmus"), name("a.c")]).unwrap_err().message;
        assert!(mixed.ends_with("x.litmus: litmus files cannot be combined with other targets"));
        let own = std::env::current_exe().unwrap().to_str().unwrap().to_string();
        assert!(target(&[own]).unwrap_err().message.ends_with("not built by fencehound cc"));
    }
}
