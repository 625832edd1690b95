//! Results as a page for browsers, in one file that asks nobody for anything: verdicts, findings, the source, and each execution to
//! step through, with what waits in store buffers and the cycle as a picture.
//!
//! The page itself is `page.html`. What it shows is data in it, of which no text can be taken for a part of the page, whatever the
//! program's source or names are.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{Operation, Place, Trace, TraceEvent};
use serde_json::{Value, json};

use crate::json::{CountsAs, Entry, Outcome};
use crate::programs::consequences::FirstFailure;
use crate::programs::models::{self, End};
use crate::report::buffers::Buffers;
use crate::report::columns::{event_words, mark, waiting_words};
use crate::report::excerpt::Sources;
use crate::report::finding::{
    Subject, arrows, events_shown, headline, in_words, marks, replay_line, shown_sites, site_words,
};
use crate::report::names::{model_of, short_place};
use crate::text::printable;

/// The page, with a place for its data.
const PAGE: &str = include_str!("page.html");

/// The place of the data.
const DATA: &str = "{{DATA}}";

/// The most events of an execution that is shown whole.
const WHOLE: usize = 300;

/// The number of lines of source that are shown before and after those that matter.
const CONTEXT: u32 = 12;

/// Results as a page.
pub(crate) fn results(outcomes: &[Outcome<'_>], sources: &mut Sources) -> String {
    let mut quoted = Quoted::default();
    let results: Vec<Value> = outcomes.iter().map(|outcome| result(outcome, &mut quoted)).collect();
    page(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "results": results,
        "sources": quoted.sources(sources),
    }))
}

/// A run that failed.
pub(crate) fn error(target: &str, message: &str) -> String {
    let result = json!({ "target": printable(target), "verdict": "error", "sentence": printable(message),
                         "models": [], "findings": [] });
    page(&json!({ "version": env!("CARGO_PKG_VERSION"), "results": [result], "sources": {} }))
}

/// Returns the page with this data. What could end a script, or begin a comment in it, is spelt otherwise.
fn page(data: &Value) -> String {
    let text = data.to_string();
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => safe.push_str(&format!("\\u{:04x}", u32::from(letter))),
            other => safe.push(other),
        }
    }
    PAGE.replacen(DATA, &safe, 1)
}

/// The lines of sources that the page speaks of.
#[derive(Default)]
struct Quoted(BTreeMap<String, BTreeSet<u32>>);

impl Quoted {
    fn add(&mut self, place: &Place) {
        if !place.file.is_empty() && place.line > 0 {
            self.0.entry(place.file.clone()).or_default().insert(place.line);
        }
    }

    /// Returns the part of each file that is spoken of, with the lines around it.
    fn sources(&self, sources: &mut Sources) -> Value {
        let file = |(name, lines): (&String, &BTreeSet<u32>)| {
            let first = lines.first()?.saturating_sub(CONTEXT).max(1);
            let last = lines.last()?.saturating_add(CONTEXT);
            let range = usize::try_from(first).ok()? - 1..usize::try_from(last).ok()?;
            let all = sources.lines(name);
            let part = all.get(range.start..range.end.min(all.len()))?;
            let text: Vec<String> = part.iter().map(|line| printable(&line.replace('\t', "    "))).collect();
            Some((printable(name), json!({ "first": first, "lines": text })))
        };
        self.0.iter().filter_map(file).collect::<serde_json::Map<_, _>>().into()
    }
}

fn result(outcome: &Outcome<'_>, quoted: &mut Quoted) -> Value {
    let findings: Vec<Value> = outcome.violations.iter().map(|entry| finding(outcome, entry, quoted)).collect();
    let states = outcome.litmus.iter().flat_map(|litmus| &litmus.states);
    let states: Vec<Value> = states.map(|(state, count)| json!([printable(state), count])).collect();
    json!({
        "target": printable(outcome.target),
        "model": outcome.model,
        "explorer": outcome.explorer,
        "verdict": outcome.verdict,
        "sentence": printable(&outcome.sentence),
        "executions": outcome.summary.executions,
        "seconds": outcome.summary.seconds,
        "notes": outcome.summary.assumptions.iter().map(|note| printable(note)).collect::<Vec<_>>(),
        "states": states,
        "models": outcome.models.iter().map(|(name, entry)| judged(name, entry)).collect::<Vec<_>>(),
        "findings": findings,
    })
}

/// The judgement under a model, with the ends of its executions.
fn judged(name: &str, entry: &models::Entry<'_>) -> Value {
    let values = |values: &[models::Value<'_>]| -> Vec<Value> {
        values.iter().map(|one| json!([printable(one.name), printable(one.value)])).collect()
    };
    let end = |end: &End<'_>| json!({ "values": values(&end.values), "sc": end.is_consistent });
    json!({
        "model": name,
        "judgement": entry.judgement,
        "verdict": entry.verdict,
        "by": entry.by,
        "asked": entry.asked,
        "why": entry.why.map(printable),
        "failure": entry.failure.map(FirstFailure::in_words),
        "difference": values(&entry.difference),
        "executions": entry.relaxed.executions,
        "complete": entry.relaxed.complete,
        "outcomes": entry.relaxed.outcomes,
        "sc_executions": entry.consistent.executions,
        "sc_outcomes": entry.consistent.outcomes,
        "ends": entry.ends.iter().map(end).collect::<Vec<_>>(),
    })
}

fn finding(outcome: &Outcome<'_>, entry: &Entry<'_>, quoted: &mut Quoted) -> Value {
    let subject = &entry.subject;
    let violation = subject.violation;
    let sites: Vec<Value> = shown_sites(violation)
        .map(|site| {
            quoted.add(&site.place);
            json!({ "at": short_place(&site.place), "file": printable(&site.place.file), "line": site.place.line,
                    "words": site_words(site, subject.threads) })
        })
        .collect();
    let counts = match entry.counts {
        CountsAs::Violation => "violation",
        CountsAs::Open => "open",
        CountsAs::Nothing => "nothing",
    };
    json!({
        "id": printable(subject.id),
        "headline": headline(violation),
        "summary": in_words(violation),
        "message": violation.message.lines().map(printable).collect::<Vec<_>>(),
        "model": model_of(violation, outcome.model),
        "failure": violation.monitor.is_none(),
        "judgement": entry.judgement,
        "accepted": entry.accepted.is_some(),
        "counts": counts,
        "executions": entry.executions,
        "help": subject.help.iter().map(|line| printable(line)).collect::<Vec<_>>(),
        "replay": entry.finding.map(|folder| replay_line(folder, subject.again)),
        "sites": sites,
        "execution": subject.trace.map(|trace| execution(subject, trace, quoted)),
    })
}

/// The execution: its events in the order in which they are shown, and the cycle among them.
fn execution(subject: &Subject<'_>, trace: &Trace, quoted: &mut Quoted) -> Value {
    let violation = subject.violation;
    let marks = marks(violation, trace);
    let is_graph = violation.schedule.graph.is_some();
    let arrows = arrows(violation, trace);
    let mut shown: Vec<usize> = if is_graph || trace.events.len() > WHOLE {
        events_shown(violation, trace)
    } else {
        (0..trace.events.len()).collect()
    };
    let is_on_cycle = |index: usize| arrows.iter().any(|arrow| arrow.from == index);
    shown.retain(|&index| !is_boundary(&trace.events[index]) || is_on_cycle(index));
    let threads: BTreeSet<u32> = shown.iter().map(|&index| trace.events[index].thread).collect();
    let buffers = Buffers::of(subject, trace);
    let events: Vec<Value> = shown
        .iter()
        .map(|&index| {
            let event = &trace.events[index];
            quoted.add(&event.place);
            let stores = buffers.iter().flat_map(|buffers| buffers.after(index));
            let waiting = stores.filter_map(|store| trace.events.get(store));
            let waiting: Vec<Value> =
                waiting.map(|store| json!([subject.threads.name(store.thread), waiting_words(store)])).collect();
            shown_event(event, index, mark(marks, index), &waiting)
        })
        .collect();
    let cycle = arrows.iter().map(
        |arrow| json!({ "from": arrow.from, "to": arrow.to, "relation": arrow.relation, "kept": arrow.kept.name() }),
    );
    json!({
        "graph": is_graph,
        "machine": buffers.as_ref().and_then(Buffers::machine),
        "buffers": buffers.is_some(),
        "length": trace.events.len(),
        "threads": threads.iter().map(|&thread| json!([thread, subject.threads.name(thread)])).collect::<Vec<_>>(),
        "events": events,
        "cycle": cycle.collect::<Vec<_>>(),
    })
}

/// Whether an event is the beginning or the end of a thread.
fn is_boundary(event: &TraceEvent) -> bool {
    matches!(event.operation, Operation::Begin | Operation::End)
}

fn shown_event(event: &TraceEvent, index: usize, mark: &str, waiting: &[Value]) -> Value {
    json!({
        "number": index,
        "thread": event.thread,
        "words": event_words(event),
        "at": if event.place.file.is_empty() { String::new() } else { short_place(&event.place) },
        "file": printable(&event.place.file),
        "line": event.place.line,
        "mark": mark,
        "waiting": waiting,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{DATA, PAGE, page};

    #[test]
    fn no_text_leaves_the_data() {
        assert_eq!(PAGE.matches(DATA).count(), 1);
        let evil = "</script><script>alert(1)</script><!-- & \u{2028} {{DATA}} \\ \" ]]>";
        let text = page(&json!({ "text": evil }));
        let (before, after) = PAGE.split_once(DATA).unwrap();
        let data = text.strip_prefix(before).unwrap().strip_suffix(after).unwrap();
        assert!(!data.contains(['<', '>', '&', '\u{2028}']), "{data}");
        let read: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(read["text"], evil);
    }

    #[test]
    fn the_page_asks_nobody_for_anything() {
        let without_names = PAGE.replace("http://www.w3.org/2000/svg", "");
        for word in ["http:", "https:", "src=", "@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML", "eval("] {
            assert!(!without_names.contains(word), "{word}");
        }
        assert!(PAGE.contains("default-src 'none'"));
    }
}
