//! The file `fencehound.toml`: options for all targets under `[options]`, for one of them under `[target."ring.c"]`.
//!
//! It may come from anybody, with the sources. So it names no file to write, the files that it reads lie below its folder, and of
//! the compiler's options it gives those alone that run and write nothing.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction};
use toml::de::{DeTable, DeValue};

use super::given::{Given, known, read, whole, word};
use crate::clang;
use crate::exit::Failure;
use crate::text::reason;
use crate::trust::{Roots, first_doubtful};

/// The name of the file.
const NAME: &str = "fencehound.toml";

/// The options that write files, which are for the user to name.
const WRITING: [&str; 10] =
    ["json", "sarif", "junit", "html", "record", "checkpoint", "out", "baseline", "write-baseline", "apply"];

/// The options whose values are paths, from the folder of the file.
const PATHS: [&str; 4] = ["I", "L", "cost", "asm-templates"];

/// A file with options.
pub(super) struct SettingsFile {
    path: PathBuf,
    text: String,
}

/// What stands in the place of a key's value.
struct Entry<'a> {
    key: &'a str,
    /// Where the key stands.
    span: Range<usize>,
    /// The words of the value; none of an option that is switched off.
    values: Vec<String>,
    /// Whether the value is `true` or `false`.
    is_flag: bool,
}

impl SettingsFile {
    /// Finds the file: in the folder of the target, or else between there and the folder that the user is in.
    pub(super) fn beside(target: &Path) -> Result<Option<SettingsFile>, Failure> {
        let Some(target) = whole(target) else { return Ok(None) };
        let here = env::current_dir().ok().and_then(|here| whole(&here));
        let above = here.filter(|here| target.starts_with(here));
        let folders = target.ancestors().skip(1);
        let folders = folders
            .enumerate()
            .take_while(|(index, folder)| *index == 0 || above.as_ref().is_some_and(|above| folder.starts_with(above)));
        let Some(path) = folders.map(|(_, folder)| folder.join(NAME)).find(|file| file.is_file()) else {
            return Ok(None);
        };
        let wrong = |error| Failure::usage(format!("{}: {}", path.display(), reason(&error)), "make it readable");
        let text = fs::read_to_string(&path).map_err(wrong)?;
        Ok(Some(SettingsFile { path, text }))
    }

    /// Returns the file's name, from the folder that the user is in.
    pub(super) fn name(&self) -> String {
        let here = env::current_dir().ok().and_then(|here| whole(&here)).unwrap_or_default();
        self.path.strip_prefix(here).unwrap_or(&self.path).display().to_string()
    }

    /// Returns the options for a target; `trusted` are options for the compiler that the user has typed.
    pub(super) fn options(&self, target: &Path, trusted: &[String]) -> Result<Vec<Given>, Failure> {
        let table = DeTable::parse(&self.text).map_err(|error| {
            let help = "it is TOML: [options], and lines such as time = \"30s\"";
            self.wrong(&error.span().unwrap_or_default(), error.message(), help)
        })?;
        let mut given = Vec::new();
        let mut of_target = Vec::new();
        for (key, value) in table.get_ref() {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("options", DeValue::Table(options)) => given.extend(self.read(options, trusted)?),
                ("target", DeValue::Table(targets)) => {
                    for (name, value) in targets {
                        let DeValue::Table(options) = value.get_ref() else {
                            let name = name.get_ref();
                            let help = format!("begin a table of its options: [target.\"{name}\"]");
                            return Err(self.wrong(&value.span(), &format!("target {name} is no table"), &help));
                        };
                        let file = self.folder().join(name.get_ref().as_ref());
                        // An executable may have to be built yet; a source that is not there is a typing error.
                        if file.extension().is_some_and(|end| end == "c" || end == "litmus") && !file.exists() {
                            let message = format!("target {} is not there", name.get_ref());
                            return Err(self.wrong(&name.span(), &message, "name the file by its path from this one"));
                        }
                        let is_meant = whole(&file) == whole(target);
                        let options = self.read(options, trusted)?;
                        of_target.extend(options.into_iter().filter(|_| is_meant));
                    }
                }
                (key_text, _) => {
                    let help = "options stand under [options], or under [target.\"ring.c\"] for that target";
                    return Err(self.wrong(&key.span(), &format!("unknown table or key `{key_text}`"), help));
                }
            }
        }
        // Of several values, the last one is meant; a flag that is off for the target is off.
        given.retain(|(id, _)| !of_target.iter().any(|(other, words)| other == id && words.is_empty()));
        Ok(given.into_iter().chain(of_target).flat_map(|(_, given)| given).collect())
    }

    /// Reads a table of options, each as if it was typed: by its name to clap, the words for it.
    fn read(&self, table: &DeTable<'_>, trusted: &[String]) -> Result<Vec<(String, Vec<Given>)>, Failure> {
        let known = known();
        let mut given = Vec::new();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let Some(option) = known.get(name) else { return Err(self.unknown(name, &key.span(), known.keys())) };
            if WRITING.contains(&name) {
                let help = "type it with the command, or put it into FENCEHOUND_OPTIONS";
                return Err(self.wrong(&key.span(), &format!("`{name}` names a file to write or to accept by"), help));
            }
            let (values, is_flag) = self.values(name, value.get_ref(), &value.span())?;
            let entry = Entry { key: name, span: key.span(), values, is_flag };
            given.push((option.get_id().to_string(), self.given(&entry, option, trusted)?));
        }
        Ok(given)
    }

    /// Returns the words of a value, and whether it is a flag.
    fn values(&self, key: &str, value: &DeValue<'_>, span: &Range<usize>) -> Result<(Vec<String>, bool), Failure> {
        match value {
            DeValue::String(text) => Ok((vec![text.to_string()], false)),
            DeValue::Integer(number) => Ok((vec![number.as_str().to_string()], false)),
            DeValue::Boolean(true) => Ok((vec![String::new()], true)),
            DeValue::Boolean(false) => Ok((Vec::new(), true)),
            DeValue::Array(values) => {
                let mut all = Vec::new();
                for value in values {
                    all.extend(self.values(key, value.get_ref(), &value.span())?.0);
                }
                Ok((all, false))
            }
            _ => Err(self.wrong(span, &format!("`{key}` has no such value"), "give a string, a number, true or false")),
        }
    }

    fn given(&self, entry: &Entry<'_>, option: &Arg, trusted: &[String]) -> Result<Vec<Given>, Failure> {
        let Entry { key, span, values, is_flag } = entry;
        let wants_flag = matches!(option.get_action(), ArgAction::SetTrue);
        if wants_flag != *is_flag {
            let help = if wants_flag { "give true or false" } else { "give it the value that it has when typed" };
            return Err(self.wrong(
                span,
                &format!("`{key}` {}", if wants_flag { "is a flag" } else { "is no flag" }),
                help,
            ));
        }
        let is_list = ["model", "monitor"].contains(key);
        let values = if is_list && !values.is_empty() { vec![values.join(",")] } else { values.clone() };
        let mut given = Vec::new();
        for value in &values {
            let value = if PATHS.contains(key) { self.path(value, span)? } else { value.clone() };
            let words: Option<&OsStr> = (!is_flag).then_some(OsStr::new(&value));
            let Some(word) = word(option, words) else { continue };
            let typed = word.to_string_lossy().into_owned();
            read(&[typed]).map_err(|failure| self.wrong(span, &failure.message, &failure.help.unwrap_or_default()))?;
            self.require_harmless(key, &value, span, trusted)?;
            given.push(Given { id: option.get_id().to_string(), word });
        }
        Ok(given)
    }

    /// Returns a path of the file from where the user is, if it lies below the folder of the file.
    fn path(&self, value: &str, span: &Range<usize>) -> Result<String, Failure> {
        let path = self.folder().join(value);
        if whole(&path).is_some_and(|path| path.starts_with(self.folder())) {
            return Ok(path.to_string_lossy().into_owned());
        }
        let message = format!("{value} is not there, or not below the folder of the file");
        Err(self.wrong(span, &message, "type the option with the command"))
    }

    /// Refuses options for the compiler that may run code or write files.
    fn require_harmless(&self, key: &str, value: &str, span: &Range<usize>, trusted: &[String]) -> Result<(), Failure> {
        let options = match key {
            "cflags" => shlex::split(value).unwrap_or_default(),
            "D" | "U" | "I" | "L" | "l" => vec![format!("-{key}{value}")],
            "std" => vec![format!("-std={value}")],
            "asm-templates" => clang::templates(value).to_vec(),
            _ => return Ok(()),
        };
        let roots = Roots::new(&[self.folder().to_path_buf()])?;
        let here = env::current_dir().unwrap_or_default();
        let Some(option) = first_doubtful(&options, &here, &roots, trusted) else { return Ok(()) };
        let message = format!("the compiler's option `{option}` may run code or write files");
        Err(self.wrong(span, &message, &format!("if you trust it, type it: --cflags \"{option}\"")))
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    fn unknown<'a>(&self, key: &str, span: &Range<usize>, known: impl Iterator<Item = &'a String>) -> Failure {
        let bare = key.trim_start_matches('-').replace('_', "-");
        let similar = known.filter(|name| is_similar(name, &bare)).map(|name| format!("`{name}`"));
        let similar: Vec<String> = similar.collect();
        let help = if similar.is_empty() {
            "a key is an option of `fencehound check --help` without its dashes".to_string()
        } else {
            format!("similar ones are {}", similar.join(", "))
        };
        self.wrong(span, &format!("unknown key `{key}`"), &help)
    }

    /// The failure that something at a place of the file is wrong.
    fn wrong(&self, span: &Range<usize>, message: &str, help: &str) -> Failure {
        let line = self.text.as_bytes().iter().take(span.start).filter(|&&byte| byte == b'\n').count() + 1;
        Failure::usage(format!("{}:{line}: {message}", self.name()), help)
    }
}

/// Whether two names differ in little: one is the beginning of the other, or one letter is more, less, other or swapped.
fn is_similar(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let before = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let behind =
        one[before..].iter().rev().zip(other[before..].iter().rev()).take_while(|(one, other)| one == other).count();
    let (left, right) = (one.len() - before - behind, other.len() - before - behind);
    let is_swapped = left == 2 && right == 2 && one[before] == other[before + 1] && one[before + 1] == other[before];
    let is_beginning = before >= 3 && (before == one.len() || before == other.len());
    one.len() > 1 && (left.max(right) <= 1 || is_swapped || is_beginning)
}

#[cfg(test)]
mod tests {
    use super::is_similar;

    #[test]
    fn typing_errors_are_similar() {
        for (one, other) in [("model", "modle"), ("time", "tim"), ("leaks", "leak"), ("preemptions", "preempt")] {
            assert!(is_similar(one, other) && is_similar(other, one), "{one} {other}");
        }
        for (one, other) in [("time", "seed"), ("j", "q"), ("leaks", "model")] {
            assert!(!is_similar(one, other), "{one} {other}");
        }
    }
}
