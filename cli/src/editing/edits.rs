//! Changes of a C text: a fence put in behind or in front of a statement, the order of an atomic access replaced.
//!
//! A change that is not safe is refused, with the reason in words that go on from `no text for it: it is`.

use std::ops::Range;

use super::statements::{Inside, Shape, Statement, enclosing, statements};
use super::tokens::{Kind, Token, tokens};

/// A part of a text, and what takes its place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Change {
    begin: usize,
    end: usize,
    text: String,
}

impl Change {
    fn insert(at: usize, text: String) -> Change {
        Change { begin: at, end: at, text }
    }
}

/// A text with its statements.
pub(crate) struct Editor<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// The statements of the text; none if it is not understood.
    statements: Option<Vec<Statement>>,
}

impl<'t> Editor<'t> {
    pub(crate) fn new(text: &'t str) -> Editor<'t> {
        Editor { text, tokens: tokens(text), statements: statements(text) }
    }

    /// Returns the offset of the byte at a line and a column, both from 1.
    pub(crate) fn byte(&self, line: u32, column: u32) -> Option<usize> {
        let line = usize::try_from(line).ok()?.checked_sub(1)?;
        let column = usize::try_from(column).ok()?.checked_sub(1)?;
        let begin = if line == 0 { 0 } else { self.text.match_indices('\n').nth(line - 1)?.0 + 1 };
        let length = self.text[begin..].find('\n').unwrap_or(self.text.len() - begin);
        (column < length).then_some(begin + column)
    }

    /// Returns the statement that has this byte.
    fn statement(&self, byte: usize) -> Result<&Statement, String> {
        let all = self.statements.as_ref().ok_or("in a file whose braces the preprocessor decides")?;
        enclosing(all, byte).ok_or_else(|| "in no statement".to_string())
    }

    /// Whether both bytes are in one statement.
    pub(crate) fn are_together(&self, one: usize, other: usize) -> bool {
        self.statement(one).is_ok_and(|statement| statement.at.contains(&other))
    }

    /// Returns the name for a place within a statement.
    pub(crate) fn inside_of(&self, byte: usize) -> String {
        match self.macro_at(byte) {
            Some(name) => format!("inside the macro {name}"),
            None => "inside an expression".to_string(),
        }
    }

    /// Returns the macro of the file that stands at this byte.
    fn macro_at(&self, byte: usize) -> Option<&'t str> {
        let at = self.tokens.iter().find(|token| token.at.contains(&byte))?.at.clone();
        let name = &self.text[at];
        let is_definition = |token: &&Token| {
            let line = self.text[token.at.clone()].trim_start_matches('#').trim_start();
            let name_of = line.strip_prefix("define").map(str::trim_start).unwrap_or_default();
            name_of.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        self.tokens
            .iter()
            .filter(|token| token.kind == Kind::Directive)
            .any(|token| is_definition(&token))
            .then_some(name)
    }

    /// Puts a fence behind the statement that has this byte: where that is the condition of a loop, and what comes next is not
    /// in the loop, behind the loop.
    pub(crate) fn fence_after(&self, byte: usize, next: Option<usize>, fence: &str) -> Result<Vec<Change>, String> {
        let Statement { at, shape, inside, end } = self.statement(byte)?;
        let whole = at.start..*end;
        match (shape, inside) {
            (Shape::Simple, Inside::Body) => Ok(braced(at, "", &format!(" {fence};"))),
            (Shape::Simple, Inside::Block) => Ok(vec![self.behind(at, fence)]),
            (Shape::Loop, Inside::Block) if next.is_some_and(|next| !whole.contains(&next)) => {
                Ok(vec![self.behind(&whole, fence)])
            }
            (Shape::Jump, _) => Err("behind a jump".to_string()),
            (Shape::Branch | Shape::Loop, _) => Err("inside a condition".to_string()),
        }
    }

    /// Puts a fence in front of the statement that has this byte.
    pub(crate) fn fence_before(&self, byte: usize, fence: &str) -> Result<Vec<Change>, String> {
        let Statement { at, shape, inside, .. } = self.statement(byte)?;
        match (shape, inside) {
            (Shape::Simple | Shape::Jump, Inside::Body) => Ok(braced(at, &format!("{fence}; "), "")),
            (Shape::Simple | Shape::Jump | Shape::Branch, Inside::Block) => Ok(vec![self.in_front(at, fence)]),
            (Shape::Branch, Inside::Body) => Err("behind an else".to_string()),
            (Shape::Loop, _) => Err("inside the condition of a loop".to_string()),
        }
    }

    /// Returns the blanks with which the line begins on which this byte is, if nothing else comes before it.
    fn indentation(&self, byte: usize) -> Option<&'t str> {
        let begin = self.text[..byte].rfind('\n').map_or(0, |end| end + 1);
        let before = &self.text[begin..byte];
        before.trim().is_empty().then_some(before)
    }

    /// Returns the end of a line, as this text writes it.
    fn end_of_line(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    fn behind(&self, at: &Range<usize>, fence: &str) -> Change {
        let length = self.text[at.end..].find('\n').unwrap_or(self.text.len() - at.end);
        let rest = self.text[at.end..at.end + length].trim();
        let is_comment = (rest.starts_with("//") && !rest.ends_with('\\'))
            || (rest.starts_with("/*") && rest.find("*/") == rest.len().checked_sub(2));
        match self.indentation(at.start) {
            Some(blanks) if rest.is_empty() || is_comment => {
                let end = self.text[..at.end + length].trim_end_matches('\r').len();
                Change::insert(end, format!("{}{blanks}{fence};", self.end_of_line()))
            }
            _ => Change::insert(at.end, format!(" {fence};")),
        }
    }

    fn in_front(&self, at: &Range<usize>, fence: &str) -> Change {
        match self.indentation(at.start) {
            Some(blanks) => Change::insert(at.start - blanks.len(), format!("{blanks}{fence};{}", self.end_of_line())),
            None => Change::insert(at.start, format!("{fence}; ")),
        }
    }

    /// Replaces the order of the atomic access of this kind (`load`, `store`, …) that is called at this byte.
    pub(crate) fn order(&self, byte: usize, kind: &str, order: &str) -> Result<Vec<Change>, String> {
        let other = || match self.macro_at(byte) {
            Some(name) => format!("inside the macro {name}"),
            None => "not written as an order that can be replaced".to_string(),
        };
        let first = self.tokens.iter().position(|token| token.at.start == byte).ok_or_else(other)?;
        let name = &self.text[self.tokens[first].at.clone()];
        let is_known =
            name.starts_with("atomic_") || name.starts_with("__atomic_") || name.starts_with("__c11_atomic_");
        let arguments = self.arguments(first + 1).filter(|_| is_known && name.contains(kind)).ok_or_else(other)?;
        // That of a failure comes last.
        let from_end = if name.contains("compare_exchange") { 2 } else { 1 };
        let argument = arguments.len().checked_sub(from_end).map(|index| arguments[index].clone()).ok_or_else(other)?;
        let [token] = &self.tokens[argument] else { return Err(other()) };
        let written = &self.text[token.at.clone()];
        let text = if written.starts_with("memory_order_") {
            format!("memory_order_{order}")
        } else if written.starts_with("__ATOMIC_") {
            format!("__ATOMIC_{}", order.to_uppercase())
        } else {
            return Err(other());
        };
        Ok(vec![Change { begin: token.at.start, end: token.at.end, text }])
    }

    /// Returns the tokens of each argument of a call whose parenthesis is the token with this number.
    fn arguments(&self, open: usize) -> Option<Vec<Range<usize>>> {
        self.tokens.get(open).filter(|token| token.is(b'('))?;
        let (mut depth, mut from, mut all) = (0, open + 1, Vec::new());
        for (number, token) in self.tokens.iter().enumerate().skip(open + 1) {
            match token.kind {
                Kind::Sign(b'(' | b'[' | b'{') => depth += 1,
                Kind::Sign(b')') if depth == 0 => {
                    all.push(from..number);
                    return Some(all);
                }
                Kind::Sign(b')' | b']' | b'}') => depth -= 1,
                Kind::Sign(b',') if depth == 0 => {
                    all.push(from..number);
                    from = number + 1;
                }
                Kind::Sign(b';') | Kind::Directive => return None,
                _ => {}
            }
        }
        None
    }
}

/// Gives a statement braces, with something in front of it and something behind.
fn braced(at: &Range<usize>, before: &str, behind: &str) -> Vec<Change> {
    vec![Change::insert(at.start, format!("{{ {before}")), Change::insert(at.end, format!("{behind} }}"))]
}

/// Returns the text with all these changes, each made once even if it is given twice; none if some overlap.
pub(crate) fn changed(text: &str, changes: &[Change]) -> Option<String> {
    let mut changes = changes.to_vec();
    changes.sort();
    changes.dedup();
    let mut new = String::with_capacity(text.len());
    let mut from = 0;
    for change in changes {
        new.push_str(text.get(from..change.begin)?);
        new.push_str(&change.text);
        from = change.end;
    }
    new.push_str(text.get(from..)?);
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::{Editor, changed};

    /// Returns the body of a function with a fence behind, or in front of, the statement with `@`.
    fn fenced(body: &str, is_behind: bool) -> Result<String, String> {
        let text = format!("int f(void) {{\n{body}\n}}\n");
        let byte = text.find('@').unwrap();
        let text = text.replace('@', "");
        let editor = Editor::new(&text);
        let changes = if is_behind {
            editor.fence_after(byte, text.find("next"), "F()")
        } else {
            editor.fence_before(byte, "F()")
        }?;
        let new = changed(&text, &changes).unwrap();
        assert!(Editor::new(&new).statements.is_some(), "{new}");
        Ok(new.trim_start_matches("int f(void) {\n").trim_end_matches("\n}\n").to_string())
    }

    #[test]
    fn fences_stand_on_lines_of_their_own() {
        assert_eq!(fenced("    x @= 1;\n    y = 2;", true).unwrap(), "    x = 1;\n    F();\n    y = 2;");
        assert_eq!(fenced("\tx @= 1; // one\n\ty = 2;", true).unwrap(), "\tx = 1; // one\n\tF();\n\ty = 2;");
        assert_eq!(fenced("\tx @= 1;\r\n\ty = 2;", true).unwrap(), "\tx = 1;\r\n\tF();\r\n\ty = 2;");
        assert_eq!(fenced("  x =\n    @1;\n  y = 2;", true).unwrap(), "  x =\n    1;\n  F();\n  y = 2;");
        assert_eq!(fenced("  x = 1;\n  return @y;", false).unwrap(), "  x = 1;\n  F();\n  return y;");
        assert_eq!(fenced("  if (@y) {\n  }", false).unwrap(), "  F();\n  if (y) {\n  }");
    }

    #[test]
    fn fences_stand_within_a_line_where_they_must() {
        assert_eq!(fenced("x @= 1; y = 2;", true).unwrap(), "x = 1; F(); y = 2;");
        assert_eq!(fenced("x @= 1; /* and\nmore */ y = 2;", true).unwrap(), "x = 1; F(); /* and\nmore */ y = 2;");
        assert_eq!(fenced("x = 1; y @= 2;", false).unwrap(), "x = 1; F(); y = 2;");
    }

    #[test]
    fn behind_the_condition_of_a_loop_is_behind_the_loop() {
        assert_eq!(fenced("  while (@x)\n    ;\n  next();", true).unwrap(), "  while (x)\n    ;\n  F();\n  next();");
        assert_eq!(
            fenced("  do { a(); } while (@x);\n  next();", true).unwrap(),
            "  do { a(); } while (x); F();\n  next();"
        );
        assert!(fenced("  while (@x) next();", true).unwrap_err().contains("condition"));
    }

    #[test]
    fn a_body_without_braces_gets_some() {
        assert_eq!(fenced("if (a)\n  x @= 1;\nelse\n  b();", true).unwrap(), "if (a)\n  { x = 1; F(); }\nelse\n  b();");
        assert_eq!(fenced("while (a) @b();", false).unwrap(), "while (a) { F(); b(); }");
        assert_eq!(fenced("if (a) return @x;", false).unwrap(), "if (a) { F(); return x; }");
    }

    #[test]
    fn what_is_not_safe_is_refused() {
        assert!(fenced("while (@x) ;", true).unwrap_err().contains("condition"));
        assert!(fenced("while (@x) ;", false).unwrap_err().contains("condition of a loop"));
        assert!(fenced("if (a) b(); else if (@x) c();", false).unwrap_err().contains("else"));
        assert!(fenced("return @x;", true).unwrap_err().contains("jump"));
        assert!(fenced("f(1,\n#ifdef A\n@x);\n#else\n2);\n#endif", true).unwrap_err().contains("preprocessor"));
    }

    fn ordered(text: &str, kind: &str, order: &str) -> Result<String, String> {
        let byte = text.find('@').unwrap();
        let text = text.replace('@', "");
        Ok(changed(&text, &Editor::new(&text).order(byte, kind, order)?).unwrap())
    }

    #[test]
    fn orders_are_replaced_in_place() {
        let store = "  @atomic_store_explicit(&a[f(1, 2)], 3, memory_order_relaxed);";
        assert_eq!(ordered(store, "store", "seq_cst").unwrap(), store.replace("relaxed", "seq_cst").replace('@', ""));
        let gnu = "r = @__atomic_load_n(&x, __ATOMIC_RELAXED);";
        assert_eq!(ordered(gnu, "load", "acquire").unwrap(), "r = __atomic_load_n(&x, __ATOMIC_ACQUIRE);");
        let swap = "@atomic_compare_exchange_strong_explicit(&x, &y, 1, memory_order_relaxed, memory_order_relaxed)";
        let new = swap.replacen("relaxed", "acq_rel", 1).replace('@', "");
        assert_eq!(ordered(swap, "exchange", "acq_rel").unwrap(), new);
        let own = "#define ST(x) atomic_store_explicit(&x, 1, memory_order_relaxed)\n@ST(y);";
        assert_eq!(ordered(own, "store", "release").unwrap_err(), "inside the macro ST");
        assert!(ordered("@atomic_store_explicit(&x, 1, ORDER);", "store", "release").is_err());
        assert!(ordered("@atomic_store(&x, 1);", "store", "release").is_err());
        assert!(ordered("x @= 1;", "store", "release").is_err());
    }

    #[test]
    fn lines_and_columns_are_bytes() {
        let editor = Editor::new("ab\ncd\n");
        assert_eq!(
            [editor.byte(1, 1), editor.byte(2, 2), editor.byte(2, 3), editor.byte(3, 1)],
            [Some(0), Some(4), None, None]
        );
    }
}
