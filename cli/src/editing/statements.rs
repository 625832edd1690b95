//! Where the statements of a C text begin and end.

use std::ops::Range;

use super::tokens::{Kind, Token, tokens};

/// The shape of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// An expression or a declaration, with its semicolon.
    Simple,
    /// A `return`, `break`, `continue` or `goto`: nothing behind it is come to.
    Jump,
    /// The statement stands before the body of an `if` or a `switch`, and includes its condition.
    Branch,
    /// The statement stands before, or behind, the body of a loop.
    Loop,
}

/// The surroundings of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Inside {
    /// Among others in braces.
    Block,
    /// The statement is the whole body of an `if`, an `else` or a loop, without braces.
    Body,
}

/// A statement, without the bodies that it has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Statement {
    /// Its bytes.
    pub(crate) at: Range<usize>,
    /// The byte behind its bodies.
    pub(crate) end: usize,
    pub(crate) shape: Shape,
    pub(crate) inside: Inside,
}

/// Returns the statements of all functions of a text; none if the text is not understood: it has braces that do not match, for
/// example, where it is not preprocessed yet.
pub(crate) fn statements(text: &str) -> Option<Vec<Statement>> {
    let tokens = tokens(text);
    let mut reader = Reader { text, tokens: &tokens, at: 0, found: Vec::new() };
    reader.file()?;
    Some(reader.found)
}

/// Returns the statement that has this byte.
pub(crate) fn enclosing(statements: &[Statement], byte: usize) -> Option<&Statement> {
    statements.iter().find(|statement| statement.at.contains(&byte))
}

struct Reader<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    found: Vec<Statement>,
}

impl<'t> Reader<'t> {
    fn token(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn word(&self) -> &'t str {
        let word = self.token().filter(|token| token.kind == Kind::Word);
        word.map_or("", |token| &self.text[token.at.clone()])
    }

    fn is(&self, sign: u8) -> bool {
        self.token().is_some_and(|token| token.is(sign))
    }

    /// Goes on behind this character, which must be next.
    fn pass(&mut self, sign: u8) -> Option<()> {
        self.is(sign).then(|| self.at += 1)
    }

    fn pass_directives(&mut self) {
        while self.token().is_some_and(|token| token.kind == Kind::Directive) {
            self.at += 1;
        }
    }

    /// Reads what is outside of functions. A brace behind a parenthesis begins the body of one; that of `extern "C"` is looked
    /// into.
    fn file(&mut self) -> Option<()> {
        let mut open = 0_usize;
        while let Some(token) = self.token() {
            let before = self.at.checked_sub(1).map(|before| &self.tokens[before]);
            match token.kind {
                Kind::Sign(b'{') if before.is_some_and(|before| before.is(b')')) => self.block()?,
                Kind::Sign(b'{') if before.is_some_and(|before| before.kind == Kind::Literal) => {
                    open += 1;
                    self.at += 1;
                }
                Kind::Sign(b'{' | b'(' | b'[') => self.brackets()?,
                Kind::Sign(b'}') if open > 0 => {
                    open -= 1;
                    self.at += 1;
                }
                Kind::Sign(b'}' | b')' | b']') => return None,
                _ => self.at += 1,
            }
        }
        (open == 0).then_some(())
    }

    /// Goes on behind the bracket that closes the one which is next.
    fn brackets(&mut self) -> Option<()> {
        let mut open = Vec::new();
        while let Some(token) = self.token() {
            self.at += 1;
            match token.kind {
                Kind::Sign(b'(') => open.push(b')'),
                Kind::Sign(b'[') => open.push(b']'),
                Kind::Sign(b'{') => open.push(b'}'),
                Kind::Sign(sign @ (b')' | b']' | b'}')) if open.pop() != Some(sign) => return None,
                // What stands there is not known before it is preprocessed.
                Kind::Directive => return None,
                _ => {}
            }
            if open.is_empty() {
                return Some(());
            }
        }
        None
    }

    fn block(&mut self) -> Option<()> {
        self.pass(b'{')?;
        loop {
            self.pass_directives();
            if self.is(b'}') {
                self.at += 1;
                return Some(());
            }
            self.statement(Inside::Block)?;
        }
    }

    fn take(&mut self, from: usize, shape: Shape, inside: Inside) {
        let at = self.tokens[from].at.start..self.tokens[self.at - 1].at.end;
        self.found.push(Statement { end: at.end, at, shape, inside });
    }

    /// Reads the body of the loop that was read last, which ends behind it.
    fn body_of_loop(&mut self) -> Option<()> {
        let number = self.found.len() - 1;
        self.body()?;
        self.found[number].end = self.tokens[self.at - 1].at.end;
        Some(())
    }

    /// Reads what stands before a body up to its closing parenthesis.
    fn header(&mut self, shape: Shape, inside: Inside) -> Option<()> {
        let from = self.at;
        self.at += 1;
        self.is(b'(').then_some(())?;
        self.brackets()?;
        self.take(from, shape, inside);
        Some(())
    }

    fn body(&mut self) -> Option<()> {
        self.pass_directives();
        if self.is(b'{') { self.block() } else { self.statement(Inside::Body) }
    }

    fn statement(&mut self, inside: Inside) -> Option<()> {
        self.token()?;
        match self.word() {
            "if" => {
                self.header(Shape::Branch, inside)?;
                self.body()?;
                self.pass_directives();
                if self.word() == "else" {
                    self.at += 1;
                    self.body()?;
                }
                Some(())
            }
            "switch" => {
                self.header(Shape::Branch, inside)?;
                self.body()
            }
            "while" | "for" => {
                self.header(Shape::Loop, inside)?;
                self.body_of_loop()
            }
            "do" => {
                self.at += 1;
                self.body()?;
                (self.word() == "while").then_some(())?;
                self.header(Shape::Loop, inside)?;
                self.pass(b';')?;
                let last = self.found.len() - 1;
                self.found[last].end = self.tokens[self.at - 1].at.end;
                Some(())
            }
            "case" | "default" => {
                while !self.is(b':') {
                    self.token().filter(|token| !token.is(b';') && !token.is(b'}'))?;
                    self.at += 1;
                }
                self.pass(b':')
            }
            "return" | "break" | "continue" | "goto" => self.simple(Shape::Jump, inside),
            _ if self.is(b'{') => self.block(),
            _ if self.tokens.get(self.at + 1).is_some_and(|token| token.is(b':')) && !self.word().is_empty() => {
                // A label.
                self.at += 2;
                Some(())
            }
            _ => self.simple(Shape::Simple, inside),
        }
    }

    /// Reads up to a semicolon. A name with parentheses and then a brace is a macro that makes a loop.
    fn simple(&mut self, shape: Shape, inside: Inside) -> Option<()> {
        let from = self.at;
        loop {
            match self.token()?.kind {
                Kind::Sign(b';') => {
                    self.at += 1;
                    self.take(from, shape, inside);
                    return Some(());
                }
                Kind::Sign(b'{') if self.at > from && self.tokens[self.at - 1].is(b')') => {
                    self.take(from, Shape::Loop, inside);
                    return self.body_of_loop();
                }
                Kind::Sign(b'(' | b'[' | b'{') => self.brackets()?,
                Kind::Sign(b')' | b']' | b'}') | Kind::Directive => return None,
                _ => self.at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Inside, Shape, statements};

    fn of(body: &str) -> Vec<(String, Shape, Inside)> {
        let text = format!("struct s {{ int a; }};\nstatic int f(int a)\n{{\n{body}\n}}\n");
        let all = statements(&text).unwrap_or_else(|| panic!("not understood: {body}"));
        all.into_iter().map(|one| (text[one.at].to_string(), one.shape, one.inside)).collect()
    }

    fn one(text: &str, shape: Shape, inside: Inside) -> (String, Shape, Inside) {
        (text.to_string(), shape, inside)
    }

    #[test]
    fn statements_of_each_shape() {
        use Inside::{Block, Body};
        use Shape::{Branch, Jump, Loop, Simple};
        assert_eq!(
            of("int x[] = { 1, 2 }; if (x[0]) y = 1; else { z(); return 3; }"),
            [
                one("int x[] = { 1, 2 };", Simple, Block),
                one("if (x[0])", Branch, Block),
                one("y = 1;", Simple, Body),
                one("z();", Simple, Block),
                one("return 3;", Jump, Block),
            ]
        );
        assert_eq!(
            of("again: while (a) ; do b++; while (c); for (;;) { break; } switch (d) { case 1: e(); default: ; }"),
            [
                one("while (a)", Loop, Block),
                one(";", Simple, Body),
                one("b++;", Simple, Body),
                one("while (c)", Loop, Block),
                one("for (;;)", Loop, Block),
                one("break;", Jump, Block),
                one("switch (d)", Branch, Block),
                one("e();", Simple, Block),
                one(";", Simple, Block),
            ]
        );
        assert_eq!(
            of("FOREACH(a, b) { c(); } if (a) b(); else if (c) d();"),
            [
                one("FOREACH(a, b)", Loop, Block),
                one("c();", Simple, Block),
                one("if (a)", Branch, Block),
                one("b();", Simple, Body),
                one("if (c)", Branch, Body),
                one("d();", Simple, Body),
            ]
        );
    }

    #[test]
    fn what_the_preprocessor_decides_is_not_understood() {
        for body in ["if (a) {\n#ifdef B\n}\n#else\nb(); }\n#endif\n}", "f(1,\n#ifdef B\n2);\n#else\n3);\n#endif"] {
            assert_eq!(statements(&format!("int f(int a) {{\n{body}\n}}\n")), None, "{body}");
        }
        let whole = "int f(int a) {\n#ifdef B\nb();\n#else\nc();\n#endif\n}\n";
        assert_eq!(statements(whole).map(|all| all.len()), Some(2));
    }
}
