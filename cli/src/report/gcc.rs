//! Findings in the form of gcc's warnings, which editors and other tools can read: one `file:line:column: warning:` a
//! finding, and below it a note for each of its places.

use std::fmt::Write;

use protocol::{Place, Role};

use super::finding::{Subject, in_words, replay_line, site_words};
use super::names::{full_place, model_of};
use crate::text::printable;

/// A finding, by the name of the model that was explored.
pub(crate) fn finding(subject: &Subject<'_>, explored: &'static str) -> String {
    let violation = subject.violation;
    let primary = violation.sites.first().map(|site| site.place.clone()).unwrap_or_default();
    let mut text = warning(&primary, &in_words(violation), model_of(violation, explored));
    let is_said = |index: usize, role: Role| index == 0 && role == Role::At;
    for (index, site) in violation.sites.iter().enumerate() {
        if !is_said(index, site.role) {
            text.push_str(&note(&site.place, &site_words(site, subject.threads)));
        }
        for caller in site.place.callers() {
            let place = Place::new(caller.file.clone(), caller.line, caller.column);
            text.push_str(&note(&place, &format!("called in {}", printable(&caller.function))));
        }
    }
    for line in subject.help {
        text.push_str(&note(&primary, &format!("help: {}", printable(line))));
    }
    if !subject.folder.is_empty() {
        text.push_str(&note(&primary, &format!("replay: {}", replay_line(subject.folder, subject.again))));
    }
    text
}

/// A warning under a model.
pub(crate) fn warning(place: &Place, words: &str, model: &str) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}: warning: {words} [{model}]", at(place));
    text
}

/// A warning under a model that no line is to blame for, and what to do.
pub(crate) fn without_place(words: &str, model: &str, help: &str) -> String {
    let nowhere = Place::default();
    warning(&nowhere, words, model) + &note(&nowhere, &format!("help: {help}"))
}

fn note(place: &Place, words: &str) -> String {
    format!("{}: note: {words}\n", at(place))
}

/// The place, or as gcc does where there is none, the program that speaks.
fn at(place: &Place) -> String {
    if place.file.is_empty() { "fencehound".to_string() } else { full_place(place) }
}

#[cfg(test)]
mod tests {
    use super::finding;
    use crate::report::samples;

    #[test]
    fn a_finding_is_a_warning_with_notes() {
        let violation = samples::store_buffering();
        let expected = "\
sb.c:8:5: warning: SC violation: the store may be delayed past the load [tso]
sb.c:8:5: note: T1 in left: this store of x may wait in the store buffer
sb.c:14:5: note: T2 in right: after this store of y
sb.c:15:7: note: T2 in right: while this load of x goes ahead
sb.c:8:5: note: replay: fencehound replay fencehound-out/tso-1
";
        assert_eq!(finding(&samples::subject(&violation, None), "sc"), expected);
    }

    #[test]
    fn a_place_that_is_not_known_is_no_reason_to_be_silent() {
        let violation = samples::deadlock();
        let text = finding(&samples::subject(&violation, None), "sc");
        assert!(text.starts_with("sb.c:9:10: warning: deadlock: 2 threads wait for each other [sc]\n"), "{text}");
        assert!(text.contains("\nfencehound: note: T2 in right: waits here in lock for n\n"), "{text}");
    }
}
