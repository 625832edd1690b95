//! The baseline: a file with the findings that are known, which the user keeps beside the sources.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exit::Failure;
use crate::fingerprint::is_fingerprint;
use crate::text::reason;
use crate::whole::write_whole;

/// The value of the key `fencehound` in the file.
const MARK: &str = "baseline";
const VERSION: u32 = 1;

/// A finding that is known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    /// The target in which it was found.
    pub(crate) target: String,
    /// The model under which it was found.
    pub(crate) model: String,
    /// The kind of the finding; `shows` for ends that no sequentially consistent execution has.
    pub(crate) kind: String,
    /// The fingerprint by which the finding is recognised.
    pub(crate) fingerprint: String,
    /// A description of the finding for people; not read.
    pub(crate) what: String,
    /// The reason why the finding is accepted, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    fencehound: String,
    version: u32,
    findings: Vec<Known>,
}

/// The findings that are known, and the file that has them.
#[derive(Debug)]
pub(crate) struct Baseline {
    file: PathBuf,
    known: Vec<Known>,
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// If the file is missing, or is no baseline.
    pub(crate) fn read(file: &Path) -> Result<Baseline, Failure> {
        let name = file.display();
        let text = fs::read_to_string(file).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                let help = "write it with the findings that there are now: add --write-baseline";
                Failure::usage(format!("--baseline {name}: {}", reason(&error)), help)
            }
            _ => Failure::usage(format!("--baseline {name}: {}", reason(&error)), "name a file that can be read"),
        })?;
        parse(&text).map(|known| Baseline { file: file.to_path_buf(), known }).map_err(|why| {
            let help = "name a file that --write-baseline has written, or write it anew";
            Failure::usage(format!("--baseline {name}: {why}"), help)
        })
    }

    /// Returns the baseline that is to be written anew: with what the file holds now, or with nothing if there is no file.
    ///
    /// # Errors
    /// If the file is there and is no baseline, or cannot be written.
    pub(crate) fn to_write(file: &Path) -> Result<Baseline, Failure> {
        if file.exists() {
            return Baseline::read(file);
        }
        let baseline = Baseline { file: file.to_path_buf(), known: Vec::new() };
        baseline.write()?;
        fs::remove_file(file).map_err(|error| baseline.cannot(&error))?;
        Ok(baseline)
    }

    /// Returns the known finding of a target with this fingerprint, if there is one.
    pub(crate) fn find(&self, target: &str, fingerprint: &str) -> Option<&Known> {
        self.known.iter().find(|known| known.target == target && known.fingerprint == fingerprint)
    }

    /// Returns the known findings of a target that are none of these.
    pub(crate) fn unmatched<'a>(
        &'a self,
        target: &'a str,
        matched: &'a BTreeSet<String>,
    ) -> impl Iterator<Item = &'a Known> {
        self.known.iter().filter(move |known| known.target == target && !matched.contains(&known.fingerprint))
    }

    /// Makes these, and no others, the known findings of a target. Reasons that were given stay.
    pub(crate) fn replace(&mut self, target: &str, now: Vec<Known>) {
        let before = std::mem::take(&mut self.known);
        let is_same =
            |one: &Known, other: &Known| (&one.target, &one.fingerprint) == (&other.target, &other.fingerprint);
        let reason = |known: &Known| before.iter().find(|other| is_same(known, other))?.reason.clone();
        let now = now.into_iter().map(|known| Known { reason: reason(&known), ..known });
        let mut all: BTreeSet<Known> = now.collect();
        all.extend(before.iter().filter(|known| known.target != target).cloned());
        self.known = all.into_iter().collect();
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write(&self) -> Result<(), Failure> {
        let findings = self.known.clone();
        let content = Content { fencehound: MARK.to_string(), version: VERSION, findings };
        let mut text = serde_json::to_string_pretty(&content).expect("a baseline has string keys only");
        text.push('\n');
        write_whole(&self.file, &text).map_err(|error| self.cannot(&error))
    }

    /// Returns the name of the file.
    pub(crate) fn name(&self) -> String {
        self.file.display().to_string()
    }

    fn cannot(&self, error: &std::io::Error) -> Failure {
        let help = "name a file that can be written with --baseline";
        Failure::usage(format!("--baseline {}: {}", self.name(), reason(error)), help)
    }
}

/// Returns the findings in the text of a file, or the reason why it is no baseline.
fn parse(text: &str) -> Result<Vec<Known>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("not a baseline: {error}"))?;
    if value["fencehound"] != MARK {
        return Err("not a baseline of fencehound".to_string());
    }
    if value["version"] != VERSION {
        return Err(format!("format version {}, where this fencehound has {VERSION}", value["version"]));
    }
    let content: Content = serde_json::from_value(value).map_err(|error| format!("a corrupt baseline: {error}"))?;
    match content.findings.iter().find(|known| !is_fingerprint(&known.fingerprint)) {
        Some(known) => Err(format!("a corrupt baseline: `{}` is no fingerprint", known.fingerprint)),
        None => Ok(content.findings),
    }
}

#[cfg(test)]
mod tests {
    use super::{Baseline, Known, parse};

    fn known(target: &str, fingerprint: &str) -> Known {
        Known {
            target: target.to_string(),
            model: "tso".to_string(),
            kind: "sc-violation".to_string(),
            fingerprint: fingerprint.to_string(),
            what: "store of x".to_string(),
            reason: None,
        }
    }

    #[test]
    fn what_is_written_is_read_and_other_targets_and_reasons_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("known.json");
        let mut baseline = Baseline::to_write(&file).unwrap();
        assert!(!file.exists());
        let (one, two) = ("0123456789abcdef", "0123456789abcdef-2");
        let reasoned = Known { reason: Some("a hint".to_string()), ..known("a.c", one) };
        baseline.known = vec![reasoned.clone(), known("b.c", one)];
        baseline.replace("a.c", vec![known("a.c", two), known("a.c", one)]);
        baseline.write().unwrap();
        let again = Baseline::read(&file).unwrap();
        assert_eq!(again.known, [reasoned, known("a.c", two), known("b.c", one)]);
        let matched = [one.to_string()].into();
        assert_eq!(again.unmatched("a.c", &matched).collect::<Vec<_>>(), [&known("a.c", two)]);
        assert!(again.find("a.c", two).is_some() && again.find("b.c", two).is_none());
    }

    #[test]
    fn a_bad_file_is_refused_in_words() {
        let why = |text: &str| parse(text).unwrap_err();
        assert!(why("").starts_with("not a baseline: "));
        assert_eq!(why("{\"fencehound\": \"finding\"}"), "not a baseline of fencehound");
        let version = "{\"fencehound\": \"baseline\", \"version\": 9, \"findings\": []}";
        assert_eq!(why(version), "format version 9, where this fencehound has 1");
        let lacking = "{\"fencehound\": \"baseline\", \"version\": 1, \"findings\": [{\"target\": \"a.c\"}]}";
        assert!(why(lacking).starts_with("a corrupt baseline: missing field"));
        let text = serde_json::to_string(&known("a.c", "x")).unwrap();
        let wrong = format!("{{\"fencehound\": \"baseline\", \"version\": 1, \"findings\": [{text}]}}");
        assert_eq!(why(&wrong), "a corrupt baseline: `x` is no fingerprint");
        let missing = Baseline::read(std::path::Path::new("/no/such/file")).unwrap_err();
        assert_eq!(missing.message, "--baseline /no/such/file: no such file or directory");
    }
}
