//! The parser of litmus tests: the head, the initial state, the program, the condition.

mod aarch64;
mod c;
mod columns;
mod condition;
mod exclusive;
mod names;
mod powerpc;
mod registers;
mod riscv;
mod widths;
mod x86;

use names::Names;

use crate::test::{Architecture, Test};
use crate::text::{Comments, Error, Kind, Source, TextPosition, Tokens, after, error};

/// Returns the architecture that a text names at its head, if it is one that tests can be for.
#[must_use]
pub fn architecture(text: &str) -> Option<Architecture> {
    let start = TextPosition { line: 1, column: 1 };
    head(text, start).ok().map(|(architecture, _)| architecture)
}

/// Reads a litmus test.
///
/// # Errors
/// If the text is no test, or has something that is not supported; the error says where, and what.
pub fn parse(text: &str) -> Result<Test, Error> {
    let start = TextPosition { line: 1, column: 1 };
    let (architecture, name) = head(text, start)?;
    let (initial, rest) = split(Source { text, start })?;
    let mut names = Names::new(architecture);
    let comments = if architecture == Architecture::C { Comments::OfC } else { Comments::Nested };
    initial_state(&mut Tokens::new(initial, comments)?, &mut names)?;
    let mut tokens = Tokens::new(rest, comments)?;
    while tokens.take(";") {}
    match architecture {
        Architecture::PowerPc => powerpc::program(&mut tokens, &mut names)?,
        Architecture::X86 => x86::program(&mut tokens, &mut names)?,
        Architecture::Aarch64 => aarch64::program(&mut tokens, &mut names)?,
        Architecture::Riscv => riscv::program(&mut tokens, &mut names)?,
        Architecture::C => c::program(&mut tokens, &mut names)?,
    }
    names.assert_complete()?;
    let condition = condition::parse(&mut tokens, &mut names)?;
    Ok(names.into_test(name, condition))
}

fn head(text: &str, position: TextPosition) -> Result<(Architecture, String), Error> {
    let mut words = text.lines().next().unwrap_or_default().split_whitespace();
    let architecture = match words.next() {
        Some("PPC") => Architecture::PowerPc,
        Some("X86" | "X86_64") => Architecture::X86,
        Some("AArch64") => Architecture::Aarch64,
        Some("RISCV") => Architecture::Riscv,
        Some("C") => Architecture::C,
        Some(other) => {
            let supported = "PPC, X86, AArch64, RISCV and C";
            return error(position, format!("tests for `{other}` are not supported; supported are {supported}"));
        }
        None => return error(position, "a litmus test starts with its architecture and its name"),
    };
    match words.next() {
        Some(name) => Ok((architecture, name.to_owned())),
        None => error(position, "the name of the test is missing behind its architecture"),
    }
}

/// Returns the text between the first brace that starts a line and its partner, and the text behind that.
fn split(source: Source<'_>) -> Result<(Source<'_>, Source<'_>), Error> {
    let mut offset = 0;
    let open = source.text.split_inclusive('\n').find_map(|line| {
        let blanks = line.len() - line.trim_start().len();
        let at = offset + blanks;
        offset += line.len();
        line.trim_start().starts_with('{').then_some(at)
    });
    let Some(open) = open else {
        return error(after(source.start, source.text), "the initial state in braces is missing");
    };
    let Some(length) = source.text[open..].find('}') else {
        return error(after(source.start, &source.text[..open]), "this brace is not closed");
    };
    let part = |from: usize, to: usize| Source {
        text: &source.text[from..to],
        start: after(source.start, &source.text[..from]),
    };
    let close = open + length;
    Ok((part(open + 1, close), part(close + 1, source.text.len())))
}

/// Reads the initial state, `0:r1=x; %x0=x; x=1; [x]=1; int x=1;`.
fn initial_state(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<(), Error> {
    loop {
        while tokens.take(";") {}
        if tokens.is_done() {
            return Ok(());
        }
        // A type says nothing here: all values are 64 bits wide.
        while tokens.peek().is_some_and(|token| token.kind == Kind::Name)
            && tokens.peek_after(1).is_some_and(|next| next.kind != Kind::Sign || next.text == "*")
        {
            tokens.next();
            while tokens.take("*") {}
        }
        initial_value(tokens, names)?;
        if !tokens.is_next(";") && !tokens.is_done() {
            return tokens.unexpected("`;`");
        }
    }
}

fn initial_value(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<(), Error> {
    if tokens.peek_after(1).is_some_and(|next| next.text == ":") {
        let thread = names.thread(tokens)?;
        tokens.expect(":")?;
        let register = tokens.name("a register")?;
        let name = names.register_name(register)?;
        let value = if tokens.take("=") { names.value(tokens)? } else { 0 };
        names.begin_register(Some(thread), name, value);
        return Ok(());
    }
    let bracket = tokens.take("[");
    let name = tokens.name("a location or a register")?;
    if bracket {
        tokens.expect("]")?;
    }
    if tokens.is_next("[") {
        return error(name.position, format!("`{}` is an array, which is not supported", name.text));
    }
    let value = if tokens.take("=") { names.value(tokens)? } else { 0 };
    if name.text.starts_with('%') {
        names.begin_register(None, name.text.to_owned(), value);
    } else {
        names.begin_location(name.text, value);
    }
    Ok(())
}
