//! Results as a `JUnit` report, which CI servers show: a suite for each memory model, and in it a case for each target.
//!
//! A violation is a failure. A search that was not finished is an error, since nothing is known of what it left; what
//! cannot be run under control is skipped.

use std::fmt::Write;

use crate::json::{CountsAs, Entry, Outcome};
use crate::report::gcc;
use crate::text::printable;

/// How a case ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CaseEnd {
    Passed,
    Failure,
    Error,
    Skipped,
}

/// A case.
struct Case<'a> {
    target: &'a str,
    model: &'a str,
    end: CaseEnd,
    /// The verdict, in a word and in a sentence.
    verdict: &'a str,
    sentence: &'a str,
    /// The findings.
    text: String,
    seconds: f64,
}

/// Results as XML.
pub(crate) fn results(outcomes: &[Outcome<'_>]) -> String {
    let case = |outcome: &'_ Outcome<'_>| -> (String, f64) {
        let fails = |entry: &&Entry<'_>| entry.accepted.is_none() && entry.counts != CountsAs::Nothing;
        let found = outcome.violations.iter().filter(fails);
        let found = found.map(|entry| gcc::finding(&entry.subject, outcome.model));
        let ends = outcome.new_ends().into_iter().map(|end| gcc::without_place(&end.message, end.model, &end.help));
        (found.chain(ends).collect(), outcome.summary.seconds)
    };
    let cases = outcomes.iter().map(|outcome| {
        let (text, seconds) = case(outcome);
        let end = match outcome.verdict {
            "clean" => CaseEnd::Passed,
            "violations" => CaseEnd::Failure,
            "unsupported" => CaseEnd::Skipped,
            _ => CaseEnd::Error,
        };
        let (target, model, verdict, sentence) = (outcome.target, outcome.model, outcome.verdict, &outcome.sentence);
        Case { target, model, end, verdict, sentence, text, seconds }
    });
    suites(&cases.collect::<Vec<_>>())
}

/// A run that failed, as XML.
pub(crate) fn error(target: &str, message: &str) -> String {
    let case = Case {
        target,
        model: "sc",
        end: CaseEnd::Error,
        verdict: "error",
        sentence: message,
        text: String::new(),
        seconds: 0.0,
    };
    suites(&[case])
}

fn suites(cases: &[Case<'_>]) -> String {
    let mut models: Vec<&str> = Vec::new();
    for case in cases {
        if !models.contains(&case.model) {
            models.push(case.model);
        }
    }
    let all: Vec<&Case<'_>> = cases.iter().collect();
    let mut text =
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fencehound\"{}>\n", counts(&all));
    for model in models {
        let cases: Vec<&Case<'_>> = cases.iter().filter(|case| case.model == model).collect();
        let _ = writeln!(text, "  <testsuite name=\"fencehound.{model}\"{}>", counts(&cases));
        cases.iter().for_each(|case| text.push_str(&case.as_xml()));
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

/// The attributes that count cases.
fn counts(cases: &[&Case<'_>]) -> String {
    let with = |end| cases.iter().filter(|case| case.end == end).count();
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\"",
        cases.len(),
        with(CaseEnd::Failure),
        with(CaseEnd::Error),
        with(CaseEnd::Skipped)
    )
}

impl Case<'_> {
    fn as_xml(&self) -> String {
        let Case { target, model, verdict, sentence, text, seconds, .. } = self;
        let (target, message) = (escaped(&printable(target)), escaped(&printable(sentence)));
        let mut xml =
            format!("    <testcase classname=\"fencehound.{model}\" name=\"{target}\" time=\"{seconds:.3}\">\n");
        let element = match self.end {
            CaseEnd::Passed => None,
            CaseEnd::Failure => Some("failure"),
            CaseEnd::Error => Some("error"),
            CaseEnd::Skipped => Some("skipped"),
        };
        match element {
            Some("skipped") => {
                let _ = writeln!(xml, "      <skipped message=\"{message}\"/>");
            }
            Some(element) => {
                let text = escaped(text);
                let _ = writeln!(xml, "      <{element} type=\"{verdict}\" message=\"{message}\">{text}</{element}>");
            }
            None => {}
        }
        let _ = write!(xml, "      <system-out>{message}</system-out>\n    </testcase>\n");
        xml
    }
}

/// A text as XML has it. What steers terminals has been taken out, which XML does not allow either.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{b7}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{error, escaped};

    #[test]
    fn an_error_is_a_case_with_an_error() {
        let text = error("a.c", "a.c: `x < y` does not \u{1b} compile");
        assert!(text.contains("<testsuites name=\"fencehound\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""));
        assert!(text.contains("<error type=\"error\" message=\"a.c: `x &lt; y` does not \u{b7} compile\"></error>"));
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(escaped("<&\">\u{ffff}"), "&lt;&amp;&quot;&gt;\u{b7}");
    }
}
