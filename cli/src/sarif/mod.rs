//! Results as a SARIF 2.1.0 log, which code scanning services and editors read.
//!
//! One run has all results: services take one of a kind of analysis for a file. A violation is a result, its first place
//! the location, the other places related ones, and the execution a code flow with a thread flow for each thread, whose
//! steps have their number in the execution. What the user has accepted is suppressed; what ended a search or could not be
//! run is a notification. A result is known again by the fingerprint of its finding.

mod files;
mod rules;

use std::path::Path;

use protocol::{FailureKind, Place, Role, SiteUse, Trace};
use serde_json::{Map, Value, json};

use crate::exit::Status;
use crate::json::{CountsAs, Entry, Outcome};
use crate::programs::acceptance::Acceptance;
use crate::programs::models::NewEnd;
use crate::report::columns::event_words;
use crate::report::excerpt::Sources;
use crate::report::finding::{Subject, events_shown, in_words, marks, site_words};
use crate::report::names::model_of;
use files::SourceRoot;
use rules::{Rule, Topic};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The key of the fingerprint, with the version of its method.
const FINGERPRINT: &str = "fencehound/v1";

/// The key that GitHub goes by.
const GITHUB_FINGERPRINT: &str = "primaryLocationLineHash";

/// Results that were obtained in a folder, whose run ends with this status.
pub(crate) fn results(outcomes: &[Outcome<'_>], folder: &Path, status: Status, sources: &mut Sources) -> String {
    let mut log = SarifLog { files: SourceRoot::of(folder), sources, rules: Vec::new() };
    let results: Vec<Value> = outcomes.iter().flat_map(|outcome| log.violations(outcome)).collect();
    let notifications: Vec<Value> = outcomes.iter().flat_map(|outcome| log.notifications(outcome)).collect();
    let target = outcomes.first().map_or("", |outcome| outcome.target);
    let target = if outcomes.iter().all(|outcome| outcome.target == target) { target } else { "" };
    log.text(target, status, (&results, &notifications))
}

/// A run that failed, in a folder.
pub(crate) fn error(target: &str, message: &str, folder: &Path, status: Status) -> String {
    let notification = json!({ "level": "error", "message": { "text": message } });
    let mut sources = Sources::new([]);
    let log = SarifLog { files: SourceRoot::of(folder), sources: &mut sources, rules: Vec::new() };
    log.text(target, status, (&[], &[notification]))
}

/// A log under way.
struct SarifLog<'s> {
    files: SourceRoot,
    sources: &'s mut Sources,
    /// The rules that results are of, in the order of the first of each.
    rules: Vec<Rule>,
}

impl SarifLog<'_> {
    fn text(&self, target: &str, status: Status, (results, notifications): (&[Value], &[Value])) -> String {
        let rules: Vec<Value> = self.rules.iter().map(|rule| rule.descriptor()).collect();
        let is_successful = matches!(status, Status::Clean | Status::Found | Status::Incomplete);
        let id = if target.is_empty() { "fencehound/".to_string() } else { format!("fencehound/{target}/") };
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "Fencehound",
                    "version": env!("CARGO_PKG_VERSION"),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                } },
                "automationDetails": { "id": id },
                "invocations": [{
                    "executionSuccessful": is_successful,
                    "exitCode": status as u8,
                    "workingDirectory": self.files.working_directory(),
                    "toolExecutionNotifications": notifications,
                }],
                "originalUriBaseIds": self.files.bases(),
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        });
        let mut text = serde_json::to_string_pretty(&log).expect("a log has string keys only");
        text.push('\n');
        text
    }

    fn violations(&mut self, outcome: &Outcome<'_>) -> Vec<Value> {
        let found: Vec<Value> = outcome.violations.iter().map(|entry| self.violation(outcome, entry)).collect();
        found.into_iter().chain(outcome.new_ends().iter().map(|end| self.new_end(outcome, end))).collect()
    }

    /// An end that no sequentially consistent execution has is no line's: its place is the file.
    fn new_end(&mut self, outcome: &Outcome<'_>, end: &NewEnd) -> Value {
        let rule = Rule { topic: Topic::End, model: end.model };
        json!({
            "ruleId": rule.id(),
            "ruleIndex": self.index(rule),
            "level": "error",
            "message": { "text": format!("{}\n{}", end.message, end.help) },
            "locations": [self.file(outcome)],
            "partialFingerprints": { FINGERPRINT: end.fingerprint, GITHUB_FINGERPRINT: end.fingerprint },
            "suppressions": [],
            "properties": { "explorer": outcome.explorer, "judgement": "shows" },
        })
    }

    /// The number of a rule, which is one of the log from now on.
    fn index(&mut self, rule: Rule) -> usize {
        self.rules.iter().position(|known| *known == rule).unwrap_or_else(|| {
            self.rules.push(rule);
            self.rules.len() - 1
        })
    }

    /// The file that was checked, for what has no place: services refuse results without a location.
    fn file(&self, outcome: &Outcome<'_>) -> Value {
        json!({ "physicalLocation": { "artifactLocation": self.files.location(first_name(outcome.target)) } })
    }

    fn violation(&mut self, outcome: &Outcome<'_>, entry: &Entry<'_>) -> Value {
        let subject = &entry.subject;
        let violation = subject.violation;
        let rule = Rule { topic: Topic::Violation(violation.kind), model: model_of(violation, outcome.model) };
        let index = self.index(rule);
        let (first, others) = violation.sites.split_first().map_or((None, &[][..]), |(one, rest)| (Some(one), rest));
        let mut result = Map::new();
        let mut put = |key: &str, value: Value| drop(result.insert(key.to_string(), value));
        put("ruleId", rule.id().into());
        put("ruleIndex", index.into());
        put("level", level(entry).into());
        let words = std::iter::once(in_words(violation)).chain(subject.help.iter().cloned());
        put("message", json!({ "text": words.collect::<Vec<_>>().join("\n") }));
        let location = match first.filter(|site| !site.place.file.is_empty()) {
            Some(site) => self.location(&site.place, Some(site)),
            None => self.file(outcome),
        };
        put("locations", json!([location]));
        let related = first.map_or_else(Vec::new, |first| self.related(first, others, subject));
        if !related.is_empty() {
            put("relatedLocations", related.into());
        }
        if let Some(trace) = subject.trace.filter(|_| violation.kind != FailureKind::Nondeterministic)
            && let Some(flow) = self.code_flow(subject, trace)
        {
            put("codeFlows", json!([flow]));
        }
        if let Some(fingerprint) = entry.fingerprint {
            put("partialFingerprints", json!({ FINGERPRINT: fingerprint, GITHUB_FINGERPRINT: fingerprint }));
        }
        let suppressions: Vec<Value> = entry.accepted.iter().map(|accepted| self.suppression(accepted)).collect();
        put("suppressions", suppressions.into());
        let properties = json!({
            "id": subject.id,
            "finding": entry.finding,
            "executions": entry.executions,
            "explorer": outcome.explorer,
            "judgement": entry.judgement,
        });
        let given = properties.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        put("properties", given.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>().into());
        result.into()
    }

    /// The places but the first one, and through which calls each was come to.
    fn related(&mut self, first: &SiteUse, others: &[SiteUse], subject: &Subject<'_>) -> Vec<Value> {
        let mut related = Vec::new();
        for (index, site) in std::iter::once(first).chain(others).enumerate() {
            if !site.place.file.is_empty() && (index > 0 || site.role != Role::At) {
                let words = site_words(site, subject.threads);
                related.push((self.location(&site.place, Some(site)), words));
            }
            for caller in site.place.callers() {
                let place = Place::new(caller.file.clone(), caller.line, caller.column);
                related.push((self.location(&place, None), format!("called in {}", caller.function)));
            }
        }
        let with_words = |(index, (mut location, words)): (usize, (Value, String))| {
            location["id"] = (index + 1).into();
            location["message"] = json!({ "text": words });
            location
        };
        related.into_iter().enumerate().map(with_words).collect()
    }

    /// The execution: what each thread does, and in which order all do it, if there is one order for all.
    fn code_flow(&mut self, subject: &Subject<'_>, trace: &Trace) -> Option<Value> {
        let violation = subject.violation;
        let is_interleaving = violation.schedule.graph.is_none();
        let marks = marks(violation, trace);
        let mut flows: Vec<(u32, Vec<Value>)> = Vec::new();
        for index in events_shown(violation, trace) {
            let event = &trace.events[index];
            if event.place.file.is_empty() {
                continue;
            }
            let mut location = self.location(&event.place, None);
            location["message"] = json!({ "text": event_words(event) });
            let is_marked = marks.is_some_and(|marks| marks.contains(&index));
            let importance = if is_marked { "essential" } else { "important" };
            let mut step = json!({ "location": location, "importance": importance });
            if is_interleaving {
                step["executionOrder"] = (index + 1).into();
            }
            match flows.iter_mut().find(|(thread, _)| *thread == event.thread) {
                Some((_, steps)) => steps.push(step),
                None => flows.push((event.thread, vec![step])),
            }
        }
        flows.sort_by_key(|(thread, _)| *thread);
        let flows: Vec<Value> = flows
            .into_iter()
            .map(|(thread, steps)| json!({ "id": subject.threads.name(thread), "locations": steps }))
            .collect();
        let words = if is_interleaving {
            "the execution, as it was run"
        } else {
            "the execution, each thread in program order"
        };
        (!flows.is_empty()).then(|| json!({ "message": { "text": words }, "threadFlows": flows }))
    }

    fn location(&mut self, place: &Place, site: Option<&SiteUse>) -> Value {
        let mut physical = json!({ "artifactLocation": self.files.location(&place.file) });
        if place.line > 0 {
            let line = self.sources.line(place).map(str::to_string);
            let mut region = json!({ "startLine": place.line });
            if place.column > 0 {
                region["startColumn"] = column(line.as_deref(), place.column).into();
            }
            physical["region"] = region;
            if let Some(line) = line {
                physical["contextRegion"] = json!({ "startLine": place.line, "snippet": { "text": line } });
            }
        }
        let mut location = json!({ "physicalLocation": physical });
        if let Some(function) = site.map(|site| &site.function).filter(|function| !function.is_empty()) {
            location["logicalLocations"] = json!([{ "name": function, "kind": "function" }]);
        }
        location
    }

    fn suppression(&mut self, accepted: &Acceptance) -> Value {
        match accepted {
            Acceptance::Baseline { reason } => {
                let mut suppression = json!({ "kind": "external", "status": "accepted" });
                if let Some(reason) = reason {
                    suppression["justification"] = reason.as_str().into();
                }
                suppression
            }
            Acceptance::Annotation { reason, file, line } => {
                let location = self.location(&Place::new(file.clone(), *line, 0), None);
                json!({ "kind": "inSource", "status": "accepted", "justification": reason, "location": location })
            }
        }
    }

    /// What there is to say of a search beside what it found.
    fn notifications(&mut self, outcome: &Outcome<'_>) -> Vec<Value> {
        let mut all = Vec::new();
        for one in &outcome.unsupported {
            let words = format!("not supported: {}", one.what);
            let place = Place::new(one.file.to_string(), one.line, one.column);
            let mut notification = json!({ "level": "error", "message": { "text": words } });
            if !place.file.is_empty() {
                notification["locations"] = json!([self.location(&place, None)]);
            }
            all.push(notification);
        }
        let level = if matches!(outcome.verdict, "clean" | "violations") { "note" } else { "warning" };
        all.push(json!({ "level": level, "message": { "text": outcome.sentence } }));
        let summary = outcome.summary;
        let unwatched = &summary.uninstrumented;
        let unwatched =
            (!unwatched.is_empty()).then(|| format!("called, but not watched inside: {}", unwatched.join(", ")));
        let notes = unwatched.into_iter().chain(summary.assumptions.iter().cloned());
        all.extend(notes.map(|note| json!({ "level": "note", "message": { "text": note } })));
        all
    }
}

/// How bad a violation is.
fn level(entry: &Entry<'_>) -> &'static str {
    match entry.counts {
        CountsAs::Violation => "error",
        CountsAs::Open => "warning",
        CountsAs::Nothing => "note",
    }
}

/// The first of a target's names.
fn first_name(target: &str) -> &str {
    target.split(' ').next().unwrap_or_default()
}

/// A column in characters, from 1, of one in bytes.
fn column(line: Option<&str>, column: u32) -> usize {
    let bytes = usize::try_from(column).unwrap_or(usize::MAX);
    let Some(line) = line else { return bytes };
    line.char_indices().take_while(|(index, _)| *index + 1 < bytes).count() + 1
}

#[cfg(test)]
mod tests {
    use super::column;

    #[test]
    fn columns_are_characters() {
        assert_eq!(column(Some("ab"), 2), 2);
        assert_eq!(column(Some("äb"), 3), 2);
        assert_eq!(column(None, 3), 3);
    }
}
