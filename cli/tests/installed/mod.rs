//! The tool as it is installed: built, and its parts copied together into one folder.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the pass and the runtime, which no Rust crate depends on, as they are shipped, and puts all parts below a
/// folder where the tool, whose place is returned, looks for them.
pub(crate) fn install(folder: &Path) -> PathBuf {
    let built = Path::new(env!("CARGO_BIN_EXE_fencehound"));
    let target = built.parent().and_then(Path::parent).expect("the tool is in TARGET/PROFILE");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--release", "-p", "fencehound-llvm-pass", "-p", "fencehound-runtime"]);
    cargo.arg("--target-dir").arg(target).current_dir(env!("CARGO_MANIFEST_DIR"));
    let status = cargo.status().expect("cargo can be run");
    assert!(status.success(), "the pass and the runtime are not built: {cargo:?}");
    let library = folder.join("lib/fencehound");
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/include");
    let tool = folder.join("bin/fencehound");
    copy(built, &tool);
    copy(&target.join("release/libfencehound_pass.so"), &library.join("libfencehound_pass.so"));
    copy(&target.join("release/libfencehound_runtime.a"), &library.join("libfencehound_runtime.a"));
    for header in ["fencehound.h", "fencehound_as.h", "pthread.h"] {
        copy(&headers.join(header), &folder.join("include").join(header));
    }
    tool
}

fn copy(from: &Path, to: &Path) {
    let folder = to.parent().expect("a file is in a folder");
    let copied = fs::create_dir_all(folder).and_then(|()| fs::copy(from, to));
    if let Err(error) = copied {
        panic!("{} to {}: {error}", from.display(), to.display());
    }
}
