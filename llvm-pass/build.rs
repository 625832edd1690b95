//! Compiles the C++ shim against the headers of LLVM 19. They are looked for as llvm-sys looks for its own:
//! `LLVM_SYS_191_PREFIX` if it is set, else the `llvm-config-19` or `llvm-config` of the path.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=src/shim.cpp");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let mut shim = cc::Build::new();
    shim.cpp(true)
        .std("c++17")
        .file("src/shim.cpp")
        .include(include_directory())
        .flag("-fno-exceptions")
        .flag("-fno-rtti")
        .flag_if_supported("-Wno-unused-parameter")
        .define("NDEBUG", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .define("_GNU_SOURCE", None)
        .warnings(false)
        .compile("fencehound_shim");
}

/// The folder of LLVM 19's headers.
fn include_directory() -> PathBuf {
    let prefix = env::var_os("LLVM_SYS_191_PREFIX").map(PathBuf::from);
    let configs = match &prefix {
        Some(prefix) => vec![prefix.join("bin/llvm-config")],
        None => ["llvm-config-19", "llvm-config", "/usr/lib/llvm-19/bin/llvm-config"].map(PathBuf::from).to_vec(),
    };
    for config in &configs {
        let Ok(output) = Command::new(config).args(["--version", "--includedir"]).output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout);
        let mut lines = text.lines();
        if lines.next().is_some_and(|version| version.starts_with("19."))
            && let Some(folder) = lines.next()
        {
            return folder.into();
        }
    }
    panic!(
        "the headers of LLVM 19 were not found (tried {configs:?}): install llvm-19-dev, or set LLVM_SYS_191_PREFIX"
    );
}
