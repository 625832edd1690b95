//! The places of the tool's parts: clang 19, lld, the pass plugin, the runtime library, the header.
//!
//! Nothing is started to find out, as long as clang has its version in its name: a check must begin at once.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::exit::Failure;

/// The way in which clang is told to use lld.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Linker {
    /// clang finds `ld.lld` by itself, at this place.
    ByName(PathBuf),
    /// The linker is at this place, where clang does not find it by itself.
    At(PathBuf),
}

impl Linker {
    /// Returns clang's argument for the linker.
    pub(crate) fn argument(&self) -> OsString {
        match self {
            Linker::ByName(_) => "-fuse-ld=lld".into(),
            Linker::At(path) => {
                let mut argument = OsString::from("--ld-path=");
                argument.push(path);
                argument
            }
        }
    }

    /// Returns the place of the linker.
    pub(crate) fn path(&self) -> &Path {
        let (Linker::ByName(path) | Linker::At(path)) = self;
        path
    }
}

/// The parts of the tool, as far as they were found.
#[derive(Clone, Debug)]
pub(crate) struct Toolchain {
    /// clang 19.
    pub(crate) clang: Option<PathBuf>,
    /// The linker lld, for `clang`.
    pub(crate) linker: Option<Linker>,
    /// `libfencehound_pass.so`.
    pub(crate) plugin: Option<PathBuf>,
    /// `libfencehound_runtime.a`.
    pub(crate) runtime: Option<PathBuf>,
    /// The folder with `fencehound.h`.
    pub(crate) include: Option<PathBuf>,
}

/// The parts of the tool, all present.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// clang 19.
    pub(crate) clang: PathBuf,
    /// lld, for `clang`.
    pub(crate) linker: Linker,
    /// The compiler plugin, `libfencehound_pass.so`.
    pub(crate) plugin: PathBuf,
    /// The runtime library, `libfencehound_runtime.a`.
    pub(crate) runtime: PathBuf,
    /// The folder with `fencehound.h`.
    pub(crate) include: PathBuf,
}

impl Toolchain {
    /// Looks for the parts, from the place of this executable and in `PATH`.
    pub(crate) fn locate() -> Toolchain {
        let here = env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_path_buf)).unwrap_or_default();
        let installed = here.join("../lib/fencehound");
        let part = |name: &str| first_file([installed.join(name), here.join(name)]);
        let include = [installed.join("include"), here.join("../include"), here.join("../../runtime/include")]
            .into_iter()
            .chain(of_sources())
            .find(|folder| folder.join("fencehound.h").is_file());
        let clang = find_clang();
        let linker = clang.as_deref().and_then(find_linker);
        Toolchain {
            clang,
            linker,
            plugin: part("libfencehound_pass.so"),
            runtime: part("libfencehound_runtime.a"),
            include: include.map(|folder| folder.canonicalize().unwrap_or(folder)),
        }
    }

    /// Returns all parts, or the failure that the first missing one is missing.
    pub(crate) fn require(self) -> Result<Parts, Failure> {
        let missing = |what: &str| Failure::missing(format!("{what} was not found"));
        Ok(Parts {
            clang: self.clang.ok_or_else(|| missing("clang 19"))?,
            linker: self.linker.ok_or_else(|| missing("the linker lld"))?,
            plugin: self.plugin.ok_or_else(|| missing("the compiler plugin libfencehound_pass.so"))?,
            runtime: self.runtime.ok_or_else(|| missing("the runtime library libfencehound_runtime.a"))?,
            include: self.include.ok_or_else(|| missing("the header fencehound.h"))?,
        })
    }
}

/// Returns the folder of the header for a build whose target folder is not in the source tree. What is handed on is built with
/// `FENCEHOUND_INSTALLED`, and names no folder of the machine on which it was made.
fn of_sources() -> Option<PathBuf> {
    match option_env!("FENCEHOUND_INSTALLED") {
        Some(_) => None,
        None => Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/include")),
    }
}

/// Returns the path of a program in `PATH`.
pub(crate) fn in_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn first_file(candidates: [PathBuf; 2]) -> Option<PathBuf> {
    candidates.into_iter().find(|file| file.is_file()).map(|file| file.canonicalize().unwrap_or(file))
}

fn find_clang() -> Option<PathBuf> {
    let debian = PathBuf::from("/usr/lib/llvm-19/bin/clang");
    in_path("clang-19")
        .or_else(|| debian.is_file().then_some(debian))
        .or_else(|| in_path("clang").filter(|clang| is_version_19(clang)))
}

fn is_version_19(clang: &Path) -> bool {
    let output = Command::new(clang).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("clang version 19."))
}

fn find_linker(clang: &Path) -> Option<Linker> {
    let beside = clang.canonicalize().ok()?.with_file_name("ld.lld");
    if let Some(path) = beside.is_file().then_some(beside).or_else(|| in_path("ld.lld")) {
        return Some(Linker::ByName(path));
    }
    in_path("ld.lld-19").map(Linker::At)
}
