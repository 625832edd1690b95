//! The machine-readable result: the shape of `check --json`, whose keys and their order are a contract.

use std::collections::BTreeMap;

use engine::explore::estimate::Estimate;
use protocol::{Frame, LeftWaiting, MonitorName, Place, Role, Summary};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::programs::acceptance::Acceptance;
use crate::programs::accepted::Unmatched;
use crate::programs::consequences::Consequence;
use crate::programs::models;
use crate::programs::repair::help::Help;
use crate::report::finding::Subject;
use crate::report::names::model_of;

/// Values by name, in the order given.
#[derive(Clone, PartialEq, Debug)]
struct Keyed<T, K = &'static str>(Vec<(K, T)>);

impl<T, K> Keyed<T, K> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Serialize, K: Serialize> Serialize for Keyed<T, K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

const TOOL: Tool = Tool { name: "fencehound", version: env!("CARGO_PKG_VERSION") };
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Bound {
    preemptions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delays: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unroll: Option<u64>,
}

#[derive(Serialize)]
struct ByBound {
    preemptions: u32,
    executions: u64,
    reporting: Keyed<u64>,
}

#[derive(Serialize)]
struct First {
    executions: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct Site<'a> {
    role: Role,
    thread: u32,
    file: &'a str,
    line: u32,
    column: u32,
    operation: &'static str,
    expression: &'a str,
    function: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stack: &'a [Frame],
}

#[derive(Serialize)]
struct Found<'a> {
    id: &'a str,
    kind: &'static str,
    model: &'static str,
    monitor: Option<&'static str>,
    message: &'a str,
    sites: Vec<Site<'a>>,
    executions: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    circular: bool,
    finding: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<&'a Acceptance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consequence: Option<&'a Consequence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judgement: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a Help>,
}

/// A thing that the program needs and that is not supported.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Unsupported<'a> {
    /// The description of the thing.
    pub(crate) what: &'a str,
    /// The file that asks for it.
    pub(crate) file: &'a str,
    /// The line in that file.
    pub(crate) line: u32,
    /// The column in that line.
    pub(crate) column: u32,
}

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    tool: Tool,
    target: &'a str,
    model: &'static str,
    explorer: &'static str,
    monitors: Vec<&'static str>,
    bound: Bound,
    complete: bool,
    stopped_by: Option<&'static str>,
    undecided: u64,
    verdict: &'static str,
    executions: u64,
    blocked: u64,
    events: u64,
    mean_events: f64,
    seconds: f64,
    by_bound: Vec<ByBound>,
    reporting: Keyed<u64>,
    first: Keyed<First>,
    distinct: Keyed<u64>,
    distinct_triples: Keyed<u64>,
    violations: Vec<Found<'a>>,
    uninstrumented: &'a [String],
    assumptions: &'a [String],
    runs: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unsupported: Vec<Unsupported<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<Extent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    busiest_loop: Option<Busiest<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    silent_thread: Option<Silent<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    exit_statuses: &'a BTreeMap<i32, u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_waiting: Vec<Waiting<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outcomes: Vec<&'a str>,
    #[serde(skip_serializing_if = "Keyed::is_empty")]
    models: Keyed<models::Entry<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    unmatched: &'a [Unmatched],
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    litmus: Option<LitmusReport<'a>>,
}

/// How far a search has come that was stopped, by an estimate.
#[derive(Clone, Copy, Serialize)]
struct Extent {
    /// The part that is done, from 0 to 1.
    share: f64,
    /// How many executions there are in all.
    executions: f64,
    /// The standard error of that number.
    error: f64,
}

impl Extent {
    fn of(whole: Estimate, done: u64) -> Self {
        let executions = whole.executions.round();
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let share = (done as f64 / executions).min(1.0);
        Self { share, executions, error: whole.error.round() }
    }
}

/// The loop that used up the events of the execution that ended the search.
#[derive(Serialize)]
struct Busiest<'a> {
    thread: u32,
    file: &'a str,
    line: u32,
    column: u32,
    function: &'a str,
    rounds: u64,
}

/// A thread that still waited when the process ended.
#[derive(Serialize)]
struct Waiting<'a> {
    thread: u32,
    file: &'a str,
    line: u32,
    column: u32,
    message: &'a str,
}

impl<'a> Waiting<'a> {
    fn of(left: &'a LeftWaiting) -> Self {
        let Place { file, line, column, .. } = &left.place;
        Self { thread: left.thread, file, line: *line, column: *column, message: &left.message }
    }
}

/// The thread that computed for longer than it may, which ended the search.
#[derive(Serialize)]
struct Silent<'a> {
    thread: u32,
    file: &'a str,
    line: u32,
    column: u32,
    function: &'a str,
}

#[derive(Serialize)]
struct LitmusReport<'a> {
    states: Keyed<u64, String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    circular_states: &'a [String],
    condition: &'a str,
    observation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<&'a str>,
}

#[derive(Serialize)]
struct ErrorReport<'a> {
    schema: u32,
    tool: Tool,
    target: &'a str,
    model: &'static str,
    verdict: &'static str,
    message: &'a str,
}

/// A violation in a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    /// The violation, with all that can be shown of it.
    pub(crate) subject: Subject<'a>,
    /// The folder of its finding, if it has one.
    pub(crate) finding: Option<&'a str>,
    /// Its fingerprint, if it has one.
    pub(crate) fingerprint: Option<&'a str>,
    /// The reason why it is accepted, if it is.
    pub(crate) accepted: Option<&'a Acceptance>,
    /// The number of executions that show it.
    pub(crate) executions: u64,
    /// Whether these executions have a cycle of program order and reads-from, each of them.
    pub(crate) circular: bool,
    /// The consequence of an SC violation in relaxed executions, if that was looked for.
    pub(crate) consequence: Option<&'a Consequence>,
    /// The judgement on it, if it was judged.
    pub(crate) judgement: Option<&'static str>,
    /// The advice what to do about it, if that was looked for.
    pub(crate) help: Option<&'a Help>,
    /// What it counts as, if it is not accepted.
    pub(crate) counts: CountsAs,
}

/// What a violation is to the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CountsAs {
    /// A violation, by itself or with what its judgement says.
    Violation,
    /// It is open what comes of it.
    Open,
    /// Nothing: it is harmless, or under a model that nobody asked for.
    Nothing,
}

/// The parts of a result.
#[derive(Debug)]
pub(crate) struct Outcome<'a> {
    /// The targets, joined by spaces.
    pub(crate) target: &'a str,
    /// The memory model.
    pub(crate) model: &'static str,
    /// The explorer.
    pub(crate) explorer: &'static str,
    /// The preemption bound.
    pub(crate) preemptions: Option<u32>,
    /// The bound on stores that are delayed at a time.
    pub(crate) delays: Option<u32>,
    /// The bound on rounds of loops.
    pub(crate) unroll: Option<u64>,
    /// The monitors, as the user named them.
    pub(crate) monitors: &'a [MonitorName],
    /// The word of the verdict: `clean`, `violations`, `incomplete`, `unsupported`.
    pub(crate) verdict: &'static str,
    /// The verdict on this result in a sentence, as the last line says it.
    pub(crate) sentence: String,
    /// The limit that stopped the search: `time`, `executions`, `events`, `local-timeout`, `interrupt`.
    pub(crate) stopped_by: Option<&'static str>,
    /// How many executions there are in all, about, if the search was stopped before its end.
    pub(crate) whole: Option<Estimate>,
    /// The counts.
    pub(crate) summary: &'a Summary,
    /// The violations.
    pub(crate) violations: &'a [Entry<'a>],
    /// The things that are not supported.
    pub(crate) unsupported: Vec<Unsupported<'a>>,
    /// The entries and annotations that accept findings and match none.
    pub(crate) unmatched: &'a [Unmatched],
    /// The models under which the program was judged.
    pub(crate) models: Vec<(&'static str, models::Entry<'a>)>,
    /// The further parts of a litmus test's result.
    pub(crate) litmus: Option<Litmus<'a>>,
}

impl Outcome<'_> {
    /// Returns the ends that no sequentially consistent execution has, where no finding stands for them: nothing was watched.
    pub(crate) fn new_ends(&self) -> Vec<models::NewEnd> {
        if !self.violations.is_empty() {
            return Vec::new();
        }
        self.models.iter().filter_map(|(model, entry)| entry.new_end(self.target, model)).collect()
    }
}

/// The parts that only the result of a litmus test has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Litmus<'a> {
    /// The final states, each with its number of executions.
    pub(crate) states: Vec<(String, u64)>,
    /// The states that only executions have in which program order and reads-from have a cycle.
    pub(crate) circular: Vec<String>,
    /// The condition.
    pub(crate) condition: &'a str,
    /// The word `Never`, `Sometimes` or `Always`.
    pub(crate) observation: &'static str,
    /// The folder of an execution that answers `exists`, if it is kept.
    pub(crate) witness: Option<&'a str>,
}

/// Results as JSON text: one object if there is one, an array else.
pub(crate) fn results(outcomes: &[Outcome<'_>]) -> String {
    let mut reports: Vec<Report<'_>> = outcomes.iter().map(report).collect();
    match (reports.pop(), reports.is_empty()) {
        (Some(only), true) => text(&only),
        (last, _) => {
            reports.extend(last);
            text(&reports)
        }
    }
}

fn report<'a>(outcome: &'a Outcome<'_>) -> Report<'a> {
    let summary = outcome.summary;
    let monitors = outcome.monitors;
    let counts = |count: fn(&protocol::MonitorCount) -> u64| {
        let of =
            |monitor: &MonitorName| summary.monitors.iter().find(|entry| entry.monitor == *monitor).map_or(0, count);
        Keyed(monitors.iter().map(|monitor| (monitor.name(), of(monitor))).collect())
    };
    let first = |entry: &protocol::MonitorCount| {
        let first = entry.first.as_ref()?;
        Some((entry.monitor.name(), First { executions: first.executions, seconds: first.seconds }))
    };
    let litmus = outcome.litmus.as_ref().map(|litmus| LitmusReport {
        states: Keyed(litmus.states.clone()),
        circular_states: &litmus.circular,
        condition: litmus.condition,
        observation: litmus.observation,
        witness: litmus.witness,
    });
    Report {
        schema: SCHEMA,
        tool: TOOL,
        target: outcome.target,
        model: outcome.model,
        explorer: outcome.explorer,
        monitors: monitors.iter().map(|monitor| monitor.name()).collect(),
        bound: Bound { preemptions: outcome.preemptions, delays: outcome.delays, unroll: outcome.unroll },
        complete: summary.complete,
        stopped_by: outcome.stopped_by,
        undecided: summary.undecided,
        verdict: outcome.verdict,
        executions: summary.executions,
        blocked: summary.blocked,
        events: summary.events,
        mean_events: mean(summary.events, summary.executions),
        seconds: summary.seconds,
        by_bound: by_bound(summary, monitors),
        reporting: counts(|entry| entry.reporting),
        first: Keyed(summary.monitors.iter().filter_map(first).collect()),
        distinct: counts(|entry| entry.distinct),
        distinct_triples: counts(|entry| entry.distinct_triples),
        violations: outcome.violations.iter().map(|entry| found(entry, outcome.model)).collect(),
        uninstrumented: &summary.uninstrumented,
        assumptions: &summary.assumptions,
        exit_statuses: &summary.exit_statuses,
        left_waiting: summary.left_waiting.iter().map(Waiting::of).collect(),
        outcomes: summary.outcomes.all(),
        runs: summary.runs,
        unsupported: outcome.unsupported.clone(),
        progress: outcome.whole.map(|whole| Extent::of(whole, summary.executions)),
        busiest_loop: summary.busiest.as_ref().map(|busiest| Busiest {
            thread: busiest.thread,
            file: &busiest.place.file,
            line: busiest.place.line,
            column: busiest.place.column,
            function: &busiest.function,
            rounds: busiest.rounds,
        }),
        silent_thread: summary.silence.as_ref().map(|silence| Silent {
            thread: silence.thread,
            file: &silence.place.file,
            line: silence.place.line,
            column: silence.place.column,
            function: &silence.function,
        }),
        models: Keyed(outcome.models.clone()),
        unmatched: outcome.unmatched,
        litmus,
    }
}

/// Returns the result of `fences`.
pub(crate) fn fences(report: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Whole<'a, R> {
        schema: u32,
        tool: Tool,
        #[serde(flatten)]
        report: &'a R,
    }
    text(&Whole { schema: SCHEMA, tool: TOOL, report })
}

/// Returns the result of a run that failed.
pub(crate) fn error(target: &str, message: &str) -> String {
    text(&ErrorReport { schema: SCHEMA, tool: TOOL, target, model: "sc", verdict: "error", message })
}

fn text(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a result has string keys only");
    text.push('\n');
    text
}

#[expect(clippy::cast_precision_loss, reason = "a mean of more than 2^53 events need not be exact")]
fn mean(events: u64, executions: u64) -> f64 {
    if executions == 0 { 0.0 } else { events as f64 / executions as f64 }
}

fn by_bound(summary: &Summary, monitors: &[MonitorName]) -> Vec<ByBound> {
    let row = |count: &protocol::BoundCount| ByBound {
        preemptions: count.preemptions,
        executions: count.executions,
        reporting: Keyed(
            monitors
                .iter()
                .map(|monitor| (monitor.name(), count.reporting.get(monitor).copied().unwrap_or(0)))
                .collect(),
        ),
    };
    summary.by_bound.iter().map(row).collect()
}

fn found<'a>(entry: &Entry<'a>, explored: &'static str) -> Found<'a> {
    let violation = entry.subject.violation;
    let site = |site: &'a protocol::SiteUse| Site {
        role: site.role,
        thread: site.thread,
        file: &site.place.file,
        line: site.place.line,
        column: site.place.column,
        operation: site.operation.name(),
        expression: &site.expression,
        function: &site.function,
        stack: &site.place.stack,
    };
    Found {
        id: entry.subject.id,
        kind: violation.kind.name(),
        model: model_of(violation, explored),
        monitor: violation.monitor.map(MonitorName::name),
        message: &violation.message,
        sites: violation.sites.iter().map(site).collect(),
        executions: entry.executions,
        circular: entry.circular,
        finding: entry.finding,
        fingerprint: entry.fingerprint,
        accepted: entry.accepted,
        consequence: entry.consequence,
        judgement: entry.judgement,
        help: entry.help,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use protocol::{BoundCount, FirstReport, MonitorCount, MonitorName, Summary};

    use super::{CountsAs, Entry, Outcome, error, results};
    use crate::report::samples;

    fn summary() -> Summary {
        Summary {
            complete: true,
            stopped_by: None,
            executions: 4,
            blocked: 0,
            runs: 5,
            events: 30,
            seconds: 0.5,
            by_bound: vec![BoundCount {
                preemptions: 0,
                executions: 4,
                reporting: BTreeMap::from([(MonitorName::Tso, 1)]),
            }],
            monitors: vec![MonitorCount {
                monitor: MonitorName::Tso,
                reporting: 1,
                distinct: 1,
                distinct_triples: 2,
                first: Some(FirstReport { executions: 3, seconds: 0.25 }),
            }],
            violation_executions: vec![1],
            grounds: Vec::new(),
            uninstrumented: vec!["getrandom".to_string()],
            assumptions: Vec::new(),
            exit_statuses: BTreeMap::new(),
            outcomes: protocol::Outcomes::default(),
            finals: protocol::Finals::default(),
            busiest: None,
            silence: None,
            undecided: 0,
            containments: Vec::new(),
            obstacle: None,
            atomics: Vec::new(),
            leaves_out_rounds: false,
            leaves_out_classes: false,
            left_waiting: Vec::new(),
        }
    }

    #[test]
    fn a_result_has_the_keys_of_the_contract_in_their_order() {
        let summary = summary();
        let violation = samples::store_buffering();
        let entry = Entry {
            subject: samples::subject(&violation, None),
            finding: Some("fencehound-out/tso-1/"),
            fingerprint: Some("0123456789abcdef"),
            accepted: None,
            executions: 1,
            circular: false,
            consequence: None,
            judgement: None,
            help: None,
            counts: CountsAs::Violation,
        };
        let json = results(&[Outcome {
            target: "sb.c",
            model: "sc",
            explorer: "bounded",
            models: Vec::new(),
            unmatched: &[],
            litmus: None,
            preemptions: Some(2),
            delays: None,
            unroll: None,
            monitors: &[MonitorName::Tso, MonitorName::Pso],
            verdict: "violations",
            sentence: String::new(),
            stopped_by: None,
            whole: None,
            summary: &summary,
            violations: &[entry],
            unsupported: Vec::new(),
        }]);
        let compact: String = json.lines().map(str::trim_start).collect();
        let version = env!("CARGO_PKG_VERSION");
        let expected = format!(
            r#"{{"schema": 1,"tool": {{"name": "fencehound","version": "{version}"}},"target": "sb.c","model": "sc","explorer": "bounded","monitors": ["tso","pso"],"bound": {{"preemptions": 2}},"complete": true,"stopped_by": null,"undecided": 0,"verdict": "violations","executions": 4,"blocked": 0,"events": 30,"mean_events": 7.5,"seconds": 0.5,"by_bound": [{{"preemptions": 0,"executions": 4,"reporting": {{"tso": 1,"pso": 0}}}}],"reporting": {{"tso": 1,"pso": 0}},"first": {{"tso": {{"executions": 3,"seconds": 0.25}}}},"distinct": {{"tso": 1,"pso": 0}},"distinct_triples": {{"tso": 2,"pso": 0}},"violations": [{{"id": "tso-1","kind": "sc-violation","model": "tso","monitor": "tso","message": "the store may be delayed past the load","sites": [{{"role": "delayed","thread": 1,"file": "sb.c","line": 8,"column": 5,"operation": "store","expression": "x","function": "left"}},{{"role": "previous","thread": 2,"file": "sb.c","line": 14,"column": 5,"operation": "store","expression": "y","function": "right"}},{{"role": "overtaking","thread": 2,"file": "sb.c","line": 15,"column": 7,"operation": "load","expression": "x","function": "right"}}],"executions": 1,"finding": "fencehound-out/tso-1/","fingerprint": "0123456789abcdef"}}],"uninstrumented": ["getrandom"],"assumptions": [],"runs": 5}}"#
        );
        assert_eq!(compact, expected);
    }

    #[test]
    fn an_error_is_small() {
        let value: serde_json::Value = serde_json::from_str(&error("a.c", "a.c did not compile")).unwrap();
        assert_eq!(value["verdict"], "error");
        assert_eq!(value["message"], "a.c did not compile");
    }
}
