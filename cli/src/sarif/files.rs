//! How a SARIF log names files: by their paths below the root of the sources, which is the repository that the user is in.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

/// What the root of the sources is called.
const ROOT: &str = "%SRCROOT%";

/// The root of the sources, and the folder that relative names are of.
#[derive(Debug)]
pub(super) struct SourceRoot {
    root: PathBuf,
    folder: PathBuf,
}

impl SourceRoot {
    /// The files of a program that is checked in this folder.
    pub(super) fn of(folder: &Path) -> SourceRoot {
        let root = folder.ancestors().find(|ancestor| ancestor.join(".git").exists()).unwrap_or(folder);
        SourceRoot { root: root.to_path_buf(), folder: folder.to_path_buf() }
    }

    /// What the root is, for those who have the log elsewhere.
    pub(super) fn bases(&self) -> Value {
        json!({ ROOT: { "uri": folder_uri(&self.root) } })
    }

    /// The folder of the run.
    pub(super) fn working_directory(&self) -> Value {
        json!({ "uri": folder_uri(&self.folder) })
    }

    /// The location of a file.
    pub(super) fn location(&self, file: &str) -> Value {
        let whole = resolved(&self.folder.join(file));
        match whole.strip_prefix(&self.root) {
            Ok(below) => json!({ "uri": encoded(below), "uriBaseId": ROOT }),
            Err(_) => json!({ "uri": format!("file://{}", encoded(&whole)) }),
        }
    }
}

fn folder_uri(folder: &Path) -> String {
    let path = encoded(folder);
    format!("file://{}/", path.trim_end_matches('/'))
}

/// A path without `.` and `..`, by its names alone.
fn resolved(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(whole.pop()),
            other => whole.push(other),
        }
    }
    whole
}

/// A path as a URI has it.
fn encoded(path: &Path) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes
        .iter()
        .map(|&byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::SourceRoot;

    #[test]
    fn names_are_below_the_repository_if_they_can_be() {
        let repository = tempfile::tempdir().unwrap();
        let build = repository.path().join("build");
        std::fs::create_dir_all(repository.path().join(".git")).unwrap();
        std::fs::create_dir(&build).unwrap();
        let files = SourceRoot::of(&build);
        let uri = |file: &str| files.location(file)["uri"].as_str().unwrap().to_string();
        assert_eq!(uri("../src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("./x.c"), "build/x.c");
        assert_eq!(uri("/usr/include/stdio.h"), "file:///usr/include/stdio.h");
        assert_eq!(uri(repository.path().join("c.c").to_str().unwrap()), "c.c");
        assert!(files.location("/usr/include/stdio.h").get("uriBaseId").is_none());
        let base = files.bases()["%SRCROOT%"]["uri"].as_str().unwrap().to_string();
        assert_eq!(base, format!("file://{}/", repository.path().display()));
    }
}
