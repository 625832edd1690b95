//! The judgement on SC violations: the executions of a relaxed model against the sequentially consistent ones.
//!
//! Both sides are execution graphs, or both are interleavings, so that the model is all that differs. The program under the model is judged, not one
//! violation: [`judge`] says whether it fails in a way in which no sequentially consistent execution does, whether it ends
//! in a way in which none does, or neither.

use std::collections::BTreeSet;

use protocol::{Causality, FailureKind, Finals, MemoryModel, Named, Place, StoppedBy, Summary, Violation};

use super::consequences::{Unseen, is_same_way};
use crate::report::names::{Threads, full_place};
use crate::search::Exploration;
use crate::text::{listed, printable};

/// The behaviour of the program under a model, compared with that under sequential consistency.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Judgement {
    /// Some execution fails in a way in which no sequentially consistent one does; the field is the number of the violation among
    /// those of the model's search.
    Breaks(usize),
    /// No execution fails so, but one ends in a way in which no sequentially consistent one does; the field is the values by
    /// which that shows.
    Shows(Vec<(String, String)>),
    /// The program fails and ends as under sequential consistency.
    Harmless,
    /// It is not known what the program does; the field is the reason.
    Open(String),
}

impl Judgement {
    /// Returns the judgement's word in JSON.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Judgement::Breaks(_) => "breaks",
            Judgement::Shows(_) => "shows",
            Judgement::Harmless => "harmless",
            Judgement::Open(_) => "open",
        }
    }

    /// Gives the threads in the judgement's values the names that they have in reports, where threads are numbered by these paths
    /// of creation: `what T1 prints` for `what main.0 prints`.
    pub(crate) fn name_threads(&mut self, paths: &[Vec<u32>]) {
        let Judgement::Shows(values) = self else { return };
        let called = |path: &[u32]| path.iter().fold("main".to_string(), |name, child| format!("{name}.{child}"));
        let names: Vec<String> = paths.iter().map(|path| called(path)).collect();
        let name = |word: &str| match (0..).zip(&names).find(|(_, path)| *path == word) {
            Some((number, _)) => Threads::Created.name(number),
            None => word.to_string(),
        };
        for (variable, _) in values {
            *variable = variable.split(' ').map(name).collect::<Vec<String>>().join(" ");
        }
    }
}

/// The kind of executions that were searched on both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum World {
    /// The executions are execution graphs.
    Graphs,
    /// The executions are interleavings, with store buffers on the model's side.
    Machines,
}

impl World {
    /// Returns the word for the kind in JSON.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            World::Graphs => "graphs",
            World::Machines => "machines",
        }
    }
}

/// The search for the executions of a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    pub(crate) world: World,
    pub(crate) model: MemoryModel,
    pub(crate) violations: &'a [Violation],
    pub(crate) unsupported: Option<&'a (String, Place)>,
    /// The counts of the search; none if it did not come to count anything.
    pub(crate) summary: Option<&'a Summary>,
    /// The bound on rounds of loops.
    pub(crate) unroll: Option<u64>,
}

/// The facts that belong to neither side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    /// The failures of interleavings.
    pub(crate) consistent: &'a [&'a Violation],
    /// An option that executions of this kind do not know, or under which ends cannot be compared, if one is given: then only new
    /// failures can be reported.
    pub(crate) foreign: Option<&'static str>,
    /// The option that limits the time for the searches, with its value, as typed.
    pub(crate) time: &'a str,
}

impl<'a> Side<'a> {
    /// Makes the side of an exploration.
    pub(crate) fn of(world: World, model: MemoryModel, exploration: &'a Exploration, unroll: Option<u64>) -> Side<'a> {
        Side {
            world,
            model,
            violations: &exploration.violations,
            unsupported: exploration.unsupported.first(),
            summary: exploration.summary.as_ref(),
            unroll,
        }
    }

    fn failures(&self) -> impl Iterator<Item = (usize, &'a Violation)> {
        self.violations.iter().enumerate().filter(|(_, violation)| violation.monitor.is_none())
    }

    /// Returns the reason why not all executions are known, if they are not, given the option that limits the time.
    pub(crate) fn cut(&self, time: &str) -> Option<String> {
        let title = self.model.title();
        if let Some((what, place)) = self.unsupported {
            let who = match self.world {
                World::Graphs => "execution graphs do not support",
                World::Machines => "interleavings with store buffers do not support",
            };
            return Some(format!("{who} {} ({})", printable(what), full_place(place)));
        }
        let Some(summary) = self.summary else {
            return Some(format!("the search for {title} executions did not begin in time"));
        };
        let busiest = summary.busiest.as_ref().map_or_else(String::new, |busiest| {
            format!(", most of them in the loop at {}", full_place(&busiest.place))
        });
        match summary.stopped_by {
            Some(StoppedBy::Time) => {
                Some(format!("the search for {title} executions was stopped by {time}: give it more"))
            }
            Some(StoppedBy::Events) => Some(match self.world {
                World::Graphs => format!(
                    "an execution has more accesses than execution graphs hold under {title}{busiest}: check a smaller case"
                ),
                World::Machines => format!("an execution has more than --max-events events under {title}{busiest}"),
            }),
            Some(StoppedBy::LocalTimeout) => {
                Some(format!("a thread computes for longer than --local-timeout under {title}"))
            }
            Some(by) => Some(format!("the search for {title} executions was stopped ({})", by.name())),
            None if !summary.complete => Some(format!("the search for {title} executions did not come to its end")),
            None => self.unroll.map(|rounds| format!("loops are left out behind round {rounds} (--unroll)")),
        }
    }

    fn finals(&self) -> Option<&'a Finals> {
        self.summary.map(|summary| &summary.finals)
    }
}

/// Judges the executions of a model by the sequentially consistent ones, and returns all judgements, the worst first. The last
/// one is what is left if all before it are accepted: [`Judgement::Harmless`] or [`Judgement::Open`].
pub(crate) fn judge(sc: &Side<'_>, relaxed: &Side<'_>, known: &Known<'_>) -> Vec<Judgement> {
    let breaks = breaking(sc, relaxed, known).map(Judgement::Breaks);
    let (consistent, found) = match comparable(sc, relaxed, known) {
        Ok(both) => both,
        Err(why) => return breaks.into_iter().chain([Judgement::Open(why)]).collect(),
    };
    let shows = difference(consistent, found).map(Judgement::Shows);
    let failures: Vec<(&Violation, &str)> = relaxed.failures().map(|(_, violation)| (violation, "")).collect();
    let unseen = || match relaxed.world {
        World::Graphs => Unseen::of(None, &failures, known.consistent).map(|unseen| unseen.why().to_string()),
        World::Machines => None,
    };
    let rest = relaxed.cut(known.time).or_else(unseen).map_or(Judgement::Harmless, Judgement::Open);
    breaks.into_iter().chain(shows).chain([rest]).collect()
}

/// Returns the number of the model's first violation in a way in which no sequentially consistent execution fails. A data race
/// comes last, since races are not looked for in sequentially consistent executions here.
fn breaking(sc: &Side<'_>, relaxed: &Side<'_>, known: &Known<'_>) -> Option<usize> {
    let is_known = |one: &Violation| {
        let consistent = sc.failures().map(|(_, violation)| violation).chain(known.consistent.iter().copied());
        consistent.into_iter().any(|other| is_same_way(one, other))
    };
    let new = relaxed.failures().filter(|(_, one)| !is_known(one));
    new.min_by_key(|(index, one)| (one.kind == FailureKind::Race, *index)).map(|(index, _)| index)
}

/// Returns the ends of both sides, where all sequentially consistent ones are known, or the reason why they are not compared.
fn comparable<'a>(sc: &Side<'a>, relaxed: &Side<'a>, known: &Known<'_>) -> Result<(&'a Finals, &'a Finals), String> {
    if let Some(option) = known.foreign {
        return Err(match relaxed.world {
            World::Graphs => format!("execution graphs, which decide, do not know {option}"),
            World::Machines => format!("ends cannot be compared with {option}, which gives blocks other addresses"),
        });
    }
    if let Some(why) = sc.cut(known.time) {
        return Err(why);
    }
    let (Some(consistent), Some(found)) = (sc.finals(), relaxed.finals()) else {
        return Err(relaxed.cut(known.time).unwrap_or_default());
    };
    if consistent.leaves_out() {
        return Err(format!(
            "sequentially consistent executions end in more than {} ways: --outcome observed compares less",
            Finals::MOST
        ));
    }
    Ok((consistent, found))
}

/// Returns the names of the values that differ in the ends which no sequentially consistent execution has: for each end, the
/// values by which it shows.
pub(crate) fn names_of_differences(sc: &Side<'_>, relaxed: &Side<'_>) -> BTreeSet<Vec<String>> {
    let (Some(consistent), Some(found)) = (sc.finals(), relaxed.finals()) else { return BTreeSet::new() };
    let new = found.all().filter(|(digest, _)| !consistent.contains(digest));
    let told = new.map(|(_, named)| named.map(|named| told_by(named, consistent, found)).unwrap_or_default());
    told.map(|told| told.into_iter().map(|(name, _)| name).collect()).collect()
}

/// Whether all executions that end with these values, by which the difference shows, have a cycle of program order and reads-from;
/// if they have no names, all that end as no sequentially consistent one does.
pub(crate) fn is_circular(values: &[(String, String)], sc: &Side<'_>, relaxed: &Side<'_>) -> bool {
    let (Some(consistent), Some(found)) = (sc.finals(), relaxed.finals()) else { return false };
    let value = |named, name: &str| found.value(named, name).or_else(|| consistent.first(name)).unwrap_or_default();
    let has_all = |named| values.iter().all(|(name, told)| value(named, name) == told);
    let new = found.all().filter(|(digest, _)| !consistent.contains(digest));
    let mut told = new.filter(|(_, named)| named.is_none_or(has_all));
    told.all(|(digest, _)| found.causality(digest) == Causality::Circular)
}

/// The number of new outcomes that are looked at for one that a few values tell.
const LOOKED_AT: usize = 16;

/// Returns the values by which an outcome shows that is not among the others, if there is one: as few values as possible that no
/// other outcome has together.
fn difference(consistent: &Finals, found: &Finals) -> Option<Vec<(String, String)>> {
    let new = found.all().filter(|(digest, _)| !consistent.contains(digest));
    let mut best: Option<Vec<(String, String)>> = None;
    for (_, named) in new.take(LOOKED_AT) {
        let told = named.map(|named| told_by(named, consistent, found)).unwrap_or_default();
        let is_better =
            best.as_ref().is_none_or(|best| best.is_empty() || (!told.is_empty() && told.len() < best.len()));
        if is_better {
            best = Some(told);
        }
    }
    best
}

/// Returns values of an outcome that none of the others has together.
fn told_by(outcome: &Named, consistent: &Finals, found: &Finals) -> Vec<(String, String)> {
    let others: Vec<&Named> = consistent.all().filter_map(|(_, named)| named).collect();
    let mut names: BTreeSet<&str> = outcome.keys().map(String::as_str).collect();
    names.extend(others.iter().flat_map(|other| other.keys()).map(String::as_str));
    let value = |name: &str| found.value(outcome, name).or_else(|| consistent.first(name)).unwrap_or_default();
    let has = |other: &Named, name: &str| {
        consistent.value(other, name).or_else(|| found.first(name)).unwrap_or_default() == value(name)
    };
    let tells = |names: &BTreeSet<&str>| !others.iter().any(|other| names.iter().all(|name| has(other, name)));
    let has_unnamed = consistent.all().any(|(_, named)| named.is_none());
    if has_unnamed || !tells(&names) {
        // The values that differ have no names.
        return Vec::new();
    }
    for name in names.clone() {
        names.remove(name);
        if !tells(&names) {
            names.insert(name);
        }
    }
    names.into_iter().map(|name| (name.to_string(), value(name).to_string())).collect()
}

/// Returns values in words: `r1 = 0 and r2 = 0`.
pub(crate) fn values_in_words(values: &[(String, String)]) -> String {
    let all: Vec<String> = values.iter().map(|(name, value)| printable(&format!("{name} = {value}"))).collect();
    if all.is_empty() { "an end".to_string() } else { listed(&all) }
}

#[cfg(test)]
mod tests {
    use protocol::{Causality, Finals, MemoryModel, Named, StoppedBy, Summary, Violation};

    use super::{Judgement, Known, Side, World, judge};
    use crate::report::samples;

    /// A complete search whose executions end with these values of `a` and `b`, which are 0 at first.
    fn ending(all: &[(u32, u32)]) -> Summary {
        let mut finals = Finals::default();
        for &(a, b) in all {
            let named = |values: [u32; 2]| -> Named {
                ["a", "b"].into_iter().zip(values).map(|(name, value)| (name.to_string(), value.to_string())).collect()
            };
            let mut last = named([a, b]);
            last.retain(|_, value| value != "0");
            finals.insert(format!("{a}{b}"), Causality::Causal, (last, named([0, 0])));
        }
        Summary { complete: true, stopped_by: None, finals, ..Summary::nothing() }
    }

    fn judged(
        sc: &Summary,
        relaxed: &Summary,
        failures: [&[Violation]; 2],
        foreign: Option<&'static str>,
    ) -> Judgement {
        let side = |model, summary, violations| Side {
            world: World::Graphs,
            model,
            violations,
            unsupported: None,
            summary: Some(summary),
            unroll: None,
        };
        let [sc, relaxed] = [side(MemoryModel::Sc, sc, failures[0]), side(MemoryModel::Tso, relaxed, failures[1])];
        judge(&sc, &relaxed, &Known { consistent: &[], foreign, time: "--judge-time 9s" }).remove(0)
    }

    fn cut(by: StoppedBy, summary: Summary) -> Summary {
        Summary { complete: false, stopped_by: Some(by), ..summary }
    }

    #[test]
    fn nothing_new_is_harmless() {
        let sc = ending(&[(0, 1), (1, 0), (1, 1)]);
        assert_eq!(judged(&sc, &sc, [&[], &[]], None), Judgement::Harmless);
        assert_eq!(judged(&sc, &ending(&[(1, 1)]), [&[], &[]], None), Judgement::Harmless);
        let failures = [samples::deadlock()];
        assert_eq!(judged(&sc, &sc, [&failures, &failures], None), Judgement::Harmless);
    }

    #[test]
    fn a_new_outcome_is_told_by_the_values_that_no_other_has_together() {
        let (sc, relaxed) = (ending(&[(0, 1), (1, 0), (1, 1)]), ending(&[(0, 1), (0, 0)]));
        let both = vec![("a".to_string(), "0".to_string()), ("b".to_string(), "0".to_string())];
        assert_eq!(judged(&sc, &relaxed, [&[], &[]], None), Judgement::Shows(both));
        let one = vec![("b".to_string(), "2".to_string())];
        assert_eq!(judged(&sc, &ending(&[(0, 2)]), [&[], &[]], None), Judgement::Shows(one.clone()));
        // A bound on the model's side does not take it away.
        let relaxed = cut(StoppedBy::Time, ending(&[(0, 2)]));
        assert_eq!(judged(&sc, &relaxed, [&[], &[]], None), Judgement::Shows(one));
    }

    #[test]
    fn threads_have_the_names_of_reports() {
        let value = |name: &str| (name.to_string(), "1".to_string());
        let paths = [vec![], vec![0], vec![0, 0], vec![1]];
        let mut shows = Judgement::Shows(["what main prints", "what main.1 returns", "main.0"].map(value).to_vec());
        shows.name_threads(&paths);
        let named = Judgement::Shows(["what main prints", "what T3 returns", "T1"].map(value).to_vec());
        assert_eq!(shows, named);
    }

    #[test]
    fn a_new_failure_breaks_whatever_is_not_known() {
        let failures = [samples::deadlock()];
        let sc = ending(&[(0, 1)]);
        assert_eq!(judged(&sc, &sc, [&[], &failures], None), Judgement::Breaks(0));
        let cut = cut(StoppedBy::Time, sc);
        assert_eq!(judged(&cut, &cut, [&[], &failures], Some("--leaks")), Judgement::Breaks(0));
    }

    /// A search that was refused if it has no counts.
    fn side<'a>(
        model: MemoryModel,
        summary: Option<&'a Summary>,
        violations: &'a [Violation],
        refusal: &'a (String, protocol::Place),
    ) -> Side<'a> {
        let unsupported = summary.is_none().then_some(refusal);
        Side { world: World::Graphs, model, violations, unsupported, summary, unroll: None }
    }

    #[test]
    fn each_pair_of_searches_has_its_judgements() {
        let whole = ending(&[(0, 1)]);
        let part = cut(StoppedBy::Time, whole.clone());
        let place = protocol::Place::new("a.c".to_string(), 3, 1);
        let refusal = ("a futex".to_string(), place);
        let new = [samples::deadlock()];
        let words = |sc: Option<&Summary>, relaxed: Option<&Summary>, violations: &[Violation]| {
            let sc = side(MemoryModel::Sc, sc, &[], &refusal);
            let relaxed = side(MemoryModel::Pso, relaxed, violations, &refusal);
            judge(&sc, &relaxed, &Known { consistent: &[], foreign: None, time: "--judge-time 9s" })[0].word()
        };
        let other = ending(&[(0, 2)]);
        let other_part = cut(StoppedBy::Time, other.clone());
        // The rows and columns of docs/json.md: with the same end, with another one, with a new failure.
        for (sc, relaxed, expected) in [
            (Some(&whole), [Some(&whole), Some(&other)], ["harmless", "shows", "breaks"]),
            (Some(&whole), [Some(&part), Some(&other_part)], ["open", "shows", "breaks"]),
            (Some(&part), [Some(&whole), Some(&other)], ["open", "open", "breaks"]),
            (Some(&part), [Some(&part), Some(&other_part)], ["open", "open", "breaks"]),
        ] {
            let found = [words(sc, relaxed[0], &[]), words(sc, relaxed[1], &[]), words(sc, relaxed[0], &new)];
            assert_eq!(found, expected);
        }
        for (sc, relaxed) in
            [(Some(&whole), None), (Some(&part), None), (None, Some(&whole)), (None, Some(&part)), (None, None)]
        {
            assert_eq!(words(sc, relaxed, &[]), "open");
        }
    }

    #[test]
    fn what_a_bound_does_not_allow_is_open() {
        let sc = ending(&[(0, 1)]);
        let open = |judgement| match judgement {
            Judgement::Open(why) => why,
            other => panic!("{other:?}"),
        };
        let (less, new) = (cut(StoppedBy::Time, sc.clone()), ending(&[(0, 1), (0, 0)]));
        assert!(
            open(judged(&less, &new, [&[], &[]], None)).contains("for SC executions was stopped by --judge-time 9s")
        );
        assert!(
            open(judged(&sc, &less, [&[], &[]], None)).contains("for TSO executions was stopped by --judge-time 9s")
        );
        assert!(open(judged(&sc, &new, [&[], &[]], Some("--leaks"))).ends_with("do not know --leaks"));
        let long = cut(StoppedBy::Events, sc.clone());
        assert!(open(judged(&sc, &long, [&[], &[]], None)).contains("more accesses than execution graphs hold"));
    }
}
