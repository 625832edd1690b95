//! Parsing of the header's declarations: structs, enums, functions, and variables, which are skipped.

use crate::{Field, Header, Hook, Struct, Type};

/// Parses a preprocessed text that consists of declarations; the error names the one that was not understood.
pub(crate) fn header(text: &str) -> Result<Header, String> {
    let tokens = tokens(text);
    let mut header = Header::default();
    for declaration in declarations(&tokens) {
        add(declaration, &mut header).ok_or_else(|| format!("not understood: {}", declaration.join(" ")))?;
    }
    Ok(header)
}

/// Splits a text into words and signs.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) { rest.find(|letter| !is_word(letter)) } else { Some(first.len_utf8()) };
        let (token, after) = rest.split_at(end.unwrap_or(rest.len()));
        found.push(token);
        rest = after.trim_start();
    }
    found
}

/// Splits tokens into declarations, each without the semicolon at its end.
fn declarations<'a>(tokens: &'a [&'a str]) -> Vec<&'a [&'a str]> {
    let mut found = Vec::new();
    let (mut begin, mut depth) = (0, 0);
    for (index, &token) in tokens.iter().enumerate() {
        match token {
            "{" | "(" => depth += 1,
            "}" | ")" => depth -= 1,
            ";" if depth == 0 => {
                found.push(&tokens[begin..index]);
                begin = index + 1;
            }
            _ => {}
        }
    }
    found
}

/// Adds what a declaration declares to the header; returns `None` if it is not understood.
fn add(declaration: &[&str], header: &mut Header) -> Option<()> {
    match declaration {
        [] | ["extern", ..] => {}
        ["struct", name, "{", fields @ .., "}"] => {
            let fields = fields.split(|&token| token == ";").filter(|field| !field.is_empty());
            let fields: Option<Vec<Vec<Field>>> = fields.map(fields_of).collect();
            header.structs.push(Struct { name: (*name).to_owned(), fields: fields?.concat() });
        }
        ["enum", "{", numbers @ .., "}"] => {
            for number in numbers.split(|&token| token == ",").filter(|number| !number.is_empty()) {
                let [name, "=", value] = number else { return None };
                header.numbers.push(((*name).to_owned(), value.parse().ok()?));
            }
        }
        [before @ .., ")"] => {
            let open = before.iter().position(|&token| token == "(")?;
            let (name, result) = before[..open].split_last()?;
            let parameters: Option<Vec<Type>> = match &before[open + 1..] {
                ["void"] => Some(Vec::new()),
                parameters => parameters.split(|&token| token == ",").map(named_type).collect(),
            };
            header.hooks.push(Hook { name: (*name).to_owned(), result: type_of(result)?, parameters: parameters? });
        }
        _ => return None,
    }
    Some(())
}

/// Parses the fields that one line of a struct declares, such as `uint32_t one, others[8]`.
fn fields_of(line: &[&str]) -> Option<Vec<Field>> {
    let mut declarators = line.split(|&token| token == ",");
    let (first, elements) = without_brackets(declarators.next()?)?;
    let (name, kind) = first.split_last()?;
    let kind = type_of(kind)?;
    let mut fields = vec![Field { name: (*name).to_owned(), kind: kind.clone(), elements }];
    for declarator in declarators {
        let ([name], elements) = without_brackets(declarator)? else { return None };
        fields.push(Field { name: (*name).to_owned(), kind: kind.clone(), elements });
    }
    Some(fields)
}

/// Splits `[N]` off the end of a declarator and returns N, which is `None` if there is no such end.
fn without_brackets<'a>(declarator: &'a [&'a str]) -> Option<(&'a [&'a str], Option<u32>)> {
    match declarator {
        [before @ .., "[", elements, "]"] => Some((before, Some(elements.parse().ok()?))),
        _ => Some((declarator, None)),
    }
}

/// Returns the type of a parameter that has a name.
fn named_type(parameter: &[&str]) -> Option<Type> {
    type_of(parameter.split_last()?.1)
}

/// Returns the type that these words denote.
fn type_of(words: &[&str]) -> Option<Type> {
    let integer = |bytes, is_signed| Some(Type::Integer { bytes, is_signed });
    match words {
        [to @ .., "*"] => {
            let is_constant = to.first() == Some(&"const");
            let to = if is_constant { &to[1..] } else { to };
            Some(Type::Pointer { to: to.join(" "), is_constant })
        }
        ["void"] => Some(Type::Void),
        ["uint8_t"] => integer(1, false),
        ["uint16_t"] => integer(2, false),
        ["uint32_t"] => integer(4, false),
        ["uint64_t" | "size_t"] => integer(8, false),
        ["int"] => integer(4, true),
        ["struct", name] => Some(Type::Struct((*name).to_owned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Header, Type};

    const INTEGER: Type = Type::Integer { bytes: 4, is_signed: false };

    #[test]
    fn what_the_header_is_made_of_is_read() {
        let text = "# 1 \"/usr/include/stdint.h\" 1 3 4\ntypedef unsigned char uint8_t;\n# 20 \"a/fencehound_hooks.h\" 2\n\
            struct fh_loop { const char *name; uint32_t one, more[3]; };\nenum { FH_ONE = 0, FH_TWO = 2 };\n\
            void __fh_a(const struct fh_loop *loop, uint32_t words);\nextern uint8_t __fh_b;\nvoid *__fh_c(void);\n";
        let header = Header::parse(text).unwrap();
        assert_eq!(header.numbers, [("FH_ONE".to_owned(), 0), ("FH_TWO".to_owned(), 2)]);
        let fields = &header.find_struct("fh_loop").unwrap().fields;
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, ["name", "one", "more"]);
        assert_eq!((fields[2].kind.clone(), fields[2].elements), (INTEGER, Some(3)));
        let pointer = |to: &str, is_constant| Type::Pointer { to: to.to_owned(), is_constant };
        assert_eq!(header.hooks[0].parameters, [pointer("struct fh_loop", true), INTEGER]);
        assert_eq!((header.hooks[0].name.as_str(), &header.hooks[0].result), ("__fh_a", &Type::Void));
        assert_eq!((&header.hooks[1].parameters[..], &header.hooks[1].result), (&[][..], &pointer("void", false)));
    }

    #[test]
    fn what_is_not_understood_fails() {
        for text in ["int;", "void f(float x);", "enum { A };", "struct a { b };", "typedef int a;"] {
            assert!(Header::parse(text).is_err(), "{text}");
        }
    }
}
