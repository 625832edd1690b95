//! The linking of one object file as clang's driver does it, without the driver: its start takes as long as the linker does, and as
//! clang itself takes for a small file.
//!
//! It is done where nothing can come of the driver's choices: one C file, options that concern the compiler alone, and Debian's
//! places of the C library. Everything else is left to the driver.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::toolchain::Parts;

/// The folder of the C library.
const LIBRARY: &str = "/lib/x86_64-linux-gnu";

/// The folder with a folder for each version of GCC's own library, which clang links, too.
const GCC: &str = "/usr/lib/gcc/x86_64-linux-gnu";

/// The variables of the environment by which somebody tells the driver where files are, or what to do.
const TOLD: [&str; 3] = ["LIBRARY_PATH", "COMPILER_PATH", "CCC_OVERRIDE_OPTIONS"];

/// The folders of the files that clang makes every executable of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Places {
    /// The folder with `crt1.o`, `crti.o` and `crtn.o`.
    library: PathBuf,
    /// The folder with `crtbegin.o` and `crtend.o`.
    compiler: PathBuf,
}

impl Places {
    /// Returns the folders; `None` if files of them are not where Debian has them, or these options or the environment may ask the
    /// driver for others.
    pub(crate) fn of(options: &[String]) -> Option<Places> {
        let is_known = |option: &String| is_of_compiler(option) || names_library(option);
        if !options.iter().all(is_known) || TOLD.iter().any(|name| env::var_os(name).is_some()) {
            return None;
        }
        let library = PathBuf::from(LIBRARY);
        let compiler = newest(Path::new(GCC))?;
        let files = ["crt1.o", "crti.o", "crtn.o"].iter().map(|name| library.join(name));
        let mut files = files.chain(["crtbegin.o", "crtend.o"].iter().map(|name| compiler.join(name)));
        files.all(|file| file.is_file()).then_some(Places { library, compiler })
    }

    /// Returns the arguments of lld that make the executable of this object file, with the libraries that these options name.
    pub(crate) fn arguments(
        &self,
        parts: &Parts,
        options: &[String],
        object: &Path,
        executable: &Path,
    ) -> Vec<OsString> {
        let named = |begin: &str| -> Vec<OsString> {
            options.iter().filter(|option| option.starts_with(begin)).map(OsString::from).collect()
        };
        let of_library = |name: &str| self.library.join(name).into_os_string();
        let of_compiler = |name: &str| self.compiler.join(name).into_os_string();
        let mut searched = OsString::from("-L");
        searched.push(&self.compiler);
        let mut all: Vec<OsString> = ["--hash-style=gnu", "--build-id", "--eh-frame-hdr", "-m", "elf_x86_64"]
            .into_iter()
            .chain(["-dynamic-linker", "/lib64/ld-linux-x86-64.so.2", "-o"])
            .map(OsString::from)
            .collect();
        all.extend([executable.into(), of_library("crt1.o"), of_library("crti.o"), of_compiler("crtbegin.o")]);
        all.extend(named("-L"));
        all.push(searched);
        all.extend(
            ["-L/lib/x86_64-linux-gnu", "-L/usr/lib64", "-L/usr/lib/x86_64-linux-gnu", "-L/lib", "-L/usr/lib"]
                .map(OsString::from),
        );
        all.push(object.into());
        all.extend(named("-l"));
        all.push(parts.runtime.clone().into());
        all.extend(["-lpthread", "-ldl", "-lm"].map(OsString::from));
        for own in [&["-lc"][..], &[]] {
            all.extend(["-lgcc", "--as-needed", "-lgcc_s", "--no-as-needed"].map(OsString::from));
            all.extend(own.iter().map(OsString::from));
        }
        all.extend([of_compiler("crtend.o"), of_library("crtn.o")]);
        all
    }
}

/// Whether an option says nothing to the linker: a macro, a folder of headers, the language, the optimisation, the plugin's own.
fn is_of_compiler(option: &str) -> bool {
    let begins = ["-D", "-U", "-I", "-O", "-std=", "-fencehound-"];
    begins.iter().any(|begin| option.len() > begin.len() && option.starts_with(begin))
        || ["-mllvm", "-fno-discard-value-names"].contains(&option)
}

/// Whether an option names a library or a folder of libraries, or is the linker's own.
pub(crate) fn is_library(option: &str) -> bool {
    option.starts_with("-l") || option.starts_with("-L") || option.starts_with("-Wl,")
}

/// Whether an option names a library, or a folder of libraries, and nothing else.
fn names_library(option: &str) -> bool {
    option.len() > 2 && is_library(option) && !option.starts_with("-Wl,")
}

/// Returns the folder of GCC's newest version that has the files for an executable, as clang chooses it.
fn newest(versions: &Path) -> Option<PathBuf> {
    let number = |folder: &Path| -> Option<Vec<u32>> {
        folder.file_name()?.to_str()?.split('.').map(|part| part.parse().ok()).collect()
    };
    let folders = fs::read_dir(versions).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    folders
        .filter(|folder| number(folder).is_some() && folder.join("crtbegin.o").is_file())
        .max_by_key(|folder| number(folder))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::OsString;
    use std::path::Path;
    use std::process::Command;

    use super::{Places, newest};
    use crate::clang;
    use crate::toolchain::{Parts, Toolchain};

    /// Files and folders by their places, everything else as it is written.
    fn resolved(argument: &str) -> String {
        let (begin, path) = if argument.starts_with("-L") { argument.split_at(2) } else { ("", argument) };
        let place = Path::new(path).canonicalize().map_or_else(|_| path.to_string(), |path| path.display().to_string());
        format!("{begin}{place}")
    }

    #[test]
    fn the_linker_is_told_what_the_driver_tells_it() {
        let found = Toolchain::locate();
        let parts = Parts {
            clang: found.clang.unwrap(),
            linker: found.linker.unwrap(),
            plugin: "plugin.so".into(),
            runtime: "runtime.a".into(),
            include: "include".into(),
        };
        let options = ["-O1", "-DX=1", "-L/opt", "-lfirst", "-lsecond"].map(String::from);
        let places = Places::of(&options).unwrap();
        // The driver leaves out what is not there.
        let object = tempfile::NamedTempFile::with_suffix(".o").unwrap();
        let ours = places.arguments(&parts, &options, object.path(), Path::new("made"));
        let mut driver = Command::new(&parts.clang);
        driver.args(["-###", "-o", "made", "-L/opt"]).arg(object.path());
        driver.args(["-lfirst", "-lsecond"]).args(clang::linking(&parts));
        let said = driver.output().unwrap().stderr;
        let said = String::from_utf8(said).unwrap();
        let theirs = said.lines().rfind(|line| line.contains("crt1.o")).unwrap();
        let mut theirs = theirs.split('"').skip(1).step_by(2).map(str::to_string);
        assert_eq!(resolved(&theirs.next().unwrap()), resolved(parts.linker.path().to_str().unwrap()));
        let theirs: Vec<String> = theirs.collect();
        let ours: Vec<String> = ours.into_iter().map(|argument: OsString| argument.into_string().unwrap()).collect();
        // Folders are named by the driver in several ways.
        let folders = |all: &[String]| -> BTreeSet<String> {
            all.iter().filter(|argument| argument.starts_with("-L")).map(|argument| resolved(argument)).collect()
        };
        assert_eq!(folders(&ours), folders(&theirs));
        let others = |all: &[String]| -> Vec<String> {
            all.iter().filter(|argument| !argument.starts_with("-L")).map(|argument| resolved(argument)).collect()
        };
        assert_eq!(others(&ours), others(&theirs));
    }

    #[test]
    fn what_may_concern_the_linker_is_left_to_the_driver() {
        let places = |options: &[&str]| Places::of(&options.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(places(&["-O2", "-DN=3", "-UX", "-Iinclude", "-std=c11", "-mllvm", "-fencehound-labels"]).is_some());
        let driver =
            ["-static", "-Wl,-z,now", "-fsanitize=address", "-x", "c++", "-m32", "-pthread", "-l", "-D", "other.o"];
        for option in driver {
            assert_eq!(places(&["-O1", option]), None, "{option}");
        }
    }

    #[test]
    fn the_newest_version_is_no_matter_of_spelling() {
        let folder = tempfile::tempdir().unwrap();
        for version in ["9", "12", "10.2.1", "13-cross"] {
            std::fs::create_dir(folder.path().join(version)).unwrap();
            std::fs::write(folder.path().join(version).join("crtbegin.o"), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("14")).unwrap();
        assert_eq!(newest(folder.path()), Some(folder.path().join("12")));
    }
}
