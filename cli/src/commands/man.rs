//! `fencehound man`: writes the manual, a page for the tool and one for each command. Commands and options come from what may be
//! typed, descriptions and exit statuses from the help texts.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};
use roff::{Inline, Roff, bold, italic, roman};

use crate::args::{Cli, typed_name};
use crate::exit::{Failure, Status};
use crate::text::reason;
use crate::whole::write_whole;

/// The day on which the text of the manual was changed last.
const DATE: &str = "2026-11-23";

/// The width of a line of the page's source.
const WIDTH: usize = 72;

/// The exit statuses of all commands that look at programs.
const STATUSES: [(&str, &str); 7] = [
    ("0", "Clean, and complete within the bound that the last line names."),
    ("1", "A violation was found."),
    ("2", "The command line is wrong, or a file that it names cannot be used."),
    ("3", "Nothing was found so far, but the search did not reach its end, or something is open."),
    ("4", "The program does something that cannot be run under control, or is not deterministic."),
    ("5", "The program does not compile."),
    ("70", "An internal error, which is no verdict on the program."),
];

/// The options of `cc` that are not clang's; clap reads none of them.
const COMPILER_OPTIONS: [(&str, &str, &str); 2] = [
    ("--asm-templates", "FILE", "The meanings of inline assembly (docs/inline-assembly.md)."),
    ("--power", "", "Keep the dependencies that `check --model power`, armv8 and riscv need."),
];

/// Runs the command.
pub(crate) fn run(folder: &Path) -> Result<Status, Failure> {
    let cannot = |error: io::Error| {
        let message = format!("{}: the manual cannot be written: {}", folder.display(), reason(&error));
        Failure::usage(message, "name a folder that you may write")
    };
    fs::create_dir_all(folder).map_err(cannot)?;
    let mut tool = Cli::command().disable_help_subcommand(true);
    tool.build();
    for command in shown(&tool).chain([&tool]) {
        let file = folder.join(format!("{}.1", page_name(command)));
        write_whole(&file, &page(command, &tool)).map_err(cannot)?;
    }
    Ok(Status::Clean)
}

/// The commands that users are told of.
fn shown(tool: &Command) -> impl Iterator<Item = &Command> {
    tool.get_subcommands().filter(|command| !command.is_hide_set())
}

/// Returns the name of a command's page: `fencehound-check`.
fn page_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

/// A page that is being written.
struct Page(Roff);

/// Returns the page of a command.
fn page(command: &Command, tool: &Command) -> String {
    let help = command.clone().render_help().to_string();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let (name, is_tool) = (page_name(command), command.get_name() == tool.get_name());
    let mut page = Page(Roff::new());
    let source = format!("fencehound {}", tool.get_version().unwrap_or_default());
    page.0.control("TH", [name.to_uppercase().as_str(), "1", DATE, &source, "Fencehound"]);
    page.section("NAME").prose(&format!("{name} - {about}"));
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: ")).unwrap_or_default();
    page.section("SYNOPSIS").prose(usage);
    let description = help.lines().take_while(|line| !line.starts_with("Usage:")).collect::<Vec<_>>().join(" ");
    page.section("DESCRIPTION").prose(&description);
    if is_tool {
        page.commands(tool);
    } else {
        page.options(command);
    }
    page.exit_statuses(&help);
    page.examples(examples(command.get_name()));
    if is_tool {
        page.surroundings();
    }
    let others = [tool].into_iter().chain(shown(tool)).filter(|other| other.get_name() != command.get_name());
    let others: Vec<String> = others.map(|other| format!("{}(1)", page_name(other))).collect();
    page.section("SEE ALSO").prose(&others.join(", "));
    page.0.to_roff()
}

impl Page {
    fn section(&mut self, title: &str) -> &mut Page {
        self.0.control("SH", [title]);
        self
    }

    /// Adds text without its backticks, in lines that are not too long.
    fn prose(&mut self, text: &str) -> &mut Page {
        let mut line = String::new();
        for word in text.replace('`', "").split_whitespace() {
            if !line.is_empty() && line.len() + word.len() >= WIDTH {
                self.0.text([roman(std::mem::take(&mut line))]);
            }
            line = if line.is_empty() { word.to_string() } else { format!("{line} {word}") };
        }
        self.0.text([roman(line)]);
        self
    }

    /// Adds an entry of a list: what is explained, and the explanation.
    fn entry(&mut self, head: Vec<Inline>, text: &str) {
        self.0.control("TP", []).text(head);
        self.prose(text);
    }

    fn commands(&mut self, tool: &Command) {
        self.section("COMMANDS");
        for command in shown(tool) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            self.entry(vec![bold(format!("{}(1)", page_name(command)))], &sentence(&about));
        }
    }

    /// Adds the options, under their headings.
    fn options(&mut self, command: &Command) {
        let options: Vec<&Arg> = command.get_arguments().filter(|option| !option.is_hide_set()).collect();
        let mut headings: Vec<Option<&str>> = Vec::new();
        for option in &options {
            if !headings.contains(&option.get_help_heading()) {
                headings.push(option.get_help_heading());
            }
        }
        for heading in headings {
            self.section(&heading.unwrap_or("Options").to_uppercase());
            for option in options.iter().filter(|option| option.get_help_heading() == heading) {
                self.entry(head(option), &explanation(option));
            }
        }
        if command.get_name() == "cc" {
            for (name, value, text) in COMPILER_OPTIONS {
                self.entry(vec![bold(format!("{name} ")), italic(value)], text);
            }
        }
    }

    /// Adds the exit statuses: those that the help text names, or those of all commands.
    fn exit_statuses(&mut self, help: &str) {
        self.section("EXIT STATUS");
        if let Some((_, own)) = help.split_once("Exit status: ") {
            self.prose(&sentence(own.trim_end()));
            return;
        }
        for (status, meaning) in STATUSES {
            self.entry(vec![bold(status)], meaning);
        }
    }

    fn examples(&mut self, examples: &[(&str, &str)]) {
        if !examples.is_empty() {
            self.section("EXAMPLES");
        }
        for (does, typed) in examples {
            self.entry(vec![bold(*typed)], does);
        }
    }

    /// Adds the files and variables that the tool reads and writes.
    fn surroundings(&mut self) {
        self.section("FILES");
        let findings = "The findings, a folder each: report.txt to read, finding.json for fencehound replay.";
        self.entry(vec![bold("fencehound-out/")], findings);
        let header = "What programs may say to the checker; fencehound cc and check find it without a flag.";
        self.entry(vec![bold("fencehound.h")], header);
        let options = "Options for the targets in its folder: a key without dashes under [options] for all of them, and \
                       under [target.\"ring.c\"] for that one.";
        self.entry(vec![bold("fencehound.toml")], options);
        self.section("ENVIRONMENT");
        let variable =
            "Options of check, fences and relax. What is typed comes first, then these, then those of the file.";
        self.entry(vec![bold("FENCEHOUND_OPTIONS")], variable);
        self.entry(vec![bold("NO_COLOR")], "If it is set, text is not coloured.");
    }
}

/// Returns how an option or argument is typed.
fn head(option: &Arg) -> Vec<Inline> {
    let value = option.get_value_names().map(|names| names.join(" ")).unwrap_or_default();
    let Some(name) = typed_name(option) else { return vec![italic(value)] };
    let short = option.get_short().map(|short| format!("-{short}")).filter(|short| *short != name);
    let mut head: Vec<Inline> = short.into_iter().flat_map(|short| [bold(short), roman(", ")]).collect();
    if option.get_num_args().is_some_and(|values| values.takes_values()) {
        let between = if name.ends_with('=') { "" } else { " " };
        head.extend([bold(name), roman(between), italic(value)]);
    } else {
        head.push(bold(name));
    }
    head
}

/// Returns what an option does, the values that it has a name for, and the one that it has by itself.
fn explanation(option: &Arg) -> String {
    let takes_value = option.get_num_args().is_some_and(|values| values.takes_values());
    if option.get_id() == "help" {
        return "Print a summary.".to_string();
    }
    let mut text = sentence(&option.get_help().map(ToString::to_string).unwrap_or_default());
    let values: Vec<String> = option.get_possible_values().iter().map(|value| value.get_name().to_string()).collect();
    if takes_value && !values.is_empty() {
        text.push_str(&format!(" Values: {}.", values.join(", ")));
    }
    let default: Vec<String> =
        option.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    if takes_value && !default.is_empty() {
        text.push_str(&format!(" Default: {}.", default.join(",")));
    }
    text
}

/// Returns words of clap's as a sentence.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if words.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// Returns the examples of a command: what they do, and what is typed.
fn examples(command: &str) -> &'static [(&'static str, &'static str)] {
    match command {
        "fencehound" => &[
            ("Finds what is wrong with a test of a queue, in at most a minute.", "fencehound check queue.c"),
            ("Shows a finding again, event by event.", "fencehound replay fencehound-out/tso-1"),
            ("Puts the fences into the source that are missing on x86.", "fencehound fences queue.c --apply"),
        ],
        "check" => &[
            ("Checks a program of two files for ten minutes.", "fencehound check queue.c test.c --time 10m"),
            ("Checks a program that make builds.", "make CC=\"fencehound cc\" && fencehound check ./test"),
            ("Explores the executions of each machine, and those of C11.", "fencehound check queue.c --model all"),
            ("Looks for data races of C11.", "fencehound check queue.c --monitor race"),
            ("Writes what CI servers read, and shows the last line.", "fencehound check queue.c -q --junit queue.xml"),
        ],
        "fences" => &[("Shows what is missing on x86, as a patch.", "fencehound fences queue.c --model tso")],
        "relax" => &[("Finds orders that C11 and ARMv8 do not need.", "fencehound relax queue.c --model c11,armv8")],
        "replay" => &[("Opens gdb on a failing execution.", "fencehound replay fencehound-out/assertion-1 --gdb")],
        "monitor" => &[("Watches a recorded execution.", "fencehound monitor queue.log --monitor exact_tso")],
        "cc" => &[("Builds a library that has a configure script.", "CC=\"fencehound cc\" ./configure && make")],
        _ => &[],
    }
}
