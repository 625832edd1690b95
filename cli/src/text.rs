//! Words for people, which any message or report may contain.

/// Returns a text without the characters that would steer the terminal, or the direction of writing.
pub(crate) fn printable(text: &str) -> String {
    let steers = |c: char| {
        c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if steers(c) { '\u{b7}' } else { c }).collect()
}

/// Returns a number with its noun: `1 execution`, `2 executions`.
pub(crate) fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// Returns the reason why an operation of the system failed, without the system's number for it: `no such file or directory`.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn reasons_have_no_numbers() {
        let error = std::fs::read("/no/such/file").unwrap_err();
        assert_eq!(reason(&error), "no such file or directory");
    }
}
