//! Building the plugin and running clang, for the tests.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    output
}
