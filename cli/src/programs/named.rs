//! The verdict on a model whose executions the user has asked for, with how these fail and end compared with sequentially
//! consistent ones.

use super::judged::Judged;
use super::judging::{Judgement, values_in_words};
use crate::exit::Status;
use crate::report::verdict::Verdict;

/// Returns the verdict on the executions of a model, with the judgement on it.
pub(crate) fn with_judgement(verdict: &Verdict, judged: &Judged) -> Verdict {
    let words = verdict.line.split_once(": ").map_or("", |(_, words)| words);
    let of = |status, word, words: String| Verdict { status, word, line: format!("{word}: {words}") };
    let same = |words: String| of(verdict.status, verdict.word, words);
    match (judged.standing(), verdict.status) {
        (Some(worse @ (Judgement::Breaks(_) | Judgement::Shows(_))), _) => {
            of(Status::Found, "violations", format!("{}; {words}", judged.words_of(worse)))
        }
        (Some(Judgement::Open(why)), Status::Clean) => {
            of(Status::Incomplete, "incomplete", format!("{words}; whether all end as under SC is open: {why}"))
        }
        (standing, status) => match (judged.accepted_end(), standing, status) {
            (Some(values), ..) => same(format!("{words}, {} accepted", values_in_words(values))),
            (None, Some(Judgement::Harmless), Status::Clean) => same(format!("{words}; all end as under SC")),
            (None, Some(Judgement::Harmless), Status::Found) => same(format!("{words}, as under SC")),
            _ => verdict.clone(),
        },
    }
}
