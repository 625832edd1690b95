//! The manual pages and the completions, held against those who read them: mandoc and bash.

use std::fs;
use std::process::{Command, Output};

fn tool(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fencehound")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The commands that `fencehound --help` lists.
fn commands() -> Vec<String> {
    let help = text(&tool(&["--help"]).stdout);
    let listed = help.lines().filter(|line| line.starts_with("  "));
    listed.filter_map(|line| line.split_whitespace().next().map(str::to_string)).collect()
}

/// The words of a text that are options with long names.
fn long_options(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| word.len() > 2 && word.starts_with("--")).collect()
}

#[test]
fn the_manual_has_each_command_and_option_and_mandoc_likes_it() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    assert!(tool(&["man", pages.to_str().unwrap()]).status.success());
    assert_eq!(commands().len(), 8, "{:?}", commands());
    assert_eq!(fs::read_dir(&pages).unwrap().count(), commands().len() + 1);
    for command in commands() {
        let file = pages.join(format!("fencehound-{command}.1"));
        let shown = Command::new("mandoc").args(["-Tascii", "-Owidth=200"]).arg(&file).output();
        let shown = text(&shown.expect("mandoc is there (scripts/setup installs it)").stdout);
        // Bold and underlined letters are struck twice.
        let shown = shown.replace("_\u{8}", "");
        let plain: Vec<char> = shown.chars().collect();
        let struck = |at: usize| plain.get(at + 1) == Some(&'\u{8}') || plain[at] == '\u{8}';
        let shown: String = (0..plain.len()).filter(|&at| !struck(at)).map(|at| plain[at]).collect();
        let help = text(&tool(&[&command, "--help"]).stdout);
        let listed = help.lines().filter(|line| line.starts_with("  ")).collect::<Vec<_>>().join("\n");
        for option in long_options(&listed) {
            assert!(long_options(&shown).contains(&option), "{option} is not in the page of {command}:\n{shown}");
        }
        assert!(shown.contains("EXIT STATUS") && shown.contains("fencehound(1)"), "{shown}");
    }
    for page in fs::read_dir(&pages).unwrap() {
        let linted = Command::new("mandoc").args(["-Tlint", "-Wstyle"]).arg(page.unwrap().path()).output().unwrap();
        assert!(linted.status.success() && linted.stdout.is_empty(), "{}", text(&linted.stdout));
    }
}

#[test]
fn a_manual_that_cannot_be_written_is_an_error() {
    let ran = tool(&["man", "/dev/null/man"]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).starts_with("error: /dev/null/man: the manual cannot be written: "), "{ran:?}");
}

#[test]
fn bash_completes_commands_options_and_values() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("fencehound.bash");
    fs::write(&script, tool(&["completions", "bash"]).stdout).unwrap();
    let completed = |line: &[&str]| {
        let (last, before) = (line.last().unwrap(), line[line.len() - 2]);
        let words = line.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let typed = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD={}; _fencehound fencehound '{last}' '{before}'; \
             echo \"${{COMPREPLY[@]}}\"",
            script.display(),
            line.len() - 1
        );
        let ran = Command::new("bash").args(["--norc", "-c", &typed]).output().unwrap();
        assert!(ran.stderr.is_empty(), "{}", text(&ran.stderr));
        text(&ran.stdout).trim().to_string()
    };
    assert_eq!(completed(&["fencehound", "re"]), "relax replay");
    assert_eq!(completed(&["fencehound", "check", "--mon"]), "--monitor");
    assert_eq!(completed(&["fencehound", "check", "--explorer", "d"]), "dpor");
    assert_eq!(completed(&["fencehound", "check", "--model", "p"]), "pso power");
    assert_eq!(completed(&["fencehound", "fences", "--until", ""]), "harmless sc");
    assert_eq!(completed(&["fencehound", "replay", "--g"]), "--gdb");
    // What is refused is not offered.
    assert_eq!(completed(&["fencehound", "fences", "--sari"]), "");
}

#[test]
fn other_shells_get_completions_of_their_own() {
    assert!(text(&tool(&["completions", "zsh"]).stdout).starts_with("#compdef fencehound"));
    let fish = text(&tool(&["completions", "fish"]).stdout);
    assert!(fish.contains("-l explorer -d 'How executions are enumerated' -r -f -a \"auto"), "{fish}");
    let unknown = tool(&["completions", "ksh"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("ksh"), "{unknown:?}");
}
