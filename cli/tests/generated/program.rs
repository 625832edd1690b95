//! Programs as trees of C text, and files that hold many of them.
//!
//! `$` in the text stands for what tells the names of one program from those of another in the same file.

use std::collections::BTreeSet;
use std::fmt::Write;

/// A part of a function's body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    /// A line of C.
    Line(String),
    /// Lines around others.
    Block { open: String, body: Vec<Statement>, close: String },
}

/// A line of C.
pub(crate) fn line(text: impl Into<String>) -> Statement {
    Statement::Line(text.into())
}

/// Lines around others.
pub(crate) fn block(open: impl Into<String>, body: Vec<Statement>, close: impl Into<String>) -> Statement {
    Statement::Block { open: open.into(), body, close: close.into() }
}

/// Whether an execution of the program on the machine itself says something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Native {
    /// It does.
    Runs,
    /// What is shared is not all volatile or atomic, or the program does what cannot be run again and again.
    Differs,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Program {
    /// From which number it was generated.
    pub(crate) seed: u64,
    /// Variables, a line each, and functions that threads call; those that nobody names are left out.
    pub(crate) declarations: Vec<String>,
    /// What main does before it creates threads.
    pub(crate) setup: Vec<Statement>,
    /// What created threads do: those that main creates first.
    pub(crate) threads: Vec<Vec<Statement>>,
    /// So many of them does main create.
    pub(crate) created: usize,
    /// What main does when it has created them.
    pub(crate) main: Vec<Statement>,
    /// What main does when they are joined.
    pub(crate) end: Vec<Statement>,
    pub(crate) native: Native,
    /// Its outcomes under TSO, if they are known beforehand.
    pub(crate) known: Option<BTreeSet<String>>,
}

/// The names of local variables of threads, which are observed at their ends.
pub(crate) const REGISTERS: [&str; 4] = ["r0", "r1", "r2", "r3"];

const HEAD: &str = "\
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
";

/// What follows `HEAD` where the file is for the tool.
const CHECKED: &str = "\
#include <fencehound.h>
#define SHARED(program) static
";

/// How to tell the names of the program with this number in a file.
fn named(text: &str, number: usize) -> String {
    text.replace("SHARED ", &format!("SHARED({number}) ")).replace('$', &format!("_{number}"))
}

fn write_statements(text: &mut String, statements: &[Statement]) {
    for statement in statements {
        match statement {
            Statement::Line(line) => writeln!(text, "    {line}").expect("a string takes it"),
            Statement::Block { open, body, close } => {
                writeln!(text, "    {open}").expect("a string takes it");
                write_statements(text, body);
                writeln!(text, "    {close}").expect("a string takes it");
            }
        }
    }
}

fn body(statements: &[Statement]) -> String {
    let mut text = String::new();
    write_statements(&mut text, statements);
    text
}

/// Whether the text has this name as a whole word.
fn names(text: &str, name: &str) -> bool {
    let is_part = |character: Option<char>| character.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(name)
        .any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + name.len()..].chars().next()))
}

/// A function's registers, its body, and what it observes of them at its end.
fn function(signature: &str, before: &str, statements: &str, after: &str, result: &str) -> String {
    let used: Vec<&str> = REGISTERS.into_iter().filter(|name| names(statements, name)).collect();
    let declared: String = used.iter().map(|name| format!("    long {name} = 0;\n")).collect();
    let observed: String = used.iter().map(|name| format!("    fh_observe({name});\n")).collect();
    let label = if names(statements, "out") { "out:;\n" } else { "" };
    format!("{signature} {{\n{declared}{before}{statements}{label}{observed}{after}    return {result};\n}}\n")
}

impl Program {
    /// What the program is without its declarations.
    fn functions(&self) -> String {
        let mut text = String::new();
        for (index, statements) in self.threads.iter().enumerate().rev() {
            let signature = format!("static void *thread{index}$(void *argument)");
            text.push_str(&function(&signature, "    (void)argument;\n", &body(statements), "", "0"));
        }
        let create = |index| format!("    pthread_t t{index};\n    pthread_create(&t{index}, 0, thread{index}$, 0);\n");
        let join = |index| format!("    pthread_join(t{index}, 0);\n");
        let indices = 0..self.created.min(self.threads.len());
        let created: String = indices.clone().map(create).collect();
        let joined: String = indices.map(join).collect();
        let before = body(&self.setup) + &created;
        let after = joined + &body(&self.end);
        text.push_str(&function("static int main$(void)", &before, &body(&self.main), &after, "0"));
        text
    }

    /// All of it but `int main`, as a program with this number.
    fn render(&self, number: usize) -> String {
        let mut text = self.functions();
        for declaration in self.declarations.iter().rev() {
            let name = declared_name(declaration);
            if names(&text, name) {
                text = format!("{declaration}\n{text}");
            }
        }
        named(&text, number)
    }

    /// Whether the machine itself is asked about it: if it can be, and all of those of which it is known what comes out, in turns
    /// the others.
    pub(crate) fn runs_natively(&self) -> bool {
        self.native == Native::Runs && (self.known.is_some() || self.seed.is_multiple_of(NATIVE_TURN))
    }

    /// Whether threads go round in loops until others have done something.
    pub(crate) fn waits(&self) -> bool {
        fn is_loop(statement: &Statement) -> bool {
            let goes_round = |text: &str| ["while (", "for (;;)"].iter().any(|begin| text.contains(begin));
            match statement {
                Statement::Line(text) => goes_round(text),
                Statement::Block { open, body, .. } => goes_round(open) || body.iter().any(is_loop),
            }
        }
        self.threads.iter().chain([&self.main]).flatten().any(is_loop)
    }

    /// About how many interleavings it has: as if its threads and main did nothing but use what is shared, once for each time
    /// that they name it.
    pub(crate) fn interleavings(&self) -> f64 {
        fn events(statements: &[Statement]) -> u32 {
            let one = |statement: &Statement| match statement {
                Statement::Line(text) => rounds(text) * named(text),
                Statement::Block { open, body, close } => rounds(open) * (named(open) + events(body)) + named(close),
            };
            statements.iter().map(one).sum()
        }
        /// What a loop does in its rounds counts as often, and more often where it may go round for long.
        fn rounds(text: &str) -> u32 {
            let is_one_of = |loops: &[&str]| loops.iter().any(|begin| text.contains(begin));
            match (is_one_of(&["while (", "for (;;)"]), is_one_of(&["for ("])) {
                (true, _) => 4,
                (false, true) => 2,
                (false, false) => 1,
            }
        }
        fn named(text: &str) -> u32 {
            u32::try_from(text.matches('$').count()).expect("a line is short")
        }
        let lengths = self.threads.iter().chain([&self.main]).map(|thread| events(thread));
        let (mut total, mut all) = (0, 1.0);
        for one in lengths.flat_map(|length| 1..=length) {
            total += 1;
            all *= f64::from(total) / f64::from(one);
        }
        all
    }

    /// How many statements it has, whatever is in blocks counted as well.
    pub(crate) fn size(&self) -> usize {
        fn of(statements: &[Statement]) -> usize {
            let one = |statement: &Statement| match statement {
                Statement::Line(_) => 1,
                Statement::Block { body, .. } => 1 + of(body),
            };
            statements.iter().map(one).sum()
        }
        of(&self.setup) + of(&self.main) + of(&self.end) + self.threads.iter().map(|thread| of(thread)).sum::<usize>()
    }
}

/// The name that a declaration declares, with `$`: of a variable the last one before its value, of others the first one.
fn declared_name(declaration: &str) -> &str {
    let text = declaration.split(" = ").next().unwrap_or_default();
    let end = if text.starts_with("SHARED ") { text.rfind('$') } else { text.find('$') };
    let end = end.expect("declarations have names of their own");
    let begin = text[..end].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    &text[begin..=end]
}

fn switch(numbers: impl Iterator<Item = usize>, name: &str) -> String {
    let cases = numbers.map(|number| format!("    case {number}: return {name}_{number}();\n"));
    format!("    switch (number) {{\n{}    }}\n    return 2;\n", cases.collect::<String>())
}

/// One program of so many runs on the machine itself, which takes longer than all searches.
const NATIVE_TURN: u64 = 5;

/// What comes before a program in a file.
pub(crate) const SEPARATOR: &str = "/* seed ";

/// The word on the command line for the program with this number.
pub(crate) fn word(number: usize) -> String {
    let character = u8::try_from(number).ok().and_then(|number| b'0'.checked_add(number));
    char::from(character.expect("a file has few programs")).to_string()
}

/// Chooses one of the programs that the arguments name, and observes which.
const CHOOSE: &str = "
int main(int count, char **arguments) {
    int number = arguments[1 + fh_choose(count - 1)][0] - '0';
    fh_observe(number);
";

/// A variable so large that the others are put back write by write between executions, and not by copying all.
const LARGE: &str = "char large[100000];\n";

/// Whether a program is in a file with [`LARGE`]: every other forty are.
const fn is_with_large(program: &Program) -> bool {
    program.seed.wrapping_sub(1) % 80 < 40
}

/// A file with these programs, of which it runs one of those that its arguments name.
pub(crate) fn file(programs: &[Program]) -> String {
    let mut text = format!("{HEAD}{CHECKED}");
    if programs.first().is_some_and(is_with_large) {
        text.push_str(LARGE);
    }
    for (index, program) in programs.iter().enumerate() {
        write!(text, "\n{SEPARATOR}{} */\n{}", program.seed, program.render(index + 1)).expect("a string takes it");
    }
    text + CHOOSE + &switch(1..=programs.len(), "main") + "}\n"
}

/// A file with this program alone.
pub(crate) fn single(program: &Program) -> String {
    format!("{HEAD}{CHECKED}\n{}\nint main(void) {{ return main_1(); }}\n", program.render(1))
}

/// A file with those of these programs that run on the machine itself, which runs one of them again and again.
pub(crate) fn native_file(programs: &[Program]) -> String {
    let mut text = format!("{HEAD}{}", include_str!("native.h"));
    let run = || (1..).zip(programs).filter(|(_, program)| program.runs_natively());
    for (number, program) in run() {
        write!(text, "\n{SEPARATOR}{} */\nSHARED({number}) char begin_{number};\n", program.seed).expect("as above");
        text.push_str(&program.render(number));
        writeln!(text, "RUN({number}, {})", program.created).expect("as above");
    }
    write!(text, "\nint main(int count, char **arguments) {{\n    int number = parse(count, arguments);\n")
        .expect("as above");
    text + &switch(run().map(|(number, _)| number), "run") + "}\n"
}
