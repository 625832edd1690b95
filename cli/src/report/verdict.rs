//! The verdict line: one sentence that says what was checked and what was not.

use engine::explore::estimate::Estimate;
use protocol::{FailureKind, MonitorName, Place, StoppedBy, Summary, Violation};

use super::names::{Threads, full_place, model_name};
use crate::exit::Status;
use crate::text::{counted, printable, rounded};

/// The facts that a verdict is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    /// The preemption bound.
    pub(crate) preemptions: Option<u32>,
    /// The bound on stores that are delayed at a time.
    pub(crate) delays: Option<u32>,
    /// The bound on rounds of loops.
    pub(crate) unroll: Option<u64>,
    /// The monitors, as asked for.
    pub(crate) monitors: &'a [MonitorName],
    /// The value of `--time`, as typed.
    pub(crate) time: Option<&'a str>,
    /// The value of `--executions`.
    pub(crate) budget: Option<u64>,
    /// The signal by which an interrupted search was interrupted.
    pub(crate) interrupted_by: &'a str,
    /// The value of `--max-events`.
    pub(crate) max_events: u64,
    /// The limit of memory for what is still to be run, in bytes.
    pub(crate) memory: u64,
    /// The value of `--local-timeout`, in seconds.
    pub(crate) local_seconds: u64,
    /// The place where executions are given up.
    pub(crate) given_up: &'static str,
    /// The reason why executions are undecided, if some are.
    pub(crate) open: Open,
    /// The TSO executions that were looked at.
    pub(crate) issues: Issues,
    /// Whether data races count as failures, whatever is watched.
    pub(crate) races: Races,
    /// How many executions there are in all, about, if the search was stopped before its end.
    pub(crate) whole: Option<Estimate>,
    /// The counts.
    pub(crate) summary: &'a Summary,
    /// The number of further findings, which the user has accepted.
    pub(crate) accepted: u64,
    /// The violations.
    pub(crate) violations: &'a [Violation],
    /// The things that are not supported, each with its place.
    pub(crate) unsupported: &'a [(String, Place)],
}

/// The reason why serializability under TSO is undecided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Open {
    /// The program has executions of TSO that are not of SC.
    NotRobust,
    /// The search for a cycle came to the end of its budget.
    Budget,
    /// Execution graphs leave out the rounds of wait loops that do nothing.
    Rounds,
}

/// The orders in which accesses are issued in the TSO executions that were looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Issues {
    /// All orders were looked at that the program has within its bounds, or that of the one execution of TSO at hand.
    All,
    /// Only the orders of the recorded executions of SC were looked at.
    Recorded,
}

/// Whether data races are violations of the model itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Races {
    Watched,
    Unwatched,
}

/// A verdict: the exit status, the JSON's word for it, and the sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Verdict {
    /// The exit status.
    pub(crate) status: Status,
    /// The word: `clean`, `violations`, `incomplete`, `unsupported`.
    pub(crate) word: &'static str,
    /// The sentence on the last line.
    pub(crate) line: String,
}

impl Verdict {
    /// Returns the verdict that something at this place is not supported.
    pub(crate) fn unsupported(what: &str, place: &Place) -> Verdict {
        let line = format!("unsupported: {}", unsupported(what, place, 1));
        Verdict { status: Status::Unsupported, word: "unsupported", line }
    }
}

/// Judges a search.
pub(crate) fn judge(facts: &Facts<'_>) -> Verdict {
    let nondeterministic = facts.violations.iter().find(|violation| violation.kind == FailureKind::Nondeterministic);
    let found = facts.violations.iter().any(|violation| violation.kind != FailureKind::Nondeterministic);
    let (status, word, sentence) = if found {
        (Status::Found, "violations", violations(facts))
    } else if let Some((what, place)) = facts.unsupported.first() {
        (Status::Unsupported, "unsupported", unsupported(what, place, facts.unsupported.len()))
    } else if let Some(violation) = nondeterministic {
        (Status::Unsupported, "unsupported", format!("the program is nondeterministic: {}", with_place(violation)))
    } else if !facts.summary.complete {
        (Status::Incomplete, "incomplete", incomplete(facts))
    } else if facts.summary.undecided > 0 {
        (Status::Incomplete, "incomplete", undecided(facts))
    } else if facts.summary.executions == 0 && facts.preemptions.is_none() {
        (Status::Incomplete, "incomplete", nothing_ended(facts))
    } else {
        (Status::Clean, "clean", clean(facts))
    };
    Verdict { status, word, line: format!("{word}: {sentence}") }
}

fn executions(summary: &Summary) -> String {
    counted(summary.executions, "execution", "executions")
}

fn bound(facts: &Facts<'_>) -> Option<String> {
    let preemptions = facts.preemptions.map(|bound| counted(u64::from(bound), "preemption", "preemptions"));
    let rounds = facts.unroll.map(|bound| format!("{} of each loop", counted(bound, "round", "rounds")));
    let delays = facts.delays.map(|bound| counted(u64::from(bound), "delayed store", "delayed stores"));
    let bounds: Vec<String> = preemptions.or(rounds).into_iter().chain(delays).collect();
    (!bounds.is_empty()).then(|| format!("at most {}", bounds.join(" and ")))
}

/// Returns the sentence where all that there is to explore was given up, so that nothing is known of the program. Within
/// preemptions it is otherwise: executions that need more are watched, though they are not counted.
fn nothing_ended(facts: &Facts<'_>) -> String {
    let bound = bound(facts).map_or_else(String::new, |bound| format!(" with {bound}"));
    let given_up = match facts.summary.blocked {
        0 => String::new(),
        count => format!(" ({count} given up {})", facts.given_up),
    };
    let more = if bound.is_empty() { "" } else { ": allow more" };
    format!("no execution{bound} comes to its end{given_up}, so nothing was checked{more}")
}

fn clean(facts: &Facts<'_>) -> String {
    let all = if facts.summary.executions == 1 { "the" } else { "all" };
    let bound = bound(facts).map_or_else(String::new, |bound| format!(" with {bound}"));
    let blocked = match facts.summary.blocked {
        0 => String::new(),
        count => format!(" ({count} more given up {})", facts.given_up),
    };
    let mut watched = Vec::new();
    if facts.monitors.iter().any(|monitor| monitor.model().is_some()) {
        let models = facts.monitors.iter().filter(|monitor| monitor.model().is_some());
        watched.push(format!("no SC violation under {}", join(models.map(|monitor| model_name(*monitor)))));
    }
    if facts.monitors.contains(&MonitorName::Race) {
        watched.push("no data race".to_string());
    }
    if facts.monitors.contains(&MonitorName::ScAtomicity) {
        watched.push("all transactions serializable under SC".to_string());
    }
    if facts.monitors.contains(&MonitorName::TsoAtomicity) {
        let orders = match (facts.issues, facts.summary.executions) {
            (Issues::All, _) => "",
            (Issues::Recorded, 1) => " in this order of issues",
            (Issues::Recorded, _) => " in these orders of issues",
        };
        watched.push(format!("all transactions serializable under TSO{orders}"));
    }
    if watched.is_empty() {
        let race = if facts.races == Races::Watched { "data race, " } else { "" };
        watched.push(format!("no {race}assertion failure, crash or deadlock"));
    }
    let watched = watched.join(", ");
    let accepted = accepted(facts).map_or_else(String::new, |accepted| format!(" but {accepted}"));
    format!("{all} {}{bound}{blocked}; {watched}{accepted}", executions(facts.summary))
}

/// Returns a note on how many findings the user has accepted, if there are any.
fn accepted(facts: &Facts<'_>) -> Option<String> {
    (facts.accepted > 0).then(|| counted(facts.accepted, "accepted finding", "accepted findings"))
}

/// Returns a list in words: `TSO`, `TSO or PSO`, `a, b or c`.
fn join(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

fn stopped(facts: &Facts<'_>) -> Option<String> {
    let reason = match facts.summary.stopped_by? {
        StoppedBy::Time => format!("--time {}", facts.time.unwrap_or_default()),
        StoppedBy::Executions => format!("--executions {}", facts.budget.unwrap_or_default()),
        StoppedBy::Events => format!("--max-events {}{}", facts.max_events, busiest(facts)),
        StoppedBy::Rounds => format!(
            "{} rounds in one execution that left everything as it was,{}",
            protocol::IDLE_ROUNDS,
            busiest(facts)
        ),
        StoppedBy::Memory => format!("--max-memory {}{}", facts.memory >> 20, busiest(facts)),
        StoppedBy::LocalTimeout => format!("--local-timeout {}s{}", facts.local_seconds, silent(facts)),
        StoppedBy::Interrupt => facts.interrupted_by.to_string(),
    };
    Some(format!("stopped by {reason}"))
}

/// Returns a note on the loop that used up an execution's events.
fn busiest(facts: &Facts<'_>) -> String {
    let Some(busiest) = &facts.summary.busiest else { return String::new() };
    let function =
        if busiest.function.is_empty() { String::new() } else { format!(" in {}", printable(&busiest.function)) };
    let times = counted(busiest.rounds, "time", "times");
    format!(
        " where {} went round the loop at {}{function} {times}",
        Threads::Created.name(busiest.thread),
        full_place(&busiest.place)
    )
}

/// Returns a note on the thread that computed for too long.
fn silent(facts: &Facts<'_>) -> String {
    let Some(silence) = &facts.summary.silence else { return String::new() };
    let function = if silence.function.is_empty() { "code".to_string() } else { printable(&silence.function) };
    let thread = Threads::Created.name(silence.thread);
    format!(", in which {thread} did nothing that others could see in {function} at {}", full_place(&silence.place))
}

fn incomplete(facts: &Facts<'_>) -> String {
    let why = stopped(facts).unwrap_or_else(|| "not all were explored".to_string());
    let nothing = accepted(facts).map_or_else(|| "nothing".to_string(), |accepted| format!("nothing but {accepted}"));
    format!("{}{}, {why}; {nothing} found", executions(facts.summary), of_the_whole(facts))
}

/// Of how many executions those are that were run: ` of about 2.9 million ± 40000`.
fn of_the_whole(facts: &Facts<'_>) -> String {
    let Some(Estimate { executions, error }) = facts.whole else { return String::new() };
    format!(" of about {} ± {}", rounded(executions), rounded(error))
}

/// Returns a note on what is open although nothing was found.
fn undecided(facts: &Facts<'_>) -> String {
    let count = facts.summary.undecided;
    let why = match facts.open {
        Open::NotRobust => format!(
            "{} TSO executions that are not sequentially consistent, so serializability under TSO is undecided: \
             check --model tso --monitor tso-atomicity, or end each transaction with a full fence",
            counted(count, "of them has", "of them have")
        ),
        Open::Rounds if !facts.monitors.contains(&MonitorName::TsoAtomicity) => {
            "an SC violation may go through rounds of wait loops, which execution graphs leave out: with loops of a few \
             rounds in their place it is decided, and --model sc looks at the rounds, too"
                .to_owned()
        }
        Open::Rounds => {
            "a cycle of transactions may go through rounds of wait loops, which execution graphs leave out, so \
             serializability under TSO is undecided: with loops of a few rounds in their place it is decided"
                .to_owned()
        }
        Open::Budget => format!(
            "the search for a cycle in {count} of them came to the end of its budget, so serializability under TSO is \
             undecided"
        ),
    };
    format!("{}; nothing found, but {why}", executions(facts.summary))
}

fn unsupported(what: &str, place: &Place, count: usize) -> String {
    let more = if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
    format!("{} at {}{more}", printable(what), full_place(place))
}

fn with_place(violation: &Violation) -> String {
    let message = printable(&violation.message);
    match violation.sites.first() {
        Some(site) => format!("{message}, at {}", full_place(&site.place)),
        None => message,
    }
}

fn violations(facts: &Facts<'_>) -> String {
    let mut parts = Vec::new();
    for (kind, one, more) in KINDS {
        match facts.violations.iter().filter(|violation| violation.kind == kind).count() {
            0 => {}
            count => parts.push(counted(count as u64, one, more)),
        }
    }
    parts.extend(monitored(facts));
    parts.extend(accepted(facts));
    let bound = bound(facts).map_or_else(String::new, |bound| format!(" ({bound})"));
    let stopped = stopped(facts).map_or_else(String::new, |why| format!(", {why}"));
    let ended = match facts.unsupported.first() {
        Some((what, place)) => {
            format!("; ended by something unsupported: {}", unsupported(what, place, facts.unsupported.len()))
        }
        None => String::new(),
    };
    format!("{} in {}{bound}{stopped}{ended}", parts.join(", "), executions(facts.summary))
}

/// Returns the monitors' results in words: `3 distinct SC violations under TSO, 5 under PSO`; monitors that found nothing come
/// last, as `none under TSO`.
fn monitored(facts: &Facts<'_>) -> Vec<String> {
    let distinct = |monitor: MonitorName| {
        let count =
            facts.summary.monitors.iter().find(|entry| entry.monitor == monitor).map_or(0, |entry| entry.distinct);
        let reported = facts.violations.iter().filter(|violation| violation.monitor == Some(monitor)).count();
        count.max(reported as u64)
    };
    let models = facts.monitors.iter().filter(|monitor| monitor.model().is_some());
    let counts: Vec<(MonitorName, u64)> = models.map(|monitor| (*monitor, distinct(*monitor))).collect();
    if counts.iter().all(|(_, count)| *count == 0) {
        return Vec::new();
    }
    let some = counts.iter().filter(|(_, count)| *count > 0).enumerate().map(|(index, (monitor, count))| {
        let noun = if *count == 1 { "distinct SC violation " } else { "distinct SC violations " };
        format!("{count} {}under {}", if index == 0 { noun } else { "" }, model_name(*monitor))
    });
    let none = counts
        .iter()
        .filter(|(_, count)| *count == 0)
        .map(|(monitor, _)| format!("none under {}", model_name(*monitor)));
    some.chain(none).collect()
}

const KINDS: [(FailureKind, &str, &str); 16] = [
    (FailureKind::Atomicity, "atomicity violation", "atomicity violations"),
    (FailureKind::Race, "data race", "data races"),
    (FailureKind::Assertion, "assertion", "assertions"),
    (FailureKind::ExitStatus, "failing exit", "failing exits"),
    (FailureKind::Crash, "crash", "crashes"),
    (FailureKind::Deadlock, "deadlock", "deadlocks"),
    (FailureKind::LostWakeup, "lost wake-up", "lost wake-ups"),
    (FailureKind::Livelock, "livelock", "livelocks"),
    (FailureKind::DoubleFree, "double free", "double frees"),
    (FailureKind::InvalidFree, "invalid free", "invalid frees"),
    (FailureKind::UseAfterFree, "use after free", "uses after free"),
    (FailureKind::OutOfBounds, "access out of bounds", "accesses out of bounds"),
    (FailureKind::Leak, "leak", "leaks"),
    (FailureKind::Misuse, "misuse", "misuses"),
    (FailureKind::Uninitialised, "use of a value never written", "uses of values never written"),
    (FailureKind::Nondeterministic, "nondeterminism", "nondeterminisms"),
];

#[cfg(test)]
mod tests {
    use protocol::{BusyLoop, FailureKind, MonitorCount, MonitorName, Place, StoppedBy, Summary, Violation};

    use super::{Facts, Issues, Open, Races, judge};
    use crate::exit::Status;
    use crate::report::samples;

    fn summary(executions: u64, distinct: &[(MonitorName, u64)]) -> Summary {
        let count = |(monitor, distinct): &(MonitorName, u64)| MonitorCount {
            monitor: *monitor,
            reporting: *distinct,
            distinct: *distinct,
            distinct_triples: *distinct,
            first: None,
        };
        let monitors = distinct.iter().map(count).collect();
        Summary { complete: true, stopped_by: None, executions, monitors, ..Summary::nothing() }
    }

    fn line(change: impl FnOnce(&mut Facts<'_>), summary: &Summary, violations: &[Violation]) -> (Status, String) {
        let mut facts = Facts {
            preemptions: Some(2),
            delays: None,
            unroll: None,
            monitors: &[MonitorName::Tso, MonitorName::Pso],
            time: Some("30s"),
            budget: Some(100),
            interrupted_by: "Ctrl-C",
            open: Open::NotRobust,
            issues: Issues::All,
            races: Races::Unwatched,
            given_up: "at an assumption",
            max_events: 100_000,
            memory: 1 << 30,
            local_seconds: 10,
            whole: None,
            summary,
            accepted: 0,
            violations,
            unsupported: &[],
        };
        change(&mut facts);
        let verdict = judge(&facts);
        (verdict.status, verdict.line)
    }

    #[test]
    fn what_is_serializable_is_said_with_the_orders_of_issues() {
        let sentence = |issues, executions| {
            let watched = |facts: &mut Facts<'_>| {
                (facts.preemptions, facts.monitors, facts.issues) = (None, &[MonitorName::TsoAtomicity], issues);
            };
            line(watched, &summary(executions, &[]), &[]).1
        };
        let serializable = "all transactions serializable under TSO";
        assert_eq!(sentence(Issues::All, 6), format!("clean: all 6 executions; {serializable}"));
        let these = format!("clean: all 6 executions; {serializable} in these orders of issues");
        assert_eq!(sentence(Issues::Recorded, 6), these);
        let this = format!("clean: the 1 execution; {serializable} in this order of issues");
        assert_eq!(sentence(Issues::Recorded, 1), this);
    }

    #[test]
    fn clean() {
        let sentence = |change: fn(&mut Facts<'_>), executions| line(change, &summary(executions, &[]), &[]).1;
        assert_eq!(
            sentence(|_| {}, 1714),
            "clean: all 1714 executions with at most 2 preemptions; no SC violation under TSO or PSO"
        );
        assert_eq!(
            sentence(|facts| facts.preemptions = Some(1), 1),
            "clean: the 1 execution with at most 1 preemption; no SC violation under TSO or PSO"
        );
        let unrolled = |facts: &mut Facts<'_>| {
            facts.preemptions = None;
            facts.unroll = Some(3);
            facts.monitors = &[];
        };
        assert_eq!(
            sentence(unrolled, 6),
            "clean: all 6 executions with at most 3 rounds of each loop; no assertion failure, crash or deadlock"
        );
        let unwatched = |facts: &mut Facts<'_>| {
            facts.preemptions = None;
            facts.monitors = &[];
        };
        assert_eq!(sentence(unwatched, 6), "clean: all 6 executions; no assertion failure, crash or deadlock");
        let races = |facts: &mut Facts<'_>| {
            facts.preemptions = None;
            facts.monitors = &[MonitorName::Race];
        };
        assert_eq!(sentence(races, 6), "clean: all 6 executions; no data race");
        let both = |facts: &mut Facts<'_>| {
            facts.preemptions = None;
            facts.monitors = &[MonitorName::Race, MonitorName::Tso];
        };
        assert_eq!(sentence(both, 6), "clean: all 6 executions; no SC violation under TSO, no data race");
    }

    #[test]
    fn violations() {
        let sc = samples::store_buffering();
        let assertion = Violation { kind: FailureKind::Assertion, monitor: None, ..sc.clone() };
        let (tso, pso) = (MonitorName::Tso, MonitorName::Pso);
        let (status, text) = line(|_| {}, &summary(1714, &[(tso, 3), (pso, 5)]), std::slice::from_ref(&sc));
        assert_eq!(status, Status::Found);
        assert_eq!(
            text,
            "violations: 3 distinct SC violations under TSO, 5 under PSO in 1714 executions (at most 2 preemptions)"
        );
        let race = Violation { kind: FailureKind::Race, monitor: Some(MonitorName::Race), ..sc.clone() };
        assert_eq!(
            line(
                |facts| facts.monitors = &[MonitorName::Tso, MonitorName::Race],
                &summary(7, &[(tso, 0), (MonitorName::Race, 1)]),
                &[race]
            )
            .1,
            "violations: 1 data race in 7 executions (at most 2 preemptions)"
        );
        let mut stopped = summary(1, &[(tso, 0), (pso, 1)]);
        stopped.stopped_by = Some(StoppedBy::Executions);
        let pso_only = Violation { monitor: Some(pso), ..sc };
        assert_eq!(
            line(|facts| facts.preemptions = None, &stopped, &[assertion.clone(), pso_only]).1,
            "violations: 1 assertion, 1 distinct SC violation under PSO, none under TSO in 1 execution, stopped by \
             --executions 100"
        );
        assert_eq!(
            line(|_| {}, &summary(7, &[(tso, 0), (pso, 0)]), &[assertion.clone(), assertion]).1,
            "violations: 2 assertions in 7 executions (at most 2 preemptions)"
        );
    }

    #[test]
    fn what_is_complete_within_its_bound_is_clean_though_more_was_to_come() {
        let within = Summary { stopped_by: Some(StoppedBy::Time), ..summary(14, &[]) };
        let expected = "clean: all 14 executions with at most 2 preemptions; no SC violation under TSO or PSO";
        assert_eq!(line(|_| {}, &within, &[]), (Status::Clean, expected.to_string()));
    }

    #[test]
    fn where_nothing_ends_nothing_is_clean() {
        let none = Summary { blocked: 5, ..summary(0, &[]) };
        let expected = "incomplete: no execution with at most 1 round of each loop comes to its end (5 given up at an \
                        assumption), so nothing was checked: allow more";
        let change = |facts: &mut Facts<'_>| {
            (facts.preemptions, facts.unroll, facts.given_up) = (None, Some(1), "at an assumption");
        };
        assert_eq!(line(change, &none, &[]), (Status::Incomplete, expected.to_string()));
    }

    #[test]
    fn incomplete() {
        let mut stopped = Summary { complete: false, ..summary(120_000, &[]) };
        let mut sentence = |reason| {
            stopped.stopped_by = Some(reason);
            line(|_| {}, &stopped, &[])
        };
        let expected = "incomplete: 120000 executions, stopped by --time 30s; nothing found";
        assert_eq!(sentence(StoppedBy::Time), (Status::Incomplete, expected.to_string()));
        assert!(sentence(StoppedBy::Events).1.contains("stopped by --max-events 100000;"));
        let place = Place::new("a.c".to_string(), 3, 7);
        stopped.stopped_by = Some(StoppedBy::Events);
        stopped.busiest = Some(BusyLoop { thread: 1, place, function: "wait".to_string(), rounds: 33_331 });
        assert_eq!(
            line(|_| {}, &stopped, &[]).1,
            "incomplete: 120000 executions, stopped by --max-events 100000 where T1 went round the loop at a.c:3:7 in \
             wait 33331 times; nothing found"
        );
        stopped.stopped_by = Some(StoppedBy::Rounds);
        assert!(
            line(|_| {}, &stopped, &[])
                .1
                .contains("200 rounds in one execution that left everything as it was, where T1 went round")
        );
        stopped.stopped_by = Some(StoppedBy::Memory);
        assert!(line(|_| {}, &stopped, &[]).1.contains("stopped by --max-memory 1024 where T1 went round the loop at"));
        assert_eq!(
            line(|_| {}, &Summary::nothing(), &[]).1,
            "incomplete: 0 executions, stopped by Ctrl-C; nothing found"
        );
    }

    #[test]
    fn unsupported() {
        let place = Place::new("a.c".to_string(), 3, 7);
        let (status, text) = line(
            |facts| facts.unsupported = &[],
            &summary(0, &[]),
            &[Violation {
                kind: FailureKind::Nondeterministic,
                monitor: None,
                message: "read another value than before".to_string(),
                ..samples::store_buffering()
            }],
        );
        assert_eq!(status, Status::Unsupported);
        assert_eq!(text, "unsupported: the program is nondeterministic: read another value than before, at sb.c:8:5");
        let needed = [("fork".to_string(), place)];
        let summary = summary(3, &[]);
        let facts = Facts {
            preemptions: Some(2),
            delays: None,
            unroll: None,
            monitors: &[],
            time: None,
            budget: None,
            interrupted_by: "Ctrl-C",
            max_events: 1,
            memory: 1,
            local_seconds: 10,
            open: Open::NotRobust,
            issues: Issues::All,
            races: Races::Unwatched,
            given_up: "at an assumption",
            whole: None,
            summary: &summary,
            accepted: 0,
            violations: &[],
            unsupported: &needed,
        };
        assert_eq!(judge(&facts).line, "unsupported: fork at a.c:3:7");
    }
}
