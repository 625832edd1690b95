//! docs/json.md has the keys that the result has, and the words that stand for kinds and ends.

use std::collections::BTreeSet;

use crate::text;

/// The fields of a struct in a file of the tool.
fn fields(file: &str, name: &str) -> BTreeSet<String> {
    let text = text(file);
    let body = text.split_once(&format!("struct {name}")).unwrap_or_else(|| panic!("{file} has no {name}")).1;
    let body = body.split_once("\n}").unwrap_or_else(|| panic!("{name} does not end")).0;
    let is_name = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let field = |line: &str| line.trim().split_once(": ").map(|(field, _)| field.to_owned());
    body.lines().filter_map(field).filter(|field| is_name(&field.as_str())).collect()
}

/// What the first column of the table in a section names.
fn rows(section: &str) -> BTreeSet<String> {
    let text = text("docs/json.md");
    let body = text.split_once(&format!("## {section}\n")).unwrap_or_else(|| panic!("there is no section {section}")).1;
    let body = body.split("\n## ").next().unwrap_or_default();
    let key = |line: &str| line.strip_prefix("| `")?.split_once('`').map(|(key, _)| key.to_owned());
    body.lines().filter_map(key).collect()
}

#[test]
fn the_keys_are_those_of_the_result() {
    const SOURCE: &str = "cli/src/json.rs";
    let mut report = &fields(SOURCE, "Report<'a>") | &fields(SOURCE, "LitmusReport<'a>");
    report.remove("litmus");
    report.extend(fields(SOURCE, "ErrorReport<'a>"));
    assert_eq!(rows("The object"), report);
    assert_eq!(rows("A violation"), fields(SOURCE, "Found<'a>"));
    assert_eq!(rows("A site"), fields(SOURCE, "Site<'a>"));
}

/// The words that a file of the protocol gives to its variants.
fn words(file: &str) -> BTreeSet<String> {
    let word =
        |line: &str| line.trim().strip_prefix("Self::")?.split_once("=> \"")?.1.split('"').next().map(str::to_owned);
    text(file).lines().filter_map(word).collect()
}

#[test]
fn all_ends_of_a_search_are_there() {
    assert_eq!(rows("`stopped_by`"), words("runtime/protocol/src/summary.rs"));
}

#[test]
fn all_kinds_of_violations_are_there() {
    let text = text("docs/json.md");
    let list = text.split_once("`kind` is one of ").expect("the kinds are listed").1;
    let list = list.split_once(".\n").expect("the list ends").0;
    let listed: BTreeSet<String> = list.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let mut kinds = words("runtime/protocol/src/failure.rs");
    assert!(kinds.remove("witness"), "a witness answers a litmus test, and is no violation");
    assert_eq!(listed, kinds);
}
