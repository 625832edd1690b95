//! `fencehound cc` and `fencehound c++`: run clang with the plugin, the header and the runtime library added, and nothing else changed.
//!
//! What is added depends on what clang is asked to do: a query (`-v`, `-print-…`, no input file) gets nothing, a
//! compilation the plugin and the header, a link the runtime library as well. A shared library or a relocatable
//! object gets no runtime: that belongs to the executable. Link-time optimisation is switched off: it would run the
//! plugin's passes again, on what is instrumented already.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::clang::{compiling, labels, linking, note_lto, templates, uninitialised, without_lto};
use crate::exit::Failure;
use crate::toolchain::{Parts, Toolchain};

/// The compiler that clang is asked to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Driver {
    /// clang, which links C programs.
    C,
    /// clang++, which links C++ programs.
    CPlusPlus,
}

impl Driver {
    /// Returns the compiler that a command of the tool is, if it is one.
    pub(crate) fn of_command(command: &OsStr) -> Option<Driver> {
        match command.to_str() {
            Some("cc") => Some(Driver::C),
            Some("c++") => Some(Driver::CPlusPlus),
            _ => None,
        }
    }

    /// Returns the argument that makes clang this compiler; it goes before all others.
    fn argument(self) -> Option<&'static str> {
        match self {
            Driver::C => None,
            Driver::CPlusPlus => Some("--driver-mode=g++"),
        }
    }
}

/// The product that clang is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Product {
    /// Nothing is compiled: clang answers a question, or complains.
    Nothing,
    /// The product is something short of an executable: an object, or preprocessed text.
    Part,
    /// The product is a shared library, which takes its hooks from the executable that loads it.
    Library,
    /// The product is an executable.
    Executable,
}

/// The variable by which the plugin is told to keep functions as the program has them as well, for when it is run by itself.
const TWINS: &str = "FENCEHOUND_TWINS";

/// Replaces this process by clang. Returns only if that is not possible.
pub(crate) fn run(driver: Driver, arguments: &[OsString]) -> Failure {
    let parts = match Toolchain::locate().require() {
        Ok(parts) => parts,
        Err(failure) => return failure,
    };
    note_lto(&expanded(arguments));
    let error =
        Command::new(&parts.clang).args(driver.argument()).args(complete(arguments, &parts)).env(TWINS, "1").exec();
    Failure::missing(format!("{} cannot be started: {error}", parts.clang.display()))
}

/// Returns the arguments for clang.
fn complete(arguments: &[OsString], parts: &Parts) -> Vec<OsString> {
    let (templates, arguments) = split_own(arguments);
    let (dependencies, arguments) = split_dependencies(arguments);
    let read = expanded(&arguments);
    let product = product(&read);
    if product == Product::Nothing {
        return arguments;
    }
    let mut all = compiling(parts);
    all.extend(templates);
    all.extend(dependencies);
    all.extend(arguments.iter().map(|argument| match argument.to_str() {
        // Every program under test is at fixed addresses.
        Some("-static-pie") => "-static".into(),
        _ => argument.clone(),
    }));
    all.extend(without_lto(&read));
    match product {
        Product::Executable => all.extend(linking(parts)),
        Product::Library => all.extend(linking_library(parts)),
        Product::Part | Product::Nothing => {}
    }
    all.extend(line_tables(&read));
    all
}

/// Takes `--asm-templates FILE` and `--uninitialised` out of the arguments, and returns the options that they become, and the
/// rest.
fn split_own(arguments: &[OsString]) -> (Vec<OsString>, Vec<OsString>) {
    const OPTION: &str = "--asm-templates";
    let (mut found, mut others) = (Vec::new(), Vec::new());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if text == "--uninitialised" {
            found.extend(uninitialised().map(OsString::from));
            continue;
        }
        let file = match text.strip_prefix(OPTION) {
            Some("") => rest.next().map(|file| file.to_string_lossy().into_owned()),
            Some(value) => value.strip_prefix('=').map(str::to_string),
            None => None,
        };
        match file {
            Some(file) => found.extend(templates(&file).map(OsString::from)),
            None => others.push(argument.clone()),
        }
    }
    (found, others)
}

/// Takes `--power` out of the arguments, and returns the options that it becomes, and the rest.
fn split_dependencies(arguments: Vec<OsString>) -> (Vec<OsString>, Vec<OsString>) {
    let (found, others): (Vec<OsString>, Vec<OsString>) =
        arguments.into_iter().partition(|argument| argument == "--power");
    let becomes = if found.is_empty() { Vec::new() } else { labels().map(OsString::from).to_vec() };
    (becomes, others)
}

/// Returns the arguments that linking a shared library needs; they go after the user's own. The hooks are missing there, and
/// should be.
fn linking_library(parts: &Parts) -> Vec<OsString> {
    let mut all: Vec<OsString> = vec!["--start-no-unused-arguments".into(), parts.linker.argument()];
    all.extend(["-Xlinker", "-z", "-Xlinker", "undefs", "--end-no-unused-arguments"].map(OsString::from));
    all
}

/// Returns the arguments with those of response files (`@objects.rsp`) in the place of the files, as clang reads them. A file
/// that cannot be read is left for clang to complain about.
fn expanded(arguments: &[OsString]) -> Vec<OsString> {
    let mut all = Vec::new();
    let mut left: Vec<(OsString, u32)> = arguments.iter().rev().map(|argument| (argument.clone(), 0)).collect();
    while let Some((argument, depth)) = left.pop() {
        let file = argument.to_str().and_then(|text| text.strip_prefix('@')).filter(|_| depth < NESTED);
        match file.and_then(|file| fs::read_to_string(file).ok()) {
            Some(text) => left.extend(words(&text).into_iter().rev().map(|word| (word.into(), depth + 1))),
            None => all.push(argument),
        }
    }
    all
}

/// The depth to which response files in response files are followed.
const NESTED: u32 = 20;

/// Returns the words of a response file. Words are separated by blanks, unless these are quoted or behind a backslash.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (_, '\\') => word.get_or_insert_default().extend(letters.next()),
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// Returns the arguments that switch on lines and columns, which reports need, where the user switched them off.
fn line_tables(arguments: &[OsString]) -> Vec<OsString> {
    let off = ["-g0", "-ggdb0", "-gno-column-info"];
    if !arguments.iter().any(|argument| off.iter().any(|off| argument == off)) {
        return Vec::new();
    }
    let level = arguments.iter().rev().filter_map(|argument| argument.to_str()).find(|text| is_debug_level(text));
    let mut all = vec![OsString::from("-gcolumn-info")];
    if level.is_some_and(|level| level.ends_with('0')) {
        all.push("-g".into());
    }
    all
}

fn is_debug_level(argument: &str) -> bool {
    argument.strip_prefix("-g").is_some_and(|rest| rest.is_empty() || rest.starts_with(['0', '1', '2', '3', 'g', 'l']))
}

fn product(arguments: &[OsString]) -> Product {
    let mut input = false;
    let mut part = false;
    let mut library = false;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if !text.starts_with('-') || text == "-" {
            input = true;
        } else if takes_a_value(&text) {
            rest.next();
        } else {
            part |= ends_before_linking(argument);
            library |= argument == "-shared" || argument == "--shared";
        }
    }
    match (input, part, library) {
        (false, _, _) => Product::Nothing,
        (true, true, _) => Product::Part,
        (true, false, true) => Product::Library,
        (true, false, false) => Product::Executable,
    }
}

fn ends_before_linking(argument: &OsStr) -> bool {
    let modes = [
        "-c",
        "--compile",
        "-S",
        "--assemble",
        "-E",
        "--preprocess",
        "-M",
        "-MM",
        "-fsyntax-only",
        "--analyze",
        "-r",
        "--relocatable",
        "-Wl,-r",
    ];
    modes.iter().any(|mode| argument == *mode)
}

/// Whether the value of an option is the next argument, which is then no input file.
fn takes_a_value(argument: &str) -> bool {
    const SEPARATE: [&str; 44] = [
        "-o",
        "-x",
        "-D",
        "-U",
        "-I",
        "-L",
        "-l",
        "-B",
        "-F",
        "-T",
        "-u",
        "-z",
        "-e",
        "-A",
        "-MF",
        "-MT",
        "-MQ",
        "-MJ",
        "-include",
        "-imacros",
        "-isystem",
        "-iquote",
        "-idirafter",
        "-iprefix",
        "-iwithprefix",
        "-isysroot",
        "--sysroot",
        "-Xclang",
        "-Xarch_host",
        "-include-pch",
        "-iwithprefixbefore",
        "-isystem-after",
        "-ivfsoverlay",
        "-rpath",
        "-working-directory",
        "-Xlinker",
        "-Xassembler",
        "-Xpreprocessor",
        "-mllvm",
        "--param",
        "-target",
        "-arch",
        "-dumpdir",
        "--config",
    ];
    SEPARATE.contains(&argument)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{Product, complete, expanded, product, words};
    use crate::clang;
    use crate::toolchain::{Linker, Parts};

    fn arguments(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn completed(line: &str) -> String {
        let parts = Parts {
            clang: "clang-19".into(),
            linker: Linker::ByName("ld.lld".into()),
            plugin: "P".into(),
            runtime: "R".into(),
            include: "INC".into(),
        };
        let all = complete(&arguments(line), &parts);
        all.iter().map(|argument| argument.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn queries_are_not_touched() {
        for query in ["", "-v", "--version", "-dumpmachine", "-print-prog-name=ld", "-o x", "-E -include stdio.h"] {
            assert_eq!(product(&arguments(query)), Product::Nothing, "{query}");
            assert_eq!(completed(query), query);
        }
    }

    #[test]
    fn only_an_executable_is_linked_with_the_runtime() {
        for part in ["-c a.c", "-S a.c -o a.s", "-E a.c", "-M a.c", "-E -", "-r a.o -o b.o"] {
            assert_eq!(product(&arguments(part)), Product::Part, "{part}");
            assert!(!completed(part).contains("-Xlinker R"), "{part}");
        }
        assert_eq!(product(&arguments("-shared a.o -o liba.so")), Product::Library);
        assert!(completed("-shared a.o -o liba.so").contains("-fuse-ld=lld -Xlinker -z -Xlinker undefs"));
        for executable in ["a.c", "-o x a.o b.o", "-MMD -MF a.d a.c", "-x c a.txt", "@objects", "-v a.c"] {
            assert_eq!(product(&arguments(executable)), Product::Executable, "{executable}");
            assert!(completed(executable).contains("-no-pie -fuse-ld=lld -Xlinker R"), "{executable}");
        }
    }

    #[test]
    fn response_files_are_read_as_clang_reads_them() {
        assert_eq!(words("-c 'a b.c'\n-D\"X=\\\"y\\\"\" c\\ d '' #"), ["-c", "a b.c", "-DX=\"y\"", "c d", "", "#"]);
        let folder = tempfile::tempdir().unwrap();
        let (outer, inner) = (folder.path().join("outer"), folder.path().join("inner"));
        std::fs::write(&outer, format!("-c @{} @missing", inner.display())).unwrap();
        std::fs::write(&inner, "a.c -O2").unwrap();
        let all = expanded(&[format!("@{}", outer.display()).into(), "-g".into()]);
        assert_eq!(all, ["-c", "a.c", "-O2", "@missing", "-g"]);
        assert_eq!(product(&all), Product::Part);
        std::fs::write(&inner, format!("@{}", inner.display())).unwrap();
        let itself = [OsString::from(format!("@{}", inner.display()))];
        assert_eq!(expanded(&itself), itself);
    }

    #[test]
    fn dependencies_are_kept_where_they_are_asked_for() {
        assert!(completed("--power -c a.c").contains("-mllvm -fencehound-labels -c a.c"));
        assert!(!completed("--power -c a.c").contains("--power") && !completed("-c a.c").contains("labels"));
    }

    #[test]
    fn link_time_optimisation_is_off_whatever_is_asked() {
        assert!(completed("-c a.c -flto=thin").ends_with("-flto=thin -fno-lto"));
        assert!(!completed("-c a.c -O2").contains("lto"));
        assert!(completed("a.c -static-pie").contains("a.c -static "));
    }

    #[test]
    fn templates_become_an_option_of_the_plugin() {
        for line in ["-c --asm-templates t.txt a.c", "-c a.c --asm-templates=t.txt"] {
            let all = completed(line);
            assert!(all.contains("-mllvm -fencehound-asm-templates=t.txt") && all.contains("-c a.c"), "{all}");
            assert!(!all.contains("--asm-templates"), "{all}");
        }
        let options = clang::templates("t.txt");
        assert_eq!(clang::template_files(&options).collect::<Vec<_>>(), ["t.txt"]);
    }

    #[test]
    fn line_tables_cannot_be_switched_off() {
        assert!(completed("-c a.c -g0").ends_with("-gcolumn-info -g"));
        assert!(completed("-c a.c -g0 -g").ends_with("-gcolumn-info"));
        assert!(completed("-c a.c -g").ends_with("-c a.c -g"));
    }
}
