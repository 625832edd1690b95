//! The clauses behind the program: the places that are observed, and the condition.

use crate::condition::{Condition, Observable, Proposition, Quantifier};
use crate::parse::names::Names;
use crate::text::{Error, Kind, Tokens, error};

/// Reads the clauses behind the program, `locations` and the condition, and returns the condition.
pub(super) fn parse(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<Condition, Error> {
    if tokens.take("locations") {
        locations(tokens, names)?;
    }
    if tokens.is_next("filter") {
        return error(tokens.position(), "the clause `filter` is not supported");
    }
    let mut text = ConditionText::default();
    let position = tokens.position();
    let quantifier = match tokens.next().map(|token| token.text) {
        Some("exists") => Some(Quantifier::Exists),
        Some("forall") => Some(Quantifier::Forall),
        Some("~") if tokens.take("exists") => Some(Quantifier::NotExists),
        Some("final") => None,
        _ => return error(position, "a condition is missing: exists, ~exists, forall or final"),
    };
    let proposition = implication(tokens, names, &mut text)?;
    let quantifier = match quantifier {
        Some(quantifier) => quantifier,
        None => final_quantifier(tokens)?,
    };
    let word = match quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    let words = text.0.trim();
    let text = if words.starts_with('(') { format!("{word} {words}") } else { format!("{word} ({words})") };
    rest(tokens)?;
    Ok(Condition { quantifier, proposition, text, position })
}

/// The text of a condition, as its tokens are added to it.
#[derive(Default)]
struct ConditionText(String);

impl ConditionText {
    fn add(&mut self, token: &str) {
        match token {
            "/\\" | "\\/" | "=>" => {
                self.0.push(' ');
                self.0.push_str(token);
                self.0.push(' ');
            }
            _ => self.0.push_str(token),
        }
    }
}

/// Reads `with tool: quantifier; … default: quantifier;` behind a `final` proposition, and returns the quantifier of `default`,
/// or else the first one.
fn final_quantifier(tokens: &mut Tokens<'_>) -> Result<Quantifier, Error> {
    tokens.take(";");
    tokens.expect("with")?;
    let mut chosen = None;
    while let Some(tool) = tokens.take_kind(Kind::Name) {
        tokens.expect(":")?;
        let negated = tokens.take("~");
        let word = tokens.name("exists or forall")?;
        let quantifier = match (negated, word.text) {
            (false, "exists") => Quantifier::Exists,
            (true, "exists") => Quantifier::NotExists,
            (false, "forall") => Quantifier::Forall,
            _ => return error(word.position, "exists, ~exists or forall is missing here"),
        };
        tokens.expect(";")?;
        if chosen.is_none() || tool.text == "default" {
            chosen = Some(quantifier);
        }
    }
    chosen.map_or_else(|| tokens.unexpected("a quantifier"), Ok)
}

/// Checks that nothing stands behind the condition but commands in `<< … >>`, which older tools read there.
fn rest(tokens: &mut Tokens<'_>) -> Result<(), Error> {
    while tokens.take(";") {}
    if tokens.is_done() || tokens.is_next("<<") { Ok(()) } else { tokens.unexpected("the end") }
}

fn locations(tokens: &mut Tokens<'_>, names: &mut Names) -> Result<(), Error> {
    tokens.expect("[")?;
    while !tokens.take("]") {
        place(tokens, names, &mut ConditionText::default())?;
        tokens.take("*");
        if !tokens.take(";") && !tokens.is_next("]") {
            return tokens.unexpected("`;`");
        }
    }
    tokens.take(";");
    Ok(())
}

fn implication(tokens: &mut Tokens<'_>, names: &mut Names, text: &mut ConditionText) -> Result<Proposition, Error> {
    let left = disjunction(tokens, names, text)?;
    if !tokens.take("=>") {
        return Ok(left);
    }
    text.add("=>");
    tokens.enter()?;
    let right = implication(tokens, names, text)?;
    tokens.leave();
    Ok(Proposition::Any(vec![Proposition::Not(Box::new(left)), right]))
}

fn disjunction(tokens: &mut Tokens<'_>, names: &mut Names, text: &mut ConditionText) -> Result<Proposition, Error> {
    let mut any = vec![conjunction(tokens, names, text)?];
    while tokens.take("\\/") {
        text.add("\\/");
        any.push(conjunction(tokens, names, text)?);
    }
    Ok(if any.len() == 1 { any.remove(0) } else { Proposition::Any(any) })
}

fn conjunction(tokens: &mut Tokens<'_>, names: &mut Names, text: &mut ConditionText) -> Result<Proposition, Error> {
    let mut all = vec![negation(tokens, names, text)?];
    while tokens.take("/\\") {
        text.add("/\\");
        all.push(negation(tokens, names, text)?);
    }
    Ok(if all.len() == 1 { all.remove(0) } else { Proposition::All(all) })
}

fn negation(tokens: &mut Tokens<'_>, names: &mut Names, text: &mut ConditionText) -> Result<Proposition, Error> {
    if tokens.take("~") || tokens.take("not") {
        text.add("~");
        tokens.enter()?;
        let inner = negation(tokens, names, text)?;
        tokens.leave();
        return Ok(Proposition::Not(Box::new(inner)));
    }
    if tokens.take("(") {
        text.add("(");
        tokens.enter()?;
        let inner = implication(tokens, names, text)?;
        tokens.leave();
        tokens.expect(")")?;
        text.add(")");
        return Ok(inner);
    }
    for (word, value) in [("true", Proposition::True), ("false", Proposition::Not(Box::new(Proposition::True)))] {
        if tokens.is_next(word) && tokens.peek_after(1).is_none_or(|next| next.text != "=") {
            tokens.next();
            text.add(word);
            return Ok(value);
        }
    }
    atom(tokens, names, text)
}

fn atom(tokens: &mut Tokens<'_>, names: &mut Names, text: &mut ConditionText) -> Result<Proposition, Error> {
    let left = place(tokens, names, text)?;
    let negated = match tokens.next().map(|token| token.text) {
        Some("=" | "==") => false,
        Some("<>" | "!=") => true,
        _ => return tokens.unexpected("`=` or `<>`"),
    };
    text.add(if negated { "<>" } else { "=" });
    let of_register = tokens.peek_after(1).is_some_and(|next| next.text == ":");
    let proposition = if of_register || tokens.is_next("[") || tokens.is_next("*") {
        Proposition::Same(left, place(tokens, names, text)?)
    } else {
        let token = tokens.peek();
        let value = names.value(tokens)?;
        text.add(&token.filter(|token| token.kind == Kind::Name).map_or(value.to_string(), |token| token.text.into()));
        Proposition::Is(left, value)
    };
    Ok(if negated { Proposition::Not(Box::new(proposition)) } else { proposition })
}

/// Reads a place, `0:r1`, `P0:r1`, `x`, `[x]` or `*x`, and returns it as an index of the observables.
fn place(tokens: &mut Tokens<'_>, names: &mut Names, text: &mut ConditionText) -> Result<usize, Error> {
    if tokens.peek_after(1).is_some_and(|next| next.text == ":") {
        let thread = names.thread(tokens)?;
        tokens.expect(":")?;
        let register = tokens.name("a register")?;
        text.add(&format!("{thread}:{}", register.text));
        return names.observe_register(thread, register);
    }
    let bracket = tokens.take("[");
    let star = tokens.take("*");
    let name = tokens.name("a location")?;
    if bracket {
        tokens.expect("]")?;
    }
    text.add(&if bracket || star { format!("[{}]", name.text) } else { name.text.to_owned() });
    let location = names.location(name.text);
    Ok(names.observe(Observable::Location(location)))
}
