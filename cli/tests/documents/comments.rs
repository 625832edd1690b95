//! What comments refer to is there: files, sections of documents, errata, papers.

use std::collections::BTreeSet;
use std::process::Command;

use crate::{names_a_file, root, text};

/// The files of the project, as git knows them.
fn files() -> Vec<String> {
    let listed = Command::new("git").arg("ls-files").current_dir(root()).output().expect("git can be run");
    let listed = String::from_utf8(listed.stdout).expect("names of files are texts");
    listed.lines().filter(|name| root().join(name).is_file()).map(str::to_owned).collect()
}

/// The sign with which a comment begins in a file, if the file has comments that are looked at.
fn comment_sign(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("rs" | "c" | "h" | "cpp") => Some("//"),
        Some("toml" | "yml") => Some("#"),
        None if name.starts_with("scripts/") => Some("#"),
        _ => None,
    }
}

/// The comments of a file as one text: lines follow each other with a blank.
fn comments(name: &str, sign: &str) -> String {
    let mut found = String::new();
    let mut in_block = false;
    for line in text(name).lines() {
        let begin = if in_block { Some(0) } else { line.find(sign).or_else(|| line.find("/*")) };
        if let Some(begin) = begin {
            let words = line[begin..].trim_start_matches(['/', '*', '!', '@', '#', ' ']);
            found.extend([words.trim_end_matches("*/").trim(), " "]);
        }
        if sign == "//" {
            let (opens, closes) = (line.rfind("/*"), line.rfind("*/"));
            in_block = if in_block { closes.is_none() } else { opens.is_some() && closes < opens };
        }
    }
    found
}

/// All comments with the names of their files. Those of this test are about comments.
fn all_comments() -> Vec<(String, String)> {
    let own = "cli/tests/documents/";
    let files = files().into_iter().filter(|name| !name.starts_with(own));
    files
        .filter_map(|name| Some((comments(&name, comment_sign(&name)?), name)))
        .map(|(text, name)| (name, text))
        .collect()
}

/// The words behind each place where a text has this one.
fn behind<'a>(comments: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    comments.match_indices(mark).map(|(at, mark)| &comments[at + mark.len()..])
}

#[test]
fn every_file_that_a_comment_names_exists() {
    let files = files();
    let (mut checked, mut wrong) = (0, Vec::new());
    for (file, comments) in all_comments() {
        let quoted = comments.split('`').skip(1).step_by(2);
        let bare = comments.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        let documents = bare.filter(|word| word.ends_with(".md"));
        for name in quoted.filter(|name| names_a_file(name)).chain(documents) {
            let is_there = root().join(name).exists() || files.iter().any(|known| known.ends_with(&format!("/{name}")));
            if !is_there {
                wrong.push(format!("a comment in {file} names {name}"));
            }
            checked += 1;
        }
    }
    assert!(wrong.is_empty(), "not there: {wrong:#?}");
    assert!(checked > 50, "only {checked} names were recognised");
}

#[test]
fn every_source_file_that_a_comment_names_without_its_folder_exists() {
    let files = files();
    let mut wrong = Vec::new();
    for (file, comments) in all_comments() {
        for name in comments.split('`').skip(1).step_by(2).filter(|name| !name.contains([' ', '*', '<', '{', '…'])) {
            let is_source = [".rs", ".cpp", ".h"].iter().any(|ending| name.ends_with(ending));
            let is_of_the_system = name.ends_with(".h") && !name.starts_with("fencehound");
            if is_source && name.len() > 4 && !is_of_the_system && file.ends_with(".rs") && !file.contains("/tests/") {
                let is_there = files.iter().any(|known| known == name || known.ends_with(&format!("/{name}")));
                if !is_there {
                    wrong.push(format!("a comment in {file} names {name}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "no file is called so: {wrong:#?}");
}

#[test]
fn every_section_that_a_comment_names_exists() {
    let mut checked = 0;
    for (file, comments) in all_comments() {
        for rest in behind(&comments, "docs/") {
            let Some((document, rest)) = rest.split_once(".md, section") else { continue };
            if document.contains(' ') {
                continue;
            }
            let sections = text(&format!("docs/{document}.md"));
            for number in numbers(rest.trim_start_matches('s')) {
                let heading = |line: &str| {
                    let title = line.trim_start_matches('#');
                    title != line
                        && title
                            .trim_start()
                            .starts_with(&format!("{number}{}", if number.contains('.') { " " } else { "." }))
                };
                assert!(sections.lines().any(heading), "{file}: docs/{document}.md has no section {number}");
                checked += 1;
            }
        }
    }
    assert!(checked > 15, "only {checked} sections were recognised");
}

/// The numbers at the beginning of a text, with what joins them: `6.3 to 6.5`, `2 and 3`.
fn numbers(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        let number = word.trim_end_matches(|c: char| !c.is_ascii_digit());
        if number.starts_with(|c: char| c.is_ascii_digit()) {
            found.push(number);
            if word.ends_with([')', '.', ';', ':']) {
                break;
            }
        } else if !["to", "and"].contains(&word) {
            break;
        }
    }
    found
}

#[test]
fn every_erratum_that_a_comment_names_is_told_of() {
    let papers = text("docs/papers.md");
    let mut checked = BTreeSet::new();
    for (file, comments) in all_comments() {
        for rest in behind(&comments, "erratum ").chain(behind(&comments, "rrata ")) {
            for word in rest.split_whitespace() {
                let name = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
                let is_name =
                    name.len() == 2 && name.as_bytes()[0].is_ascii_uppercase() && name.as_bytes()[1].is_ascii_digit();
                if is_name {
                    assert!(
                        papers.contains(&format!("- **{name}.** ")),
                        "{file}: docs/papers.md does not tell of {name}"
                    );
                    checked.insert(name.to_owned());
                } else if !["and", "to"].contains(&name) {
                    break;
                }
            }
        }
    }
    assert!(checked.len() > 6, "only {checked:?} were recognised");
}

#[test]
fn every_paper_that_a_comment_names_is_in_the_index() {
    let papers = text("docs/papers.md");
    let mut checked = BTreeSet::new();
    for (file, comments) in all_comments() {
        let words = comments.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        for word in words {
            let parts: Vec<&str> = word.split('-').collect();
            let [number, _, venue] = parts[..] else { continue };
            if number.len() == 3
                && number.bytes().all(|c| c.is_ascii_digit())
                && venue.ends_with(|c: char| c.is_ascii_digit())
            {
                assert!(papers.contains(&format!("## {word}\n")), "{file}: docs/papers.md does not tell of {word}");
                checked.insert(word.to_owned());
            }
        }
    }
    assert!(checked.len() > 3, "only {checked:?} were recognised");
}

#[test]
fn every_decision_that_a_comment_names_has_its_number() {
    let decisions = text("ARCHITECTURE.md");
    let decisions = decisions.split("## Decisions").nth(1).expect("there are decisions");
    let mut checked = 0;
    for (file, comments) in all_comments() {
        for rest in behind(&comments, "ARCHITECTURE.md, decision ") {
            let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
            assert!(decisions.contains(&format!("\n{number}. **")), "{file}: there is no decision {number}");
            checked += 1;
        }
        assert!(!comments.contains("of the design)"), "{file} names a decision without the document that it is in");
    }
    assert!(checked > 0, "no decision was recognised");
}
