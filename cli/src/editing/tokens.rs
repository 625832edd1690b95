//! The tokens of a C text, without comments.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number, a string or a character.
    Literal,
    /// Any other character.
    Sign(u8),
    /// A whole line of the preprocessor, with those that continue it.
    Directive,
}

/// A token, and where it is in the text, in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) at: Range<usize>,
}

impl Token {
    /// Whether it is this character.
    pub(crate) fn is(&self, sign: u8) -> bool {
        self.kind == Kind::Sign(sign)
    }
}

/// Returns the tokens of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut begins_line) = (0, true);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        if rest.starts_with(b"//") {
            at += logical_line(rest);
        } else if rest.starts_with(b"/*") {
            at += 2 + rest[2..].windows(2).position(|two| two == b"*/").map_or(rest.len() - 2, |end| end + 2);
        } else if byte == b'\n' {
            begins_line = true;
            at += 1;
        } else if byte.is_ascii_whitespace() {
            at += 1;
        } else {
            let (kind, length) = match byte {
                b'#' if begins_line => (Kind::Directive, directive(rest)),
                b'"' | b'\'' => (Kind::Literal, quoted(rest)),
                b'0'..=b'9' => (Kind::Literal, count(rest, |byte| byte == b'.' || is_of_word(byte))),
                _ if is_of_word(byte) => (Kind::Word, count(rest, is_of_word)),
                sign => (Kind::Sign(sign), 1),
            };
            found.push(Token { kind, at: at..at + length });
            begins_line = false;
            at += length;
        }
    }
    found
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn count(bytes: &[u8], matches: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&byte| matches(byte)).count()
}

/// Returns how long a line is with those that continue it, without its end.
fn logical_line(bytes: &[u8]) -> usize {
    let mut before = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        if byte == b'\n' && before != b'\\' {
            return at;
        }
        if byte != b'\r' {
            before = byte;
        }
    }
    bytes.len()
}

/// Returns how long a line of the preprocessor is: a comment that begins there may go on behind it.
fn directive(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"/*") {
            at += 2 + rest[2..].windows(2).position(|two| two == b"*/").map_or(rest.len() - 2, |end| end + 2);
        } else if rest[0] == b'"' {
            at += quoted(rest);
        } else if rest.starts_with(b"\\\n") || rest.starts_with(b"\\\r\n") {
            at += 2 + usize::from(rest[1] == b'\r');
        } else if rest[0] == b'\n' {
            return at;
        } else {
            at += 1;
        }
    }
    bytes.len()
}

/// Returns how long a string or a character is that begins here; it ends with its line at the latest.
fn quoted(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            _ if byte == bytes[0] => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{Kind, tokens};

    fn words(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|token| &text[token.at]).collect()
    }

    #[test]
    fn comments_are_none_and_strings_are_whole() {
        let text = "x = 1; // y = \";\n/* z; */ s = \"a;\\\"{\" + '\\'' + 0x1f;\n";
        assert_eq!(words(text), ["x", "=", "1", ";", "s", "=", "\"a;\\\"{\"", "+", "'\\''", "+", "0x1f", ";"]);
    }

    #[test]
    fn a_line_of_the_preprocessor_is_one_token() {
        let text = "#define A(x) \\\n  do { x; } while (0) /* and\nmore */ + 1\n a # b";
        let found = tokens(text);
        assert_eq!(found[0].kind, Kind::Directive);
        assert!(text[found[0].at.clone()].ends_with("+ 1"));
        assert_eq!(words(text)[1..], ["a", "#", "b"]);
    }

    #[test]
    fn what_does_not_end_ends_with_the_text() {
        for text in ["\"abc", "/* abc", "'", "#define x \\", "\"\\", "// \\", "/*", "#"] {
            tokens(text);
        }
    }
}
