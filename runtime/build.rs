//! Compiles the functions with a variable number of arguments, which only C can define, and generates from the header
//! of the hooks the functions with which `src/abi.rs` compares definitions.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use hook_abi::{Field, Header, Hook, Struct, Type};

fn main() {
    let header = Header::read(Path::new("include")).unwrap_or_else(|error| panic!("the hooks: {error}"));
    let output = env::var_os("OUT_DIR").map(PathBuf::from).expect("cargo names a folder for what is built");
    fs::write(output.join("declared.rs"), declared(&header)).expect("that folder can be written");
    println!("cargo:rerun-if-changed=src/hooks/library/variadic.c");
    cc::Build::new()
        .file("src/hooks/library/variadic.c")
        .opt_level(1)
        .flag("-ffreestanding")
        .compile("fencehound_variadic");
}

/// Returns the text of a module for each declaration, with a function that compares a definition with it.
fn declared(header: &Header) -> String {
    let mut text = String::from("use super::{Compared, Kind, Passed};\n");
    let numbers: Vec<String> = header.numbers.iter().map(|(name, value)| format!("({name:?}, {value})")).collect();
    let _ = writeln!(text, "pub(super) const NUMBERS: &[(&str, u32)] = &[{}];", numbers.join(", "));
    for hook in &header.hooks {
        text.push_str(&of_hook(hook));
    }
    for record in &header.structs {
        text.push_str(&of_struct(record));
    }
    text.push_str("const fn is_compared<T: Compared>() {}\nconst _: () = {\n");
    let names = header.hooks.iter().map(|hook| &hook.name).chain(header.structs.iter().map(|record| &record.name));
    for name in names {
        let _ = writeln!(text, "is_compared::<{name}::It>();");
    }
    text.push_str("};\n");
    text
}

/// Returns the text that compares the types of a function's parameters and of its result.
fn of_hook(Hook { name, result, parameters }: &Hook) -> String {
    let variables: Vec<String> = (0..parameters.len()).map(|index| format!("P{index}")).collect();
    let bounds: String = variables.iter().map(|variable| format!(", {variable}: Passed")).collect();
    let mut text = format!(
        "pub(crate) mod {name} {{\nuse super::{{Kind, Passed}};\npub(crate) struct It;\n\
         pub(crate) const fn compare<R: Passed{bounds}>(_: unsafe extern \"C\" fn({}) -> R) {{\n",
        variables.join(", ")
    );
    let types = variables.iter().map(String::as_str).chain(["R"]).zip(parameters.iter().chain([result]));
    for (variable, declared) in types {
        let what = format!("fencehound_hooks.h declares {name} otherwise ({variable})");
        let _ = writeln!(text, "assert!({variable}::KIND.is({}), {what:?});", kind(declared));
    }
    text.push_str("}\n}\n");
    text
}

/// Returns the text that compares a struct's size, and the places and sizes of its fields.
fn of_struct(Struct { name, fields }: &Struct) -> String {
    let mut text =
        format!("pub(crate) mod {name} {{\npub(crate) struct It;\n#[repr(C)]\npub(crate) struct Declared {{\n");
    for Field { name, kind, elements } in fields {
        let one = rust_type(kind);
        let whole = elements.map_or_else(|| one.clone(), |elements| format!("[{one}; {elements}]"));
        let _ = writeln!(text, "{name}: {whole},");
    }
    let fields: Vec<String> = fields
        .iter()
        .map(|Field { name, .. }| {
            format!(
                "(std::mem::offset_of!(Declared, {name}), super::super::size_of_field(|one: &Declared| &one.{name}))"
            )
        })
        .collect();
    let _ = writeln!(
        text,
        "}}\npub(crate) const fn compare(size: usize, fields: &[(usize, usize)]) {{\n\
         let declared: &[(usize, usize)] = &[{}];\n\
         assert!(size == size_of::<Declared>() && fields.len() == declared.len(), \"fencehound_hooks.h declares {name} otherwise\");\n\
         let mut index = 0;\n\
         while index < declared.len() {{\n\
         let ((place, size), (its_place, its_size)) = (fields[index], declared[index]);\n\
         assert!(place == its_place && size == its_size, \"fencehound_hooks.h declares the fields of {name} otherwise\");\n\
         index += 1;\n}}\n}}\n}}",
        fields.join(", ")
    );
    text
}

/// Returns the text of a type as a `Kind`.
fn kind(of: &Type) -> String {
    match of {
        Type::Void => "Kind::Void".to_owned(),
        Type::Integer { bytes, is_signed } => format!("Kind::Integer({bytes}, {is_signed})"),
        Type::Pointer { to, is_constant } => {
            let bytes = match to.strip_prefix("struct ") {
                Some(record) => format!("Some(size_of::<super::{record}::Declared>())"),
                None => "None".to_owned(),
            };
            format!("Kind::Pointer({is_constant}, {bytes})")
        }
        Type::Struct(name) => format!("Kind::Struct(size_of::<super::{name}::Declared>())"),
    }
}

/// Returns the text of a Rust type of the same size.
fn rust_type(of: &Type) -> String {
    match of {
        Type::Integer { bytes, .. } => format!("u{}", 8 * bytes),
        Type::Pointer { .. } => "*const u8".to_owned(),
        Type::Void => "()".to_owned(),
        Type::Struct(name) => format!("super::{name}::Declared"),
    }
}
