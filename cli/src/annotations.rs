//! Comments in a program's source that are meant for Fencehound: `// fencehound: harmless (why)`.

/// The meaning of a comment that is meant for Fencehound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Annotation {
    /// SC violations that have an access on this line are harmless, for this reason.
    Harmless(String),
    /// The comment is not understood; the field is the text behind the mark.
    Unknown(String),
}

const MARK: &str = "fencehound:";
const HARMLESS: &str = "harmless";

impl Annotation {
    /// Returns the annotation of a line of source, if it has one.
    pub(crate) fn of(line: &str) -> Option<Annotation> {
        let (begin, end) = line.match_indices(MARK).find_map(|(at, _)| {
            let before = line[..at].trim_end();
            let is_block = before.ends_with("/*");
            let behind = &line[at + MARK.len()..];
            let length = if is_block { behind.find("*/").unwrap_or(behind.len()) } else { behind.len() };
            let begin = at + MARK.len();
            (is_block || before.ends_with("//")).then_some((begin, begin + length))
        })?;
        let text = line[begin..end].trim();
        let reason = text.strip_prefix(HARMLESS).map(str::trim_start).and_then(|rest| rest.strip_prefix('('));
        let reason = reason.and_then(|rest| rest.trim_end().strip_suffix(')')).map(str::trim);
        Some(match reason {
            Some(reason) if !reason.is_empty() => Annotation::Harmless(reason.to_string()),
            _ => Annotation::Unknown(text.to_string()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Annotation;

    #[test]
    fn both_kinds_of_comments_are_read() {
        let harmless = |reason: &str| Some(Annotation::Harmless(reason.to_string()));
        assert_eq!(Annotation::of("x = 1; // fencehound: harmless (a hint)"), harmless("a hint"));
        assert_eq!(
            Annotation::of("x = 1; /* fencehound: harmless (a (small) hint) */ y();"),
            harmless("a (small) hint")
        );
        assert_eq!(Annotation::of("x = 1; //fencehound:harmless( r )  "), harmless("r"));
    }

    #[test]
    fn a_reason_is_required_and_other_words_are_none() {
        for text in ["harmless", "harmless ()", "harmless (a", "harmles (a)", "fine", ""] {
            let line = format!("x = 1; // fencehound: {text}");
            assert_eq!(Annotation::of(&line), Some(Annotation::Unknown(text.to_string())));
        }
    }

    #[test]
    fn other_text_is_no_annotation() {
        for line in ["", "fencehound: harmless (a)", "puts(\"fencehound: harmless (a)\");", "// harmless (a)"] {
            assert_eq!(Annotation::of(line), None);
        }
    }
}
