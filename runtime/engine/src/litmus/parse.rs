//! Reads a litmus test: the head, the initial state, the program, the condition.

use super::condition::{self, Observable};
use super::text::{Comments, Error, Kind, Position, Source, Token, Tokens, after, error};
use super::{Architecture, Code, Test, Value, address, c, powerpc, x86};
use crate::event::{Location, Thread};

/// Reads a test.
///
/// # Errors
/// If the text is no test, or has something that is not supported: where, and what.
pub fn parse(text: &str) -> Result<Test, Error> {
    let start = Position { line: 1, column: 1 };
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
        Architecture::C => c::program(&mut tokens, &mut names)?,
    }
    if names.threads.len() < names.mentioned {
        let message = format!("thread {} has no column in the program", names.mentioned - 1);
        return error(names.mentioned_at, message);
    }
    let condition = condition::parse(&mut tokens, &mut names)?;
    names.observe_all();
    let Names { locations, initial, threads, observables, .. } = names;
    Ok(Test { name, architecture, locations, initial, threads, condition, observables })
}

fn head(text: &str, position: Position) -> Result<(Architecture, String), Error> {
    let mut words = text.lines().next().unwrap_or_default().split_whitespace();
    let architecture = match words.next() {
        Some("PPC") => Architecture::PowerPc,
        Some("X86" | "X86_64") => Architecture::X86,
        Some("C") => Architecture::C,
        Some(other) => {
            return error(position, format!("tests for `{other}` are not supported; supported are PPC, X86 and C"));
        }
        None => return error(position, "a litmus test starts with its architecture and its name"),
    };
    match words.next() {
        Some(name) => Ok((architecture, name.to_owned())),
        None => error(position, "the name of the test is missing behind its architecture"),
    }
}

/// The text between the first brace that starts a line and its partner, and the text behind.
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

/// The threads, registers and locations that a test has named so far.
pub(super) struct Names {
    pub(super) architecture: Architecture,
    locations: Vec<String>,
    initial: Vec<Value>,
    pub(super) threads: Vec<Code>,
    observables: Vec<Observable>,
    /// One more than the highest thread with an initial register, and where that is.
    mentioned: usize,
    mentioned_at: Position,
    /// Initial values, by thread where one is named: `0:r1=x`, `%x0=x`.
    registers: Vec<(Option<usize>, String, Value)>,
}

impl Names {
    fn new(architecture: Architecture) -> Self {
        Self {
            architecture,
            locations: Vec::new(),
            initial: Vec::new(),
            threads: Vec::new(),
            observables: Vec::new(),
            mentioned: 0,
            mentioned_at: Position { line: 1, column: 1 },
            registers: Vec::new(),
        }
    }

    /// The location with this name.
    pub(super) fn location(&mut self, name: &str) -> Location {
        let index = self.locations.iter().position(|known| known == name).unwrap_or_else(|| {
            self.locations.push(name.to_owned());
            self.initial.push(0);
            self.locations.len() - 1
        });
        Location(u32::try_from(index).expect("fewer than 2^32 locations"))
    }

    /// A value in an initial state or a condition: a number, or the address of a location.
    pub(super) fn value(&mut self, tokens: &mut Tokens<'_>) -> Result<Value, Error> {
        tokens.take("&");
        match tokens.take_kind(Kind::Name) {
            Some(name) => Ok(address(self.location(name.text))),
            None => tokens.number(),
        }
    }

    /// `0` or `P0`.
    pub(super) fn thread(&mut self, tokens: &mut Tokens<'_>) -> Result<usize, Error> {
        let token = tokens.next().expect("the caller has seen what follows");
        match token.text.strip_prefix('P').unwrap_or(token.text).parse() {
            Ok(thread) if thread < Thread::LIMIT => {
                if self.mentioned <= thread {
                    (self.mentioned, self.mentioned_at) = (thread + 1, token.position);
                }
                Ok(thread)
            }
            _ => error(token.position, format!("`{}` is no thread", token.text)),
        }
    }

    /// The code of a new thread, which has the initial registers that were given to it.
    pub(super) fn new_thread(&mut self) -> Code {
        let mut code = Code::default();
        let thread = self.threads.len();
        for (of, name, value) in &self.registers {
            if of.is_none_or(|of| of == thread) {
                let register = code.register(name);
                code.registers[register.index()].initial = *value;
            }
        }
        code
    }

    pub(super) fn observe(&mut self, observable: Observable) -> usize {
        self.observables.iter().position(|known| *known == observable).unwrap_or_else(|| {
            self.observables.push(observable);
            self.observables.len() - 1
        })
    }

    pub(super) fn observe_register(&mut self, thread: usize, register: Token<'_>) -> Result<usize, Error> {
        let name = self.register_name(register)?;
        let Some(code) = self.threads.get_mut(thread) else {
            return error(register.position, format!("there is no thread {thread}"));
        };
        let register = code.register(&name);
        Ok(self.observe(Observable::Register(thread, register)))
    }

    /// The name that a register goes by, or that it is none.
    pub(super) fn register_name(&self, token: Token<'_>) -> Result<String, Error> {
        let name = match self.architecture {
            Architecture::PowerPc => powerpc::register(token.text),
            Architecture::X86 => x86::register(token.text),
            Architecture::C => Some(token.text.to_owned()),
        };
        name.map_or_else(|| error(token.position, format!("`{}` is no register", token.text)), Ok)
    }

    fn observe_all(&mut self) {
        let mut all = Vec::new();
        for (thread, code) in self.threads.iter().enumerate() {
            let loaded = code.registers.iter().enumerate().filter(|(_, register)| register.loaded);
            all.extend(loaded.map(|(index, _)| {
                Observable::Register(thread, super::Register(u16::try_from(index).expect("fewer than 65536 registers")))
            }));
        }
        all.extend(
            (0..self.locations.len())
                .map(|index| Observable::Location(Location(u32::try_from(index).expect("fewer than 2^32 locations")))),
        );
        for observable in all {
            self.observe(observable);
        }
    }
}

/// `0:r1=x; %x0=x; x=1; [x]=1; int x=1;`
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
        names.registers.push((Some(thread), name, value));
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
        names.registers.push((None, name.text.to_owned(), value));
    } else {
        let location = names.location(name.text);
        names.initial[location.index()] = value;
    }
    Ok(())
}
