//! The limits to what is done at the word of somebody else. A finding or an event log may come from anybody, so it is data: the
//! files that it names are read, compiled, run and quoted only below folders that the user is in or has named, and of the options
//! that it compiles with only those are obeyed that run and write nothing by themselves.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::clang;
use crate::exit::Failure;
use crate::text::reason;

/// The folders below which files may be used at the word of a finding or a log.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    folders: Vec<PathBuf>,
}

impl Roots {
    /// Makes the roots: the folder that the user is in, and those named with `--source`.
    ///
    /// # Errors
    /// If a named folder does not exist.
    pub(crate) fn new(named: &[PathBuf]) -> Result<Roots, Failure> {
        let mut folders: Vec<PathBuf> = env::current_dir().and_then(fs::canonicalize).into_iter().collect();
        for folder in named {
            let whole = fs::canonicalize(folder).map_err(|error| {
                let message = format!("--source {}: {}", folder.display(), reason(&error));
                Failure::usage(message, "name the folder that the sources are in")
            })?;
            folders.push(whole);
        }
        Ok(Roots { folders })
    }

    /// Whether a file or folder, links followed, is one of these folders or below one. What does not exist is below none.
    pub(crate) fn hold(&self, file: &Path) -> bool {
        fs::canonicalize(file).is_ok_and(|file| self.folders.iter().any(|folder| file.starts_with(folder)))
    }

    /// Checks that a file or folder is below one of them.
    pub(crate) fn require(&self, file: &Path) -> Result<(), Failure> {
        if self.hold(file) {
            return Ok(());
        }
        let whole = fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
        let folder = if whole.is_dir() { &whole } else { whole.parent().unwrap_or(&whole) };
        Err(Failure::usage(
            format!("the finding uses {}, which is not below the folder that you are in", whole.display()),
            format!("if you trust the finding, allow it: add --source {}", folder.display()),
        ))
    }
}

/// Whether a file that a finding names is a header of the system: such a file is only hashed, and need not be below one of the
/// roots.
pub(crate) fn is_of_the_system(name: &str) -> bool {
    name.starts_with("/opt/") && name.ends_with(".h") && !name.contains("/../")
}

/// The folders in which compilers look for headers of the system.
const SYSTEM: [&str; 2] = ["/usr", "/opt"];

/// Options without a value, and whole options with one.
const PLAIN: [&str; 16] = [
    "-pthread",
    "-w",
    "-ansi",
    "-pedantic",
    "-pedantic-errors",
    "-g",
    "-g0",
    "-g1",
    "-g2",
    "-g3",
    "-ggdb",
    "-gline-tables-only",
    "-static",
    "-no-pie",
    "-pie",
    "-nostdinc",
];

/// The features of `-f` and `-fno-` that change what clang makes of the program, and nothing that it loads, runs or writes.
const FEATURES: [&str; 43] = [
    "strict-aliasing",
    "strict-overflow",
    "wrapv",
    "trapv",
    "omit-frame-pointer",
    "inline",
    "inline-functions",
    "builtin",
    "freestanding",
    "common",
    "signed-char",
    "unsigned-char",
    "short-enums",
    "pic",
    "PIC",
    "pie",
    "PIE",
    "plt",
    "exceptions",
    "asynchronous-unwind-tables",
    "unwind-tables",
    "stack-protector",
    "stack-protector-all",
    "stack-protector-strong",
    "stack-clash-protection",
    "cf-protection",
    "function-sections",
    "data-sections",
    "visibility",
    "gnu89-inline",
    "ms-extensions",
    "fast-math",
    "math-errno",
    "delete-null-pointer-checks",
    "unroll-loops",
    "vectorize",
    "slp-vectorize",
    "tree-vectorize",
    "merge-all-constants",
    "lto",
    "sanitize",
    "sanitize-trap",
    "discard-value-names",
];

/// The options of a finding, on the way through the list.
struct Options<'a> {
    left: std::slice::Iter<'a, String>,
    directory: &'a Path,
    roots: &'a Roots,
}

/// Whether clang may get an option.
enum Judgement {
    Harmless,
    /// The option uses this file or folder, which is not below the user's folders.
    Elsewhere(PathBuf),
    Unknown,
}

/// Refuses options of a finding that are not known to be harmless, except for those that the user has repeated.
pub(crate) fn require_harmless(
    options: &[String],
    directory: &Path,
    roots: &Roots,
    repeated: &[String],
) -> Result<(), Failure> {
    let mut options = Options { left: options.iter(), directory, roots };
    while let Some(option) = options.left.next() {
        if repeated.contains(option) {
            continue;
        }
        match options.judge(option) {
            Judgement::Harmless => {}
            Judgement::Elsewhere(place) => roots.require(&place)?,
            Judgement::Unknown => {
                return Err(Failure::usage(
                    format!("the finding is compiled with `{option}`, which may run code or write files"),
                    format!("if you trust the finding, repeat the option: add --cflags \"{option}\""),
                ));
            }
        }
    }
    Ok(())
}

/// Returns the first option that is not known to be harmless, or uses what lies in none of the folders, and that the user has not
/// repeated.
pub(crate) fn first_doubtful(
    options: &[String],
    directory: &Path,
    roots: &Roots,
    repeated: &[String],
) -> Option<String> {
    let mut left = Options { left: options.iter(), directory, roots };
    while let Some(option) = left.left.next() {
        if !repeated.contains(option) && !matches!(left.judge(option), Judgement::Harmless) {
            return Some(option.clone());
        }
    }
    None
}

/// Returns what the user has to add to the command that replays a finding of a program, made of these files with these options:
/// nobody else can allow what the program may do.
pub(crate) fn arguments(directory: &Path, files: &[(String, String)], options: &[String]) -> Vec<String> {
    let folders = folders_elsewhere(directory, files, options).into_iter();
    let sources = folders.flat_map(|folder| ["--source".to_string(), folder.to_string_lossy().into_owned()]);
    let quoted = |option: String| shlex::try_quote(&option).map_or_else(|_| option.clone(), Cow::into_owned);
    let repeated = doubtful(options).into_iter().flat_map(|option| ["--cflags".to_string(), quoted(option)]);
    sources.chain(repeated).collect()
}

/// Returns the folders of files that lie neither in the folder that the user is in nor below another of these folders.
fn folders_elsewhere(directory: &Path, files: &[(String, String)], options: &[String]) -> Vec<PathBuf> {
    let Ok(mut roots) = Roots::new(&[]) else { return Vec::new() };
    let named = files.iter().map(|(file, _)| file).filter(|file| !is_of_the_system(file)).map(PathBuf::from);
    let mut judged = Options { left: options.iter(), directory, roots: &roots.clone() };
    let mut places: Vec<PathBuf> = named.collect();
    while let Some(option) = judged.left.next() {
        if let Judgement::Elsewhere(place) = judged.judge(option) {
            places.push(place);
        }
    }
    let mut folders = Vec::new();
    for place in places {
        let whole = directory.join(&place);
        if whole.exists() && !roots.hold(&whole) {
            let folder = if whole.is_dir() { place } else { place.parent().map(Path::to_path_buf).unwrap_or_default() };
            roots.folders.extend(fs::canonicalize(directory.join(&folder)));
            folders.push(folder);
        }
    }
    folders
}

/// Returns the options that a replay takes only from the user, wherever the program lies.
fn doubtful(options: &[String]) -> Vec<String> {
    let everywhere = Roots { folders: vec![PathBuf::from("/")] };
    let mut options = Options { left: options.iter(), directory: Path::new("/"), roots: &everywhere };
    let mut doubtful = Vec::new();
    while let Some(option) = options.left.next() {
        if matches!(options.judge(option), Judgement::Unknown) {
            doubtful.push(option.clone());
        }
    }
    doubtful
}

impl Options<'_> {
    fn judge(&mut self, option: &str) -> Judgement {
        let known = |known: bool| if known { Judgement::Harmless } else { Judgement::Unknown };
        if PLAIN.contains(&option) {
            return Judgement::Harmless;
        }
        if option == "-mllvm" {
            return self.plugin_option();
        }
        for flag in ["-include", "-isystem", "-iquote", "-idirafter", "-D", "-U", "-I", "-L", "-l", "-O", "-std=", "-W"]
        {
            let Some(value) = option.strip_prefix(flag) else { continue };
            let separate = value.is_empty() && !matches!(flag, "-O" | "-std=" | "-W");
            let value = if separate { self.left.next().map_or("", String::as_str) } else { value };
            return match flag {
                "-D" | "-U" => known(is_plain_macro(value)),
                "-I" | "-isystem" | "-iquote" | "-idirafter" => self.headers(value),
                "-include" | "-L" => self.below(value),
                "-W" => known(is_word(value, "-+=")),
                "-O" => known(is_word(value, "")),
                _ => known(is_word(value, "+-_.:")),
            };
        }
        match (option.strip_prefix("-f"), option.strip_prefix("-m")) {
            (Some(feature), _) => {
                let feature = feature.strip_prefix("no-").unwrap_or(feature);
                let (name, value) = feature.split_once('=').unwrap_or((feature, ""));
                known(FEATURES.contains(&name) && is_word(value, "-,") || feature.starts_with("builtin-"))
            }
            (_, Some(machine)) => known(is_of_the_machine(machine)),
            _ => Judgement::Unknown,
        }
    }

    /// Judges an option that `fencehound check` itself hands to the plugin.
    fn plugin_option(&mut self) -> Judgement {
        match self.left.next() {
            Some(option) if *option == clang::labels()[1] || *option == clang::uninitialised()[1] => {
                Judgement::Harmless
            }
            Some(option) => match clang::template_files(std::slice::from_ref(option)).next() {
                Some(file) => self.below(file),
                None => Judgement::Unknown,
            },
            None => Judgement::Unknown,
        }
    }

    /// Judges a folder with headers; headers of the system need no trust in anybody but the system.
    fn headers(&self, folder: &str) -> Judgement {
        match fs::canonicalize(self.directory.join(folder)) {
            Ok(whole) if SYSTEM.iter().any(|system| whole.starts_with(system)) => Judgement::Harmless,
            // Nothing is found in a folder that is not there.
            Err(_) => Judgement::Harmless,
            Ok(_) => self.below(folder),
        }
    }

    fn below(&self, name: &str) -> Judgement {
        if name.is_empty() {
            return Judgement::Unknown;
        }
        let place = self.directory.join(name);
        if self.roots.hold(&place) { Judgement::Harmless } else { Judgement::Elsewhere(place) }
    }
}

/// Whether what follows `-m` names instruction sets or processors. Clang has other such options, which reach LLVM's own options
/// or write files.
fn is_of_the_machine(option: &str) -> bool {
    const SETS: [&str; 28] = [
        "64", "sse", "sse2", "sse3", "ssse3", "sse4", "sse4.1", "sse4.2", "avx", "avx2", "avx512f", "avx512bw",
        "avx512cd", "avx512dq", "avx512vl", "fma", "bmi", "bmi2", "lzcnt", "popcnt", "cx16", "xsave", "aes", "pclmul",
        "rtm", "rdrnd", "movbe", "red-zone",
    ];
    let name = option.strip_prefix("no-").unwrap_or(option);
    let processor = ["arch=", "tune=", "cpu="].iter().find_map(|flag| option.strip_prefix(flag));
    SETS.contains(&name) || processor.is_some_and(|name| !name.is_empty() && is_word(name, "-_."))
}

/// Whether a text consists of letters, digits, and these other characters.
fn is_word(text: &str, others: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || others.contains(letter))
}

/// Whether a definition is a name, or a name with words or a string: one with more in it could be any code.
fn is_plain_macro(definition: &str) -> bool {
    let (name, value) = definition.split_once('=').unwrap_or((definition, ""));
    let marks = is_fencehounds(name, value);
    !name.is_empty() && is_word(name, "_") && (is_word(value, "_.+-/ \"") || marks)
}

/// Whether this is a definition of `--sv-comp-transactions`.
fn is_fencehounds(name: &str, value: &str) -> bool {
    name.strip_prefix("__VERIFIER_atomic_").is_some_and(|end| value == format!("fh_atomic_{end}"))
}

/// Whether a name can be given to gdb as a file; in others gdb could find commands.
pub(crate) fn is_plain_file_name(name: &str) -> bool {
    !name.is_empty() && is_word(name, "_-./+~")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Roots, require_harmless};

    fn is_harmless(line: &str, directory: &Path) -> bool {
        let options: Vec<String> = line.split('|').map(str::to_string).collect();
        let roots = Roots { folders: vec![directory.to_path_buf()] };
        require_harmless(&options, directory, &roots, &[]).is_ok()
    }

    #[test]
    fn options_that_run_or_write_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir(folder.join("include")).unwrap();
        std::fs::write(folder.join("include/a.h"), "").unwrap();
        for line in [
            "-O2|-DNDEBUG|-DN=4|-DT=unsigned long|-UX|-Iinclude|-I|include|-I/usr/include|-Inowhere|-std=gnu11|-lm",
            "-D|N=1|-mcx16|-march=x86-64-v2|-fno-strict-aliasing|-fsanitize=undefined|-fsanitize-trap=all|-Wall|-Wno-x",
            "-pthread|-g|-include|include/a.h|-mllvm|-fencehound-labels|-DNAME=\"a b\"|-fno-builtin-puts|-flto=thin",
            "-D__VERIFIER_atomic_begin=fh_atomic_begin|-mllvm|-fencehound-asm-templates=include/a.h|\
             -mllvm|-fencehound-uninitialised|-fno-discard-value-names",
        ] {
            assert!(is_harmless(line, &folder), "{line}");
        }
        for option in [
            "-fplugin=evil.so",
            "-fpass-plugin=evil.so",
            "-Xclang",
            "-MF",
            "-MD",
            "-o",
            "-mllvm|-load=evil.so",
            "-Wl,-plugin=evil.so",
            "-Wa,-MD=x",
            "-Wp,-MD,x",
            "-B.",
            "-fuse-ld=./evil",
            "-fcrash-diagnostics-dir=/tmp",
            "-fmodules-cache-path=/tmp",
            "-gsplit-dwarf",
            "-save-temps",
            "--config=evil",
            "@evil",
            "/dev/zero",
            "evil.c",
            "-DX(y)=system(y)",
            "-DX=system(\"rm\")",
            "-Dmain=x;int y",
            "-include|/etc/passwd",
            "-include",
            "-I/etc",
            "-L/etc",
            "-l:../../evil.a",
            "-specs=x",
            "-mllvm=-stats",
            "-mllvm=-print-changed=dot-cfg",
            "-mllvm=-fencehound-asm-templates=evil",
            "-mllvm|-info-output-file=x",
            "-module-dependency-dir",
            "-x",
        ] {
            assert!(!is_harmless(option, &folder), "{option}");
        }
    }
}
