//! The making of a program under test out of `.c` files, in a folder that vanishes with it: by one start of clang, which links too, or
//! of clang and of the linker.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::clang;
use crate::executable::{FileKind, file_kind};
use crate::exit::Failure;
use crate::hash::hashes;
use crate::interrupt::Interrupts;
use crate::link;
use crate::program::Program;
use crate::screen::{Channel, Color, colours_errors, pass_on, plain};
use crate::toolchain::Parts;
use crate::workplace::{self, Workplace};

/// The sources of a program, and how they are compiled.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    /// The folder that all names are relative to.
    pub(crate) directory: PathBuf,
    /// The `.c` files.
    pub(crate) files: Vec<PathBuf>,
    /// The further options that the user gives to the compiler.
    pub(crate) options: Vec<String>,
}

/// The amount that a debugger will know of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DebugInfo {
    /// The debugger knows lines and columns.
    Lines,
    /// The debugger knows variables, too.
    Full,
}

/// A program, ready to run.
#[derive(Debug)]
pub(crate) struct Built {
    /// The executable.
    pub(crate) executable: PathBuf,
    /// The files that the executable was made of, sorted, each with its hash.
    pub(crate) files: Vec<(String, String)>,
    /// The folder that the executable is in, deleted in the end.
    _folder: Workplace,
}

impl Built {
    /// Returns the program made of these `.c` files, to be run in a folder; it has the name of the first file.
    pub(crate) fn program(&self, directory: &Path, files: &[PathBuf], arguments: Vec<String>) -> Program {
        let name = files.first().and_then(|file| file.file_stem()).unwrap_or_default().to_os_string();
        let (executable, directory) = (self.executable.clone(), directory.to_path_buf());
        Program { executable, name, arguments, directory, environment: None }
    }
}

/// Compiles and links the sources. clang's own messages go to the standard error.
pub(crate) fn compile(
    sources: &Sources,
    parts: &Parts,
    debug: DebugInfo,
    color: Color,
    interrupts: &Interrupts,
) -> Result<Built, Failure> {
    let temporary = |error: io::Error| Failure::usage(format!("no temporary folder: {error}"), "free some disk space");
    workplace::clear_abandoned(&env::temp_dir());
    let folder = Workplace::new(&env::temp_dir()).map_err(temporary)?;
    let executable = folder.path().join("program");
    let headers = folder.path().join("headers");
    clang::note_lto(&sources.options);
    let mut said = Vec::new();
    let mut made = true;
    for mut step in steps(sources, parts, debug, color, &executable) {
        // clang writes one name a line into this file, and appends, so that one file serves several sources.
        step.env("CC_PRINT_HEADERS", "1").env("CC_PRINT_HEADERS_FILE", &headers).current_dir(&sources.directory);
        made = run(step, &mut said, interrupts)?.success();
        if !made {
            break;
        }
    }
    let files = sources.files.iter().map(|file| file.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let (said, main) = without_main(&String::from_utf8_lossy(&said));
    pass_on(Channel::Error, said.as_bytes());
    match main {
        Main::Missing => return Err(Failure::no_main(&files)),
        Main::Several => return Err(Failure::several_mains(&files)),
        Main::There => {}
    }
    if !made {
        return Err(Failure::compile(format!("{files} did not compile")));
    }
    if !file_kind(&executable).is_ok_and(|kind| kind == FileKind::Ours) {
        let options = sources.options.join(" ");
        return Err(Failure::usage(
            format!("with the options {options}, clang makes no executable of {files}"),
            "leave out those that ask clang for something else",
        ));
    }
    let mut files = sources.files.clone();
    files.extend(own_headers(&headers, &parts.include));
    files.extend(clang::template_files(&sources.options).map(PathBuf::from));
    Ok(Built { executable, files: hashes(&sources.directory, &files), _folder: folder })
}

/// Returns the commands that make the executable, in their order: clang's driver alone, or, where the linker can be told what the
/// driver would tell it, clang, which then compiles in the process of its driver, and the linker.
fn steps(sources: &Sources, parts: &Parts, debug: DebugInfo, color: Color, executable: &Path) -> Vec<Command> {
    let mut clang = compiling(sources, parts, debug, color);
    let is_one = matches!(&sources.files[..], [file] if file.extension().is_some_and(|extension| extension == "c"));
    if let Some(places) = link::Places::of(&sources.options).filter(|_| is_one) {
        let object = executable.with_extension("o");
        clang.arg("-c").arg("-o").arg(&object);
        let mut linker = Command::new(parts.linker.path());
        linker.args(places.arguments(parts, &sources.options, &object, executable));
        return vec![clang, linker];
    }
    clang.args(sources.options.iter().filter(|option| link::is_library(option))).args(clang::linking(parts));
    clang.arg("-o").arg(executable);
    vec![clang]
}

/// Returns the start of clang with everything that compiling needs.
fn compiling(sources: &Sources, parts: &Parts, debug: DebugInfo, color: Color) -> Command {
    let mut command = Command::new(&parts.clang);
    command.args(clang::compiling(parts));
    if debug == DebugInfo::Full {
        command.arg("-g");
    }
    command.arg(if colours_errors(color) { "-fcolor-diagnostics" } else { "-fno-color-diagnostics" });
    command
        .args(sources.options.iter().filter(|option| !link::is_library(option)))
        .args(clang::without_lto(&sources.options));
    // clang would not take names with these beginnings for files.
    let plain = |file: &PathBuf| match file.as_os_str().as_encoded_bytes() {
        [b'-' | b'@', ..] => Path::new(".").join(file),
        _ => file.clone(),
    };
    command.args(sources.files.iter().map(plain));
    command
}

/// Runs a command to its end, and adds what it says on its standard error.
fn run(mut command: Command, said: &mut Vec<u8>, interrupts: &Interrupts) -> Result<ExitStatus, Failure> {
    let name = PathBuf::from(command.get_program());
    let cannot = |error: io::Error| Failure::missing(format!("{} cannot be started: {error}", name.display()));
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    if let Some(cause) = interrupts.cause() {
        return Err(cause.failure());
    }
    let mut child = interrupts.spawn(&mut command).map_err(cannot)?;
    if let Some(mut words) = child.stderr.take() {
        words.read_to_end(said).map_err(cannot)?;
    }
    let status = child.wait().map_err(cannot)?;
    interrupts.forget(child.id());
    match interrupts.cause() {
        Some(cause) => Err(cause.failure()),
        None => Ok(status),
    }
}

/// Whether the linker has found a `main`, and one alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Main {
    /// The linker has found a `main`, or was not asked to.
    There,
    /// The linker has found no `main`.
    Missing,
    /// The linker has found a `main` in more than one file.
    Several,
}

/// Returns clang's messages without the linker's about a missing `main`, which has another name there, and without anything else
/// if that was all.
fn without_main(said: &str) -> (String, Main) {
    let mut kept = String::new();
    let mut main = Main::There;
    let mut skips = false;
    for line in said.split_inclusive('\n') {
        let name = plain(line);
        let of_main =
            [": __fh_main", ": main"].iter().any(|end| name.trim_end().ends_with(&format!("undefined symbol{end}")));
        skips = of_main || (skips && (name.starts_with(">>>") || name.trim().is_empty()));
        if of_main {
            main = Main::Missing;
        } else if name.trim_end().ends_with("duplicate symbol: main")
            || name.trim_end().ends_with("duplicate symbol: __fh_main")
        {
            main = Main::Several;
        }
        if !skips {
            kept.push_str(&line.replace("__fh_main", "main"));
        }
    }
    if main == Main::Missing
        && !kept.lines().any(|line| line.contains("error:") && !line.contains("linker command failed"))
    {
        kept.clear();
    }
    (kept, main)
}

/// Returns the headers that were read, except those of the system and those of fencehound, which are in the folder `include`.
fn own_headers(list: &Path, include: &Path) -> Vec<PathBuf> {
    let names = fs::read(list).unwrap_or_default();
    let names = names.split(|&byte| byte == b'\n').filter(|name| !name.is_empty());
    let files = names.map(|name| PathBuf::from(OsStr::from_bytes(name)));
    files.filter(|file| !file.starts_with("/usr/") && !file.starts_with(include)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Main, own_headers, without_main};

    #[test]
    fn a_missing_main_is_told_from_other_errors() {
        let lost = "ld.lld: error: undefined symbol: __fh_main\n>>> referenced by x.rs:1\n>>>   control.o:(main)\n";
        let end = "clang: error: linker command failed with exit code 1 (use -v to see invocation)\n";
        assert_eq!(without_main(&format!("{lost}{end}")), (String::new(), Main::Missing));
        let other = "\nld.lld: error: undefined symbol: helper\n>>> referenced by a.c:3\n";
        assert_eq!(without_main(&format!("{lost}{other}{end}")), (format!("{}{end}", &other[1..]), Main::Missing));
        let twice = "ld.lld: error: duplicate symbol: __fh_main\n";
        assert_eq!(without_main(twice), ("ld.lld: error: duplicate symbol: main\n".to_string(), Main::Several));
    }

    #[test]
    fn headers_of_the_system_are_not_the_program() {
        let list = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(list.path(), "/usr/include/stdio.h\n./q.h\n/opt/fencehound/include/fencehound.h\n").unwrap();
        assert_eq!(own_headers(list.path(), "/opt/fencehound/include".as_ref()), [Path::new("./q.h")]);
    }
}
