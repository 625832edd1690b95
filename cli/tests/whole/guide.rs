//! The guide (`docs/guide.md`): each command that it shows is run on `examples/`, and prints what the guide quotes.
//!
//! A block ```` ```console ```` has lines `$ COMMAND`, each followed by what the command prints. Commands are `fencehound` and `make`. `…` alone on a line stands
//! for any number of lines that are left out.
//!
//! And the example of README.md: its functions, in two threads, have the verdict that stands below them.

use std::env;
use std::fs;
use std::path::Path;

use crate::bench::{Bench, Ran, ran, tool};

/// A command that the guide shows.
#[derive(Debug)]
struct Quote {
    /// The command, as it is typed.
    command: String,
    /// What it prints.
    lines: Vec<String>,
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The files of `examples/` and of its folders, by name.
pub(crate) fn examples() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec!["examples".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("the folder can be read") {
            let entry = entry.expect("its entries can be read");
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(name);
            } else {
                found.push((name, fs::read_to_string(entry.path()).expect("an example is a text")));
            }
        }
    }
    found.sort();
    found
}

/// The commands of a document, in order.
fn quotes(document: &str) -> Vec<Quote> {
    let mut found: Vec<Quote> = Vec::new();
    let mut in_console = false;
    for line in document.lines() {
        if line.starts_with("```") {
            in_console = line == "```console";
        } else if in_console {
            match line.strip_prefix("$ ") {
                Some(command) => found.push(Quote { command: command.to_owned(), lines: Vec::new() }),
                None => found.last_mut().expect("a command stands first").lines.push(line.to_owned()),
            }
        }
    }
    for quote in &mut found {
        while quote.lines.last().is_some_and(String::is_empty) {
            quote.lines.pop();
        }
    }
    found
}

/// Whether lines are as quoted, where a line `…` stands for any number of them.
pub(crate) fn is_quoted(printed: &[&str], quoted: &[String]) -> bool {
    match quoted.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=printed.len()).any(|left_out| is_quoted(&printed[left_out..], rest))
        }
        Some((first, rest)) => printed.first() == Some(&first.as_str()) && is_quoted(&printed[1..], rest),
    }
}

/// Runs a command, by a shell that finds the tool.
fn typed(bench: &Bench, command: &str) -> Ran {
    let folder = tool().parent().expect("the tool is in a folder").to_string_lossy();
    let path = format!("{folder}:{}", env::var("PATH").unwrap_or_default());
    ran(&bench.command(Path::new("sh"), &["-c", command]).env("PATH", path).output().expect("there is a shell"))
}

#[test]
fn what_the_guide_quotes_is_what_is_printed() {
    let files = examples();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let bench = Bench::new(&files);
    let guide = fs::read_to_string(root().join("docs/guide.md")).expect("the guide is there");
    let quotes = quotes(&guide);
    for (name, _) in files {
        let name = if name.matches('/').count() > 1 { name.rsplit_once('/').expect("it has a folder").0 } else { name };
        assert!(quotes.iter().any(|quote| quote.command.contains(name)), "the guide does not run {name}");
    }
    for Quote { command, lines } in quotes {
        let ran = typed(&bench, &command);
        let printed = ran.output.trim_end();
        let is_as_quoted = is_quoted(&printed.lines().collect::<Vec<_>>(), &lines);
        assert!(is_as_quoted, "{command} prints, and docs/guide.md quotes something else:\n{printed}{}", ran.errors);
    }
}

/// The text of the first block of the document that begins with this line.
fn block<'a>(document: &'a str, fence: &str) -> &'a str {
    let (_, after) = document.split_once(fence).expect("there is such a block");
    after.split_once("```").expect("the block ends").0
}

#[test]
fn the_example_of_the_readme_has_the_verdict_below_it() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md is there");
    let functions = block(&readme, "```c\n");
    let (_, below) = readme.split_once(functions).expect("the block is a part of the document");
    let (_, below) = below.split_once("```\n").expect("the block ends");
    let verdict = block(below, "```\n").trim_end();
    let program = format!(
        "#include <pthread.h>\n{functions}int main(void) {{\n    pthread_t a, b;\n    pthread_create(&a, 0, left, 0);\n    \
         pthread_create(&b, 0, right, 0);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n}}\n"
    );
    let ran = Bench::new(&[("flags.c", &program)]).run("check flags.c");
    assert_eq!((ran.status, ran.output.lines().last()), (1, Some(verdict)), "{ran:?}");
}
