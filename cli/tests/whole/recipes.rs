//! The recipes of docs/ci.md, run.

use std::fs;
use std::path::Path;

use crate::bench::{Bench, tool};

/// A file of the repository.
fn text(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).unwrap()
}

/// The code of a section of docs/ci.md.
fn recipe(section: &str) -> String {
    let page = text("docs/ci.md");
    let section = page.split_once(&format!("\n## {section}\n")).unwrap_or_else(|| panic!("no section {section}")).1;
    let code = section.split_once("\n```").expect("it has code").1.split_once('\n').unwrap().1;
    code.split_once("```").expect("the code ends").0.to_string()
}

/// A project whose ring and stack are broken.
fn project() -> Bench {
    let sources = ["ring", "stack"].map(|name| (format!("{name}.c"), text(&format!("examples/{name}.c"))));
    let mut files: Vec<(String, String)> = sources.to_vec();
    files.push(("tests/ring.c".to_string(), text("examples/ring.c")));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Bench::new(&files)
}

/// Runs a line as a shell does, with the tool in the path; the exit status, and what is printed.
fn shell(bench: &Bench, line: &str) -> (i32, String) {
    let mut command = bench.command(Path::new("sh"), &["-c", line]);
    let folder = tool().parent().unwrap().display().to_string();
    command.env("PATH", format!("{folder}:{}", std::env::var("PATH").unwrap()));
    let ran = crate::bench::ran(&command.output().unwrap());
    (ran.status, ran.output + &ran.errors)
}

#[test]
fn make_check_fails_for_each_test_and_keeps_their_findings_apart() {
    let bench = project();
    bench.write("Makefile", &recipe("make check"));
    let (status, printed) = shell(&bench, "make -k -j2 check");
    assert_eq!(status, 2, "{printed}");
    for name in ["ring", "stack"] {
        assert!(bench.read(&format!("{name}.xml")).contains("failures=\"1\""), "{printed}");
        assert!(bench.path(&format!("fencehound-out/{name}")).exists(), "{printed}");
    }
}

#[test]
fn what_services_run_leaves_what_they_read() {
    for (section, file) in [("GitHub code scanning", "fencehound.sarif"), ("GitLab", "fencehound.xml")] {
        let bench = project();
        let recipe = recipe(section);
        let line = recipe.lines().find(|line| line.contains("fencehound check")).unwrap();
        let line = &line[line.find("fencehound check").unwrap()..];
        let (status, printed) = shell(&bench, line);
        assert_eq!(status, 1, "{printed}");
        // As often as it is written and read.
        assert_eq!(recipe.matches(file).count(), 2, "{recipe}");
        assert!(bench.path(file).exists() && bench.path("fencehound-out/pso-1/finding.json").exists(), "{printed}");
    }
}

#[test]
fn the_hook_checks_one_file_after_the_other() {
    let bench = project();
    let recipe = recipe("pre-commit");
    let entry = recipe.lines().find_map(|line| line.trim().strip_prefix("entry: ")).unwrap();
    let (status, printed) = shell(&bench, &format!("{entry} ring.c stack.c"));
    assert_eq!((status, printed.lines().count()), (1, 1), "{printed}");
    bench.write("fine.c", "int main(void) { return 0; }\n");
    let (status, printed) = shell(&bench, &format!("{entry} fine.c fine.c"));
    assert_eq!((status, printed.lines().count()), (0, 2), "{printed}");
}
