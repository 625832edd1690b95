//! The consequences of SC violations: whether something fails in a relaxed execution that contains one.
//!
//! A monitor's violation is a pair of places: a store e′, and an access e that takes effect before it although e′ comes first in
//! happens-before. A relaxed execution contains it if its own happens-before has such a cycle, e′ →hb* prev →po e →c e′. The
//! search for execution graphs counts those ([`Containment`]). Where all relaxed executions were searched and none fails in a way
//! in which no sequentially consistent one does, no violation has a consequence.

use protocol::{Containment, FailureKind, MemoryModel, Place, Role, Summary, Violation, Way};
use serde::Serialize;

use crate::report::names::short_place;
use crate::text::counted;

/// The consequence of an SC violation in the executions of its model, as the JSON has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Consequence {
    model: &'static str,
    verdict: Word,
    /// The number of relaxed executions that contain the violation.
    executions: u64,
    /// The number of those executions in which something fails.
    failing: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FirstFailure>,
    /// The reason why the consequence is undecided, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    /// Something fails in an execution that contains the violation.
    Fails,
    /// Nothing fails in any execution that contains it, or only in ways in which sequentially consistent executions fail, too.
    None,
    Undecided,
}

/// The first failure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct FirstFailure {
    kind: &'static str,
    message: String,
    file: String,
    line: u32,
    column: u32,
    /// The folder of the failure's finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<String>,
}

/// The search for the execution graphs of a model: its counts, and its violations with their folders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Graphs<'a> {
    pub(crate) model: MemoryModel,
    pub(crate) summary: &'a Summary,
    pub(crate) found: &'a [(&'a Violation, &'a str)],
    /// The violations that sequentially consistent executions showed.
    pub(crate) consistent: &'a [&'a Violation],
    /// The reason why execution graphs do not show everything, if they do not.
    pub(crate) unseen: Option<Unseen>,
}

/// A kind of thing that may happen in a relaxed execution, and is in no execution graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unseen {
    /// Graphs leave out rounds of loops beyond those that `--unroll` asks for.
    Rounds,
    /// Interleavings showed a wrong use of memory.
    Memory,
}

impl Unseen {
    /// Returns the reason, in words, why something is not known then.
    pub(crate) const fn why(self) -> &'static str {
        match self {
            Unseen::Rounds => "rounds of loops behind those of --unroll are left out",
            Unseen::Memory => "execution graphs do not show the wrong use of memory that interleavings do",
        }
    }

    /// Returns what a search of execution graphs does not show, given its bound on rounds, what it found, and what was found in
    /// interleavings.
    pub(crate) fn of(unroll: Option<u64>, found: &[(&Violation, &str)], consistent: &[&Violation]) -> Option<Self> {
        let is_unseen = |violation: &&Violation| match violation.kind {
            FailureKind::OutOfBounds | FailureKind::Leak => true,
            FailureKind::UseAfterFree | FailureKind::DoubleFree | FailureKind::InvalidFree => {
                !found.iter().any(|(other, _)| is_same_way(violation, other))
            }
            _ => false,
        };
        let memory = consistent.iter().any(is_unseen).then_some(Self::Memory);
        unroll.map(|_| Self::Rounds).or(memory)
    }
}

/// Returns the consequence of a violation, if it is an SC violation under the model of these graphs.
pub(crate) fn consequence(violation: &Violation, graphs: &Graphs<'_>) -> Option<Consequence> {
    let monitor = violation.monitor.filter(|_| violation.kind == FailureKind::ScViolation)?;
    if monitor.model() != Some(graphs.model) {
        return None;
    }
    let place = |role| violation.sites.iter().find(|site| site.role == role).map(|site| &site.place);
    let (delayed, overtaking) = (place(Role::Delayed)?, place(Role::Overtaking)?);
    let containment = graphs.summary.containments.iter().find(|one| is_of(one, delayed, overtaking));
    let (executions, failing) = containment.map_or((0, 0), |one| (one.executions, one.failing));
    let failure = containment.and_then(|one| one.failure.as_ref()).map(|failed| FirstFailure {
        kind: failed.kind.name(),
        message: failed.message.clone(),
        file: failed.place.file.clone(),
        line: failed.place.line,
        column: failed.place.column,
        finding: folder(failed, graphs.found),
    });
    let why = if failing == 0 { open(graphs, executions) } else { None };
    let verdict = match (failing, why) {
        (0, Some(_)) => Word::Undecided,
        (0, None) => Word::None,
        _ => Word::Fails,
    };
    Some(Consequence { model: graphs.model.name(), verdict, executions, failing, failure, why })
}

/// Returns a violation that no monitor reported as a failure, with the folder of its finding.
pub(crate) fn failure_of(violation: &Violation, finding: Option<String>) -> FirstFailure {
    let place = violation.sites.first().map(|site| site.place.clone()).unwrap_or_default();
    FirstFailure {
        kind: violation.kind.name(),
        message: violation.message.clone(),
        file: place.file,
        line: place.line,
        column: place.column,
        finding,
    }
}

impl FirstFailure {
    /// Whether the failure is a data race.
    pub(crate) fn is_race(&self) -> bool {
        self.kind == FailureKind::Race.name()
    }

    /// Returns the failure in a few words: `assertion at ring.c:30`.
    pub(crate) fn in_words(&self) -> String {
        let place = Place::new(self.file.clone(), self.line, self.column);
        format!("{} at {}", self.kind, short_place(&place))
    }
}

fn is_of(containment: &Containment, delayed: &Place, overtaking: &Place) -> bool {
    containment.delayed == *delayed && containment.overtaking == *overtaking
}

fn folder(failed: &protocol::Failed, found: &[(&Violation, &str)]) -> Option<String> {
    let is_it = |violation: &Violation| {
        // A fault of the code has its own place by now.
        let is_there = violation.program_counter.is_some()
            || violation.sites.first().is_some_and(|site| site.place == failed.place);
        (violation.kind, violation.subject.as_str()) == (failed.kind, failed.subject.as_str()) && is_there
    };
    found
        .iter()
        .find(|(violation, _)| is_it(violation))
        .filter(|(_, folder)| !folder.is_empty())
        .map(|(_, folder)| (*folder).to_string())
}

/// Returns the reason why it is not known that nothing fails, where nothing was seen to fail.
///
/// Rounds of wait loops that graphs leave out matter only where some execution fails: to leave one out of an execution
/// leaves an execution with the same failures. So if no graph fails, no relaxed execution does, whatever it contains.
fn open(graphs: &Graphs<'_>, executions: u64) -> Option<&'static str> {
    if !graphs.summary.complete {
        Some("the search for relaxed executions did not come to its end")
    } else if let Some(unseen) = graphs.unseen {
        Some(unseen.why())
    } else if !graphs.fail_in_a_new_way() {
        None
    } else if graphs.summary.leaves_out_rounds {
        Some("it may go through rounds of wait loops, which execution graphs leave out")
    } else if executions == 0 {
        Some("no relaxed execution within the bounds contains it")
    } else {
        None
    }
}

impl Graphs<'_> {
    /// Whether some relaxed execution fails in a way in which no sequentially consistent one does.
    fn fail_in_a_new_way(&self) -> bool {
        let mut failures = self.found.iter().map(|(violation, _)| violation).filter(|one| one.monitor.is_none());
        failures.any(|one| !self.consistent.iter().any(|other| is_same_way(one, other)))
    }
}

/// Whether two failures are of one kind and at the same places, whatever the values and the wording.
pub(crate) fn is_same_way(one: &Violation, other: &Violation) -> bool {
    Way::of(other).is_some_and(|way| Way::of(one) == Some(way))
}

impl Consequence {
    /// Whether something fails.
    pub(crate) fn fails(&self) -> bool {
        self.verdict == Word::Fails
    }

    /// Returns the consequence in a sentence.
    pub(crate) fn in_words(&self) -> String {
        let contain = counted(self.executions, "execution contains it", "executions contain it");
        match (self.verdict, &self.failure) {
            (Word::Fails, Some(failure)) => {
                let place = Place::new(failure.file.clone(), failure.line, failure.column);
                let (what, kind) = match failure.kind {
                    "assertion" => ("an assertion fails", String::new()),
                    kind => ("an error occurs", format!("{kind}, ")),
                };
                let folder = failure.finding.as_ref().map_or(String::new(), |folder| format!("; {folder}"));
                let fails = counted(self.failing, "of them fails", "of them fail");
                let place = short_place(&place);
                format!("{what} in a relaxed execution that contains it: {kind}{place} ({contain}, {fails}{folder})")
            }
            (Word::None, _) if self.executions == 0 => {
                "no relaxed execution fails in a way in which no sequentially consistent one does".to_string()
            }
            (Word::None, _) => format!("no assertion fails in any relaxed execution that contains it ({contain})"),
            _ => format!("whether an assertion fails is undecided: {}", self.why.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::{Containment, Failed, FailureKind, MemoryModel, Place, Role, Summary, Violation};

    use super::{Graphs, Unseen, consequence};
    use crate::report::samples;

    fn summary(failing: u64) -> Summary {
        let violation = samples::store_buffering();
        let place = |role| violation.sites.iter().find(|site| site.role == role).unwrap().place.clone();
        let failed = Failed {
            kind: FailureKind::Assertion,
            message: "assertion `r` failed".to_string(),
            subject: "r".to_string(),
            place: Place::new("sb.c".to_string(), 30, 5),
        };
        let containment = Containment {
            delayed: place(Role::Delayed),
            overtaking: place(Role::Overtaking),
            executions: 3,
            failing,
            failure: (failing > 0).then_some(failed),
            sites: [0, 1],
            rank: None,
        };
        Summary { complete: true, stopped_by: None, containments: vec![containment], ..Summary::nothing() }
    }

    fn words(model: MemoryModel, summary: &Summary) -> Option<String> {
        seeing(model, summary, None)
    }

    fn seeing(model: MemoryModel, summary: &Summary, unseen: Option<Unseen>) -> Option<String> {
        let graphs = Graphs { model, summary, found: &[], consistent: &[], unseen };
        consequence(&samples::store_buffering(), &graphs).map(|consequence| consequence.in_words())
    }

    /// Returns what is said where relaxed executions wait for ever, and these are the failures of the others.
    fn beside_a_deadlock(summary: &Summary, consistent: &[&Violation]) -> String {
        let deadlock = samples::deadlock();
        let found = [(&deadlock, "fencehound-out/tso-deadlock-1")];
        let graphs = Graphs { model: MemoryModel::Tso, summary, found: &found, consistent, unseen: None };
        consequence(&samples::store_buffering(), &graphs).unwrap().in_words()
    }

    fn under_tso(summary: &Summary) -> String {
        words(MemoryModel::Tso, summary).unwrap()
    }

    #[test]
    fn what_fails_and_what_does_not() {
        let fails = "an assertion fails in a relaxed execution that contains it: sb.c:30 (3 executions contain it, 2 of \
                     them fail)";
        assert_eq!(under_tso(&summary(2)), fails);
        let none = "no assertion fails in any relaxed execution that contains it (3 executions contain it)";
        assert_eq!(under_tso(&summary(0)), none);
    }

    #[test]
    fn nothing_is_said_of_another_model() {
        assert_eq!(words(MemoryModel::Pso, &summary(2)), None);
    }

    #[test]
    fn what_was_not_searched_to_the_end_is_undecided() {
        let undecided =
            |summary| under_tso(&summary).strip_prefix("whether an assertion fails is undecided: ").map(str::to_string);
        let cut = Summary { complete: false, ..summary(0) };
        assert_eq!(undecided(cut).unwrap(), "the search for relaxed executions did not come to its end");
        // What fails, fails.
        let cut = Summary { complete: false, ..summary(1) };
        assert!(under_tso(&cut).ends_with("sb.c:30 (3 executions contain it, 1 of them fails)"));
        let unseen = |failing, what| seeing(MemoryModel::Tso, &summary(failing), Some(what)).unwrap();
        assert!(unseen(0, Unseen::Rounds).ends_with("rounds of loops behind those of --unroll are left out"));
        assert!(unseen(0, Unseen::Memory).contains("is undecided: execution graphs do not show"));
        assert!(unseen(1, Unseen::Memory).starts_with("an assertion fails"));
    }

    #[test]
    fn nothing_comes_of_a_violation_where_no_relaxed_execution_fails_in_a_new_way() {
        let none = Summary { containments: Vec::new(), ..summary(0) };
        let nothing = "no relaxed execution fails in a way in which no sequentially consistent one does";
        assert_eq!(under_tso(&none), nothing);
        let rounds = Summary { leaves_out_rounds: true, ..none.clone() };
        assert_eq!(under_tso(&rounds), nothing);
        let contained = Summary { leaves_out_rounds: true, ..summary(0) };
        assert!(under_tso(&contained).starts_with("no assertion fails in any relaxed execution that contains it"));
        // A deadlock that interleavings have, too, is no new way; at another place it is.
        let deadlock = samples::deadlock();
        assert_eq!(beside_a_deadlock(&rounds, &[&deadlock]), nothing);
        let mut elsewhere = deadlock;
        elsewhere.sites[0].place.line += 1;
        let undecided = |summary| {
            let words = beside_a_deadlock(summary, &[&elsewhere]);
            words.strip_prefix("whether an assertion fails is undecided: ").map(str::to_string)
        };
        assert!(undecided(&rounds).unwrap().starts_with("it may go through rounds of wait loops"));
        assert!(undecided(&contained).unwrap().starts_with("it may go through rounds of wait loops"));
        assert_eq!(undecided(&none).unwrap(), "no relaxed execution within the bounds contains it");
        assert!(beside_a_deadlock(&summary(0), &[]).starts_with("no assertion fails in any"));
    }
}
