//! The text of a finding: where it is in the source, the execution with one column a thread, and why it is a violation, in words.
//! The same text for the terminal, for `replay` and for `report.txt`.
//!
//! Everything is a pure function of the finding, the trace and the sources: the same finding gives the same bytes.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

use owo_colors::OwoColorize;
use protocol::{FailureKind, MonitorName, Operation, Role, SiteUse, Trace, Violation};

use super::columns::{self, Lane, Row, Table};
use super::cycle;
use super::excerpt::{self, Sources};
use super::graph;
use super::names::{Threads, frame_place, model_name, short_place};
use crate::screen::Width;
use crate::text::printable;

/// A violation with all that can be shown of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// The violation's id.
    pub(crate) id: &'a str,
    /// The violation.
    pub(crate) violation: &'a Violation,
    /// The execution, if it was run again.
    pub(crate) trace: Option<&'a Trace>,
    /// The monitors that watched, in the order of the trace's store buffers.
    pub(crate) monitors: &'a [MonitorName],
    /// The folder of the finding; empty in the finding's own replay.
    pub(crate) folder: &'a str,
    /// The lines of advice what to do about it.
    pub(crate) help: &'a [String],
    /// The options that the user adds to the command that replays it.
    pub(crate) again: &'a [String],
    /// The names of its threads.
    pub(crate) threads: Threads,
}

/// The amount of a finding that is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Detail {
    /// Only the excerpts of the source are shown.
    Excerpts,
    /// The events of the execution that matter are shown, too.
    Execution,
    /// Every event of the execution is shown, too.
    Everything,
}

/// Returns the text of a finding, in full or in part.
pub(crate) fn full(subject: &Subject<'_>, detail: Detail, width: Width, sources: &mut Sources) -> String {
    let violation = subject.violation;
    let mut text =
        format!("{}{} {}\n", printable(subject.id).red().bold(), ":".red().bold(), headline(violation).bold());
    if !violation.message.is_empty() {
        for line in violation.message.lines() {
            let _ = writeln!(text, "  {}", printable(line));
        }
    }
    text.push('\n');
    for site in shown_sites(violation) {
        text.push_str(&excerpt::excerpt(&site.place, &site_words(site, subject.threads), sources));
    }
    if detail != Detail::Excerpts
        && let Some(trace) = subject.trace
    {
        text.push('\n');
        text.push_str(&execution(subject, trace, detail, width));
    }
    text.push_str(&help(subject.help));
    if !subject.folder.is_empty() {
        let _ = write!(text, "\n  {} {}\n", "replay:".bold(), replay_line(subject.folder, subject.again));
    }
    text
}

/// Returns the advice what to do about a finding.
fn help(lines: &[String]) -> String {
    let Some((first, rest)) = lines.split_first() else { return String::new() };
    let mut text = format!("\n  {} {}\n", "help:".bold(), printable(first));
    for line in rest {
        let _ = writeln!(text, "        {}", printable(line));
    }
    text
}

/// Returns a finding in one line.
pub(crate) fn line(subject: &Subject<'_>) -> String {
    let violation = subject.violation;
    let at = |role| violation.sites.iter().find(|site| site.role == role);
    let headline = headline(violation);
    let words = if let (Some(delayed), Some(overtaking)) = (at(Role::Delayed), at(Role::Overtaking)) {
        format!("{headline}: {} delayed, {} goes ahead", site_in_line(delayed), site_in_line(overtaking))
    } else {
        let place = violation.sites.first().map(|site| format!(", {}", short_place(&site.place)));
        format!("{}{}", in_words(violation), place.unwrap_or_default())
    };
    format!("{}{} {words}\n", printable(subject.id).red().bold(), ":".red().bold())
}

/// Returns a finding in one line that refers to another one, which shows the same failure under another model.
pub(crate) fn again(subject: &Subject<'_>, other: &str) -> String {
    format!("{}, as {}\n", line(subject).trim_end(), printable(other))
}

/// What is wrong, in one line, without its places: the kind, unless the message begins with it, and the message.
pub(crate) fn in_words(violation: &Violation) -> String {
    let (headline, message) = (headline(violation), printable(&violation.message));
    let first = headline.split(' ').next().unwrap_or_default();
    match message.as_str() {
        "" => headline,
        // That names the model.
        message if violation.kind == FailureKind::ScViolation => format!("{}: {message}", kind_words(violation.kind)),
        message if message.starts_with(first) => message.to_string(),
        message => format!("{headline}: {message}"),
    }
}

fn site_in_line(site: &SiteUse) -> String {
    let what = format!("{} {}", printable(site.operation.name()), printable(&site.expression));
    let caller = site.place.callers().next().map(|caller| format!(", called at {}", frame_place(caller)));
    format!("{} at {}{}", what.trim_end(), short_place(&site.place), caller.unwrap_or_default())
}

/// The command that runs a finding again.
pub(crate) fn replay_line(folder: &str, again: &[String]) -> String {
    let quoted = |word: &str| shlex::try_quote(word).map_or_else(|_| word.to_string(), Cow::into_owned);
    let mut line = format!("fencehound replay {}", quoted(folder.trim_end_matches('/')));
    for word in again {
        let _ = write!(line, " {}", quoted(word));
    }
    printable(&line)
}

/// The kind of a violation and, where it is about one, its model.
pub(crate) fn headline(violation: &Violation) -> String {
    match (violation.kind, violation.monitor) {
        (FailureKind::ScViolation, Some(monitor)) => format!("SC violation under {}", model_name(monitor)),
        (FailureKind::Atomicity, Some(MonitorName::TsoAtomicity)) => {
            "transactions not serializable under TSO".to_string()
        }
        (kind, _) => kind_words(kind).to_string(),
    }
}

fn kind_words(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::ScViolation => "SC violation",
        FailureKind::Race => "data race",
        FailureKind::Atomicity => "transactions not serializable under SC",
        FailureKind::Assertion => "assertion failed",
        FailureKind::ExitStatus => "exit status",
        FailureKind::Crash => "crash",
        FailureKind::Deadlock => "deadlock",
        FailureKind::LostWakeup => "lost wake-up",
        FailureKind::Livelock => "livelock",
        FailureKind::DoubleFree => "double free",
        FailureKind::InvalidFree => "invalid free",
        FailureKind::UseAfterFree => "use after free",
        FailureKind::OutOfBounds => "out of bounds",
        FailureKind::Leak => "leak",
        FailureKind::Misuse => "misuse",
        FailureKind::Uninitialised => "never written",
        FailureKind::Nondeterministic => "nondeterministic",
        FailureKind::Witness => "witness",
    }
}

/// Returns the sites worth an excerpt; prev is told in the cycle.
pub(crate) fn shown_sites(violation: &Violation) -> impl Iterator<Item = &SiteUse> {
    violation.sites.iter().filter(|site| site.role != Role::Previous)
}

/// What happens at a place, and in which thread and function.
pub(crate) fn site_words(site: &SiteUse, threads: Threads) -> String {
    let thread = threads.name(site.thread);
    let unnamed = site.function.is_empty() || site.function == thread;
    let function = if unnamed { String::new() } else { format!(" in {}", printable(&site.function)) };
    let of = if site.expression.is_empty() { String::new() } else { format!(" of {}", printable(&site.expression)) };
    let operation = &printable(site.operation.name());
    if site.operation == Operation::Condition {
        return "asked for here".to_string();
    }
    let words = match site.role {
        Role::Delayed => format!("this {operation}{of} may wait in the store buffer"),
        Role::Overtaking => format!("while this {operation}{of} goes ahead"),
        Role::Previous => format!("after this {operation}{of}"),
        Role::First | Role::From => format!("this {operation}{of}"),
        Role::Second => format!("is not ordered with this {operation}{of}"),
        Role::To => format!("has to come before this {operation}{of}"),
        Role::Overtaken => format!("takes effect before this earlier {operation}{of}, which waits in the store buffer"),
        Role::Until => format!("until this {operation}{of} has taken effect"),
        Role::At => "here".to_string(),
        Role::Waits => waits(site.operation, &printable(&site.expression)),
        Role::Holds if site.expression.is_empty() => {
            format!("holds since here, by this {operation}, what is waited for")
        }
        Role::Holds => format!("holds {} since here", printable(&site.expression)),
        Role::Earlier => format!("the operation on it before that, {operation}{of}"),
        Role::Freed => "the block was freed here".to_string(),
        Role::Allocated if site.operation == Operation::Declare => "the variable belongs to this function".to_string(),
        Role::Allocated => "the block was allocated here".to_string(),
    };
    format!("{thread}{function}: {words}")
}

/// Returns what a thread waits for at an operation.
fn waits(operation: Operation, expression: &str) -> String {
    let reads = operation.reads_memory();
    match (printable(operation.name()), expression) {
        (_, "") if reads => "waits here, in a loop, until this is different".to_string(),
        (_, expression) if reads => format!("waits here, in a loop, until {expression} is different"),
        (operation, "") => format!("waits here in {operation}"),
        (operation, expression) => format!("waits here in {operation} for {expression}"),
    }
}

/// Returns the execution as a table, and then the cycle in words.
fn execution(subject: &Subject<'_>, trace: &Trace, detail: Detail, width: Width) -> String {
    let violation = subject.violation;
    let marks = marks(violation, trace);
    let graph = graph_of(violation, trace);
    let story = story(violation, trace);
    let mut rows = rows(violation, trace, story.as_ref(), detail);
    let mut events = Cow::from(&trace.events);
    if let Some((end, row)) = graph.and_then(|graph| graph::end(graph, &graph::rows(graph))) {
        rows.insert(row, Row::Event(events.len()));
        events.to_mut().push(end);
    }
    let heading = match graph {
        None => "execution, as it was run:".to_string(),
        Some(graph) => format!("execution under {}, each thread in program order:", graph.model.title()),
    };
    let mut text = format!("  {}\n", heading.bold());
    let lane = lane(subject);
    let table = Table { events: &events, marks, lane, threads: subject.threads };
    for line in table.lines(&rows, width) {
        text.push_str(&line);
        text.push('\n');
    }
    let cycle = cycle_in_words(subject, trace);
    if !cycle.is_empty() {
        text.push('\n');
        text.push_str(&cycle);
    }
    text
}

/// Returns why no interleaving explains the execution, if none does; of a graph, what its relations are.
pub(crate) fn cycle_in_words(subject: &Subject<'_>, trace: &Trace) -> String {
    let violation = subject.violation;
    if let Some(graph) = graph_of(violation, trace) {
        return graph::in_words(graph, marks(violation, trace), subject.threads);
    }
    match (story(violation, trace), violation.monitor) {
        (Some(story), Some(monitor)) => story.in_words(&trace.events, &model_name(monitor), subject.threads),
        _ => String::new(),
    }
}

/// The execution graph that these events are of, if they are of one.
fn graph_of<'a>(violation: &'a Violation, trace: &Trace) -> Option<&'a protocol::Graph> {
    violation.schedule.graph.as_ref().filter(|graph| graph.events.len() == trace.events.len())
}

/// The cycle of an SC violation in an interleaving.
fn story(violation: &Violation, trace: &Trace) -> Option<cycle::Cycle> {
    let [delayed, previous, overtaking] = marks(violation, trace).filter(|_| graph_of(violation, trace).is_none())?;
    cycle::Cycle::find(&trace.events, delayed, previous, overtaking)
}

fn rows(violation: &Violation, trace: &Trace, story: Option<&cycle::Cycle>, detail: Detail) -> Vec<Row> {
    let marks = marks(violation, trace);
    let mut keep: BTreeSet<usize> = marks.into_iter().flatten().collect();
    keep.extend(story.into_iter().flat_map(cycle::Cycle::events));
    keep.extend(site_events(violation, trace));
    let end = marks.map_or(trace.events.len(), |[_, _, overtaking]| overtaking + 1);
    match (graph_of(violation, trace), detail) {
        (Some(graph), _) => graph::rows(graph).into_iter().map(Row::Event).collect(),
        (None, Detail::Everything) => (0..trace.events.len()).map(Row::Event).collect(),
        (None, Detail::Excerpts | Detail::Execution) => columns::pick(end, trace.events.len(), &keep),
    }
}

/// The events that are shown of an execution where it is not shown whole.
pub(crate) fn events_shown(violation: &Violation, trace: &Trace) -> Vec<usize> {
    let story = story(violation, trace);
    let event = |row: Row| match row {
        Row::Event(index) => Some(index),
        Row::Elided(_) => None,
    };
    rows(violation, trace, story.as_ref(), Detail::Execution).into_iter().filter_map(event).collect()
}

/// Returns the edges of the cycle by which no interleaving explains the execution, if there is one.
pub(crate) fn arrows(violation: &Violation, trace: &Trace) -> Vec<cycle::Arrow> {
    match (graph_of(violation, trace), story(violation, trace)) {
        (Some(graph), _) => graph::arrows(graph, marks(violation, trace)),
        (None, Some(story)) => story.arrows(&trace.events),
        (None, None) => Vec::new(),
    }
}

/// Returns the indices of e′, prev and e, if they are events of this trace.
pub(crate) fn marks(violation: &Violation, trace: &Trace) -> Option<[usize; 3]> {
    let indices = violation.events?.map(|index| usize::try_from(index).unwrap_or(usize::MAX));
    let inside = indices.iter().all(|index| *index < trace.events.len());
    inside.then_some(indices)
}

/// Returns the store buffers of the machine that the execution ran on, or of the monitor that reported.
pub(crate) fn lane(subject: &Subject<'_>) -> Option<Lane> {
    if let Some(machine) = subject.violation.schedule.machine {
        return Some(Lane { monitor: 0, heading: format!("store buffers ({})", machine.model.title()) });
    }
    let is_machine = subject.violation.schedule.graph.is_none();
    let monitor = subject.violation.monitor.filter(|monitor| is_machine && monitor.has_buffers())?;
    let index = subject.monitors.iter().position(|watched| *watched == monitor)?;
    // Monitors of classes simulate no buffers.
    let waits = |event: &protocol::TraceEvent| event.pending.get(index).is_some_and(|pending| !pending.is_empty());
    let has_buffers = subject.trace.is_some_and(|trace| trace.events.iter().any(waits));
    has_buffers.then(|| Lane { monitor: index, heading: format!("store buffers ({})", model_name(monitor)) })
}

/// Returns the last event at each site of a failure.
fn site_events(violation: &Violation, trace: &Trace) -> Vec<usize> {
    if violation.kind == FailureKind::ScViolation {
        return Vec::new();
    }
    let last = |site: &SiteUse| {
        trace.events.iter().rposition(|event| event.thread == site.thread && event.place == site.place)
    };
    violation.sites.iter().filter_map(last).collect()
}

#[cfg(test)]
mod tests {
    use super::{Detail, Subject, full, line};
    use crate::report::excerpt::Sources;
    use crate::report::names::Threads;
    use crate::report::samples;
    use crate::screen::{Width, plain};

    fn source_folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("sb.c"), samples::SOURCE).unwrap();
        folder
    }

    #[test]
    fn store_buffering_in_full() {
        let folder = source_folder();
        let violation = samples::store_buffering();
        let trace = samples::trace();
        let subject = Subject {
            id: "tso-1",
            violation: &violation,
            trace: Some(&trace),
            monitors: &[protocol::MonitorName::Tso],
            folder: "fencehound-out/tso-1/",
            help: &[],
            again: &[],
            threads: Threads::Created,
        };
        let text = full(&subject, Detail::Execution, Width::Unlimited, &mut Sources::new([folder.path().into()]));
        assert_eq!(plain(&text), samples::REPORT, "\n{}", plain(&text));
    }

    #[test]
    fn store_buffering_in_one_line() {
        let violation = samples::store_buffering();
        let subject = Subject {
            id: "tso-1",
            violation: &violation,
            trace: None,
            monitors: &[],
            folder: "fencehound-out/tso-1/",
            help: &[],
            again: &[],
            threads: Threads::Created,
        };
        assert_eq!(
            plain(&line(&subject)),
            "tso-1: SC violation under TSO: store x at sb.c:8 delayed, load x at sb.c:15 goes ahead\n"
        );
    }

    #[test]
    fn a_deadlock_shows_who_waits() {
        let folder = source_folder();
        let violation = samples::deadlock();
        let trace = samples::trace();
        let subject = Subject {
            id: "deadlock-1",
            violation: &violation,
            trace: Some(&trace),
            monitors: &[],
            folder: "",
            help: &[],
            again: &[],
            threads: Threads::Created,
        };
        let text =
            plain(&full(&subject, Detail::Excerpts, Width::Unlimited, &mut Sources::new([folder.path().into()])));
        assert_eq!(text, samples::DEADLOCK_REPORT, "\n{text}");
    }
}
