//! Inline assembly as C writes it (`%0`, `%b0`, `%%rax`, `$5`) and as LLVM does (`$0`, `${0:b}`, `%rax`, `$$5`).

/// A template as LLVM writes it, of one as C has it.
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

/// A template as C has it, of one as LLVM writes it.
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

#[cfg(test)]
mod tests {
    use super::{as_c, as_llvm};

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
}
