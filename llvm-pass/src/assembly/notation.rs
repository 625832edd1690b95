//! Inline assembly as C writes it (`%0`, `%b0`, `%%rax`, `$5`) and as LLVM does (`$0`, `${0:b}`, `%rax`, `$$5`).

/// Returns a template in LLVM's notation, given in C's.
pub(crate) fn as_llvm(text: &str) -> String {
    let mut result = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '$' => result += "$$",
            '%' if letters.next_if_eq(&'%').is_some() => result.push('%'),
            '%' if letters.next_if_eq(&'=').is_some() => result += "${:uid}",
            '%' => {
                let modifier = letters.next_if(char::is_ascii_alphabetic);
                let mut digits = String::new();
                while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                    digits.push(digit);
                }
                match modifier {
                    Some(modifier) => result += &format!("${{{digits}:{modifier}}}"),
                    None => result += &format!("${digits}"),
                }
            }
            other => result.push(other),
        }
    }
    result
}

/// Returns a template in C's notation, given in LLVM's.
pub(crate) fn as_c(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(place) = rest.find(['$', '%']) {
        result += &rest[..place];
        let (letter, after) = rest[place..].split_at(1);
        rest = after;
        if letter == "%" {
            result += "%%";
        } else if let Some(after) = rest.strip_prefix('$') {
            result.push('$');
            rest = after;
        } else if let Some((inner, after)) = rest.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            let (number, modifier) = inner.split_once(':').unwrap_or((inner, ""));
            result += &if modifier == "uid" { "%=".to_owned() } else { format!("%{modifier}{number}") };
            rest = after;
        } else {
            result.push('%');
        }
    }
    result + rest
}

/// Returns a template on one line, in C's notation, as a line of a file of templates may begin with it.
pub(crate) fn as_written(text: &str) -> String {
    as_c(&statements(text).join("; "))
}

/// Returns the statements of a template in lower case, with single blanks and without comments; prefixes stand before what they
/// belong to.
pub(crate) fn statements(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        plain += before;
        plain.push(' ');
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    plain += rest;
    let lines = plain.lines().map(without_comment);
    let mut found: Vec<String> = Vec::new();
    let mut prefix = String::new();
    for statement in lines.flat_map(|line| line.split(';')) {
        let words: Vec<String> = statement.split_whitespace().map(str::to_lowercase).collect();
        match words.join(" ").as_str() {
            "" => {}
            alone @ ("lock" | "rep") => prefix = format!("{alone} "),
            // Assemblers take `% rax` for `%rax`.
            statement => found.push(std::mem::take(&mut prefix) + &statement.replace("% ", "%").replace("$$ ", "$$")),
        }
    }
    if !prefix.is_empty() {
        found.push(prefix.trim_end().to_owned());
    }
    found
}

/// Returns a line without the comment at its end. Behind a comma, or the name of a barrier of ARM, `#` begins a number instead.
fn without_comment(line: &str) -> &str {
    let is_number = |place: usize| {
        let before = line[..place].trim();
        before.ends_with(',') || ["dmb", "dsb", "isb"].contains(&before.to_lowercase().as_str())
    };
    let comment = line.match_indices('#').find(|&(place, _)| !is_number(place));
    comment.map_or(line, |(place, _)| &line[..place])
}

#[cfg(test)]
mod tests {
    use super::{as_c, as_llvm, as_written, statements};

    #[test]
    fn each_notation_becomes_the_other() {
        for (c, llvm) in [
            ("lock; addl $0, 0(%%rsp); movb %b1, %0", "lock; addl $$0, 0(%rsp); movb ${1:b}, $0"),
            ("movq %%rax, %12", "movq %rax, $12"),
            ("1.%=: jmp 1.%=", "1.${:uid}: jmp 1.${:uid}"),
            ("call %P0; lea %a1, %2", "call ${0:P}; lea ${1:a}, $2"),
            ("movl $-1, %k0 # 100%%", "movl $$-1, ${0:k} # 100%"),
            ("", ""),
        ] {
            assert_eq!(as_llvm(c), llvm);
            assert_eq!(as_c(llvm), c);
        }
    }

    #[test]
    fn what_is_not_understood_is_shown_as_the_file_of_templates_wants_it() {
        assert_eq!(as_written("movq %rax,\t${1:q}\n\tfrob $$4, $3 # x"), "movq %%rax, %q1; frob $4, %3");
    }

    #[test]
    fn statements_are_told_apart_however_they_are_spelled() {
        for text in
            ["lock; incl $0; sete $1", "lock\n\tincl   $0\n\tsete $1\n", " LOCK incl $0;/* flags */ sete $1 # z"]
        {
            assert_eq!(statements(text), ["lock incl $0", "sete $1"], "{text}");
        }
        assert_eq!(statements("rep; nop"), ["rep nop"]);
        assert_eq!(statements("lock"), ["lock"]);
        assert_eq!(statements("mov % rax, $2; lock addl $$ 0, 0(% rsp)"), ["mov %rax, $2", "lock addl $$0, 0(%rsp)"]);
        assert_eq!(statements("nop # 9\ndmb #9\nadd $0, $0, #1 # more"), ["nop", "dmb #9", "add $0, $0, #1"]);
        assert!(statements(" \n ; /* nothing */").is_empty());
    }
}
