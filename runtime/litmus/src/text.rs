//! The text of a test as tokens, and the errors of a test that cannot be read.

use std::fmt;

use engine::graph::Value;

/// A place in the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextPosition {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The error that a test cannot be read, or needs something that is not supported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The place in the text.
    pub position: TextPosition,
    /// What is wrong, in lower case and without a full stop.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.position, self.message)
    }
}

/// Returns an error with this message at a place.
pub(super) fn error<T>(position: TextPosition, message: impl Into<String>) -> Result<T, Error> {
    Err(Error { position, message: message.into() })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Letters, digits, `_`, `.` and `%`, not starting with a digit.
    Name,
    /// A decimal or hexadecimal number without a sign.
    Number,
    /// Anything else: one character, or one of [`LONG`].
    Sign,
}

const LONG: [&str; 10] = ["/\\", "\\/", "=>", "<>", "==", "!=", "<=", ">=", "&&", "<<"];

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) position: TextPosition,
}

/// A text and where it starts in its file.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) start: TextPosition,
}

/// Returns the position after a text that starts at `at`.
pub(super) fn after(at: TextPosition, text: &str) -> TextPosition {
    text.chars().fold(at, |TextPosition { line, column }, character| match character {
        '\n' => TextPosition { line: line + 1, column: 1 },
        _ => TextPosition { line, column: column + 1 },
    })
}

/// Returns the length of the comment `(* … *)`, in which others may be nested, that starts the text; none if it has no end.
fn comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0, 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"(*" => (depth, at) = (depth + 1, at + 2),
            b"*)" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn token_at(text: &str) -> (Kind, usize) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.%".contains(c);
    let first = text.chars().next().expect("not at the end");
    let run = text.find(|c| !is_name(c)).unwrap_or(text.len());
    if first.is_ascii_digit() {
        let digits = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
        (Kind::Number, digits)
    } else if run > 0 {
        (Kind::Name, run)
    } else {
        let long = LONG.into_iter().find(|long| text.starts_with(long)).map(str::len);
        (Kind::Sign, long.unwrap_or(first.len_utf8()))
    }
}

/// The way in which comments are written. In C, `(*` may begin an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    /// Comments are `(* … *)`, in which others may be nested.
    Nested,
    /// Comments are `// …` and `/* … */`.
    OfC,
}

fn tokens(source: Source<'_>, comments: Comments) -> Result<Vec<Token<'_>>, Error> {
    let mut all = Vec::new();
    let (mut text, mut position) = (source.text, source.start);
    while let Some(first) = text.chars().next() {
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if comments == Comments::OfC && text.starts_with("//") {
            text.find('\n').unwrap_or(text.len())
        } else if comments == Comments::OfC && text.starts_with("/*") {
            match text.find("*/") {
                Some(length) => length + 2,
                None => return error(position, "this comment has no end"),
            }
        } else if comments == Comments::Nested && text.starts_with("(*") {
            match comment(text) {
                Some(length) => length,
                None => return error(position, "this comment has no end"),
            }
        } else {
            let (kind, length) = token_at(text);
            all.push(Token { kind, text: &text[..length], position });
            length
        };
        position = after(position, &text[..length]);
        text = &text[length..];
    }
    Ok(all)
}

/// Tokens, read from the first to the last.
#[derive(Clone)]
pub(super) struct Tokens<'a> {
    all: Vec<Token<'a>>,
    at: usize,
    end: TextPosition,
    /// The depth to which what is being read is nested.
    depth: u32,
}

/// The deepest nesting that is read: no person writes more, and reading it takes stack.
const DEEPEST: u32 = 100;

impl<'a> Tokens<'a> {
    pub(super) fn new(source: Source<'a>, comments: Comments) -> Result<Self, Error> {
        let end = after(source.start, source.text);
        Ok(Self { all: tokens(source, comments)?, at: 0, end, depth: 0 })
    }

    /// Makes a sequence of these tokens, which end at `end`.
    pub(super) fn of(all: Vec<Token<'a>>, end: TextPosition) -> Self {
        Self { all, at: 0, end, depth: 0 }
    }

    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.all.get(self.at).copied()
    }

    pub(super) fn peek_after(&self, count: usize) -> Option<Token<'a>> {
        self.all.get(self.at + count).copied()
    }

    /// Notes that what is read from here on is nested once more, until [`Self::leave`].
    pub(super) fn enter(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > DEEPEST {
            error(self.position(), format!("nested deeper than {DEEPEST} times"))
        } else {
            Ok(())
        }
    }

    pub(super) const fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Returns the position of the next token, or the end.
    pub(super) fn position(&self) -> TextPosition {
        self.peek().map_or(self.end, |token| token.position)
    }

    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek();
        self.at += usize::from(token.is_some());
        token
    }

    /// Takes the next token if it is this one.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.text == text);
        self.at += usize::from(found);
        found
    }

    pub(super) fn is_next(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.text == text)
    }

    pub(super) fn expect(&mut self, text: &str) -> Result<(), Error> {
        if self.take(text) { Ok(()) } else { self.unexpected(&format!("`{text}`")) }
    }

    /// Takes the next token if it is of this kind.
    pub(super) fn take_kind(&mut self, kind: Kind) -> Option<Token<'a>> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.at += 1;
        Some(token)
    }

    pub(super) fn name(&mut self, what: &str) -> Result<Token<'a>, Error> {
        self.take_kind(Kind::Name).map_or_else(|| self.unexpected(what), Ok)
    }

    /// Reads a number, perhaps with a sign.
    pub(super) fn number(&mut self) -> Result<Value, Error> {
        let negative = self.take("-");
        let Some(token) = self.take_kind(Kind::Number) else { return self.unexpected("a number") };
        let digits = token.text.trim_end_matches(['u', 'U', 'l', 'L']);
        let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        let value = magnitude.ok().map(|magnitude| if negative { -magnitude } else { magnitude });
        match value.and_then(|value| Value::try_from(value).ok()) {
            Some(value) => Ok(value),
            None => error(token.position, format!("`{}` is no number of 64 bits", token.text)),
        }
    }

    /// Returns the error that something else stands here than was wanted.
    pub(super) fn unexpected<T>(&self, wanted: &str) -> Result<T, Error> {
        let found = self.peek().map_or_else(|| "the end".to_owned(), |token| format!("`{}`", token.text));
        error(self.position(), format!("{wanted} is missing before {found}"))
    }

    pub(super) fn is_done(&self) -> bool {
        self.at == self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{Comments, Source, TextPosition, Tokens};

    fn texts(text: &str) -> Vec<&str> {
        let start = TextPosition { line: 1, column: 1 };
        let mut tokens = Tokens::new(Source { text, start }, Comments::Nested).unwrap();
        std::iter::from_fn(|| tokens.next()).map(|token| token.text).collect()
    }

    #[test]
    fn names_numbers_signs_and_comments() {
        assert_eq!(
            texts("stwcx. r1,0(%x0) (* a (* b *) c *) /\\ 0x1F<>$12"),
            ["stwcx.", "r1", ",", "0", "(", "%x0", ")", "/\\", "0x1F", "<>", "$", "12"]
        );
    }

    #[test]
    fn comments_of_c() {
        let source = Source { text: "(*x) // y\n/* z */ 1", start: TextPosition { line: 1, column: 1 } };
        let mut tokens = Tokens::new(source, Comments::OfC).unwrap();
        let texts: Vec<&str> = std::iter::from_fn(|| tokens.next()).map(|token| token.text).collect();
        assert_eq!(texts, ["(", "*", "x", ")", "1"]);
    }

    #[test]
    fn positions_count_lines_and_characters() {
        let source = Source { text: "ä\n  (* x", start: TextPosition { line: 7, column: 3 } };
        let error = Tokens::new(source, Comments::Nested).err().unwrap();
        assert_eq!(error.to_string(), "8:3: this comment has no end");
    }
}
