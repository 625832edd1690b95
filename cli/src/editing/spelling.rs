//! How a file writes its fences.

use super::tokens::{Kind, tokens};

/// The text that is written for a fence, without a semicolon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Spelling {
    /// The text for a full fence.
    pub(crate) full: String,
    /// The text for a fence that is not full.
    pub(crate) light: String,
}

/// The name of the order of a fence that is not full: `release` or `acq_rel`.
pub(crate) type LightOrder = &'static str;

/// Returns how this file writes fences: by a macro of its own that is nothing but one, as those that it has, or as its other
/// atomic accesses let expect.
pub(crate) fn spelling(text: &str, light: LightOrder) -> Spelling {
    let words: Vec<&str> =
        tokens(text).into_iter().filter(|token| token.kind == Kind::Word).map(|token| &text[token.at]).collect();
    let has = |prefixes: &[&str]| words.iter().any(|word| prefixes.iter().any(|prefix| word.starts_with(prefix)));
    let c11 = ("atomic_thread_fence(memory_order_", ")", "seq_cst", light);
    let gnu_light = light.to_uppercase();
    let gnu = ("__atomic_thread_fence(__ATOMIC_", ")", "SEQ_CST", gnu_light.as_str());
    let is_c11 = has(&["atomic_thread_fence"]);
    let is_sync = has(&["__sync_"]);
    let (begin, end, full, light) = if is_c11 {
        c11
    } else if is_sync || has(&["__atomic_"]) {
        gnu
    } else if has(&["atomic_"]) || includes_atomics(text) {
        c11
    } else {
        gnu
    };
    let by_sync = is_sync && !is_c11 && !has(&["__atomic_"]);
    let full = if by_sync { "__sync_synchronize()".to_string() } else { format!("{begin}{full}{end}") };
    let light = format!("{begin}{light}{end}");
    let own = |fence: &str| own_macro(text, &kinds_of(fence, &full)).unwrap_or_else(|| fence.to_string());
    Spelling { full: own(&full), light: own(&light) }
}

fn includes_atomics(text: &str) -> bool {
    let directives = tokens(text).into_iter().filter(|token| token.kind == Kind::Directive);
    directives.into_iter().any(|token| text[token.at].contains("<stdatomic.h>"))
}

/// Returns what a macro for such a fence may stand for.
fn kinds_of<'f>(fence: &'f str, full: &str) -> Vec<&'f str> {
    const FULL: [&str; 3] = [
        "__sync_synchronize()",
        "atomic_thread_fence(memory_order_seq_cst)",
        "__atomic_thread_fence(__ATOMIC_SEQ_CST)",
    ];
    if fence == full { FULL.to_vec() } else { vec![fence] }
}

/// Returns a macro of the file that is one of these fences, whatever else is defined: it stands in no `#if`, and is defined once.
fn own_macro(text: &str, fences: &[&str]) -> Option<String> {
    let mut depth = 0_usize;
    let mut defined: Vec<(String, bool, usize)> = Vec::new();
    for token in tokens(text).into_iter().filter(|token| token.kind == Kind::Directive) {
        let line = text[token.at].trim_start_matches('#').trim_start();
        let (word, rest) = line.split_at(line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len()));
        match word {
            "if" | "ifdef" | "ifndef" => depth += 1,
            "endif" => depth = depth.saturating_sub(1),
            "define" | "undef" => {
                let rest = rest.trim();
                let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
                let (name, body) = rest.split_at(length);
                let (call, body) = match body.strip_prefix("()") {
                    Some(body) => (format!("{name}()"), body),
                    None => (name.to_string(), body),
                };
                let is_fence = word == "define" && depth == 0 && fences.contains(&plain(body).as_str());
                defined.push((call, is_fence, length));
            }
            _ => {}
        }
    }
    let name_of = |(call, _, length): &(String, bool, usize)| call[..*length].to_string();
    let is_only = |one: &&(String, bool, usize)| {
        one.1 && defined.iter().filter(|other| name_of(other) == name_of(one)).count() == 1
    };
    defined.iter().find(is_only).map(|(call, ..)| call.clone())
}

/// Returns the body of a macro without what does not matter.
fn plain(body: &str) -> String {
    let body: String = body.chars().filter(|c| !c.is_whitespace() && *c != '\\').collect();
    let inner = body.strip_prefix("do{").and_then(|body| body.strip_suffix("}while(0)"));
    inner.unwrap_or(&body).trim_end_matches(';').to_string()
}

#[cfg(test)]
mod tests {
    use super::spelling;

    fn of(text: &str) -> [String; 2] {
        let found = spelling(text, "release");
        [found.full, found.light]
    }

    #[test]
    fn fences_are_written_as_the_file_does() {
        let c11 = ["atomic_thread_fence(memory_order_seq_cst)", "atomic_thread_fence(memory_order_release)"];
        let gnu = ["__atomic_thread_fence(__ATOMIC_SEQ_CST)", "__atomic_thread_fence(__ATOMIC_RELEASE)"];
        assert_eq!(of("#include <stdatomic.h>\nint x;"), c11);
        assert_eq!(of("int f(void) { atomic_store(&x, 1); }"), c11);
        assert_eq!(of("volatile int x; // atomic_thread_fence"), gnu);
        assert_eq!(of("int f(void) { __atomic_store_n(&x, 1, __ATOMIC_RELAXED); }"), gnu);
        assert_eq!(of("int f(void) { __sync_fetch_and_add(&x, 1); }"), ["__sync_synchronize()", gnu[1]]);
    }

    #[test]
    fn a_macro_of_the_file_is_used_where_it_is_always_a_fence() {
        let text = "#define mb() __sync_synchronize()\n#define wmb() \\\n do { __atomic_thread_fence(__ATOMIC_RELEASE); } while (0)\nint x;";
        assert_eq!(of(text), ["mb()", "wmb()"]);
        let text = "#include <stdatomic.h>\n#define FENCE atomic_thread_fence(memory_order_seq_cst)\n";
        assert_eq!(of(text)[0], "FENCE");
        let both = "#ifdef A\n#define mb() __sync_synchronize()\n#else\n#define mb()\n#endif\nint x;";
        assert_eq!(of(both)[0], "__atomic_thread_fence(__ATOMIC_SEQ_CST)");
        let twice = "#define mb() __sync_synchronize()\n#undef mb\n#define mb()\nint x;";
        assert_eq!(of(twice)[0], "__atomic_thread_fence(__ATOMIC_SEQ_CST)");
        let conditional = "#define mb(x) __sync_synchronize()\nint x;";
        assert_eq!(of(conditional)[0], "__atomic_thread_fence(__ATOMIC_SEQ_CST)");
    }
}
