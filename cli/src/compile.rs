//! Makes a program under test of `.c` files, in a folder that vanishes with it: one start of clang, which links too.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::cc;
use crate::exit::Failure;
use crate::interrupt::Interrupts;
use crate::screen::Color;
use crate::toolchain::{Parts, Toolchain};

/// What is to be compiled.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    /// The folder that all names are relative to.
    pub(crate) directory: PathBuf,
    /// The `.c` files.
    pub(crate) files: Vec<String>,
    /// What the user asked of the compiler beside.
    pub(crate) options: Vec<String>,
}

/// How much a debugger will know of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DebugInfo {
    /// Lines and columns.
    Lines,
    /// Variables too.
    Full,
}

/// A program, ready to run.
#[derive(Debug)]
pub(crate) struct Built {
    /// The executable.
    pub(crate) executable: PathBuf,
    /// The files it was made of, sorted, and a hash of each.
    pub(crate) files: Vec<(String, String)>,
    /// The folder that the executable is in, deleted in the end.
    _folder: TempDir,
}

/// Compiles and links. clang's own messages go to the standard error.
pub(crate) fn compile(
    sources: &Sources,
    debug: DebugInfo,
    color: Color,
    interrupts: &Interrupts,
) -> Result<Built, Failure> {
    let parts = Toolchain::locate().require()?;
    let temporary = |error: io::Error| Failure::usage(format!("no temporary folder: {error}"), "free some disk space");
    let folder = tempfile::Builder::new().prefix("fencehound-").tempdir().map_err(temporary)?;
    let executable = folder.path().join("program");
    let headers = folder.path().join("headers");
    let mut command = clang(sources, &parts, debug, color);
    command.arg("-o").arg(&executable);
    // clang writes one name a line into this file, and appends, so that one file serves several sources.
    command.env("CC_PRINT_HEADERS", "1").env("CC_PRINT_HEADERS_FILE", &headers);
    command.stdin(Stdio::null()).current_dir(&sources.directory);
    if interrupts.pressed() {
        return Err(Failure::interrupted());
    }
    let cannot = |error: io::Error| Failure::missing(format!("{} cannot be started: {error}", parts.clang.display()));
    let mut child = interrupts.spawn(&mut command).map_err(cannot)?;
    let status = child.wait().map_err(cannot)?;
    interrupts.forget();
    if interrupts.pressed() {
        return Err(Failure::interrupted());
    }
    if !status.success() {
        return Err(Failure::compile(format!("{} did not compile", sources.files.join(" "))));
    }
    let mut files = sources.files.clone();
    files.extend(own_headers(&headers, &parts.include));
    Ok(Built { executable, files: hashes(&sources.directory, files), _folder: folder })
}

fn clang(sources: &Sources, parts: &Parts, debug: DebugInfo, color: Color) -> Command {
    let is_library = |option: &&String| option.starts_with("-l") || option.starts_with("-Wl,");
    let mut command = Command::new(&parts.clang);
    command.args(cc::compiling(parts));
    if debug == DebugInfo::Full {
        command.arg("-g");
    }
    match color {
        Color::Auto => {}
        Color::Always => drop(command.arg("-fcolor-diagnostics")),
        Color::Never => drop(command.arg("-fno-color-diagnostics")),
    }
    command.args(sources.options.iter().filter(|option| !is_library(option)));
    command
        .args(sources.files.iter().map(|file| if file.starts_with('-') { format!("./{file}") } else { file.clone() }));
    command.args(sources.options.iter().filter(is_library));
    command.args(cc::linking(parts));
    command
}

/// The headers read, without those of the system and of fencehound, which are in this folder.
fn own_headers(list: &Path, include: &Path) -> Vec<String> {
    let text = fs::read_to_string(list).unwrap_or_default();
    let own = |name: &&str| !name.starts_with("/usr/") && !Path::new(name).starts_with(include);
    text.lines().filter(own).map(str::to_string).collect()
}

/// Each file once, sorted, with the hash of its content; `gone` if it cannot be read.
fn hashes(directory: &Path, files: Vec<String>) -> Vec<(String, String)> {
    let mut names: Vec<String> = files.into_iter().map(|name| plain_name(&name).to_string()).collect();
    names.sort();
    names.dedup();
    let hash = |name: &String| hash_file(&directory.join(name)).unwrap_or_else(|_| "gone".to_string());
    names.into_iter().map(|name| (name.clone(), hash(&name))).collect()
}

fn plain_name(name: &str) -> &str {
    match name.strip_prefix("./") {
        Some(rest) => plain_name(rest),
        None => name,
    }
}

/// A hash of a file's content.
pub(crate) fn hash_file(file: &Path) -> io::Result<String> {
    let digest = Sha256::digest(fs::read(file)?);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("sha256:{hex}"))
}

#[cfg(test)]
mod tests {
    use super::{hashes, own_headers};

    #[test]
    fn files_are_named_once_and_sorted() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.h"), "abc").unwrap();
        let files = hashes(folder.path(), vec!["b.c".into(), "./a.h".into(), "a.h".into()]);
        let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(files, [("a.h".to_string(), abc.to_string()), ("b.c".to_string(), "gone".to_string())]);
    }

    #[test]
    fn headers_of_the_system_are_not_the_program() {
        let list = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(list.path(), "/usr/include/stdio.h\n./q.h\n/opt/fencehound/include/fencehound.h\n").unwrap();
        assert_eq!(own_headers(list.path(), "/opt/fencehound/include".as_ref()), ["./q.h"]);
    }
}
