//! Compiles the C++ shim against the headers of LLVM 19, and makes a table of the hooks (`src/abi.rs`) from their header.
//!
//! LLVM's headers are looked for as llvm-sys looks for its own: `LLVM_SYS_191_PREFIX` if it is set, else the
//! `llvm-config-19` or `llvm-config` of the path.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hook_abi::{Header, Type};

/// What is written in C++.
const FILES: [&str; 3] = ["src/shim.cpp", "src/twins.cpp", "src/types.cpp"];

fn main() {
    let header = Header::read(Path::new("../runtime/include")).unwrap_or_else(|error| panic!("the hooks: {error}"));
    let output = env::var_os("OUT_DIR").map(PathBuf::from).expect("cargo names a folder for what is built");
    fs::write(output.join("abi.rs"), table(&header)).expect("that folder can be written");
    for file in FILES {
        println!("cargo:rerun-if-changed={file}");
    }
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let mut shim = cc::Build::new();
    shim.cpp(true)
        .std("c++17")
        .files(FILES)
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

/// The header as the Rust tables that `src/abi.rs` explains.
fn table(header: &Header) -> String {
    let mut text = String::new();
    for (name, value) in &header.numbers {
        let _ = writeln!(text, "pub(crate) const {name}: u32 = {value};");
    }
    text.push_str("const HOOKS: &[Declaration] = &[\n");
    for hook in &header.hooks {
        let parameters: Vec<String> = hook.parameters.iter().map(kind).collect();
        let (name, result, parameters) = (&hook.name, kind(&hook.result), parameters.join(", "));
        let _ = writeln!(text, "Declaration {{ name: {name:?}, result: {result}, parameters: &[{parameters}] }},");
    }
    text.push_str("];\nconst FIELDS: &[Field] = &[\n");
    for one in &header.structs {
        for field in &one.fields {
            let (of, name, kind, elements) = (&one.name, &field.name, kind(&field.kind), field.elements.unwrap_or(1));
            let _ = writeln!(text, "Field {{ of: {of:?}, name: {name:?}, kind: {kind}, elements: {elements} }},");
        }
    }
    text.push_str("];\n");
    text
}

/// A type as a `Kind`.
fn kind(of: &Type) -> String {
    match of {
        Type::Void => "Kind::Void".to_owned(),
        Type::Integer { bytes, .. } => format!("Kind::Integer({bytes})"),
        Type::Pointer { .. } => "Kind::Pointer".to_owned(),
        Type::Struct(_) => "Kind::Struct".to_owned(),
    }
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
