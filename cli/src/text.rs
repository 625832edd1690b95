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

/// Returns names in a row: `C11, x86 (TSO) and ARMv8`.
pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_string(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// A number with two digits that say something: `310000`, `2.9 million`.
pub(crate) fn rounded(number: f64) -> String {
    if number < 100.0 {
        return format!("{number:.0}");
    }
    let unit = 10_f64.powf(number.log10().floor() - 1.0);
    let number = (number / unit).round() * unit;
    match number {
        ..1e6 => format!("{number:.0}"),
        1e6..1e9 => format!("{} million", number / 1e6),
        1e9..1e15 => format!("{} billion", (number / 1e8).round() / 10.0),
        _ => format!("{number:.0e}"),
    }
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
    use super::{reason, rounded};

    #[test]
    fn numbers_have_two_digits() {
        let cases = [(0.4, "0"), (7.0, "7"), (314.0, "310"), (123_456.0, "120000"), (2.94e6, "2.9 million")];
        for (number, text) in cases.into_iter().chain([(1.26e10, "13 billion"), (1.23e20, "1e20")]) {
            assert_eq!(rounded(number), text);
        }
    }

    #[test]
    fn reasons_have_no_numbers() {
        let error = std::fs::read("/no/such/file").unwrap_err();
        assert_eq!(reason(&error), "no such file or directory");
    }
}
