//! Hashes of the files that a program is made of, by which a changed program is noticed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Returns the name of each file once, sorted, with the hash of its content, or `gone` if it cannot be read. Bytes of a name that
/// are no UTF-8 are replaced.
pub(crate) fn hashes(directory: &Path, files: &[PathBuf]) -> Vec<(String, String)> {
    let hashed = |file: &PathBuf| {
        let hash = hash_file(&directory.join(file)).unwrap_or_else(|_| "gone".to_string());
        (plain_name(&file.to_string_lossy()).to_string(), hash)
    };
    let named: BTreeMap<String, String> = files.iter().map(hashed).collect();
    named.into_iter().collect()
}

/// Returns a name without `./` at its beginning.
pub(crate) fn plain_name(name: &str) -> &str {
    match name.strip_prefix("./") {
        Some(rest) => plain_name(rest),
        None => name,
    }
}

/// Returns the hash of a file's content.
pub(crate) fn hash_file(file: &Path) -> io::Result<String> {
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("not a file"));
    }
    let digest = Sha256::digest(fs::read(file)?);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("sha256:{hex}"))
}

#[cfg(test)]
mod tests {
    use super::hashes;

    #[test]
    fn files_are_named_once_and_sorted() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.h"), "abc").unwrap();
        let files = hashes(folder.path(), &["b.c".into(), "./a.h".into(), "a.h".into()]);
        let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(files, [("a.h".to_string(), abc.to_string()), ("b.c".to_string(), "gone".to_string())]);
    }
}
