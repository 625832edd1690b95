//! The version and the build of Fencehound that a program was made with.

/// The version of the messages and of the finding file. A program and a tool of different versions refuse to work
/// together.
pub const VERSION: u32 = 3;

/// Sixteen hexadecimal digits that identify the messages as this build writes them. The runtime puts them into section
/// [`BUILD_SECTION`] of each program, and the tool runs no program with other digits: two builds of the same version
/// may differ in their messages, and a message that is misread would be a wrong verdict.
pub const BUILD: [u8; 16] = hexadecimal(fingerprint(&[
    env!("CARGO_PKG_VERSION"),
    include_str!("explore.rs"),
    include_str!("failure.rs"),
    include_str!("finals.rs"),
    include_str!("finding.rs"),
    include_str!("grounds.rs"),
    include_str!("identity.rs"),
    include_str!("job.rs"),
    include_str!("lib.rs"),
    include_str!("log.rs"),
    include_str!("message.rs"),
    include_str!("operation.rs"),
    include_str!("ordered.rs"),
    include_str!("outcomes.rs"),
    include_str!("packed.rs"),
    include_str!("place.rs"),
    include_str!("repair.rs"),
    include_str!("schedule.rs"),
    include_str!("slice.rs"),
    include_str!("summary.rs"),
    include_str!("tally.rs"),
    include_str!("trace.rs"),
    include_str!("violation.rs"),
    include_str!("../../engine/src/mapping.rs"),
    include_str!("../../engine/src/event.rs"),
    include_str!("../../engine/src/explore.rs"),
    include_str!("../../engine/src/explore/estimate.rs"),
    include_str!("../../engine/src/mapping/machines.rs"),
    include_str!("../../engine/src/model/name.rs"),
    include_str!("../../engine/src/monitor/name.rs"),
]));

/// The ELF section that holds [`BUILD`].
pub const BUILD_SECTION: &str = "fh_version";

/// Returns the FNV-1a hash of the version and the texts.
const fn fingerprint(texts: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ VERSION as u64;
    let mut text = 0;
    while text < texts.len() {
        let bytes = texts[text].as_bytes();
        let mut byte = 0;
        while byte < bytes.len() {
            hash = (hash ^ bytes[byte] as u64).wrapping_mul(0x0100_0000_01b3);
            byte += 1;
        }
        text += 1;
    }
    hash
}

/// Returns the sixteen hexadecimal digits of a number, the most significant first.
const fn hexadecimal(mut number: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    let mut place = digits.len();
    while place > 0 {
        place -= 1;
        digits[place] = b"0123456789abcdef"[(number % 16) as usize];
        number /= 16;
    }
    digits
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{fingerprint, hexadecimal};

    /// Returns all Rust files below a folder.
    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let all = entries.flat_map(|entry| if entry.is_dir() { sources(&entry) } else { vec![entry] });
        all.filter(|file| file.extension().is_some_and(|end| end == "rs")).collect()
    }

    #[test]
    fn every_file_with_a_type_of_messages_counts() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let engine = own.join("../../engine/src");
        let listed = |file: &Path, folder: &Path, prefix: &str| {
            let name = file.strip_prefix(folder).unwrap().display();
            include_str!("build.rs").contains(&format!("include_str!(\"{prefix}{name}\")"))
        };
        for file in sources(&own).iter().filter(|file| !file.ends_with("build.rs")) {
            assert!(listed(file, &own, ""), "{} is not part of the build's fingerprint", file.display());
        }
        for file in sources(&engine).iter().filter(|file| fs::read_to_string(file).unwrap().contains("serde::")) {
            assert!(listed(file, &engine, "../../engine/src/"), "{} is not part of it", file.display());
        }
    }

    #[test]
    fn digits_are_of_the_number() {
        assert_eq!(hexadecimal(0x0123_4567_89ab_cdef), *b"0123456789abcdef");
        assert_eq!(hexadecimal(0xf), *b"000000000000000f");
    }

    #[test]
    fn other_texts_are_another_build() {
        assert_ne!(fingerprint(&["a", "b"]), fingerprint(&["a", "c"]));
        assert_ne!(fingerprint(&["a"]), fingerprint(&["a", "b"]));
    }
}
