//! What the runs of a program depend on beside its executable: the processor, and the shared libraries that it loads.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::executable::interpreter;
use crate::exit::Failure;
use crate::hash::hash_file;
use crate::text::reason;

/// What the runs of a program depend on beside its executable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Surroundings {
    /// The kind of machine, such as `x86_64`.
    machine: String,
    /// The features of the processor by which the C library chooses among its functions.
    features: Vec<String>,
    /// The shared libraries that the program loads, with the hash of each.
    libraries: BTreeMap<String, String>,
}

/// The features by which glibc chooses among its functions for memory and strings.
const FEATURES: [&str; 10] = ["ssse3", "sse4_1", "sse4_2", "popcnt", "avx", "avx2", "bmi2", "erms", "fsrm", "avx512vl"];

impl Surroundings {
    /// Returns what the runs of an executable depend on, on this machine, in an environment.
    pub(super) fn of(executable: &Path, environment: &BTreeMap<String, String>) -> Result<Surroundings, Failure> {
        let libraries = libraries(executable, environment).map_err(|error| {
            let what = format!("{}: its shared libraries cannot be listed: {}", executable.display(), reason(&error));
            Failure::usage(what, "see that the program can be loaded: ldd lists what it needs")
        })?;
        Ok(Surroundings { machine: std::env::consts::ARCH.to_string(), features: features(), libraries })
    }

    /// Returns what is otherwise here than it is at the tool, if something is.
    pub(super) fn difference(&self, tool: &Surroundings) -> Option<String> {
        if self.machine != tool.machine {
            return Some(format!("the machine is {}, that of the search is {}", self.machine, tool.machine));
        }
        let lacks = |ours: &[String], theirs: &[String]| theirs.iter().find(|feature| !ours.contains(feature)).cloned();
        if let Some(feature) = lacks(&self.features, &tool.features) {
            return Some(format!("the processor does not have {feature}, that of the search has"));
        }
        if let Some(feature) = lacks(&tool.features, &self.features) {
            return Some(format!("the processor has {feature}, that of the search has not"));
        }
        let other = tool.libraries.iter().find(|(name, hash)| self.libraries.get(*name) != Some(hash));
        let more = self.libraries.keys().find(|name| !tool.libraries.contains_key(*name));
        let name = other.map(|(name, _)| name).or(more)?;
        Some(format!("the shared library {name} is another one than at the search"))
    }
}

/// Returns which of the features the processor has.
fn features() -> Vec<String> {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags")).unwrap_or_default();
    let has = |feature: &&str| flags.split_whitespace().any(|flag| flag == *feature);
    FEATURES.into_iter().filter(has).map(str::to_string).collect()
}

/// Returns the shared libraries that an executable loads, with their hashes, as its loader lists them.
fn libraries(executable: &Path, environment: &BTreeMap<String, String>) -> io::Result<BTreeMap<String, String>> {
    let Some(loader) = interpreter(executable)? else { return Ok(BTreeMap::new()) };
    let mut command = Command::new(loader);
    let listed = command.arg("--list").arg(executable).env_clear().envs(environment).output()?;
    if !listed.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&listed.stderr).trim().replace('\n', "; ")));
    }
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut libraries = BTreeMap::new();
    for line in text.lines() {
        // `libc.so.6 => /lib/libc.so.6 (0x…)`, or the path alone; what the kernel brings along has no path.
        let line = line.trim().split(" (0x").next().unwrap_or_default();
        let (name, path) = line.split_once(" => ").unwrap_or((line, line));
        if path.starts_with('/') {
            libraries.insert(name.to_string(), hash_file(Path::new(path))?);
        }
    }
    Ok(libraries)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::Surroundings;

    #[test]
    fn this_test_loads_the_c_library_and_is_like_itself() {
        let ours = Surroundings::of(&std::env::current_exe().unwrap(), &BTreeMap::new()).unwrap();
        assert!(ours.libraries.keys().any(|name| name.starts_with("libc.so")), "{ours:?}");
        assert_eq!(ours.difference(&ours), None);
        let mut other = ours.clone();
        let (name, hash) = other.libraries.iter_mut().next().unwrap();
        let name = name.clone();
        hash.push('0');
        let what = format!("the shared library {name} is another one than at the search");
        assert_eq!(ours.difference(&other), Some(what));
        let mut other = ours.clone();
        other.features.push("wings".to_string());
        let said = ours.difference(&other).unwrap();
        assert!(said.contains("does not have wings"), "{said}");
        assert!(other.difference(&ours).unwrap().contains("has wings"));
    }
}
