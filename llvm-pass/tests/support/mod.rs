//! Building the plugin and running clang, for the tests.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The optimisation levels, at all of which the hooks must be the same.
pub(crate) const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

/// Builds the plugin in the profile that the tests are built in, and gives its path. (Tests alone do not build it.)
pub(crate) fn plugin() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    let profile = test.parent().and_then(Path::parent).expect("a test is in PROFILE/deps");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", "fencehound-llvm-pass", "--target-dir"]);
    cargo.arg(profile.parent().expect("a profile is in the target folder"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    if profile.file_name() == Some(OsStr::new("release")) {
        cargo.arg("--release");
    }
    run(&mut cargo);
    profile.join("libfencehound_pass.so")
}

/// The folder of the tests' files of a kind.
pub(crate) fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(kind)
}

/// The C files of a folder, sorted.
pub(crate) fn c_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of the tests can be read")
        .map(|entry| entry.expect("its entries can be read").path())
        .filter(|path| path.extension() == Some(OsStr::new("c")))
        .collect();
    files.sort();
    files
}

/// The name of a file without its folder and ending.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    output
}
