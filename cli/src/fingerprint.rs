//! Fingerprints, by which a finding is recognised in another run, and after edits elsewhere in its files.
//!
//! A fingerprint is a hash of the finding's kind and model, and of the function, the operation, the variable and the text of the
//! line of each place that takes part. Whatever changes while the defect stays is left out: names of files, numbers of lines and
//! columns, blanks, threads, values, and how the finding was found.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{FailureKind, Place, Role, SiteUse, Violation};
use sha2::{Digest, Sha256};

use crate::report::excerpt::Sources;

/// The number of bytes of a fingerprint.
const LENGTH: usize = 8;

/// Returns the fingerprints of findings in a program, each given with the name of its model. Of several findings that differ in
/// their places alone, the first in the order of places has no suffix, and the others have their number as one: `5b0c…-2`.
pub(crate) fn fingerprints(found: &[(&Violation, &str)], sources: &mut Sources) -> Vec<String> {
    let hashes: Vec<String> = found.iter().map(|&(violation, model)| hash(violation, model, sources)).collect();
    let mut alike: BTreeMap<_, BTreeSet<Vec<&Place>>> = BTreeMap::new();
    for (hash, (violation, _)) in hashes.iter().zip(found) {
        alike.entry((hash, violation.monitor)).or_default().insert(places(violation));
    }
    let numbered = hashes.iter().zip(found).map(|(hash, (violation, _))| {
        let all = &alike[&(hash, violation.monitor)];
        match all.iter().position(|one| *one == places(violation)) {
            None | Some(0) => hash.clone(),
            Some(before) => format!("{hash}-{}", before + 1),
        }
    });
    numbered.collect()
}

/// Returns the fingerprint of ends that no sequentially consistent execution has, by the names of the values that differ.
pub(crate) fn of_ends(model: &str, names: &BTreeSet<Vec<String>>) -> String {
    let names: Vec<String> = names.iter().map(|names| names.join(" ")).collect();
    digest(&[&["shows".to_string(), model.to_string()], names.as_slice()].concat())
}

/// Whether a text is that of a fingerprint.
pub(crate) fn is_fingerprint(text: &str) -> bool {
    let (hash, number) = text.split_once('-').unwrap_or((text, "2"));
    let is_hexadecimal = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    hash.len() == 2 * LENGTH && hash.chars().all(is_hexadecimal) && number.parse::<u32>().is_ok_and(|number| number > 1)
}

fn places(violation: &Violation) -> Vec<&Place> {
    let mut places: Vec<&Place> = parts(violation).map(|site| &site.place).collect();
    places.sort_unstable();
    places
}

/// Returns the places that take part and belong to the finding, rather than to the one execution that is kept of it.
fn parts(violation: &Violation) -> impl Iterator<Item = &SiteUse> {
    let belongs = |site: &&SiteUse| match violation.kind {
        FailureKind::ScViolation => matches!(site.role, Role::Delayed | Role::Overtaking),
        FailureKind::Atomicity => matches!(site.role, Role::From | Role::To | Role::Overtaken),
        _ => true,
    };
    violation.sites.iter().filter(belongs)
}

fn hash(violation: &Violation, model: &str, sources: &mut Sources) -> String {
    let mut described: Vec<String> = parts(violation).map(|site| described(site, sources)).collect();
    described.sort_unstable();
    described.dedup();
    let subject = without_blanks(&violation.subject);
    digest(&[vec![violation.kind.name().to_string(), model.to_string(), subject], described].concat())
}

fn digest(fields: &[String]) -> String {
    // No field has a line break.
    let digest = Sha256::digest(fields.join("\n"));
    digest.iter().take(LENGTH).map(|byte| format!("{byte:02x}")).collect()
}

fn described(site: &SiteUse, sources: &mut Sources) -> String {
    let role = match site.role {
        // Which access of a race comes first, and how transactions follow each other, depends on the execution.
        Role::First | Role::Second | Role::From | Role::To | Role::Overtaken => String::new(),
        role => format!("{role:?}"),
    };
    let mut text = |place: &Place| sources.line(place).map(without_blanks).unwrap_or_default();
    let mut fields =
        vec![role, site.function.clone(), site.operation.name().to_string(), name(&site.expression), text(&site.place)];
    for frame in &site.place.stack {
        let place = Place::new(frame.file.clone(), frame.line, frame.column);
        fields.extend([frame.function.clone(), text(&place)]);
    }
    fields.join("\t")
}

/// Returns the name of a variable or block without what it gets in an execution: its address, or its number.
fn name(expression: &str) -> String {
    if expression.starts_with("0x") {
        return String::new();
    }
    let mut name = String::new();
    let mut is_number = false;
    for c in without_blanks(expression).chars() {
        is_number = c == '#' || (is_number && c.is_ascii_digit());
        if c == '#' || !is_number {
            name.push(c);
        }
    }
    name
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use protocol::{MonitorName, Role, Violation};

    use super::{fingerprints, is_fingerprint, name};
    use crate::report::excerpt::Sources;
    use crate::report::samples;

    /// Returns a folder with a source whose lines 8, 14 and 15 are those of the sample, below so many others.
    fn source(above: usize, blank: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let lines = ["x = 1;", "r = y;", "", "", "", "", format!("y{blank}=1;").leak(), "r = x;"];
        let text = format!("{}{}\n", "\n".repeat(7 + above), lines.join("\n"));
        std::fs::write(folder.path().join("sb.c"), text).unwrap();
        folder
    }

    fn moved(mut violation: Violation, by: u32) -> Violation {
        violation.sites.iter_mut().filter(|site| site.place.line > 0).for_each(|site| site.place.line += by);
        violation
    }

    fn of(folder: &tempfile::TempDir, found: &[&Violation]) -> Vec<String> {
        let mut sources = Sources::new([folder.path().to_path_buf()]);
        let found: Vec<(&Violation, &str)> = found.iter().map(|violation| (*violation, "tso")).collect();
        fingerprints(&found, &mut sources)
    }

    #[test]
    fn lines_above_blanks_threads_and_previous_events_are_no_part() {
        let (before, after) = (source(0, ""), source(3, "\t "));
        let one = samples::store_buffering();
        let mut other = moved(one.clone(), 3);
        other.sites[1].place.line += 1;
        other.sites[0].thread = 2;
        other.monitor = Some(MonitorName::PrefixTso);
        assert_eq!(of(&before, &[&one]), of(&after, &[&other]));
        assert!(is_fingerprint(&of(&before, &[&one])[0]));
    }

    #[test]
    fn the_text_the_variable_the_function_and_the_role_are() {
        let folder = source(0, "");
        let one = samples::store_buffering();
        let hash = of(&folder, &[&one]);
        let change = |change: fn(&mut Violation)| {
            let mut other = one.clone();
            change(&mut other);
            of(&folder, &[&other])
        };
        assert_ne!(change(|other| other.sites[0].place.line += 1), hash);
        assert_ne!(change(|other| other.sites[0].expression.push('2')), hash);
        assert_ne!(change(|other| other.sites[2].function.push('2')), hash);
        assert_ne!(change(|other| other.sites[0].role = Role::At), hash);
    }

    #[test]
    fn those_alike_have_ordinals_by_their_places() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("sb.c"), "x = 1; y = x;\n".repeat(20)).unwrap();
        let one = samples::store_buffering();
        let (second, third) = (moved(one.clone(), 1), moved(one.clone(), 2));
        let found = of(&folder, &[&third, &one, &second]);
        let hash = &found[1];
        assert_eq!(found, [format!("{hash}-3"), hash.clone(), format!("{hash}-2")]);
        assert!(found.iter().all(|text| is_fingerprint(text)));
        // Two monitors of a model report the same.
        let twin = Violation { monitor: Some(MonitorName::ExactTso), ..one.clone() };
        assert_eq!(of(&folder, &[&one, &twin]), [hash.clone(), hash.clone()]);
    }

    #[test]
    fn names_keep_neither_addresses_nor_numbers_of_blocks() {
        assert_eq!([name("0x7f12"), name("node#12.next[3]"), name("a [ 2 ]")], ["", "node#.next[3]", "a[2]"]);
    }

    #[test]
    fn what_is_no_fingerprint_is_known() {
        for text in ["", "0123", "0123456789abcde", "0123456789abcdeg", "0123456789abcdef-1", "0123456789abcdef-x"] {
            assert!(!is_fingerprint(text), "{text}");
        }
    }
}
